/**
 * What messages come to without a model: what was asked, what was said, which tools were called and what came of it. The
 * same messages give the same digest.
 *
 * Decides: how much the digest keeps of each message.
 * Keeps CX6.
 */
import type { Json } from '../../../protocol/json';
import {
  type AssistantPart,
  type CallResult,
  fileName,
  type Message,
  partsOfResult,
  resultContent,
} from '../../../protocol/messages';
import { cutLines, cutText } from './size';

/** How much of each kind of entry is told. Unit: bytes. */
export interface Told {
  readonly asked: number;
  readonly said: number;
  readonly input: number;
  readonly result: number;
}

/** What a digest tells of each. */
const DIGEST: Told = { asked: 1_024, said: 768, input: 256, result: 384 };

/** What a model is told of each that writes a summary of its own. */
export const FOR_MODEL: Told = { asked: 16_384, said: 16_384, input: 4_096, result: 8_192 };

/** A value in one line, of so many bytes at most. */
function line(value: Json, bytes: number): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cutText(text.replaceAll(/\s+/g, ' ').trim(), bytes);
}

function asked(content: Extract<Message, { role: 'user' }>['content']): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => (part.type === 'text' ? part.text : `[file ${part.filename ?? part.mediaType}]`))
    .join('\n');
}

/** The outcome of a call; a file is given as its name. */
function cameOf(result: CallResult): Json {
  const parts = result.success ? partsOfResult(result.value) : undefined;
  return parts ? asked(parts) : resultContent(result);
}

function ofPart(part: AssistantPart, results: ReadonlyMap<string, CallResult>, told: Told): string[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [`- Said: ${line(part.text, told.said)}`];
    case 'reasoning':
    case 'provider-call':
    case 'source':
      return [];
    case 'provider-result':
      return [`- Had ${part.toolName} run by its provider, which gave: ${line(part.result, told.result)}`];
    case 'reply-file':
      return [`- Made a file: ${line(fileName(part), told.input)}`];
    case 'tool-call': {
      const result = results.get(part.toolCallId);
      const came = result === undefined ? 'no result' : line(cameOf(result), told.result);
      const how = result?.success === false ? 'failed' : 'gave';
      return [`- Called ${part.toolName} with ${line(part.input, told.input)}, which ${how}: ${came}`];
    }
  }
}

/** The entries of messages, one a line, in order. */
function entriesOf(messages: readonly Message[], told: Told): string[] {
  const results = new Map<string, CallResult>();
  for (const message of messages) if (message.role === 'tool') results.set(message.toolCallId, message.result);
  return messages.flatMap((message) => entries(message, results, told));
}

function entries(message: Message, results: ReadonlyMap<string, CallResult>, told: Told): string[] {
  switch (message.role) {
    case 'system':
      return [`- Told: ${line(message.content, told.asked)}`];
    case 'user':
      return [`- Asked: ${line(asked(message.content), told.asked)}`];
    case 'assistant':
      return message.content.flatMap((part) => ofPart(part, results, told));
    case 'tool':
      return [];
  }
}

/**
 * The digest of messages that follow what a summary tells, of so many bytes at most: where it would be longer, entries
 * between its beginning and its end are left out.
 */
export function digestOf(last: string, messages: readonly Message[], bytes: number, told: Told = DIGEST): string {
  const before = last === '' ? [] : last.split('\n');
  return cutLines([...before, ...entriesOf(messages, told)], bytes);
}
