/** What fails again and again, or can never be said: it ends in a typed failure, and a stop ends what it stops. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { STOP_VERBS } from '../../src/core/agent/runs/stop-verb';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { RootAnswer } from '../../src/engine/tree-messages';
import { reduceAll } from '../../src/protocol/view/reduce';
import { findAgent } from '../../src/protocol/view/view';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { agentOf, hangTool, question } from '../support/trees';

const CHILD = '/agents/top/one/sub/worker/1~1';
const patient = { maxRecoveries: 10 };

/** A top with one child that has a tool which never ends. */
function family(tree: Tree, timeoutMs = 600_000, limits = {}): TreeParts {
  const worker = agentOf('worker', { tools: [hangTool(tree)] });
  const top = agentOf('top', { tools: [createSubAgentTool(worker, question, { timeoutMs })], limits });
  return {
    agents: [top, worker],
    scripts: {
      top: [{ calls: [{ name: 'subagent__worker', input: { q: 'a' } }] }, { text: 'Done.' }],
      worker: [{ calls: [{ name: 'hang' }] }],
    },
  };
}

const result = (tree: Tree) =>
  tree.transcript().flatMap((message) => (message.role === 'tool' ? [message.result] : []))[0];

const working = (tree: Tree) => tree.time.until(() => tree.bodies.size === 1);

/** How long after its beginning the child's call ended, in ms. */
function took(tree: Tree): number {
  const at = (type: string) => tree.log.find(({ chunk }) => chunk.type === type)?.chunk.timestamp ?? 0;
  return at('subagent_end') - at('subagent_start');
}

const atRest = (tree: Tree) => {
  expect(tree.nodes.every(({ schedule }) => schedule.phase === 'ended')).toBe(true);
  expect(tree.time.pending).toBe(0);
};

describe('what fails in the same way again and again', () => {
  /** JSON has no such number. */
  const broken = { finishReason: 1n as never };

  it('[EG4, RC4] ends a run whose reply can never be recorded, with the reason and few questions', async () => {
    const make = (): TreeParts => ({
      agents: [agentOf('top', { limits: patient })],
      scripts: { top: () => ({ text: 'x', ...broken }) },
    });
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({
        status: 'failed',
        error: { code: 'max_recoveries', message: expect.stringContaining('BigInt') },
      });
      expect(tree.port.asked.length).toBeLessThanOrEqual(11);
      expect(tree.time.pending).toBe(0);
    });
  });

  it.each(STOP_VERBS)('[EG4, SP4] is ended by a stop before that (%s)', async (verb) => {
    const make = (): TreeParts => ({
      agents: [agentOf('top', { limits: patient })],
      scripts: { top: () => ({ text: 'x', ...broken }) },
    });
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.port.asked.length === 2);
      expect(tree.stop(verb)).toBe(true);
      expect(tree.ended).toBe(true);
      await tree.time.drain();
    });
  });

  it('[EG4, DG7] ends the call of a child for which no place can be asked, and its run goes on', async () => {
    await withTree(
      (tree) => family(tree),
      {},
      async (tree) => {
        await tree.start();
        const { agent } = tree.world.object(tree.address);
        const { link } = present(agent);
        const { ask } = link;
        let asked = 0;
        Object.assign(link, {
          ask: (what: Parameters<typeof ask>[0]) => {
            if ((what.admit ?? []).length === 0) return ask(what);
            asked++;
            return Promise.reject(new Error('no place to be had'));
          },
        });
        await tree.finish();
        expect(asked).toBe(20);
        expect(result(tree)).toMatchObject({
          success: false,
          error: { code: 'subagent_lost', message: expect.stringContaining('no place to be had') },
        });
        expect(tree.outcome).toMatchObject({ status: 'completed' });
      },
    );
  });
});

