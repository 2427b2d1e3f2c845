/**
 * How large a message is to a model, in bytes of UTF-8, and how one is cut that is too large. Pure, and the same for the
 * same rows: what a request says must not differ after a crash.
 *
 * Decides: how large a part of a message counts, and how it is cut.
 * Keeps CX2, CX9, CX15.
 */

import { beginningOf, endOf } from '../../../protocol/content/cut';
import { byteLength, type Json } from '../../../protocol/json';
import {
  type AssistantPart,
  type CallResult,
  type FilePart,
  type FileReference,
  isTextual,
  type Message,
  partsToShow,
  resultContent,
  type TextPart,
} from '../../../protocol/messages';

/** What stands around a message or a part of it in a request, about. Unit: bytes. */
const AROUND = 16;

/** What stands around a call or its result: an id besides. Unit: bytes. */
const AROUND_CALL = 64;

/** What a picture counts, which is the least of any file that is no text, and its most: models charge by content, not bytes. */
const IMAGE_BYTES = 6_400;
const MAX_FILE_BYTES = 65_536;

/** What a part has at least, where parts are cut. Unit: bytes. */
export const MIN_PART_BYTES = 256;

/** How large JSON is to a model: a text is told as it is. */
const jsonBytes = (value: Json): number =>
  byteLength(typeof value === 'string' ? value : JSON.stringify(value)) + AROUND;

const metadataBytes = (metadata: Json | undefined): number => (metadata === undefined ? 0 : jsonBytes(metadata));

function fileBytes(part: FilePart | FileReference): number {
  const bytes = 'data' in part ? Math.ceil((part.data.length * 3) / 4) : part.size;
  if (isTextual(part)) return bytes + AROUND;
  if (part.mediaType.startsWith('image/')) return IMAGE_BYTES;
  return Math.min(Math.max(bytes, IMAGE_BYTES), MAX_FILE_BYTES) + AROUND;
}

function partBytes(part: AssistantPart | FilePart | FileReference): number {
  switch (part.type) {
    case 'file':
      return fileBytes(part);
    case 'text':
    case 'reasoning':
      return byteLength(part.text) + AROUND + metadataBytes(part.providerMetadata);
    case 'provider-call':
      return byteLength(part.toolName) + AROUND_CALL + jsonBytes(part.input) + metadataBytes(part.providerMetadata);
    case 'provider-result':
      return byteLength(part.toolName) + AROUND_CALL + jsonBytes(part.result) + metadataBytes(part.providerMetadata);
    case 'source':
      // No model is sent one.
      return 0;
    case 'reply-file':
      return (part.mediaType.startsWith('image/') ? IMAGE_BYTES : AROUND) + metadataBytes(part.providerMetadata);
    case 'tool-call':
      return byteLength(part.toolName) + AROUND_CALL + jsonBytes(part.input) + metadataBytes(part.providerMetadata);
  }
}

/** The size of a result; in one with parts each file counts as a file. */
function resultBytes(result: CallResult): number {
  const parts = result.success ? partsToShow(result.value) : undefined;
  return parts ? parts.reduce((sum, part) => sum + partBytes(part), AROUND) : jsonBytes(resultContent(result));
}

/** How large a message is. */
export function messageBytes(message: Message): number {
  switch (message.role) {
    case 'system':
      return byteLength(message.content) + AROUND;
    case 'user':
      if (typeof message.content === 'string') return byteLength(message.content) + AROUND;
      return message.content.reduce((sum, part) => sum + partBytes(part), AROUND);
    case 'assistant':
      return message.content.reduce((sum, part) => sum + partBytes(part), AROUND);
    case 'tool':
      return byteLength(message.toolName) + AROUND_CALL + resultBytes(message.result);
  }
}

/** How large messages are together. */
export const bytesOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + messageBytes(message), 0);

/** The beginning of a text, of so many bytes at most; no character is cut in two. */
function beginning(text: string, bytes: number): string {
  let at = 0;
  for (let used = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    used += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (used > bytes) break;
    at += code < 0x10000 ? 1 : 2;
  }
  return beginningOf(text, at);
}

/** The end of a text, of so many bytes at most. */
function ending(text: string, bytes: number): string {
  let at = text.length;
  for (let used = 0; at > 0; ) {
    const unit = text.charCodeAt(at - 1);
    const units = unit >= 0xdc00 && unit < 0xe000 && at > 1 ? 2 : 1;
    used += units === 2 ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (used > bytes) break;
    at -= units;
  }
  return endOf(text, text.length - at);
}

