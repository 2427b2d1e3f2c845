/** Reads a prompt: what was asked in this turn, and what the calls so far have brought. All that the offline model knows. */
import type { LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { Json, JsonObject } from '../../core/json';
import { isObject, toJson } from '../../core/json';
import { FINISH_TOOL } from '../../core/messages';

/** A call of this turn with its result. `failure` is the text of an error; then there is no `value`. */
export interface ToolUse {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly result?: { readonly value: Json; readonly failure?: string };
}

/** The turn that is under way: everything since the last answer. */
export interface Turn {
  /** The user's messages; a later one adds to the first. */
  readonly requests: readonly string[];
  /** The calls in order. */
  readonly uses: readonly ToolUse[];
}

const asJson = (value: unknown): Json => {
  const json = toJson(value);
  return json.ok ? json.json : null;
};

/** A text as JSON where it is some, else as it is. */
export function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function resultOf(output: LanguageModelV4ToolResultOutput): { value: Json; failure?: string } {
  if (output.type === 'execution-denied') return { value: null, failure: output.reason ?? 'denied' };
  const raw =
    output.type === 'content'
      ? output.value.map((part) => (part.type === 'text' ? part.text : '')).join('')
      : output.value;
  const value = typeof raw === 'string' ? parsed(raw) : asJson(raw);
  const error = isObject(value) && value.success === false ? value.error : undefined;
  if (typeof error === 'string') return { value, failure: error };
  const failed = output.type === 'error-text' || output.type === 'error-json';
  return failed ? { value, failure: typeof value === 'string' ? value : JSON.stringify(value) } : { value };
}

interface Reading {
  requests: string[];
  uses: Map<string, ToolUse>;
  answered: boolean;
}

function inputOf(input: unknown): JsonObject {
  const value = typeof input === 'string' ? parsed(input) : asJson(input);
  return isObject(value) ? value : {};
}

function ends(use: ToolUse, endTools: ReadonlySet<string>): boolean {
  return endTools.has(use.toolName) && use.result !== undefined && use.result.failure === undefined;
}

/** Reads the current turn. `endTool` is the tool besides `__finish__` whose success ends a turn. */
export function readTurn(prompt: LanguageModelV4Prompt, endTool?: string): Turn {
  const endTools = new Set(endTool === undefined ? [FINISH_TOOL] : [FINISH_TOOL, endTool]);
  let reading: Reading = { requests: [], uses: new Map(), answered: true };
  for (const message of prompt) {
    if (message.role === 'user') {
      if (reading.answered) reading = { requests: [], uses: new Map(), answered: false };
      reading.requests.push(
        message.content
          .map((part) => (part.type === 'text' ? part.text : ''))
          .join('\n')
          .trim(),
      );
    } else if (message.role === 'assistant') {
      const calls = message.content.filter((part) => part.type === 'tool-call');
      for (const call of calls)
        reading.uses.set(call.toolCallId, { toolName: call.toolName, input: inputOf(call.input) });
      reading.answered = calls.length === 0;
    } else if (message.role === 'tool') {
      for (const part of message.content) {
        const use = part.type === 'tool-result' ? reading.uses.get(part.toolCallId) : undefined;
        if (part.type !== 'tool-result' || use === undefined) continue;
        const settled = { ...use, result: resultOf(part.output) };
        reading.uses.set(part.toolCallId, settled);
        reading.answered ||= ends(settled, endTools);
      }
    }
  }
  return { requests: reading.requests.filter((text) => text !== ''), uses: [...reading.uses.values()] };
}

/** The uses of one tool that have a result. */
export function settled(turn: Turn, toolName: string): Required<ToolUse>[] {
  return turn.uses.filter((use): use is Required<ToolUse> => use.toolName === toolName && use.result !== undefined);
}
