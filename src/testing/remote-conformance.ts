/**
 * What a parent relies on at an agent elsewhere, as cases that any server of the protocol can be run through: by a test
 * runner, or by a loop. They need two scripts of the server's own agent and know nothing else of it.
 *
 * AE10. A case throws where the promise that its name says is broken; it shares nothing with another one.
 */
import type { RemoteAgent, RemoteAgentTransport, RemoteAnswer, RemoteEvent } from '../core/definition/remote-transport';
import { isWithin } from '../protocol/address';
import { beginningOf } from '../protocol/content/cut';
import { DATA_LIMITS } from '../protocol/data-limits';
import { isObject, type Json, type JsonObject } from '../protocol/json';
import { isEndChunk, isSuspended } from '../protocol/status';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';

/** The server to check. */
export interface RemoteUnderTest {
  readonly transport: RemoteAgentTransport;
  /** The class of a root in the server's addresses, in kebab case. */
  readonly addressClass: string;
  /** The body of a start whose run completes without an answer, in at least 4 chunks. */
  readonly completes: JsonObject;
  /** The body of a start whose run waits for the result of one client tool, and that result: with it, the run completes. */
  readonly waits: { readonly start: JsonObject; readonly result: Json };
  /**
   * Restarts the server without its memory, as a crash does, and resolves once it answers again. Without it, the cases
   * about crashes are skipped.
   */
  readonly crash?: () => Promise<void>;
  /** A name that no root has; random by default. */
  readonly newName?: () => string;
  /** How long a case may take, in ms. 60 s by default. */
  readonly caseMs?: number;
}

/** One case: the name of a promise, and a function that checks it. */
export interface ConformanceCase {
  readonly name: string;
  /** @throws Error that describes the difference */
  run(): Promise<void>;
}

/**
 * Cases that check the promises on which a parent relies.
 * @example
 * const tried = async (remote: RemoteUnderTest): Promise<void> => {
 *   for (const { name, run } of remoteConformance(remote)) {
 *     await run();
 *     console.log('kept:', name);
 *   }
 * };
 */
export function remoteConformance(remote: RemoteUnderTest): readonly ConformanceCase[] {
  const cases = Object.entries({ ...CASES, ...(remote.crash ? CRASHES : {}) });
  return cases.map(([name, trial]) => ({ name, run: () => trial(new Trial(remote)) }));
}

type Success = Extract<RemoteAnswer, { readonly ok: true }>;
type Refusal = Extract<RemoteAnswer, { readonly ok: false }>;
type Heard = Extract<RemoteEvent, { readonly type: 'chunk' }>;

/** What a stream gave until its end. */
interface Told {
  readonly chunks: readonly Heard[];
  readonly resets: number;
  /** Whether it was said that nothing was left, before the end. */
  readonly upToDate: boolean;
  readonly end: string | undefined;
}

