/** Agents by prompts, as Standard Agents have them: an orchestrator, and agents of two sides that it uses. */
import type { Registered } from '../../src/core/agent/children/child';
import { type AgentOptions, defineAgent } from '../../src/core/definition/define-agent';
import type { AgentDefinition, SubagentToolConfig } from '../../src/core/definition/definition';
import { type DualAgentOptions, defineDualAgent } from '../../src/core/definition/dual-agent';
import type { Limits } from '../../src/core/definition/limits';
import { definePrompt, type PromptOptions } from '../../src/core/definition/prompt';
import type { Message } from '../../src/protocol/messages';
import { noModel } from './no-model';
import { PATIENT } from './trees';

type MorePrompt = Partial<PromptOptions>;

/** A prompt without a model: scripts answer in its place. */
export const promptOf = (name: string, more: MorePrompt = {}) =>
  definePrompt({ name, prompt: name, model: noModel, includeChat: true, includePastTools: true, ...more });

/** An agent of two sides whose session ends with the first reply of one of them that calls nothing. */
export function dualOf(name: string, prompt: MorePrompt = {}, more: Partial<DualAgentOptions> = {}): AgentDefinition {
  return defineDualAgent({
    name,
    exposeAsTool: true,
    toolDescription: `Does what ${name} does.`,
    maxSessionTurns: 1,
    sideA: { prompt: promptOf(`${name}_a`, prompt) },
    sideB: { prompt: promptOf(`${name}_b`, prompt) },
    limits: PATIENT,
    ...more,
  });
}

/** An agent of one side that uses agents. */
export function leadOf(
  tools: NonNullable<PromptOptions['tools']>,
  agents: NonNullable<PromptOptions['agents']>,
  { name = 'lead', ...prompt }: MorePrompt = {},
  more: Partial<AgentOptions> = {},
): AgentDefinition {
  const leading = promptOf(`${name}_prompt`, { parallelToolCalls: true, ...prompt, tools, agents });
  return defineAgent({ name, prompt: leading, limits: PATIENT, ...more });
}

/** An agent of one side that others may hand their session to. */
export function speakerOf(name: string, prompt: MorePrompt = {}, limits: Partial<Limits> = {}): AgentDefinition {
  return defineAgent({
    name,
    title: name.toUpperCase(),
    exposeAsTool: true,
    toolDescription: name,
    prompt: promptOf(`${name}_prompt`, { parallelToolCalls: true, ...prompt }),
    limits: { ...PATIENT, ...limits },
  });
}

/** An entry whose children stay. */
export const lasting = (name: string, more: Partial<SubagentToolConfig> = {}): SubagentToolConfig => ({
  name,
  resumable: { receives_messages: 'side_a' },
  ...more,
});

/** What a model is told of the registry, if it is. */
export function registryIn(messages: readonly Message[]): string | undefined {
  const [first] = messages;
  return first?.role === 'system' && first.content.startsWith('Your sub-agents') ? first.content : undefined;
}

/** The references in it, in their order. */
export const referencesIn = (messages: readonly Message[]): Registered['reference'][] =>
  [...(registryIn(messages) ?? '').matchAll(/^- ([0-9a-f-]{36}) /gm)].map(([, reference]) => reference ?? '');

/** The envelopes that a model sees, in their order. */
export const envelopesIn = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) =>
    one.role === 'user' && typeof one.content === 'string' && one.content.startsWith('Subagent (reference:')
      ? [one.content]
      : [],
  );