describe('what can never be sent to the root', () => {
  /** Writes a chunk past all checks, as only a fault of our own could. */
  const emit = (tree: Tree, data: unknown) =>
    tree.apply(({ at }) => {
      const [by = ''] = tree.bodies.keys();
      return { type: 'emitted', at, by, epoch: 1, chunk: { type: 'custom', name: 'x', data: data as never } };
    }, CHILD);

  it('[OB6, EG4] is told from a root that is not there: its agent fails, the rest arrives, the parent goes on', async () => {
    await withTree(
      (tree) => family(tree),
      {},
      async (tree) => {
        await tree.start();
        await working(tree);
        expect(emit(tree, 'before').ok).toBe(true);
        expect(emit(tree, { no: () => 'JSON' }).ok).toBe(true);
        expect(emit(tree, 'after').ok).toBe(true);
        await tree.finish();
        const said = tree.log.flatMap(({ chunk }) => (chunk.type === 'custom' ? [chunk.data] : []));
        expect(said).toEqual(['before', expect.stringContaining('left out: it could not be sent'), 'after']);
        expect(result(tree)).toMatchObject({
          success: false,
          error: { code: 'internal', message: expect.stringContaining('cannot be sent') },
        });
        expect(tree.outcome).toMatchObject({ status: 'completed' });
        atRest(tree);
      },
    );
  });

  it.each(STOP_VERBS)('[OB6, SP9] does not keep a stop from ending the tree (%s)', async (verb) => {
    await withTree(
      (tree) => family(tree),
      {},
      async (tree) => {
        await tree.start();
        await working(tree);
        emit(tree, { no: () => 'JSON' });
        expect(tree.stop(verb)).toBe(true);
        await tree.finish();
        atRest(tree);
      },
    );
  });

  it('[OB6, OB2] a root that is not there for long is waited for, and nothing is left out', async () => {
    let away = false;
    const network: TreeOptions['network'] = (_, call, perform) =>
      away && call.kind === 'root' ? Promise.reject(new Error('nobody there')) : perform();
    await withTree(
      (tree) => family(tree, 10_000_000),
      { network },
      async (tree) => {
        await tree.start();
        await working(tree);
        away = true;
        emit(tree, 'while it was away');
        await tree.time.pass(300_000);
        away = false;
        await tree.time.pass(10_000);
        expect(tree.log.some(({ chunk }) => chunk.type === 'custom' && chunk.data === 'while it was away')).toBe(true);
        expect(tree.ended).toBe(false);
      },
    );
  });

  it('[OB6, EG4] an end that the root refuses for ever is a failure of the call', async () => {
    const refused: RootAnswer = { merge: 'refused', why: 'its disk says no', merged: 0, admissions: [], withdrawn: [] };
    let refusals = 0;
    const network: TreeOptions['network'] = (_, call, perform) => {
      const tells =
        call.kind === 'root' &&
        call.request.deliver.some((each) => 'outcome' in each && each.outcome.status === 'completed');
      if (!tells) return perform();
      refusals++;
      return Promise.resolve(refused);
    };
    const make = (tree: Tree): TreeParts => {
      const parts = family(tree);
      return { ...parts, scripts: { ...parts.scripts, worker: [{ text: 'w' }] } };
    };
    await withTree(make, { network }, async (tree) => {
      await tree.run();
      expect(refusals).toBe(20);
      expect(result(tree)).toMatchObject({
        success: false,
        error: { code: 'internal', message: expect.stringContaining('its disk says no') },
      });
      atRest(tree);
    });
  });
});

type Network = NonNullable<TreeOptions['network']>;

