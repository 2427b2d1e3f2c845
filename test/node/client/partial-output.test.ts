/** The output of a run while it is written. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FollowEvent } from '../../../src/client/follow';
import { PartialJson } from '../../../src/client/partial-json';
import { PartialOutput, watchOutput } from '../../../src/client/partial-output';
import type { Chunk } from '../../../src/protocol/chunks';
import { isObject, type Json } from '../../../src/protocol/json';
import { emptyView } from '../../../src/protocol/view/view';
import { ANY_CHARACTER } from '../../support/any-character';
import { always, sized } from '../../support/sizes';

const ROUNDS = sized(500, 20_000);

/** Texts with escapes, halves of characters and names that objects have by nature. */
const text = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.constantFrom('__proto__', 'constructor', '"', '\\', '\n\t', '\ud83d', '😀', '\u2028', ''),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.constantFrom(null, true, false),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(text, tie('json'), { maxKeys: 5 }),
  ),
})) as unknown as { json: fc.Arbitrary<Json> };

/** How the text of a value is written: as it is, with white space, or with every character of a text escaped. */
const written = fc.tuple(json, fc.constantFrom(undefined, 2), fc.boolean()).map(([value, indent, escaped]) => {
  const plain = JSON.stringify(value, undefined, indent);
  const all = escaped ? plain.replaceAll(/[\ud800-\udfff]/g, (half) => `\\u${half.charCodeAt(0).toString(16)}`) : plain;
  return { value, text: all };
});

/** True for a pair of two halves that are one character. */
const isHalf = (two: string): boolean => /^[\ud800-\udbff][\udc00-\udfff]$/.test(two);

/** True where a value is what of another one may be known: texts begin it, lists hold its first items, objects some of it. */
function begins(part: Json | undefined, whole: Json): boolean {
  if (part === undefined) return true;
  if (typeof part === 'string')
    return (
      typeof whole === 'string' && whole.startsWith(part) && !isHalf(whole.slice(part.length - 1, part.length + 1))
    );
  if (Array.isArray(part))
    return Array.isArray(whole) && part.length <= whole.length && part.every((one, at) => begins(one, whole[at]));
  if (isObject(part))
    return (
      isObject(whole) &&
      Object.keys(part).every((key) => Object.hasOwn(whole, key) && begins(part[key], whole[key] ?? null))
    );
  return Object.is(part, whole);
}

describe('JSON that is being written', () => {
  it('[J10] shows at every place what begins its value, which only grows, and in the end is it', async () => {
    await always(
      fc.property(
        written,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        ({ value, text: all }, sizes) => {
          const reader = new PartialJson();
          let before: Json | undefined;
          let shown = 'undefined';
          for (let at = 0, turn = 0; at < all.length; turn++) {
            const next = at + (sizes[turn % sizes.length] ?? 1);
            reader.push(all.slice(at, next));
            at = next;
            const now = reader.value;
            expect(begins(now, value)).toBe(true);
            expect(begins(before, now ?? null) || now === undefined).toBe(true);
            // What was read stays what it was.
            expect(before === undefined ? 'undefined' : JSON.stringify(before)).toBe(shown);
            before = now;
            shown = now === undefined ? 'undefined' : JSON.stringify(now);
          }
          // A number alone ends with what follows it.
          if (typeof value === 'number' || typeof value === 'boolean' || value === null) reader.push(' ');
          expect(JSON.stringify(reader.value)).toBe(JSON.stringify(value));
        },
      ),
      ROUNDS,
    );
  });

  it('[J10] holds back what is not whole', () => {
    const at = (cut: string): Json | undefined => {
      const reader = new PartialJson();
      reader.push(cut);
      return reader.value;
    };
    expect(at('')).toBeUndefined();
    expect(at('{"a')).toEqual({});
    expect(at('{"a":')).toEqual({});
    expect(at('{"a":"')).toEqual({ a: '' });
    expect(at('{"a":12')).toEqual({});
    expect(at('{"a":12,')).toEqual({ a: 12 });
    expect(at('{"a":tru')).toEqual({});
    expect(at('{"a":"b\\')).toEqual({ a: 'b' });
    expect(at('{"a":"b\\u00e')).toEqual({ a: 'b' });
    expect(at('{"a":"b\\ud83d')).toEqual({ a: 'b' });
    expect(at('{"a":"b\\ud83d\\ude00')).toEqual({ a: 'b😀' });
    expect(at('{"a":"b\ud83d')).toEqual({ a: 'b' });
    expect(at('[1,[2,{"a":[')).toEqual([1, [2, { a: [] }]]);
  });

  it.each(['Sure: {"a":1}', '{"a":nope,"b":1}', `{"a":${'1'.repeat(2_000)}`])(
    '[J10] ends without an output: %s',
    (no) => {
      const reader = new PartialJson();
      for (const piece of no) reader.push(piece);
      reader.push('"b":2}');
      expect([undefined, '{}']).toContain(reader.value && JSON.stringify(reader.value));
    },
  );

  it('[J10] copies no more than what is open, and only for a reader', () => {
    const shown = (value: Json | undefined) => (isObject(value ?? null) ? Object(value) : {});
    const reader = new PartialJson();
    reader.push('{"a":{"b":[1]},"c":[');
    const first = shown(reader.value);
    reader.push('2,');
    const second = shown(reader.value);
    expect([first.c, second.c]).toEqual([[], [2]]);
    expect(second.a).toBe(first.a);
    expect(reader.value).toBe(second);
  });
});

