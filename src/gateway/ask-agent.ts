/**
 * Calling a verb at an agent from outside of its tree: what HTTP and RPC do in the same way.
 *
 * Keeps A21, A65.
 */

import type { NewRootLimits } from '../core/tree/root-claims';
import type { AskedRequest, RequestOpening, TokenUse, VerbAnswer, VerbCall } from '../engine/object/object-calls';
import { segmentOf } from '../engine/tree-messages';
import { KNOWS_TRIALS } from '../engine/versions/known-calls';
import type { ParsedAddress } from '../protocol/address';
import { refuse } from '../protocol/errors';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';
import { checked } from '../verbs/input';
import type { Verb } from '../verbs/verb';
import { askRoot, directoryStub, type Exports, rootStub } from './objects';

/** The agents of a Worker, as they are reached. */
export interface AgentsOfWorker {
  readonly exports: Exports;
  /** The classes that may be roots. */
  readonly classes: { has(className: string): boolean };
  /** How many roots each caller may begin, where that is limited. */
  readonly newRoots?: NewRootLimits | undefined;
  /** Writes what cannot be told to the caller into the log. */
  log(error: unknown): void;
}

/** What is asked of an agent. */
export interface AgentAsk {
  readonly address: ParsedAddress;
  readonly verb: Verb;
  /** As it came in: the verb's schema checks it. */
  readonly input: unknown;
  /** Who asks; idempotency keys are kept apart by it. */
  readonly caller: string;
  /** Counts for verbs that change something; a read is a read, however often. */
  readonly idempotencyKey?: string | undefined;
  /** The key counts for all callers. */
  readonly sharesKey?: true | undefined;
  readonly bytes?: ReadableStream<Uint8Array> | undefined;
  /** What is kept of the request, where its right is asked again while its answer goes on. */
  readonly opening?: RequestOpening | undefined;
  /** A stream of events may be ended where nothing happens. */
  readonly pauses?: 'first' | 'again' | undefined;
  /** The request over HTTP that asks. */
  readonly request?: Pick<Request, 'url' | 'method' | 'headers'> | undefined;
  /** The trace of who asks (W3C). */
  readonly traceparent?: string | undefined;
  /** The signed token that it is asked with. */
  readonly token?: TokenUse | undefined;
  /** Asks whether it would be accepted, and changes nothing. */
  readonly isTrial?: boolean | undefined;
}

/**
 * Refuses an address whose class is no agent of the Worker.
 * @param worker its `base` is what paths begin with for the caller; callers by RPC have no paths
 * @throws OffshootError `not_found`
 */
export function refuseUnknownClass(
  { classes, base }: Pick<AgentsOfWorker, 'classes'> & { readonly base?: string },
  { root }: ParsedAddress,
): void {
  if (classes.has(root.className)) return;
  const advice = base === undefined ? '' : ` See ${base}/directory/agents for all agents.`;
  refuse('not_found', `There is no agent "${root.addressClass}" in this Worker.${advice}`);
}

/**
 * Asks an agent. What goes wrong at the agent is data.
 * @throws OffshootError `invalid_request` for an input or a key that is none, before anything is called
 */
export async function askAgent(worker: AgentsOfWorker, ask: AgentAsk): Promise<VerbAnswer> {
  const { address, verb, caller, bytes, opening, traceparent, token, pauses } = ask;
  if (ask.isTrial && !verb.hasTrial) throw new TypeError(`The verb "${verb.name}" has no trial.`);
  const call: VerbCall = {
    kind: 'verb',
    ...(ask.isTrial ? { isTrial: true, since: KNOWS_TRIALS } : {}),
    path: address.below.map(segmentOf),
    verb: verb.name,
    input: checked(verb.input, ask.input),
    caller,
    ...idempotencyOf(ask),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(opening === undefined ? {} : { opening }),
    ...(token === undefined ? {} : { token }),
    ...(pauses === undefined ? {} : { pauses }),
    ...(address.below.length === 0 ? {} : { asked: askedOf(ask) }),
    ...(worker.newRoots ? { newRoots: worker.newRoots } : {}),
    ...(verb.bytes === 'in' && bytes ? { bytes } : {}),
  };
  const root = () => rootStub(worker.exports, address.root).offshoot(call);
  const answer = await askRoot(root, (error) => worker.log(error), call.bytes !== undefined);
  return remembered(worker, ask, call, answer);
}

/** Begins the URL of a request that hooks see for a call without one. */
const NO_HOST = 'https://offshoot.invalid';

/** The request that hooks of the SDK see. */
function askedOf({ address, verb, request }: AgentAsk): AskedRequest {
  if (request) return { url: request.url, method: request.method, headers: [...request.headers] };
  return { url: `${NO_HOST}${address.address}/${verb.path}`, method: verb.method, headers: [] };
}

function idempotencyOf({
  verb,
  idempotencyKey: key,
  sharesKey,
}: AgentAsk): Pick<VerbCall, 'idempotencyKey' | 'sharesKey'> {
  if (key === undefined || (verb.method !== 'POST' && verb.method !== 'DELETE')) return {};
  if (key === '' || key.length > WIRE_LIMITS.maxIdempotencyKey)
    refuse('invalid_request', `An Idempotency-Key has 1 to ${WIRE_LIMITS.maxIdempotencyKey} characters.`);
  return { idempotencyKey: key, ...(sharesKey ? { sharesKey } : {}) };
}

/** A root that is gone cannot remember what has taken it away: its directory does. */
async function remembered(
  { exports }: AgentsOfWorker,
  { verb, address: { root } }: AgentAsk,
  { path, idempotencyKey, caller = '' }: VerbCall,
  answer: VerbAnswer,
): Promise<VerbAnswer> {
  const gone = !answer.ok && answer.error.code === 'not_found' && path.length === 0;
  if (!gone || verb.directoryKey === undefined || idempotencyKey === undefined) return answer;
  const key = verb.directoryKey(caller, idempotencyKey);
  const done = await directoryStub(exports, root.className).wasDeleted(root.name, key);
  return done ? { ok: true, body: {}, status: verb.status } : answer;
}
