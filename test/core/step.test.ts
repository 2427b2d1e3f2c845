import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import { failure, MAX_ERROR_TEXT } from '../../src/protocol/errors';
import { Machine, planned, refusal } from '../support/machine';

/** A machine whose model is being asked. */
function asked(options: ConstructorParameters<typeof Machine>[0] = {}): Machine {
  const machine = new Machine(options);
  machine.start();
  return machine;
}

const HOUR_MS = 3_600_000;

describe('the fence of a model call', () => {
  it('[ST1, SE4, RC6] what an older epoch, step, attempt or run reports is refused and changes nothing', () => {
    const machine = asked();
    const { fence } = machine;
    const older = { epoch: fence.epoch - 1, stepId: fence.stepId - 1, attempt: fence.attempt - 1, runId: 'r_other' };
    for (const [field, value] of Object.entries(older)) {
      const before = machine.state;
      const stale = { ...fence, [field]: value };
      expect(refusal(machine.reply({ text: 'late' }, stale)), field).toBe('superseded');
      expect(refusal(machine.fail('model_overloaded', true, stale)), field).toBe('superseded');
      expect(
        refusal(
          machine.apply({ type: 'model_progress', ...stale, deltas: [{ type: 'text', part: 0, delta: 'late' }] }),
        ),
        field,
      ).toBe('superseded');
      expect(machine.state).toBe(before);
    }
    expect(machine.reply({ text: 'in time' }).ok).toBe(true);
  });

  it('[ST1, ST4, RC2] a reply that comes after its attempt was given up is refused, by retry and by recovery', () => {
    const machine = asked();
    const first = machine.fence;
    machine.fail('model_overloaded');
    const second = machine.fence;
    machine.now += HOUR_MS;
    machine.apply({ type: 'model_asked', ...machine.fence });
    machine.recover();
    expect(machine.fence).toMatchObject({ attempt: 3, epoch: 2 });
    expect(refusal(machine.reply({ text: 'late' }, first))).toBe('superseded');
    expect(refusal(machine.reply({ text: 'late' }, second))).toBe('superseded');
    expect(machine.chunksOf('step_discarded').map(({ reason }) => reason)).toEqual(['model_overloaded', 'recovered']);
  });

  it('[W34] tells with what is discarded when the next attempt is due, also after a recovery in the meantime', () => {
    const machine = asked();
    machine.fail('model_overloaded');
    const [effect] = machine.owed;
    const due = effect?.kind === 'model' ? effect.notBefore : 0;
    expect(due - machine.now).toBeGreaterThanOrEqual(DEFAULT_LIMITS.modelRetryBaseMs);
    machine.recover();
    // Nothing was under way: the wait goes on.
    expect(machine.owed).toMatchObject([{ kind: 'model', attempt: 2, notBefore: due }]);
    machine.now = due;
    machine.apply({ type: 'model_asked', ...machine.fence });
    machine.recover();
    expect(machine.owed).toMatchObject([{ kind: 'model', attempt: 3 }]);
    expect(machine.chunksOf('step_discarded').map(({ retryAt }) => retryAt)).toEqual([due, undefined]);
  });

  it('[ST1, CL2] the same reply a second time is refused', () => {
    const machine = asked();
    const { fence } = machine;
    machine.reply({ calls: [planned.tool()] }, fence);
    expect(refusal(machine.reply({ calls: [planned.tool()] }, fence))).toBe('superseded');
    expect(machine.step.calls).toHaveLength(1);
  });
});

