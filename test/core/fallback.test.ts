import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/core/definition/define-agent';
import type { AgentDefinition, ModelChoice } from '../../src/core/definition/definition';
import { modelsOf } from '../../src/core/definition/models/models';
import { definePrompt } from '../../src/core/definition/prompt';
import type { ErrorCode } from '../../src/protocol/errors';
import { Machine, planned } from '../support/machine';
import { noModel } from '../support/no-model';

const BY_DEFAULT: readonly ErrorCode[] = modelsOf({ model: noModel })[0]?.on ?? [];

/** A machine of so many models whose first is being asked. */
function asked(models: readonly (readonly ErrorCode[])[] = [BY_DEFAULT, BY_DEFAULT, BY_DEFAULT]): Machine {
  const machine = new Machine();
  machine.rules = { ...machine.rules, models };
  machine.start();
  return machine;
}

/** Which model each discarded attempt led to. */
const ledTo = (machine: Machine) => machine.chunksOf('step_discarded').map(({ nextModel }) => nextModel);

/** The attempt that comes next, and whether it waits for a second and at most a quarter more. */
function waits({ owed: [next], now }: Machine): unknown[] {
  const ms = next && 'notBefore' in next ? next.notBefore - now : 0;
  return [next && 'attempt' in next ? next.attempt : 0, ms >= 1_000 && ms <= 1_250];
}

describe('when the next model is asked', () => {
  it('[FM3] after a rate limit, and a failure that no try can mend, the next model is asked at once', () => {
    const machine = asked();
    machine.fail('model_rate_limited');
    expect(ledTo(machine)).toEqual([1]);
    expect(machine.owed).toMatchObject([{ kind: 'model', attempt: 2, notBefore: machine.now }]);
    machine.fail('model_unauthorized');
    expect(ledTo(machine)).toEqual([1, 2]);
    expect(machine.owed).toMatchObject([{ kind: 'model', attempt: 3, notBefore: machine.now }]);
  });

  it('[FM3, ST4] an overloaded model has its tries first, each model its own', () => {
    const machine = asked();
    for (let n = 1; n <= 4; n++) machine.fail('model_overloaded');
    expect(ledTo(machine)).toEqual([undefined, undefined, undefined, 1]);
    expect(machine.owed).toMatchObject([{ attempt: 5, notBefore: machine.now }]);
    machine.fail('model_timeout');
    expect(waits(machine)).toEqual([6, true]);
    for (let n = 1; n <= 3; n++) machine.fail('model_timeout');
    expect(ledTo(machine).at(-1)).toBe(2);
  });

  it('[FM3, ST20] an overload that outlasts the patience with one model leads on to the next, with patience anew', () => {
    const machine = asked([BY_DEFAULT, BY_DEFAULT]);
    machine.rules = { ...machine.rules, limits: { ...machine.rules.limits, modelRetries: 100 } };
    const begun = machine.now;
    for (let n = 0; n < 50 && ledTo(machine).at(-1) === undefined; n++) {
      const [next] = machine.owed;
      if (next?.kind === 'model') machine.now = Math.max(machine.now, next.notBefore);
      machine.fail('model_overloaded');
    }
    expect(ledTo(machine).at(-1)).toBe(1);
    expect(machine.now - begun).toBeLessThanOrEqual(300_000);
    expect(machine.state.step).not.toHaveProperty('refusals');
    machine.fail('model_overloaded');
    expect(waits(machine)[1]).toBe(true);
  });

  it('[FM3, ST4] the last model fails as one alone does: a rate limit is waited for, and its failure ends the run', () => {
    const machine = asked([BY_DEFAULT, BY_DEFAULT]);
    machine.fail('model_rate_limited');
    machine.fail('model_rate_limited');
    expect(waits(machine)).toEqual([3, true]);
    machine.fail('model_unauthorized');
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'model_unauthorized' } });
  });

  it.for(['context_too_large', 'model_refused', 'max_cost'] as const)('[FM1] `%s` ends the run by default', (code) => {
    const machine = asked();
    machine.fail(code);
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code } });
  });

  it('[FM1] only the failures that an entry names lead on from it', () => {
    const machine = asked([['context_too_large'], BY_DEFAULT]);
    machine.fail('context_too_large');
    expect(ledTo(machine)).toEqual([1]);
    const other = asked([['context_too_large'], BY_DEFAULT]);
    other.fail('model_unauthorized');
    expect(other.outcome).toMatchObject({ status: 'failed', error: { code: 'model_unauthorized' } });
  });

  it('[FM1, ST8] a reply that a filter stopped leads on where `model_refused` is named, and its tokens are counted', () => {
    const machine = asked([['model_refused'], BY_DEFAULT]);
    machine.reply({ text: 'I can', finishReason: 'content-filter' });
    expect(ledTo(machine)).toEqual([1]);
    expect(machine.state.spent.modelCalls).toBe(1);
    machine.reply({ text: 'Done.' });
    expect(machine.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(machine.state.spent.modelCalls).toBe(2);
  });
});

