/**
 * The children of an object that live elsewhere: the transport of the placement `remote`. What runs them is brought by the
 * definitions that stand for them (`capabilities/remote`), so an app that has none carries none of it (PK8).
 */

import type { RootLocation } from '../../core/agent/state';
import { agentsBelow } from '../../core/definition/children/child-graph';
import type { AgentDefinition } from '../../core/definition/definition';
import type { AgentStore, RemoteRow } from '../../core/ports/agent-store';
import type { ChildRef, ElsewhereTransport } from '../../core/ports/child-transport';
import { failure } from '../../protocol/errors';
import type { Environment } from '../environment';
import type { ChildCalls } from '../object/object-calls';
import type { RootAnswer, RootRequest } from '../tree-messages';

/** The object whose children they are. */
export interface RemoteParent {
  readonly environment: Environment;
  readonly store: AgentStore;
  /**
   * What the agent knows of those that a way leads to, by the name of the tool or of the companion's agent; `by` is the
   * name of the agent below whose way it is, where that is another one.
   */
  agentBy(way: string, by?: string): AgentDefinition | undefined;
  /** True if a cost limit may count the usage of a remote agent, by the name of its transport. */
  countsMoney(transport: string): boolean;
  /**
   * Keeps for the root that a cleanup is pending. Call it inside a transaction, and after that the function that it returns:
   * that sends it, and resolves once the root has it.
   */
  keepDues(): () => Promise<void>;
  /** @throws where the root was not reached, or its answer was lost */
  askRoot(root: RootLocation, request: RootRequest): Promise<RootAnswer>;
}

/** Makes what runs the children of an object that live elsewhere. */
export type RunsElsewhere = (parent: RemoteParent) => ElsewhereTransport<ChildCalls>;

const BROUGHT = new WeakMap<AgentDefinition, RunsElsewhere>();

/** From now on the definition brings what runs the agents that it stands for. */
export function bringsRunner(definition: AgentDefinition, runs: RunsElsewhere): void {
  BROUGHT.set(definition, runs);
}

/** What the definitions of an agent bring, and of whoever may work for its sessions or below it. */
function broughtBy(definition: AgentDefinition): RunsElsewhere | undefined {
  for (const { relationships } of agentsBelow(definition))
    for (const { placement, child } of relationships) {
      const runs = placement === 'remote' ? BROUGHT.get(child) : undefined;
      if (runs) return runs;
    }
  return undefined;
}

/** The children elsewhere of one object, whatever its definitions bring. */
export class Elsewhere implements ElsewhereTransport<ChildCalls> {
  #runs: ElsewhereTransport<ChildCalls> | undefined;
  /** Whether the store had any when this object came into memory. */
  #found: boolean | undefined;
  #brought: { readonly runs: RunsElsewhere | undefined } | undefined;

  /** @param definition that of the object's class */
  constructor(
    readonly parent: RemoteParent,
    readonly definition: AgentDefinition,
  ) {}

  send<Kind extends keyof ChildCalls>(
    child: ChildRef,
    message: ChildCalls[Kind]['message'] & { readonly kind: Kind },
  ): Promise<ChildCalls[Kind]['answer']> {
    return this.#transport.send<Kind>(child, message);
  }

  remove(child: ChildRef): Promise<void> {
    return this.#transport.remove(child);
  }

  copy(source: ChildRef, child: ChildRef): Promise<boolean> {
    return this.#transport.copy(source, child);
  }

  open(): void {
    this.#found = this.parent.store.remotes().length > 0;
    if (this.#found) this.#transport.open();
  }

  owedAt(): number | undefined {
    return this.#isNeeded() ? this.#transport.owedAt() : undefined;
  }

  /** Whether any agent at or below this one may owe anything elsewhere, by what is defined. */
  get mayOwe(): boolean {
    this.#brought ??= { runs: broughtBy(this.definition) };
    return this.#brought.runs !== undefined;
  }

  leave(by: string): RemoteRow[] {
    return this.#isNeeded() ? this.#transport.leave(by) : [];
  }

  adopt(owed: readonly RemoteRow[]): void {
    this.#found = true;
    this.#transport.adopt(owed);
  }

  paid(): Promise<void> {
    return this.#isNeeded() ? this.#transport.paid() : Promise.resolve();
  }

  stop(): void {
    this.#runs?.stop();
  }

  /** Whoever has none in memory and had none in its store owes nothing. */
  #isNeeded(): boolean {
    this.#found ??= this.parent.store.remotes().length > 0;
    return this.#found || this.#runs !== undefined;
  }

  get #transport(): ElsewhereTransport<ChildCalls> {
    if (this.mayOwe) this.#runs ??= this.#brought?.runs?.(this.parent);
    return this.#runs ?? new NobodyElsewhere(this.parent.store);
  }
}

/** Where a release has no agents elsewhere any more: those of an earlier one are gone, and nothing leads to them (RM9). */
class NobodyElsewhere implements ElsewhereTransport<ChildCalls> {
  constructor(readonly store: AgentStore) {}

  async send<Kind extends keyof ChildCalls>(
    _child: ChildRef,
    message: ChildCalls[Kind]['message'] & { readonly kind: Kind },
  ): Promise<ChildCalls[Kind]['answer']> {
    return this.#answer(message);
  }

  #answer({ kind }: ChildCalls[keyof ChildCalls]['message']) {
    return kind === 'agent'
      ? { answer: 'absent' as const }
      : { ok: false as const, error: failure('subagent_lost', 'Its transport is gone.') };
  }

  async remove({ sessionId }: ChildRef): Promise<void> {
    this.store.dropRemote(sessionId);
  }

  async copy(): Promise<boolean> {
    return false;
  }

  /** What was owed to those that have left cannot be told to anybody. */
  open(): void {
    for (const sessionId of this.store.remotes())
      if (this.store.remote(sessionId)?.is === 'removed') this.store.dropRemote(sessionId);
  }

  owedAt(): undefined {
    return undefined;
  }

  leave(): RemoteRow[] {
    return [];
  }

  adopt(): void {
    // Nobody could be told of it.
  }

  async paid(): Promise<void> {
    // It owes nothing.
  }

  stop(): void {
    // It holds nothing.
  }
}
