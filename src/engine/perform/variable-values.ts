/**
 * Where the value of a variable comes from: one way, whoever asks (a body, a check before something begins).
 *
 * Decides: the order in which a variable is looked for.
 * Keeps VR2, SAW12.
 *
 * In this order: what the session was given itself; the `env` of its agent, then of its prompt; what the sessions above it were given, the
 * nearest first; the Worker's variables. A variable that an agent asks for `scoped` is not taken from above it, unless it
 * was given there for the whole child graph (`granted`).
 */

import type { LackedVariables } from '../../core/agent/events';
import type { AgentState, RootLocation } from '../../core/agent/state';
import { declaredVariables, scopedNeeds } from '../../core/definition/children/child-graph';
import type { AgentDefinition } from '../../core/definition/definition';
import type { VariableDefinition } from '../../core/definition/variables';
import type { AgentStore, StoredVariable } from '../../core/ports/agent-store';
import type { Vault } from '../../core/ports/vault';
import { parseAddress } from '../../protocol/address';
import { DATA_LIMITS } from '../../protocol/data-limits';
import { failure, OffshootError } from '../../protocol/errors';
import { type Environment, pause } from '../environment';
import type { VariablesAnswer, VariablesCall } from '../object/object-calls';
import { segmentOf } from '../tree-messages';

/** An object, as far as its variables go. */
interface VariablesObject {
  readonly agent: { readonly state: AgentState } | undefined;
  /** What its session works by now. */
  readonly definition: AgentDefinition;
  readonly store: Pick<AgentStore, 'variable' | 'variableNames' | 'setVariable'>;
  readonly environment: Environment;
  readonly ports: {
    /** That of its class. */
    readonly definition: AgentDefinition;
    readonly vault: Vault;
    askVariables(root: RootLocation, call: VariablesCall): Promise<VariablesAnswer>;
  };
}

/** What a request gives: a value, or null to forget the one that is there. */
export type GivenVariables = Readonly<Record<string, string | null>>;

/** The same, sealed; undefined forgets one. */
export type SealedVariables = ReadonlyMap<string, StoredVariable | undefined>;

/** A parent that was not reached is asked again after these waits, in ms. */
const ASK_AGAIN_MS = [50, 200, 1_000];

/** Secrets that decide on access or seal values: no agent reads them as a variable. */
const KEPT_BACK: ReadonlySet<string> = new Set(['ENCRYPTION_KEY', 'OFFSHOOT_TOKEN', 'OFFSHOOT_SIGNING_KEY']);

/** What the agent of an object asks for under a name: by what it works by now, or by all that its class may work by. */
function declaredAt({ definition, ports }: VariablesObject, name: string): VariableDefinition | undefined {
  return declaredVariables(definition).get(name) ?? declaredVariables(ports.definition).get(name);
}

/** Whether a value that the session was given is one for its own agent. */
const isOwn = (object: VariablesObject, name: string, { granted }: StoredVariable): boolean =>
  granted !== true || declaredAt(object, name) !== undefined;

/** The value of a variable for the agent of an object; undefined where nobody gave one. */
export async function variableOf(
  object: VariablesObject,
  state: AgentState,
  name: string,
): Promise<string | undefined> {
  const own = object.store.variable(name);
  if (own && isOwn(object, name, own)) return object.ports.vault.open(name, own.sealed);
  const brought = broughtBy(object.definition, name);
  if (brought !== undefined) return brought;
  const above = await fromAbove(object, state, name, declaredAt(object, name)?.scoped === true);
  return above === undefined ? workersOwn(object, name) : object.ports.vault.open(name, above);
}

/** What an agent, or its prompt, brings along. */
function broughtBy({ env, prompt }: AgentDefinition, name: string): string | undefined {
  return [env, prompt?.env ?? {}].find((values) => Object.hasOwn(values, name))?.[name];
}

/**
 * What a child graph would lack of the variables that its agents must have of their own, by the way on which they would
 * read them; undefined where nothing. @param given the names that are given with it
 */
