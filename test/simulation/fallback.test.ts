/** An agent of several models whose first fails, in a whole tree and with crashes. */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/core/definition/define-agent';
import type { ErrorCode } from '../../src/protocol/errors';
import { Tree, type TreeParts, withTree } from '../support/harness';
import { noModel } from '../support/no-model';
import type { Answer } from '../support/scripted-port';
import { noteTool, PATIENT } from '../support/trees';

const NOTE: Answer = { calls: [{ name: 'note', input: { text: 'x' } }] };
const PRICES: Readonly<Record<string, number>> = { 'test/scripted': 1_000_000, 'test/scripted-2': 100_000 };

/** The first model is at its limit in the second step; the second one works the rest of the run. */
function limited(tree: Tree): TreeParts {
  const top = defineAgent({
    name: 'top',
    systemPrompt: 'top',
    models: [noModel, noModel],
    tools: [noteTool(tree)],
    limits: PATIENT,
    price: (name) => ({ input: PRICES[name] ?? 0, output: 0 }),
  });
  const first: Answer[] = [NOTE, { fail: { code: 'model_rate_limited' } }];
  return { agents: [top], scripts: { top: first, 'top 2': [{ text: 'No.' }, NOTE, { text: 'Done.' }] } };
}

describe('a run whose first model fails', () => {
  it('[FM3, FM4, FM6, FM8, US3] goes on with the next at once, is priced by it, and reports why', async () => {
    await withTree(limited, {}, async (tree) => {
      const begun = tree.time.environment.now();
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(tree.time.environment.now() - begun).toBeLessThan(1_000);
      expect(tree.port.asked.map(({ step, attempt }) => [step, attempt])).toEqual([
        [1, 1],
        [2, 1],
        [2, 2],
        [3, 1],
      ]);
      // 10 tokens of the first model, and 20 of the second.
      expect(tree.state().spent.costUsd).toBeCloseTo(10 + 2);
      const committed = tree.log.flatMap(({ chunk }) => (chunk.type === 'step_committed' ? [chunk] : []));
      expect(committed.map(({ model, passedOver }) => [model, passedOver?.map(({ code }) => code)])).toEqual([
        ['test/scripted', undefined],
        ['test/scripted-2', ['model_rate_limited']],
        ['test/scripted-2', ['model_rate_limited']],
      ]);
      expect(tree.time.problems).toEqual([
        expect.stringMatching(/Agent "top": model 2 of 2 is used in place of model 1, .*`model_rate_limited`/),
      ]);
    });
  });

  it('[FM1, CX4] asks the next model with all of it where a request is too large for the first, if its author says so', async () => {
    const make = (on: readonly ErrorCode[]) => (): TreeParts => {
      const top = defineAgent({
        name: 'top',
        systemPrompt: 'top',
        models: on.length === 0 ? [noModel, noModel] : [{ model: noModel, on }, noModel],
        context: { maxTokens: 100_000 },
        limits: PATIENT,
      });
      const tooLarge: Answer = { fail: { code: 'context_too_large' } };
      return { agents: [top], scripts: { top: () => tooLarge, 'top 2': () => ({ text: 'Done.' }) } };
    };
    await withTree(make(['context_too_large']), {}, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(tree.port.asked).toHaveLength(2);
    });
    await withTree(make([]), {}, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'context_too_large' } });
    });
  });

  it('[FM5, RC5] asks the same models after a crash at any commit', async () => {
    const whole = new Tree(limited);
    await whole.run();
    const { length } = whole.commits;
    const models = (tree: Tree) =>
      tree.log.flatMap(({ chunk }) => (chunk.type === 'step_committed' ? [`${chunk.step} ${chunk.model}`] : []));
    const before = models(whole);
    whole.close();
    expect(length).toBeGreaterThan(5);
    for (let commit = 1; commit <= length; commit++)
      await withTree(limited, { crashAt: new Set([commit]) }, async (tree) => {
        await tree.run();
        expect(tree.outcome, `commit ${commit}`).toMatchObject({ status: 'completed', output: 'Done.' });
        expect(models(tree), `commit ${commit}`).toEqual(before);
      });
  });
});
