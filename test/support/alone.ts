/** Trees whose sub-agents live in objects of their own. */
import {
  type AgentDefinition,
  type AnyTool,
  RELATIONSHIP,
  type Relationship,
} from '../../src/core/definition/definition';
import type { Make } from './crashes';

/** The same agents, each of whose sub-agents has an object of its own. */
export function inObjects(make: Make): Make {
  return (tree) => {
    const { agents, ...parts } = make(tree);
    const [top, ...others] = agents;
    return { ...parts, agents: [alone(top), ...others.map(alone)] };
  };
}

function alone(agent: AgentDefinition): AgentDefinition {
  const moved = new Map(agent.relationships.map((relationship) => [relationship, inObject(relationship)]));
  const toolOf = (tool: AnyTool): AnyTool => {
    const relationship = tool[RELATIONSHIP];
    return relationship ? { ...tool, [RELATIONSHIP]: moved.get(relationship) ?? relationship } : tool;
  };
  const companions = agent.companions.map((one) => ({
    ...one,
    relationship: moved.get(one.relationship) ?? one.relationship,
  }));
  return { ...agent, tools: agent.tools.map(toolOf), companions, relationships: [...moved.values()] };
}

const inObject = (relationship: Relationship): Relationship => ({ ...relationship, placement: 'object' });