describe('a child that cannot be reached', () => {
  /** The way to the child, as long as this says what to do with a call. */
  const way = (perform: (call: Parameters<Network>[2]) => ReturnType<Network>): TreeOptions => ({
    network: (address, _, call) => (address === CHILD ? perform(call) : call()),
  });
  const unreachable = () => Promise.reject(new Error('the way is broken'));

  it('[DG13, DF3] is tried for 30 s, or as long as its parent says, and then lost with the reason', async () => {
    const limits = { childReachMs: 30_000 };
    for (const [given, ms] of [
      [limits, 30_000],
      [{ childReachMs: 700 }, 700],
    ] as const)
      await withTree(
        (tree) => family(tree, 600_000, given),
        way(unreachable),
        async (tree) => {
          await tree.run();
          expect(took(tree)).toBe(ms);
          expect(result(tree)).toMatchObject({
            success: false,
            error: { code: 'subagent_lost', message: expect.stringContaining('the way is broken') },
          });
          atRest(tree);
        },
      );
  });

  /** The status texts of the child: in the record, and in a view of the log. */
  const texts = (tree: Tree) => {
    const { sessionId, statusText } = tree.nodes.find(({ address }) => address === CHILD) ?? {};
    return [statusText, findAgent(reduceAll(tree.log), sessionId ?? '')?.statusText];
  };

  it('[DG32, R16] says why in its status text after a second, until it is reached', async () => {
    let broken = true;
    const sometimes = way((call) => (broken ? unreachable() : call()));
    await withTree(
      (tree) => family(tree, 600_000, { childReachMs: 30_000 }),
      sometimes,
      async (tree) => {
        await tree.start();
        await tree.time.pass(1_000);
        expect(texts(tree)).toEqual(['', undefined]);
        await tree.time.pass(2_000);
        const why = 'It could not be reached: the way is broken';
        expect(texts(tree)).toEqual([why, why]);
        broken = false;
        await working(tree);
        await tree.time.pass(5_000);
        expect(texts(tree)).toEqual(['', undefined]);
        expect(tree.log.filter(({ chunk }) => chunk.type === 'subagent_status').length).toBe(2);
      },
    );
  });

  it('[DG32] at work when its parent leaves memory says so too, and once for each time', async () => {
    let broken = false;
    const sometimes = way((call) => (broken ? unreachable() : call()));
    await withTree(
      (tree) => family(tree, 600_000, { childReachMs: 30_000 }),
      sometimes,
      async (tree) => {
        await tree.start();
        await working(tree);
        for (let round = 1; round < 3; round++) {
          broken = true;
          tree.crash();
          await tree.time.pass(10_000);
          expect(texts(tree)).toEqual(Array(2).fill('It could not be reached: the way is broken'));
          broken = false;
          await tree.time.pass(5_000);
          expect(texts(tree)).toEqual(['', undefined]);
          expect(tree.log.filter(({ chunk }) => chunk.type === 'subagent_status').length).toBe(2 * round);
        }
      },
    );
  });

  it('[DG13] is reached by the last try, at the very end of that time', async () => {
    let tree: Tree | undefined;
    let from: number | undefined;
    const late = way((call) => {
      from ??= tree?.time.now ?? 0;
      return (tree?.time.now ?? 0) - from >= 30_000 ? call() : unreachable();
    });
    await withTree(
      (made) => {
        tree = made;
        return family(made, 600_000, { childReachMs: 30_000 });
      },
      late,
      async (made) => {
        await made.start();
        await working(made);
        expect(made.addresses).toContain(CHILD);
      },
    );
  });

  it('[DG13, DG6] is tried no longer than its own time', async () => {
    await withTree(
      (tree) => family(tree, 2_000, { childReachMs: 30_000 }),
      way(unreachable),
      async (tree) => {
        await tree.run();
        expect(took(tree)).toBe(2_000 + 250);
        expect(result(tree)).toMatchObject({ success: false, error: { code: 'child_timeout' } });
        atRest(tree);
      },
    );
  });

  it.each(STOP_VERBS)('[DG13, SP9] is tried no more once it is stopped (%s)', async (verb) => {
    await withTree(
      (tree) => family(tree, 600_000, { childReachMs: 30_000 }),
      way(unreachable),
      async (tree) => {
        await tree.start();
        await tree.time.pass(10_000);
        const at = tree.time.now;
        expect(tree.stop(verb)).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(tree.time.now - at).toBe(250);
        await tree.finish();
        atRest(tree);
      },
    );
  });

  it.each(STOP_VERBS)('[SP14] and never answers ends with its stop all the same (%s)', async (verb) => {
    const silent = () => new Promise<never>(() => undefined);
    await withTree(
      (tree) => family(tree, 600_000, { childReachMs: 30_000 }),
      way(silent),
      async (tree) => {
        await tree.start();
        await tree.time.pass(1_000);
        const at = tree.time.now;
        expect(tree.stop(verb)).toBe(true);
        await tree.time.until(() => tree.ended);
        // What is under way is waited for 5 s, the answer to the stop for 15 s.
        expect(tree.time.now - at).toBe(5_000 + 15_000);
      },
    );
  });
});

describe('the result of a child', () => {
  const quotes = 2;
  const most = 1_048_576 - quotes;

  it.each<[string, number, boolean]>([
    ['of 1 MB is taken', most, true],
    ['of one byte more is refused', most + 1, false],
  ])('[DG14] %s, as text and as output', async (_, size, success) => {
    for (const way of ['text', 'finish'] as const) {
      const give = defineTool({
        name: 'give',
        description: 'Works.',
        inputSchema: z.object({}),
        finishWith: true,
        execute: () => 'x'.repeat(size),
      });
      const worker = agentOf('worker', { tools: [give], limits: { maxToolResultBytes: 10_000_000 } });
      const top = agentOf('top', { tools: [createSubAgentTool(worker, question)] });
      const scripts = {
        top: [{ calls: [{ name: 'subagent__worker', input: { q: 'a' } }] }, { text: 'Done.' }],
        worker: way === 'text' ? [{ text: 'x'.repeat(size) }] : [{ calls: [{ name: 'give' }] }],
      };
      await withTree(
        () => ({ agents: [top, worker], scripts }),
        {},
        async (tree) => {
          await tree.run();
          const end = tree.log.find(({ chunk }) => chunk.type === 'subagent_end')?.chunk;
          expect(end).toMatchObject(
            success ? { success, result: 'x'.repeat(size) } : { success, error: { code: 'tool_result_too_large' } },
          );
          expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
        },
      );
    }
  });
});