describe('a wide list', () => {
  it('[J10] ends where it is nested deeper than any JSON here', () => {
    const at = (levels: number) => {
      const json = new PartialJson();
      json.push(`${'['.repeat(levels)}1,`);
      return JSON.stringify(json.value);
    };
    expect(at(100)).toBe(`${'['.repeat(100)}1${']'.repeat(100)}`);
    expect(at(101)).toBe(`${'['.repeat(100)}${']'.repeat(100)}`);
    expect(at(100_000)).toBe(at(101));
  });

  it('[J10] is copied a number of times that does not grow with its pieces', () => {
    const copies = (items: number): number => {
      const reader = new PartialJson();
      const seen = new Set<unknown>();
      reader.push('[');
      for (let at = 0; at < items; at++) {
        reader.push('1,');
        seen.add(reader.value);
      }
      reader.push('1]');
      expect(reader.value).toHaveLength(items + 1);
      return seen.size;
    };
    expect(copies(900)).toBe(900);
    // From then on the copies of twice as many items are few more.
    expect(copies(64_000) - copies(32_000)).toBeLessThan(40);
  });
});

const ADDRESS = '/agents/a/one';
let sequence = 0;
/** A chunk of the agent, with what of it is read alone. */
const told = (body: object, more: Partial<Chunk> = {}): FollowEvent => {
  const facts = { agentType: 'a', agentId: 's', address: ADDRESS, runId: 'r', step: 1, attempt: 1, timestamp: 0 };
  return { type: 'chunk', missing: 0, entry: { sequence: ++sequence, chunk: { ...facts, ...body, ...more } as Chunk } };
};
const start = (toolCallId = 'c', toolName = '__finish__', outputKey?: string): object => ({
  type: 'tool_arg_stream_start',
  toolCallId,
  toolName,
  ...(outputKey === undefined ? {} : { outputKey }),
});
const delta = (piece: string, toolCallId = 'c'): object => ({
  type: 'tool_arg_stream_delta',
  toolCallId,
  delta: piece,
});

function outputAfter(...events: readonly FollowEvent[]): Json | undefined {
  const output = new PartialOutput(ADDRESS);
  for (const event of events) output.take(event);
  return output.value;
}

describe('the output of a run', () => {
  const begun = [told(start()), told(delta('{"title":"Ca'))];

  it('[J11] is what `__finish__` is called with, of the agent that is followed', () => {
    expect(outputAfter(...begun)).toEqual({ title: 'Ca' });
    expect(outputAfter(told(start('c', 'search')), told(delta('{"q":1}')))).toBeUndefined();
    expect(outputAfter(told(start(), { address: `${ADDRESS}/sub/b/1~1` }), told(delta('{"q":1}')))).toBeUndefined();
    expect(outputAfter(told(start('c', '__finish__', 'output')), told(delta('{"output":["a')))).toEqual(['a']);
    // Of two calls the first one counts.
    expect(outputAfter(...begun, told(start('d')), told(delta('{"title":"Do"}', 'd')))).toEqual({ title: 'Ca' });
  });

  it.each([
    ['a discarded step', told({ type: 'step_discarded', reason: 'x' })],
    ['another step', told({ type: 'step_started' }, { step: 2 })],
    ['another run', told({ type: 'run_started', turn: 2, chainTurn: 2 }, { runId: 'r2' })],
    ['a refused call', told({ type: 'tool_end', toolCallId: 'c', success: false })],
    ['a failure', told({ type: 'run_failed', error: {} })],
    ['a reset', { type: 'reset', from: 9 } as FollowEvent],
  ])('[J11] begins anew with %s', (_what, event) => {
    expect(outputAfter(...begun, event)).toBeUndefined();
    expect(outputAfter(...begun, event, told(start('e'), { attempt: 2 }), told(delta('{"n":1}', 'e')))).toEqual({
      n: 1,
    });
  });

  it('[J11] has nothing of an attempt that was discarded, and in the end is the output', () => {
    const discarded = told({ type: 'step_discarded', reason: 'x' });
    expect(outputAfter(...begun, discarded, ...begun)).toBeUndefined();
    const done = told({ type: 'run_completed', output: { title: 'Cats', at: 1 } });
    expect(outputAfter(...begun, done)).toEqual({ title: 'Cats', at: 1 });
  });

  it('[J11] comes with all that is followed', async () => {
    const events = [...begun, told(delta('ts"}'))];
    async function* watch() {
      for (const event of events) yield { event, view: emptyView };
    }
    const seen: unknown[] = [];
    for await (const { event, view, partialOutput } of watchOutput<{ title: string }>({ watch }, ADDRESS))
      seen.push([event, view === emptyView, partialOutput?.title]);
    expect(seen).toEqual(events.map((event, at) => [event, true, [undefined, 'Ca', 'Cats'][at]]));
  });
});