function hold(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

const shown = (value: unknown): string => beginningOf(JSON.stringify(value) ?? 'nothing', 300);

/** One case: an agent that no other case has, and what is asked of it. */
class Trial {
  readonly agent: RemoteAgent;
  readonly signal: AbortSignal;
  #keys = 0;

  constructor(readonly remote: RemoteUnderTest) {
    this.signal = AbortSignal.timeout(remote.caseMs ?? 60_000);
    this.agent = this.another();
  }

  another(): RemoteAgent {
    const { addressClass, newName = () => `kit-${crypto.randomUUID()}` } = this.remote;
    return { addressClass, name: newName() };
  }

  address({ addressClass, name } = this.agent): string {
    return `/agents/${addressClass}/${name}`;
  }

  newKey(): string {
    this.#keys += 1;
    return `${this.agent.name}-${this.#keys}`;
  }

  ask(verb: string, body?: JsonObject, idempotencyKey = this.newKey(), agent = this.agent): Promise<RemoteAnswer> {
    const { transport } = this.remote;
    const { signal } = this;
    return transport.call({
      verb,
      agent,
      ...(body ? { body } : {}),
      idempotencyKey,
      caller: { subject: 'kit' },
      signal,
    });
  }

  /** The document that a verb is answered with. */
  async given(verb: string, body?: JsonObject, key?: string, agent?: RemoteAgent): Promise<JsonObject> {
    const answer: RemoteAnswer = await this.ask(verb, body, key, agent);
    hold(answer.ok, `"${verb}" was refused: ${shown(answer)}`);
    const { body: document }: Success = answer;
    hold(isObject(document), `The answer to "${verb}" is not an object: ${shown(document)}`);
    return document;
  }

  /** That a verb is refused so. */
  async refused(verb: string, body: JsonObject | undefined, status: number, code?: string): Promise<Refusal> {
    const answer = await this.ask(verb, body);
    hold(!answer.ok, `"${verb}" was accepted with ${shown(body)}: ${shown(answer)}`);
    const fits = answer.status === status && (code === undefined || answer.code === code);
    hold(fits, `"${verb}" was refused with ${answer.status} ${answer.code}; expected ${status} ${code ?? ''}`);
    return answer;
  }

  start(body = this.remote.completes, key?: string, agent?: RemoteAgent): Promise<JsonObject> {
    return this.given('start', body, key, agent);
  }

  /** Reads a stream to its end, or until so many chunks have come. */
  async read(from = 1, most = Number.POSITIVE_INFINITY, agent = this.agent): Promise<Told> {
    const chunks: Heard[] = [];
    let resets = 0;
    let upToDate = false;
    for await (const event of this.remote.transport.stream({ agent, from, signal: this.signal })) {
      if (event.type === 'chunk') chunks.push(event);
      else if (event.type === 'reset') resets += 1;
      else if (event.type === 'up_to_date') upToDate = true;
      else if (event.type === 'end') return { chunks, resets, upToDate, end: event.status };
      if (chunks.length >= most) break;
    }
    return { chunks, resets, upToDate, end: undefined };
  }

  /** The one call that waits, once the run rests. */
  async question(from = 1): Promise<{ readonly toolCallId: string; readonly next: number }> {
    const { end, chunks } = await this.read(from);
    hold(end !== undefined && isSuspended(end), `The stream of a run that waits ended with ${end}.`);
    const { items } = await this.given('pending');
    hold(Array.isArray(items) && items.length === 1, `Expected one pending call: ${shown(items)}`);
    const [item]: readonly Json[] = items;
    hold(isObject(item ?? null), `A pending call is not an object: ${shown(item)}`);
    const { toolCallId, kind, address } = isObject(item ?? null) && item ? Object(item) : {};
    hold(kind === 'client-tool', `Expected a pending client tool, not ${kind}.`);
    hold(typeof toolCallId === 'string', 'A pending call has no toolCallId.');
    hold(isWithin(String(address), this.address()), `A pending call is at ${address}, which is another agent.`);
    return { toolCallId, next: (chunks.at(-1)?.sequence ?? from - 1) + 1 };
  }

  answer(toolCallId: string): JsonObject {
    return { kind: 'client-tool-result', toolCallId, result: this.remote.waits.result };
  }
}

const sequences = ({ chunks }: Told): string => chunks.map(({ sequence }) => sequence).join(' ');

/** That a log tells one run from its beginning to its one end, in order. */
function holdWhole(told: Told, address: string, ends: readonly string[]): void {
  const own = told.chunks.filter(({ chunk }) => chunk.address === address);
  hold(own[0]?.chunk.type === 'run_started', `A run must begin with run_started, not ${own[0]?.chunk.type}.`);
  const ended = own.filter(({ chunk }) => isEndChunk(chunk)).map(({ chunk }) => chunk.type);
  hold(shown(ended) === shown(ends), `The ends in the log are ${shown(ended)}; expected ${shown(ends)}.`);
  const started = told.chunks.flatMap(({ chunk }) => (chunk.type === 'tool_start' ? [chunk.toolCallId] : []));
  const done = told.chunks.flatMap(({ chunk }) => (chunk.type === 'tool_end' ? [chunk.toolCallId] : []));
  hold(shown(started.toSorted()) === shown(done.toSorted()), 'Each call must have one start and one end.');
}

const CASES: { readonly [name: string]: (trial: Trial) => Promise<void> } = {
  'an agent that never began is refused with 404, and a request creates none': async (trial) => {
    for (const verb of ['status', 'pending', 'interrupt', 'status']) await trial.refused(verb, undefined, 404);
    const stream = trial.read().then(
      () => undefined,
      (error: unknown) => error,
    );
    const error = await stream;
    const code = error instanceof Error && 'code' in error ? error.code : 'none';
    hold(code === 'remote_refused', `The stream of an unknown agent must be refused: ${String(error)}`);
  },

  'a start is the same run again under its key, and a conflict with another body': async (trial) => {
    const first = await trial.start(undefined, 'key');
    const again = await trial.start(undefined, 'key');
    hold(first.runId === again.runId, `A repeated start began another run: ${first.runId} and ${again.runId}.`);
    const other = await trial.ask('start', { ...trial.remote.completes, displayName: 'other' }, 'key');
    hold(
      !other.ok && other.code === 'idempotency_conflict',
      `A start with the same key and another body got ${shown(other)}`,
    );
    const told = await trial.read();
    holdWhole(told, trial.address(), ['run_completed']);
  },

  'a malformed start is refused, and begins nothing': async (trial) => {
    for (const body of [{}, { message: '' }, { message: 'x', unknown: 1 }, { input: 1, tags: 7 }]) {
      const answer = await trial.ask('start', body);
      hold(!answer.ok && answer.status >= 400 && answer.status < 500, `${shown(body)} got ${shown(answer)}`);
    }
    await trial.refused('status', undefined, 404);
  },

  'a body that is too large or nested too deep is refused, and begins nothing': async (trial) => {
    const [most, deepest] = [WIRE_LIMITS.maxBodyBytes, DATA_LIMITS.maxDepth];
    await trial.refused('start', { message: 'x'.repeat(most) }, 413, 'payload_too_large');
    await trial.refused('start', { ...trial.remote.completes, metadata: nested(deepest) }, 400, 'invalid_request');
    await trial.refused('start', { input: nested(deepest) }, 400, 'invalid_request');
    await trial.refused('status', undefined, 404);
  },

  'the log has a run from run_started to one end, in order, and the status has its output': async (trial) => {
    const { runId } = await trial.start();
    const told = await trial.read();
    hold(told.end === 'completed', `The stream ended with ${told.end}.`);
    hold(told.resets === 0 && told.upToDate, 'Before its end, a stream must send up_to_date and no reset.');
    hold(told.chunks.length >= 4, 'A completed run must have at least 4 chunks.');
    holdWhole(told, trial.address(), ['run_completed']);
    const { status, run, lastSequence } = await trial.given('status');
    hold(status === 'completed' && isObject(run ?? null), `The status after the end is ${shown(status)}.`);
    const facts: JsonObject = isObject(run ?? null) ? Object(run) : {};
    hold(facts.runId === runId && facts.output !== undefined, `The run is reported as ${shown(facts)}.`);
    const last = told.chunks.at(-1);
    hold(
      lastSequence === last?.sequence,
      `lastSequence is ${shown(lastSequence)}, and the log ends at ${last?.sequence}.`,
    );
    const end = told.chunks.map(({ chunk }) => chunk).find((chunk) => chunk.type === 'run_completed');
    hold(shown(end?.output) === shown(facts.output), 'The status must have the same output as the log.');
  },

  'a stream continues from any sequence, wherever it was cut': async (trial) => {
    await trial.start();
    const pieces: Heard[] = [];
    for (let size = 1, end: string | undefined; end === undefined; size = (size % 3) + 1) {
      const told = await trial.read((pieces.at(-1)?.sequence ?? 0) + 1, size);
      pieces.push(...told.chunks);
      end = told.end;
    }
    const whole = await trial.read();
    holdWhole(whole, trial.address(), ['run_completed']);
    hold(
      shown(pieces) === shown(whole.chunks) && pieces.length === whole.chunks.length,
      'The parts of the stream differ from the whole stream.',
    );
    for (const [index, { sequence }] of whole.chunks.entries()) {
      const rest = await trial.read(sequence);
      const due = whole.chunks.slice(index).map((each) => each.sequence);
      hold(
        sequences(rest) === due.join(' '),
        `From ${sequence} on, got ${sequences(rest)}; expected ${due.join(' ')}.`,
      );
    }
  },

  'a stream from beyond the end of the log begins with a reset': async (trial) => {
    await trial.start();
    const whole = await trial.read();
    const beyond = await trial.read((whole.chunks.at(-1)?.sequence ?? 0) + 1_000);
    hold(beyond.resets === 1, `A stream from beyond the end sent ${beyond.resets} resets.`);
    hold(sequences(beyond) === sequences(whole), 'After a reset, the whole log must follow.');
  },

  'concurrent agents do not mix': async (trial) => {
    const agents = [trial.another(), trial.another(), trial.another()];
    const runs = await Promise.all(agents.map((agent) => trial.start(undefined, undefined, agent)));
    hold(new Set(runs.map(({ runId }) => runId)).size === 3, 'Each agent must have a separate run.');
    const logs = await Promise.all(agents.map((agent) => trial.read(1, undefined, agent)));
    for (const [index, told] of logs.entries()) holdWhole(told, trial.address(agents[index]), ['run_completed']);
  },

  'an idle agent takes its next turn in the same session, after the first in the log': async (trial) => {
    const first = await trial.start();
    const told = await trial.read();
    const second = await trial.start();
    hold(
      first.sessionId === second.sessionId && first.runId !== second.runId,
      'The next turn must be a new run in the same session.',
    );
    const next = (told.chunks.at(-1)?.sequence ?? 0) + 1;
    const more = await trial.read(next);
    hold((more.chunks[0]?.sequence ?? 0) >= next, 'The next turn must come after the first one in the log.');
    holdWhole(more, trial.address(), ['run_completed']);
  },

  'a run that waits is suspended, and one answer to its question continues it': async (trial) => {
    await trial.start(trial.remote.waits.start);
    const { toolCallId, next } = await trial.question();
    await trial.refused('start', trial.remote.completes, 409);
    await trial.refused('submit', { kind: 'approval-response', toolCallId, approved: true }, 400, 'kind_mismatch');
    await trial.refused('submit', trial.answer('nobody'), 404, 'unknown_tool_call');
    const given = await trial.given('submit', trial.answer(toolCallId), 'answer');
    hold(given.status === 'accepted', `The answer to the call got ${shown(given)}.`);
    const again = await trial.given('submit', trial.answer(toolCallId), 'answer');
    hold(shown(again) === shown(given), 'A repeated answer with the same key must get the same response.');
    await trial.refused('submit', trial.answer(toolCallId), 409, 'already_answered');
    const told = await trial.read(next);
    hold(told.end === 'completed', `After the answer, the run ended as ${told.end}.`);
    const all = await trial.read();
    const answered = all.chunks.filter(({ chunk }) => chunk.type === 'tool_answered');
    hold(answered.length === 1, `One answer is reported ${answered.length} times.`);
    holdWhole(all, trial.address(), ['run_completed']);
  },

  'an interrupt ends the run that it names, and a resume continues from there': async (trial) => {
    const { runId } = await trial.start(trial.remote.waits.start);
    const { next } = await trial.question();
    await trial.refused('interrupt', { runId: 'r_of_nobody' }, 409, 'run_superseded');
    const stop = { runId: String(runId), reason: 'The conformance test asked.' };
    await trial.given('interrupt', stop, 'stop');
    await trial.given('interrupt', stop, 'stop');
    await trial.given('interrupt', stop);
    const stopped = await trial.read(next);
    hold(stopped.end === 'interrupted', `The interrupted run ended as ${stopped.end}.`);
    const resumed = await trial.given('resume', undefined, 'on');
    const again = await trial.given('resume', undefined, 'on');
    hold(resumed.runId === again.runId && resumed.runId !== runId, 'A repeated resume must return the same new run.');
    const asked = await trial.question((stopped.chunks.at(-1)?.sequence ?? next - 1) + 1);
    await trial.given('submit', trial.answer(asked.toolCallId));
    const told = await trial.read(asked.next);
    hold(told.end === 'completed', `The resumed run ended as ${told.end}.`);
    holdWhole(await trial.read(), trial.address(), ['run_interrupted', 'run_completed']);
  },

  'an abort fails the run, and a terminate ends the session permanently': async (trial) => {
    await trial.start(trial.remote.waits.start);
    const { next } = await trial.question();
    await trial.given('abort', { reason: 'The conformance test asked.' });
    const failed = await trial.read(next);
    hold(failed.end === 'failed', `The aborted run ended as ${failed.end}.`);
    await trial.start(trial.remote.waits.start);
    const { next: after } = await trial.question((failed.chunks.at(-1)?.sequence ?? next - 1) + 1);
    await trial.given('terminate', { reason: 'The conformance test asked.' });
    const over = await trial.read(after);
    hold(over.end === 'terminated', `The terminated run ended as ${over.end}.`);
    await trial.refused('start', trial.remote.completes, 409, 'terminated');
  },

  'a stop that names a start stops only the run of that start, and cancels one that has not arrived; or it is refused':
    async (trial) => {
      const { runId } = await trial.start(trial.remote.waits.start, 'own');
      const { next } = await trial.question();
      const late = { start: 'late', reason: 'The conformance test asked.' };
      const answer = await trial.ask('interrupt', late, 'stop');
      // A side of an older release does not know the field: a parent sends the stop without it then.
      if (!answer.ok && answer.status === 400) return void (await trial.given('interrupt', { reason: late.reason }));
      const again = await trial.given('interrupt', late, 'stop');
      hold(again.begun === false, `A stop of a start that has not arrived got ${shown(again)}.`);
      await trial.question();
      const begun = await trial.ask('start', trial.remote.completes, 'late');
      hold(!begun.ok && begun.code === 'idempotency_conflict', `A start after its stop got ${shown(begun)}.`);
      const own = { start: 'own', reason: 'The conformance test asked.' };
      const said = await trial.given('interrupt', own);
      hold(said.begun === true && said.runId === runId, `A stop of a running start got ${shown(said)}.`);
      const stopped = await trial.read(next);
      hold(stopped.end === 'interrupted', `A stop that names the start ended the run as ${stopped.end}.`);
      await trial.given('resume');
      const { next: after } = await trial.question((stopped.chunks.at(-1)?.sequence ?? next - 1) + 1);
      await trial.given('abort', own);
      const failed = await trial.read(after);
      hold(failed.end === 'failed', `A stop that names the start ended the resumed run as ${failed.end}.`);
      await trial.start(trial.remote.waits.start);
      await trial.question((failed.chunks.at(-1)?.sequence ?? after - 1) + 1);
      const ended = await trial.given('abort', own);
      hold(ended.begun === true && ended.runId === runId, `A stop after the end got ${shown(ended)}.`);
      await trial.question((failed.chunks.at(-1)?.sequence ?? after - 1) + 1);
    },

  'what was removed is gone, and removing again changes nothing': async (trial) => {
    await trial.start();
    await trial.read();
    await trial.given('remove', undefined, 'away');
    const again = await trial.ask('remove', undefined, 'away');
    hold(again.ok || again.status === 404 || again.status === 410, `A repeated removal got ${shown(again)}`);
    await trial.refused('status', undefined, 404);
  },

  'what a parent reads is there: usage, children, the tree, messages, runs': async (trial) => {
    await trial.start();
    await trial.read();
    for (const verb of ['usage', 'children', 'tree', 'messages', 'runs']) await trial.given(verb);
  },

  'a run ends once: a stop after its end says how it ended, and a resume is refused': async (trial) => {
    const { runId } = await trial.start();
    const before = await trial.read();
    for (const verb of ['interrupt', 'abort']) {
      const said = await trial.given(verb, { runId: String(runId) });
      hold(said.status === 'completed', `After the end, "${verb}" got ${shown(said)}.`);
    }
    await trial.refused('resume', undefined, 409);
    const after = await trial.read();
    hold(sequences(after) === sequences(before), 'A stop after the end has changed the log.');
    holdWhole(after, trial.address(), ['run_completed']);
  },

  'a reader that stops does not affect the run': async (trial) => {
    await trial.start(trial.remote.waits.start);
    const away = new AbortController();
    const reason = new Error('away');
    const reading = (async () => {
      const { transport } = trial.remote;
      for await (const _ of transport.stream({ agent: trial.agent, from: 1, signal: away.signal })) away.abort(reason);
    })();
    const error = await reading.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    hold(error === reason, `An aborted reader got ${String(error)}.`);
    const { toolCallId, next } = await trial.question();
    await trial.given('submit', trial.answer(toolCallId));
    hold((await trial.read(next)).end === 'completed', 'The run must continue without its reader.');
  },
};

/** Objects inside each other, so many. */
function nested(levels: number): JsonObject {
  let made: JsonObject = {};
  for (let level = 1; level < levels; level++) made = { inner: made };
  return made;
}

/** What must hold over a crash of the other side. */
const CRASHES: typeof CASES = {
  'a run that completed before a crash is reported as before, and its start is the same run': async (trial) => {
    const first = await trial.start(undefined, 'key');
    const before = await trial.read();
    await trial.remote.crash?.();
    const { status, run } = await trial.given('status');
    hold(status === 'completed' && isObject(run ?? null), `After a crash the status is ${shown(status)}.`);
    const again = await trial.start(undefined, 'key');
    hold(again.runId === first.runId, 'After a crash a repeated start began another run.');
    const after = await trial.read();
    hold(shown(after.chunks) === shown(before.chunks), 'After a crash, the log has other chunks.');
    hold(sequences(after) === sequences(before), `After a crash, the log has the sequences ${sequences(after)}.`);
  },

  'a waiting run continues after a crash with the answer to its question, from the last sequence': async (trial) => {
    await trial.start(trial.remote.waits.start);
    const asked = await trial.question();
    await trial.remote.crash?.();
    const { items } = await trial.given('pending');
    hold(Array.isArray(items) && items.length === 1, `Expected one pending call after the crash: ${shown(items)}`);
    await trial.given('submit', trial.answer(asked.toolCallId), 'answer');
    const told = await trial.read(asked.next);
    hold(told.end === 'completed', `After a crash the run ended as ${told.end}.`);
    const whole = await trial.read();
    holdWhole(whole, trial.address(), ['run_completed']);
    const rest = whole.chunks.filter(({ sequence }) => sequence >= asked.next);
    hold(sequences({ ...told, chunks: rest }) === sequences(told), 'After a crash, the stream has a gap or a repeat.');
  },

  'a stop that was accepted before a crash holds after it': async (trial) => {
    const { runId } = await trial.start(trial.remote.waits.start);
    const { next } = await trial.question();
    await trial.given('interrupt', { runId: String(runId) }, 'stop');
    await trial.remote.crash?.();
    await trial.given('interrupt', { runId: String(runId) }, 'stop');
    const told = await trial.read(next);
    hold(told.end === 'interrupted', `The stopped run ended as ${told.end}.`);
    const { chunks } = await trial.read();
    const ends = chunks.filter(({ chunk }) => isEndChunk(chunk) && chunk.address === trial.address());
    hold(ends.length === 1, `After a crash, the stop is reported ${ends.length} times.`);
  },
};
