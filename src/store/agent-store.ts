/** An agent's store over SQLite. */
import { and, asc, count, desc, eq, gt, inArray, lt, lte, max } from 'drizzle-orm';
import type { Change } from '../core/changes';
import type { SlotFacts } from '../core/events';
import type { Json } from '../core/json';
import type { AgentState, Call, InboundMessage, RepliedStep, Run, Session, Settlement, Step } from '../core/state';
import type { AgentStore, ChildSlot, OutgoingBatch, Range, Receipt } from '../core/store';
import { addUsage, NO_USAGE } from '../core/usage';
import { Packer } from './pack';
import * as table from './schema/agent';
import { type Database, databaseOf, type ObjectStorage, transact } from './storage';

/** Calls of one step have keys in a range of their own. */
const CALLS = 4096;

const FIRST_ROW = 1;

/** The adapter of `AgentStore` for a Durable Object's storage, or anything of its shape. */
export class SqlAgentStore implements AgentStore {
  readonly #database: Database;
  readonly #packer: Packer;

  constructor(readonly storage: ObjectStorage) {
    this.#database = databaseOf(storage);
    this.#packer = new Packer(this.#database);
  }

  transaction<Result>(body: () => Result): Result {
    return transact(this.storage, body as () => Result extends PromiseLike<unknown> ? never : Result);
  }