describe('steps of a turn', () => {
  it('[ST2, DF3, BU16] exactly `maxSteps` are taken, 50 by default; the next fails the run', () => {
    for (const limits of [{}, { maxSteps: 1 }, { maxSteps: 3 }]) {
      const most = { ...DEFAULT_LIMITS, ...limits }.maxSteps;
      const machine = asked({ limits });
      for (let step = 1; step <= most; step++) {
        expect(machine.state.step, `step ${step}`).toMatchObject({ phase: 'model', number: step });
        machine.reply({ calls: [planned.tool()] });
        machine.settle(0);
      }
      expect(machine.outcome).toMatchObject({
        status: 'failed',
        error: {
          code: 'max_steps',
          message: expect.stringContaining('Raise `limits.maxSteps` and retry'),
          details: { limit: 'limits.maxSteps' },
        },
      });
      expect(machine.chunksOf('step_started')).toHaveLength(most);
      expect(machine.owed).toEqual([]);
    }
    expect(DEFAULT_LIMITS.maxSteps).toBe(50);
  });

  it('[ST2] a turn that ends in its last step has not failed', () => {
    const machine = asked({ limits: { maxSteps: 2 } });
    machine.reply({ calls: [planned.tool()] });
    machine.settle(0);
    machine.reply({ text: 'just in time' });
    expect(machine.outcome).toMatchObject({ status: 'completed', output: 'just in time' });
  });

  it('[ST3, ST11] the last result closes the step and begins the next one in one transition', () => {
    const machine = asked();
    machine.reply({ calls: [planned.tool(), planned.tool(), planned.child()] });
    machine.settle(1);
    machine.childEnded(2);
    expect(machine.types).not.toContain('step_committed');
    const last = machine.settle(0);
    expect(last.ok && last.chunks.map(({ body }) => body.type)).toEqual(['tool_end', 'step_committed', 'step_started']);
    expect(last.ok && last.changes.map(({ put }) => put)).toEqual(['settlement', 'step']);
    expect(machine.chunksOf('step_committed')).toMatchObject([
      {
        checkpointId: 's_me.1',
        finishReason: 'tool-calls',
        usage: { inputTokens: 10 },
        model: 'test/model',
        responseId: 'resp_1',
      },
    ]);
  });

  it('[ST3, CL2] a step whose calls need no work is closed in the transition of its reply', () => {
    const machine = asked();
    const answer = machine.reply({ calls: [planned.refused(), planned.refused('invalid_arguments')] });
    expect(answer.ok && answer.chunks.map(({ body }) => body.type)).toEqual([
      'tool_start',
      'tool_start',
      'tool_end',
      'tool_end',
      'step_committed',
      'step_started',
    ]);
  });
});

/** How long the next attempt waits, in ms. */
function waitOf(machine: Machine): number {
  const [effect] = machine.owed;
  return effect?.kind === 'model' ? effect.notBefore - machine.now : -1;
}

/** A wait is never shorter than asked for, and longer by a quarter at most. */
function expectWaits(found: readonly number[], least: readonly number[]): void {
  expect(found.map((wait, at) => wait >= (least[at] ?? 0) && wait <= Math.ceil((least[at] ?? 0) * 1.25))).toEqual(
    least.map(() => true),
  );
}

