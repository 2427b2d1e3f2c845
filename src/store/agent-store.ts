/**
 * An agent's store over SQLite.
 *
 * Keeps SO4, B1.
 */
import type { Change } from '../core/agent/changes';
import { type Child, isHeldByCall, isOpen, slotOf } from '../core/agent/children/child';
import type { ClassSlots, LastingChildren, VariableRequest } from '../core/agent/events';
import type { InboundMessage } from '../core/agent/inbound';
import type {
  AgentState,
  Call,
  CustomBefore,
  QueuedStart,
  RepliedStep,
  Run,
  Session,
  Settlement,
  SliceRow,
  Step,
} from '../core/agent/state';
import type {
  AgentStore,
  AtOnce,
  AuditEntry,
  Inheritance,
  OutgoingBatch,
  Range,
  Receipt,
  RemoteRow,
  SlotRow,
  StoredVariable,
} from '../core/ports/agent-store';
import type { Json } from '../protocol/json';
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage';
import * as statement from './agent-statements';
import { HALF_TEXT, Packer } from './long-rows';
import { AGENT_MIGRATIONS } from './migrations';
import { NamedTotal, numberIn } from './named-total';
import { childOf } from './older/child';
import { runOf } from './older/run';
import { Statements } from './statements';
import { type ObjectStorage, transact } from './storage';

/** Calls of one step have keys in a range of their own. */
const CALLS = 4096;

const FIRST_ROW = 1;

/** Entries of the audit that are kept. */
const AUDIT_KEPT = 10_000;

/** Rows of an inherited memory that are held at once. */
const INHERITED_AT_ONCE = 32;

/** Rows that are not inherited: the owners of their long texts begin so. */
const PASSING = ['queued', 'row', 'child', 'outbox', 'receipt'];

/** How an open call stands, as its row has it. */
type CallState = Pick<Call, 'state' | 'answer'>;

/** The adapter of `AgentStore` for a Durable Object's storage, or anything of its shape. */
export class SqlAgentStore implements AgentStore {
  readonly format = AGENT_MIGRATIONS.length;
  readonly #statements: Statements;
  readonly #packer: Packer;
  readonly #named: NamedTotal;

  constructor(readonly storage: ObjectStorage) {
    this.#statements = new Statements(storage);
    this.#packer = new Packer(this.#statements);
    this.#named = new NamedTotal(
      this.#statements,
      () => this.nextChild(),
      (data) => childOf(this.#packer.read(data)),
    );
  }

  transaction<Result>(body: () => AtOnce<Result>): Result {
    return transact(this.storage, body);
  }

  load(): AgentState | undefined {
    const [head] = this.#statements.all<{ data: string; custom: string }>(statement.GET_SESSION);
    if (head === undefined) return undefined;
    const [run] = this.#records<Run>(statement.LAST_RUNS, 1).map(runOf);
    const [lastStep] = this.#records<Step>(statement.LAST_STEPS, 1);
    const step = lastStep === undefined ? undefined : this.#joined(lastStep);
    const inbox = this.messages({ after: step?.messagesUpTo ?? 0 });
    return {
      session: this.#packer.read<Session>(head.data),
      custom: this.#packer.read<Json>(head.custom),
      ...(run === undefined ? {} : { run }),
      ...(step === undefined ? {} : { step }),
      lastMessage: inbox.at(-1)?.id ?? step?.messagesUpTo ?? 0,
      inbox,
      children: this.#openChildren(step),
      queued: this.#records<QueuedStart>(statement.QUEUED),
      slices: this.#slices(),
      spent: spentOf(step),
    };
  }

