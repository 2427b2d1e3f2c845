/**
 * What a call of a reply means to the agent whose model made it: pure. Whether arguments fit and whether a person must
 * agree is asked of authors' code, which is awaited by the engine.
 *
 * Decides: what an unknown tool comes to; which child or task a call of a reply means.
 * Keeps CL1, CL4.
 */

import type { Json } from '../../../protocol/json';
import { relationshipOf } from '../../definition/children/relationship';
import type { AgentDefinition, AnyTool, Relationship, SubagentEntry } from '../../definition/definition';
import { limitsOf } from '../../definition/limits';
import type { PlannedCall } from '../events';
import type { BoundTool, Rules } from '../rules';
import { handsOver } from '../standard-agents/result-files';
import type { RegisteredChild } from '../standard-agents/subagent-registry';
import type { ShownArguments } from '../state';

/** What every planned call has. */
export type CallBase = Pick<PlannedCall, 'providerId' | 'name' | 'input'>;

/** The tool that a call means. */
export type MeantTool =
  | { readonly is: 'tool'; readonly tool: AnyTool }
  | {
      readonly is: 'child';
      readonly tool: AnyTool;
      readonly relationship: Relationship;
      /** The child is by that entry, which says what becomes of the arguments. */
      readonly entry?: SubagentEntry;
    }
  | { readonly is: 'built_in'; readonly tool: BoundTool }
  /** The session goes on with that agent. */
  | { readonly is: 'handoff'; readonly tool: AnyTool; readonly to: string };

/** The tool of that name, if the agent has one. */
export function toolOf(
  { definition, rules }: { readonly definition: AgentDefinition; readonly rules: Rules },
  name: string,
): MeantTool | undefined {
  const builtIn = rules.builtIns.find((tool) => tool.name === name);
  if (builtIn) return { is: 'built_in', tool: builtIn };
  const tool = [...definition.tools, ...rules.performed].find((each) => each.name === name);
  const relationship = tool && relationshipOf(tool);
  const entry = definition.subagents.find((one) => one.relationship === relationship);
  const handoff = definition.handoffs.find((one) => one.name === name);
  if (tool && handoff) return { is: 'handoff', tool, to: handoff.name };
  if (tool && relationship) return { is: 'child', tool, relationship, ...(entry ? { entry } : {}) };
  return tool && { is: 'tool', tool };
}

/** A call that a child works on. `input` is what the tool's schema made of the arguments. */
export function plannedChild(facts: CallBase, input: Json, relationship: Relationship): PlannedCall {
  const childName = relationship.nameOf?.(input);
  return { ...facts, ...plannedTask(relationship, input), ...(childName === undefined ? {} : { childName }) };
}

/** A task for a child of that relationship. */
export function plannedTask(
  relationship: Relationship,
  input: Json,
): Omit<Extract<PlannedCall, { kind: 'child' }>, 'providerId' | 'name'> {
  const { child, nameOf: _nameOf, timeoutMs = limitsOf(child.limits).childTimeoutMs, ...rules } = relationship;
  return {
    ...rules,
    input,
    kind: 'child',
    agentType: child.name,
    className: child.className,
    addressClass: child.addressClass,
    timeoutMs: Math.min(timeoutMs, rules.budget?.maxWallMs ?? timeoutMs),
    ...(handsOver(child) ? { brings: true as const } : {}),
  };
}

/** A further task for a child by a `SubagentEntry`: it is treated as it was made, whichever prompt is at work now. */
export function againTo(child: RegisteredChild): Omit<Extract<PlannedCall, { kind: 'child' }>, 'providerId' | 'name'> {
  const { agentType, placement, address, name } = child;
  const { timeoutMs, onParentSuspend, onFailure, budget, onIdle = 'keep' } = child.terms;
  const { workspace = 'session' } = child.setup;
  return {
    kind: 'child',
    input: null,
    agentType,
    className: placement.className,
    addressClass: address.split('/').at(-2) ?? '',
    timeoutMs,
    lifetime: 'named',
    await: 'notice',
    deliver: 'envelope',
    placement: placement.via,
    workspace,
    onParentSuspend,
    onFailure,
    onIdle,
    retention: 'tree',
    ...(budget ? { budget } : {}),
    ...(name === undefined ? {} : { childName: name }),
  };
}

/**
 * A call of an agent's own tool. A client's is in a person's hands already: nobody is asked to agree to it.
 * @param shown what a person is shown who must agree first; undefined where nobody must
 */
export function plannedTool(
  { limits }: AgentDefinition,
  tool: AnyTool,
  facts: CallBase,
  shown: ShownArguments | undefined,
): PlannedCall {
  const time = tool.answerWithinMs === undefined ? {} : { answerWithinMs: tool.answerWithinMs };
  if (tool.runsAt === 'client') return { ...facts, kind: 'client', ...time };
  const { replay, finishWith, timeoutMs = limitsOf(limits).toolTimeoutMs } = tool;
  const approval = shown ? { approval: { ...shown, ...time } } : {};
  return { ...facts, kind: 'tool', replay, finishWith, timeoutMs, ...approval };
}
