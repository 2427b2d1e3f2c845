/**
 * The working copy of one transition: the next state, the rows to write (one for each key), the chunks in order.
 *
 * Keeps EG1, SE4.
 */

import type { ChunkBody } from '../../protocol/chunks';
import { type ErrorCode, type Failure, failure } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { addUsage, type Usage } from '../../protocol/usage';
import type { Applied, Change, Emission, FileMove, Transition } from './changes';
import type { Child } from './children/child';
import type { InboundMessage } from './inbound';
import type {
  AgentState,
  Call,
  QueuedStart,
  RepliedStep,
  Run,
  Session,
  Settlement,
  SliceRow,
  Step,
  ToolCallState,
} from './state';

const keyOf = (change: Change): string => {
  switch (change.put) {
    case 'session':
    case 'custom':
      return change.put;
    case 'custom_before':
      return `before ${change.before.step}`;
    case 'run':
      return `run ${change.run.turn}`;
    case 'step':
      return `step ${change.step.id}`;
    // Both are kept in one row: the last one is what counts.
    case 'call_state':
    case 'settlement':
      return `settlement ${change.stepId} ${change.index}`;
    case 'queued':
      return `queued ${change.start.id}`;
    case 'unqueued':
      return `queued ${change.id}`;
    case 'row':
      return `row ${change.capability} ${change.row.id}`;
    case 'no_row':
      return `row ${change.capability} ${change.id}`;
    case 'message':
      return `message ${change.message.id}`;
    case 'no_message':
      return `message ${change.id}`;
    case 'variable_request':
      return `request ${change.request.requestId}`;
    case 'no_variable_request':
      return `request ${change.requestId}`;
    case 'child':
      return `child ${change.child.childId}`;
  }
};

/** Collects what one event changes. Machines write through it; nobody outside sees it half done. */
export class Draft {
  readonly #changes = new Map<string, Change>();
  readonly #chunks: Emission[] = [];
  readonly #moves: FileMove[] = [];
  #children: Map<number, Child> | undefined;

  /** Set where what a person sent is kept too late to be a result: why. */
  late: Failure | undefined;

  constructor(public state: AgentState) {}

  put(change: Change): void {
    this.#changes.set(keyOf(change), change);
  }

  /** Adds a chunk of the current step, or of the given one. */
  emit(body: ChunkBody, at?: { number: number; attempt: number }): void {
    const step = at ?? (this.state.step?.turn === this.state.run?.turn ? this.state.step : undefined);
    const runId = this.state.run?.runId ?? '';
    this.#chunks.push({ body, runId, step: step?.number ?? 0, attempt: step?.attempt ?? 0 });
  }

  /** Says what becomes of a file. */
  moveFile(move: FileMove): void {
    this.#moves.push(move);
  }

  setSession(session: Session): void {
    this.state = { ...this.state, session };
    this.put({ put: 'session', session });
  }

  setRun(run: Run): void {
    this.state = { ...this.state, run };
    this.put({ put: 'run', run });
  }

  setStep(step: Step): void {
    this.state = { ...this.state, step };
    this.put({ put: 'step', step });
  }

  /** Replaces a call of the current step; `persist` says whether its step's row must be written again. */
  setCall(step: RepliedStep, call: Call, persist: boolean): RepliedStep {
    const next = { ...step, calls: step.calls.map((other) => (other.index === call.index ? call : other)) };
    if (persist) this.setStep(next);
    else this.state = { ...this.state, step: next };
    return next;
  }

  /** Says how an open call stands: one small row, not that of the whole step. */
  setCallState(step: RepliedStep, call: Call, state: Pick<Call, 'state' | 'answer'>): RepliedStep {
    this.put({ put: 'call_state', stepId: step.id, index: call.index, state });
    const { state: _state, answer: _answer, ...facts } = call;
    return this.setCall(step, { ...facts, ...state }, false);
  }

  /** A new call of a step that is being committed, which stands so. */
  callWithState(step: Pick<Step, 'id'>, call: Call, state: ToolCallState): Call {
    this.put({ put: 'call_state', stepId: step.id, index: call.index, state: { state } });
    return { ...call, state };
  }

  /**
   * A child as it stands now; what it needed before it began goes with its first task. `reuses`: it takes a slot that
   * another one had.
   */
  setChild(child: Child, reuses = false): void {
    const before = this.#changes.get(`child ${child.childId}`);
    const fresh = reuses || (before?.put === 'child' && before.reuses);
    if (child.task.number > 1) this.#dropNeeds(child.childId);
    this.put({ put: 'child', child, reuses: fresh });
    this.#own().set(child.childId, child);
  }

