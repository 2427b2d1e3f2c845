import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/protocol/json';
import { type PatchOperation, patchOf } from '../../src/protocol/view/patch';

/** What a reader makes of a patch. The value lies one level deeper, because this library cannot replace the whole of what it is given. */
function applied(before: Json, patch: readonly PatchOperation[]): unknown {
  const holder = { value: structuredClone(before) };
  const moved = patch.map((operation) => ({ ...operation, path: `/value${operation.path}` }));
  expect(applyPatch(holder, moved)).toEqual(moved.map(() => null));
  return holder.value;
}

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, n) => from + n);

/** How often two values are looked at, counted by what their arrays are asked for. */
function reads(count: number): number {
  let asked = 0;
  const watched = (from: number): Json =>
    new Proxy(numbers(count, from), {
      get(target, key, receiver) {
        asked++;
        return Reflect.get(target, key, receiver);
      },
    });
  patchOf({ list: watched(0) }, { list: watched(1) });
  return asked;
}

describe('a patch of the state', () => {
  it('[CL8] turns any value into any other', () => {
    // This library loses the key `__proto__` of every value that it copies; the case has a test of its own.
    const json = fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text.replaceAll('__proto__', 'proto')));
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(applied(before, patchOf(before, after))).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  it('[CL8] of arrays of alike items turns any into any other', () => {
    const few = fc.constantFrom<Json>(1, 2);
    const item = fc.oneof(few, fc.record({ a: few }), fc.array(few, { minLength: 2, maxLength: 3 }));
    const list = fc.array(item, { maxLength: 12 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        expect(applied({ before }, patchOf({ before }, { before: after }))).toEqual({ before: after });
      }),
      { numRuns: 500 },
    );
  });

  it('[CL8] tells what is new at the end, in the middle and at the beginning of a list, and no more', () => {
    expect(patchOf([1, 2], [1, 2, 3])).toEqual([{ op: 'add', path: '/2', value: 3 }]);
    expect(patchOf([1, 2], [1, 9, 2])).toEqual([{ op: 'add', path: '/1', value: 9 }]);
    expect(patchOf([1, 2], [0, 1, 2])).toEqual([{ op: 'add', path: '/0', value: 0 }]);
    expect(patchOf([1, 2, 3], [1, 3])).toEqual([{ op: 'remove', path: '/1' }]);
    expect(patchOf({ 'a/b': { '~': 1 } }, { 'a/b': { '~': 2 } })).toEqual([
      { op: 'replace', path: '/a~1b/~0', value: 2 },
    ]);
    expect(patchOf({ same: [{ a: 1 }] }, { same: [{ a: 1 }] })).toEqual([]);
  });

  it('[CL8] never goes by a prototype: an object whose key `__proto__` changed is given whole', () => {
    const odd = (value: Json) => ({ a: 1, in: { ['__proto__']: value } });
    for (const [before, after] of [
      [{ a: 1, in: {} }, odd([])],
      [odd([]), { a: 1, in: {} }],
      [odd({ b: 1 }), odd({ b: 2 })],
    ] as const) {
      expect(patchOf(before, after)).toEqual([{ op: 'replace', path: '/in', value: after.in }]);
    }
    expect(patchOf({ in: odd(1), b: 1 }, { in: odd(1), b: 2 })).toEqual([{ op: 'replace', path: '/b', value: 2 }]);
  });

  it('[CL8] has at most 1,000 places of a member, and gives it whole past that', () => {
    const before = { list: numbers(1_001), more: 1 };
    const changed = (places: number): Json => ({
      list: [...numbers(places, 5_000), ...numbers(1_001).slice(places)],
      more: 2,
    });
    expect(patchOf({ list: numbers(1_000) }, { list: numbers(1_000, 5_000) })).toHaveLength(1_000);
    expect(patchOf(before, changed(1_001))).toEqual([
      { op: 'replace', path: '/list', value: numbers(1_001, 5_000) },
      { op: 'replace', path: '/more', value: 2 },
    ]);
    expect(applied(before, patchOf(before, changed(1_001)))).toEqual(changed(1_001));
  });

  it('[CL8] names a member with a long name once', () => {
    const name = 'n'.repeat(100_000);
    const state = (from: number): Json => ({ [name]: { a: from, b: from } });
    expect(patchOf(state(1), state(2))).toEqual([{ op: 'replace', path: '', value: state(2) }]);
  });

  it('[CL8] takes work in proportion to the state', () => {
    const [small, large] = [reads(2_000), reads(32_000)];
    expect(large / small).toBeLessThan(17);
  });

  it('[CL8] holds for long lists of any kind', () => {
    const ones = Array.from({ length: 100_000 }, () => 1);
    expect(patchOf(ones, [...ones, 2])).toEqual([{ op: 'add', path: '/100000', value: 2 }]);
    expect(patchOf(numbers(100_000), [])).toEqual([{ op: 'replace', path: '', value: [] }]);
  });
});
