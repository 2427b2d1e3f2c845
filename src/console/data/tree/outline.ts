/**
 * The outline of a run: one row for each agent, without its texts, reduced in place from the log's chunks, each in constant
 * time however many agents there are. What it says of an agent is what the reference reducer says; a test holds them equal.
 */
import type { Chunk, Json, SequencedChunk, Usage } from '../../../client';
import { beginningOf, endOf } from '../../../protocol/content/cut';
import { isObject } from '../../../protocol/json';
import { inWords, objectIn } from '../../../protocol/shown/in-words';
import { isStatusWord, statusTextAfter, statusTextByParent } from '../../../protocol/shown/status-text';
import { addUsage, NO_USAGE } from '../../../protocol/usage';
import { Clock, type Gap, Lane, MOST_SPANS, type Span } from '../timeline/spans';
import { Calls } from './outline-calls';
import { Runs } from './outline-runs';

/** One agent as a row shows it. */
export interface Row {
  readonly agentId: string;
  readonly parentId?: string;
  readonly agentType: string;
  readonly address: string;
  readonly status: string;
  readonly statusText?: string;
  /** Its first sign of life and the last, in ms since 1970. */
  readonly from: number;
  readonly last: number;
  readonly step: number;
  readonly usage: Usage;
  /** Whether some of its model calls have no known price. */
  readonly unpriced: boolean;
  /** Calls that wait for a person. */
  readonly waiting: number;
  readonly recoveries: number;
  readonly discarded: number;
  /** A tool at work, or its last words. */
  readonly activity: string;
  /** What it was asked to do, the beginning of it. */
  readonly task: string;
  readonly error?: string;
  /** The tools that it has called. */
  readonly tools: readonly string[];
  /** Where its object is, where that is not its parent's. */
  readonly placement?: 'object' | 'remote';
  /** What its parent calls it, where it stays. */
  readonly name?: string;
  /** Tasks that it was given. */
  readonly rounds: number;
  /** Its own events in the log; missing where the log was not read. */
  readonly events?: number;
}

/** Characters of a task, and of last words. */
const TASK = 200;
const WORDS = 120;

type Body<Type extends Chunk['type']> = Extract<Chunk, { readonly type: Type }>;

type EndChunk = Body<'run_completed' | 'run_failed' | 'run_interrupted' | 'run_terminated'>;
type RunChunk = Body<'run_started' | 'run_recovered' | 'output' | 'suspended' | 'unsuspended'> | EndChunk;
type OwnChunk = RunChunk | Body<'session_copied' | 'message_delivered'>;

const OUTSIDE: ReadonlySet<string> = new Set(['suspended_awaiting_children', 'suspended_step_partial']);

/** The last line of a text: of a long one what comes last, from where a sentence or at least a word begins. */
export function lastWords(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  if (line.length <= WORDS) return line;
  const end = endOf(line, WORDS);
  const sentence = end.search(/(?<=[.!?] )\S/u);
  return sentence > 0 ? end.slice(sentence) : `…${end.slice(end.indexOf(' ') + 1)}`;
}

const readOf = (value: Json): Json => (typeof value === 'string' ? (objectIn(value) ?? value) : value);

/** The beginning of what somebody was told, on one line. */
export function taskOf(input: Json | undefined): string {
  if (input === undefined || input === null) return '';
  const named = readOf(isObject(input) && input.task !== undefined ? input.task : input);
  const text = typeof named === 'string' ? named : isObject(named) ? inWords(named) : JSON.stringify(named);
  return beginningOf(text.replaceAll(/\s+/gu, ' ').trim(), TASK);
}

/** One agent, as it is reduced. */
class Agent {
  readonly lane: Lane;
  readonly runs: Runs;
  readonly calls: Calls;
  status = 'idle';
  statusText: string | undefined;
  parentId: string | undefined;
  last: number;
  usage = NO_USAGE;
  task = '';
  rounds = 0;
  events = 0;
  placement: 'object' | 'remote' | undefined;
  name: string | undefined;
  #queue: ReturnType<Lane['begin']> | undefined;
  #below: ReturnType<Lane['begin']> | undefined;
  #tasks = new Map<string, ReturnType<Lane['begin']>>();

  constructor(
    readonly agentId: string,
    readonly agentType: string,
    readonly address: string,
    readonly from: number,
    clock: Clock,
  ) {
    this.last = from;
    this.lane = new Lane(clock);
    this.runs = new Runs(this.lane);
    this.calls = new Calls(this.lane, this.runs);
  }

