/** Trees whose model servers take so many requests in a time, in virtual time, and what comes of them. */

import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, ToolDefinition } from '../../src/core/definition/definition';
import type { Limits } from '../../src/core/definition/limits';
import type { ModelPort, ModelReply, ModelRequest } from '../../src/core/definition/model-port';
import { type Environment, pause } from '../../src/engine/environment';
import { type ErrorCode, OffshootError } from '../../src/protocol/errors';
import { NO_USAGE } from '../../src/protocol/usage';
import { Tree, type TreeOptions } from './harness';
import { agentOf, answer, question, toolResults } from './trees';

/** What a server asks of those whom it refuses: the rest of the time in whole seconds, in ms, or nothing. */
export type Hint = 'none' | 'retry-after' | 'retry-after-ms';

/** A limit: so many requests in each time of so many ms; `at` says what it is later, from so many ms on. */
export interface ServerLimit {
  readonly count: number;
  readonly windowMs: number;
  readonly hint: Hint;
  readonly code?: ErrorCode;
  /** It refuses each of so many requests, too, however slowly they come. */
  readonly every?: number;
  readonly later?: readonly { readonly fromMs: number; readonly count: number }[];
}

/** The time that a server needs to answer and to refuse, in ms. */
const ANSWER_MS = 100;
const REFUSAL_MS = 10;

/** A model behind a limit, which counts what it is asked. */
export class LimitedPort implements ModelPort {
  requests = 0;
  refusals = 0;
  /** Requests under way now, and the most that were at once. */
  working = 0;
  mostAtOnce = 0;
  /** When each request came, in ms after the first. */
  readonly times: number[] = [];
  readonly askedBy: string[] = [];
  #from: number | undefined;
  #window = -1;
  #taken = 0;

  constructor(
    readonly name: string,
    readonly limit: ServerLimit | undefined,
    readonly answers: (request: ModelRequest) => ModelReply,
    readonly environment: () => Environment,
  ) {}

  provider(): string {
    return `${this.name}.chat`;
  }

  async call(request: ModelRequest, { signal }: Parameters<ModelPort['call']>[1]): Promise<ModelReply> {
    const environment = this.environment();
    this.#from ??= environment.now();
    const at = environment.now() - this.#from;
    this.times.push(at);
    this.askedBy.push(request.sessionId);
    this.requests++;
    const waitMs = this.#refusal(at);
    this.working++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.working);
    try {
      await pause(environment, waitMs === undefined ? ANSWER_MS : REFUSAL_MS, signal);
    } finally {
      this.working--;
    }
    if (signal.aborted) throw new OffshootError('aborted');
    if (waitMs === undefined) return this.answers(request);
    this.refusals++;
    const wait = this.limit?.hint === 'none' ? {} : { retryAfterMs: waitMs };
    throw new OffshootError(this.limit?.code ?? 'model_rate_limited', `${this.name}/test: Too many requests.`, wait);
  }

  /** How long the server asks to wait where it refuses a request, in ms. */
  #refusal(at: number): number | undefined {
    if (this.limit === undefined) return undefined;
    const { windowMs, hint, later = [] } = this.limit;
    const count = later.findLast(({ fromMs }) => at >= fromMs)?.count ?? this.limit.count;
    const window = Math.floor(at / windowMs);
    if (window !== this.#window) [this.#window, this.#taken] = [window, 0];
    if (this.limit.every && this.requests % this.limit.every === 0) return 1;
    if (this.#taken < count) {
      this.#taken++;
      return undefined;
    }
    const rest = (window + 1) * windowMs - at;
    return hint === 'retry-after' ? Math.ceil(rest / 1_000) * 1_000 : rest;
  }
}

const replyOf = (parts: Partial<ModelReply>): ModelReply => ({
  content: [{ type: 'text', text: 'Done.' }],
  finishReason: 'stop',
  usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 5, modelCalls: 1 },
  model: 'test/limited',
  ...parts,
});