describe('a model call that fails', () => {
  it('[ST4, DF3] is asked again after 1, 2 and 4 s, three times by default; the fourth failure ends the run', () => {
    const machine = asked();
    const waits: number[] = [];
    for (let failures = 1; failures <= 3; failures++) {
      machine.fail('model_timeout');
      waits.push(waitOf(machine));
      expect(machine.state.step).toMatchObject({ attempt: failures + 1, number: 1 });
    }
    expectWaits(waits, [1_000, 2_000, 4_000]);
    machine.fail('model_unavailable');
    expect(machine.outcome).toEqual({ status: 'failed', error: failure('model_unavailable') });
    expect(machine.state.step).toMatchObject({
      failures: [{ code: 'model_timeout' }, {}, {}, { code: 'model_unavailable' }],
    });
  });

  it('[ST4] is asked again `modelRetries` times after waits from `modelRetryBaseMs` on, for each step anew', () => {
    const machine = asked({ limits: { modelRetries: 1, modelRetryBaseMs: 7 } });
    machine.fail('model_timeout');
    expectWaits([waitOf(machine)], [7]);
    machine.reply({ calls: [planned.tool()] });
    machine.settle(0);
    machine.fail('model_timeout');
    expect(machine.state.step).toMatchObject({ number: 2, attempt: 2 });
    machine.fail('model_timeout');
    expect(machine.outcome).toMatchObject({ error: { code: 'model_timeout' } });
  });

  it.each([
    [undefined, 1_000],
    [0, 1_000],
    [1_500, 1_500],
    [60_000, 60_000],
    [60_001, 60_000],
    [Number.MAX_SAFE_INTEGER, 60_000],
  ] as const)('[ST9, DF3] a provider that asks to wait %s ms is asked again after %i ms, each time', (asks, wait) => {
    const machine = asked();
    const found = [1, 2].map(() => {
      const error = { ...failure('model_rate_limited'), ...(asks === undefined ? {} : { retryAfterMs: asks }) };
      machine.apply({ type: 'model_failed', ...machine.fence, error });
      return waitOf(machine);
    });
    expectWaits(found, [wait, wait]);
  });

  it('[ST9] that limit is `modelRetryAfterMs`; what cannot be repeated is not, whatever its wait', () => {
    const machine = asked({ limits: { modelRetryAfterMs: 1_234 } });
    const retryAfterMs = 5_000;
    machine.apply({ type: 'model_failed', ...machine.fence, error: { ...failure('model_overloaded'), retryAfterMs } });
    expectWaits([waitOf(machine)], [1_234]);
    machine.apply({ type: 'model_failed', ...machine.fence, error: { ...failure('model_error'), retryAfterMs } });
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'model_error', retryAfterMs } });
  });

  it('[ST21] waits differ by chance, from the randomness of the failure alone', () => {
    const waitsOf = (machine: Machine) =>
      Array.from({ length: 100 }, () => {
        machine.fail('model_rate_limited');
        return waitOf(machine);
      });
    const waits = waitsOf(asked());
    expect(new Set(waits).size).toBeGreaterThan(70);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_250);
    expect(new Set(waits.map((wait) => Math.floor((wait - 1_000) / 25.1))).size).toBe(10);
    expect(waitsOf(asked())).toEqual(waits);
  });

  it.each(['model_rate_limited', 'model_overloaded'] as const)(
    '[ST20, DF3] %s is waited out for 5 minutes from the first refusal on, however often, and then ends the run',
    (code) => {
      const machine = asked({ limits: { modelRetries: 1 } });
      const first = machine.now;
      let tries = 0;
      for (; machine.outcome === undefined && tries < 1_000; tries++) {
        machine.fail(code);
        machine.now += Math.max(0, waitOf(machine));
      }
      expect(machine.now - first).toBeGreaterThan(300_000 - (code === 'model_overloaded' ? 75_000 : 1_250));
      expect(machine.now - first).toBeLessThanOrEqual(300_000);
      const seconds = Math.round((machine.now - first) / 1_000);
      expect(machine.outcome).toMatchObject({ status: 'failed', error: { code, retryable: true } });
      expect(machine.outcome).toMatchObject({
        error: {
          message: expect.stringContaining(`It refused ${tries} times, over ${seconds} s (\`modelPatienceMs\`).`),
        },
      });
      // Hundreds of refusals are no hundreds of rows.
      expect(machine.state.step?.failures.length).toBe(Math.min(tries, 8));
      expect(tries).toBeGreaterThan(code === 'model_overloaded' ? 6 : 200);
      expect(tries).toBeLessThan(code === 'model_overloaded' ? 15 : 301);
    },
  );

  it('[ST20] what the end says has no more characters than an error may, and the advice whole', () => {
    for (const length of [10, MAX_ERROR_TEXT - 300, MAX_ERROR_TEXT, MAX_ERROR_TEXT + 1]) {
      const machine = asked({ limits: { modelRetryBaseMs: 2, modelPatienceMs: 1 } });
      machine.apply({
        type: 'model_failed',
        ...machine.fence,
        error: failure('model_rate_limited', 'x'.repeat(length)),
      });
      const { outcome } = machine;
      const message = outcome?.status === 'failed' ? outcome.error.message : '';
      expect(message.length).toBeLessThanOrEqual(MAX_ERROR_TEXT);
      expect(message).toMatch(/^x+.* It refused once, over 0 s \(`modelPatienceMs`\)\. Do not repeat .*at a time\.$/s);
    }
  });

  it('[ST20] a refusal of which the wait goes past the patience ends the run at once; one to its end does not', () => {
    const error = { ...failure('model_rate_limited'), retryAfterMs: 1 };
    const edge = asked({ limits: { modelRetryBaseMs: 1, modelPatienceMs: 1 } });
    edge.apply({ type: 'model_failed', ...edge.fence, error });
    expect(edge.outcome).toBeUndefined();
    const past = asked({ limits: { modelRetryBaseMs: 2, modelPatienceMs: 1 } });
    past.apply({ type: 'model_failed', ...past.fence, error });
    expect(past.outcome).toMatchObject({ status: 'failed', error: { code: 'model_rate_limited' } });
  });

  it('[ST20] the patience runs from the beginning of a wait for a turn that never came, which is no refusal itself', () => {
    const waited = (ms: number) => {
      const machine = asked({ limits: { modelRetryBaseMs: 1, modelPatienceMs: 1_000 } });
      const waitingSince = machine.now;
      machine.now += ms;
      machine.apply({ type: 'model_failed', ...machine.fence, error: failure('model_rate_limited'), waitingSince });
      return { machine, waitingSince };
    };
    const early = waited(900);
    expect(early.machine.state.step).toMatchObject({ refusals: { since: early.waitingSince, count: 0 } });
    const { machine } = waited(1_000);
    expect(machine.outcome).toMatchObject({
      ...{ status: 'failed', error: { code: 'model_rate_limited', message: expect.stringContaining('over 1 s') } },
    });
  });

  it('[MT11] an overload is asked about ever more rarely', () => {
    const machine = asked();
    const waits = Array.from({ length: 8 }, () => {
      machine.fail('model_overloaded');
      return waitOf(machine);
    });
    expectWaits(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  // An agent of https://github.com/NousResearch/hermes-agent/pull/109234 had 19 of 20 waits end in one instant.
  it('[ST21] agents with the same long wait come apart, and none before it is over', () => {
    const machine = asked();
    const waits = Array.from({ length: 20 }, () => {
      const error = { ...failure('model_rate_limited'), retryAfterMs: 600_000 };
      machine.apply({ type: 'model_failed', ...machine.fence, error });
      return waitOf(machine);
    });
    expect(new Set(waits).size).toBe(20);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(60_000);
  });

  it('[ST20] other failures between refusals are counted by `modelRetries`, and a success ends the patience', () => {
    const machine = asked({ limits: { modelRetries: 1, modelPatienceMs: 10_000 } });
    machine.fail('model_rate_limited');
    machine.fail('model_timeout');
    machine.fail('model_rate_limited');
    expect(machine.outcome).toBeUndefined();
    machine.now += 9_000;
    machine.reply({ calls: [planned.tool()] });
    machine.settle(0);
    machine.now += 9_000;
    machine.fail('model_rate_limited');
    expect(machine.state.step).toMatchObject({ number: 2, attempt: 2, refusals: { count: 1, since: machine.now } });
    machine.fail('model_timeout');
    machine.fail('model_timeout');
    expect(machine.outcome).toMatchObject({ error: { code: 'model_timeout' } });
  });

  it('[ST4] ends the run at once where asking again cannot help', () => {
    const machine = asked();
    machine.fail('model_unauthorized');
    expect(machine.outcome).toEqual({ status: 'failed', error: failure('model_unauthorized') });
    expect(machine.types).not.toContain('step_discarded');
  });

  it('[ST4, RC2] recoveries in between neither use up retries nor give new ones', () => {
    const machine = asked({ limits: { modelRetries: 2 } });
    machine.fail('model_timeout');
    machine.recover();
    machine.recover();
    machine.fail('model_timeout');
    expect(machine.outcome).toBeUndefined();
    machine.recover();
    machine.fail('model_timeout');
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'model_timeout' } });
  });
});

