/** The transcript of an agent as messages of AG-UI, with the ids that their events have. */

import { keptBy } from '../../core/definition/hooks/hooked-message';
import { isObject, type Json } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';
import type { Transcript } from '../../protocol/wire/wire-types';
import type { AguiMessage, AguiToolCall } from './events';
import { textOf } from './lane';
import { failedText } from './translate';

type Entry = Transcript['items'][number];

const partsOf = (content: Json | undefined): readonly Json[] => (Array.isArray(content) ? content : []);

/** The text in a message, or what it was thinking. */
function textIn(content: Json | undefined, type: string): string {
  if (typeof content === 'string') return type === 'text' ? content : '';
  return partsOf(content)
    .map((part) => (isObject(part) && part.type === type && typeof part.text === 'string' ? part.text : ''))
    .join('');
}

function callOf(part: Json): readonly AguiToolCall[] {
  if (!isObject(part) || part.type !== 'tool-call' || part.toolName === FINISH_TOOL) return [];
  const { toolCallId, toolName, input } = part;
  const call = { name: String(toolName), arguments: JSON.stringify(input ?? {}) };
  return [{ id: String(toolCallId), type: 'function', function: call }];
}

/** The id that a client of this protocol gave a message. */
export const idOfClient = (metadata: Json | undefined): string | undefined => keptBy('agui', metadata).id;

/** The result of a call, as its event has it. */
function resultOf(result: Json | undefined): string {
  const { success, value, error } = isObject(result) ? result : {};
  if (success === true) return textOf(value);
  return failedText(isObject(error) && typeof error.code === 'string' ? error.code : undefined);
}

/** The messages of an entry. */
function messagesOf(entry: Entry, sessionId: string): readonly AguiMessage[] {
  const { role, content, metadata } = entry;
  if (entry.silent) return [];
  const id = `${sessionId}.${entry.turn ?? 0}.${entry.step ?? 0}`;
  switch (role) {
    case 'tool': {
      const { toolCallId = '', toolName, result } = entry;
      if (toolName === FINISH_TOOL) return [];
      return [{ id: `${toolCallId}.result`, role, toolCallId, content: resultOf(result) }];
    }
    case 'assistant': {
      const thought = textIn(content, 'reasoning');
      const text = textIn(content, 'text');
      const toolCalls = partsOf(content).flatMap(callOf);
      const said = { ...(text === '' ? {} : { content: text }), ...(toolCalls.length > 0 ? { toolCalls } : {}) };
      return [
        ...(thought === '' ? [] : [{ id: `${id}.thinking`, role: 'reasoning' as const, content: thought }]),
        ...(Object.keys(said).length === 0 ? [] : [{ id, role, ...said }]),
      ];
    }
    default: {
      return [{ id: idOfClient(metadata) ?? entry.messageId ?? id, role, content: textIn(content, 'text') }];
    }
  }
}

/** All of them. */
export const messagesIn = (entries: readonly Entry[], sessionId: string): readonly AguiMessage[] =>
  entries.flatMap((entry) => messagesOf(entry, sessionId));