  /** A child as this draft has written it; undefined where it has not. */
  written(childId: number): Child | undefined {
    const change = this.#changes.get(`child ${childId}`);
    return change?.put === 'child' ? change.child : undefined;
  }

  /** A child has no open task any more: `children` holds open tasks alone, and its row stays as it was written last. */
  dropFromOpen(childId: number): void {
    this.#dropNeeds(childId);
    this.#own().delete(childId);
  }

  /** The first task of a child is over: what it needed before that is no longer needed. */
  #dropNeeds(childId: number): void {
    for (const [capability, rows] of this.state.slices)
      for (const row of rows) if (row.childId === childId) this.dropRow(capability, row.id);
  }

  /** The children of this draft alone: copied once, however many of them change. */
  #own(): Map<number, Child> {
    this.#children ??= new Map(this.state.children);
    this.state = { ...this.state, children: this.#children };
    return this.#children;
  }

  settle(step: RepliedStep, call: Call, settlement: Settlement): RepliedStep {
    this.put({ put: 'settlement', stepId: step.id, index: call.index, settlement });
    const { state: _state, ...facts } = call;
    const { answer } = settlement;
    return this.setCall(step, { ...facts, ...(answer ? { answer } : {}), settled: settlement }, false);
  }

  queue(start: QueuedStart): void {
    this.state = { ...this.state, queued: [...this.state.queued, start] };
    this.put({ put: 'queued', start });
  }

  /** A start that waits, in its place, as it is now. */
  setQueued(start: QueuedStart): void {
    const queued = this.state.queued.map((one) => (one.id === start.id ? start : one));
    this.state = { ...this.state, queued };
    this.put({ put: 'queued', start });
  }

  unqueue(start: QueuedStart): void {
    this.state = { ...this.state, queued: this.state.queued.filter(({ id }) => id !== start.id) };
    this.put({ put: 'unqueued', id: start.id });
  }

  /** A row of a capability, new or in place of the one with its id. */
  setRow(capability: string, row: SliceRow): void {
    const rows = [...this.#rowsBut(capability, row.id), row].sort((one, other) => one.id - other.id);
    this.#setSlice(capability, rows);
    this.put({ put: 'row', capability, row });
  }

  dropRow(capability: string, id: number): void {
    this.#setSlice(capability, this.#rowsBut(capability, id));
    this.put({ put: 'no_row', capability, id });
  }

  /** Drops the rows of all capabilities, also of those that this version lacks. */
  dropSlices(): void {
    for (const [capability, rows] of this.state.slices) for (const { id } of rows) this.dropRow(capability, id);
  }

  #rowsBut(capability: string, id: number): SliceRow[] {
    return (this.state.slices.get(capability) ?? []).filter((row) => row.id !== id);
  }

  #setSlice(capability: string, rows: readonly SliceRow[]): void {
    const slices = new Map(this.state.slices);
    if (rows.length > 0) slices.set(capability, rows);
    else slices.delete(capability);
    this.state = { ...this.state, slices };
  }

  addMessage(message: InboundMessage): void {
    this.state = { ...this.state, lastMessage: message.id, inbox: [...this.state.inbox, message] };
    this.put({ put: 'message', message });
  }

  /** A message as it is from here on, whether a step has seen it or not. */
  setMessage(message: InboundMessage): void {
    const inbox = this.state.inbox.map((one) => (one.id === message.id ? message : one));
    this.state = { ...this.state, inbox };
    this.put({ put: 'message', message });
  }

  /** Takes back a message that no step has seen yet; nothing where one has. */
  dropMessage(messageId: string): void {
    const message = this.state.inbox.find((one) => one.messageId === messageId);
    if (message === undefined) return;
    const inbox = this.state.inbox.filter((one) => one !== message);
    // Numbers go on from the last one that is kept, as they do for whoever reads the rows.
    this.state = { ...this.state, inbox, lastMessage: inbox.at(-1)?.id ?? this.state.step?.messagesUpTo ?? 0 };
    this.put({ put: 'no_message', id: message.id });
  }

  spend(usage: Usage): void {
    this.state = { ...this.state, spent: addUsage(this.state.spent, usage) };
  }

  done(): Applied {
    const { state, late } = this;
    const kept = late ? { late } : {};
    const moves = this.#moves.length > 0 ? { moves: this.#moves } : {};
    return { ok: true, state, changes: [...this.#changes.values()], chunks: this.#chunks, ...kept, ...moves };
  }
}

/** A refusal: the event changes nothing, and its sender is told why. */
export function refuse(code: ErrorCode, message?: string, details?: Json): Transition {
  return { ok: false, refused: failure(code, message, undefined, details) };
}
