/**
 * The port to the storage of an agent. Everything is synchronous; every adapter passes one contract suite.
 *
 * Keeps SO4, SO12, SO13, SO14.
 */

import type { Json, JsonLike } from '../../protocol/json';
import type { Change } from '../agent/changes';
import type { Child } from '../agent/children/child';
import type { ClassSlots, LastingChildren, VariableRequest } from '../agent/events';
import type { InboundMessage } from '../agent/inbound';
import type { AgentState, CustomBefore, Run, Session, Step } from '../agent/state';
import type { Batch } from '../tree/merge';

/** A remote child, as the capability keeps it that runs it: the rest of the row is its own. */
export interface RemoteRow {
  readonly sessionId: string;
  /** A removed one has no place in its parent any more: its cleanup is pending. */
  readonly is: 'placed' | 'removed';
}

/** A batch that the root has not acknowledged yet, at its position in the outbox. */
export interface OutgoingBatch {
  readonly position: number;
  readonly batch: Omit<Batch, 'sessionId'>;
}

/** What a slot holds or held last. */
export interface SlotRow {
  readonly childId: number;
  readonly generation: number;
  /** The child was released, and the slot may be used again. */
  readonly free: boolean;
}

/** Who did what to an agent. */
export interface AuditEntry {
  /** ms since 1970. */
  readonly at: number;
  /** As the access check named them; `parent` and `offshoot` are the framework's own. */
  readonly actor: string;
  /** What was done: the name of a verb, or of what the framework did. */
  readonly action: string;
  readonly runId?: string;
  readonly detail?: Json;
}

/** What was accepted under an idempotency key. */
export interface Receipt {
  /** A digest of the body. */
  readonly body: string;
  /** The status that HTTP gives, and what was answered. */
  readonly answer: { readonly status: number; readonly body: JsonLike };
}

/** The value of a variable, as it is at rest. */
export interface StoredVariable {
  /** What a `Vault` made of it. */
  readonly sealed: string;
  /** It was given for a whole child graph: each agent below that asks for it scoped has it too. */
  readonly granted?: true;
}

/** Which rows to read: after a key, up to and with a key, at most so many, in order. */
export interface Range {
  readonly after?: number;
  readonly upTo?: number;
  readonly limit?: number;
}

/** The end of a memory that continues behind it. */
export interface MemoryEnd {
  readonly step: number;
  readonly turn: number;
  readonly message: number;
  /** The custom state at that step, where it has changed since. */
  readonly state?: Omit<CustomBefore, 'step'>;
  /** The agent that the session had been handed to by then. */
  readonly active?: string;
  /** That step had no reply yet. */
  readonly unanswered?: true;
}

/** A session that takes over the memory of another one. The functions give each row as the new session keeps it. */
export interface Inheritance {
  readonly session: Session;
  /** Its children; none by default. */
  readonly children?: readonly Child[];
  /** All of the memory by default. */
  readonly end?: MemoryEnd;
  run(run: Run): Run;
  step(step: Step): Step;
  message(message: InboundMessage): InboundMessage;
}

/** What is there when a function returns: no promise. */
export type AtOnce<Result> = Result & (Result extends PromiseLike<unknown> ? never : unknown);

/** The storage of one agent. Values are owned by the caller; nothing returned is changed later. */
export interface AgentStore {
  /** The number of the format in which it keeps what it is given. */
  readonly format: number;
  /** Runs the body in one transaction: all of it is kept, or nothing. A body that returns a promise is refused. */
  transaction<Result>(body: () => AtOnce<Result>): Result;
  /** The state, or undefined where no session was created. */
  load(): AgentState | undefined;
  /**
   * Replaces the session that is there by one that inherits its memory, and returns its state. Everything that was under
   * way, waited or was to be sent is dropped, with all children. Custom state stays. Call it inside a transaction.
   */
  inherit(inheritance: Inheritance): AgentState;
  /** About how many bytes the memory has: runs, steps, results and messages. */
  bytes(): number;
  /** Removes a memory that has no session. Call it inside a transaction. */
  clear(): void;
  /** Creates the session; of the memory that is there already, if there is one. */
  create(state: AgentState): void;
  /** Writes changes; call it inside a transaction. Writing the same change again is harmless. */
  write(changes: readonly Change[]): void;
  /** Keeps a batch until the root has it; a position that is used again is overwritten. */
  keep(batch: OutgoingBatch): void;
  /** The kept batches in order of their first number; acknowledged ones may be among them. */
  outbox(): OutgoingBatch[];
  runs(range: Range): Run[];
  /** Steps with their settled calls, by id. */
  steps(range: Range): Step[];
  messages(range: Range): InboundMessage[];
  /** The custom state before its first change in each step in which it changed, by step. */
  customBefore(range: Range): CustomBefore[];
  /** Entries of the audit; their ids count up. The oldest go when there are more than 10,000. */
  audit(range: Range): (AuditEntry & { readonly id: number })[];
  /** Call it inside the transaction of what it tells of. */
  addAudit(entry: AuditEntry): void;
  /** The slots that a class has free, for the next children of it. */
  slots(className: string): ClassSlots;
  slot(className: string, slot: number): SlotRow | undefined;
  /** The first id that no child ever had. */
  nextChild(): number;
  /** A child that was not released, by its id. */
  child(childId: number): Child | undefined;
  /** The same by its name. */
  named(name: string): Child | undefined;
  /** All of them that were not released. */
  children(): Child[];
  /** Those that have names, by id: at most so many after an id. */
  lastingChildren(page: { readonly after: number; readonly limit: number }): Child[];
  /** How many have names, what one of them is called, and those that may be kept with a run. */
  countLasting(): LastingChildren;
  /** Names that end in `-` and a number that no child ever had: they are somebody's, and not to be given. */
  namesAhead(): string[];
  /** Releases children, so that their slots and names are used again. */
  release(childIds: readonly number[]): void;
  receipt(key: string, now: number): Receipt | undefined;
  /** The keys of all receipts. */
  receiptKeys(now: number): string[];
  /** Remembers an acceptance for `ageMs`; receipts that are past their age are removed. */
  addReceipt(key: string, receipt: Receipt, now: number, ageMs: number): void;
  /** What is kept of a child that lives elsewhere, by its session. */
  remote(sessionId: string): RemoteRow | undefined;
  /** The arguments of its task. */
  remoteInput(sessionId: string): Json | undefined;
  /** Keeps a child in place of what was there, and the arguments where they are given. */
  setRemote(row: RemoteRow, input?: Json): void;
  /** Forgets it. */
  dropRemote(sessionId: string): void;
  /** The sessions of all that are kept. */
  remotes(): string[];
  /** A child that waits for variables, before its time is up. */
  variableRequest(requestId: string, now: number): VariableRequest | undefined;
  /** All of them, in the order of their ids. */
  variableRequests(now: number): VariableRequest[];
  /** The value that the session itself was given. */
  variable(name: string): StoredVariable | undefined;
  /** The names of all of them, in order. */
  variableNames(): string[];
  /** Keeps a value in place of the one before, or none. */
  setVariable(name: string, value: StoredVariable | undefined): void;
}
