/** The ratchet of the house: figures may improve, and none gets worse unseen. */
import { describe, expect, it } from 'vitest';
import { kept, verdict } from '../../../scripts/lib/house/ratchet.mjs';

const words = { key: 'words', label: 'banned words', now: 5, held: true, places: 'words' };
const size = { key: 'size', label: 'size', now: 30, unit: ' KiB', held: true };
const lines = { key: 'lines', label: 'lines', now: 900, held: false };

describe('the ratchet', () => {
  it('[HS1] fails on a figure that is worse, and says by how much and what lists it', () => {
    const { ok, lines: said } = verdict([words, size, lines], { words: 3, size: 30 });
    expect(ok).toBe(false);
    expect(said[0]).toBe('banned words: 5, 2 more than the best value (3). List: `npm run house -- words`.');
    expect(said[1]).toContain('design/decisions.md');
    expect(said).toHaveLength(2);
  });

  it('[HS1] passes on figures that are equal or better, and asks for the better value to be kept', () => {
    expect(verdict([words, size, lines], { words: 5, size: 30 })).toEqual({
      ok: true,
      lines: ['2 figures, none worse than its best value'],
    });
    expect(verdict([words, size, lines], { words: 5, size: 31 })).toEqual({
      ok: true,
      lines: ['size: 30 KiB, better than 31 KiB: run `npm run house -- --write`'],
    });
  });

  it('[HS1] fails on a figure without a value and on a value without a figure, unless it was left alone', () => {
    expect(verdict([words, size], { words: 5 })).toMatchObject({ ok: false, lines: [expect.stringContaining('size')] });
    const { now: _now, ...unmeasured } = size;
    const best = { words: 5, size: 30 };
    expect(verdict([words, unmeasured], best)).toMatchObject({ ok: false, lines: [expect.stringContaining('size')] });
    expect(verdict([words, unmeasured], best, new Set(['size'])).ok).toBe(true);
  });

  it('[HS2] lowers values that improved, adds new ones, removes old ones and raises none', () => {
    const { next, lines: said } = kept([words, size, lines], { words: 3, size: 31, gone: 1 });
    expect(next).toEqual({ words: 3, size: 30 });
    expect(said).toEqual(['size: 31 to 30', 'gone: removed', 'words: still 3, although it is 5 now']);
    expect(kept([words, size], { words: 7 }).next).toEqual({ words: 5, size: 30 });
  });
});
