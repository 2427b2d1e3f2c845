/** Scheduled effects: what a definition takes, and what the core decides about them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEffect } from '../../../src/capabilities/effects/define-effect';
import {
  dueEffects,
  type EffectEvent,
  effectEvent,
  effectsMachine,
  pendingEffects,
} from '../../../src/capabilities/effects/machine';
import { nextDueAt } from '../../../src/core/agent/capability';
import { defineAgent } from '../../../src/core/definition/define-agent';
import type { EffectDefinition } from '../../../src/core/definition/definition';
import { failure } from '../../../src/protocol/errors';
import { Machine, planned } from '../../support/machine';
import { noModel } from '../../support/no-model';

const effect = (name = 'remind', more: object = {}): EffectDefinition =>
  defineEffect({ name, description: 'Reminds.', execute: () => undefined, ...more });
const agent = (effects: readonly EffectDefinition[]) =>
  defineAgent({ name: 'a', systemPrompt: 'Work.', model: noModel, effects });

describe('an effect of a definition', () => {
  it('[SF5] has a name like that of a tool, alone or behind that of its package', () => {
    const long = 'x'.repeat(64);
    for (const name of ['remind', '_a-1', `${long}/${long}`]) expect(effect(name).name).toBe(name);
    for (const name of ['', '1a', 'a b', 'a/b/c', '/a', 'a/', `${long}x`, `a/${long}x`])
      expect(() => effect(name)).toThrow('use a letter or "_" first');
  });

  it('[SF5] is refused where it could not work, and twice at one agent', () => {
    expect(() => effect('a', { execute: undefined })).toThrow('needs an `execute` function');
    expect(() => effect('a', { description: undefined })).toThrow('`description` must be a string');
    expect(() => effect('a', { schema: { type: 'object' } })).toThrow('is not a zod schema');
    expect(() => effect('a', { timeoutMs: 0 })).toThrow('`timeoutMs` must be above 0');
    expect(() => effect('a', { delayMs: 1 })).toThrow('unknown options: delayMs');
    expect(() => agent([effect(), effect()])).toThrow('has "remind" twice in `effects`');
    expect(() => agent(Object.assign([], ['remind']))).toThrow('with `defineEffect`');
    expect(() => agent(JSON.parse('{}'))).toThrow('must be a list');
    expect(agent([effect('a', { schema: z.string(), timeoutMs: 5 }), effect('b')]).effects).toHaveLength(2);
    expect(agent([]).effects).toEqual([]);
  });
});

/** An event of effects; the machine of the test adds its time. */
const of = (event: EffectEvent) => effectEvent(0, event);

/** A run whose tool is at work. */
function atWork(limits: object = {}) {
  const machine = new Machine({ limits });
  machine.start();
  machine.reply({ calls: [planned.tool()] });
  return machine;
}

describe('what the core decides about effects', () => {
  it('[SF1] takes each once from a body that is waited for, and none from another', () => {
    const machine = atWork();
    const schedule = (by: string, effectId: string, dueAt = 0) =>
      machine.apply(of({ type: 'scheduled', by, epoch: 1, effectId, name: 'remind', args: null, dueAt }));
    const call = machine.call(0).callId;
    expect(schedule(call, 'one', 5)).toMatchObject({ ok: true });
    expect(schedule(call, 'one', 9)).toMatchObject({ ok: true, changes: [] });
    expect(schedule('c_other', 'two')).toMatchObject({ ok: false });
    // One that is scheduled may schedule others, whatever the run does.
    expect(schedule('one', 'two', 3)).toMatchObject({ ok: true });
    expect(pendingEffects(machine.state).map(({ id, effectId, dueAt }) => [id, effectId, dueAt])).toEqual([
      [2, 'two', 3],
      [1, 'one', 5],
    ]);
    expect(nextDueAt(machine.capabilities, machine.state, 0)).toBe(3);
  });

  it('[SF5] [SF10] takes `maxScheduledEffects`, and does as many at once as bodies of tools, the earliest first', () => {
    const machine = atWork({ maxScheduledEffects: 3, maxConcurrentCalls: 2 });
    const by = machine.call(0).callId;
    const schedule = (effectId: string, dueAt: number) =>
      machine.apply(of({ type: 'scheduled', by, epoch: 1, effectId, name: 'remind', args: null, dueAt }));
    for (const [effectId, dueAt] of [
      ['a', 30],
      ['b', 10],
      ['c', 20],
    ] as const)
      expect(schedule(effectId, dueAt).ok).toBe(true);
    expect(schedule('d', 0)).toMatchObject({ refused: { code: 'too_many_effects' } });
    const due = (time: number) => dueEffects(machine.state, time, machine.rules).map(({ effectId }) => effectId);
    expect([due(9), due(10), due(30)]).toEqual([[], ['b'], ['b', 'c']]);
  });

  it('[SF1] keeps each until it is done or taken back, whatever comes and goes beside it', () => {
    const deed = fc.record({
      what: fc.constantFrom('scheduled', 'scheduled', 'removed', 'done'),
      effectId: fc.constantFrom('a', 'b', 'c', 'd'),
      dueAt: fc.nat({ max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 20 }), (deeds) => {
        const machine = atWork();
        const by = machine.call(0).callId;
        const kept = new Map<string, number>();
        for (const { what, effectId, dueAt } of deeds) {
          const isKept = kept.has(effectId);
          if (what === 'scheduled') {
            machine.apply(of({ type: 'scheduled', by, epoch: 1, effectId, name: 'remind', args: null, dueAt }));
            if (!isKept) kept.set(effectId, dueAt);
          } else {
            if (what === 'removed') machine.apply(of({ type: 'removed', by, epoch: 1, effectId }));
            else {
              machine.apply(of({ type: 'begun', effectId }));
              machine.apply(of({ type: 'done', effectId, attempt: 1 }));
            }
            kept.delete(effectId);
          }
          // Those of one time in the order in which they came.
          const order = [...kept].toSorted(([, one], [, other]) => one - other);
          expect(pendingEffects(machine.state).map((one) => [one.effectId, one.dueAt])).toEqual(order);
        }
      }),
    );
  });

  it('[SF2] counts a try before it begins, and takes the end of that try alone', () => {
    const machine = atWork({ maxEffectTries: 2 });
    const by = machine.call(0).callId;
    machine.apply(of({ type: 'scheduled', by, epoch: 1, effectId: 'a', name: 'remind', args: null, dueAt: 0 }));
    const begin = () => machine.apply(of({ type: 'begun', effectId: 'a' }));
    const end = (attempt: number) => machine.apply(of({ type: 'done', effectId: 'a', attempt }));
    expect(begin().ok).toBe(true);
    expect(begin().ok).toBe(true);
    expect(end(1)).toMatchObject({ ok: false, refused: { code: 'superseded' } });
    expect(begin()).toMatchObject({ ok: true });
    expect(machine.state.slices).toEqual(new Map());
    expect(begin()).toMatchObject({ ok: false });
  });
});

