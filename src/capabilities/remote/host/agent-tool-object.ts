/**
 * An agent of this library as an agent tool of the `agents` package: a class that a parent of that package (`Think`, an
 * `AIChatAgent`) runs as its sub-agent. It is a facet there, which holds one record of each run; the work is done by a root
 * elsewhere, which has a store and an alarm of its own. So a crash of the parent changes nothing of the run.
 *
 * AT1. What the root is called is minted and kept before anything is sent: a start that is repeated is the same run.
 * AT2. How a run ended is what `status` there says, kept here once: a tail ends after that, never before.
 * AT3. A stop that was not acknowledged is owed, and sent again by a schedule of the facet; so is one that was there before
 *      the start that it stops.
 */
import { Agent, type AgentToolChildAdapter, type AgentToolRunInspection, type AgentToolStoredChunk } from 'agents';
import type { RemoteTransportSource } from '../../../core/definition/children/elsewhere';
import { invalidDefinition, refuseUnknown } from '../../../core/definition/invalid';
import {
  cameOf,
  isToBeRepeated,
  type RemoteAgentTransport,
  type RemoteAnswer,
  RemoteError,
} from '../../../core/definition/remote-transport';
import { owedNow } from '../../../core/tree/tries';
import { boundedText, failureOf, refuse } from '../../../protocol/errors';
import { kebabCase } from '../../../protocol/ids';
import { byteLength, isObject, type Json, type JsonObject, toJson } from '../../../protocol/json';
import { isSuspended } from '../../../protocol/status';
import { statusDocument } from '../../../protocol/wire/shapes';
import { WIRE_LIMITS } from '../../../protocol/wire/wire-limits';
import type { RemoteStop } from '../machine/state';
import { stopAfter } from '../machine/stop';
import { progress, UiChunks } from './write-ui-chunks';

/** The remote agent behind the class. */
export interface AgentToolOptions<Env = unknown> {
  /** The name of its class on the remote side: `researcher` or `Researcher`. */
  readonly remoteAgentType: string;
  /** The transport, or a function that receives the Worker's bindings and variables and returns it. */
  readonly transport: RemoteTransportSource<Env>;
}

/** How a run ended. */
interface Ended {
  readonly status: 'completed' | 'error' | 'aborted';
  readonly error?: string;
  readonly completedAt: number;
}

/** One run, as it is kept. */
interface KeptRun {
  /** Of the root there. */
  readonly name: string;
  readonly startedAt: number;
  /** When the other side was heard of last, in ms since 1970. */
  readonly heardAt: number;
  /** It was sent at least once, and taken. */
  readonly asked?: true;
  readonly begun?: true;
  readonly stop?: RemoteStop;
  readonly ended?: Ended;
}

/** How it stands there. */
type Standing = { readonly status: string; readonly message?: string };

/** Waits before the other side is asked again, in ms; the last one again and again. */
const AGAIN_MS = [100, 250, 500, 1_000, 2_500, 5_000];
/** A side of which nothing lawful came for so long, in ms, is given up. */
const SILENT_MS = 300_000;
/**
 * An output, as JSON in bytes of UTF-8: its parent keeps it in one row together with its text, and a row has 2 MB (limits of
 * Durable Objects).
 */
const MAX_OUTPUT = 900_000;
/** A parent is told so often, in ms, that a quiet run is alive: one that has recovered gives up what says nothing. */
const BEAT_MS = 20_000;

const encoder = new TextEncoder();
const BEAT = Symbol('beat');

/**
 * The class to export for an agent that an agent of the `agents` package uses as a tool.
 * @example
 * export class Research extends AgentToolObject.of({
 *   remoteAgentType: 'researcher',
 *   transport: (env: { RESEARCHER: DurableObjectNamespace }) => new ObjectTransport({ namespace: env.RESEARCHER }),
 * }) {}
 * // In the parent: research: agentTool(Research, { description: 'Researches.', inputSchema })
 */
export class AgentToolObject extends Agent<Cloudflare.Env> implements AgentToolChildAdapter {
  /** Set by `of`. */
  protected readonly tool: AgentToolOptions | undefined;

