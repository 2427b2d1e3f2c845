/** Starts that are repeated by their body, that are waited for, and that change what is there. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/index';
import type { JsonObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { callOf } from '../../src/verbs/command';
import type { VerbName } from '../../src/verbs/verb-types';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf } from '../support/trees';

/** It works for ever at what says so, waits for a person at what asks, and answers everything else. */
function script({ messages }: { messages: readonly Message[] }) {
  const last = JSON.stringify(messages.at(-1));
  if (last.includes('Work')) return { hang: true } as const;
  if (last.includes('Twice') && messages.at(-1)?.role === 'user') return { calls: [{ name: 'nothing', input: {} }] };
  return last.includes('Ask') ? { calls: [{ name: 'pick', input: {} }] } : { text: 'Done.' };
}

const pick = defineTool({ name: 'pick', description: 'Picks.', inputSchema: z.object({}), execute: 'client' });
const parts =
  (options: object = {}) =>
  (): TreeParts => ({
    agents: [agentOf('top', { onConcurrentStart: 'queue', tools: [pick], ...options } as never)],
    scripts: { top: script },
  });

type Said = { readonly status?: number; readonly code?: string; readonly body: JsonObject };
const asking = (tree: Tree, verb: VerbName, input: JsonObject): Promise<Said> =>
  tree.world
    .object(tree.address)
    .call(callOf(tree.address, verb, input, { caller: 'ann' }))
    .then((answer) =>
      answer.ok
        ? { status: answer.status ?? 0, body: answer.body as JsonObject }
        : { code: answer.error.code, body: {} },
    );
const ask = (tree: Tree, verb: VerbName, input: JsonObject): Promise<Said> => tree.soon(asking(tree, verb, input));

describe('a start with `ifRunning`', () => {
  it('[A113, A114] is the run that the same body began, while that or one that resumed it works or waits in the queue', () =>
    withTree(parts(), {}, async (tree) => {
      const same = (message: string, more: JsonObject = {}) =>
        ask(tree, 'start', { message, ifRunning: 'same', ...more });
      const idOf = async (asked: Promise<Said>) => (await asked).body.runId;
      const first = await same('Work');
      const again = [await same('Work'), await same('Work', { wait: 1 })];
      expect(again.map(({ status, body }) => [status, body])).toEqual(again.map(() => [202, first.body]));
      const queued = await same('Say');
      expect([queued.body.status, queued.body.runId === first.body.runId]).toEqual(['queued', false]);
      expect((await same('Say')).body).toEqual(queued.body);
      // Another body, and one that does not ask for it, are starts of their own.
      const others = [await idOf(same('Work', { tags: ['a'] })), await idOf(ask(tree, 'start', { message: 'Work' }))];
      expect(new Set([first.body.runId, queued.body.runId, ...others]).size).toBe(4);
      for (const runId of others) await ask(tree, 'abort', { runId: String(runId) });
      await ask(tree, 'interrupt', {});
      await tree.finish();
    }));

  it('[A113] whose run was resumed is the run that goes on, by its own id; one that has ended is begun anew', () =>
    withTree(parts({ onConcurrentStart: 'refuse' }), {}, async (tree) => {
      const same = () => ask(tree, 'start', { message: 'Work', ifRunning: 'same' });
      const first = await same();
      await ask(tree, 'interrupt', {});
      await tree.finish();
      const resumed = await ask(tree, 'resume', {});
      expect(resumed.body.runId).not.toBe(first.body.runId);
      expect((await same()).body).toEqual({ ...first.body, runId: resumed.body.runId });
      await ask(tree, 'abort', {});
      await tree.finish();
      const anew = await same();
      expect([first.body.runId, resumed.body.runId]).not.toContain(anew.body.runId);
      await ask(tree, 'abort', {});
      await tree.finish();
    }));
});

