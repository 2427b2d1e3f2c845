/** How a parent tries to reach a child, and what it tells one at work: each try at its time, until it is taken or over. */
import { describe, expect, it } from 'vitest';
import type { Child } from '../../../../src/core/agent/children/child';
import { reach, reachShown } from '../../../../src/engine/children/reach-child';
import { sendMail, withoutFiles } from '../../../../src/engine/children/send-child-messages';
import { failure } from '../../../../src/protocol/errors';
import { Machine, planned } from '../../../support/machine';
import { parentOf } from '../../../support/parent';

const machine = new Machine();
machine.start();
machine.reply({ calls: [planned.child()] });
const CHILD = machine.child(0);
const DONE = { answer: 'done' } as const;
const STOP = { type: 'stop', verb: 'abort', reason: 'So.' } as never;

/** Tries to reach a child that answers from that try on; the times of the tries, and what came of them. */
async function tried(answersAt: number, { ms = 5_000, abortAt }: { ms?: number; abortAt?: number } = {}) {
  const times: number[] = [];
  const said: string[] = [];
  const parent = parentOf(machine.state, {
    answers: (at) => {
      times.push(parent.time.now - began);
      return at >= answersAt ? DONE : undefined;
    },
  });
  const began = parent.time.now;
  const { controller, time } = parent;
  if (abortAt !== undefined) time.environment.timer(abortAt, () => controller.abort());
  let ended: { readonly reached: unknown; readonly after: number } | undefined;
  const patience = { ms, answerMs: 900, signal: controller.signal, unreached: (why: string) => void said.push(why) };
  void reach(parent.agent, CHILD, STOP, patience).then((reached) => {
    ended = { reached, after: time.now - began };
  });
  await time.until(() => ended !== undefined);
  return { times, said, ...ended };
}

describe('a child that is not reached', () => {
  it('[DG13, DG32] is tried again after 50, 200 and 1,000 ms, then each 3 s, until the patience is over', async () => {
    const ALL = [0, 50, 250, 1_250, 4_250, 5_000];
    for (let at = 0; at <= ALL.length; at++) {
      const { times, said, reached, after } = await tried(at);
      const isReached = at < ALL.length;
      expect(times, String(at)).toEqual(ALL.slice(0, at + 1));
      expect(after, String(at)).toBe(ALL[Math.min(at, 5)]);
      expect(reached, String(at)).toMatchObject(
        isReached ? { answer: DONE } : { why: expect.stringContaining('not reached') },
      );
      // A moment is told of to nobody, and more than that once.
      expect(said.length, String(at)).toBe(at > 3 ? 1 : 0);
    }
    expect((await tried(99, { ms: 250 })).times).toEqual([0, 50, 250]);
    expect((await tried(99, { ms: 251 })).times).toEqual([0, 50, 250, 251]);
    expect((await tried(99, { ms: 0 })).times).toEqual([0]);
  });

  it('[DG13, SP16] is tried no more once nobody waits for it', async () => {
    expect(await tried(99, { abortAt: 300 })).toMatchObject({ times: [0, 50, 250], after: 300 });
    expect(await tried(2, { abortAt: 100 })).toMatchObject({ times: [0, 50], after: 100 });
  });

  it('[DG13, SP14] that is silent has its time for an answer, and a shorter one once it is to stop', async () => {
    for (const [answerMs, abortAt, over] of [
      [900, undefined, 900],
      [9_000, undefined, 9_000],
      [9_000, 1_000, 6_000],
      [900, 100, 1_000],
    ] as const) {
      const parent = parentOf(machine.state);
      const { agent, time, controller } = parent;
      const silent = {
        ...agent,
        deps: { ...agent.deps, children: { ...agent.deps.children, send: () => new Promise(() => undefined) } },
      };
      const began = time.now;
      if (abortAt !== undefined) time.environment.timer(abortAt, () => controller.abort());
      let ended: object | undefined;
      void reach(silent as never, CHILD, STOP, { ms: 10, answerMs, signal: controller.signal }).then((reached) => {
        ended = { ...reached, after: time.now - began };
      });
      await time.until(() => ended !== undefined);
      expect(ended).toEqual({ why: 'It did not answer.', after: over });
    }
  });

  it('[DG32] says so in its status text, and that it is reached again', async () => {
    for (const [answersAt, unreached, events] of [
      [0, undefined, []],
      [0, 1, [undefined]],
      [4, undefined, [expect.stringContaining('not reached')]],
      [4, 1, [expect.stringContaining('not reached'), undefined]],
    ] as const) {
      const child: Child = { ...CHILD, task: { ...CHILD.task, ...(unreached ? { unreached } : {}) } };
      const state = { ...machine.state, children: new Map([[child.childId, child]]) };
      const parent = parentOf(state, { answers: (at) => (at >= answersAt ? DONE : undefined) });
      let over = false;
      const patience = { ms: 9_000, answerMs: 900, signal: parent.controller.signal };
      void reachShown(parent.agent, child, STOP, patience).then(() => {
        over = true;
      });
      await parent.time.until(() => over);
      expect(parent.events.map(({ why }) => why)).toEqual(events);
      for (const event of parent.events)
        expect(event).toMatchObject({ type: 'child_reach', task: { childId: 1, task: 1 } });
    }
  });
});

describe('what a child at work is told', () => {
  const message = { messageId: 'm_1', role: 'user', content: 'Hi', from: 'parent' } as const;
  const mail = [1, 2].map((number) => ({ number, message, callId: 'c' }));

  it('[CO4] goes to one that has begun or waits, again each second until it has taken it, and then counts as taken', async () => {
    for (const state of [{ is: 'working' }, { is: 'waiting' }] as const)
      for (const begun of [true, false])
        for (const refusals of [0, 2]) {
          const child: Child = { ...CHILD, mailbox: { messages: mail, last: 2 }, state };
          const refused = { answer: 'refused', error: failure('unavailable') };
          const parent = parentOf(machine.state, { answers: (at) => (at < refusals ? refused : DONE) });
          if (begun) parent.agent.beginnings.begun(child);
          const began = parent.time.now;
          let over = false;
          void sendMail(parent.agent, child, parent.controller.signal).then(() => {
            over = true;
          });
          await parent.time.until(() => over);
          const goes = begun || state.is === 'waiting';
          const sent = { type: 'mail', task: { childId: 1, task: 1 }, mail };
          expect(parent.sent).toEqual(goes ? Array.from({ length: refusals + 1 }, () => sent) : []);
          expect(parent.events).toMatchObject(goes ? [{ type: 'mail_taken', childId: 1, upTo: 2 }] : []);
          expect(parent.time.now - began).toBe(goes ? refusals * 1_000 : 0);
        }
    const stopped = parentOf(machine.state);
    stopped.controller.abort();
    await sendMail(stopped.agent, { ...CHILD, state: { is: 'waiting' } }, stopped.controller.signal);
    expect(stopped.sent).toEqual([]);
  });

  it('[CF4] before its files are there is what comes before the first message with files', () => {
    const withFiles = { ...message, files: [] };
    for (const at of [undefined, 0, 1]) {
      const messages = mail.map((one, index) => (index === at ? { ...one, message: withFiles } : one));
      const child: Child = { ...CHILD, mailbox: { messages, last: 2, taken: 1 } };
      expect(withoutFiles(child)).toEqual({
        ...child,
        mailbox: { messages: messages.slice(0, at), last: 2, taken: 1 },
      });
    }
    expect(withoutFiles(CHILD)).toBe(CHILD);
  });
});
