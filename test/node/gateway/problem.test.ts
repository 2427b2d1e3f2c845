import { describe, expect, it } from 'vitest';
import { problemResponse } from '../../../src/gateway/problem';
import { failure } from '../../../src/protocol/errors';

describe('a refusal that says when to ask again', () => {
  it('[A65] says so in whole seconds, and never less than it takes', () => {
    const header = (retryAfterMs?: number) => {
      const error = { ...failure('too_many_roots'), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      return problemResponse(error, 'r_1').headers.get('retry-after');
    };
    const times = [undefined, 0, 1, 999, 1_000, 1_001, 59_001, 60_000, 3_600_000];
    expect(times.map(header)).toEqual([null, '0', '1', '1', '1', '2', '60', '60', '3600']);
  });
});
