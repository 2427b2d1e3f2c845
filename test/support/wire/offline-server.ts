/** The offline model behind a socket: a model server outside the Worker whose answers depend on the prompt alone. */
import type { LanguageModelV4Content, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { offlineModel } from '../../../src/desk/offline-model';
import { CRITIC_PROMPT } from '../../../src/desk/prompts';
import type { ScriptStep } from '../../../src/model/script';
import { type ChatMessage, type ModelServer, type ServerRequest, startModelServer } from './model-server';

type ToolCalls = NonNullable<ChatMessage['tool_calls']>;

/** The prompt of a request, as the AI SDK has it. */
function promptOf(messages: readonly ChatMessage[]): LanguageModelV4Prompt {
  const names = new Map<string, string>();
  for (const message of messages) for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
  return messages.flatMap((message) => unjoined(message).map((one) => messageOf(one, names)));
}

/** A side of a session reads several messages in a row: a request in JSON, then texts. A compatible server gets them as one. */
function unjoined(message: ChatMessage): ChatMessage[] {
  if (message.role !== 'user') return [message];
  return textOf(message.content)
    .split(/(?<=(?:^|\n)\{[^\n]*\})\n\n|\n\n(?=\[From the )/u)
    .map((content) => ({ ...message, content }));
}

function messageOf(message: ChatMessage, names: ReadonlyMap<string, string>): LanguageModelV4Prompt[number] {
  const text = textOf(message.content);
  switch (message.role) {
    case 'system':
      return { role: 'system', content: text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...callsOf(message.tool_calls ?? [])],
      };
    case 'tool': {
      const toolCallId = message.tool_call_id ?? '';
      const output = resultOf(text);
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName: names.get(toolCallId) ?? '', output }],
      };
    }
  }
}

/** A result is JSON, or a text as it is. */
function resultOf(text: string) {
  try {
    return { type: 'json' as const, value: JSON.parse(text) };
  } catch {
    return { type: 'text' as const, value: text };
  }
}

function callsOf(calls: ToolCalls) {
  return calls.map(({ id, function: { name, arguments: input } }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input: JSON.parse(input),
  }));
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}

/** Who asks: no provider is told that, and the critic has the tools of the fact-checker. */
function asked({ system }: ServerRequest) {
  return system.startsWith(CRITIC_PROMPT) ? { providerOptions: { offshoot: { agentType: 'critic' } } } : {};
}

function stepOf(
  content: readonly LanguageModelV4Content[],
  pace: Pick<ScriptStep, 'delayMs' | 'chunkDelayMs'>,
): ScriptStep {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = content
    .filter((part) => part.type === 'tool-call')
    .map((call) => ({ id: call.toolCallId, name: call.toolName, rawInput: call.input }));
  return { ...(text === '' ? {} : { text }), calls, ...pace };
}

/** Starts it. `pace` slows the answers down, so that something is always under way. */
export function startOfflineServer(pace: Pick<ScriptStep, 'delayMs' | 'chunkDelayMs'> = {}): Promise<ModelServer> {
  return startModelServer({
    script: async (request: ServerRequest) => {
      const tools = request.tools.map(
        (name): LanguageModelV4FunctionTool => ({
          type: 'function',
          name,
          inputSchema: { type: 'object', properties: {} },
        }),
      );
      const { content } = await offlineModel.doGenerate({
        prompt: promptOf(request.messages),
        tools,
        ...asked(request),
      });
      return stepOf(content, pace);
    },
  });
}
