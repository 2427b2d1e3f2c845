/**
 * The object that a root, or a companion in an object of its own, is copied into.
 *
 * CP38, CP39. Rows come before the session, and nobody is here without one: a copy that is half made answers nothing, and what
 *       was left of it goes before anything else begins here, or when its time is up.
 * CP14. So does it with those who come along: each has a session before the root has one, and is nobody until then.
 * CP50, CP55. The record of the tree has everybody of the copy of a companion before anything of it comes, and takes what is left
 *       with it; what comes here too late for that goes by the alarm.
 */
import type { Child } from '../../core/agent/children/child';
import type { NewSession } from '../../core/agent/events';
import { statusOf } from '../../core/agent/runs/status';
import { type AgentState, newState, type Session } from '../../core/agent/state';
import { recordBelow } from '../../core/tree/admission';
import { ROOT_ID } from '../../core/tree/node';
import type { ObjectRuntime } from '../../engine/object/object';
import type { CapabilityCall } from '../../engine/object/object-calls';
import { refOf } from '../../engine/root/removal';
import { claimRoot } from '../../engine/root/root-claims';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { type ErrorCode, failure, failureOf, newerFormat, OffshootError } from '../../protocol/errors';
import { mintId } from '../../protocol/ids';
import type { Json, JsonObject } from '../../protocol/json';
import { copyEvent } from './machine';
import type { CopyAnswer, CopyAsk, CopyBy, CopyCall } from './messages';
import { COPY_SILENCE_MS } from './plan';
import { COPIES, type CopiedSession, copyRows, ownSession, UNCONFIRMED } from './source';

const no = (code: ErrorCode, message?: string): CopyAnswer => ({ ok: false, error: failure(code, message) });

/** A copy on its way. */
interface Incoming {
  readonly copy: string;
  readonly by: CopyBy;
  /** The tree that it is for is there, and knows of it. */
  readonly inTree?: true;
  /** When something of it came last. */
  heard: number;
}

/** Takes copies into one object. */
export class CopyIn {
  #incoming: Incoming | undefined;
  /** Whether something of a copy may lie here that has no session. */
  #left = false;
  /** What is being taken here, or by those below. */
  readonly #underWay = new Set<Promise<unknown>>();
  #clearing: Promise<void> | undefined;

  constructor(readonly object: ObjectRuntime) {}

