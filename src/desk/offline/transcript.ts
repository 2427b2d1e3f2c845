/** Reads a prompt: what was asked in this turn, and what the calls so far have brought. All that the offline model knows. */
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { Json, JsonObject } from '../../protocol/json';
import { isObject, toJson } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';

/** True if a message is a notice of Offshoot: it marks those for models that look for it. */
const isNotice = ({ role, providerOptions }: LanguageModelV4Message): boolean =>
  role === 'user' && providerOptions?.offshoot?.notice === true;

/** What a call brought. `failure` is the text of an error, `code` its code where it has one; then `value` says no more. */
interface UseResult {
  readonly value: Json;
  readonly failure?: string;
  readonly code?: string;
}

/** A call of this turn with its result. */
export interface ToolUse {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly result?: UseResult;
}

/** The turn that is under way: everything since the last answer. */
export interface Turn {
  /** The user's messages; a later one adds to the first. */
  readonly requests: readonly string[];
  /** The calls in order. */
  readonly uses: readonly ToolUse[];
  /** The calls of the turns before, in order. */
  readonly before: readonly ToolUse[];
  /** All messages of the conversation that are not its own, also of the turns before; oldest first. */
  readonly said: readonly string[];
}

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];

const asJson = (value: unknown): Json => {
  const json = toJson(value);
  return json.ok ? json.json : null;
};

/** A text as JSON where it is some, else as it is. */
export function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function resultOf(output: LanguageModelV4ToolResultOutput): UseResult {
  if (output.type === 'execution-denied')
    return { value: null, failure: `A person denied it: ${output.reason ?? ''}`, code: 'approval_denied' };
  const raw =
    output.type === 'content'
      ? output.value.map((part) => (part.type === 'text' ? part.text : '')).join('')
      : output.value;
  const value = typeof raw === 'string' ? parsed(raw) : asJson(raw);
  const error = isObject(value) && value.success === false ? value.error : undefined;
  const code = isObject(value) && typeof value.code === 'string' ? { code: value.code } : {};
  if (typeof error === 'string') return { value, failure: error, ...code };
  const failed = output.type === 'error-text' || output.type === 'error-json';
  return failed ? { value, failure: typeof value === 'string' ? value : JSON.stringify(value) } : { value };
}

const textOf = (content: readonly UserPart[]): string =>
  content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim();

interface Reading {
  requests: string[];
  uses: Map<string, ToolUse>;
  before: readonly ToolUse[];
  answered: boolean;
}

function inputOf(input: unknown): JsonObject {
  const value = typeof input === 'string' ? parsed(input) : asJson(input);
  return isObject(value) ? value : {};
}

function ends(use: ToolUse, endTools: ReadonlySet<string>): boolean {
  return endTools.has(use.toolName) && use.result !== undefined && use.result.failure === undefined;
}

/** Reads the current turn. `ending` are the tools besides `__finish__` whose success ends a turn. */
export function readTurn(prompt: LanguageModelV4Prompt, ending: readonly string[] = []): Turn {
  const endTools = new Set([FINISH_TOOL, ...ending]);
  const said: string[] = [];
  let reading: Reading = { requests: [], uses: new Map(), before: [], answered: true };
  for (const message of prompt) {
    if (message.role === 'user') {
      // The runtime says this, and nobody asks it.
      if (isNotice(message)) continue;
      const text = textOf(message.content);
      if (reading.answered)
        reading = {
          requests: [],
          uses: new Map(),
          before: [...reading.before, ...reading.uses.values()],
          answered: false,
        };
      reading.requests.push(text);
      if (text !== '') said.push(text);
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
  const requests = reading.requests.filter((text) => text !== '');
  return { requests, uses: [...reading.uses.values()], before: reading.before, said };
}

/** The uses of one tool that have a result. */
export function settled({ uses }: Pick<Turn, 'uses'>, toolName: string): Required<ToolUse>[] {
  return uses.filter((use): use is Required<ToolUse> => use.toolName === toolName && use.result !== undefined);
}
