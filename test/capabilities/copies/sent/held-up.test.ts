/** Copies that are held up, given up, stopped at the last moment or never made, and what they keep from others meanwhile. */
import { describe, expect, it } from 'vitest';
import type { CopyCall } from '../../../../src/capabilities/copies/messages';
import { COPIES_AT_ONCE, COPY_SILENCE_MS } from '../../../../src/capabilities/copies/plan';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { companion, questions, resultOf } from '../../../support/levels';
import { toolResults } from '../../../support/trees';
import { isCopyCall, messageIn } from '../support/calls';
import {
  ADA,
  BOB,
  type Call,
  calling,
  copies,
  levels,
  MIXED,
  OBJECTS,
  type Places,
  spawns,
  TOP,
  unexpected,
} from '../support/sent-copies';

const OBJECT: Places = ['object', 'facet', 'facet'];
/** All below a facet are in objects. */
const ABOVE: Places = ['facet', 'object', 'object'];
const FACETS: Places = ['facet', 'facet', 'facet'];

const spawned = (name: string, initialMessage: string, mode = 'blocking'): Call =>
  companion('spawnAgent', { agent: 'scout', name, initialMessage, mode });
const forked = (name: string, newName: string, message: string): Call =>
  companion('forkChild', { name, newName, message });
const at = (name: string): string => `${TOP}/sub/scout/${name}`;
const results = (tree: Tree) => toolResults(tree).map(resultOf);
const statusOf = (tree: Tree, name: string) => tree.nodes.find(({ address }) => address === at(name))?.status;

/** One child at a time. */
function single({ agents: [top, ...others], scripts }: TreeParts): TreeParts {
  return { agents: [{ ...top, limits: { ...top.limits, maxConcurrentChildren: 1 } }, ...others], scripts };
}

/** Who is stuck until the end of time. */
const stuck = <Answer>(): Promise<Answer> => new Promise(() => undefined);

describe('one that has a slot and waits for the copies that were asked of it', () => {
  it('[CP56, DG12] begins once when they are made, however often the root looks after it until then', async () => {
    const opened = Promise.withResolvers<void>();
    let begun = 0;
    let theTree: Tree | undefined;
    await withTree(
      (tree) => {
        theTree = tree;
        return single(
          calling(
            OBJECT,
            [spawned('cid', 'hang', 'non-blocking'), spawned('ada', 'quiet one', 'non-blocking')],
            [forked('ada', 'bob', 'quiet two')],
          ),
        );
      },
      {
        async network(address, call, perform) {
          const message = messageIn(call);
          if (message?.type === 'plan_copy' && address === ADA) await opened.promise;
          if (message?.type === 'assign' && address === ADA) {
            begun++;
            // Until it is answered others that were to begin it have their turn.
            await new Promise<void>((resolve) => void theTree?.time.environment.timer(100, resolve));
          }
          return perform();
        },
      },
      async (tree) => {
        await tree.start();
        await tree.time.pass(5_000);
        expect(statusOf(tree, 'ada')).toBe('queued');
        expect((await tree.soon(tree.stopAt(at('cid'), 'terminate'))).ok).toBe(true);
        await tree.time.pass(30_000);
        expect(begun).toBe(0);
        opened.resolve();
        await tree.finish();
        await tree.rest();
        expect(begun).toBe(1);
        expect(results(tree)[2]).toMatchObject({ name: 'bob', output: { answer: 'quiet two' } });
        expect(statusOf(tree, 'ada')).toBe('completed');
        expect(unexpected(tree)).toEqual([]);
      },
    );
  });
});

