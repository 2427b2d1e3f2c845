/** Messages on their way to a remote child whose run changes before the answer comes. */
import { expect, it } from 'vitest';
import { messageOfResume, messageResumed } from '../../../../src/capabilities/remote/machine/messages';
import type { PlacedRun } from '../../../../src/capabilities/remote/machine/state';
import { Messages } from '../../../../src/capabilities/remote/perform/forward-messages';
import type { Came } from '../../../../src/core/definition/remote-transport';
import { VirtualTime } from '../../../support/virtual-time';
import { atWork, refused } from './child';

const waiting = [
  { key: 'm.1', text: 'One', role: 'user' as const },
  { key: 'm.2', text: 'Two', role: 'user' as const },
];

/** A child that asks, and what it has asked so far. Each call waits for `answer`. */
function asking(run: PlacedRun) {
  const time = new VirtualTime();
  const asked: { readonly key: string; readonly runId: unknown; readonly answer: (came: Came) => void }[] = [];
  const child = {
    placed: run as PlacedRun | undefined,
    isClosed: false,
    host: { environment: time.environment },
    call: async (_verb: string): Promise<undefined> => undefined,
    ask: (_verb: string, { runId }: { readonly runId?: unknown }, key: string) =>
      new Promise<Came>((answer) => asked.push({ key, runId, answer })),
    keep(next: PlacedRun) {
      child.placed = next;
    },
  };
  return { time, asked, child, messages: new Messages(child) };
}

it('[RM11] a refused message closes its run alone: the next run takes messages', async () => {
  const { time, asked, child, messages } = asking({ ...atWork, messages: { waiting } });
  const sent = messages.send(new AbortController().signal);
  await time.settle();
  expect(asked.map(({ key, runId }) => [key, runId])).toEqual([['m.1', 'r_there']]);
  asked[0]?.answer(refused(409));
  await sent;
  expect(messages.next).toBeUndefined();
  child.placed = { ...atWork, runId: 'r_next', messages: { waiting } };
  expect(messages.next).toEqual(waiting[0]);
});

it('[RM11] a refusal that comes once the next run is at work closes the run before', async () => {
  const { time, asked, child, messages } = asking({ ...atWork, messages: { waiting } });
  const closed = new AbortController();
  void messages.send(closed.signal);
  await time.settle();
  child.placed = { ...atWork, runId: 'r_next', messages: { waiting } };
  asked[0]?.answer(refused(409));
  await time.settle();
  expect(messages.next).toMatchObject({ key: 'm.1' });
  expect(asked).toHaveLength(2);
  closed.abort();
});

it('[RM11, RM90] a refused message goes by its own key alone: a copy of it may still be under way', async () => {
  const { time, asked, child, messages } = asking({ ...atWork, messages: { waiting } });
  const sent = messages.send(new AbortController().signal);
  await time.settle();
  asked[0]?.answer(refused(409));
  await sent;
  // What lets the run continue has another key, and so takes no message that was sent before.
  expect(messageOfResume(child.placed ?? atWork)).toBeUndefined();
  // Nobody has to find out whether it was taken.
  expect(await messages.isKnown(true)).toBe(true);
  expect(asked).toHaveLength(1);
});

it('[RM90, RM47] a message that went with a resume is not resumed to find out where its run was stopped', async () => {
  const { asked, child, messages } = asking(messageResumed({ ...atWork, messages: { waiting } }));
  const resumed: string[] = [];
  child.call = async (verb: string) => {
    resumed.push(verb);
    return undefined;
  };
  expect(await messages.isKnown(false)).toBe(true);
  expect([asked, resumed]).toEqual([[], []]);
  expect(await messages.isKnown(true)).toBe(false);
  expect(resumed).toEqual(['resume']);
});

it('[RM11] each message is sent until it is taken, in order', async () => {
  const { time, asked, child, messages } = asking({ ...atWork, messages: { waiting } });
  const sent = messages.send(new AbortController().signal);
  await time.settle();
  asked[0]?.answer(refused(503));
  await time.until(() => asked.length === 2);
  asked[1]?.answer({ ok: true, body: null });
  await time.until(() => asked.length === 3);
  asked[2]?.answer({ ok: true, body: null });
  await sent;
  expect(asked.map(({ key }) => key)).toEqual(['m.1', 'm.1', 'm.2']);
  expect(child.placed?.messages.waiting).toEqual([]);
});