const calls = (...wanted: readonly (readonly [string, object])[]): ModelReply =>
  replyOf({
    finishReason: 'tool-calls',
    content: wanted.map(([toolName, input], index) => ({
      type: 'tool-call',
      providerId: `call_${index}`,
      toolName,
      input: { ...input },
    })),
  });

/** What is tried. */
export interface Tried {
  readonly children: number;
  /** Steps of each child; 1 by default. */
  readonly steps?: number;
  readonly limit?: ServerLimit;
  /** Children of a second kind, whose provider refuses nothing; none by default. */
  readonly free?: number;
  readonly limits?: Partial<Limits>;
  readonly child?: Partial<AgentOptions>;
  readonly placement?: 'object';
  /** The time that the tool between two steps takes, in ms; none by default. */
  readonly noteMs?: number;
  /** With 2, each child has one child of its own that does its steps, and waits for it; 1 by default. */
  readonly levels?: 1 | 2;
  readonly tree?: TreeOptions;
}

/** A tree at a limited server. */
export class Limited extends Tree {
  readonly limited: LimitedPort;
  readonly free: LimitedPort;

  constructor(tried: Tried) {
    const ports: LimitedPort[] = [];
    super((tree) => {
      const { steps = 1, limits, child } = tried;
      const childAnswer = (request: ModelRequest): ModelReply =>
        tried.levels === 2 && request.agentType === 'limited' && request.step === 1
          ? calls(['subagent__leaf', { q: 'x' }])
          : request.step < steps
            ? calls(['note', { text: 'x' }])
            : calls(['__finish__', { answer: `after ${request.step}` }]);
      const environment = () => tree.time.environment;
      const note = defineTool({
        name: 'note',
        description: 'Notes a text.',
        inputSchema: z.object({ text: z.string() }),
        replay: 'safe',
        execute: () => pause(tree.time.environment, tried.noteMs ?? 0).then(() => 'noted'),
      });
      const agent = (name: string, more: ToolDefinition[] = []) =>
        agentOf(name, {
          inputSchema: question,
          outputSchema: answer,
          tools: [note, ...more],
          root: false,
          ...child,
          limits: { ...limits, ...child?.limits },
        });
      const leaf = agent('leaf');
      const [one, other] = [agent('limited', tried.levels === 2 ? [createSubAgentTool(leaf)] : []), agent('unlimited')];
      const tool = (of: AgentDefinition) =>
        tried.placement ? createSubAgentTool(of, { placement: tried.placement }) : createSubAgentTool(of);
      const rootAnswer = ({ step }: ModelRequest): ModelReply =>
        step > 1
          ? replyOf({})
          : calls(
              ...Array.from({ length: tried.children }, (_, at) => ['subagent__limited', { q: `${at}` }] as const),
              ...Array.from({ length: tried.free ?? 0 }, (_, at) => ['subagent__unlimited', { q: `${at}` }] as const),
            );
      const top = agentOf('top', {
        tools: [tool(one), tool(other)],
        limits: { maxConcurrentCalls: 1_000, ...limits },
      });
      ports.push(
        new LimitedPort('slow', tried.limit, childAnswer, environment),
        new LimitedPort('fast', undefined, childAnswer, environment),
        new LimitedPort('root', undefined, rootAnswer, environment),
      );
      const byName: Record<string, LimitedPort | undefined> = {
        limited: ports[0],
        leaf: ports[0],
        unlimited: ports[1],
        top: ports[2],
      };
      return {
        agents: [top, one, other, leaf],
        scripts: {},
        models: ({ name }: AgentDefinition, at: number) => (at > 0 ? ports[1] : byName[name]),
      };
    }, tried.tree);
    const [slow, fast] = ports;
    if (slow === undefined || fast === undefined) throw new Error('The tree has no models.');
    [this.limited, this.free] = [slow, fast];
  }

  /** How each child has ended, in order. */
  get ends() {
    return this.nodes.filter(({ kind }) => kind === 'child').map(({ status }) => status);
  }

  /** How long after the first of its requests the limited server had the last one, in ms. */
  get tookMs(): number {
    return Math.max(...this.limited.times);
  }
}

/** What the model of the root reads of its children. */
export const childResults = (tree: Limited) => toolResults(tree);
