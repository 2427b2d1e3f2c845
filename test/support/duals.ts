/** Agents of two sides that tests run, with what their models answer. */
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, ToolDefinition } from '../../src/core/definition/definition';
import { type DualAgentOptions, defineDualAgent, type SideConfig } from '../../src/core/definition/dual-agent';
import type { Limits } from '../../src/core/definition/limits';
import { definePrompt, type PromptOptions } from '../../src/core/definition/prompt';
import type { ToolContext } from '../../src/core/definition/tool-context';
import type { Tree } from './harness';
import { noModel } from './no-model';

/** No number of crashes reaches these, so that transcripts stay comparable. */
const PATIENT: Partial<Limits> = { maxRecoveries: 1_000_000, maxToolReplays: 1_000_000, childReachMs: 4_250 };

/** A prompt whose model is the test's and which sees all. */
export const promptOf = (name: string, options: Partial<PromptOptions> = {}) =>
  definePrompt({ name, prompt: name, model: noModel, includeChat: true, includePastTools: true, ...options });

const said = z.looseObject({ text: z.string().optional(), fail: z.string().optional() });

/** Where bodies are noted: `env` of the tree. */
interface Noting {
  readonly note: (callId: string) => void;
}

/** The `env` of a tree whose tools are those of here. */
export const notingOf = (tree: Tree): Noting => ({ note: (callId) => void tree.body(callId) });

/** A tool that takes anything and gives its text, or what `gives` does; with `fail` in its arguments it fails. */
export function sayTool(
  name: string,
  gives: (input: z.output<typeof said>) => unknown = ({ text }) => text ?? '',
  options: { readonly requireApproval?: boolean } = {},
): ToolDefinition {
  return defineTool({
    name,
    description: 'Works.',
    inputSchema: said,
    replay: 'safe',
    ...options,
    execute(input, { env, idempotencyKey }: ToolContext<unknown, Noting>) {
      env.note(idempotencyKey);
      if (input.fail !== undefined) throw new Error(input.fail);
      return gives(input);
    },
  });
}

/** What differs between the sides of a pair. */
export interface PairOptions extends Partial<Omit<DualAgentOptions, 'sideA' | 'sideB'>> {
  readonly a?: Partial<SideConfig> & {
    readonly tools?: PromptOptions['tools'];
    readonly agents?: PromptOptions['agents'];
  };
  readonly b?: PairOptions['a'];
}

/** An author and an editor: the editor has `approve`, which ends the session, and `refuse`, which fails it. */
export function pairOf(name: string, { a = {}, b = {}, ...options }: PairOptions = {}): AgentDefinition {
  const { tools: toolsA = [sayTool('look')], agents: agentsA = [], ...sideA } = a;
  const {
    tools: toolsB = [sayTool('approve'), sayTool('refuse'), sayTool('note')],
    agents: agentsB = [],
    ...sideB
  } = b;
  return defineDualAgent({
    name,
    ...options,
    sideA: { label: 'Author', prompt: promptOf('author', { tools: toolsA, agents: agentsA }), ...sideA },
    sideB: {
      label: 'Editor',
      prompt: promptOf('editor', { tools: toolsB, agents: agentsB }),
      ...(b.tools ? {} : { sessionStop: { name: 'approve', messageProperty: 'text' } }),
      ...(b.tools ? {} : { sessionFail: { name: 'refuse', messageProperty: 'text' } }),
      ...sideB,
    },
    limits: { ...PATIENT, ...options.limits },
  });
}