export async function lacksOf(
  object: VariablesObject,
  state: AgentState,
  child: AgentDefinition,
  given: ReadonlySet<string> = new Set(),
): Promise<LackedVariables | undefined> {
  const needs = scopedNeeds(child);
  const required = [...new Set(needs.flatMap(({ names }) => names))].sort();
  const there = new Map<string, boolean>();
  for (const name of required) there.set(name, given.has(name) || (await isGranted(object, state, name)));
  const missing = required.filter(
    (name) =>
      !there.get(name) &&
      needs.some(({ definition, names }) => names.includes(name) && broughtBy(definition, name) === undefined),
  );
  return missing.length === 0 ? undefined : { required, missing };
}

/** Whether every agent below has a value of a variable that it asks for scoped: of the Worker, or given for the child graph. */
async function isGranted(object: VariablesObject, state: AgentState, name: string): Promise<boolean> {
  if (workersOwn(object, name) !== undefined || object.store.variable(name)?.granted) return true;
  return (await fromAbove(object, state, name, true)) !== undefined;
}

/** A variable of the Worker, which every agent has. */
function workersOwn({ environment }: VariablesObject, name: string): string | undefined {
  const { bindings } = environment;
  if (KEPT_BACK.has(name) || typeof bindings !== 'object' || bindings === null || !Object.hasOwn(bindings, name))
    return undefined;
  const value: unknown = Reflect.get(bindings, name);
  return typeof value === 'string' ? value : undefined;
}

/** What the sessions above were given, sealed: the root is asked, and the question goes down to the parent. */
async function fromAbove(
  object: VariablesObject,
  { session }: AgentState,
  name: string,
  scoped: boolean,
): Promise<string | undefined> {
  if (session.parent === undefined) return undefined;
  const path = parseAddress(session.parent.address).below.map(segmentOf);
  const answer = await asked(object, { kind: 'variables', path, owner: session.parent.sessionId, name, scoped });
  if (answer.ok) return answer.sealed;
  throw new OffshootError(answer.error.code, answer.error.message);
}

async function asked(object: VariablesObject, call: VariablesCall): Promise<VariablesAnswer> {
  const { root } = object.agent?.state.session ?? {};
  if (root === undefined) throw new TypeError('Only an agent asks for variables.');
  for (const wait of ASK_AGAIN_MS) {
    try {
      return await object.ports.askVariables(root, call);
    } catch (error) {
      object.environment.report(`The variable ${call.name} could not be requested from its parent.`, error);
      await pause(object.environment, wait);
    }
  }
  return object.ports.askVariables(root, call);
}

/** Answers an agent below: the nearest one above it has the word. */
export async function answerVariables(
  object: VariablesObject,
  call: VariablesCall,
  below: (call: VariablesCall) => Promise<VariablesAnswer>,
): Promise<VariablesAnswer> {
  const { agent, store } = object;
  if (agent === undefined || (call.path.length === 0 && agent.state.session.sessionId !== call.owner))
    return { ok: false, error: failure('gone', 'The parent of this agent no longer exists.') };
  if (call.path.length > 0) {
    const answer = await below(call);
    if (!answer.ok || answer.sealed !== undefined || answer.ends) return answer;
  }
  const own = store.variable(call.name);
  const ends = !call.scoped && declaredAt(object, call.name)?.scoped === true;
  // What was given for a child graph is for those that ask for it scoped.
  const fits = own && call.scoped === (own.granted === true);
  return { ok: true, ...(fits ? { sealed: own.sealed } : {}), ...(ends ? { ends } : {}) };
}

/** What a request gives, sealed, before anything is changed for it. @throws OffshootError `no_encryption_key` */
export function sealVariables({ ports }: VariablesObject, given: GivenVariables = {}): SealedVariables {
  const entries = Object.entries(given).map(([name, value]) => {
    const stored = value === null ? undefined : { sealed: ports.vault.seal(name, value) };
    return [name, stored] as const;
  });
  return new Map(entries);
}

/** Keeps what a session was given, in the transaction of the event that it came with. @throws OffshootError `invalid_input` */
export function keepVariables({ store }: VariablesObject, given: SealedVariables): void {
  if (given.size === 0) return;
  for (const [name, value] of given) store.setVariable(name, value);
  if (store.variableNames().length > DATA_LIMITS.maxVariables)
    throw new OffshootError(
      'invalid_input',
      `A session has at most ${DATA_LIMITS.maxVariables} variables: set those that it no longer needs to null.`,
    );
}
