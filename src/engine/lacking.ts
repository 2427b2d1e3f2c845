/** What the sub-agents that a reply asks for lack of variables: asked before the reply is committed. */
import type { Lacking, PlannedCall } from '../core/agent/events';
import type { Seat } from '../core/agent/seat';
import { isObject } from '../protocol/json';
import type { ModelAgent } from './performer';

/** The agent that a call of a reply would begin, if it may be one of a `SubagentEntry`. */
function begunBy(call: PlannedCall): string | undefined {
  if (call.kind === 'child') return call.registers && call.agentType;
  if (call.kind !== 'built_in' || !isObject(call.args)) return undefined;
  const { agent } = call.args;
  return typeof agent === 'string' ? agent : undefined;
}

/** Of each such agent, where it lacks any. */
export async function lackingFor(
  { state, environment, deps }: ModelAgent,
  { definition, rules }: Seat,
  calls: readonly PlannedCall[],
): Promise<{ lacking?: { readonly [agentType: string]: Lacking } }> {
  const asked = new Set(calls.map(begunBy));
  const lacking: { [agentType: string]: Lacking } = {};
  for (const { name, relationship } of asked.size === 0 ? [] : definition.subagents) {
    const lacked = asked.has(name) ? await deps.lacks(state, relationship.child) : undefined;
    if (lacked === undefined) continue;
    const kept = deps.store.countVariableRequests(environment.now());
    lacking[name] = { ...lacked, room: Math.max(0, rules.limits.maxVariableRequests - kept) };
  }
  return Object.keys(lacking).length === 0 ? {} : { lacking };
}