/** A text of so many bytes at most (128 or more): where it is longer, a mark stands in place of its middle. */
export function cutText(text: string, bytes: number): string {
  const all = byteLength(text);
  if (all <= bytes) return text;
  const mark = ` [… cut, ${all} bytes in all …] `;
  const room = bytes - byteLength(mark);
  const head = beginning(text, Math.ceil(room / 3));
  return head + mark + ending(text, room - byteLength(head));
}

const LEFT_OUT = '[… older entries were left out …]';

/** Lines of so many bytes at most: where they are more, whole lines are left out between a third at the beginning and the end. */
export function cutLines(lines: readonly string[], bytes: number): string {
  const whole = lines.filter((line) => line !== LEFT_OUT);
  const all = lines.join('\n');
  if (byteLength(all) <= bytes) return all;
  const room = bytes - byteLength(LEFT_OUT) - 2;
  const head = within(whole, room / 3);
  const tail = within(whole.slice(head.length).reverse(), room - byteLength(head.join('\n'))).reverse();
  // A line that is longer than all that there is room for.
  if (tail.length === 0) return cutText(all, bytes);
  return [...head, LEFT_OUT, ...tail].join('\n');
}

/** The first lines, as many as have so many bytes. */
function within(lines: readonly string[], bytes: number): string[] {
  let used = 0;
  const past = lines.findIndex((line) => {
    used += byteLength(line) + 1;
    return used > bytes;
  });
  return lines.slice(0, past < 0 ? lines.length : past);
}

/** JSON of so many bytes at most: what is larger becomes the text of it, cut. */
const cutJson = (value: Json, bytes: number): Json =>
  jsonBytes(value) <= bytes + AROUND
    ? value
    : cutText(typeof value === 'string' ? value : JSON.stringify(value), bytes);

function cutFile<File extends FilePart | FileReference>(part: File, bytes: number): File | TextPart {
  if (fileBytes(part) <= bytes + AROUND) return part;
  const name = cutText(part.filename ?? 'without a name', MIN_PART_BYTES / 2);
  return { type: 'text', text: `[A file was left out: ${name} (${beginningOf(part.mediaType, 64)})]` };
}

function cutResult(result: CallResult, bytes: number): CallResult {
  if (resultBytes(result) <= bytes + AROUND) return result;
  const parts = result.success ? partsToShow(result.value) : undefined;
  if (parts) {
    const value = parts.map((part) =>
      part.type === 'text' ? { ...part, text: cutText(part.text, bytes) } : cutFile(part, bytes),
    );
    return { success: true, value: { type: 'content', value } };
  }
  if (result.success) return { success: true, value: cutJson(result.value, bytes) };
  const { details: _details, ...error } = result.error;
  return { success: false, error: { ...error, message: cutText(error.message, bytes - MIN_PART_BYTES / 4) } };
}

function cutPart(part: AssistantPart, bytes: number): AssistantPart {
  switch (part.type) {
    case 'text':
      return { ...part, text: cutText(part.text, bytes) };
    case 'reasoning':
    case 'provider-call':
    case 'source':
    case 'reply-file':
      // Providers check what they signed.
      return part;
    case 'provider-result':
      // One that is cut goes back as a text.
      if (jsonBytes(part.result) <= bytes + AROUND) return part;
      return { ...part, result: cutJson(part.result, bytes), cut: true };
    case 'tool-call': {
      if (jsonBytes(part.input) <= bytes + AROUND) return part;
      // Arguments are an object to every provider.
      return { ...part, input: { cut: cutText(JSON.stringify(part.input), bytes - AROUND) } };
    }
  }
}

/** A message whose texts, files, arguments and result have so many bytes at most (256 or more), but for the model's thinking. */
export function cutMessage(message: Message, bytes: number): Message {
  switch (message.role) {
    case 'system':
      return { ...message, content: cutText(message.content, bytes) };
    case 'user': {
      const { content } = message;
      if (typeof content === 'string') return { ...message, content: cutText(content, bytes) };
      const parts = content.map((part) =>
        part.type === 'text' ? { ...part, text: cutText(part.text, bytes) } : cutFile(part, bytes),
      );
      return { ...message, content: parts };
    }
    case 'assistant':
      return { ...message, content: message.content.map((part) => cutPart(part, bytes)) };
    case 'tool':
      return { ...message, result: cutResult(message.result, bytes) };
  }
}
