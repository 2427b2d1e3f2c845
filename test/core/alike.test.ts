import { describe, expect, it } from 'vitest';
import { patternOf } from '../../src/protocol/shown/alike';
import { beginningInWords } from '../../src/protocol/shown/in-words';

describe('messages of failures', () => {
  it.each([
    ['Too many steps: 5 of 5.', 'Too many steps: 12 of 12.'],
    ['No answer of https://a.example/x?y=1 in 30 s.', 'No answer of https://b.example/ in 1.5 s.'],
    ['The tool "search" failed.', 'The tool "send_mail" failed.'],
    ["File 'a b.md' isn't there, and can't be.", "File 'c.md' isn't there, and can't be."],
    ['Session 7c9e6679-7425-40de is gone.', 'Session 0a1b2c3d-1111-2222 is gone.'],
    ['/agents/lead/q1/sub/helper/2~1 does not answer.', '/agents/lead/q2 does not answer.'],
    ['It broke.\nat one (a.ts:1:2)', 'It broke.\nat other (b.ts:3:4)'],
  ])('[A85] have one pattern where they differ in what differs from run to run: %s', (one, other) => {
    expect(patternOf(one)).toBe(patternOf(other));
    expect(patternOf(one)).not.toBe('');
  });

  it('[A85] have patterns of their own where their words differ, and none is long', () => {
    expect(patternOf('It broke.')).not.toBe(patternOf('It hung.'));
    expect(patternOf('word '.repeat(10_000)).length).toBeLessThanOrEqual(160);
    // Half a character is none that can be asked for.
    expect(patternOf(`${'x'.repeat(159)}\u{1F600} is no name.`).isWellFormed()).toBe(true);
    expect(patternOf(`"${'x'.repeat(100_000)}`).length).toBeLessThanOrEqual(160);
  });
});

describe('how arguments begin', () => {
  it.each([
    [{ disk: 'sda' }, 'sda'],
    [{ to: 'ann', subject: 'Hello\n there' }, 'to: ann, subject: Hello there'],
    ['a text', 'a text'],
    [['a', 'b'], 'a; b'],
    [null, 'null'],
    [{}, ''],
    [{ text: 'x'.repeat(500) }, 'x'.repeat(40)],
  ])('[A84] is one line of what they say, and no longer than it may be: %j', (input, says) => {
    expect(beginningInWords(input, 40)).toBe(says);
  });

  it('[A84] end in no half of a character', () => {
    expect(beginningInWords({ text: `${'x'.repeat(39)}😀` }, 40)).toBe('x'.repeat(39));
    expect(beginningInWords({ text: `${'x'.repeat(38)}😀` }, 40)).toBe(`${'x'.repeat(38)}😀`);
  });
});
