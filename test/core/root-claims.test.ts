/** Whether a caller may begin one more root. */
import { describe, expect, it } from 'vitest';
import { CLAIM_MS, claimAnswer } from '../../src/core/tree/root-claims';

describe('a claim for a new root', () => {
  const now = 1_000_000;

  it('[A65] is granted up to the roots that a caller may have, and no further', () => {
    expect(claimAnswer({ perCaller: 3 }, 2, [], now)).toEqual({ ok: true });
    expect(claimAnswer({ perCaller: 3 }, 3, [], now)).toMatchObject({ ok: false });
    expect(claimAnswer({}, 1_000, [], now)).toEqual({ ok: true });
  });

  it('[A65] is granted up to the rate, and says when there is room again', () => {
    const begun = [now - 50_000, now - 20_000];
    expect(claimAnswer({ perMinute: 3 }, 0, begun, now)).toEqual({ ok: true });
    expect(claimAnswer({ perMinute: 2 }, 0, begun, now)).toMatchObject({ ok: false, retryAfterMs: CLAIM_MS - 50_000 });
    expect(claimAnswer({ perMinute: 1 }, 0, begun, now)).toMatchObject({ ok: false, retryAfterMs: CLAIM_MS - 20_000 });
    expect(claimAnswer({ perMinute: 1 }, 0, [now - CLAIM_MS], now)).toMatchObject({ ok: false, retryAfterMs: 1 });
  });
});
