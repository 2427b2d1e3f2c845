/** The runs and steps of one agent, as its row needs them. */
import type { Chunk } from '../../../client';
import { endOf } from '../../../protocol/content/cut';
import { isSuspended } from '../../../protocol/status';
import type { Lane, OpenSpan } from '../timeline/spans';

type Body<Type extends Chunk['type']> = Extract<Chunk, { readonly type: Type }>;
type EndChunk = Body<'run_completed' | 'run_failed' | 'run_interrupted' | 'run_terminated'>;
type StepChunk =
  | Body<'text_delta' | 'thinking' | 'step_started' | 'step_committed' | 'step_discarded'>
  | Body<'provider_tool_start' | 'provider_tool_end' | 'reply_source' | 'reply_file'>;

/** Characters of a step's text that are kept: enough for its last line. */
const TAIL = 400;

interface Step {
  attempt: number;
  committed: boolean;
  unpriced: boolean;
  readonly discarded: number[];
  /** The end of its last block of text, and which block that is. */
  part: number;
  tail: string;
  model: OpenSpan | undefined;
  timer: OpenSpan | undefined;
}

interface Run {
  readonly runId: string;
  steps: Map<number, Step>;
  end: string | undefined;
  error: string | undefined;
}

const ENDS = {
  run_completed: 'completed',
  run_failed: 'failed',
  run_interrupted: 'interrupted',
  run_terminated: 'terminated',
} as const;

/** They. */
export class Runs {
  recoveries = 0;
  discarded = 0;
  /** Committed steps whose price is not known. */
  unpriced = 0;
  newest: Run | undefined;
  readonly #runs = new Map<string, Run>();
  readonly #lane: Lane;

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Whether its newest run has no end. */
  get isAtWork(): boolean {
    return this.newest !== undefined && this.newest.end === undefined;
  }

  /** The number of the newest step of the newest run; 0 where there is none. */
  get stepNumber(): number {
    return [...(this.newest?.steps.keys() ?? [])].at(-1) ?? 0;
  }

  /** The end of what the newest step said. */
  get words(): string | undefined {
    const step = [...(this.newest?.steps.values() ?? [])].at(-1);
    return step === undefined || step.part < 0 ? undefined : step.tail;
  }

  /** Why the newest run failed. */
  get error(): string | undefined {
    return this.newest?.error;
  }

  /** A run begins, with the open steps of the one that it continues; gives their numbers. */
  started({ runId, resumedFrom }: Body<'run_started'>): ReadonlySet<number> {
    const into = this.#run(runId);
    const from = resumedFrom === undefined ? undefined : this.#runs.get(resumedFrom);
    if (from === undefined) return new Set();
    const carried = [...from.steps].filter(([step, { committed }]) => !committed && !into.steps.has(step));
    if (carried.length > 0) into.steps = new Map([...carried, ...into.steps]);
    for (const [step] of carried) from.steps.delete(step);
    return new Set(carried.map(([step]) => step));
  }

