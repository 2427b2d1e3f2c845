import { describe, expect, it } from 'vitest';
import { pathParts, pathSaid } from '../../../src/console/data/names';

describe('the path of an agent', () => {
  it('[CN87] names each agent from the root down, without the marks of an address', () => {
    const address = '/agents/lead/q1/sub/helper/2~1/sub/critic/style/sub/checker/1~3';
    expect(pathParts(address)).toEqual(['lead q1', 'helper 2', 'critic style', 'checker 1 (3)']);
    expect(pathSaid('/agents/lead/q1/sub/helper/2~1')).toBe('lead q1 › helper 2');
  });
});
