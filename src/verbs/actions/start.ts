/**
 * Starting a run, and waiting for its end.
 *
 * Keeps A1, A49, A42, A52, A113, EN1.
 */

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { AgentEvent } from '../../core/agent/events';
import type { NewMessage } from '../../core/agent/inbound';
import { isAtRest, statusOf, suspensionOf } from '../../core/agent/runs/status';
import type { SessionNames } from '../../core/agent/state';
import type { AgentDefinition } from '../../core/definition/definition';
import { whyNotStarted } from '../../core/tree/verbs/route';
import { contentGiven, type FindFile, filesIn, NO_SESSION } from '../../engine/files/given-content';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbAnswer, VerbCall } from '../../engine/object/object-calls';
import { fit } from '../../engine/perform/check-calls';
import { keepVariables, sealVariables } from '../../engine/perform/variable-values';
import { claimRoot } from '../../engine/root/root-claims';
import { OffshootError, refuseWith } from '../../protocol/errors';
import { mediaTypeOf, newFilePath } from '../../protocol/file-rules';
import { mintId } from '../../protocol/ids';
import type { Json, JsonLike } from '../../protocol/json';
import type { SessionStatus } from '../../protocol/status';
import { startAccepted, startInput } from '../../protocol/wire/requests';
import * as shape from '../../protocol/wire/shapes';
import { WIRE_LIMITS } from '../../protocol/wire/wire-limits';
import { locate, refuseLeaving } from '../locate';
import { checkMetadata } from '../metadata';
import { status } from '../reads/overview';
import { runView, withBeginnings } from '../reads/standing';
import { askedBy, firstAcceptance, keepStartWith, type RequestRecord, refuseDeleted, startWith } from '../receipts';
import { type Answer, special } from '../verb';

type Input = z.output<typeof startInput>;

type Accepted = z.output<typeof startAccepted>;
type Status = z.output<typeof shape.statusDocument>;

async function fitting(schema: AgentDefinition['inputSchema'], what: string, value: Json): Promise<Json> {
  if (schema === undefined) return value;
  const checked = await fit(schema, value);
  if (!checked.ok)
    throw new OffshootError('invalid_input', `The ${what} does not match the schema of this agent: ${checked.problem}`);
  return checked.json;
}

/** The custom state that the run begins with; nothing where it stays as it is. */
async function stateFor(object: ObjectRuntime, given: Input, json: Json | undefined): Promise<Json | undefined> {
  const { stateSchema } = object.ports.definition;
  if (given.state !== undefined) return fitting(stateSchema, 'state', given.state);
  if (object.agent !== undefined) return undefined;
  if (json !== undefined && stateSchema !== undefined) {
    const checked = await fit(stateSchema, json);
    if (checked.ok) return checked.json;
  }
  const first = await object.firstState();
  return first.ok ? first.json : refuseWith(first.error);
}

