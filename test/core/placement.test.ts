/** Which placement a child gets. */
import { describe, expect, it } from 'vitest';
import { type PlacementChoice, placementBelow } from '../../src/core/agent/placement';
import { DEFAULT_LIMITS, MAX_FACET_LEVELS } from '../../src/core/definition/limits';

const chosen = (choice: PlacementChoice): string => ('refused' in choice ? choice.refused.code : choice.via);

describe('the placement of a child', () => {
  it('[DG8] is a facet down to the last level, and refused at that level, by default and under a lower limit', () => {
    const below = (maxDepth: number, levels: readonly number[]) =>
      levels.map((level) => chosen(placementBelow(level, 'facet', { maxDepth })));
    expect(below(DEFAULT_LIMITS.maxDepth, [1, 2, 3, 4])).toEqual(['facet', 'facet', 'facet', 'max_depth']);
    expect(below(2, [1, 2, 3])).toEqual(['facet', 'max_depth', 'max_depth']);
    expect(below(1, [1])).toEqual(['max_depth']);
  });

  it('[DG8] is no facet below the level where facets end, whatever the limit says', () => {
    expect(MAX_FACET_LEVELS).toBe(4);
    expect(chosen(placementBelow(MAX_FACET_LEVELS - 1, 'facet', { maxDepth: 16 }))).toBe('facet');
    const deep = placementBelow(MAX_FACET_LEVELS, 'facet', { maxDepth: 16 });
    expect(deep).toMatchObject({ refused: { code: 'max_depth', message: expect.stringContaining('level 4 of 4') } });
  });
});
