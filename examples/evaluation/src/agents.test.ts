import { createTestRuntime } from 'offshoot/testing';
import { expect, it } from 'vitest';
import { triage } from './agents';
import { CASES } from './cases';

/** The mean score that a change of the prompt or the model has to keep. */
const THRESHOLD = 0.9;

type Triage = { team: string; urgent: boolean };

/** The team counts for more than the urgency. */
const score = (given: Triage, expected: Triage) =>
  (given.team === expected.team ? 0.75 : 0) + (given.urgent === expected.urgent ? 0.25 : 0);

it(`answers the cases with a mean score of ${THRESHOLD} or more`, async () => {
  // With OFFSHOOT_MODEL and a key in the environment, this asks a real model.
  const runtime = createTestRuntime({ agents: [triage], env: process.env });
  const rows = await Promise.all(
    CASES.map(async (expected) => {
      const run = await runtime.execute(triage, expected.message);
      const result = await run.result();
      const given = result.status === 'completed' ? result.output : { team: result.status, urgent: false };
      return { message: expected.message, given, score: score(given, expected) };
    }),
  );
  const mean = rows.reduce((sum, row) => sum + row.score, 0) / rows.length;
  const wrong = rows.filter((row) => row.score < 1);
  expect(mean, JSON.stringify(wrong, null, 2)).toBeGreaterThanOrEqual(THRESHOLD);
  runtime.close();
});
