/**
 * How children stand by the root's record, for their parent.
 *
 * Keeps CO20, SA50.
 */
import type { Child } from '../core/agent/child';
import type { Look } from '../core/agent/child-standing';
import { type RegisteredChild, shownOf, type ToldChild } from '../core/agent/subagent-registry';
import type { AgentDefinition } from '../core/definition/definition';
import type { BodyAgent } from './performer';

/** How these stand by the root's record, by their session ids. */
export async function lookAt(
  { link }: Pick<BodyAgent, 'link'>,
  children: readonly Child[],
): Promise<ReadonlyMap<string, Look>> {
  if (children.length === 0) return new Map();
  const { looks = [] } = await link.ask({ look: children.map(({ sessionId }) => sessionId) });
  return new Map(looks.map((look) => [look.sessionId, look]));
}

/** The registry with what those of it that are told say of themselves. Without the root's answer it is told without. */
export async function withWords(
  agent: BodyAgent,
  definition: AgentDefinition,
  registry: readonly RegisteredChild[],
): Promise<readonly ToldChild[]> {
  const speaking = new Set(definition.subagents.filter(hasStatus).map(({ name }) => name));
  const asked = shownOf(registry).filter(({ agentType }) => speaking.has(agentType));
  if (asked.length === 0) return registry;
  try {
    const looks = await lookAt(agent, asked);
    return registry.map((child) => {
      const says = looks.get(child.sessionId)?.statusText ?? '';
      return says === '' || !speaking.has(child.agentType) ? child : { ...child, says };
    });
  } catch (error) {
    agent.environment.report('What sub-agents say of themselves could not be read; the model is asked without.', error);
    return registry;
  }
}

/** Whether a child by an entry has a tool to say how far it is. */
function hasStatus({ relationship }: AgentDefinition['subagents'][number]): boolean {
  const { sides } = relationship.child;
  return (sides?.side_a.sessionStatus ?? sides?.side_b.sessionStatus) !== undefined;
}