  /** Takes a chunk of its own. */
  take(chunk: Chunk): void {
    const before = this.last;
    this.last = chunk.timestamp;
    this.events += 1;
    this.statusText = statusTextAfter(this.statusText, chunk);
    switch (chunk.type) {
      case 'run_started':
        return this.#started(chunk);
      case 'run_recovered':
        this.runs.recovered(chunk, before);
        return this.#ran(chunk);
      case 'output':
        return this.#ran(chunk);
      case 'suspended':
        if (OUTSIDE.has(chunk.status) && !this.calls.awaitsChild)
          this.#below ??= this.lane.begin('child', chunk.timestamp, 'agents below');
        return this.#ran(chunk);
      case 'unsuspended':
        this.#endBelow(chunk.timestamp);
        return this.#ran(chunk);
      case 'run_completed':
      case 'run_failed':
      case 'run_interrupted':
      case 'run_terminated':
        this.#ended(chunk);
        return this.#ran(chunk);
      case 'session_copied':
        this.status = chunk.status;
        return;
      case 'message_delivered':
        if (this.task === '') this.task = taskOf(chunk.text);
        this.lane.put('message', chunk.timestamp, chunk.timestamp, `message from ${chunk.from}`);
        return;
      default:
        this.#stepped(chunk);
    }
  }

  #stepped(chunk: Exclude<Chunk, OwnChunk>): void {
    switch (chunk.type) {
      case 'step_committed':
        this.usage = addUsage(this.usage, chunk.usage);
        return this.runs.step(chunk);
      case 'step_discarded':
        this.runs.step(chunk);
        return this.calls.dropDrafts(chunk);
      case 'step_started':
      case 'text_delta':
      case 'thinking':
      case 'provider_tool_start':
      case 'provider_tool_end':
      case 'reply_source':
      case 'reply_file':
        return this.runs.step(chunk);
      case 'subagent_start':
        this.calls.delegates(chunk.callId);
        this.#tasks.set(`${chunk.childId} ${chunk.task}`, this.lane.begin('task', chunk.timestamp, chunk.subAgentType));
        return;
      case 'subagent_end':
        this.lane.end(this.#tasks.get(`${chunk.childId} ${chunk.task}`), chunk.timestamp);
        this.#tasks.delete(`${chunk.childId} ${chunk.task}`);
        return;
      case 'tool_arg_stream_start':
      case 'tool_arg_stream_delta':
      case 'tool_start':
      case 'tool_approval_request':
      case 'client_tool_request':
      case 'tool_answered':
      case 'tool_end':
        return this.calls.take(chunk);
      // The row of the child takes it.
      case 'subagent_status':
      // The status line has it.
      case 'custom':
      // A row does not show these.
      case 'subagent_message':
      case 'message_queued':
      case 'message_cancelled':
      case 'context_compacted':
      case 'state_patch':
      case 'hook_failed':
        return;
      default:
        // A newer server may send more: that counts as an event alone.
        chunk satisfies never;
    }
  }

  #started(chunk: Body<'run_started'>): void {
    const { timestamp } = chunk;
    this.lane.end(this.#queue, timestamp);
    if (this.task === '') this.task = taskOf(chunk.input);
    const carried = this.runs.started(chunk);
    this.calls.carried(chunk, carried);
    if (chunk.resumedFrom !== undefined) {
      this.lane.put('resume', timestamp, timestamp, 'resumed');
      this.calls.again(timestamp);
    }
    this.#ran(chunk);
  }