  /** Returns a class whose runs are those of the remote agent. @throws OffshootError `invalid_definition` */
  static of<Env>(tool: AgentToolOptions<Env>): typeof AgentToolObject {
    refuseUnknown('AgentToolObject', tool, ['remoteAgentType', 'transport']);
    if (typeof tool.remoteAgentType !== 'string' || kebabCase(tool.remoteAgentType) === '')
      invalidDefinition('AgentToolObject: `remoteAgentType` must be the name of an agent on the remote server.');
    return class extends AgentToolObject {
      protected override readonly tool = tool;
    };
  }

  /** Starts a run, once for each id. */
  async startAgentToolRun(input: unknown, { runId }: { readonly runId: string }): Promise<AgentToolRunInspection> {
    if (!this.#kept(runId)) {
      const given = toJson(input, WIRE_LIMITS.maxBodyBytes);
      if (!given.ok)
        refuse(given.tooLarge ? 'payload_too_large' : 'invalid_input', `The input of the run: ${given.problem}.`);
      const now = Date.now();
      this.#keepJson('input', runId, given.text);
      this.#keep(runId, { name: `t-${crypto.randomUUID()}`, startedAt: now, heardAt: now });
    }
    return (await this.inspectAgentToolRun(runId)) ?? refuse('internal', 'The run was not stored.');
  }

