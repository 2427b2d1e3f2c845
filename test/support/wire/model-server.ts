/**
 * A model outside the Worker: a server of OpenAI's Chat Completions that follows a script and counts what it is asked.
 * Point `OFFSHOOT_MODEL=openai-compatible/<any>` and `OFFSHOOT_BASE_URL=<url>` at it.
 */

import type { ServerResponse } from 'node:http';
import { APICallError, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { z } from 'zod';
import type { ScriptStep } from '../../../src/model/script';
import { play } from '../../../src/model/script-stream';
import { isObject } from '../../../src/protocol/json';
import { openaiError } from './openai-chat';
import { frame, startWireServer, type WireRequest, write } from './server';

/** A message of the request, as Chat Completions has it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
}

/** What the server was asked. */
export interface ServerRequest {
  /** From 1, over the server's life. */
  readonly call: number;
  /** The model's name in the request. */
  readonly model: string;
  /** The text of the system messages, joined by line ends. */
  readonly system: string;
  readonly messages: readonly ChatMessage[];
  /** The names of the tools. */
  readonly tools: readonly string[];
  /** How many assistant messages the transcript has: 0 in the first step of a session. */
  readonly turns: number;
  /** Resolves when the client goes away before the answer is whole. */
  readonly gone: Promise<void>;
}

/** Answers in the order of the calls, or a function that gives one for each request. */
export type ServerScript = readonly ScriptStep[] | ((request: ServerRequest) => ScriptStep | Promise<ScriptStep>);

/** A running server. */
export interface ModelServer {
  /** The base address of the API: what `OFFSHOOT_BASE_URL` takes. */
  readonly url: string;
  readonly requests: readonly ServerRequest[];
  close(): Promise<void>;
}

/** Starts the server on a free port of the loopback interface. */
export async function startModelServer({ script }: { script: ServerScript }): Promise<ModelServer> {
  const requests: ServerRequest[] = [];
  const server = await startWireServer(async (wire, response) => {
    const request = read(wire, requests.length + 1);
    requests.push(request);
    const step = typeof script === 'function' ? await script(request) : script[request.call - 1];
    if (step) await answer(step, request, response);
    else refuse(response, 400, `The script has no answer for call ${request.call}.`);
    return undefined;
  });
  return { url: `${server.url}/v1`, requests, close: () => server.close() };
}

const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.custom<ChatMessage>(isObject)),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).optional(),
});

function read({ body, gone }: WireRequest, call: number): ServerRequest {
  const { model, messages, tools = [] } = requestSchema.parse(body);
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    call,
    model,
    system: system.join('\n'),
    messages,
    tools: tools.map((tool) => tool.function.name),
    turns: messages.filter(({ role }) => role === 'assistant').length,
    gone,
  };
}

async function answer(step: ScriptStep, request: ServerRequest, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  void request.gone.then(() => left.abort());
  try {
    const stream = await play(step, { ids: `call_${request.call}`, modelId: request.model, signal: left.signal });
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    await send(stream, request.model, response);
  } catch (error) {
    if (left.signal.aborted) return;
    const status = APICallError.isInstance(error) ? (error.statusCode ?? 500) : 500;
    refuse(response, status, error instanceof Error ? error.message : String(error));
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(openaiError(message));
}

/** Sends the parts as chunks. A stream that ends without `finish` breaks the connection off. */
async function send(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  model: string,
  response: ServerResponse,
): Promise<void> {
  const indexes = new Map<string, number>();
  const chunk = (choices: readonly unknown[], usage: unknown = null): Promise<void> =>
    write(response, frame({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, usage }));
  for await (const part of stream) {
    if (part.type === 'error') {
      const message = part.error instanceof Error ? part.error.message : String(part.error);
      response.end(frame({ error: { message, type: 'server_error', code: null } }));
      return;
    }
    if (part.type === 'finish') {
      const { unified } = part.finishReason;
      const reasons: { readonly [Reason in typeof unified]?: string } = {
        'tool-calls': 'tool_calls',
        'content-filter': 'content_filter',
      };
      await chunk([{ index: 0, delta: {}, finish_reason: reasons[unified] ?? unified }]);
      await chunk([], usage(part));
      response.end(frame('[DONE]'));
      return;
    }
    const delta = toDelta(part, indexes);
    if (delta) await chunk([{ index: 0, delta, finish_reason: null }]);
  }
  response.destroy();
}

function toDelta(part: LanguageModelV4StreamPart, indexes: Map<string, number>): object | undefined {
  switch (part.type) {
    case 'text-delta':
      return { content: part.delta };
    case 'reasoning-delta':
      return { reasoning_content: part.delta };
    case 'tool-input-start': {
      const index = indexes.size;
      indexes.set(part.id, index);
      return {
        tool_calls: [{ index, id: part.id, type: 'function', function: { name: part.toolName, arguments: '' } }],
      };
    }
    case 'tool-input-delta':
      return { tool_calls: [{ index: indexes.get(part.id), function: { arguments: part.delta } }] };
    default:
      return undefined;
  }
}

function usage({
  usage: { inputTokens, outputTokens },
}: Extract<LanguageModelV4StreamPart, { type: 'finish' }>): object {
  return {
    prompt_tokens: inputTokens.total,
    completion_tokens: outputTokens.total,
    total_tokens: (inputTokens.total ?? 0) + (outputTokens.total ?? 0),
    prompt_tokens_details: { cached_tokens: inputTokens.cacheRead },
    completion_tokens_details: { reasoning_tokens: outputTokens.reasoning },
  };
}
