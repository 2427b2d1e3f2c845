/** What a child tells its parent of its task: the whole of it, in the answer to a stop where its parent waits for that. */
import { expect, it } from 'vitest';
import type { Outcome } from '../../../../src/core/agent/state';
import { deliverOutcome, deliverWait } from '../../../../src/engine/children/deliver-to-parent';
import { failure } from '../../../../src/protocol/errors';
import { NO_USAGE } from '../../../../src/protocol/usage';
import { Machine, planned } from '../../../support/machine';
import { rowsOf } from '../../../support/rows';
import { VirtualTime } from '../../../support/virtual-time';

const machine = new Machine({ child: true });
machine.start();
machine.reply({ text: 'So far.', calls: [planned.tool()] });
const task = { childId: 1, task: 2 };
const usage = { ...NO_USAGE, modelCalls: 4 };

/** A child whose parent waits for the answer to its stop, or not; in the order of what it does. */
function childOf(facts: object, isAwaited = false) {
  const time = new VirtualTime();
  const did: unknown[] = [];
  const agent = {
    environment: time.environment,
    state: { ...machine.state, spent: usage, ...facts },
    deps: { store: { steps: () => [] }, kept: {}, askFiles: async () => ({}) },
    link: {
      ask: async (what: object) => void did.push({ asks: what, after: time.now - began }),
      sink: { finalFlush: (delivery: object) => ({ flushed: delivery }) },
    },
    stopAnswer: { isAwaited, give: (flush: unknown) => void did.push({ gives: flush }) },
    apply: (event: object) => void did.push({ applies: event }),
  };
  const began = time.now;
  return { agent: agent as never, time, did };
}

const OUTCOMES: readonly Outcome[] = [
  { status: 'completed', output: 1, completionReason: 'text' },
  { status: 'failed', error: failure('model_error') },
  { status: 'interrupted', reason: 'So.' },
  { status: 'terminated', reason: 'So.' },
];
const message = { messageId: 'm', role: 'user', content: 'Hi', number: 1, at: 1 };

it('[OB5, OB7, DG21, US6, CO5] its end comes with what it spent, what it had done, and how far it was with its messages', async () => {
  const { run } = machine.state;
  for (const { outcome, isAwaited, mailTaken, inbox } of rowsOf({
    outcome: OUTCOMES,
    isAwaited: [false, true],
    mailTaken: [undefined, 3],
    inbox: [
      [],
      [
        { ...message, from: 'parent' },
        { ...message, from: 'offshoot' },
      ],
    ],
  })) {
    const facts = { inbox, run: { ...run, ...(mailTaken === undefined ? {} : { mailTaken }) } };
    const { agent, time, did } = childOf(facts, isAwaited);
    let over = false;
    const effect = { kind: 'deliver_outcome', id: 'e', runId: 'r_7', outcome, task } as const;
    void deliverOutcome(agent, effect as never).then(() => {
      over = true;
    });
    await time.until(() => over);
    const unseen = inbox.length > 0 ? 1 : 0;
    const isTold = mailTaken !== undefined || unseen > 0;
    const delivery = {
      ...{ type: 'child_settled', task, outcome, usage, runId: 'r_7' },
      ...(outcome.status === 'completed' ? {} : { done: { calls: [], callsSucceeded: 0, lastText: 'So far.' } }),
      ...(isTold ? { mail: { taken: mailTaken ?? 0, unseen } } : {}),
    };
    // What was flushed is told once more by itself after a while.
    expect(did).toEqual([
      { gives: isAwaited ? { flushed: delivery } : undefined },
      { asks: { deliver: [delivery] }, after: isAwaited ? 1_000 : 0 },
      { applies: expect.objectContaining({ type: 'outcome_acknowledged', runId: 'r_7' }) },
    ]);
  }
});

it('[SU2, SU5] its wait is told with its last word, and is acknowledged unless it has changed since', async () => {
  for (const { waits, word, aborts } of rowsOf({
    waits: [true, false],
    word: [undefined, { text: 'so far', number: 5 }],
    aborts: [false, true],
  })) {
    const { agent, did } = childOf({});
    const controller = new AbortController();
    const effect = { kind: 'deliver_wait', id: 'e', runId: 'r_7', task, waits, ...(word ? { word } : {}) } as const;
    const told = deliverWait(agent, effect as never, controller.signal);
    if (aborts) controller.abort();
    await told;
    const says = word ? { says: word.text } : {};
    const known = {
      type: 'wait_acknowledged',
      runId: 'r_7',
      waits,
      at: expect.any(Number),
      ...(word ? { word: 5 } : {}),
    };
    expect(did).toEqual([
      { asks: { deliver: [{ type: 'child_waits', task, runId: 'r_7', waits, ...says }] }, after: 0 },
      ...(aborts ? [] : [{ applies: known }]),
    ]);
  }
});
