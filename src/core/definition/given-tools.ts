/**
 * The tools that an agent is given: Offshoot's, and those of the AI SDK and of MCP clients by their keys.
 *
 * Decides: how many tools an agent has, and which kinds are taken.
 * Keeps DF13, DF52.
 */
import { type AiTool, fromAiTool } from './ai-tool';
import type { AgentDefinition, AnyTool } from './definition';
import { invalidDefinition, kindOf, refuseAgents } from './invalid';
import type { ProviderToolSpec } from './model-port';
import { fromProviderTool, isProviderTool } from './models/provider-tool';

/** The tools of an agent: a list of Offshoot's tools, or an object by name, which may also have AI SDK tools. */
export type AnyTools = readonly AnyTool[] | Readonly<Record<string, AnyTool | AiTool>>;

/**
 * An agent has so many tools at most: a server of MCP decides how many it has. No provider takes as many (OpenAI: 128).
 */
const MAX_TOOLS = 1_000;

/** The tools of an agent as ours, and those that a provider runs. @throws OffshootError `invalid_definition` */
export function toolsOf(agent: string, given: AnyTools): Pick<AgentDefinition, 'tools' | 'providerTools'> {
  refuseAgents(`Agent "${agent}"`, given);
  const { length } = Object.keys(given ?? {});
  if (length > MAX_TOOLS) invalidDefinition(`Agent "${agent}" has ${length} tools, more than ${MAX_TOOLS}.`);
  if (isList(given)) {
    const wrong = given.findIndex((tool) => typeof tool !== 'object' || tool === null);
    if (wrong >= 0)
      invalidDefinition(
        `Agent "${agent}": \`tools[${wrong}]\` is ${kindOf(given[wrong])}; list tools from \`defineTool\` or \`createSubAgentTool\`.`,
      );
    return { tools: given };
  }
  if (typeof given !== 'object' || given === null)
    invalidDefinition(
      `Agent "${agent}": \`tools\` must be a list, or an object with tools by name; it is ${kindOf(given)}.`,
    );
  const providerTools: ProviderToolSpec[] = [];
  const tools = Object.entries(given).flatMap(([key, tool]) => {
    if (typeof tool !== 'object' || tool === null)
      invalidDefinition(`Agent "${agent}": the tool "${key}" is ${kindOf(tool)}; make it with \`defineTool\`.`);
    if (!isOurs(tool)) {
      if (!isProviderTool(tool)) return [fromAiTool(key, tool)];
      providerTools.push(fromProviderTool(key, tool));
      return [];
    }
    if (tool.name !== key)
      invalidDefinition(
        `Agent "${agent}": the tool "${tool.name}" has the key "${key}"; give it the key "${tool.name}".`,
      );
    return [tool];
  });
  return { tools, ...(providerTools.length === 0 ? {} : { providerTools: Object.freeze(providerTools) }) };
}

const isList = (tools: AnyTools): tools is readonly AnyTool[] => Array.isArray(tools);
const isOurs = (tool: AnyTool | AiTool): tool is AnyTool => 'runsAt' in tool;
