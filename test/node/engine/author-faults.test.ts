/** Failures that only an author can mend, in the log of the Worker. */
import { describe, expect, it } from 'vitest';
import { OffshootError } from '../../../src/protocol/errors';
import { ran } from '../../support/crashes';
import type { TreeParts } from '../../support/harness';
import { agentOf } from '../../support/trees';

const failing = (error: Error) => (): TreeParts => ({
  agents: [
    agentOf('top', {
      systemPrompt: () => {
        throw error;
      },
    }),
  ],
  scripts: { top: [{ text: 'Never.' }] },
});

describe('a run that fails by a definition or a setting', () => {
  it.each([
    [new Error('No file.'), /^The agent \/agents\/top\/\S+ failed: Agent "top": its `systemPrompt` failed: No file\./],
    [new OffshootError('invalid_definition', 'Set OFFSHOOT_MODEL.'), /^The agent .* failed: .*Set OFFSHOOT_MODEL\./],
  ])('[M112] says so in the log of the Worker, with what to change: %s', async (error, said) => {
    const { outcome, problems } = await ran(failing(error));
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'invalid_definition' } });
    expect(problems).toEqual([expect.stringMatching(said)]);
  });
});
