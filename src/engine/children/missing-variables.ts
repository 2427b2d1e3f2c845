/**
 * What the sub-agents that a reply asks for lack of variables: asked before the reply is committed.
 *
 * Keeps SA31.
 */
import type { Lacking, PlannedCall, VariableRequest, WaitingPlace } from '../../core/agent/events';
import type { Seat } from '../../core/agent/seat';
import { isObject } from '../../protocol/json';
import type { ModelAgent } from '../perform/performer';

/** What a reply, or a prompt that begins, lacks; nothing is said of agents that lack nothing. */
interface Lacked {
  readonly lacking?: { readonly [agentType: string]: Lacking };
}

/** The agent that a call of a reply would begin, if it may be one of a `SubagentEntry`. */
function begunBy(call: PlannedCall): string | undefined {
  if (call.kind === 'child') return call.registers && call.agentType;
  if (call.kind !== 'built_in' || !isObject(call.args)) return undefined;
  const { agent } = call.args;
  return typeof agent === 'string' ? agent : undefined;
}

const placeOf = ({ requestId, planned }: VariableRequest): WaitingPlace => ({
  requestId,
  prompt: planned.registers?.prompt ?? '',
});

/** Of each agent that a call of a reply would begin, where it lacks any. */
export async function lackingFor(agent: LackingAgent, seat: Seat, calls: readonly PlannedCall[]): Promise<Lacked> {
  return lackingOf(agent, seat, new Set(calls.map(begunBy)));
}

type LackingAgent = Pick<ModelAgent, 'state' | 'environment' | 'deps'>;

/** The same, of agents by their names. */
export async function lackingOf(
  { state, environment, deps }: LackingAgent,
  { definition, rules }: Seat,
  asked: ReadonlySet<string | undefined>,
): Promise<Lacked> {
  const lacking: { [agentType: string]: Lacking } = {};
  for (const { name, relationship } of asked.size === 0 ? [] : definition.subagents) {
    const lacked = asked.has(name) ? await deps.lacks(state, relationship.child) : undefined;
    if (lacked === undefined) continue;
    const kept = deps.store.variableRequests(environment.now());
    const room = Math.max(0, rules.limits.maxVariableRequests - kept.length);
    lacking[name] = { ...lacked, room, waiting: kept.filter(({ planned }) => planned.agentType === name).map(placeOf) };
  }
  return Object.keys(lacking).length === 0 ? {} : { lacking };
}
