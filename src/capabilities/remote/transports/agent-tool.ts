/**
 * The transport to agents of the `agents` package (`Think`, an `AIChatAgent`): top-level objects. It calls the methods by
 * which that package calls an agent-tool child. One object is one run, whose id is the name of the object.
 *
 * AT6. Nothing is kept here: what a run there says is told when it has ended, because only then its numbers are lasting. A
 *      run that was recovered there numbers its chunks anew.
 */
import * as z from 'zod';
import { refuseUnknown } from '../../../core/definition/invalid';
import type {
  RemoteAgent,
  RemoteAgentTransport,
  RemoteAnswer,
  RemoteBounds,
  RemoteCall,
  RemoteEvent,
} from '../../../core/definition/remote-transport';
import { RemoteError } from '../../../core/definition/remote-transport';
import type { ChunkBody } from '../../../protocol/chunks';
import { type ErrorCode, failure } from '../../../protocol/errors';
import { type Json, type JsonObject, toJson } from '../../../protocol/json';
import { problemOf } from '../../../protocol/problem';
import { NO_USAGE } from '../../../protocol/usage';
import { givenAnswer } from './answer';
import { addressOf, lawfulChunk } from './events';
import { faulty } from './faults';
import { boundedJson, refusePrototypeKey } from './json';
import { limitsOf, type RemoteLimits } from './limits';
import { callWithin, type Given } from './platform-call';
import { FromUiChunks } from './read-ui-chunks';
import { limited, within } from './time';

/** Options of `AgentToolTransport`. */
export interface AgentToolTransportOptions {
  /** The namespace of the agent's class: a binding (`env.SCOUT`). */
  readonly namespace: { getByName(name: string): unknown } | undefined;
  /** Its label in references and in the console; `agent tool` by default. */
  readonly label?: string;
  readonly limits?: Partial<RemoteLimits>;
}

/** What such an object is asked by. */
interface Adapter {
  startAgentToolRun(input: Json, options: { readonly runId: string }): Promise<unknown>;
  cancelAgentToolRun(runId: string, reason: string): Promise<void>;
  inspectAgentToolRun(runId: string): Promise<unknown>;
  getAgentToolChunks(runId: string): Promise<unknown>;
  tailAgentToolRun(runId: string): Promise<unknown>;
}

const STATUSES = { starting: 'running', running: 'running', completed: 'completed', error: 'failed' } as const;
const STOPS = { interrupt: 'interrupted', abort: 'failed', terminate: 'terminated' } as const;

const inspection = z.object({
  status: z.enum(['starting', 'running', 'completed', 'error', 'aborted']),
  output: z.unknown().optional(),
  summary: z.string().optional(),
  error: z.string().optional(),
  startedAt: z.number(),
  completedAt: z.number().optional(),
});
type Inspection = z.output<typeof inspection>;

const stored = z.array(z.object({ body: z.string() }));

/**
 * Uses agents of the `agents` package that are Durable Objects of this Worker as sub-agents for one call. They start
 * and stop like others, and their output is in the log once they have ended. They take no messages, cannot resume after
 * a stop, cannot ask a person through this tree, and do not report usage.
 * @throws RemoteError `remote_not_configured` if the namespace is missing
 * @throws OffshootError `invalid_definition` for invalid limits
 * @example
 * const transport = (env: { SCOUT: DurableObjectNamespace }) => new AgentToolTransport({ namespace: env.SCOUT });
 */
export class AgentToolTransport implements RemoteAgentTransport {
  readonly label: string;
  readonly bounds: RemoteBounds;
  readonly #namespace: NonNullable<AgentToolTransportOptions['namespace']>;
  readonly #limits: RemoteLimits;

  constructor(options: AgentToolTransportOptions) {
    refuseUnknown('AgentToolTransport', options, ['namespace', 'label', 'limits']);
    const { namespace, label = 'agent tool', limits } = options;
    this.label = label;
    if (namespace === undefined || namespace === null)
      throw new RemoteError('remote_not_configured', `The namespace "${label}" is missing in the environment.`);
    this.#namespace = namespace;
    this.#limits = limitsOf('AgentToolTransport', limits);
    this.bounds = this.#limits;
  }

