/** Agents as users have them: their models are of the AI SDK, and stream each step in five deltas. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { z } from 'zod';
import { defineAgent } from '../src/core/definition/define-agent';
import type { AgentDefinition, AnyTool, ToolDefinition } from '../src/core/definition/definition';
import type { Limits } from '../src/core/definition/limits';

const DELTAS = 5;

const FINISHED = {
  type: 'finish',
  usage: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
} as const;

function pieces(text: string): string[] {
  const length = Math.ceil(text.length / DELTAS);
  return Array.from({ length: DELTAS }, (_, n) => text.slice(n * length, (n + 1) * length));
}

function callParts(id: string, toolName: string, input: string): LanguageModelV4StreamPart[] {
  return [
    { type: 'tool-input-start', id, toolName },
    ...pieces(input).map((delta) => ({ type: 'tool-input-delta', id, delta }) as const),
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName, input },
  ];
}

const textParts: LanguageModelV4StreamPart[] = [
  { type: 'text-start', id: 't' },
  ...pieces('This is done, and well done.').map((delta) => ({ type: 'text-delta', id: 't', delta }) as const),
  { type: 'text-end', id: 't' },
];

/** A model that streams calls until it has read a result, then a text. */
function streamingModel(callsOf: (asked: string) => LanguageModelV4StreamPart[]): LanguageModelV4 {
  const parts = ({ prompt }: LanguageModelV4CallOptions): LanguageModelV4StreamPart[] => {
    const user = prompt.findLast(({ role }) => role === 'user');
    const calls = prompt.at(-1)?.role === 'tool' ? undefined : callsOf(textOf(user));
    const unified = calls ? 'tool-calls' : 'stop';
    return [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r', modelId: 'streaming', timestamp: new Date(0) },
      ...(calls ?? textParts),
      { ...FINISHED, finishReason: { unified, raw: unified } },
    ];
  };
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'streaming',
    supportedUrls: {},
    async doStream(options) {
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts(options)) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
    doGenerate: () => Promise.reject(new Error('This model only streams.')),
  };
}

function textOf(message: LanguageModelV4CallOptions['prompt'][number] | undefined): string {
  const [part] = message?.role === 'user' ? message.content : [];
  return part?.type === 'text' ? part.text : '';
}

/** A child with two steps: one tool call, then a text. */
export function helperOf(echo: ToolDefinition): AgentDefinition {
  const model = streamingModel(() => callParts('c', 'echo', '{"text":"what is echoed"}'));
  return defineAgent({ name: 'helper', systemPrompt: 'You help.', model, tools: [echo] });
}

/** What a helper is asked for. */
export const task = z.object({ n: z.number() });

/** Calls as many helpers at once as its message says, then ends with a text. */
export function teamOf(tool: AnyTool, limits: Partial<Limits>, name = 'team'): AgentDefinition {
  const model = streamingModel((asked) =>
    Array.from({ length: Number(asked) }, (_, n) => callParts(`c${n}`, 'subagent__helper', `{"n":${n}}`)).flat(),
  );
  return defineAgent({ name, systemPrompt: 'You lead.', model, tools: [tool], limits });
}