  /** What was at work is lost from the last chunk before on. */
  recovered(chunk: Body<'run_recovered'>, before: number): void {
    this.recoveries += 1;
    for (const span of [...this.#lane.open]) if (span.kind === 'model') this.#lane.end(span, before, 'discarded');
    this.#lane.put('crash', before, chunk.timestamp, chunk.reason);
    this.#lane.put('recovery', chunk.timestamp, chunk.timestamp, `recovered: ${chunk.reason}`);
  }

  /** A run has one end: the first that the log tells of. */
  ended(chunk: EndChunk): void {
    const run = this.#run(chunk.runId);
    if (run.end !== undefined) return;
    run.end = ENDS[chunk.type];
    if (chunk.type === 'run_failed') run.error = chunk.error.title;
  }

  /** How the session stands after a chunk of a run; undefined where another run is newer. */
  statusAfter(before: string, chunk: Chunk): string | undefined {
    const run = this.#run(chunk.runId);
    if (run !== this.newest) return undefined;
    switch (chunk.type) {
      case 'run_started':
        return 'running';
      case 'run_recovered':
        return run.end === undefined && isSuspended(before) ? before : 'running';
      case 'suspended':
        return run.end === undefined ? chunk.status : before;
      case 'unsuspended':
        return run.end === undefined ? 'running' : before;
      case 'output':
        return before;
      default:
        return run.end ?? before;
    }
  }

  /** A chunk of a step. */
  step(chunk: StepChunk): void {
    const step = this.#step(chunk.runId, chunk.step, chunk.attempt);
    if (chunk.attempt < step.attempt || step.discarded.includes(chunk.attempt)) return;
    if (chunk.attempt > step.attempt) this.#clear(step, chunk.attempt);
    const { timestamp } = chunk;
    const { timer } = step;
    const since = Math.min(timestamp, timer?.due ?? timestamp);
    // Since it was due its model was asked, of which the log tells with what that says first.
    if (timer !== undefined && timer.to === undefined) {
      this.#lane.end(timer, since);
      if (since < timestamp) step.model = this.#lane.begin('model', since, `step ${chunk.step}`);
    }
    step.timer = undefined;
    if (chunk.type === 'step_discarded') return this.#discard(step, chunk);
    if (!step.committed && (step.model === undefined || step.model.to !== undefined))
      step.model = this.#lane.begin('model', timestamp, `step ${chunk.step}`);
    if (chunk.type === 'step_committed') this.#commit(step, chunk);
    if (chunk.type !== 'text_delta' || chunk.part < step.part) return;
    step.tail = endOf((chunk.part === step.part ? step.tail : '') + chunk.delta, TAIL);
    step.part = chunk.part;
  }

  /** Whether nothing of that attempt counts any more. */
  isStale({ runId, step, attempt }: Chunk): boolean {
    const known = this.#runs.get(runId)?.steps.get(step);
    return known !== undefined && (attempt < known.attempt || known.discarded.includes(attempt));
  }

  /** Its model has answered: a call of it begins. */
  answered({ runId, step, timestamp }: Pick<Chunk, 'runId' | 'step' | 'timestamp'>): void {
    this.#lane.end(this.#runs.get(runId)?.steps.get(step)?.model, timestamp);
  }

  #discard(step: Step, chunk: Body<'step_discarded'>): void {
    if (step.model === undefined || step.model.to !== undefined) {
      if (step.model === undefined)
        this.#lane.put('discarded', chunk.timestamp, chunk.timestamp, `attempt ${chunk.attempt}: ${chunk.reason}`);
    } else {
      this.#lane.rename(step.model, `attempt ${chunk.attempt}: ${chunk.reason}`);
      this.#lane.end(step.model, chunk.timestamp, 'discarded');
    }
    this.#clear(step, chunk.attempt);
    step.discarded.push(chunk.attempt);
    this.discarded += 1;
    const { retryAt, timestamp } = chunk;
    if (retryAt !== undefined && retryAt > timestamp)
      step.timer = this.#lane.begin('timer', timestamp, 'waiting to retry', retryAt);
  }

  #commit(step: Step, chunk: Body<'step_committed'>): void {
    if (step.model !== undefined) {
      this.#lane.rename(step.model, `step ${chunk.step}, ${chunk.model}`);
      this.#lane.end(step.model, chunk.timestamp);
    }
    const unpriced = chunk.usage.costUsd === undefined;
    this.unpriced += Number(unpriced) - Number(step.unpriced);
    step.unpriced = unpriced;
    step.committed = true;
  }

  #clear(step: Step, attempt: number): void {
    this.unpriced -= Number(step.unpriced);
    const clear = { attempt, committed: false, unpriced: false, part: -1, tail: '', model: undefined };
    Object.assign(step, clear);
  }

  #step(runId: string, number: number, attempt: number): Step {
    const { steps } = this.#run(runId);
    const known = steps.get(number);
    if (known !== undefined) return known;
    const step = { attempt, committed: false, unpriced: false, discarded: [], part: -1, tail: '' };
    const made: Step = { ...step, model: undefined, timer: undefined };
    steps.set(number, made);
    return made;
  }

  #run(runId: string): Run {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const run: Run = { runId, steps: new Map(), end: undefined, error: undefined };
    this.#runs.set(runId, run);
    this.newest = run;
    return run;
  }
}
