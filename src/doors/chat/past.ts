/** Messages of a chat from the transcript of its agent: a pure function. */

import { keptBy } from '../../core/definition/hooks/hooked-message';
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';
import type { Document } from '../../protocol/wire/wire-types';
import type { UiMessage, UiPart } from './ui';

type Entry = Document<'message'>;

/** Facts beside the transcript. */
export interface PastOptions {
  /** The id of the answer that a turn belongs to. */
  idOf(turn: number): string;
  readonly agent: { readonly address: string; readonly agentType?: string };
  readonly filesAt: string;
  /** Answers that the log has, by their ids: they take the place of what the transcript has of them. */
  readonly whole?: ReadonlyMap<string, UiMessage>;
  /** The last answer among them. */
  readonly current?: UiMessage;
}

const textOf = (content: Json | undefined): string => (typeof content === 'string' ? content : '');

function partsOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** The messages, oldest first. */
export function pastAnswers(entries: readonly Entry[], options: PastOptions): UiMessage[] {
  const results = new Map(entries.flatMap((entry) => (entry.role === 'tool' ? [[entry.toolCallId, entry]] : [])));
  const messages: UiMessage[] = [];
  let open: { readonly id: string; readonly parts: UiPart[] } | undefined;
  let said: UiMessage[] = [];
  const close = (): void => {
    if (open) messages.push(options.whole?.get(open.id) ?? { ...open, role: 'assistant' });
    messages.push(...said);
    open = undefined;
    said = [];
  };
  for (const entry of entries) {
    if (entry.role === 'tool') continue;
    if (entry.role !== 'assistant') {
      const message = personsMessage(entry, options);
      if (message) said.push(message);
      continue;
    }
    const id = options.idOf(entry.turn ?? 0);
    if (open?.id !== id) {
      close();
      open = { id, parts: [] };
    }
    open.parts.push(...said.map(steeringOf), { type: 'step-start' });
    said = [];
    for (const part of partsOf(entry.content)) open.parts.push(...replyPart(part, results, options));
  }
  close();
  const { current } = options;
  if (current && current.parts.length > 0 && !messages.includes(current)) messages.push(current);
  return messages;
}

const steeringOf = ({ id, parts }: UiMessage): UiPart => ({ type: 'steering-message', id, parts });

/** The id that a chat gave its message. */
export const idInChat = (metadata: Json | undefined): string | undefined => keptBy('chat', metadata).id;

/** True for a message that a person sent, and that people read. */
export const isPersons = ({ role, from, silent }: Entry): boolean => role === 'user' && from === 'caller' && !silent;

/** A message of who talks to the agent; undefined for one of other agents, or that is not for people. */
export function personsMessage(
  { role, from, silent, content, messageId, metadata }: Entry,
  options: Pick<PastOptions, 'agent' | 'filesAt'>,
): UiMessage | undefined {
  if (from !== 'caller' || silent || messageId === undefined) return undefined;
  const own = keptBy('chat', metadata);
  const parts = partsOf(content).map((part): UiPart => filePart(part, options) ?? textPart(part));
  return {
    id: own.id ?? messageId,
    role: role === 'system' ? ('system' as const) : ('user' as const),
    ...(isObject(own.metadata ?? null) ? { metadata: own.metadata as JsonObject } : {}),
    parts: parts.length > 0 ? parts : [{ type: 'text', text: '' }],
  };
}

const textPart = ({ text }: JsonObject): UiPart => ({ type: 'text', text: textOf(text) });

function filePart(
  { type, mediaType, filename, data, path, url }: JsonObject,
  options: Pick<PastOptions, 'agent' | 'filesAt'>,
) {
  if ((type !== 'file' && type !== 'reply-file') || typeof mediaType !== 'string') return undefined;
  const named = typeof filename === 'string' ? { filename } : {};
  const { filesAt, agent } = options;
  const at =
    typeof data === 'string'
      ? `data:${mediaType};base64,${data}`
      : typeof path === 'string'
        ? `${filesAt}${agent.address}/files/${encodeURIComponent(path)}`
        : url;
  return typeof at === 'string' ? { type: 'file', mediaType, ...named, url: at } : undefined;
}

/** The parts of a reply. */
function replyPart(part: JsonObject, results: ReadonlyMap<string | undefined, Entry>, options: PastOptions): UiPart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: textOf(part.text), state: 'done' }];
    case 'reasoning':
      return [{ type: 'reasoning', text: textOf(part.text), state: 'done' }];
    case 'tool-call':
      return part.toolName === FINISH_TOOL
        ? [{ type: 'data-output', id: 'output', data: part.input ?? null }]
        : [toolPart(part, results.get(textOf(part.toolCallId)), options)];
    case 'source':
      return [sourcePart(part)];
    case 'reply-file':
      return [
        filePart(part, options) ?? {
          type: 'data-omitted-file',
          data: { mediaType: part.mediaType ?? '', reason: part.omitted ?? '' },
        },
      ];
    default:
      return [];
  }
}

function toolPart(part: JsonObject, result: Entry | undefined, { agent }: PastOptions): UiPart {
  const call = {
    ...{ type: 'dynamic-tool', toolName: textOf(part.toolName), toolCallId: textOf(part.toolCallId) },
    ...{ input: part.input ?? null, providerExecuted: true, toolMetadata: agent },
  };
  if (result === undefined) return { ...call, state: 'input-available' };
  const outcome = isObject(result.result ?? null) ? (result.result as JsonObject) : {};
  if (outcome.success === true) return { ...call, state: 'output-available', output: outcome.value ?? null };
  const error = isObject(outcome.error ?? null) ? (outcome.error as JsonObject) : {};
  return { ...call, state: 'output-error', errorText: textOf(error.title) || 'The tool failed.' };
}

function sourcePart({ id, sourceType, url, title, mediaType, filename }: JsonObject): UiPart {
  const sourceId = textOf(id);
  const titled = typeof title === 'string' ? { title } : {};
  if (sourceType === 'url') return { type: 'source-url', sourceId, url: textOf(url), ...titled };
  return {
    ...{ type: 'source-document', sourceId, mediaType: textOf(mediaType) },
    title: textOf(title) || textOf(filename) || sourceId,
    ...(typeof filename === 'string' ? { filename } : {}),
  };
}
