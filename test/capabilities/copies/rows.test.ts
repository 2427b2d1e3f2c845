/** A memory in portions: each as long as one call takes, and no row is lost or split. */
import { expect, it } from 'vitest';
import { PORTION, portions } from '../../../src/capabilities/copies/rows';
import type { Change } from '../../../src/core/agent/changes';

/** A row whose JSON has so many characters. */
function row(id: number, length: number): Change {
  const change = (content: string): Change => ({
    put: 'message',
    message: { id, messageId: 'm', role: 'user', content, from: 'caller', at: 1 },
  });
  return change('x'.repeat(length - JSON.stringify(change('')).length));
}

const sizes = (rows: readonly Change[]): number[] => [...portions(rows)].map((portion) => portion.length);

it('[CP36] is as long as a portion may be, and a row that is longer is one by itself', () => {
  const half = PORTION / 2;
  expect(sizes([row(1, half), row(2, half)])).toEqual([2]);
  expect(sizes([row(1, half), row(2, half + 1)])).toEqual([1, 1]);
  expect(sizes([row(1, 1_000), row(2, PORTION + 1), row(3, 1_000)])).toEqual([1, 1, 1]);
  expect(sizes([])).toEqual([]);
  const rows = Array.from({ length: 50 }, (_, index) => row(index, 70_000));
  expect([...portions(rows)].flat()).toEqual(rows);
});