describe.each([OBJECTS, MIXED])('a copy where the levels are %s, %s, %s', (...places) => {
  /** Whether this makes the copy whole. */
  const isLast = (address: string, call: Parameters<NonNullable<TreeOptions['network']>>[1]): boolean => {
    if (address !== BOB) return false;
    if (places[0] === 'object') return isCopyCall(call) && call.ask.op === 'rest' && call.way.length === 0;
    const message = messageIn(call);
    return message?.type === 'come_along' && message.planned !== undefined;
  };

  it.each(['before', 'after'])(
    '[CP52, SP13] leaves nothing behind where it is aborted %s its last step is done, though it is whole then',
    async (moment) => {
      let stops = 0;
      let stop = (): boolean => false;
      await withTree(
        (tree) => {
          stop = () => tree.stop('abort');
          return levels([spawns('one'), copies('two')], places);
        },
        {
          async network(address, call, perform) {
            if (!isLast(address, call)) return perform();
            stops++;
            if (moment === 'before') stop();
            const answer = await perform();
            if (moment === 'after') stop();
            return answer;
          },
        },
        async (tree) => {
          await tree.start();
          await tree.rest();
          expect(stops).toBe(1);
          const known = tree.nodes.map(({ address }) => address).filter((address) => address.startsWith(BOB));
          expect(known).toEqual([BOB]);
          expect(tree.held.filter((address) => address.startsWith(BOB))).toEqual([]);
          expect(unexpected(tree)).toEqual([]);
        },
      );
    },
  );
});

