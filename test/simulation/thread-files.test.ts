/** Files with messages that code of a session queues, and times of a thread. */
import { describe, expect, it } from 'vitest';
import { withTree } from '../support/harness';
import { envelopesIn } from '../support/prompts';
import { moments } from '../support/sizes';
import { act, create, done, ran, refusal, replies, setting } from '../support/thread-setting';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;

describe('files with a message that code queues', () => {
  const telling = setting({
    async tool({ thread, files }) {
      await files.write('drafts/one.md', 'first');
      const [entry] = thread.children;
      const child = await thread.getChildThread(entry?.reference ?? '');
      await child?.queueMessage({ role: 'user', content: 'Judge.', attachments: ['drafts/one.md', '/drafts/one.md'] });
      await files.write('drafts/one.md', 'changed');
    },
    lead: ({ messages }) => {
      const number = replies(messages);
      if (number === 0) return { calls: [create] };
      return number === 1 ? { calls: [act] } : { text: `Told ${envelopesIn(messages).length} times.` };
    },
  });

  it('[SAT2, SA67, SA70] are with the child as they were then, under a path of its own, once wherever a crash comes', async () => {
    const calm = await ran(telling);
    expect(calm.own).toEqual({ 'drafts/one.md': 'changed' });
    expect(calm.below).toEqual({ 'attachments/one.md': 'first' });
    expect(calm.envelopes.at(-1)).toContain('attachments/one.md');
    expect(calm.envelopes.at(-1)).not.toContain('drafts');
    expect(calm.kept).toEqual([]);
    for (const at of moments(calm.kinds, MOST, 1)) {
      const found = await ran(telling, { crashAt: new Set([at]) });
      expect(found.below, `a crash after commit ${at}`).toEqual(calm.below);
      expect(found.envelopes.at(-1)?.split('\n\n').slice(1), `a crash after commit ${at}`).toEqual(
        calm.envelopes.at(-1)?.split('\n\n').slice(1),
      );
      expect([found.kept, found.problems], `a crash after commit ${at}`).toEqual([[], []]);
    }
  });

  it('[SAT2] are named to the session itself by their own paths, and copied nowhere', async () => {
    const { said: heard, own } = await ran(
      setting({
        async tool({ thread, files }) {
          await files.write('one.md', 'first');
          await thread.queueMessage({ role: 'user', content: 'Look.', attachments: ['one.md'] });
          await thread.queueMessage({ role: 'user', content: 'No file.', attachments: [] });
        },
        lead: [{ calls: [act] }, done],
      }),
    );
    expect(heard.slice(1)).toEqual([
      expect.stringMatching(/^Look\.\n\nFiles that came with this message:\n- one\.md \([^,]+, 5 bytes\)$/),
      'No file.',
    ]);
    expect(own).toEqual({ 'one.md': 'first' });
  });

  it('[SAT2] are all there, or nothing is queued and the code is told which are not', async () => {
    const most = Array.from({ length: 21 }, (_, at) => `f${at}.md`);
    const {
      results,
      envelopes,
      said: heard,
    } = await ran(
      setting({
        async tool({ thread, files }) {
          await files.write('one.md', 'first');
          const [entry] = thread.children;
          const child = await thread.getChildThread(entry?.reference ?? '');
          const queue = (attachments: readonly string[]) => ({ role: 'user', content: 'x', attachments }) as const;
          const wrong = [['one.md', 'two.md', 'three.md'], most, ['']];
          const tries = wrong.flatMap((paths) => [
            refusal(thread.queueMessage(queue(paths))),
            refusal(child?.queueMessage(queue(paths)) ?? Promise.resolve()),
          ]);
          return Promise.all(tries);
        },
        lead: ({ messages }) => {
          const number = replies(messages);
          if (number === 0) return { calls: [create] };
          return number === 1 ? { calls: [act] } : { text: `Told ${envelopesIn(messages).length} times.` };
        },
      }),
    );
    const missing =
      /^invalid_arguments: Nothing was sent\. There is no file "two\.md"\. There is no file "three\.md"\.$/;
    const many = /^invalid_input: `attachments` names 21 files: at most 20 can be sent\.$/;
    const none = /^invalid_input: `attachments` must be a path, or a list of paths/;
    expect(results.at(1)).toEqual([missing, missing, many, many, none, none].map((one) => expect.stringMatching(one)));
    expect(heard.filter((one) => one === 'x')).toEqual([]);
    expect(envelopes.length).toBe(1);
  });

  it('[SAT2] of a child to its parent are refused, which says how files go up', async () => {
    let why = '';
    await ran(
      setting({
        async below({ thread, files }) {
          await files.write('mine.md', 'x');
          const parent = await thread.getParentThread();
          const up = { role: 'user', content: 'Up.', attachments: ['mine.md'] } as const;
          if (parent) why = await refusal(parent.queueMessage(up));
        },
        lead: ({ messages }) => (replies(messages) === 0 ? { calls: [create] } : done),
      }),
    );
    expect(why).toMatch(/^invalid_input: .*attachmentsProperty/);
  });
});

describe('times and places', () => {
  it('[SA77, SAW36] of a thread are in microseconds, those of messages in milliseconds; files of a message are at attachments/', async () => {
    let seen: unknown[] = [];
    const make = setting({
      async tool({ thread, files }) {
        await files.write('one.md', 'first');
        const [entry] = thread.children;
        const child = await thread.getChildThread(entry?.reference ?? '');
        await child?.queueMessage({ role: 'user', content: 'Judge.', attachments: ['one.md'] });
        await child?.terminate();
        seen = [entry?.createdAt, child?.terminated, thread.terminated];
      },
      lead: ({ messages }) => {
        const number = replies(messages);
        if (number === 0) return { calls: [create] };
        return number === 1 ? { calls: [act] } : done;
      },
    });
    await withTree(make, {}, async (tree) => {
      const from = tree.time.now;
      await tree.start();
      await tree.rest();
      const [created, ended, own] = seen;
      const until = tree.time.now;
      for (const time of [created, ended]) {
        expect(time).toBeGreaterThanOrEqual(from * 1_000);
        expect(time).toBeLessThanOrEqual(until * 1_000);
      }
      expect(own).toBeNull();
      for (const { at } of tree.store().messages({})) expect(at >= from && at <= until).toBe(true);
    });
  });
});