describe('a start with `wait`', () => {
  const ended = (body: JsonObject) => ({
    status: (body.run as JsonObject).status,
    step: (body.run as JsonObject).step,
  });

  it('[A49] is answered at the end of its run, with that run and its steps, though another one has begun since', () =>
    withTree(parts(), {}, async (tree) => {
      const [first, second] = [
        asking(tree, 'start', { message: 'Twice', wait: true }),
        asking(tree, 'start', { message: 'Work' }),
      ];
      const { status, body } = await tree.soon(first);
      expect([status, ended(body)]).toEqual([200, { status: 'completed', step: 2 }]);
      expect((body.run as JsonObject).runId).not.toBe((await tree.soon(second)).body.runId);
      await ask(tree, 'abort', {});
      await tree.finish();
    }));

  it('[A49] is answered as soon as the run waits for a person, and with the acceptance where its time is over', () =>
    withTree(parts(), {}, async (tree) => {
      const asks = await ask(tree, 'start', { message: 'Ask', wait: true });
      expect([asks.status, asks.body.status]).toEqual([202, 'suspended_client_tool']);
      const began = tree.time.now;
      const behind = await ask(tree, 'start', { message: 'Say', wait: 2_000 });
      expect([behind.status, behind.body.status, tree.time.now - began >= 2_000]).toEqual([202, 'queued', true]);
      await ask(tree, 'abort', {});
      await tree.finish();
    }));
});

describe('a start of an agent that is there', () => {
  it('[A31, A3] replaces the names and the state that it gives, and leaves all others as they are', () =>
    withTree(
      parts({ stateSchema: z.object({ n: z.number() }), inputSchema: z.object({ n: z.number() }) }),
      {},
      async (tree) => {
        const facts = () => {
          const { custom, session } = tree.state();
          return [custom, session.displayName, session.tags, session.metadata];
        };
        await ask(tree, 'start', { input: { n: 1 }, displayName: 'One', tags: ['a'], metadata: { m: 1 }, wait: true });
        expect(facts()).toEqual([{ n: 1 }, 'One', ['a'], { m: 1 }]);
        await ask(tree, 'start', { input: { n: 2 }, wait: true });
        expect(facts()).toEqual([{ n: 1 }, 'One', ['a'], { m: 1 }]);
        await ask(tree, 'start', { message: 'Go', state: { n: 3 }, tags: [], wait: true });
        expect(facts()).toEqual([{ n: 3 }, 'One', [], { m: 1 }]);
        await ask(tree, 'start', { message: 'Go', displayName: 'Two', metadata: null, wait: true });
        expect(facts()).toEqual([{ n: 3 }, 'Two', [], null]);
        expect((await ask(tree, 'start', { message: 'Go', state: { n: 'x' } })).code).toBe('invalid_input');
        expect((await ask(tree, 'start', { input: { n: 'x' } })).code).toBe('invalid_input');
        expect(facts()).toEqual([{ n: 3 }, 'Two', [], null]);
      },
    ));

  it('[A47, A110] a message may name a file that comes with it, the last of one name, or one that is there', () =>
    withTree(parts(), {}, async (tree) => {
      const file = (path: string, text: string) => ({ path, mediaType: 'text/plain', base64: btoa(text) });
      const named = (path: string) => ({ message: [{ type: 'file', path }], wait: true });
      const both = { files: [file('a.txt', 'one'), file('/a.txt', 'two')] };
      expect((await ask(tree, 'start', { ...named('b.txt'), ...both })).code).toBeDefined();
      expect((await ask(tree, 'start', { ...named('a.txt'), ...both })).status).toBe(200);
      const shown = () => JSON.stringify(tree.store().messages({}).at(-1)?.content);
      const first = shown();
      expect(first).toContain('a.txt');
      // What is there already is found, too, and it is the last one.
      expect((await ask(tree, 'start', named('a.txt'))).status).toBe(200);
      expect(shown()).toBe(first);
    }));
});
