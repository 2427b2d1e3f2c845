/**
 * The prompt for what waits for a person: what it shows, and what each key does. Pure.
 *
 * - An answer takes two keys, the second one Enter: a key that was meant for what was shown before answers nothing.
 * - What goes away while it is shown is replaced by a word about it that Enter takes away; no other key does anything.
 */

import type { PendingItem } from '../../client/pending';
import { type ExactJson, exactJson } from '../../protocol/content/exact-json';
import type { Json } from '../../protocol/json';
import { type Key, written } from '../terminal/keys';
import type { Answer } from './answer';
import { isReport } from './arguments';

/** What the prompt does with the call that it shows. */
export type Mode =
  /** Shows it. `top` is the first line of the arguments on the screen; `exact` shows a report as JSON. */
  | { readonly kind: 'look'; readonly top: number; readonly whole: boolean; readonly exact: boolean }
  /** One line tells that something waits. */
  | { readonly kind: 'folded' }
  /** Asks once more, with the arguments as they are or as they were edited. */
  | { readonly kind: 'approve'; readonly input?: Json }
  | { readonly kind: 'deny'; readonly text: string }
  | { readonly kind: 'result'; readonly text: string }
  /** Asks once more for a result that was written in the editor. */
  | { readonly kind: 'confirm'; readonly result: Json }
  | { readonly kind: 'error'; readonly text: string }
  /** Something goes on; no key counts. */
  | { readonly kind: 'busy'; readonly with: 'editor' | 'sending' }
  /** Tells something. */
  | { readonly kind: 'told'; readonly text: string };

/** The prompt. */
export interface PromptState {
  /** What waits, the one asked first at the front. */
  readonly items: readonly PendingItem[];
  /** The id of the call that is shown; undefined when nothing is. */
  readonly shown?: string;
  readonly mode: Mode;
  /** What the editor gave last for the call that is shown. */
  readonly kept?: string;
}

/** What a key asks for beyond the prompt itself. */
export type Wish =
  | { readonly kind: 'answer'; readonly item: PendingItem; readonly answer: Answer }
  | { readonly kind: 'edit'; readonly text: string }
  | { readonly kind: 'look-away' };

/** A prompt after a key, and what the key asks for. */
export interface Pressed {
  readonly state: PromptState;
  readonly wish?: Wish;
}

const LOOK: Mode = { kind: 'look', top: 0, whole: false, exact: false };

/** The prompt before anything waits. */
export const noPrompt: PromptState = { items: [], mode: LOOK };

/** The call that is shown. */
export function shownItem({ items, shown }: PromptState): PendingItem | undefined {
  return items.find((item) => item.toolCallId === shown);
}

/**
 * The prompt with what waits now.
 * @param news what became of the call that is shown, when it waits no longer
 */
export function withItems(state: PromptState, items: readonly PendingItem[], news: string): PromptState {
  const before = shownItem(state);
  const now = items.find((item) => item.toolCallId === state.shown);
  if (before !== undefined && now !== undefined) {
    const { kept: _kept, ...rest } = state;
    const same = before.inputHash === now.inputHash;
    // Other arguments are another question: what was pressed for the old ones is void.
    return same ? { ...state, items } : { ...rest, items, mode: { kind: 'told', text: 'The arguments have changed.' } };
  }
  if (state.mode.kind === 'told') return { ...state, items };
  if (before === undefined) return next({ ...state, items });
  // The answer that is on its way has got through.
  if (state.mode.kind === 'busy' && state.mode.with === 'sending') return next({ ...state, items });
  const idle = state.mode.kind === 'look' || state.mode.kind === 'folded';
  if (idle && items.length === 0) return next({ ...state, items });
  return { items, mode: { kind: 'told', text: news } };
}

/** The prompt with something to tell about the call that is shown. */
export function telling(state: PromptState, text: string): PromptState {
  return { ...state, mode: { kind: 'told', text } };
}

/** The prompt after the editor gave a text: an empty one or an unchanged one changes nothing. */
export function edited(state: PromptState, text: string): PromptState {
  const item = shownItem(state);
  if (item === undefined) return state;
  if (text.trim() === '') return { ...state, mode: LOOK };
  const value = jsonOf(text);
  if (item.kind === 'client-tool') {
    return { ...state, kept: text, mode: { kind: 'confirm', result: value.ok ? value.json : text.trimEnd() } };
  }
  if (!value.ok) {
    const told = `Invalid JSON (${value.problem}); nothing was sent. Press \`e\` to continue editing.`;
    return { ...telling(state, told), kept: text };
  }
  const same = JSON.stringify(value.json) === JSON.stringify(item.input);
  return { ...state, kept: text, mode: { kind: 'approve', ...(same ? {} : { input: value.json }) } };
}

/** The value that a typed result stands for: its JSON, or the text itself. */
export function resultOf(text: string): Json {
  const value = jsonOf(text);
  return value.ok ? value.json : text;
}

