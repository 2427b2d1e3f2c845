/**
 * The object that a root is copied into.
 *
 * CP10. Rows come before the session, and nobody is here without one: a copy that is half made answers nothing, and what
 *       was left of it goes before anything else begins here, or when its time is up.
 */
import type { Transition } from '../core/agent/changes';
import type { AgentEvent, NewSession } from '../core/agent/events';
import type { AgentState, RootLocation } from '../core/agent/state';
import { statusOf } from '../core/agent/status';
import type { AgentStore } from '../core/ports/agent-store';
import type { DirectoryPort } from '../core/ports/directory';
import type { FileStore } from '../core/ports/file-store';
import type { ObjectStores } from '../core/ports/object-stores';
import { IDEMPOTENCY_MS } from '../protocol/data-limits';
import { type ErrorCode, failure, failureOf, OffshootError } from '../protocol/errors';
import { mintId } from '../protocol/ids';
import type { Json, JsonObject } from '../protocol/json';
import type { Adoption } from './agent';
import type { Environment } from './environment';
import type { CopyAnswer, CopyAsk, CopyBy, CopyCall } from './object-calls';
import type { RootRuntime } from './root';
import { type ClaimedObject, claimRoot } from './root-claims';

/** A copy of which nothing has come for so long, in ms, is given up. */
export const COPY_SILENCE_MS = 60_000;

const no = (code: ErrorCode, message?: string): CopyAnswer => ({ ok: false, error: failure(code, message) });

/** The object that a copy comes into, as far as copies go. */
export interface CopyTarget extends ClaimedObject {
  readonly agent: { readonly state: AgentState } | undefined;
  readonly tree: Pick<RootRuntime, 'self'> | undefined;
  readonly environment: Environment;
  readonly store: AgentStore;
  readonly ports: ClaimedObject['ports'] & {
    readonly topLevel: RootLocation | undefined;
    readonly stores: ObjectStores;
    readonly files: FileStore;
    arm(time: number): void;
    directory?(): DirectoryPort | undefined;
  };
  newRootSession(facts: Partial<NewSession> & Pick<NewSession, 'tags'>): NewSession;
  create(
    session: NewSession,
    custom: Json,
    event: AgentEvent,
    inTransaction: (state: AgentState) => void,
    begins: { readonly adopts: Adoption },
  ): Promise<Transition>;
}

/** A copy on its way. */
interface Incoming {
  readonly copy: string;
  readonly by: CopyBy;
  /** When something of it came last. */
  heard: number;
}

/** Takes copies into one object. */
export class CopyIn {
  #incoming: Incoming | undefined;
  /** Whether something of a copy may lie here that has no session. */
  #left = false;

  constructor(readonly object: CopyTarget) {}

  /** Whether a copy is on its way, so that nothing else may begin here. */
  get isGoingOn(): boolean {
    const since = this.object.environment.now() - (this.#incoming?.heard ?? Number.NEGATIVE_INFINITY);
    return since < COPY_SILENCE_MS;
  }

  /** There was a store without a session. */
  found(): void {
    this.#left = true;
  }

  /** Removes what was left of a copy, before a session begins here. */
  clear(): void {
    if (!this.#left) return;
    const { store, ports } = this.object;
    store.transaction(() => {
      store.clear();
      ports.files.clear();
    });
    this.#left = false;
    this.#incoming = undefined;
  }

  /** The alarm has come, and nobody is here. */
  async alarm(): Promise<void> {
    if (this.isGoingOn) this.#arm();
    else await this.#wipe();
  }

  async #wipe(): Promise<void> {
    this.clear();
    await this.object.ports.files.sweep();
  }

  async take(call: CopyCall): Promise<CopyAnswer> {
    try {
      return await this.#take(call);
    } catch (error) {
      call.bytes?.cancel().catch(() => undefined);
      if (!(error instanceof OffshootError)) this.object.environment.report('A copy could not be taken in.', error);
      return { ok: false, error: failureOf(error) };
    }
  }

  async #take({ copy, ask, bytes }: CopyCall): Promise<CopyAnswer> {
    if (ask.op === 'begin') return this.#begin(copy, ask.by);
    const incoming = this.#incoming;
    if (incoming?.copy !== copy) return no('superseded', 'What had come of this copy is gone.');
    const { store, ports, environment } = this.object;
    incoming.heard = environment.now();
    this.#arm();
    switch (ask.op) {
      case 'rows':
        store.transaction(() => store.write(ask.rows));
        return { ok: true };
      case 'file':
        if (bytes === undefined) return no('invalid_request', 'The bytes of the file are missing.');
        await ports.files.write(ask.path, bytes, { mediaType: ask.mediaType, size: ask.size });
        incoming.heard = environment.now();
        return { ok: true };
      case 'end':
        return this.#end(incoming, ask);
      case 'drop':
        await this.#wipe();
        return { ok: true };
    }
  }

  async #begin(copy: string, by: CopyBy): Promise<CopyAnswer> {
    const { object } = this;
    const known = await this.#known(by);
    if (known) return known;
    if (this.isGoingOn && this.#incoming?.copy !== copy)
      return no('unavailable', 'Another copy is being made under this name. Ask again in a moment.');
    object.ports.stores.make();
    this.#left = true;
    this.clear();
    // From here on there is something again.
    this.#left = true;
    this.#incoming = { copy, by, heard: object.environment.now() };
    this.#arm();
    return { ok: true };
  }

  /** What there is to say where somebody is here, or was. */
  async #known({ receipt }: CopyBy): Promise<CopyAnswer | undefined> {
    const { store, agent, environment, ports, tree } = this.object;
    const { topLevel } = ports;
    if (topLevel === undefined) return no('not_found');
    if (tree?.self()?.top.removing) return no('unavailable', 'What was under this name is being deleted. Ask again.');
    if (agent === undefined) {
      const isGone = receipt && (await ports.directory?.()?.wasDeleted(topLevel.name, receipt.key));
      return isGone ? no('gone', 'The copy that this key made was deleted. Use a new key for another one.') : undefined;
    }
    const made = receipt && store.receipt(receipt.key, environment.now());
    if (made && made.body === receipt.body) return { ok: true, body: made.answer.body };
    return no('name_taken', `There is an agent at ${agent.state.session.address} already. Choose another name.`);
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
    const session: NewSession = { ...object.newRootSession(names), ...own, ...(copyOf ? { copyOf } : {}) };
    const { environment, store } = object;
    const { address, sessionId } = session;
    const [at, token] = [environment.now(), environment.token()];
    const next = ask.resume
      ? ({ type: 'resume', at, token, runId: mintId('run', token), actor: caller } as const)
      : undefined;
    const from = { address: copyOf?.address ?? '', sessionId: copyOf?.sessionId ?? '' };
    const event = { type: 'copied', at, from, ...(copyOf?.upTo === undefined ? {} : { upTo: copyOf.upTo }) } as const;
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
      .create(session, ask.custom, event, inTransaction, { adopts: { next } })
      .catch((error) => {
        this.#left = true;
        throw error;
      });
    this.#incoming = undefined;
    return created.ok ? { ok: true, body } : { ok: false, error: created.refused };
  }

  #arm(): void {
    this.object.ports.arm(this.object.environment.now() + COPY_SILENCE_MS);
  }
}