  async call(request: RemoteCall): Promise<RemoteAnswer> {
    const ask = () => this.#answer(request);
    return givenAnswer(request.verb, await callWithin(ask, request, this.label, this.#limits), this.#limits);
  }

  async *stream({
    agent,
    from,
    signal: given,
  }: {
    readonly agent: RemoteAgent;
    readonly from: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<RemoteEvent> {
    const { signal, end } = limited(given, this.#limits.streamMs, 'The stream reached its maximum duration.');
    try {
      const first = await this.#inspected(agent);
      if (first === undefined) {
        const refusal = { code: 'not_found', title: 'There is no such run.', status: 404 };
        throw new RemoteError('remote_refused', 'There is no such run.', { refusal });
      }
      const begun = this.#log(agent, first, []);
      if (from <= 1 && begun[0]) yield begun[0];
      if (!isOver(first)) await this.#untilOver(agent, signal);
      const last = await this.#inspected(agent);
      if (last === undefined || !isOver(last)) throw faulty('cut', 'The stream ended before the run.');
      const log = this.#log(agent, last, await this.#chunks(agent));
      for (const event of log) if (event.sequence >= Math.max(from, 2)) yield event;
      yield { type: 'up_to_date' };
      yield { type: 'end', status: statusOf(last) };
    } catch (error) {
      if (error instanceof RemoteError) throw error;
      throw signal.aborted ? signal.reason : faulty('cut', `${this.label} was cut off.`, { cause: error });
    } finally {
      end();
    }
  }

  /** The object, as it is asked by. */
  #adapter({ name }: RemoteAgent): Adapter {
    // Every public method of an object can be called; which of them it has is known by calling.
    return this.#namespace.getByName(name) as Adapter;
  }

  async #answer({ verb, agent, body = {} }: RemoteCall): Promise<Given> {
    const refused = (code: ErrorCode, detail?: string): Given => ({
      ok: false,
      ...problemOf(failure(code, detail), ''),
    });
    if (agent.below !== undefined) return refused('lives_elsewhere');
    if (verb === 'start') {
      if (body.input === undefined)
        return refused('invalid_request', 'It works for one call, so it cannot be a companion.');
      await this.#adapter(agent).startAgentToolRun(body.input, { runId: agent.name });
    }
    const found = await this.#inspected(agent);
    if (found === undefined) return refused('not_found');
    const { name: runId } = agent;
    switch (verb) {
      case 'start': {
        const address = addressOf(agent);
        const run = { sessionId: runId, runId, status: statusOf(found) };
        return { ok: true, body: { ...run, address, streamUrl: `${address}/stream?from=1` } };
      }
      case 'status':
        return { ok: true, body: this.#document(agent, found, isOver(found) ? await this.#chunks(agent) : []) };
      case 'usage':
        return { ok: true, body: { total: NO_USAGE, byAgent: {} } };
      case 'interrupt':
      case 'abort':
      case 'terminate': {
        if (body.runId !== undefined && body.runId !== runId) return refused('run_superseded');
        if (!isOver(found))
          await this.#adapter(agent).cancelAgentToolRun(runId, `${verb}: ${String(body.reason ?? '')}`);
        return { ok: true, body: { runId, status: statusOf((await this.#inspected(agent)) ?? found) } };
      }
      default:
        return refused('lives_elsewhere', `An agent of the \`agents\` package does not accept "${verb}".`);
    }
  }

  async #inspected(agent: RemoteAgent): Promise<Inspection | undefined> {
    const given = await this.#adapter(agent).inspectAgentToolRun(agent.name);
    if (given === null) return undefined;
    const read = inspection.safeParse(given);
    if (read.success) return read.data;
    const isStatus = read.error.issues.some(({ path }) => path[0] === 'status');
    throw faulty(isStatus ? 'unknown_status' : 'shape', `${this.label} sent an unknown part of a run.`);
  }

  /** What the run has said. */
  async #chunks(agent: RemoteAgent): Promise<readonly Json[]> {
    const read = stored.safeParse(await this.#adapter(agent).getAgentToolChunks(agent.name));
    if (!read.success) throw faulty('shape', `${this.label} sent malformed chunks.`);
    const { maxEventCharacters, maxDepth, maxStreamBytes } = this.#limits;
    let size = 0;
    return read.data.map(({ body }) => {
      size += body.length;
      if (body.length > maxEventCharacters)
        throw faulty('event_too_large', `${this.label} sent a chunk that is too long.`);
      if (size > maxStreamBytes)
        throw faulty('stream_too_large', `${this.label} sent more than ${maxStreamBytes} bytes.`);
      return boundedJson(body, maxDepth, 'A chunk');
    });
  }

  /** Waits until its own stream ends: that is when the run has ended, or was cut off. */
  async #untilOver(agent: RemoteAgent, signal: AbortSignal): Promise<void> {
    const tail = await within(this.#adapter(agent).tailAgentToolRun(agent.name), signal, {
      ms: this.#limits.openMs,
      fault: 'silent',
      what: `${this.label} returned no stream in time.`,
    });
    if (!(tail instanceof ReadableStream)) throw faulty('shape', `${this.label} returned no stream.`);
    const reader: ReadableStreamDefaultReader<unknown> = tail.getReader();
    const onAbort = () => void reader.cancel().catch(() => undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal.aborted && !(await reader.read()).done);
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', onAbort);
      onAbort();
    }
  }

  /** The log of a run as it is known: its beginning, and where it has ended all of it. */
  #log(agent: RemoteAgent, found: Inspection, chunks: readonly Json[]): (RemoteEvent & { type: 'chunk' })[] {
    const { startedAt, completedAt = startedAt } = found;
    const base = { agentId: agent.name, agentType: agent.addressClass, address: addressOf(agent), runId: agent.name };
    const began = new FromUiChunks({ ...base, timestamp: startedAt });
    const told = new FromUiChunks({ ...base, timestamp: completedAt });
    const log = [began.said({ type: 'run_started', turn: 1, chainTurn: 1 }), ...chunks.flatMap((one) => told.of(one))];
    const ended = isOver(found) ? [...told.rest(), told.said(endOf(found, this.#output(found)))] : [];
    return [...log, ...ended].map((chunk, index) => ({
      ...{ type: 'chunk', sequence: index + 1 },
      chunk: lawfulChunk(chunk, chunk.type),
    }));
  }

  #output({ output, summary }: Inspection): Json {
    const given = toJson(output ?? summary ?? null, this.#limits.maxAnswerBytes, this.#limits.maxDepth);
    if (given.ok) {
      refusePrototypeKey(given.json, `The output of ${this.label}`);
      return given.json;
    }
    throw faulty(given.tooLarge ? 'body_too_large' : 'shape', `The output of ${this.label} does not fit as JSON.`);
  }

  #document(agent: RemoteAgent, found: Inspection, chunks: readonly Json[]): JsonObject {
    const { name: runId } = agent;
    const log = this.#log(agent, found, chunks);
    const { output, error, reason } = Object(isOver(found) ? endOf(found, this.#output(found)) : {});
    const over = isOver(found);
    const goes = problemFree(over ? 'nothing_to_stop' : 'already_running');
    const stop = over ? goes : true;
    const no = problemFree('lives_elsewhere');
    const run: JsonObject = {
      ...{ runId, epoch: 1, turn: 1, chainTurn: 1, chainRunId: runId, resumes: 0, step: log.at(-1)?.chunk.step ?? 0 },
      ...{ status: statusOf(found), startedAt: found.startedAt },
      ...(found.completedAt === undefined ? {} : { endedAt: found.completedAt }),
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error }),
      ...(reason === undefined ? {} : { reason }),
    };
    return {
      ...{ sessionId: runId, agentType: agent.addressClass, address: addressOf(agent), status: statusOf(found) },
      ...{ tags: [], pending: [], usage: NO_USAGE, lastSequence: log.length, run },
      childCounts: { running: 0, queued: 0, waiting: 0, total: 0 },
      controls: {
        ...{ start: no, send: no, interrupt: stop, abort: stop, terminate: stop },
        ...{ resume: no, retry: no, submit: no, fork: no, remove: no },
      },
    };
  }
}

function problemFree(code: ErrorCode): JsonObject {
  const { title, detail } = problemOf(failure(code), '');
  return { code, title, detail };
}

const isOver = ({ status }: Inspection): boolean => status !== 'starting' && status !== 'running';

/** By which verb a run was stopped here, and why: it is kept there in the reason. One that others stopped was interrupted. */
function stopOf({ error = '' }: Inspection): { readonly verb: keyof typeof STOPS; readonly reason: string } {
  const [, verb = 'interrupt', reason = error] = /^(interrupt|abort|terminate): ?(.*)$/s.exec(error) ?? [];
  return { verb: verb === 'abort' || verb === 'terminate' ? verb : 'interrupt', reason: reason || 'It was stopped.' };
}

function statusOf(found: Inspection): 'running' | 'completed' | 'failed' | 'interrupted' | 'terminated' {
  return found.status === 'aborted' ? STOPS[stopOf(found).verb] : STATUSES[found.status];
}

function endOf(found: Inspection, output: Json): ChunkBody {
  if (found.status === 'completed') return { type: 'run_completed', output };
  if (found.status !== 'aborted') {
    const error = failure('subagent_failed', found.error ?? 'It failed on its server.');
    return { type: 'run_failed', error, failureReason: error.code };
  }
  const { verb, reason } = stopOf(found);
  if (verb === 'terminate') return { type: 'run_terminated', reason };
  if (verb === 'interrupt') return { type: 'run_interrupted', reason };
  const error = failure('aborted', reason);
  return { type: 'run_failed', error, failureReason: error.code };
}
