/** Requests to Anthropic's Messages API: their parts, builders for examples, and the shape of a refusal. */
import { createHash } from 'node:crypto';
import { isRecord, type Refusal, type Rule } from './rule';

/** A block of content. */
export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
  readonly is_error?: boolean;
  readonly thinking?: string;
  readonly signature?: string;
  readonly source?: { readonly type: string; readonly media_type?: string; readonly data?: string };
  readonly cache_control?: unknown;
  readonly citations?: unknown;
}

/** A message. */
export interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** A tool; with a `type` other than custom, one that Anthropic runs or describes itself. */
export interface Tool {
  readonly name: string;
  readonly type?: string;
  readonly input_schema?: unknown;
  readonly strict?: boolean;
  readonly cache_control?: unknown;
}

/** A request. */
export interface Body {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly Message[];
  readonly system?: string | readonly Block[];
  readonly tools?: readonly Tool[];
  readonly tool_choice?: {
    readonly type: string;
    readonly name?: string;
    readonly disable_parallel_tool_use?: boolean;
  };
  readonly stop_sequences?: readonly string[];
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
}

/** A rule of this API. */
export type AnthropicRule = Rule<Body>;

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The type of error that goes with a status. */
export function errorType(status: number): string {
  return TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** A refusal with that message. */
export function invalid(message: string, status = 400): Refusal {
  const error = { type: errorType(status), message };
  return { status, body: { type: 'error', error, request_id: 'req_standin' } };
}

/** The blocks of a content. */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isRecord).map((block) => ({ type: '', ...block })) : [];
}

/** A block with its place in the request. */
export interface Placed {
  readonly at: string;
  readonly role: string;
  readonly block: Block;
}

/** All blocks of the messages, those within results of tools after their own block. */
export function allBlocks({ messages }: Body): Placed[] {
  return messages.flatMap(({ role, content }, i) =>
    blocksOf(content).flatMap((block, j) => {
      const at = `messages.${i}.content.${j}`;
      const inner = Array.isArray(block.content) ? blocksOf(block.content) : [];
      return [
        { at, role, block },
        ...inner.map((one, k) => ({ at: `${at}.${block.type}.content.${k}`, role, block: one })),
      ];
    }),
  );
}

/** The signature of a thought. The stand-in signs by this, and takes nothing else. */
export function signatureOf(thinking: string): string {
  return createHash('sha256').update(thinking).digest('base64');
}

/** The smallest request that is taken. */
export const REQUEST: Body = {
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello.' }],
};

/** A request with these messages. */
export function talk(messages: readonly Message[], more: Partial<Body> = {}): Body {
  return { ...REQUEST, ...more, messages };
}

/** A message of the user. */
export function user(...content: readonly (string | Block)[]): Message {
  return { role: 'user', content: content.map(asBlock) };
}

/** A message of the model. */
export function assistant(...content: readonly (string | Block)[]): Message {
  return { role: 'assistant', content: content.map(asBlock) };
}

function asBlock(content: string | Block): Block {
  return typeof content === 'string' ? { type: 'text', text: content } : content;
}

/** A call of a tool. */
export function use(id: string, more: Partial<Block> = {}): Block {
  return { type: 'tool_use', id, name: 'look', input: {}, ...more };
}

/** The result of a call. */
export function result(id: string, more: Partial<Block> = {}): Block {
  return { type: 'tool_result', tool_use_id: id, content: 'Seen.', ...more };
}

/** A thought, signed. */
export function thought(thinking: string): Block {
  return { type: 'thinking', thinking, signature: signatureOf(thinking) };
}

/** A picture in base64. */
export function image(media_type: string, data: string): Block {
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

/** A tool of that name. */
export function tool(name: string, input_schema: unknown = { type: 'object', properties: {} }): Tool {
  return { name, input_schema };
}

/** A conversation with one call and its result, and what else the request says. */
export function afterCall(call: Partial<Block> = {}, answer: Partial<Block> = {}, more: Partial<Body> = {}): Body {
  const id = call.id ?? 'toolu_1';
  return talk([user('Look.'), assistant(use(id, call)), user(result(id, answer))], more);
}