describe('what ends a run', () => {
  it('[ST5] without a typed output a reply without calls ends it with its text, an empty one too', () => {
    for (const text of ['Hello', '']) {
      const machine = asked();
      machine.reply({ text });
      expect(machine.outcome).toEqual({ status: 'completed', output: text, completionReason: 'text' });
    }
  });

  it('[ST5, ST2] with a typed output a plain text is answered with a reminder and counts as a step', () => {
    const machine = asked({ finishTools: ['__finish__'], limits: { maxSteps: 2 } });
    machine.reply({ text: 'Is it this?' });
    expect(machine.state.step).toMatchObject({ phase: 'model', number: 2, messagesUpTo: 2 });
    const reminder = machine.changes.find((change) => change.put === 'message' && change.message.from === 'offshoot');
    expect(reminder).toMatchObject({ message: { role: 'user', content: expect.stringContaining('__finish__') } });
    expect(machine.chunksOf('message_delivered')).toHaveLength(1);
    machine.reply({ text: 'Or that?' });
    expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'max_steps' } });
  });

  it('[ST6] `__finish__` ends it with its output after its siblings have run, however they ended', () => {
    const machine = asked({ finishTools: ['__finish__'] });
    machine.reply({ calls: [planned.tool(), planned.finish({ a: 1 }), planned.child()] });
    expect(machine.call(1).settled?.result).toEqual({ success: true, value: { finished: true } });
    machine.settle(0, { success: false, error: failure('tool_failed') });
    expect(machine.outcome).toBeUndefined();
    machine.childEnded(2);
    expect(machine.outcome).toEqual({ status: 'completed', output: { a: 1 }, completionReason: 'finish' });
  });

  it('[ST6] the first `__finish__` of a step wins, the others are answered as superseded', () => {
    const machine = asked({ finishTools: ['__finish__'] });
    machine.reply({ calls: [planned.finish(1), planned.finish(2), planned.finish(3)] });
    expect(machine.outcome).toMatchObject({ output: 1 });
    expect(machine.step.calls.map(({ settled }) => settled?.result)).toMatchObject([
      { success: true },
      { success: false, error: { code: 'superseded' } },
      { success: false, error: { code: 'superseded' } },
    ]);
  });

  it('[ST6] the first successful `finishWith` tool, in the order of the calls, gives the output; a failed one ends nothing', () => {
    const finishing = { finishWith: true };
    const machine = asked({ finishTools: ['deliver'] });
    machine.reply({ calls: [planned.tool('deliver', finishing)] });
    machine.settle(0, { success: false, error: failure('tool_failed') });
    expect(machine.state.step).toMatchObject({ phase: 'model', number: 2 });
    machine.reply({
      calls: [
        planned.tool('deliver', finishing),
        planned.tool('deliver', finishing),
        planned.tool('deliver', finishing),
      ],
    });
    machine.settle(2);
    machine.settle(1);
    machine.settle(0, { success: false, error: failure('tool_failed') });
    expect(machine.outcome).toEqual({ status: 'completed', output: 1, completionReason: 'finish_with' });
  });

  it('[ST6] `__finish__` goes before a `finishWith` tool of the same step', () => {
    const machine = asked();
    machine.reply({ calls: [planned.tool('deliver', { finishWith: true }), planned.finish('typed')] });
    machine.settle(0);
    expect(machine.outcome).toMatchObject({ output: 'typed', completionReason: 'finish' });
  });

  it('[ST7] `stopWhen` is asked about each closed step and ends the run with its text, in the last step before the limit', () => {
    const machine = asked({ limits: { maxSteps: 2 }, stopWhen: true });
    machine.reply({ text: 'one', calls: [planned.tool('note'), planned.refused()] });
    expect(machine.owed).toMatchObject([{ kind: 'tool' }]);
    machine.settle(0, { success: true, value: { n: 1 } });
    expect(machine.owed).toMatchObject([{ kind: 'stop_when' }]);
    expect(machine.stopWhenSaid(false).ok).toBe(true);
    machine.reply({ text: 'two', calls: [planned.tool('note')] });
    machine.settle(0);
    machine.stopWhenSaid(true);
    expect(machine.outcome).toEqual({ status: 'completed', output: 'two', completionReason: 'stop_when' });
    expect(machine.chunks.filter(({ body }) => body.type === 'step_committed')).toHaveLength(2);
  });

  it('[ST7] `stopWhen` fails the run where a typed output is due, and one that gives no answer fails it too', () => {
    const typed = asked({ finishTools: ['__finish__'], stopWhen: true });
    typed.reply({ text: 'no output' });
    typed.stopWhenSaid(true);
    expect(typed.outcome).toMatchObject({
      status: 'failed',
      error: { code: 'output_invalid', message: expect.stringContaining('__finish__') },
    });
    const broken = asked({ stopWhen: true });
    broken.reply({ text: 'x' });
    broken.stopWhenSaid(false, failure('invalid_definition', 'my mistake'));
    expect(broken.outcome).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_definition', message: expect.stringContaining('my mistake') },
    });
  });

  it('[ST7, ST1] an answer of `stopWhen` counts once: not a second time, nor after a stop, nor from before a crash', () => {
    const machine = asked({ stopWhen: true });
    machine.reply({ text: 'one', calls: [planned.refused()] });
    const [question] = machine.owed.filter((effect) => effect.kind === 'stop_when');
    const late = {
      type: 'stop_when_said',
      id: question?.owed ?? '',
      epoch: question?.epoch ?? 0,
      stops: true,
    } as const;
    machine.recover();
    expect(machine.owed.map(({ kind }) => kind)).toEqual(['stop_when']);
    expect(machine.apply(late)).toMatchObject({ ok: false, refused: { code: 'superseded' } });
    expect(machine.stopWhenSaid(false).ok).toBe(true);
    expect(machine.apply({ ...late, epoch: late.epoch + 1 }).ok).toBe(false);
    machine.reply({ text: 'two', calls: [planned.refused()] });
    machine.stop('interrupt');
    expect(machine.stopWhenSaid(true).ok).toBe(false);
    expect(machine.outcome).toMatchObject({ status: 'interrupted' });
    machine.resume();
    expect(machine.owed.map(({ kind }) => kind)).toEqual(['stop_when']);
    machine.stopWhenSaid(true);
    expect(machine.outcome).toMatchObject({ status: 'completed', output: 'two' });
    expect(machine.chunks.filter(({ body }) => body.type === 'step_committed')).toHaveLength(2);
  });

  it('[ST6, ST7] a finishing call goes before `stopWhen`', () => {
    const machine = asked({ finishTools: ['__finish__'], stopWhen: true });
    machine.reply({ calls: [planned.finish('output')] });
    expect(machine.outcome).toMatchObject({ status: 'completed', output: 'output' });
  });

  it('[ST8] a reply that was cut off or refused fails the run, also past `stopWhen` and where an output is due', () => {
    for (const options of [{}, { stopWhen: true }, { finishTools: ['__finish__'] }]) {
      const cut = asked(options);
      cut.reply({ text: 'And so it', finishReason: 'length' });
      expect(cut.outcome).toMatchObject({
        status: 'failed',
        error: { code: 'output_limit', message: expect.stringContaining('cut off') },
      });
      const refused = asked(options);
      refused.reply({ text: '', finishReason: 'content-filter' });
      expect(refused.outcome).toMatchObject({ status: 'failed', error: { code: 'model_refused' } });
    }
  });

  it.each(['length', 'content-filter'] as const)(
    '[ST8][ST10] no call of a reply that was cut (%s) is carried out or ends the run: each is refused',
    (finishReason) => {
      for (const calls of [
        [planned.tool()],
        [planned.tool('give', { finishWith: true })],
        [planned.child('Worker')],
        [planned.client()],
        [planned.finish('output')],
        [planned.tool(), planned.finish('output')],
      ]) {
        const machine = asked({ finishTools: ['__finish__'] });
        machine.reply({ calls, finishReason });
        // A filter ends the run; where the output limit cut it off, the model is asked again.
        if (finishReason === 'length') expect(machine.state.step).toMatchObject({ phase: 'model', number: 2 });
        else expect(machine.outcome).toMatchObject({ status: 'failed', error: { code: 'model_refused' } });
        const ends = machine.chunksOf('tool_end');
        expect(ends).toHaveLength(calls.length);
        for (const end of ends)
          expect(end).toMatchObject({
            success: false,
            error: { code: 'invalid_arguments', message: expect.stringContaining('cut off') },
          });
      }
    },
  );

  it('[ST10] the same calls of a whole reply are carried out', () => {
    const machine = asked({ finishTools: ['__finish__'] });
    machine.reply({ calls: [planned.finish('output')], finishReason: 'tool-calls' });
    expect(machine.outcome).toMatchObject({ status: 'completed', output: 'output' });
  });
});
