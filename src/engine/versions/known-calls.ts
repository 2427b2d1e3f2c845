/**
 * The calls that an object of this version understands. While a deploy runs, objects of two versions of the Worker talk to
 * each other: what the older one does not know is refused like newer rows, so its sender tries again and nothing ends for it.
 *
 * Decides: which calls are refused because a newer version sent them.
 * Keeps SO11.
 */
import type { Reading } from '../../core/agent/built-in/read';
import { CHUNKS } from '../../protocol/chunks';
import { newerCall, type OffshootError } from '../../protocol/errors';
import type { FilesAsk, ObjectCall, ThreadDeed } from '../object/object-calls';
import type { AgentAnswer, AgentMessage, Delivery, RootRequest } from '../tree-messages';

/**
 * The number of the calls between objects. Raise it with a change that an older version would misunderstand, and send what
 * needs that change with `since`.
 */
export const CALLS = 3;

/** The first number of the calls that know a verb as a trial: an older version would carry it out. */
export const KNOWS_TRIALS = 2;

/** The first number of the calls that know what an agent above does in a session: an older version would look for its child. */
export const KNOWS_DEEDS = 3;

/** A call with the first of these numbers with which it is understood. */
type Numbered = ObjectCall & { readonly since?: number };

/** A closed table: the compiler names what is missing. */
export type Each<Name extends string> = Readonly<Record<Name, true>>;

const KINDS: Each<ObjectCall['kind']> = {
  ...{ agent: true, root: true, verb: true, socket: true },
  ...{ files: true, variables: true, thread: true, capability: true },
};

const MESSAGES: Each<AgentMessage['type']> = {
  ...{ assign: true, resume: true, mail: true, stop: true, expire: true, wake: true },
  ...{ child_settled: true, child_waits: true, child_stop: true, child_resume: true, child_decided: true },
  ...{ child_gone: true, tell: true, take_back: true, controls: true, effects_due: true },
  ...{ model_turn: true, ask_first: true, admitted: true, remove: true, leave: true },
  ...{ capability: true },
};

const DELIVERIES: Each<Delivery['type']> = { child_settled: true, child_waits: true };

const REQUEST: Each<keyof RootRequest> = {
  ...{ sessionId: true, batches: true, admit: true, deliver: true, withdraw: true, lost: true },
  ...{ lease: true, turn: true, look: true, relayed: true },
};

const FILE_OPS: Each<FilesAsk['op']> = {
  ...{ list: true, stat: true, open: true, write: true, remove: true, done: true, has: true, take: true },
};

const DEEDS: Each<ThreadDeed['type']> = { look: true, update: true, send: true, end: true };

const READINGS: Each<Reading['what']> = { messages: true, state: true, files: true, file: true };

/** The field that each kind of turn at a model has alone. */
const TURNS = ['provider', 'ended', 'rests'] as const satisfies readonly KeyOfUnion<NonNullable<RootRequest['turn']>>[];

type KeyOfUnion<Union> = Union extends Union ? keyof Union : never;

const ANSWERS: Each<AgentAnswer['answer']> = { done: true, absent: true, refused: true };

/** The first unknown part of a request to the root. */
function unknownInRequest(request: RootRequest): string | undefined {
  const field = Object.keys(request).find((name) => !Object.hasOwn(REQUEST, name));
  if (field !== undefined) return `the field "${field}" of a request`;
  const delivery = request.deliver.find(({ type }) => !Object.hasOwn(DELIVERIES, type));
  if (delivery) return `the delivery "${delivery.type}"`;
  for (const { chunks } of request.batches)
    for (const { type } of chunks) if (!Object.hasOwn(CHUNKS, type)) return `the chunk "${type}"`;
  const { turn } = request;
  if (turn !== undefined && !TURNS.some((name) => Object.hasOwn(turn, name)))
    return `a turn with ${Object.keys(turn).join(', ')}`;
  for (const relayed of request.relayed ?? []) {
    const unknown = unknownInRequest(relayed);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

function unknownIn(call: Numbered): string | undefined {
  if (call.since !== undefined && call.since > CALLS) return `a call that is known since ${call.since}, not ${CALLS}`;
  if (!Object.hasOwn(KINDS, call.kind)) return `the call "${call.kind}"`;
  if (call.kind === 'root') return unknownInRequest(call.request);
  const parts = partsOf(call);
  const unknown = parts.find(([known, name]) => !Object.hasOwn(known, name));
  return unknown && `the ${unknown[2]} "${unknown[1]}"`;
}

type Part = readonly [known: { readonly [name: string]: true }, name: string, kind: string];

/** The parts of a call by whose names its object decides. Names of verbs are those of the API, which has its own answer. */
function partsOf(call: ObjectCall): readonly Part[] {
  switch (call.kind) {
    case 'agent':
      return [[MESSAGES, call.message.type, 'message']];
    case 'files':
      return [[FILE_OPS, call.ask.op, 'use of files']];
    case 'thread': {
      const deed: Part[] = call.does ? [[DEEDS, call.does.type, 'deed']] : [];
      return call.reads ? [...deed, [READINGS, call.reads.what, 'reading']] : deed;
    }
    case 'root':
    case 'verb':
    case 'socket':
    case 'variables':
    // A capability knows its own calls.
    case 'capability':
      return [];
  }
}

/** Why a call is not answered: a newer version has sent it. */
export function unknownCall(call: Numbered): OffshootError | undefined {
  const unknown = unknownIn(call);
  return unknown === undefined ? undefined : newerCall(unknown);
}

/** True for an answer that this version does not know. */
export const isUnknownAnswer = ({ answer }: AgentAnswer): boolean => !Object.hasOwn(ANSWERS, answer);
