import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  edited,
  noPrompt,
  type PromptState,
  press,
  shownItem,
  telling,
  withItems,
} from '../../../src/cli/answering/prompt';
import { promptLines } from '../../../src/cli/answering/prompt-lines';
import type { Key } from '../../../src/cli/terminal/keys';
import { lineWidth, paint } from '../../../src/cli/terminal/style';
import type { PendingItem } from '../../../src/client/pending';
import { LOG_START } from '../../support/log';
import { HOSTILE, UNSAFE } from './surroundings';
import { ARGUMENTS } from './waiting-desk';

const item = (toolCallId: string, change: Partial<PendingItem> = {}): PendingItem => ({
  toolCallId,
  kind: 'approval',
  toolName: `tool ${toolCallId}`,
  input: { of: toolCallId },
  inputHash: `h_${toolCallId}`,
  address: '/agents/boss/b',
  agentType: 'boss',
  requestedAt: LOG_START,
  expiresAt: LOG_START + 90_000,
  ...change,
});

const char = (text: string): Key => ({ kind: 'char', char: text });
const ENTER: Key = { kind: 'enter' };
const KEYS: readonly Key[] = [
  ...'adenvjrxlq'.split('').map(char),
  ENTER,
  { kind: 'escape' },
  { kind: 'backspace' },
  { kind: 'up' },
  { kind: 'down' },
  { kind: 'page-up' },
  { kind: 'page-down' },
  { kind: 'paste', text: 'pasted\r' },
];

const nasty = HOSTILE.join('x');
const ITEMS: readonly PendingItem[] = [
  item('1'),
  item('2', {
    kind: 'client-tool',
    input: { lines: Array.from({ length: 50 }, (_, at) => `${at} ${'x'.repeat(at * 9)}`) },
  }),
  item('3', { toolName: nasty, agentType: nasty, address: nasty, input: { [nasty]: nasty } }),
  item('4', { toolName: '日本語のツール', input: ARGUMENTS }),
];

/** Keys as a person presses them who means it. */
const ANSWERS: readonly (readonly Key[])[] = [
  [char('a'), ENTER],
  [char('d'), char('q'), ENTER],
  [char('r'), { kind: 'paste', text: nasty }, ENTER],
  [char('x'), char('q'), ENTER],
];

/** What can happen to a prompt. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KEYS).map((key) => ({ keys: [key] })) },
  { weight: 4, arbitrary: fc.constantFrom(...ANSWERS).map((keys) => ({ keys })) },
  { weight: 1, arbitrary: fc.subarray([...ITEMS]).map((items) => ({ items })) },
  { weight: 1, arbitrary: fc.constantFrom('', '{"a":1}', '{', nasty).map((text) => ({ text })) },
  { weight: 2, arbitrary: fc.constant({ told: nasty }) },
);

describe('the prompt', () => {
  it('[K15, K17] whatever happens, it fits any terminal and nothing acts on it; an answer is for the call on the screen and follows an Enter', () => {
    const size = fc.record({ width: fc.integer({ min: 1, max: 110 }), height: fc.integer({ min: 0, max: 30 }) });
    let answers = 0;
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), size, (happenings, { width, height }) => {
        let state: PromptState = withItems(noPrompt, ITEMS, '');
        for (const each of happenings) {
          if ('items' in each) state = withItems(state, each.items, 'It is gone.');
          else if ('text' in each) state = state.mode.kind === 'busy' ? edited(state, each.text) : state;
          else if ('told' in each) state = state.mode.kind === 'busy' ? telling(state, each.told) : state;
          else
            for (const key of each.keys) {
              const before = state;
              const { state: after, wish } = press(state, key);
              if (wish?.kind === 'answer') {
                answers += 1;
                expect(key).toBe(ENTER);
                expect(wish.item).toBe(shownItem(before));
                expect(['approve', 'deny', 'result', 'error', 'confirm']).toContain(before.mode.kind);
                expect(wish.item.kind === 'approval').toBe(['approve', 'deny'].includes(wish.answer.kind));
              }
              state = after;
            }
          const lines = promptLines(state, { width, height, now: LOG_START + 1_000 });
          expect(lines.length).toBeLessThanOrEqual(height);
          for (const line of lines) {
            expect(lineWidth(line)).toBeLessThanOrEqual(width);
            expect(paint(line, false)).not.toMatch(UNSAFE);
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(answers).toBeGreaterThan(100);
  });

  it('[K16] a call that waited longest comes first, and `n` goes round', () => {
    let state = withItems(noPrompt, ITEMS, '');
    const shown = ['1'];
    for (let at = 0; at < 4; at += 1) {
      state = press(state, char('n')).state;
      shown.push(state.shown ?? '');
    }
    expect(shown).toEqual(['1', '2', '3', '4', '1']);
  });

  it('[K18] a call that vanishes while an answer to it is typed leaves a word that only Enter or Esc takes away', () => {
    let state = withItems(noPrompt, [item('1')], '');
    for (const key of ['d', 'n', 'o']) state = press(state, char(key)).state;
    state = withItems(state, [], 'alice approved it.');
    expect(promptLines(state, { width: 80, height: 9, now: 0 }).map((line) => paint(line, false))).toEqual([
      'alice approved it.',
      'Enter to continue',
    ]);
    state = withItems(state, [item('2')], '');
    for (const key of ['a', 'l', 'n']) expect(press(state, char(key))).toEqual({ state });
    expect(shownItem(press(state, ENTER).state)?.toolCallId).toBe('2');
  });

  it('[AN12] a call whose arguments no longer match the tool says so below its head, field by field', () => {
    const invalidFields = [
      { path: 'language', message: 'required' },
      { path: '', message: 'too long' },
    ];
    const state = withItems(noPrompt, [item('1', { invalidFields })], '');
    const lines = promptLines(state, { width: 200, height: 9, now: 0 }).map((line) => paint(line, false));
    expect(lines[2]).toBe(
      "The tool's schema has changed: edit the arguments or deny the call (language: required; too long).",
    );
    const none = promptLines(withItems(noPrompt, [item('1')], ''), { width: 200, height: 9, now: 0 });
    expect(none.map((line) => paint(line, false)).join()).not.toContain('schema');
  });

  it('[K15] the expiry counts down, in its own words when it is over', () => {
    const first = (now: number) => {
      const [line] = promptLines(withItems(noPrompt, [item('1')], ''), { width: 90, height: 9, now });
      return line === undefined ? '' : paint(line, false);
    };
    expect(first(LOG_START + 1_000)).toMatch(/asked 1s ago · expires in 1m29s$/u);
    expect(first(LOG_START + 90_000)).toMatch(/asked 1m30s ago · expired$/u);
  });
});