describe('the tries of an effect', () => {
  const SECONDS = [1, 10, 60, 600, 3_600, 3_600, 3_600];
  const scheduled = (limits: object) => {
    const machine = atWork(limits);
    const by = machine.call(0).callId;
    const schedule = (effectId: string, dueAt = 0) =>
      machine.apply(of({ type: 'scheduled', by, epoch: 1, effectId, name: 'remind', args: null, dueAt }));
    schedule('a');
    const begin = () => machine.apply(of({ type: 'begun', effectId: 'a' }));
    const fail = (attempt: number, at: number) =>
      machine.apply(effectEvent(at, { type: 'done', effectId: 'a', attempt, error: failure('internal') }));
    return { machine, by, schedule, begin, fail };
  };
  const rows = ({ state }: Machine) =>
    pendingEffects(state).map(({ effectId, tries, dueAt }) => [effectId, tries, dueAt]);

  it('[SF2] one that failed is due again after a growing wait, up to its last try', () => {
    const most = SECONDS.length + 1;
    const { machine, begin, fail } = scheduled({ maxEffectTries: most });
    for (const [index, seconds] of SECONDS.entries()) {
      begin();
      expect(fail(index + 1, 1_000 * index).ok).toBe(true);
      const at = Math.max(1_000 * index, machine.now);
      const [[, tries, dueAt] = []] = rows(machine);
      expect([tries, Number(dueAt)]).toEqual([index + 1, at + 1_000 * seconds]);
      expect(fail(index + 2, 0)).toMatchObject({ refused: { code: 'superseded' } });
    }
    begin();
    fail(most, 0);
    expect(rows(machine)).toEqual([]);
    expect(fail(most, 0)).toMatchObject({ refused: { code: 'superseded' } });
  });

  it('[SF3] nothing is scheduled or tried of an agent that is about to be terminated, and nothing of it is due', () => {
    const { machine, by, schedule, begin } = scheduled({});
    machine.stop('terminate');
    expect(pendingEffects(machine.state)).toEqual([]);
    expect(nextDueAt(machine.capabilities, machine.state, 0)).toBeUndefined();
    expect(begin()).toMatchObject({ refused: { code: 'superseded' } });
    expect(schedule('b').ok).toBe(false);
    const again = effectEvent(0, {
      type: 'scheduled',
      by: 'a',
      epoch: 1,
      effectId: 'c',
      name: 'remind',
      args: null,
      dueAt: 0,
    });
    expect(machine.apply(again)).toMatchObject({ refused: { code: 'terminated' } });
    expect(by).toBeDefined();
  });

  it('[SF1] a body that nobody waits for takes none back, and an effect owns what it schedules until it is done', () => {
    const { machine, by } = scheduled({});
    const remove = (one: string, effectId: string) =>
      machine.apply(of({ type: 'removed', by: one, epoch: 1, effectId }));
    expect(remove('c_other', 'a').ok).toBe(false);
    expect(remove(by, 'b')).toMatchObject({ refused: { code: 'not_found' } });
    expect([effectsMachine.ownsBody?.(machine.state, 'a'), effectsMachine.ownsBody?.(machine.state, 'b')]).toEqual([
      true,
      false,
    ]);
    expect(effectsMachine.pending?.(machine.state, 0, machine.rules).map(({ id }) => id)).toEqual(['a']);
    expect(remove('a', 'a').ok).toBe(true);
  });
});
