/** The prompt as lines below the tree. Pure. Everything that an agent wrote is cleaned by `span` or written as JSON. */

import type { PendingItem } from '../../client/pending';
import type { Json } from '../../protocol/json';
import { formatSpan } from '../terminal/format';
import { fitLine, type Line, type Span, span, spread, wrapLine } from '../terminal/style';
import { cleanLine, cleanLines, truncateFront } from '../terminal/text';
import { isReport, jsonLines, readableLines } from './arguments';
import { type Mode, type PromptState, resultOf, shownItem } from './prompt';

/** What the lines depend on beside the prompt. `now` is in ms since 1970. */
export interface PromptSize {
  readonly width: number;
  readonly height: number;
  readonly now: number;
}

/** The lines of a prompt: at most `height` of them, each at most `width` columns; none when it has nothing to show. */
export function promptLines(state: PromptState, size: PromptSize): Line[] {
  const lines = linesOf(state, size).slice(0, Math.max(0, size.height));
  return lines.map((line) => fitLine(line, size.width));
}

function linesOf(state: PromptState, size: PromptSize): Line[] {
  const item = shownItem(state);
  const { mode } = state;
  if (item === undefined) return mode.kind === 'told' ? told(mode.text, size) : [];
  if (mode.kind === 'folded') {
    const count = state.items.length;
    const what = count === 1 ? '1 pending call' : `${count} pending calls`;
    return [fitLine([span('? ', 'warn'), span(`${what} · Enter to show`)], size.width)];
  }
  if (mode.kind === 'told') return told(mode.text, size);
  const head = headLines(state, item, size);
  const foot = footLines(state, item, mode, size.width);
  const room = size.height - head.length - foot.length;
  // Where there is little room, the keys are what must be seen, then what it is about.
  if (room < 1)
    return [...head.slice(0, Math.max(0, size.height - foot.length)), ...foot].slice(-Math.max(1, size.height));
  const body = bodyLines(item, mode, size.width);
  const gap: Line[] = body.length + 2 <= room ? [[]] : [];
  return [...head, ...gap, ...windowOf(body, mode, room, size.width), ...gap, ...foot];
}

function told(text: string, { width, height }: PromptSize): Line[] {
  const lines = cleanLines(text).flatMap((line) => wrapLine([span(line, 'warn')], width));
  return [...lines.slice(0, Math.max(0, height - 1)), keysLine(['Enter to continue'], width)];
}

function headLines({ items }: PromptState, item: PendingItem, { width, now }: PromptSize): Line[] {
  const wants = item.kind === 'approval' ? ' waits for your approval' : ' waits for a result from you';
  const facts: string[] = [];
  if (items.length > 1) facts.push(`${items.indexOf(item) + 1} of ${items.length}`);
  if (item.requestedAt !== undefined) facts.push(`asked ${formatSpan(now - item.requestedAt)} ago`);
  const left: Line = [span('? ', 'warn'), span(item.toolName, 'bold'), span(wants)];
  const who: Line = [span(`${item.agentType} at ${item.address}`, 'dim')];
  const head = [spread(left, [span(facts.join(' · '), 'dim'), ...expiry(item, now)], width), fitLine(who, width)];
  const misfit = misfitOf(item);
  return misfit === '' ? head : [...head, fitLine([span(misfit, 'bad')], width)];
}

/** The arguments that no longer match the tool, and a way out; empty where all do. */
export function misfitOf({ invalidFields = [] }: PendingItem): string {
  if (invalidFields.length === 0) return '';
  const fields = invalidFields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return `The tool's schema has changed: edit the arguments or deny the call (${fields}).`;
}

function expiry({ expiresAt }: PendingItem, now: number): Span[] {
  if (expiresAt === undefined) return [];
  if (expiresAt <= now) return [span(' · ', 'dim'), span('expired', 'bad')];
  return [span(' · ', 'dim'), span(`expires in ${formatSpan(expiresAt - now)}`, 'warn')];
}

/** Lines are made once for the same arguments and width: frames are drawn often. */
const made = new WeakMap<object, { readonly key: string; readonly lines: Line[] }>();