  /** The state of a run; `null` if it never began. */
  async inspectAgentToolRun(runId: string): Promise<AgentToolRunInspection | null> {
    if (!this.#kept(runId)) return null;
    try {
      await this.#look(runId);
    } catch (error) {
      this.#missed(runId, error);
    }
    const kept = this.#kept(runId);
    if (kept === undefined) return null;
    const { startedAt, ended, begun } = kept;
    if (ended?.status === 'completed') {
      const output = this.#keptJson('output', runId);
      const summary = typeof output === 'string' ? output : JSON.stringify(output);
      return { runId, startedAt, ...ended, output, summary };
    }
    if (ended) return { runId, startedAt, ...ended };
    return { runId, startedAt, status: begun ? 'running' : 'starting' };
  }

  /** Stops a run. A stop that does not arrive is repeated. */
  async cancelAgentToolRun(runId: string, reason?: unknown): Promise<void> {
    const kept = this.#kept(runId);
    if (kept === undefined || kept.ended) return;
    const said = boundedText(reason instanceof Error ? reason.message : String(reason ?? 'It was cancelled.'), 500);
    const now = Date.now();
    const { asked } = this.#keep(runId, {
      ...kept,
      ended: { status: 'aborted', error: said, completedAt: now },
      stop: { verb: 'abort', reason: said, ...owedNow(now) },
    });
    if (asked) await this.offshootStop(runId);
  }

  /** Repeats an unacknowledged stop. It is public because a schedule calls it; calling it again is harmless. */
  async offshootStop(runId: string): Promise<void> {
    const kept = this.#kept(runId);
    if (kept?.stop === undefined || kept.stop.settled) return;
    const { verb, reason } = kept.stop;
    const came = await cameOf(() => this.#call(kept, verb, { reason }, `${runId}.${verb}`));
    const begun = kept.begun ? 'before' : this.#kept(runId)?.begun ? 'since' : 'yet';
    const stop = stopAfter(kept.stop, came, begun, Date.now());
    // One that was sent at the same time may have been taken.
    this.#change(runId, (now) => (now.stop?.settled ? now : { ...now, stop }));
    if (!stop.settled) await this.schedule(new Date(stop.nextAt), 'offshootStop', runId);
  }

  /** The output of the run so far, as chunks of a UI message. */
  async getAgentToolChunks(
    runId: string,
    { afterSequence = -1 }: { readonly afterSequence?: number } = {},
  ): Promise<AgentToolStoredChunk[]> {
    const kept = this.#kept(runId);
    if (!kept?.begun) return [];
    const chunks: AgentToolStoredChunk[] = [];
    const away = new AbortController();
    try {
      for await (const one of this.#told(kept, afterSequence, away.signal)) {
        if (one === 'all') break;
        chunks.push(one);
      }
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
    } finally {
      away.abort();
    }
    return chunks;
  }

  /** The same as lines of JSON, until the run has ended. */
  async tailAgentToolRun(
    runId: string,
    { afterSequence = -1 }: { readonly afterSequence?: number } = {},
  ): Promise<ReadableStream<AgentToolStoredChunk>> {
    const away = new AbortController();
    const lines = this.#lines(runId, afterSequence, away.signal);
    const bytes = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await lines.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
      },
      cancel: () => away.abort(),
    });
    // Between objects a stream has bytes; the SDK reads lines from it, and calls it a stream of chunks.
    return bytes as unknown as ReadableStream<AgentToolStoredChunk>;
  }

  async *#lines(runId: string, afterSequence: number, signal: AbortSignal): AsyncGenerator<AgentToolStoredChunk> {
    let after = afterSequence;
    for (let quiet = 0; !signal.aborted; ) {
      try {
        const standing = await this.#look(runId);
        const kept = this.#kept(runId);
        // One that was cancelled here is not followed to its end there.
        if (kept === undefined || kept.ended?.status === 'aborted') return;
        const before = after;
        for await (const one of this.#beating(kept, after, signal)) {
          if (one === 'all') continue;
          if (one === BEAT) yield this.#beat(after, standing);
          else yield one;
          if (one !== BEAT) after = one.sequence;
        }
        if (this.#kept(runId)?.ended) return;
        quiet = after > before ? 0 : quiet + 1;
        if (standing && isSuspended(standing.status)) yield this.#beat(after, standing);
      } catch (error) {
        if (signal.aborted) return;
        this.#missed(runId, error);
        if (this.#kept(runId)?.ended) return;
        quiet += 1;
      }
      await rest(AGAIN_MS[Math.min(quiet, AGAIN_MS.length - 1)] ?? 0, signal);
    }
  }

  #beat(sequence: number, standing: Standing | undefined): AgentToolStoredChunk {
    const { status = 'running', message = 'It works.' } = standing ?? {};
    return { sequence, body: JSON.stringify(progress(status, message)) };
  }

  /** What is told of a run, with a beat wherever nothing comes for long. */
  async *#beating(
    kept: KeptRun,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<AgentToolStoredChunk | 'all' | typeof BEAT> {
    const told = this.#told(kept, after, signal);
    try {
      for (let next = told.next(); ; ) {
        // It is waited for again after a beat: a reader who goes meanwhile leaves nobody who hears that it fails.
        next.catch(() => undefined);
        const waiting = new AbortController();
        const come = await Promise.race([next, rest(BEAT_MS, waiting.signal).then(() => BEAT)]);
        waiting.abort();
        if (typeof come === 'symbol') {
          yield BEAT;
          continue;
        }
        if (come.done) return;
        next = told.next();
        yield come.value;
      }
    } finally {
      told.return(undefined).catch(() => undefined);
    }
  }

  /** The chunks after a number, and 'all' where nothing more is there yet. */
  async *#told({ name }: KeptRun, after: number, signal: AbortSignal): AsyncGenerator<AgentToolStoredChunk | 'all'> {
    const agent = { addressClass: this.#addressClass, name };
    const ui = new UiChunks(`/agents/${agent.addressClass}/${name}`);
    let sequence = -1;
    for await (const event of this.#transport.stream({ agent, from: 1, signal })) {
      if (event.type === 'up_to_date') yield 'all';
      if (event.type !== 'chunk') continue;
      for (const body of ui.of(event.chunk)) {
        sequence += 1;
        if (sequence > after) yield { sequence, body: JSON.stringify(body) };
      }
    }
  }

  /** Begins a run that has not begun there, and keeps its end where it has one. @throws RemoteError */
  async #look(runId: string): Promise<Standing | undefined> {
    const kept = this.#kept(runId);
    if (kept === undefined || kept.ended) return undefined;
    if (!kept.begun) {
      this.#change(runId, (now) => ({ ...now, asked: true }));
      const input = this.#keptJson('input', runId);
      const body = typeof input === 'string' ? { message: input } : { input };
      const answer = await this.#call(kept, 'start', body, runId);
      if (!answer.ok) return this.#refused(runId, answer);
      this.#change(runId, (now) => ({ ...now, begun: true, heardAt: Date.now() }));
      // It was cancelled while it began: whoever cancelled it may have come too early there.
      if (this.#kept(runId)?.stop) await this.offshootStop(runId);
    }
    const answer = await this.#call(kept, 'status');
    if (!answer.ok) return this.#refused(runId, answer);
    const read = statusDocument.safeParse(answer.body);
    if (!read.success) throw new RemoteError('remote_invalid', 'Its status is unknown.');
    const { status, run, pending } = read.data;
    this.#change(runId, (now) => ({ ...now, heardAt: Date.now() }));
    if (run) this.#settle(runId, run);
    const [asked] = pending;
    if (asked === undefined) return { status };
    return { status, message: `${asked.toolName} waits for a person at ${asked.address}.` };
  }

  #settle(runId: string, run: NonNullable<ReturnType<typeof statusDocument.parse>['run']>): void {
    const completedAt = run.endedAt ?? Date.now();
    const { output = null, error, reason } = run;
    switch (run.status) {
      case 'completed': {
        const text = JSON.stringify(output);
        if (byteLength(text) > MAX_OUTPUT) {
          const error = `Its output has more than ${MAX_OUTPUT} bytes, which a parent cannot store.`;
          return this.#end(runId, { status: 'error', error, completedAt });
        }
        this.#keepJson('output', runId, text);
        return this.#end(runId, { status: 'completed', completedAt });
      }
      case 'failed':
        return this.#end(runId, { status: 'error', error: error?.message ?? 'It failed.', completedAt });
      case 'interrupted':
      case 'terminated':
        return this.#end(runId, { status: 'aborted', error: reason ?? 'It was stopped on its server.', completedAt });
    }
  }

  #refused(runId: string, answer: Extract<RemoteAnswer, { readonly ok: false }>): undefined {
    if (isToBeRepeated(answer))
      throw new RemoteError('remote_unreachable', `It answered ${answer.code}: ${answer.title}`);
    const error = boundedText(`The remote server refused: ${answer.detail ?? answer.title}`);
    this.#end(runId, { status: 'error', error, completedAt: Date.now() });
  }

  /** Nothing lawful came: the run is given up where that lasts. */
  #missed(runId: string, error: unknown): void {
    const kept = this.#kept(runId);
    if (kept === undefined || kept.ended) return;
    const lasting = error instanceof RemoteError ? !error.retryable : true;
    const silent = Date.now() - kept.heardAt >= SILENT_MS;
    if (!lasting && !silent) return;
    const said = boundedText(`The agent was abandoned: ${failureOf(error).message}`);
    const now = Date.now();
    this.#keep(runId, {
      ...kept,
      ended: { status: 'error', error: said, completedAt: now },
      stop: { verb: 'abort', reason: said, ...owedNow(now) },
    });
    this.ctx.waitUntil(this.offshootStop(runId));
  }

  #call({ name }: KeptRun, verb: string, body?: JsonObject, idempotencyKey?: string): Promise<RemoteAnswer> {
    const parent = this.parentPath.at(-1);
    return this.#transport.call({
      verb,
      agent: { addressClass: this.#addressClass, name },
      ...(body ? { body } : {}),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      caller: { subject: boundedText(parent ? `${parent.className}/${parent.name}` : 'agent-tool', 128) },
      signal: new AbortController().signal,
    });
  }

  get #tool(): AgentToolOptions {
    return (
      this.tool ??
      invalidDefinition('Extend the class that `AgentToolObject.of(…)` returns, not `AgentToolObject` itself.')
    );
  }

  get #transport(): RemoteAgentTransport {
    const { transport } = this.#tool;
    return typeof transport === 'function' ? transport(this.env) : transport;
  }

  get #addressClass(): string {
    return kebabCase(this.#tool.remoteAgentType);
  }

  #kept(runId: string): KeptRun | undefined {
    const kept = this.ctx.storage.kv.get<KeptRun>(`offshoot.run.${runId}`);
    return isObject(kept) ? kept : undefined;
  }

  #keep(runId: string, run: KeptRun): KeptRun {
    this.ctx.storage.kv.put(`offshoot.run.${runId}`, run);
    return run;
  }

  /** JSON has a place of its own: it is as large as one may be. */
  #keepJson(what: 'input' | 'output', runId: string, text: string): void {
    this.ctx.storage.kv.put(`offshoot.${what}.${runId}`, encoder.encode(text));
  }

  #keptJson(what: 'input' | 'output', runId: string): Json {
    const kept = this.ctx.storage.kv.get<Uint8Array>(`offshoot.${what}.${runId}`);
    return kept === undefined ? null : JSON.parse(new TextDecoder().decode(kept));
  }

  #change(runId: string, change: (run: KeptRun) => KeptRun): void {
    const kept = this.#kept(runId);
    if (kept) this.#keep(runId, change(kept));
  }

  /** The first end counts. */
  #end(runId: string, ended: Ended): void {
    this.#change(runId, (now) => (now.ended ? now : { ...now, ended }));
  }
}

/** So many ms, or less where the signal aborts. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
    if (signal.aborted) resolve();
  });
}
