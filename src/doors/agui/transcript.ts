/** The transcript of an agent as messages of AG-UI, with the ids that their events have. */
import { isObject, type Json } from '../../protocol/json';
import type { Transcript } from '../../protocol/wire-types';
import type { AguiMessage, AguiToolCall } from './events';
import { textOf } from './lane';

type Entry = Transcript['items'][number];

const partsOf = (content: Json | undefined): readonly Json[] => (Array.isArray(content) ? content : []);

function textIn(content: Json | undefined, type: string): string {
  if (typeof content === 'string') return type === 'text' ? content : '';
  return partsOf(content)
    .map((part) => (isObject(part) && part.type === type && typeof part.text === 'string' ? part.text : ''))
    .join('');
}

function callOf(part: Json): readonly AguiToolCall[] {
  if (!isObject(part) || part.type !== 'tool-call') return [];
  const { toolCallId, toolName, input } = part;
  const call = { name: String(toolName), arguments: JSON.stringify(input ?? {}) };
  return [{ id: String(toolCallId), type: 'function', function: call }];
}

/** The messages of an entry. */
function messagesOf(entry: Entry, sessionId: string): readonly AguiMessage[] {
  const { role, content, metadata } = entry;
  if (entry.silent) return [];
  const id = `${sessionId}.${entry.turn ?? 0}.${entry.step ?? 0}`;
  switch (role) {
    case 'tool': {
      const toolCallId = entry.toolCallId ?? '';
      return [{ id: `${toolCallId}.result`, role, toolCallId, content: textOf(entry.result) }];
    }
    case 'assistant': {
      const thought = textIn(content, 'reasoning');
      const text = textIn(content, 'text');
      const toolCalls = partsOf(content).flatMap(callOf);
      const said = { ...(text === '' ? {} : { content: text }), ...(toolCalls.length > 0 ? { toolCalls } : {}) };
      return [
        ...(thought === '' ? [] : [{ id: `${id}.thinking`, role: 'reasoning' as const, content: thought }]),
        { id, role, ...said },
      ];
    }
    default: {
      const own = isObject(metadata) && typeof metadata.agui === 'string' ? metadata.agui : entry.messageId;
      return [{ id: own ?? id, role, content: textIn(content, 'text') }];
    }
  }
}

/** All of them. */
export const messagesIn = (entries: readonly Entry[], sessionId: string): readonly AguiMessage[] =>
  entries.flatMap((entry) => messagesOf(entry, sessionId));