function bodyLines(item: PendingItem, mode: Mode, width: number): Line[] {
  const { owner, value } = bodyOf(item, mode);
  const exact = mode.kind === 'look' && mode.exact;
  const key = `${width} ${exact}`;
  const held = made.get(owner);
  if (held?.key === key) return held.lines;
  const lines = !exact && isReport(value) ? readableLines(value, width) : jsonLines(value, width);
  made.set(owner, { key, lines });
  return lines;
}

/** What an answer would be about: the arguments, those that were edited, or the result that was written. */
function bodyOf(item: PendingItem, mode: Mode): { readonly owner: object; readonly value: Json } {
  if (mode.kind === 'confirm') return { owner: mode, value: mode.result };
  if (mode.kind === 'approve' && mode.input !== undefined) return { owner: mode, value: mode.input };
  return { owner: item, value: item.input };
}

/** As much of the body as there is room for, and how much more there is. */
function windowOf(body: readonly Line[], mode: Mode, room: number, width: number): Line[] {
  if (body.length <= room) return [...body];
  if (room < 2) return [fitLine([span(`… ${body.length} lines; v shows them`, 'dim')], width)];
  const shown = room - 1;
  const top = Math.min(mode.kind === 'look' ? mode.top : 0, body.length - shown);
  const more = `… lines ${top + 1} to ${top + shown} of ${body.length}; the arrow keys show the others`;
  return [...body.slice(top, top + shown), fitLine([span(more, 'dim')], width)];
}

function footLines(state: PromptState, item: PendingItem, mode: Mode, width: number): Line[] {
  switch (mode.kind) {
    case 'look':
      return [keysLine(lookKeys(state, item, mode), width)];
    case 'approve': {
      const edited = mode.input !== undefined;
      const ask = edited ? 'Approve with your edited arguments?' : 'Approve it with exactly these arguments?';
      return [asked(ask, width), keysLine(['Enter approves', 'e edits', 'Esc goes back'], width)];
    }
    case 'confirm':
      return [asked('Send this as the result?', width), keysLine(['Enter sends', 'e edits', 'Esc goes back'], width)];
    case 'deny':
      return typing('Reason (optional)', mode.text, ['Enter denies', 'Esc goes back'], width);
    case 'error':
      return typing('What went wrong?', mode.text, ['Enter sends the error', 'Esc goes back'], width);
    case 'result': {
      const kind =
        mode.text.trim() === ''
          ? 'JSON or text'
          : typeof resultOf(mode.text.trim()) === 'string'
            ? 'as text'
            : 'as JSON';
      return typing(`The result (${kind}):`, mode.text, ['Enter sends', 'Esc goes back'], width);
    }
    case 'busy':
      return [fitLine([span(mode.with === 'editor' ? 'In the editor…' : 'Sending the answer…', 'dim')], width)];
    case 'folded':
    case 'told':
      return [];
  }
}

function lookKeys({ items }: PromptState, item: PendingItem, mode: Mode & { kind: 'look' }): string[] {
  const answers = item.kind === 'approval' ? ['a approve', 'd deny', 'e edit'] : ['r result', 'e write it', 'x error'];
  return [
    ...answers,
    ...(items.length > 1 ? ['n next'] : []),
    mode.whole ? 'v less' : 'v full screen',
    ...(isReport(item.input) ? [mode.exact ? 'j as text' : 'j as JSON'] : []),
    'Esc hide',
    'l detach',
  ];
}

function asked(text: string, width: number): Line {
  return fitLine([span(text, 'warn')], width);
}

/** A question with what was typed so far: of a long text its end is seen. */
function typing(question: string, text: string, keys: readonly string[], width: number): Line[] {
  const line = truncateFront(cleanLine(text), Math.max(1, width - 3));
  return [asked(question, width), [span('> ', 'accent'), span(line), span('_', 'accent')], keysLine(keys, width)];
}

/** What the keys do. */
export function keysLine(keys: readonly string[], width: number): Line {
  return fitLine([span(keys.join(' · '), 'dim')], width);
}
