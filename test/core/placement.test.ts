/** Which placement a child gets. */
import { describe, expect, it } from 'vitest';
import {
  type Levels,
  levelsBelow,
  type PlacementChoice,
  placementBelow,
} from '../../src/core/agent/children/placement';
import { DEFAULT_LIMITS, MAX_FACET_LEVELS } from '../../src/core/definition/limits';

const chosen = (choice: PlacementChoice): string => ('refused' in choice ? choice.refused.code : choice.via);

/** How the children of a chain of agents are placed, level by level, until there can be none. */
function chain(wanted: ('facet' | 'object')[], maxDepth: number): string[] {
  const placed: string[] = [];
  let at: Levels = { depth: 1 };
  for (;;) {
    const choice = placementBelow(at, wanted[placed.length] ?? 'facet', { maxDepth });
    placed.push(chosen(choice));
    if ('refused' in choice) return placed;
    at = levelsBelow(at, choice.via);
  }
}

describe('the placement of a child', () => {
  it('[DG31] is what its definition says down to the last level, and none is below that', () => {
    expect(chain([], 3)).toEqual(['facet', 'facet', 'max_depth']);
    expect(chain(['object'], 3)).toEqual(['object', 'facet', 'max_depth']);
    expect(chain([], 1)).toEqual(['max_depth']);
    expect(placementBelow({ depth: 2 }, 'remote', { maxDepth: 3 })).toEqual({ via: 'remote' });
    expect(chosen(placementBelow({ depth: 3 }, 'remote', { maxDepth: 3 }))).toBe('max_depth');
  });

  it('[OP2] is an object of its own below the level where facets end, and counted anew there', () => {
    expect(MAX_FACET_LEVELS).toBe(4);
    const four = ['facet', 'facet', 'facet', 'object'];
    expect(chain([], DEFAULT_LIMITS.maxDepth)).toEqual([...four, ...four, ...four, ...four.slice(0, 3), 'max_depth']);
    // One that is chosen earlier begins the count.
    expect(chain(['facet', 'object'], 8)).toEqual(['facet', 'object', ...four, 'facet', 'max_depth']);
  });

  it('[OP2] keeps no level of its own where the object is that of the root', () => {
    expect(levelsBelow({ depth: 2 }, 'facet')).toEqual({ depth: 3 });
    expect(levelsBelow({ depth: 4 }, 'object')).toEqual({ depth: 5, objectLevel: 1 });
    expect(levelsBelow({ depth: 5, objectLevel: 1 }, 'facet')).toEqual({ depth: 6, objectLevel: 2 });
  });
});