  /** Whether a copy is on its way, so that nothing else may begin here. */
  get isBusy(): boolean {
    if (this.#incoming === undefined) return false;
    const since = this.object.environment.now() - this.#incoming.heard;
    return this.#underWay.size > 0 || since < COPY_SILENCE_MS;
  }

  /** Whether a memory is here, or on its way, that is nobody's yet. The store must have been made. */
  get isOccupied(): boolean {
    const { store, agent } = this.object;
    const first = { limit: 1 };
    if (agent !== undefined) return false;
    if (this.#incoming !== undefined || store.children().length > 0) return true;
    return store.runs(first).length + store.steps(first).length + store.messages(first).length > 0;
  }

  /** There was a store without a session. */
  found(): void {
    this.#left = true;
  }

  /** Removes what was left of a copy, with those who were to come along, before a session begins here. */
  clear(): Promise<void> | undefined {
    return this.#left ? this.#cleared() : undefined;
  }

  #cleared(): Promise<void> {
    this.#incoming = undefined;
    this.#clearing ??= this.#clear().finally(() => {
      this.#clearing = undefined;
    });
    return this.#clearing;
  }

  async #clear(): Promise<void> {
    if (!this.#left) return;
    // What is still on its way down would make again what is removed here.
    await Promise.allSettled(this.#underWay);
    const { store, ports, children } = this.object;
    const tree = ports.stores.tree();
    const nodes = tree.nodes().filter((node) => node.kind === 'child');
    // Facets are removed with the object that they are in; other objects are not.
    const placed = nodes.filter(({ parentId, placement }) => parentId === ROOT_ID || placement === 'object');
    for (const node of placed) await children.remove(refOf(node));
    store.transaction(() => {
      store.clear();
      ports.files.clear();
      tree.removeNodes(nodes.map(({ id }) => id));
    });
    this.#left = false;
  }

  /** The alarm has come, and nobody is here. */
  async alarm(): Promise<void> {
    if (this.isBusy) return this.#arm();
    try {
      await this.#wipe();
    } catch (error) {
      this.object.environment.report('The remains of a copy could not be removed; the alarm tries again.', error);
      this.#arm();
    }
  }

  async #wipe(): Promise<void> {
    // Objects of it wipe themselves, or are in the record of the tree.
    if (this.object.ports.topLevel === undefined) return this.object.ports.erase?.();
    await this.#cleared();
    await this.object.ports.files.sweep();
  }

  async take(call: CapabilityCall): Promise<CopyAnswer> {
    try {
      // Only copies send calls of this name.
      return await this.#take(call as CopyCall);
    } catch (error) {
      call.bytes?.cancel().catch(() => undefined);
      if (!(error instanceof OffshootError)) this.object.environment.report('A copy could not be received.', error);
      return { ok: false, error: failureOf(error) };
    }
  }

  async #take(call: CopyCall): Promise<CopyAnswer> {
    const { copy, way, ask } = call;
    const { topLevel } = this.object.ports;
    // Objects on the way pass calls on to any agent below; the first object must know of the copy.
    if (way.length > 0 && call.passed && topLevel === undefined && this.#incoming?.copy !== copy)
      return this.#pass(call);
    if (ask.op === 'look') return (await this.#known(ask.by)) ?? { ok: true };
    if (ask.op === 'begin') return this.#otherFormat(ask) ?? this.#begin(copy, ask);
    if (ask.op === 'enter' && way.length === 0) return this.#otherFormat(ask) ?? this.#enter(copy, ask.children);
    const incoming = this.#incoming;
    if (incoming?.copy !== copy) return no('superseded', 'The received part of this copy is gone.');
    if (ask.op === 'heard') return way.length > 0 ? this.#pass(call) : this.#heard(incoming);
    this.#hear(incoming);
    if (ask.op === 'end') return this.#end(incoming, ask);
    if (ask.op === 'drop') {
      await this.#wipe();
      return { ok: true };
    }
    const work = way.length > 0 ? this.#pass(call) : this.#write(call);
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
      this.#hear(incoming);
    }
  }

  /** Rows are written as they come, so who sends them must keep them as this object does (CP64). */
  #otherFormat({ format }: { readonly format: number }): CopyAnswer | undefined {
    const own = this.object.store.format;
    if (format === own) return undefined;
    const why = `the copy has format ${format}, but this object uses ${own}. Try again once only one version is deployed.`;
    return { ok: false, error: newerFormat(why).failure };
  }

  #heard({ heard }: Incoming): CopyAnswer {
    return { ok: true, body: this.object.environment.now() - heard };
  }

  #hear(incoming: Incoming): void {
    incoming.heard = this.object.environment.now();
    this.#arm();
  }

  /** To the next one on the way. */
  async #pass(call: CopyCall): Promise<CopyAnswer> {
    const [next, ...way] = call.way;
    const passed: CopyCall = { ...call, way, passed: true };
    return next ? this.object.children.send(next, passed) : no('not_found');
  }

  async #write({ ask, bytes }: CopyCall): Promise<CopyAnswer> {
    const { store, ports } = this.object;
    switch (ask.op) {
      case 'rows':
        store.transaction(() => store.write(ask.rows));
        return { ok: true };
      case 'file':
        if (bytes === undefined) return no('invalid_request', 'The bytes of the file are missing.');
        await ports.files.write(ask.path, this.#heardBytes(bytes), { mediaType: ask.mediaType, size: ask.size });
        return { ok: true };
      case 'rest':
        this.#rest(ask.session, ask.custom);
        this.#incoming = undefined;
        return { ok: true };
      default:
        return no('invalid_request');
    }
  }

  /** Bytes on their way: each piece is heard. */
  #heardBytes(bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const { environment } = this.object;
    const incoming = this.#incoming;
    return bytes.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, to) {
          if (incoming) incoming.heard = environment.now();
          to.enqueue(piece);
        },
      }),
    );
  }

  /**
   * One who comes along with a root: nothing is here, because a try that was given up was removed with everybody below.
   * In a tree that is there (`children`) who has it made removes what is left, and learns here that there is something.
   */
  #enter(copy: string, children: readonly Child[] | undefined): CopyAnswer {
    const { agent, ports, environment, store } = this.object;
    if (agent !== undefined) return no('superseded', 'Another session is in this place.');
    ports.stores.make();
    if (children && this.isOccupied) return no('superseded', 'The remains of a copy are in this place.');
    this.#incoming = { copy, by: { caller: '' }, heard: environment.now(), ...(children ? { inTree: true } : {}) };
    // It is known again by them, also where a crash comes before its first row.
    if (children)
      store.transaction(() => store.write(children.map((child) => ({ put: 'child', child, reuses: false }))));
    this.#arm();
    return { ok: true };
  }

  async #begin(copy: string, { by, session, below }: Extract<CopyAsk, { op: 'begin' }>): Promise<CopyAnswer> {
    const { object } = this;
    const known = await this.#known(by);
    if (known) return known;
    if (this.isBusy && this.#incoming?.copy !== copy)
      return no('unavailable', 'Another copy is being created under this name. Try again in a moment.');
    const { stores } = object.ports;
    stores.make();
    this.#left = true;
    await this.#cleared();
    if (object.agent !== undefined || this.isBusy) return no('superseded');
    const now = object.environment.now();
    // The record comes first: parts of the copy are known from it, and removed by it.
    if (below.length > 0)
      object.store.transaction(() => {
        for (const node of recordBelow(session, below, now)) stores.tree().put(node);
      });
    // From here on there is something again.
    this.#left = true;
    this.#incoming = { copy, by, heard: now };
    this.#arm();
    return { ok: true };
  }

  /** What there is to say where somebody is here, or was. */
  async #known({ receipt }: CopyBy): Promise<CopyAnswer | undefined> {
    const { store, agent, environment, ports, tree } = this.object;
    const { topLevel } = ports;
    if (topLevel === undefined) return no('not_found');
    if (tree?.self()?.top.removing) return no('unavailable', 'The agent under this name is being deleted. Try again.');
    if (agent === undefined) {
      const isGone = receipt && (await ports.directory?.()?.wasDeleted(topLevel.name, receipt.key));
      return isGone ? no('gone', 'The copy that this key made was deleted. Use a new key for another one.') : undefined;
    }
    const made = receipt && store.receipt(receipt.key, environment.now());
    if (made && made.body === receipt.body) return { ok: true, body: made.answer.body };
    return no('name_taken', `An agent already exists at ${agent.state.session.address}. Choose another name.`);
  }

  async #end(incoming: Incoming, ask: Extract<CopyAsk, { op: 'end' }>): Promise<CopyAnswer> {
    const { object } = this;
    const { by } = incoming;
    const { newRoots, caller, receipt } = by;
    const claim = await claimRoot(object, { caller, ...(newRoots ? { newRoots } : {}) });
    if (this.#incoming !== incoming || object.agent !== undefined) return no('superseded');
    const { tags = [], displayName, metadata, copyOf, ...own } = ask.session;
    const names = {
      tags,
      ...(displayName === undefined ? {} : { displayName }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(claim ? { claim } : {}),
    };
    const session: NewSession = { ...object.newRootSession(names), ...own };
    const { environment, store } = object;
    const { address, sessionId } = session;
    const [at, token] = [environment.now(), environment.token()];
    const next = ask.resume
      ? ({ type: 'resume', at, token, runId: mintId('run', token), actor: caller } as const)
      : undefined;
    const from = { address: copyOf?.address ?? '', sessionId: copyOf?.sessionId ?? '' };
    const upTo = copyOf?.upTo === undefined ? {} : { upTo: copyOf.upTo };
    const event = copyEvent(at, { type: 'copied', from, ...upTo });
    let body: JsonObject = { address, streamUrl: `${address}/stream?from=1`, sessionId };
    this.#left = false;
    const inTransaction = (state: AgentState): void => {
      const ofRun = next && state.run ? { runId: state.run.runId } : {};
      body = { ...body, status: statusOf(state), ...ofRun };
      const answer = { body: receipt?.body ?? '', answer: { status: 202, body } };
      if (receipt) store.addReceipt(receipt.key, answer, at, IDEMPOTENCY_MS);
      store.addAudit({ at, actor: caller, action: 'fork', detail: { copyOf: from.address } });
    };
    const created = await object
      .create(session, ask.custom, event, inTransaction, { adopt: (kept) => this.#adopt(kept, ask.custom), next })
      .catch((error) => {
        this.#left = true;
        throw error;
      });
    this.#incoming = undefined;
    return created.ok ? { ok: true, body } : { ok: false, error: created.refused };
  }

  /** The session begins with the memory that has come. */
  #adopt(session: Session, custom: Json): AgentState {
    const { store } = this.object;
    store.create(newState(session, custom));
    const state = store.load();
    if (state === undefined) throw new TypeError('The session was not created.');
    return state;
  }

  /** One who comes along is at rest, with the memory that has come. */
  #rest(asked: CopiedSession, custom: Json): void {
    const { store, environment, ports } = this.object;
    const session = { ...ownSession(asked), createdAt: environment.now() };
    const isUnconfirmed = ports.standsAlone && this.#incoming?.inTree;
    this.object.takeUp('come_along', () => {
      store.create(newState(session, custom));
      if (isUnconfirmed) store.write([{ put: 'row', capability: COPIES, row: UNCONFIRMED }]);
    });
  }

  /** Whether a copy has come here that no tree may know of (CP55). */
  get isUnconfirmed(): boolean {
    const { agent } = this.object;
    return agent !== undefined && copyRows.rows(agent.state).some(({ unconfirmed }) => unconfirmed);
  }

  /** The tree knows of it. */
  confirmed(): void {
    const { agent, environment } = this.object;
    agent?.apply(copyEvent(environment.now(), { type: 'confirmed' }));
  }

  #arm(): void {
    const { ports, environment } = this.object;
    // Agents below a new root are removed with it; facets with the object that they are in.
    const hasAlarm = ports.topLevel !== undefined || (ports.standsAlone && this.#incoming?.inTree);
    if (hasAlarm) ports.arm(environment.now() + COPY_SILENCE_MS);
  }
}