  load(): AgentState | undefined {
    const [head] = this.#database.select().from(table.session).all();
    if (head === undefined) return undefined;
    const [lastRun] = this.#database.select().from(table.runs).orderBy(desc(table.runs.turn)).limit(1).all();
    const [lastStep] = this.#database.select().from(table.steps).orderBy(desc(table.steps.id)).limit(1).all();
    const step = lastStep === undefined ? undefined : this.#joined([lastStep])[0];
    const inbox = this.messages({ after: step?.messagesUpTo ?? 0 });
    return {
      session: this.#read<Session>(head.data),
      custom: this.#read<Json>(head.custom),
      ...(lastRun === undefined ? {} : { run: this.#read<Run>(lastRun.data) }),
      ...(step === undefined ? {} : { step }),
      lastMessage: inbox.at(-1)?.id ?? step?.messagesUpTo ?? 0,
      inbox,
      spent: spentOf(step),
    };
  }

  create(state: AgentState): void {
    const data = this.#text('session', state.session);
    this.#database.insert(table.session).values({ id: FIRST_ROW, data, custom: this.#text('custom', state.custom) }).run();
  }

  write(changes: readonly Change[]): void {
    for (const change of changes) this.#write(change);
  }

  #write(change: Change): void {
    const database = this.#database;
    switch (change.put) {
      case 'custom': {
        database.update(table.session).set({ custom: this.#text('custom', change.custom) }).run();
        return;
      }
      case 'run': {
        const data = this.#text(`run ${change.run.turn}`, change.run);
        database.insert(table.runs).values({ turn: change.run.turn, data }).onConflictDoUpdate({ target: table.runs.turn, set: { data } }).run();
        return;
      }
      case 'step': {
        const { step } = change;
        const data = this.#text(`step ${step.id}`, unjoined(step));
        database.insert(table.steps).values({ id: step.id, turn: step.turn, data }).onConflictDoUpdate({ target: table.steps.id, set: { data } }).run();
        return;
      }
      case 'settlement': {
        const key = change.stepId * CALLS + change.index;
        const data = this.#text(`settlement ${key}`, change.settlement);
        database.insert(table.settlements).values({ key, data }).onConflictDoNothing().run();
        return;
      }
      case 'message': {
        const { id } = change.message;
        database.insert(table.messages).values({ id, data: this.#text(`message ${id}`, change.message) }).onConflictDoNothing().run();
        return;
      }
      case 'child':
        return this.#writeChild(change.call, change.stepId);
    }
  }

  #writeChild(call: Call, stepId: number): void {
    if (call.plan.kind !== 'child') return;
    const { className, slot, generation, sessionId } = call.plan;
    const facts = { generation, sessionId, callId: call.callId, stepId, free: false };
    this.#database
      .insert(table.children)
      .values({ className, slot, ...facts })
      .onConflictDoUpdate({ target: [table.children.className, table.children.slot], set: facts })
      .run();
  }

  keep({ place, batch }: OutgoingBatch): void {
    const row = { first: batch.first, data: this.#text(`outbox ${place}`, batch) };
    this.#database.insert(table.outbox).values({ place, ...row }).onConflictDoUpdate({ target: table.outbox.place, set: row }).run();
  }

  outbox(): OutgoingBatch[] {
    const rows = this.#database.select().from(table.outbox).orderBy(asc(table.outbox.first)).all();
    return rows.map((row) => ({ place: row.place, batch: this.#read<OutgoingBatch['batch']>(row.data) }));
  }

  runs({ after, upTo, limit }: Range): Run[] {
    const where = and(gt(table.runs.turn, after ?? 0), upTo === undefined ? undefined : lte(table.runs.turn, upTo));
    const rows = this.#database.select().from(table.runs).where(where).orderBy(asc(table.runs.turn)).limit(limit ?? -1).all();
    return rows.map((row) => this.#read<Run>(row.data));
  }

  steps({ after, upTo, limit }: Range): Step[] {
    const where = and(gt(table.steps.id, after ?? 0), upTo === undefined ? undefined : lte(table.steps.id, upTo));
    return this.#joined(this.#database.select().from(table.steps).where(where).orderBy(asc(table.steps.id)).limit(limit ?? -1).all());
  }

  messages({ after, upTo, limit }: Range): InboundMessage[] {
    const where = and(gt(table.messages.id, after ?? 0), upTo === undefined ? undefined : lte(table.messages.id, upTo));
    const rows = this.#database.select().from(table.messages).where(where).orderBy(asc(table.messages.id)).limit(limit ?? -1).all();
    return rows.map((row) => this.#read<InboundMessage>(row.data));
  }

  slots(className: string): SlotFacts {
    const ofClass = eq(table.children.className, className);
    const [top] = this.#database.select({ slot: max(table.children.slot), all: count() }).from(table.children).where(ofClass).all();
    const free = this.#database
      .select({ slot: table.children.slot, generation: table.children.generation })
      .from(table.children)
      .where(and(ofClass, eq(table.children.free, true)))
      .orderBy(asc(table.children.slot))
      .all();
    return { free, next: (top?.slot ?? 0) + 1 };
  }

  child(className: string, slot: number): ChildSlot | undefined {
    const where = and(eq(table.children.className, className), eq(table.children.slot, slot));
    return this.#database.select().from(table.children).where(where).all()[0];
  }

  children(): ChildSlot[] {
    return this.#database.select().from(table.children).where(eq(table.children.free, false)).all();
  }

  release(sessionIds: readonly string[]): void {
    for (let from = 0; from < sessionIds.length; from += 50) {
      const some = inArray(table.children.sessionId, sessionIds.slice(from, from + 50));
      this.#database.update(table.children).set({ free: true }).where(some).run();
    }
  }

  receipt(key: string, now: number): Receipt | undefined {
    const where = and(eq(table.receipts.key, key), gt(table.receipts.expiresAt, now));
    const [row] = this.#database.select().from(table.receipts).where(where).all();
    return row === undefined ? undefined : { body: row.body, answer: this.#read<Json>(row.answer) };
  }

  addReceipt(key: string, receipt: Receipt, now: number, ageMs: number): void {
    const row = { body: receipt.body, answer: this.#text(`receipt ${key}`, receipt.answer), expiresAt: now + ageMs };
    this.#database.delete(table.receipts).where(lt(table.receipts.expiresAt, now)).run();
    this.#database.insert(table.receipts).values({ key, ...row }).onConflictDoUpdate({ target: table.receipts.key, set: row }).run();
  }

  #joined(rows: readonly { id: number; data: string }[]): Step[] {
    return rows.map((row) => {
      const step = this.#read<Step>(row.data);
      if (step.phase !== 'calls' || step.calls.length === 0) return step;
      const settled = this.#settlements(step.id);
      return {
        ...step,
        calls: step.calls.map((call) => {
          const settlement = settled.get(call.index);
          return settlement ? { ...call, settled: settlement } : call;
        }),
      };
    });
  }

  #settlements(stepId: number): Map<number, Settlement> {
    const where = and(gt(table.settlements.key, stepId * CALLS - 1), lt(table.settlements.key, (stepId + 1) * CALLS));
    const rows = this.#database.select().from(table.settlements).where(where).all();
    return new Map(rows.map((row) => [row.key - stepId * CALLS, this.#read<Settlement>(row.data)]));
  }

  #text(owner: string, value: unknown): string {
    return this.#packer.pack(owner, JSON.stringify(value));
  }

  #read<Value>(text: string): Value {
    return JSON.parse(this.#packer.unpack(text)) as Value;
  }
}

function unjoined(step: Step): Step {
  if (step.phase !== 'calls') return step;
  const calls = step.calls.map(({ settled: _settled, ...call }) => call);
  return { ...step, calls } satisfies RepliedStep;
}

/** What was spent up to now: up to the step's last commit, and by the tools that have ended since. */
function spentOf(step: Step | undefined) {
  if (step === undefined) return NO_USAGE;
  if (step.phase !== 'calls') return step.spent;
  return step.calls.reduce((sum, { plan, settled }) => {
    if (plan.kind !== 'tool' || settled === undefined) return sum;
    return addUsage(sum, { ...NO_USAGE, ...settled.usage });
  }, step.spent);
}
