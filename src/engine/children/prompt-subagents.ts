/**
 * What the engine adds to a step for the sub-agents of a prompt: which are switched on, and who of them there is.
 *
 * Decides: which values turn a sub-agent on.
 * Keeps SA22, SA23, SA50.
 */

import type { Child } from '../../core/agent/children/child';
import type { Effect } from '../../core/agent/owed-effects';
import type { Seat } from '../../core/agent/seat';
import { immediateCycle, immediatesOf } from '../../core/agent/standard-agents/subagent-call';
import { type RegisteredChild, registryMessage, registryOf } from '../../core/agent/standard-agents/subagent-registry';
import type { AgentStore } from '../../core/ports/agent-store';
import { failure } from '../../protocol/errors';
import type { Message } from '../../protocol/messages';
import type { ModelAgent } from '../perform/performer';
import { lackingOf } from './missing-variables';
import { classesWithSlots, knownChildren } from './own-children';

/** One whose prompt begins. */
type ActivatingAgent = Pick<ModelAgent, 'environment' | 'state' | 'seat' | 'apply' | 'deps'>;

/** What turns a sub-agent on that is `optional`, whatever its case. */
const ON = ['true', '1', 'yes'];

/** Whether the value of its variable turns a sub-agent on. */
export const isOn = (value: unknown): boolean => typeof value === 'string' && ON.includes(value.trim().toLowerCase());

/** All children with names: there may be more than `maxCompanions`, which was larger once, or some are about to be removed. */
export function namedChildren(store: Pick<AgentStore, 'countLasting' | 'lastingChildren'>): Child[] {
  return store.lastingChildren({ after: 0, limit: store.countLasting().count });
}

/** The agents of those entries that are switched off now. */
export async function switchedOff(agent: SwitchingAgent, { definition }: Seat): Promise<string[]> {
  const off: string[] = [];
  for (const { name, config } of definition.subagents) {
    const variable = (config.optional ?? '').trim();
    if (variable !== '' && !isOn(await readSwitch(agent, variable))) off.push(name);
  }
  return off;
}

type SwitchingAgent = Pick<ModelAgent, 'environment' | 'state'> & {
  readonly deps: Pick<ModelAgent['deps'], 'variable'>;
};

/** The value of a variable; one that cannot be read turns nothing on. */
async function readSwitch({ environment, state, deps }: SwitchingAgent, name: string): Promise<string | undefined> {
  try {
    return await deps.variable(state, name);
  } catch (error) {
    environment.report(`The variable ${name} could not be read: the sub-agents that it switches on are off.`, error);
    return undefined;
  }
}

/** The registry as a step has it; nothing is read where an agent can have none. */
export function registryFor({ state, deps: { store } }: ModelAgent, seat: Seat): readonly RegisteredChild[] {
  if (seat.definition.subagents.length === 0 && !seat.session.inherits?.any) return [];
  return registryOf({ state, written: () => undefined }, namedChildren(store));
}

/** The messages of a request with what its model is told of the registry, before the conversation. */
export function withRegistry(messages: readonly Message[], registry: readonly RegisteredChild[]): readonly Message[] {
  const content = registryMessage(registry);
  return content === undefined ? messages : [{ role: 'system', content }, ...messages];
}

/** Begins the sub-agents that begin with the prompt at work. */
export async function activate(
  agent: ActivatingAgent,
  { runId, prompt }: Extract<Effect, { kind: 'activate' }>,
): Promise<void> {
  const { environment, seat, deps } = agent;
  const { definition } = seat;
  const disabled = await switchedOff(agent, seat);
  const begins = immediatesOf(definition);
  const classes = classesWithSlots(begins);
  const children = { ...knownChildren(deps.store, classes, []), registered: namedChildren(deps.store) };
  const cycle = immediateCycle(definition);
  const refused =
    cycle &&
    failure(
      'invalid_definition',
      `The agent "${cycle[0]}" would begin agents without end, each with the prompt of the one before: ${cycle.join(', ')}. Leave out one \`immediate\`.`,
    );
  const facts = { at: environment.now(), token: environment.token(), runId, prompt };
  const asked = begins.map(({ agentType }) => agentType).filter((name) => !disabled.includes(name));
  const lacked = refused ? {} : await lackingOf(agent, seat, new Set(asked));
  agent.apply({ type: 'activated', ...facts, begins, children, disabled, ...lacked, ...(refused ? { refused } : {}) });
}