describe('copies that are held up while they are sent', () => {
  const names = Array.from({ length: COPIES_AT_ONCE + 1 }, (_, index) => `c${index}`);
  const last = names.at(-1) ?? '';
  const many = () =>
    calling(
      OBJECT,
      [spawned('ada', 'quiet one')],
      names.map((name) => forked('ada', name, `quiet ${name}`)),
    );

  /** The memory of all but the last one never arrives. `planned`: each plan, in order. */
  function lost(isLost: (op: CopyCall['ask']['op']) => boolean = (op) => op === 'rows') {
    const planned: string[] = [];
    const network: TreeOptions['network'] = (address, call, perform) => {
      const message = messageIn(call);
      if (message?.type === 'plan_copy') planned.push(message.session.address);
      return isCopyCall(call) && isLost(call.ask.op) && address !== at(last) ? stuck() : perform();
    };
    return { planned, options: { network } };
  }

  it.each([
    ['their objects say', 0, (op: string) => op === 'rows'],
    ['their objects say nothing, for 5 s more', 5_000, (op: string) => op !== 'enter'],
  ])(
    `[CP19, CP20, CP58] give their places to those that wait when nothing of them has come for ${COPY_SILENCE_MS} ms, as %s`,
    async (_, more, isLost) => {
      const { planned, options } = lost(isLost);
      let entered = 0;
      await withTree(
        many,
        {
          async network(address, call, perform) {
            const answer = await options.network(address, call, perform);
            if (isCopyCall(call) && call.ask.op === 'enter' && entered < COPIES_AT_ONCE) entered++;
            return answer;
          },
        },
        async (tree) => {
          await tree.start();
          await tree.time.until(() => entered === COPIES_AT_ONCE);
          await tree.time.pass(COPY_SILENCE_MS + more - 1);
          expect(planned).toHaveLength(COPIES_AT_ONCE);
          await tree.time.pass(1);
          expect(planned.slice(COPIES_AT_ONCE)).toEqual([at(last)]);
          await tree.finish();
          await tree.rest();
          // One after the others that wait.
          for (const name of names)
            expect(planned.filter((one) => one === at(name))).toHaveLength(name === last ? 1 : 3);
          expect(results(tree).slice(1, -1)).toMatchObject(
            names.slice(0, -1).map((name) => ({ name, code: 'subagent_lost', error: expect.stringContaining('60 s') })),
          );
          expect(results(tree).at(-1)).toMatchObject({ name: last, output: { answer: `quiet one quiet ${last}` } });
          expect(tree.held).toEqual([TOP, ADA, at(last)]);
          expect(unexpected(tree)).toEqual([]);
        },
      );
    },
  );

  it('[CP19, SP13] one that is stopped gives its place at once, whatever it waits for', async () => {
    const { planned, options } = lost();
    await withTree(many, options, async (tree) => {
      await tree.start();
      await tree.time.pass(5_000);
      expect(planned).toHaveLength(COPIES_AT_ONCE);
      expect((await tree.soon(tree.stopAt(at('c0'), 'abort'))).ok).toBe(true);
      await tree.time.settle();
      expect(planned.slice(COPIES_AT_ONCE)).toEqual([at(last)]);
      await tree.time.pass(5_000);
      expect(statusOf(tree, last)).toBe('completed');
      expect(tree.held).not.toContain(at('c0'));
      expect(tree.stop('abort')).toBe(true);
      await tree.rest();
      expect(tree.held).toEqual([TOP, ADA, at(last)]);
      expect(unexpected(tree)).toEqual([]);
    });
  });

  it('[CP19, R17, SP13] one that is stopped while it is planned gives its place within 5 s', async () => {
    const planned: string[] = [];
    await withTree(
      many,
      {
        network(_address, call, perform) {
          const message = messageIn(call);
          if (message?.type !== 'plan_copy') return perform();
          planned.push(message.session.address);
          return planned.length > COPIES_AT_ONCE ? perform() : stuck();
        },
      },
      async (tree) => {
        await tree.start();
        await tree.time.pass(10_000);
        expect(planned).toHaveLength(COPIES_AT_ONCE);
        expect(tree.stop('interrupt')).toBe(true);
        await tree.time.pass(5_000);
        expect(tree.outcome.status).toBe('interrupted');
        await tree.resume();
        await tree.time.pass(5_000);
        expect(planned.slice(COPIES_AT_ONCE).sort()).toEqual(names.map(at));
        await tree.finish();
        expect(results(tree).slice(1)).toMatchObject(names.map((name) => ({ name, task: 1, status: 'completed' })));
      },
    );
  });

  it('[CP52] what is still on its way to one below when the copy is given up makes nothing there', async () => {
    const parts = () => levels([spawns('one'), copies('two')], OBJECT);
    const late = Promise.withResolvers<void>();
    const asks: string[] = [];
    await withTree(
      parts,
      {
        async network(address, call, perform) {
          const isBelow = isCopyCall(call) && address === BOB && call.way.length > 0 && call.ask.op !== 'heard';
          if (isBelow) await late.promise;
          if (isBelow) asks.push(call.ask.op);
          return perform();
        },
      },
      async (tree) => {
        await tree.start();
        await tree.time.pass(5_000);
        expect(tree.held).toContain(BOB);
        expect(tree.stop('abort')).toBe(true);
        await tree.rest();
        expect(tree.held).not.toContain(BOB);
        late.resolve();
        await tree.rest();
        // They hear at once that the copy is gone.
        expect([...new Set(asks)]).toEqual(['enter']);
        expect(tree.held.filter((address) => address.startsWith(`${BOB}/`))).toEqual([]);
        expect(unexpected(tree)).toEqual([]);
      },
    );
  });

  it.each(['file after file', 'piece by piece'])(
    '[CP20] one that comes slowly, %s, is waited for as long as something comes',
    async (what) => {
      const third = (COPY_SILENCE_MS * 2) / 3;
      let slowly = 0;
      let theTree: Tree | undefined;
      const later = (): Promise<void> =>
        new Promise((resolve) => void theTree?.time.environment.timer(third, () => resolve(void slowly++)));
      const slow = (bytes: ReadableStream<Uint8Array>) =>
        bytes.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            async transform(piece, to) {
              for (const byte of piece) {
                await later();
                to.enqueue(Uint8Array.of(byte));
              }
            },
          }),
        );
      await withTree(
        (tree) => {
          theTree = tree;
          return calling(OBJECT, [spawned('ada', 'quiet one')], [forked('ada', 'bob', 'quiet two')]);
        },
        {
          async network(address, call, perform) {
            if (messageIn(call)?.type === 'plan_copy' && address === ADA) {
              const { files } = theTree?.world.object(ADA).ports ?? {};
              for (const name of ['a', 'b', 'c']) await files?.write(name, what === 'piece by piece' ? 'four' : 'x');
            }
            if (!isCopyCall(call) || call.ask.op !== 'file' || !call.bytes) return perform();
            if (what === 'piece by piece') Object.assign(call, { bytes: slow(call.bytes) });
            else await later();
            return perform();
          },
        },
        async (tree) => {
          await tree.start();
          await tree.finish();
          await tree.rest();
          expect(slowly).toBe(what === 'piece by piece' ? 12 : 3);
          expect(results(tree)[1]).toMatchObject({ name: 'bob', output: { answer: 'quiet one quiet two' } });
          expect(unexpected(tree)).toEqual([]);
        },
      );
    },
  );
});

