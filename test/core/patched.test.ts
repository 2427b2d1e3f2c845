import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchOf } from '../../src/protocol/view/patch';
import { patched } from '../../src/protocol/view/patched';

describe('a patch that is applied', () => {
  it('[R19] turns any value into any other, and changes neither', () => {
    const json = fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text));
    const holds = fc.property(json, json, (before, after) => {
      const kept = structuredClone(before);
      expect(patched(before, patchOf(before, after))).toEqual(after);
      expect(before).toEqual(kept);
    });
    fc.assert(holds, { numRuns: 500 });
  });

  it('[R19] keeps what it does not change as the same object', () => {
    const before = { list: [{ a: 1 }, { b: 1 }], other: { c: 1 } };
    const after = patched(before, [{ op: 'replace', path: '/list/1/b', value: 2 }]) as typeof before;
    expect(after).toEqual({ list: [{ a: 1 }, { b: 2 }], other: { c: 1 } });
    expect([after.other === before.other, after.list[0] === before.list[0]]).toEqual([true, true]);
  });

  it('[R19] has no place where a patch before it is missing, or for an operation that no server sends', () => {
    const state = { list: [1], text: 'a' };
    for (const operation of [
      { op: 'remove', path: '/missing' },
      { op: 'replace', path: '/missing', value: 1 },
      { op: 'replace', path: '/missing/deeper', value: 1 },
      { op: 'add', path: '/text/deeper', value: 1 },
      { op: 'add', path: '/list/2', value: 1 },
      { op: 'add', path: '/list/-', value: 1 },
      { op: 'replace', path: '/list/1', value: 1 },
      { op: 'remove', path: '/list/01' },
      { op: 'remove', path: '/toString' },
      { op: 'replace', path: '/__proto__', value: {} },
      { op: 'add', path: '/list/0' },
      { op: 'move', path: '/list/0', from: '/text' },
      'remove',
    ])
      expect(patched(state, [operation, { op: 'add', path: '/more', value: 1 }])).toBeUndefined();
    expect(patched(state, [{ op: 'add', path: '/list/1', value: 2 }])).toEqual({ list: [1, 2], text: 'a' });
  });
});
