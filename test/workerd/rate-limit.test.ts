/** The Worker's own limit of requests to models, by a rate-limit binding of the runtime. */
import { expect, it, vi } from 'vitest';
import { address, post } from '../support/api';
import { ratedModel } from '../support/rated';
import { items, stands } from './standing';

/** What the binding of the test's Worker takes in a minute, over all roots. */
const LIMIT = 2;

it('[MT10] what a rate-limit binding refuses over all roots is not sent but waits, and a stop ends that at once', async () => {
  const before = ratedModel.calls;
  let refused: string | undefined;
  // A minute of the binding may end in between, never twice.
  for (let root = 0; refused === undefined && root <= 2 * LIMIT; root++) {
    const at = address('rated');
    await post(`${at}/start`, { message: 'Go.' });
    const discarded = await vi.waitFor(async () => {
      const found = await items(`${at}/chunks?from=1`);
      const ends = found
        .map(({ chunk }) => chunk)
        .find(({ type }) => ['step_discarded', 'run_completed'].includes(type));
      expect(ends).toBeDefined();
      return ends?.type === 'step_discarded' && ends;
    });
    if (!discarded) continue;
    expect(discarded).toMatchObject({ reason: 'model_rate_limited' });
    refused = at;
  }
  const at = String(refused);
  expect(ratedModel.calls - before).toBeGreaterThanOrEqual(LIMIT);
  const sent = ratedModel.calls;
  expect((await post(`${at}/abort`, {})).status).toBe(202);
  await stands(at, 'failed');
  expect(ratedModel.calls).toBe(sent);
});