describe('which model a step asks', () => {
  it('[FM4, FM5] a run stays with the model that answered, also over a recovery; the next begins with the first', () => {
    const machine = asked();
    machine.fail('model_rate_limited');
    machine.recover();
    machine.reply({ calls: [planned.tool()] });
    machine.settle(0);
    for (let n = 1; n <= 4; n++) machine.fail('model_overloaded');
    expect(ledTo(machine).at(-1)).toBe(2);
    machine.reply({ text: 'Done.' });
    const committed = machine.chunksOf('step_committed');
    expect(committed.map(({ passedOver = [] }) => passedOver.map(({ code }) => code))).toEqual([
      ['model_rate_limited'],
      ['model_rate_limited', 'model_overloaded'],
    ]);
    machine.start('Again');
    machine.fail('model_rate_limited');
    expect(ledTo(machine).at(-1)).toBe(1);
    machine.reply({ text: 'Done.' });
    expect(machine.chunksOf('step_committed').at(-1)?.passedOver).toHaveLength(1);
  });

  it('[FM6] a step of the first model names no other', () => {
    const machine = asked();
    machine.fail('model_overloaded');
    machine.reply({ text: 'Done.' });
    expect(machine.chunksOf('step_committed')[0]).not.toHaveProperty('passedOver');
    expect(machine.chunksOf('step_discarded')[0]).not.toHaveProperty('nextModel');
  });
});

describe('the models of a definition', () => {
  const agent = (options: object) => (): AgentDefinition =>
    Reflect.apply(defineAgent, undefined, [{ name: 'top', systemPrompt: 'Work.', ...options }]);

  it('[FM2] one to eight models, each with its own failures; `model` is the first', () => {
    const other = { ...noModel };
    const { model, models } = agent({ models: [noModel, { model: other, on: ['model_refused'] }, noModel] })();
    expect(model).toBe(noModel);
    expect(models?.map(({ on }) => on)).toEqual([BY_DEFAULT, ['model_refused'], BY_DEFAULT]);
    expect(models?.[1]?.model).toBe(other);
    const prompt = definePrompt({ name: 'drafting', prompt: 'Work.', models: [noModel, noModel] });
    expect(defineAgent({ name: 'top', prompt }).models).toHaveLength(2);
  });

  it('[FM2, FM8, DF1] refuses what cannot be meant, with what to change', () => {
    const entry = (choice: Partial<ModelChoice>) => ({ models: [{ model: noModel, ...choice }, noModel] });
    const cases: readonly [options: object, says: RegExp][] = [
      [{}, /has no `model`: set it/],
      [{ models: [] }, /`models` must be a list of 1 to 8 models/],
      [{ models: 'gpt-5' }, /`models` must be a list/],
      [{ models: Array.from({ length: 9 }, () => noModel) }, /`models` must be a list of 1 to 8 models/],
      [{ model: noModel, models: [noModel] }, /both `model` and `models`/],
      [entry({ on: [] }), /`models\[0\]`: `on` must be a list of these codes: model_rate_limited/],
      [entry({ on: ['gone'] }), /`on` must be a list of these codes/],
      [{ models: [noModel, { model: noModel, on: ['model_error'] }] }, /`models\[1\]` is the last/],
      [{ models: [noModel, { model: undefined }] }, /`models\[1\]` needs a `model`/],
      [{ models: [{ model: noModel, retries: 1 }] }, /unknown options: retries/],
      [{ models: [noModel, noModel], price: { input: 1, output: 1 } }, /`price` as a function of the model's name/],
    ];
    for (const [options, says] of cases) expect(agent(options), JSON.stringify(options)).toThrow(says);
    expect(() => definePrompt({ name: 'drafting', prompt: 'Work.', model: noModel, models: [noModel] })).toThrow(
      /both/,
    );
    const prompt = definePrompt({ name: 'drafting', prompt: 'Work.', model: noModel });
    expect(agent({ prompt, systemPrompt: undefined, models: [noModel] })).toThrow(/has a `prompt` and `models`/);
  });
});