  #ended(chunk: EndChunk): void {
    const { type, timestamp } = chunk;
    this.#endBelow(timestamp);
    const isStop = type === 'run_interrupted' || type === 'run_terminated';
    if (isStop) this.lane.put('stop', timestamp, timestamp, chunk.reason || 'stopped');
    for (const span of [...this.lane.open]) if (span.kind !== 'task') this.lane.end(span, timestamp);
    this.runs.ended(chunk);
  }

  /** The end of a run that another one has followed says nothing about the session any more. */
  #ran(chunk: Chunk): void {
    const status = this.runs.statusAfter(this.status, chunk);
    if (status !== undefined) this.status = status;
  }

  #endBelow(at: number): void {
    this.lane.end(this.#below, at);
    this.#below = undefined;
  }

  /** Its parent has given it a task. */
  begun(chunk: Body<'subagent_start'>): void {
    this.parentId = chunk.agentId;
    this.rounds += 1;
    if (chunk.placement !== 'facet') this.placement = chunk.placement;
    if (chunk.name !== undefined) this.name = chunk.name;
    if (!this.runs.isAtWork) {
      this.lane.end(this.#queue, chunk.timestamp);
      this.#queue = this.lane.begin('queue', chunk.timestamp, 'queued');
    }
  }

  /** The parent's word counts where its own is missing: before its first run and between its runs. */
  told(chunk: Body<'subagent_status'>): void {
    const { status } = chunk;
    this.statusText = statusTextByParent(this.statusText, chunk);
    if (!isStatusWord(status)) return;
    const late = this.runs.newest !== undefined && (this.runs.isAtWork || status === 'running' || status === 'queued');
    if (!late) this.status = status;
  }

  /** Its parent has its end. */
  settled({ success, timestamp }: Body<'subagent_end'>): void {
    this.lane.end(this.#queue, timestamp);
    if (this.runs.newest !== undefined && !this.runs.isAtWork) return;
    this.status = success ? 'completed' : 'failed';
    this.last = timestamp;
  }

  /** The row of it. */
  row(): Row {
    const { agentId, agentType, address, status, from, last, usage, task, rounds, events } = this;
    const words = this.calls.atWork ?? this.runs.words ?? this.statusText ?? '';
    const error = this.runs.error;
    return {
      ...{ agentId, agentType, address, status, from, last, usage, task, rounds, events },
      ...(this.parentId === undefined ? {} : { parentId: this.parentId }),
      ...(this.statusText === undefined ? {} : { statusText: this.statusText }),
      step: this.runs.stepNumber,
      unpriced: this.runs.unpriced > 0,
      waiting: this.calls.waiting,
      tools: this.calls.tools,
      recoveries: this.runs.recoveries,
      discarded: this.runs.discarded,
      activity: lastWords(words),
      ...(error === undefined ? {} : { error }),
      ...(this.placement === undefined ? {} : { placement: this.placement }),
      ...(this.name === undefined ? {} : { name: this.name }),
    };
  }
}

/** What has changed since it was asked last. */
export interface OutlineChanges {
  readonly rows: readonly Row[];
  /** By agent: from which of its spans on they are these. */
  readonly spans: readonly (readonly [agentId: string, at: number, spans: readonly Span[]])[];
  readonly gaps: readonly Gap[];
  /** Whether some agent works now; what follows the last chunk is a gap otherwise. */
  readonly busy: boolean;
}

/** All agents of a tree. */
export class Outline {
  readonly #agents = new Map<string, Agent>();
  readonly #clock = new Clock();
  readonly #changed = new Set<Agent>();
  readonly #most: number;

  /** @param most spans that are kept of all agents */
  constructor(most = MOST_SPANS) {
    this.#most = most;
  }

  /** How many spans it holds. */
  get spans(): number {
    return this.#clock.spans;
  }

  /** Takes the next chunk of the log. */
  take({ sequence, chunk }: SequencedChunk): void {
    const { agentId, agentType, address, timestamp } = chunk;
    this.#clock.tick(timestamp);
    this.#clock.sequence = sequence;
    const agent = this.#agent(agentId, agentType, address, timestamp);
    agent.take(chunk);
    if (chunk.type === 'subagent_start') {
      const known = this.#agents.get(chunk.subSessionId);
      const child = known ?? this.#agent(chunk.subSessionId, chunk.subAgentType, chunk.subAddress, timestamp);
      if (known === undefined) child.status = 'queued';
      this.#changed.add(child);
      child.begun(chunk);
    } else if (chunk.type === 'subagent_status' || chunk.type === 'subagent_end') {
      const child = this.#agents.get(chunk.subSessionId);
      if (child !== undefined) this.#changed.add(child);
      if (chunk.type === 'subagent_status') child?.told(chunk);
      else child?.settled(chunk);
    }
    if (this.#clock.spans > this.#most) this.#bound();
  }

  /** What has changed since the last time. */
  changes(): OutlineChanges {
    const changed = [...this.#changed];
    this.#changed.clear();
    const spans = changed.flatMap(({ agentId, lane }) => {
      const told = lane.changes();
      return told === undefined ? [] : [[agentId, told.at, told.spans] as const];
    });
    return { rows: changed.map((agent) => agent.row()), spans, gaps: this.#clock.gaps, busy: this.#clock.busy > 0 };
  }

  #agent(agentId: string, agentType: string, address: string, at: number): Agent {
    const known = this.#agents.get(agentId);
    const agent = known ?? new Agent(agentId, agentType, address, at, this.#clock);
    if (known === undefined) this.#agents.set(agentId, agent);
    this.#changed.add(agent);
    return agent;
  }

  #bound(): void {
    const longest = [...this.#agents.values()].reduce((one, other) =>
      other.lane.all.length > one.lane.all.length ? other : one,
    );
    longest.lane.merge();
    this.#changed.add(longest);
  }
}