function namesOf({ displayName, tags, metadata }: Input): SessionNames {
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function filesOf({ files = [] }: Input): { path: string; mediaType: string; content: Uint8Array }[] {
  return files.map(({ path, mediaType = 'application/octet-stream', base64 }) => ({
    path: newFilePath(path),
    mediaType: mediaTypeOf(mediaType),
    content: new Uint8Array(Buffer.from(base64, 'base64')),
  }));
}

/** Finds a file among those that come with a start, or among the agent's own. */
function findFile(object: ObjectRuntime, files: ReturnType<typeof filesOf>): FindFile {
  const own = object.agent ? filesIn(object.ports.files) : NO_SESSION;
  return (path) => {
    const target = newFilePath(path);
    const found = files.findLast((file) => file.path === target);
    if (found === undefined) return own(path);
    const { content, mediaType } = found;
    const etag = createHash('sha256').update(content).digest('hex');
    const file = { path: target, size: content.byteLength, mediaType, etag, updatedAt: object.environment.now() };
    return Promise.resolve({ file, bytes: () => Promise.resolve(content) });
  };
}

function startEvent(
  object: ObjectRuntime,
  given: Input,
  message: NewMessage['content'] | undefined,
  json: Json | undefined,
  custom: Json | undefined,
  asked: ReturnType<typeof askedBy>,
): Extract<AgentEvent, { type: 'start' }> {
  const token = object.environment.token();
  const contents = [...(json === undefined ? [] : [JSON.stringify(json)]), ...(message === undefined ? [] : [message])];
  const messages = contents.map(
    (content, index): NewMessage => ({
      messageId: mintId('message', token, index),
      role: 'user',
      content,
      from: 'caller',
      ...(given.to === undefined ? {} : { to: given.to }),
    }),
  );
  return {
    type: 'start',
    at: object.environment.now(),
    token,
    runId: mintId('run', token),
    messages,
    ...asked,
    ...(json === undefined ? {} : { input: json }),
    ...(custom === undefined ? {} : { custom }),
    ...(object.agent === undefined ? {} : { names: namesOf(given) }),
  };
}

/** The body of a start, without what it says of its answer. */
const bodyOf = ({ wait: _wait, ifRunning: _ifRunning, ...body }: Input): JsonLike => body;

/** The acceptance of the run at work, or in the queue, that a start with the same body has begun, where one asks for that. */
function acceptedSame(object: ObjectRuntime, given: Input): Accepted | undefined {
  const state = object.agent?.state;
  const known = state && given.ifRunning ? startWith(object, bodyOf(given)) : undefined;
  if (state === undefined || known === undefined) return undefined;
  if (isQueued(object, known.runId)) return { ...known, status: 'queued' };
  const { run } = state;
  if (run?.phase !== 'active' || run.lineage.chainRunId !== known.runId) return undefined;
  return { ...known, runId: run.runId, status: statusOf(state) };
}

async function accept(object: ObjectRuntime, call: VerbCall, given: Input, request: RequestRecord): Promise<Accepted> {
  await refuseDeleted(object, call);
  // What a session takes stays what it was, whoever works for it.
  const { definition } = object.ports;
  const json = given.input === undefined ? undefined : await fitting(definition.inputSchema, 'input', given.input);
  const custom = await stateFor(object, given, json);
  const files = filesOf(given);
  const message = given.message === undefined ? undefined : await contentGiven(given.message, findFile(object, files));
  const variables = sealVariables(object, given.env);
  checkMetadata(given.metadata);
  refuseLeaving(object);
  const known = firstAcceptance(request, startAccepted);
  if (known) return known;
  const claim = await claimRoot(object, call);
  // Creating the session would wait for this, after the last look at the receipt.
  await object.parts.clear();
  refuseLeaving(object);
  const first = firstAcceptance(request, startAccepted);
  if (first) return first;
  const same = acceptedSame(object, given);
  if (same) {
    object.store.transaction(() => request.keep(202, same));
    return same;
  }
  const event = startEvent(object, given, message, json, custom, askedBy(call));
  const session =
    object.agent?.state.session ?? object.newRootSession({ tags: [], ...namesOf(given), ...(claim ? { claim } : {}) });
  const { sessionId, address } = session;
  const streamUrl = `${address}/stream?from=${(object.tree?.log.last ?? 0) + 1}`;
  const { runId } = event;
  let answer: Accepted = { sessionId, runId, status: 'running', address, streamUrl };
  const applied = await object.create(session, custom ?? {}, event, () => {
    for (const { path, content, mediaType } of files) object.ports.files.put(path, content, { mediaType });
    keepVariables(object, variables);
    if (isQueued(object, runId)) answer = { ...answer, status: 'queued' };
    if (given.ifRunning) keepStartWith(object, bodyOf(given), answer);
    request.remember(202, answer, { runId });
  });
  return applied.ok ? answer : refuseWith(applied.refused);
}

/** Whether a start waits for the run before it. */
function isQueued({ agent }: ObjectRuntime, runId: string): boolean {
  return agent?.state.queued.some((start) => start.runId === runId) ?? false;
}

/** The status document once the run has ended; the acceptance, and how the run stands, when it waits or takes longer. */
async function waited(
  object: ObjectRuntime,
  call: VerbCall,
  answer: Accepted,
  ms: number,
): Promise<Answer<Accepted | Status>> {
  const { runId } = answer;
  // A run that waits for a person may do so for days.
  const suspended = (): SessionStatus | undefined => {
    const state = object.agent?.state;
    return state?.run?.runId === runId && isAtRest(state) ? suspensionOf(state) : undefined;
  };
  const over = (): boolean => {
    const run = object.agent?.state.run;
    if (run?.runId !== runId) return !isQueued(object, runId);
    return run.phase === 'ended' || suspended() !== undefined;
  };
  await object.tree?.until(over, ms);
  const run = endedRun(object, runId);
  if (run === undefined) return { body: { ...answer, status: suspended() ?? answer.status }, status: 202 };
  const reply: VerbAnswer = await status.answer(object, {
    kind: 'verb',
    verb: status.name,
    path: [],
    input: {},
    ...(call.caller === undefined ? {} : { caller: call.caller }),
  });
  // A run that waited behind this one may have begun with its end.
  return reply.ok
    ? { body: { ...shape.statusDocument.parse(reply.body), run }, status: 200 }
    : { body: answer, status: 202 };
}

/** Steps back from the latest one in which those of a run are looked for that has just ended. */
const LOOK_BACK = 100;

/** A run that has ended, as the status document shows it; undefined for any other. */
function endedRun({ agent, store, tree }: ObjectRuntime, runId: string): Status['run'] {
  const self = tree?.self();
  if (agent === undefined || tree === undefined || self === undefined) return undefined;
  const { run: latest, step: last } = agent.state;
  const recent = latest?.runId === runId ? [latest] : store.runs({ after: (latest?.turn ?? 0) - LOOK_BACK });
  const run = recent.find((one) => one.runId === runId);
  if (run?.phase !== 'ended') return undefined;
  const steps = store.steps({ after: (last?.id ?? 0) - LOOK_BACK }).filter(({ turn }) => turn === run.turn);
  const own = last?.turn === run.turn ? last : steps.at(-1);
  const [shown] = withBeginnings(tree, self, [runView(run, agent.state)]);
  return shown && { ...shown, step: own?.number ?? 0 };
}

/** Why an agent takes no start from outside, for any but the top of a tree. */
function refuseBelow(object: ObjectRuntime, call: VerbCall): never {
  const found = locate(object, call.path);
  refuseWith(found.at === 'nowhere' ? found.error : whyNotStarted());
}

/** Begins a run; creates the root if it is not there. */
export const start = special({
  name: 'start',
  method: 'POST',
  path: 'start',
  action: 'write',
  summary:
    'Starts a run; creates the root if it does not exist. With `wait`, the response is sent when the run has ended or has to wait.',
  status: 202,
  errors: [
    'invalid_input',
    'already_running',
    'awaiting_input',
    'too_many_starts',
    'too_many_files',
    'too_many_roots',
    'not_a_root',
    'terminated',
    'owned_by_parent',
    'idempotency_conflict',
    'no_encryption_key',
    'unavailable',
  ],
  http: { links: ['streamUrl'] },
  input: startInput,
  output: z.union([startAccepted, shape.statusDocument]),
  async handle({ object, call, input: given, request }) {
    if (call.path.length > 0) refuseBelow(object, call);
    refuseLeaving(object);
    const answer = firstAcceptance(request, startAccepted) ?? (await accept(object, call, given, request));
    const ms = given.wait === true ? WIRE_LIMITS.maxWaitMs : given.wait || 0;
    return ms === 0 ? { body: answer, status: 202 } : await waited(object, call, answer, ms);
  },
});
