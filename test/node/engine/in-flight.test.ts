/** What aborts an effect. */
import { expect, it } from 'vitest';
import type { Effect } from '../../../src/core/agent/owed-effects';
import { InFlight } from '../../../src/engine/in-flight';

const model = {
  id: 'r_1 step 1',
  kind: 'model',
  runId: 'r_1',
  epoch: 1,
  stepId: 1,
  number: 1,
  attempt: 1,
  notBefore: 0,
};

it('[EG2] what is no longer owed is aborted with an AbortError, as `fetch` and the AI SDK know it', () => {
  const inFlight = new InFlight();
  const [due] = inFlight.owe([model as Effect]);
  expect(due?.signal.aborted).toBe(false);
  inFlight.owe([]);
  expect(due?.signal.reason).toBeInstanceOf(DOMException);
  expect(due?.signal.reason).toMatchObject({ name: 'AbortError' });
});
