/** Chats of AI SDK UI with the Worker under test: the client is the official one, and every chunk is held to its schema. */
import { Chat } from '@ai-sdk/react';
import { type ChatInit, DefaultChatTransport, type UIMessage } from 'ai';
import { get, HOST, send } from './api';
import { checkUiChunk } from './ui-chunks';

/** A tool part, as far as tests look at it. */
export interface ToolPart {
  readonly type: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly state: string;
  readonly preliminary?: boolean;
  readonly providerExecuted?: boolean;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly toolMetadata?: object;
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly descriptor?: object };
}

/** A chunk, as it was read. */
export type Told = { readonly type: string; readonly [field: string]: unknown };

/** A chat, with all that was sent and told. */
export interface Talk {
  readonly chat: Chat<UIMessage>;
  /** The bodies of its requests, and the methods and paths of all. */
  readonly posted: { readonly messages: readonly UIMessage[] }[];
  readonly asked: string[];
  readonly told: Told[];
  /** The tool calls that it was asked to run. */
  readonly ran: string[];
  parts(): readonly ToolPart[];
  texts(): string[];
}

/** Checks and keeps what a body tells while it is read. */
function watched(body: ReadableStream<Uint8Array>, keep: (chunk: Told) => void): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(piece, controller) {
        rest += decoder.decode(piece, { stream: true });
        const events = rest.split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) {
          if (!event.startsWith('data: ') || event === 'data: [DONE]') continue;
          const chunk = JSON.parse(event.slice(6));
          await checkUiChunk(chunk);
          keep(chunk);
        }
        controller.enqueue(piece);
      },
    }),
  );
}

/** A chat at an address, as a page has it; `ask` reaches its Worker. */
export function talk(address: string, options: Partial<ChatInit<UIMessage>> = {}, ask: typeof send = send): Talk {
  const [posted, asked, told, ran]: [Talk['posted'], string[], Told[], string[]] = [[], [], [], []];
  const { onToolCall } = options;
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${HOST}${address}/chat`,
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      asked.push(`${init?.method ?? 'GET'} ${pathname}`);
      if (typeof init?.body === 'string') posted.push(JSON.parse(init.body));
      const response = await ask(pathname, init);
      const isStream = response.headers.get('x-vercel-ai-ui-message-stream') === 'v1';
      if (!isStream || response.body === null) return response;
      return new Response(
        watched(response.body, (chunk) => void told.push(chunk)),
        response,
      );
    },
  });
  const chat = new Chat<UIMessage>({
    id: address.split('/').at(-1) ?? '',
    transport,
    ...options,
    onToolCall: async (call) => {
      ran.push(call.toolCall.toolName);
      await onToolCall?.(call);
    },
  });
  const last = () => chat.messages.at(-1);
  return {
    ...{ chat, posted, asked, told, ran },
    parts: () => (last()?.parts ?? []).filter(({ type }) => type === 'dynamic-tool') as never,
    texts: () => (last()?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  };
}

/** The messages that a chat lists. */
export async function messagesAt(at: string): Promise<UIMessage[]> {
  const { messages } = (await get(`${at}/chat`)).body as unknown as { messages: UIMessage[] };
  return messages;
}
