/**
 * The details of a run's agents: all that was said and done, as the reference reducer says it of each by itself. They are
 * held while their texts have room; beyond it those that were not looked at for longest are forgotten and, when they are
 * asked for, read anew.
 */
import type { AgentView, RunView, SequencedChunk, TreeView } from '../../../client';
import { reduce } from '../../../protocol/view/reduce';
import { viewFrom } from '../../../protocol/view/view';

/** What all details may have together, in characters of their chunks. */
const MOST_TEXT = 8 * 1_048_576;
/** What a chunk counts beyond its texts, in characters. */
const CHUNK = 200;

interface Held {
  view: TreeView;
  size: number;
  /** When it was looked at last, as a running number. */
  seen: number;
  /** Chunks that came while older ones are still read; undefined where all of them are in. */
  late: SequencedChunk[] | undefined;
  /** Whether older steps were left out. */
  cut: boolean;
}

/** About how many characters a chunk holds. */
function sizeOf({ chunk }: SequencedChunk): number {
  if ('delta' in chunk) return CHUNK + chunk.delta.length;
  return chunk.type === 'step_started' ? CHUNK : CHUNK + JSON.stringify(chunk).length;
}

/** The ids of the agents that a chunk is about. */
function aboutOf({ chunk }: SequencedChunk): string[] {
  const isBelow = chunk.type === 'subagent_start' || chunk.type === 'subagent_status' || chunk.type === 'subagent_end';
  return isBelow && chunk.subSessionId !== chunk.agentId ? [chunk.agentId, chunk.subSessionId] : [chunk.agentId];
}

/** What there is of one. */
interface Shown {
  readonly view: AgentView | undefined;
  /** Whether its older steps are not held. */
  readonly cut: boolean;
  /** Whether its chunks have to be read anew, from the first one on. */
  readonly read: boolean;
  /** Whether they are being read. */
  readonly loading: boolean;
}

/** They. */
export class Details {
  readonly #held = new Map<string, Held>();
  readonly #forgotten = new Set<string>();
  readonly #most: number;
  #from: number;
  #size = 0;
  #looks = 0;
  #shown: string | undefined;

  /** @param from the first sequence of the log @param most what they may have together, in characters */
  constructor(from = 1, most = MOST_TEXT) {
    this.#from = from;
    this.#most = most;
  }

  /** Takes the next chunk of the log. */
  take(entry: SequencedChunk): void {
    for (const agentId of aboutOf(entry)) {
      const held = this.#forgotten.has(agentId) ? this.#held.get(agentId) : this.#at(agentId);
      if (held?.late !== undefined) held.late.push(entry);
      else if (held !== undefined) this.#reduce(agentId, held, entry);
    }
    if (this.#size > this.#most) this.#bound();
  }

  /** Looks at one. */
  show(agentId: string): Shown {
    this.#shown = agentId;
    this.#looks += 1;
    let held = this.#held.get(agentId);
    const read = held === undefined && this.#forgotten.has(agentId);
    if (read) {
      held = { view: viewFrom(this.#from), size: 0, seen: 0, late: [], cut: false };
      this.#held.set(agentId, held);
    }
    if (held !== undefined) held.seen = this.#looks;
    const view = held?.view.agents.find((agent) => agent.agentId === agentId);
    return { view, cut: held?.cut ?? false, read, loading: held?.late !== undefined };
  }

  /** Takes a chunk that is read anew for one of them. */
  again(agentId: string, entry: SequencedChunk): void {
    const held = this.#held.get(agentId);
    if (held?.late === undefined || !aboutOf(entry).includes(agentId)) return;
    this.#reduce(agentId, held, entry);
    if (this.#size > this.#most) this.#bound();
  }

  /** All older chunks of one were read: what came meanwhile follows. */
  caughtUp(agentId: string): void {
    const held = this.#held.get(agentId);
    if (held?.late === undefined) return;
    const { late } = held;
    held.late = undefined;
    this.#forgotten.delete(agentId);
    for (const entry of late) this.#reduce(agentId, held, entry);
    if (this.#size > this.#most) this.#bound();
  }

  /** Reading anew has failed: one asks again. */
  failed(agentId: string): void {
    const held = this.#held.get(agentId);
    if (held?.late !== undefined) this.#forget(agentId, held);
  }

  #at(agentId: string): Held {
    const known = this.#held.get(agentId);
    if (known !== undefined) return known;
    const held: Held = { view: viewFrom(this.#from), size: 0, seen: 0, late: undefined, cut: false };
    this.#held.set(agentId, held);
    return held;
  }

  #reduce(agentId: string, held: Held, entry: SequencedChunk): void {
    const before = held.view;
    const { view } = reduce(before, entry, 'filtered');
    if (view === before) return;
    // What the chunk says of others is theirs.
    held.view = { ...view, agents: view.agents.filter((agent) => agent.agentId === agentId) };
    const size = sizeOf(entry);
    held.size += size;
    this.#size += size;
  }

  #bound(): void {
    const others = [...this.#held].filter(([agentId]) => agentId !== this.#shown);
    for (const [agentId, held] of others.sort(([, one], [, other]) => one.seen - other.seen)) {
      if (this.#size <= this.#most / 2) return;
      this.#forget(agentId, held);
    }
    const own = this.#shown === undefined ? undefined : this.#held.get(this.#shown);
    if (own !== undefined && this.#size > this.#most) this.#cut(own);
  }

  #forget(agentId: string, { size }: Held): void {
    this.#held.delete(agentId);
    this.#forgotten.add(agentId);
    this.#size -= size;
  }

  /** Leaves the older half of its steps out. */
  #cut(held: Held): void {
    const [agent] = held.view.agents;
    if (agent === undefined) return;
    const steps = agent.runs.flatMap(({ runId, steps: own }) => own.map(({ step }) => `${runId} ${step}`));
    const gone = new Set(steps.slice(0, Math.ceil(steps.length / 2)));
    const stays = (item: { readonly runId: string; readonly step: number }) => !gone.has(`${item.runId} ${item.step}`);
    const runs = agent.runs
      .map((run): RunView => ({ ...run, steps: run.steps.filter(({ step }) => stays({ runId: run.runId, step })) }))
      .filter((run, index, all) => run.steps.length > 0 || index === all.length - 1);
    const calls = agent.calls.filter(stays);
    // The server's transcript has them between the texts of those steps.
    const isShown = (message: AgentView['messages'][number]) =>
      message.status === 'queued' || (stays(message) && runs.some(({ runId }) => runId === message.runId));
    const messages = agent.messages.filter(isShown);
    held.view = { ...held.view, agents: [{ ...agent, runs, calls, messages }] };
    held.cut = true;
    this.#size -= held.size / 2;
    held.size /= 2;
  }
}