describe('a copy of one that is to be a copy itself and has not begun', () => {
  it.each([FACETS, MIXED, OBJECT])('[CP22] begins, where the levels are %s, %s, %s', async (...places) => {
    await withTree(
      () =>
        calling(
          places,
          [spawned('ada', 'quiet one')],
          [forked('ada', 'bob', 'quiet two'), forked('bob', 'cid', 'quiet three')],
        ),
      {},
      async (tree) => {
        await tree.run();
        await tree.rest();
        expect(results(tree).slice(1)).toMatchObject([
          { name: 'bob', output: { answer: 'quiet one quiet two' } },
          { name: 'cid', output: { answer: 'quiet three' } },
        ]);
        expect(unexpected(tree)).toEqual([]);
      },
    );
  });
});

describe('a copy that could not be made', () => {
  it.each([OBJECT, FACETS])('[CP21] waits for no slot, where the levels are %s, %s, %s', async (...places) => {
    await withTree(
      () =>
        single(
          calling(
            places,
            [spawned('ada', 'quiet one')],
            [spawned('cid', 'hang', 'non-blocking'), forked('ada', 'bob', 'quiet two')],
          ),
        ),
      {
        network(address, call, perform) {
          const message = messageIn(call);
          const isLost = message?.type === 'plan_copy' || message?.type === 'come_along';
          if (isLost && [ADA, BOB].includes(address)) throw new Error('It is away.');
          return perform();
        },
      },
      async (tree) => {
        await tree.start();
        await tree.time.pass(20_000);
        expect(statusOf(tree, 'cid')).not.toBe('completed');
        expect(results(tree)).toMatchObject([{}, {}, { name: 'bob', code: 'subagent_lost' }]);
        expect(tree.nodes.filter(({ address }) => address === BOB)).toEqual([]);
      },
    );
  });
});

describe('the objects of a copy that is begun', () => {
  it('[CP5, CP52] are all heard before any of them is removed', async () => {
    let planned = 0;
    let cut = false;
    let late = false;
    let theTree: Tree | undefined;
    const twoLeaves = (): TreeParts => {
      const parts = calling(ABOVE, [spawned('ada', 'two')], [forked('ada', 'bob', 'quiet two')]);
      const spawnLeaf = (name: string) =>
        companion('spawnAgent', { agent: 'leaf', name, initialMessage: 'quiet', mode: 'blocking' });
      return {
        ...parts,
        scripts: {
          ...parts.scripts,
          scout: ({ step, messages }) =>
            step === 1 && questions(messages).at(-1) === 'two'
              ? { calls: [spawnLeaf('l1'), spawnLeaf('l2')] }
              : { finish: { answer: questions(messages).join(' ') } },
        },
      };
    };
    await withTree(
      (tree) => {
        theTree = tree;
        return twoLeaves();
      },
      {
        async network(address, call, perform) {
          const message = messageIn(call);
          if (message?.type === 'plan_copy' && address === ADA) planned++;
          const enters = isCopyCall(call) && call.ask.op === 'enter';
          if (enters && address.endsWith('/l1') && !cut) {
            cut = true;
            throw new Error('The line is cut.');
          }
          if (enters && address.endsWith('/l2') && !late) {
            late = true;
            await new Promise<void>((resolve) => void theTree?.time.environment.timer(500, resolve));
          }
          return perform();
        },
      },
      async (tree) => {
        await tree.run();
        await tree.rest();
        expect([cut, late, planned]).toEqual([true, true, 2]);
        expect(results(tree)[1]).toMatchObject({ name: 'bob', output: { answer: 'two quiet two' } });
      },
    );
  });
});
