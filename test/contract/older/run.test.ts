/** Runs of earlier formats, read in the shape of today. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lineage } from '../../../src/core/agent/runs/lineage';
import type { Run } from '../../../src/core/agent/state';
import { runOf } from '../../../src/store/older/run';
import { RUN } from '../stores-support';

const PARTS = { committed: 'committedStep', deferred: 'deferredAfter', handed_over: 'handedAfter' } as const;

/** A run as formats 1 and 2 kept it: every fact of its own. */
function older({ lineage, caller, closing, ...rest }: Run): Parameters<typeof runOf>[0] {
  const closed = closing?.done.map((part) => [PARTS[part], closing.step]) ?? [];
  return { ...rest, ...lineage, ...caller, ...Object.fromEntries(closed) };
}

const some = <Value>(value: Value) => fc.option(fc.constant(value), { nil: undefined });
const lineages = fc
  .record({
    resumedFrom: some('r_0'),
    usageAtStart: some(RUN.lineage.usageAtChainStart),
    askedAfter: some(0),
    firstTry: some({ turn: 1, replies: 2 }),
  })
  .map((found) => present({ ...RUN.lineage, ...found }) as Lineage);
const present = (facts: object): object =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
const runs = fc
  .record({
    lineage: lineages,
    caller: fc.constantFrom(undefined, { actor: 'ann' }, { traceparent: 't' }, { actor: 'ann', traceparent: 't' }),
    closing: fc.option(
      fc
        .subarray(['committed', 'deferred', 'handed_over'] as const, { minLength: 1 })
        .map((done) => ({ step: 3, done })),
      { nil: undefined },
    ),
  })
  .map((found) => present({ ...RUN, ...found }) as Run);

describe('a run of an earlier format', () => {
  it('[SO3] is read with its lineage, its caller and the parts of closing a step that were done', () =>
    fc.assert(
      fc.property(runs, (run) => {
        expect(runOf(older(run))).toEqual(run);
      }),
    ));

  it('[SO3] closes a step anew if only parts of an earlier one were done', () => {
    const stored = { ...older(RUN), committedStep: 2, handedAfter: 5 };
    expect(runOf(stored).closing).toEqual({ step: 5, done: ['handed_over'] });
  });

  it('[SO3] of format 3 is read with its caller', () => {
    const caller = { actor: 'ann', traceparent: 't' };
    expect(runOf({ ...RUN, asker: caller })).toEqual({ ...RUN, caller });
  });

  it('[SO3] is left as it is if it is of the newest', () => expect(runOf(RUN)).toBe(RUN));
});