function jsonOf(text: string): ExactJson {
  try {
    JSON.parse(text);
  } catch (error) {
    return { ok: false, isJson: false, problem: error instanceof Error ? error.message : 'not JSON' };
  }
  const read = exactJson(text);
  return read.ok ? read : { ...read, problem: `it ${read.problem}` };
}

/** Shows the call after the one that is shown, or the first. */
function next({ items, shown }: PromptState): PromptState {
  const at = items.findIndex((item) => item.toolCallId === shown);
  const item = items[(at + 1) % Math.max(1, items.length)];
  return item === undefined ? { items, mode: LOOK } : { items, shown: item.toolCallId, mode: LOOK };
}

/** What a key does. */
export function press(state: PromptState, key: Key): Pressed {
  const { mode } = state;
  if (mode.kind === 'told') {
    return { state: key.kind !== 'enter' && key.kind !== 'escape' ? state : afterTold(state) };
  }
  const item = shownItem(state);
  if (item === undefined || mode.kind === 'busy') return { state };
  if (mode.kind === 'folded') return { state: key.kind === 'enter' ? { ...state, mode: LOOK } : state };
  if (mode.kind === 'look') return looking(state, mode, item, key);
  if (key.kind === 'escape') return { state: { ...state, mode: LOOK } };
  if (mode.kind === 'approve' || mode.kind === 'confirm') {
    if (key.kind === 'char' && key.char.toLowerCase() === 'e') return editing(state, item);
    return key.kind === 'enter' ? answered(state, item, confirmed(mode)) : { state };
  }
  if (key.kind !== 'enter') return { state: { ...state, mode: { ...mode, text: written(mode.text, key) } } };
  const answer = typedAnswer(mode);
  return answer === undefined ? { state } : answered(state, item, answer);
}

function afterTold(state: PromptState): PromptState {
  return shownItem(state) === undefined ? next(state) : { ...state, mode: LOOK };
}

function looking(state: PromptState, mode: Mode & { kind: 'look' }, item: PendingItem, key: Key): Pressed {
  const look = (change: Partial<typeof mode>) => ({ state: { ...state, mode: { ...mode, ...change } } });
  switch (key.kind) {
    case 'escape':
      return mode.whole ? look({ whole: false, top: 0 }) : { state: { ...state, mode: { kind: 'folded' } } };
    case 'up':
      return look({ top: Math.max(0, mode.top - 1) });
    case 'down':
      return look({ top: mode.top + 1 });
    case 'page-up':
      return look({ top: Math.max(0, mode.top - 10) });
    case 'page-down':
      return look({ top: mode.top + 10 });
    case 'char':
      return chosen(state, mode, item, key.char.toLowerCase());
    default:
      return { state };
  }
}

function chosen(state: PromptState, mode: Mode & { kind: 'look' }, item: PendingItem, char: string): Pressed {
  const to = (then: Mode): Pressed => ({ state: { ...state, mode: then } });
  if (char === 'l') return { state, wish: { kind: 'look-away' } };
  if (char === 'n') return { state: next(state) };
  if (char === 'v') return to({ ...mode, whole: !mode.whole, top: 0 });
  if (char === 'j' && isReport(item.input)) return to({ ...mode, exact: !mode.exact, top: 0 });
  if (char === 'e') return editing(state, item);
  if (item.kind === 'approval') {
    if (char === 'a') return to({ kind: 'approve' });
    if (char === 'd') return to({ kind: 'deny', text: '' });
  } else {
    if (char === 'r') return to({ kind: 'result', text: '' });
    if (char === 'x') return to({ kind: 'error', text: '' });
  }
  return { state };
}

function editing(state: PromptState, item: PendingItem): Pressed {
  const text = state.kept ?? (item.kind === 'approval' ? `${JSON.stringify(item.input, null, 2)}\n` : '');
  return { state: { ...state, mode: { kind: 'busy', with: 'editor' } }, wish: { kind: 'edit', text } };
}

function answered(state: PromptState, item: PendingItem, answer: Answer): Pressed {
  return {
    state: { ...state, mode: { kind: 'busy', with: 'sending' } },
    wish: { kind: 'answer', item, answer },
  };
}

function confirmed(mode: Mode & { kind: 'approve' | 'confirm' }): Answer {
  if (mode.kind === 'confirm') return { kind: 'result', result: mode.result };
  return { kind: 'approve', ...(mode.input === undefined ? {} : { input: mode.input }) };
}

/** The answer that was typed; a result or an error must not be empty. */
function typedAnswer(mode: Mode & { kind: 'deny' | 'result' | 'error' }): Answer | undefined {
  const text = mode.text.trim();
  if (mode.kind === 'deny') return { kind: 'deny', reason: text };
  if (text === '') return undefined;
  return mode.kind === 'error' ? { kind: 'error', error: text } : { kind: 'result', result: resultOf(text) };
}
