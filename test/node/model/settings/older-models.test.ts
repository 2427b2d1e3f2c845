/** The settings of a model of an older interface: one that it has no word for is left out, and the run says so. */
import { expect, it } from 'vitest';
import { callOf } from '../../../../src/model/call/options';
import { asNewest } from '../../../../src/model/older';
import { profileOf } from '../../../../src/model/request/profiles';
import type { AskedModel } from '../../../../src/model/resolve';
import { fakeModel } from '../fake-model';

const { model } = fakeModel([]);
const older = (specificationVersion: 'v2' | 'v3') =>
  asNewest(Object.assign(Object.create(null), model, { specificationVersion }));
const MODELS: readonly (readonly [asked: AskedModel, isOlder: boolean])[] = [
  [model, false],
  [{ ...model, wraps: model }, false],
  [older('v3'), true],
  [older('v2'), true],
];

it('[M80] how much it thinks is sent to each model that has a word for it, and to no other, which is said', () => {
  for (const [asked, isOlder] of MODELS)
    for (const effort of [undefined, 'low', 'high'] as const) {
      const settings = { temperature: 0.5, ...(effort === undefined ? {} : { reasoning: { effort } }) };
      const request = {
        ...{ agentType: 'a', sessionId: 's_1', root: '/agents/a/x', runId: 'r_1', step: 1, attempt: 1, settings },
        ...{ system: '', messages: [], tools: [], firstChunkMs: 1, stallMs: 1 },
      };
      const profile = profileOf('openai-compatible.chat', 'some-model');
      const call = callOf(asked, request, { prompt: [], tools: [], notes: [] }, profile, new AbortController().signal);
      const isSent = effort !== undefined && !isOlder;
      expect([call.options.temperature, call.options.reasoning]).toEqual([0.5, isSent ? effort : undefined]);
      expect(call.warnings.map(({ setting }) => setting)).toEqual(effort !== undefined && isOlder ? ['reasoning'] : []);
    }
});