  inherit(heir: Inheritance): AgentState {
    this.#dropPassing(heir);
    for (const run of this.#eachPage(
      (range) => this.runs(range),
      ({ turn }) => turn,
    ))
      this.#write({ put: 'run', run: heir.run(run) });
    for (const step of this.#eachPage(
      (range) => this.steps(range),
      ({ id }) => id,
    ))
      this.#writeInheritedStep(heir.step(step));
    for (const message of this.#eachPage(
      (range) => this.messages(range),
      ({ id }) => id,
    ))
      this.#statements.run(
        statement.SET_MESSAGE,
        this.#text(`message ${message.id}`, heir.message(message)),
        message.id,
      );
    const [head] = this.#statements.all<{ data: string }>(statement.GET_SESSION);
    const then = heir.end?.state;
    if (then) this.#write({ put: 'custom', custom: then.custom });
    const before = head && this.#packer.read<Session>(head.data);
    const customStep = then?.changed ?? before?.customStep;
    const { active } = heir.end ?? before ?? {};
    const session = {
      ...heir.session,
      ...(customStep ? { customStep } : {}),
      ...(active === undefined ? {} : { active }),
    };
    this.#write({ put: 'session', session });
    for (const child of heir.children ?? []) this.#writeChild(child, false);
    const state = this.load();
    if (state === undefined) throw new TypeError('There is no memory here to inherit.');
    return state;
  }

  /** Removes rows that are not inherited, and those behind the end of the memory. */
  #dropPassing({ end: cut }: Inheritance): void {
    const [latest] = this.#records<Step>(statement.LAST_STEPS, 1);
    // What no step has seen waits for the original.
    const message = cut?.message ?? latest?.messagesUpTo ?? 0;
    // A step that had no reply yet had no calls.
    const calls = (cut?.step ?? 0) + (cut?.unanswered ? 0 : 1);
    const last: { readonly [table: string]: number } = cut
      ? { step: cut.step, settlement: calls * CALLS - 1, before: cut.step, run: cut.turn, message }
      : { message };
    for (const { owner } of this.#statements.all<{ owner: string }>(statement.LONG_OWNERS)) {
      const [table = '', key] = owner.split(' ');
      if (PASSING.includes(table) || Number(key) > (last[table] ?? Number.POSITIVE_INFINITY)) this.#packer.drop(owner);
    }
    for (const text of statement.DROP_PASSING) this.#statements.run(text);
    for (const [table, text] of Object.entries(statement.DROP_BEHIND)) {
      const key = last[table];
      if (key !== undefined) this.#statements.run(text, key);
    }
  }

  #writeInheritedStep(step: Step): void {
    this.#write({ put: 'step', step });
    for (const { index, settled } of step.phase === 'calls' ? step.calls : [])
      if (settled) this.#write({ put: 'settlement', stepId: step.id, index, settlement: settled });
  }

  /** All rows, some at a time. */
  *#eachPage<Row>(read: (range: Range) => Row[], keyOf: (row: Row) => number): Generator<Row> {
    for (let after = 0; ; ) {
      const rows = read({ after, limit: INHERITED_AT_ONCE });
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < INHERITED_AT_ONCE) return;
      after = keyOf(last);
    }
  }

  bytes(): number {
    return statement.SIZES.reduce(
      (sum, text) => sum + (this.#statements.all<{ bytes: number }>(text)[0]?.bytes ?? 0),
      0,
    );
  }

  clear(): void {
    for (const text of statement.CLEAR) this.#statements.run(text);
    this.#named.drop();
  }

  create(state: AgentState): void {
    this.#statements.run(
      statement.PUT_SESSION,
      FIRST_ROW,
      this.#half('session', state.session),
      this.#half('custom', state.custom),
    );
  }

  write(changes: readonly Change[]): void {
    for (const change of changes) this.#write(change);
  }

  #write(change: Change): void {
    const run = (text: string, ...values: (string | number)[]) => this.#statements.run(text, ...values);
    switch (change.put) {
      case 'session':
        return run(statement.SET_SESSION, this.#half('session', change.session));
      case 'custom':
        return run(statement.SET_CUSTOM, this.#half('custom', change.custom));
      case 'custom_before': {
        const { step } = change.before;
        return run(statement.PUT_SETTLEMENT, -step, this.#text(`before ${step}`, change.before));
      }
      case 'run': {
        const { turn } = change.run;
        return run(statement.PUT_RUN, turn, this.#text(`run ${turn}`, change.run));
      }
      case 'step': {
        const { id, turn } = change.step;
        return run(statement.PUT_STEP, id, turn, this.#text(`step ${id}`, unjoined(change.step)));
      }
      case 'call_state':
      case 'settlement': {
        const key = change.stepId * CALLS + change.index;
        const record = change.put === 'call_state' ? change.state : change.settlement;
        return run(statement.PUT_SETTLEMENT, key, this.#text(`settlement ${key}`, record));
      }
      case 'queued': {
        const { id } = change.start;
        return run(statement.PUT_QUEUED, id, this.#text(`queued ${id}`, change.start));
      }
      case 'unqueued':
        this.#packer.drop(`queued ${change.id}`);
        return run(statement.DROP_QUEUED, change.id);
      case 'row': {
        const { capability, row } = change;
        return run(statement.PUT_ROW, capability, row.id, this.#text(`row ${capability} ${row.id}`, row));
      }
      case 'no_row': {
        const { capability, id } = change;
        this.#packer.drop(`row ${capability} ${id}`);
        return run(statement.DROP_ROW, capability, id);
      }
      case 'message': {
        const { id } = change.message;
        return run(statement.PUT_MESSAGE, id, this.#text(`message ${id}`, change.message));
      }
      case 'no_message':
        this.#packer.drop(`message ${change.id}`);
        return run(statement.DROP_MESSAGE, change.id);
      case 'variable_request': {
        const { requestId, at, expiresAt } = change.request;
        const key = requestKey(requestId);
        run(statement.DROP_RECEIPTS, at);
        return run(statement.PUT_RECEIPT, key, '', this.#text(`receipt ${key}`, change.request), expiresAt);
      }
      case 'no_variable_request': {
        const key = requestKey(change.requestId);
        this.#packer.drop(`receipt ${key}`);
        return run(statement.DROP_RECEIPT, key);
      }
      case 'child':
        return this.#writeChild(change.child, change.reuses);
    }
  }

  #writeChild(child: Child, reuses: boolean): void {
    const { childId, placement, name = null } = child;
    const { className } = placement;
    const { slot = null, generation = null } = slotOf(placement) ?? {};
    if (reuses) this.#statements.run(statement.DROP_SLOT, className, slot, FREE);
    const data = this.#text(`child ${childId}`, child);
    const before = name === null ? undefined : this.#named.row(childId);
    this.#statements.run(statement.PUT_CHILD, childId, className, slot, generation, name, stepOf(child), TAKEN, data);
    if (name !== null) this.#named.changed(before, this.#named.row(childId));
  }

  keep({ position, batch }: OutgoingBatch): void {
    this.#statements.run(statement.PUT_BATCH, position, batch.first, this.#text(`outbox ${position}`, batch));
  }

  outbox(): OutgoingBatch[] {
    const rows = this.#statements.all<{ position: number; first: number; data: string }>(statement.BATCHES);
    return rows.map((row) => ({ position: row.position, batch: this.#packer.read<OutgoingBatch['batch']>(row.data) }));
  }

  runs(range: Range): Run[] {
    return this.#records<Run>(statement.RUNS, ...bindings(range)).map(runOf);
  }

  steps(range: Range): Step[] {
    return this.#records<Step>(statement.STEPS, ...bindings(range)).map((step) => this.#joined(step));
  }

  messages(range: Range): InboundMessage[] {
    return this.#records<InboundMessage>(statement.MESSAGES, ...bindings(range));
  }

  customBefore({ after = 0, upTo = Number.MAX_SAFE_INTEGER, limit = -1 }: Range): CustomBefore[] {
    return this.#records<CustomBefore>(statement.CUSTOM_BEFORE, -after, -upTo, limit);
  }

  audit(range: Range): (AuditEntry & { id: number })[] {
    return this.#statements
      .all<{ id: number; data: string }>(statement.AUDIT, ...bindings(range))
      .map(({ id, data }) => ({ id, ...this.#packer.read<AuditEntry>(data) }));
  }

  addAudit(entry: AuditEntry): void {
    this.#statements.run(statement.PUT_AUDIT, JSON.stringify(entry));
    this.#statements.run(statement.TRIM_AUDIT, AUDIT_KEPT);
  }

  slots(className: string): ClassSlots {
    const [top] = this.#statements.all<{ slot: number | null }>(statement.TOP_SLOT, className);
    const free = this.#statements.all<{ slot: number; generation: number }>(statement.FREE_SLOTS, className, FREE);
    return { free, next: (top?.slot ?? 0) + 1 };
  }

  slot(className: string, slot: number): SlotRow | undefined {
    const [row] = this.#statements.all<{ id: number; generation: number; free: number }>(
      statement.GET_SLOT,
      className,
      slot,
    );
    return row && { childId: row.id, generation: row.generation, free: row.free === FREE };
  }

  nextChild(): number {
    const [last] = this.#statements.all<{ id: number | null }>(statement.LAST_CHILD);
    return (last?.id ?? 0) + 1;
  }

  child(childId: number): Child | undefined {
    return this.#children(statement.GET_CHILD, childId, TAKEN)[0];
  }

  named(name: string): Child | undefined {
    return this.#children(statement.NAMED_CHILD, name)[0];
  }

  children(): Child[] {
    return this.#children(statement.CHILDREN, TAKEN);
  }

  lastingChildren({ after, limit }: { after: number; limit: number }): Child[] {
    return this.#children(statement.LASTING_CHILDREN, after, TAKEN, limit);
  }

  countLasting(): LastingChildren {
    const { count, ended = 0, ofRun } = this.#named.get();
    // Where all are kept with runs, or ended, there is none to look for.
    const [example] =
      count > ofRun.length + ended ? this.#statements.all<{ name: string }>(statement.LASTING_EXAMPLE, TAKEN, 1) : [];
    return {
      count,
      ...(ended > 0 ? { ended } : {}),
      ...(example === undefined ? {} : { example: example.name }),
      ...(ofRun.length > 0 ? { ofRun: ofRun.map(({ id: _id, ...kept }) => kept) } : {}),
    };
  }

  namesAhead(): string[] {
    const next = this.nextChild();
    return this.#named.get().ahead.filter((name) => numberIn(name) >= next);
  }

  release(childIds: readonly number[]): void {
    for (const childId of childIds) {
      const before = this.#named.row(childId);
      this.#packer.drop(`child ${childId}`);
      this.#statements.run(statement.FREE_CHILD, FREE, '', childId);
      if (before) this.#named.changed(before, undefined);
    }
  }

  /** The children whose task is open. That of a call has ended with the result of the call, which is no row of the child. */
  #openChildren(step: Step | undefined): Map<number, Child> {
    const settled = new Set(
      step?.phase === 'calls' ? step.calls.filter((call) => call.settled).map(({ callId }) => callId) : [],
    );
    const open = this.#children(statement.OPEN_CHILDREN, TAKEN, step?.id ?? -1);
    return new Map(
      open
        .filter((child) => !isHeldByCall(child.task) || !settled.has(child.task.callId))
        .map((child) => [child.childId, child]),
    );
  }

  /** The rows of capabilities, by the names of those. */
  #slices(): Map<string, SliceRow[]> {
    const slices = new Map<string, SliceRow[]>();
    for (const { capability, data } of this.#statements.all<{ capability: string; data: string }>(statement.ROWS)) {
      const row = this.#packer.read<SliceRow>(data);
      const rows = slices.get(capability);
      if (rows) rows.push(row);
      else slices.set(capability, [row]);
    }
    return slices;
  }

  receipt(key: string, now: number): Receipt | undefined {
    const [row] = this.#statements.all<{ body: string; answer: string }>(statement.GET_RECEIPT, key, now);
    return row === undefined ? undefined : { body: row.body, answer: this.#packer.read<Receipt['answer']>(row.answer) };
  }

  receiptKeys(now: number): string[] {
    return this.#statements.all<{ key: string }>(statement.RECEIPT_KEYS, now).map(({ key }) => key);
  }

  addReceipt(key: string, receipt: Receipt, now: number, ageMs: number): void {
    this.#statements.run(statement.DROP_RECEIPTS, now);
    this.#statements.run(
      statement.PUT_RECEIPT,
      key,
      receipt.body,
      this.#text(`receipt ${key}`, receipt.answer),
      now + ageMs,
    );
  }

  remote(sessionId: string): RemoteRow | undefined {
    return this.#lasting<RemoteRow>(remoteKey(sessionId));
  }

  remoteInput(sessionId: string): Json | undefined {
    return this.#lasting<Json>(remoteKey(sessionId, 'input'));
  }

  setRemote(row: RemoteRow, input?: Json): void {
    const put = (key: string, value: unknown) =>
      this.#statements.run(statement.PUT_RECEIPT, key, '', this.#text(`receipt ${key}`, value), FOREVER);
    put(remoteKey(row.sessionId), row);
    if (input !== undefined) put(remoteKey(row.sessionId, 'input'), input);
  }

  dropRemote(sessionId: string): void {
    for (const key of [remoteKey(sessionId), remoteKey(sessionId, 'input')]) {
      this.#packer.drop(`receipt ${key}`);
      this.#statements.run(statement.DROP_RECEIPT, key);
    }
  }

  remotes(): string[] {
    return this.#statements.all<{ key: string }>(statement.RECEIPT_KEYS, FOREVER - 1).flatMap(({ key }) => {
      const [, sessionId, part]: unknown[] = JSON.parse(key);
      return typeof sessionId === 'string' && part === undefined ? [sessionId] : [];
    });
  }

  #lasting<Value>(key: string): Value | undefined {
    const [row] = this.#statements.all<{ answer: string }>(statement.GET_RECEIPT, key, FOREVER - 1);
    return row && this.#packer.read<Value>(row.answer);
  }

  variableRequest(requestId: string, now: number): VariableRequest | undefined {
    const [row] = this.#statements.all<{ answer: string }>(statement.GET_RECEIPT, requestKey(requestId), now);
    return row && this.#packer.read<VariableRequest>(row.answer);
  }

  variableRequests(now: number): VariableRequest[] {
    const first = requestKey('').slice(0, -2);
    const rows = this.#statements.all<{ answer: string }>(statement.RECEIPTS_BETWEEN, first, `${first}\uffff`, now);
    return rows.map(({ answer }) => this.#packer.read<VariableRequest>(answer));
  }

  variable(name: string): StoredVariable | undefined {
    return this.#records<StoredVariable>(statement.GET_VARIABLE, name)[0];
  }

  variableNames(): string[] {
    return this.#statements.all<{ name: string }>(statement.VARIABLE_NAMES).map(({ name }) => name);
  }

  setVariable(name: string, value: StoredVariable | undefined): void {
    if (value === undefined) this.#statements.run(statement.DROP_VARIABLE, name);
    else this.#statements.run(statement.PUT_VARIABLE, name, JSON.stringify(value));
  }

  #joined(step: Step): Step {
    if (step.phase !== 'calls' || step.calls.length === 0) return step;
    const from = step.id * CALLS;
    const rows = this.#statements.all<{ key: number; data: string }>(statement.SETTLEMENTS, from - 1, from + CALLS - 1);
    const known = new Map(rows.map((row) => [row.key - from, this.#packer.read<Settlement | CallState>(row.data)]));
    const calls = step.calls.map((call) => {
      const row = known.get(call.index);
      if (row === undefined) return call;
      if (!('result' in row)) return { ...call, ...row };
      return { ...call, ...(row.answer ? { answer: row.answer } : {}), settled: row };
    });
    return { ...step, calls };
  }

  #children(text: string, ...values: (string | number)[]): Child[] {
    return this.#records<Child>(text, ...values).map(childOf);
  }

  #records<Record>(text: string, ...values: (string | number)[]): Record[] {
    return this.#statements.all<{ data: string }>(text, ...values).map((row) => this.#packer.read<Record>(row.data));
  }

  #text(owner: string, value: unknown): string {
    return this.#packer.pack(owner, JSON.stringify(value));
  }

  /** For the row of the session, which holds two texts. */
  #half(owner: string, value: unknown): string {
    return this.#packer.pack(owner, JSON.stringify(value), HALF_TEXT);
  }
}

/** Children that wait for variables are kept among the receipts, which have a time. */
const requestKey = (requestId: string): string => JSON.stringify(['variables', requestId]);

/** So are those that live elsewhere, which have none: nothing else is kept for ever. */
const FOREVER = Number.MAX_SAFE_INTEGER;
const remoteKey = (...parts: string[]): string => JSON.stringify(['remote', ...parts]);

const TAKEN = 0;
const FREE = 1;

/** Which step awaits the open task of a child: 0 for none, null where no task is open. */
function stepOf(child: Child): number | null {
  if (!isOpen(child)) return null;
  return isHeldByCall(child.task) ? child.task.stepId : 0;
}

function bindings({ after, upTo, limit }: Range): [number, number, number] {
  return [after ?? 0, upTo ?? Number.MAX_SAFE_INTEGER, limit ?? -1];
}

function unjoined(step: Step): Step {
  if (step.phase !== 'calls') return step;
  const calls = step.calls.map(({ settled: _settled, state: _state, answer: _answer, ...call }) => call);
  return { ...step, calls } satisfies RepliedStep;
}

/** What was spent up to now: up to the step's last commit, and by the tools that have ended since. */
function spentOf(step: Step | undefined): Usage {
  if (step === undefined) return NO_USAGE;
  if (step.phase !== 'calls') return step.spent;
  return step.calls.reduce((sum, { plan, settled }) => {
    if (plan.kind !== 'tool' || settled?.usage === undefined) return sum;
    return addUsage(sum, { ...NO_USAGE, ...settled.usage });
  }, step.spent);
}
