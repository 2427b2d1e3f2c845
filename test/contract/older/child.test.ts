/** Children of earlier formats, read in the shape of today. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Child } from '../../../src/core/agent/children/child';
import { childOf, type OlderChild } from '../../../src/store/older/child';
import { childRecord } from '../stores-support';

/** A child as formats 1 to 3 kept it: every fact of its own. */
function older({ terms, setup, mailbox, ...child }: Child): OlderChild {
  const { givesFiles, ...others } = setup;
  const { messages = [], last, taken } = mailbox ?? {};
  return {
    ...child,
    ...terms,
    ...others,
    ...(givesFiles ? { gives: givesFiles } : {}),
    ...(messages.length > 0 ? { mail: messages } : {}),
    ...(last === undefined ? {} : { lastMail: last }),
    ...(taken === undefined ? {} : { mailTaken: taken }),
  };
}

const some = <Value>(value: Value) => fc.option(fc.constant(value), { nil: undefined });
const present = (facts: object): object =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
const told = {
  number: 2,
  message: { messageId: 'm', role: 'user', content: 'x', from: 'parent' },
  callId: 'c',
} as const;
const children = fc
  .record({
    terms: fc
      .record({ onIdle: some('wake'), budget: some({ maxSteps: 3 }), brings: some(true) })
      .map((facts) => ({ ...present(facts), timeoutMs: 5, onParentSuspend: 'pause', onFailure: 'wait' })),
    setup: fc
      .record({ workspace: some('inherited'), givesFiles: some(true), mayRead: some(true) })
      .map((facts) => present(facts)),
    mailbox: fc.constantFrom(
      undefined,
      { messages: [], last: 2 },
      { messages: [told], last: 2 },
      { messages: [told], last: 2, taken: 2 },
    ),
    ofRun: some(7),
  })
  .map((facts): Child => ({ ...childRecord(3, 'Leaf', 'own'), ...present(facts) }));

describe('a child of an earlier format', () => {
  it('[SO3] is read with its terms, its setup and its mailbox', () =>
    fc.assert(
      fc.property(children, (child) => {
        expect(childOf(older(child))).toEqual(child);
      }),
    ));

  it('[SO3] is left as it is if it is of the newest', () => {
    const child = childRecord(3, 'Leaf', 'own');
    expect(childOf(child)).toBe(child);
  });
});
