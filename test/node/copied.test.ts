/** Copies of data between objects: those that `structuredClone` makes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copied } from '../../src/testing/copied';

const data = fc.anything({
  maxDepth: 4,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** Every object in some data. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const parts = value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : Object.values(value);
  return [value, ...parts.flatMap(objectsIn)];
}

/** What is thrown for some data. */
function thrownBy(copy: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return copy(value);
  } catch (error) {
    return error;
  }
}

describe('a copy of data', () => {
  it('[TT1] is what `structuredClone` makes of it, and shares nothing with it', () => {
    fc.assert(
      fc.property(data, (value) => {
        const copy = copied(value);
        expect(copy).toStrictEqual(structuredClone(value));
        const own = new Set(objectsIn(value));
        expect(objectsIn(copy).filter((one) => own.has(one))).toEqual([]);
      }),
      { numRuns: 300, examples: [[JSON.parse('{ "__proto__": { "a": [1] } }')]] },
    );
  });

  let deep: object = {};
  for (let level = 0; level < 300; level++) deep = { deep };
  it.for([
    ['a function', { a: [() => 1] }],
    ['a function alone', () => 1],
    ['a symbol', [{ a: Symbol('a') }]],
    ['what is very deep', deep],
    [
      'an instance',
      {
        a: new (class Pair {
          one = { two: 2 };
        })(),
      },
    ],
    ['an error', [new TypeError('No.')]],
  ])('[TT1] of %s is the same, or as impossible', ([, value]) => {
    const name = (result: unknown) => (result instanceof DOMException ? result.name : result);
    expect(name(thrownBy(copied, value))).toEqual(name(thrownBy(structuredClone, value)));
  });

  it('[TT1] of a circle comes to an end', () => {
    const circle: { inside: object } = { inside: {} };
    circle.inside = [circle];
    expect(copied(circle)).toHaveProperty('inside.0.inside.0.inside');
  });
});
