/** Those below a root come along with its copy: whose memory they have, what they share, limits, and crashes at every commit. */
import { describe, expect, it, vi } from 'vitest';
import { COPY_SILENCE_MS, MAX_COPY_BYTES } from '../../../../src/capabilities/copies/plan';
import type { JsonObject } from '../../../../src/protocol/json';
import { AGENT_MIGRATIONS } from '../../../../src/store/migrations';
import { ask, code, turn } from '../../../support/asks';
import { type Tree, withTree } from '../../../support/harness';
import { figures, sample } from '../../../support/sizes';
import { take } from '../support/calls';
import {
  ADA,
  BELOW,
  DEEP,
  idsIn,
  levels,
  nodesOf,
  ONE,
  objectsOf,
  RECORD,
  read,
  recordOf,
  type Shape,
  TWO,
  write,
} from '../support/roots';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 12;

/** A root with companions at three levels, and then its copy; each goes on with its own. */
async function copied(shape: Shape = {}, crashAt = 0, input: JsonObject = {}) {
  let [transactions, counts] = [0, false];
  let crash = (): void => undefined;
  // Everything is lost right after that transaction, counted from the request on.
  const transaction = (): void => {
    if (counts && ++transactions === crashAt) crash();
  };
  return withTree(levels(shape), { transaction }, async (tree) => {
    crash = () => tree.crash();
    await tree.run('one');
    await tree.rest();
    for (const at of ['', ...BELOW]) await write(tree, ONE + at, `of ${at}`);
    counts = true;
    const replies = [await ask(tree, 'fork', { name: 'two', ...input }, 'k')];
    const record = recordOf(tree, TWO);
    replies.push(await ask(tree, 'fork', { name: 'two', ...input }, 'k'));
    await tree.rest();
    counts = false;
    const files = await Promise.all(['', ...BELOW].map((at) => read(tree, TWO + at)));
    const answers = [await turn(tree, TWO, 'two'), await turn(tree, ONE, 'three'), await turn(tree, TWO, 'four')];
    const [one, two] = [idsIn(tree, ONE), idsIn(tree, TWO)];
    const originals = new Set(nodesOf(tree, ONE).map(({ sessionId }) => sessionId));
    return {
      transactions,
      crashes: tree.crashes,
      replies,
      record,
      files,
      answers,
      own: two.size,
      // Each says of which session it is a copy.
      shared: [...two].filter((id) => one.has(id) && !originals.has(id)),
      objects: objectsOf(tree, TWO),
      others: tree.world.addresses().filter((address) => !address.startsWith(ONE) && !address.startsWith(TWO)),
      problems: tree.time.problems,
    };
  });
}

const ANSWERS = [
  'one two; one two; one two',
  'one three; one three; one three',
  'one two four; one two four; one two four',
];

describe.each(['facet', 'object'] as const)(
  'those below a root that is copied, where companions are placed as %s',
  (placement) => {
    it('[CP14, CP2, CP4, CP27] come along at every level with memory and files, under their names; then neither knows of the other', async () => {
      const found = await copied({ placement });
      expect(found.replies).toMatchObject([{ ok: true, status: 202, body: { address: TWO } }, { ok: true }]);
      expect(found.replies[0]).toEqual(found.replies[1]);
      expect(found.record).toEqual(RECORD);
      expect(found.files).toEqual(['', ...BELOW].map((at) => `of ${at}`));
      expect(found.answers).toEqual(ANSWERS);
      expect(found.own).toBeGreaterThan(40);
      expect(found.shared).toEqual([]);
      expect(found.objects).toEqual(['', ...BELOW].map((at) => TWO + at));
      expect(found.others).toEqual([]);
      expect(found.problems).toEqual([]);
    });

    let crashes = 0;
    figures(`copies of roots with companions as ${placement}`, () => `${crashes} crashes`);
    it('[CP10, CP14, RC5] are all there or none, once for the key, wherever a crash comes', async () => {
      const calm = await copied({ placement });
      for (const index of sample(calm.transactions, MOST, placement === 'facet' ? 0 : 1)) {
        const found = await copied({ placement }, index);
        const what = `a crash at ${index}`;
        expect(found.crashes, what).toBe(1);
        crashes++;
        const { transactions: _calm, crashes: _none, replies: _first, ...same } = calm;
        const { transactions: _its, crashes: _one, replies, ...those } = found;
        expect(replies, what).toMatchObject([{ ok: true }, { ok: true }]);
        expect(those, what).toEqual(same);
      }
    });
  },
);

/** A tree of three levels below a root that has done one thing. */
const ran = (shape: Shape, body: (tree: Tree) => Promise<void>): Promise<void> =>
  withTree(levels(shape), {}, async (tree) => {
    await tree.run('one');
    await tree.rest();
    await body(tree);
    expect(tree.time.problems).toEqual([]);
  });

describe('what is half made of a copy with those below', () => {
  it.each(['facet', 'object'] as const)(
    '[CP39, CP14] goes with everybody in it when nobody asks again, placed as %s',
    async (placement) => {
      const gaveUp = async (crashAt: number) => {
        let [transactions, counts] = [0, false];
        let crash = (): void => undefined;
        const transaction = (): void => {
          if (counts && ++transactions === crashAt) crash();
        };
        return withTree(levels({ placement }), { transaction }, async (tree) => {
          crash = () => tree.crash();
          await tree.run('one');
          await tree.rest();
          counts = true;
          const call = { kind: 'verb', path: [], verb: 'fork', input: { name: 'two' }, caller: 'ada' } as const;
          const failed: string[] = [];
          tree.world
            .object(ONE)
            .call(call)
            .catch((error: Error) => failed.push(error.message));
          await tree.rest();
          counts = false;
          // Whoever asks an object that is lost with its last commit hears that.
          expect(failed.filter((why) => why !== 'This object was lost from memory.')).toEqual([]);
          expect(tree.time.problems).toEqual([]);
          // What is left of an object is an empty store, which the platform's object takes along when it leaves.
          const left = objectsOf(tree, TWO).filter((at) => at !== TWO || nodesOf(tree, TWO).length > 0);
          return { left, transactions };
        });
      };
      const { transactions } = await gaveUp(0);
      const found = new Set<number>();
      for (const index of sample(transactions, MOST, 2)) {
        const { left } = await gaveUp(index);
        expect([0, BELOW.length + 1], `a crash at ${index}: ${left}`).toContain(left.length);
        found.add(left.length);
      }
      expect(found.has(0)).toBe(true);
    },
  );

  it('[CP39, CP14] is removed before another copy under its name begins, also where its time is not up', () =>
    ran({ placement: 'object' }, async (tree) => {
      const since = tree.time.environment.now();
      const two = tree.world.object(TWO);
      const request = nodesOf(tree, ONE).find(({ address }) => address === ONE + ADA);
      if (request?.kind !== 'child') throw new Error('Nobody is there.');
      const { sessionId: _session, ...facts } = request;
      const along = { ...facts, sessionId: 's_left', address: TWO + ADA, parent: 's_x' };
      const begins = {
        op: 'begin',
        format: AGENT_MIGRATIONS.length,
        by: { caller: 'ada' },
        session: 's_x',
        below: [along],
      } as const;
      const way = [
        { sessionId: 's_left', address: TWO + ADA, placement: { via: 'object', className: 'Scout', segment: 'ada' } },
      ] as const;
      expect(await take(two, { copy: 'x', way: [], ask: begins })).toEqual({ ok: true });
      expect(await take(two, { copy: 'x', way, ask: { op: 'enter', format: AGENT_MIGRATIONS.length } })).toEqual({
        ok: true,
      });
      expect(objectsOf(tree, TWO)).toEqual([TWO, TWO + ADA]);
      expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('unavailable');
      tree.crash();
      expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
      expect(tree.time.environment.now() - since).toBeLessThan(COPY_SILENCE_MS);
      expect(recordOf(tree, TWO)).toEqual(RECORD);
      expect(tree.world.addresses().filter((at) => at.includes('s_left'))).toEqual([]);
    }));

  it.each(['facet', 'object'] as const)(
    '[CP14, OP6] goes as a whole when the copy is deleted, placed as %s',
    (placement) =>
      ran({ placement }, async (tree) => {
        expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
        expect(code(await ask(tree, 'remove', {}, 'k', TWO))).toBe('ok');
        await tree.rest();
        // The root itself is the platform's to erase.
        expect(objectsOf(tree, TWO).filter((at) => placement === 'object' && at !== TWO)).toEqual([]);
        expect(objectsOf(tree, ONE)).toHaveLength(BELOW.length + 1);
      }),
  );
});

describe('those below a root that is copied', () => {
  it('[CP15, CP46] are at most as many as one run may create: one more is refused, and nothing is made', async () => {
    await ran({ maxTreeChildren: 3 }, async (tree) => {
      expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
    });
    await ran({}, async (tree) => {
      const { rules } = tree.world.object(ONE).agent?.seat ?? {};
      if (rules === undefined) throw new Error('Nobody is there.');
      vi.spyOn(rules, 'limits', 'get').mockReturnValue({ ...rules.limits, maxTreeChildren: 2 });
      expect(await ask(tree, 'fork', { name: 'two' })).toMatchObject({
        ok: false,
        error: { code: 'max_tree_children' },
      });
      vi.restoreAllMocks();
      expect(nodesOf(tree, TWO)).toEqual([]);
      expect(objectsOf(tree, TWO).filter((at) => at !== TWO)).toEqual([]);
    });
  });

  it('[CP15, CP46] are at most so large, all together with the root: what is larger is refused, and nothing is made', () =>
    ran({}, async (tree) => {
      const sizes = ['', ...BELOW].map((at) => {
        const { store, ports } = tree.world.object(ONE + at);
        return store.bytes() + ports.files.bytes();
      });
      const others = sizes.slice(0, -1).reduce((sum, bytes) => sum + bytes, 0);
      const { store, ports } = tree.world.object(ONE + DEEP);
      const spied = vi.spyOn(ports.files, 'bytes');
      spied.mockReturnValue(MAX_COPY_BYTES - others - store.bytes() + 1);
      expect(await ask(tree, 'fork', { name: 'two' })).toMatchObject({
        ok: false,
        error: { code: 'payload_too_large' },
      });
      expect(nodesOf(tree, TWO)).toEqual([]);
      spied.mockReturnValue(MAX_COPY_BYTES - others - store.bytes());
      expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
    }));

  it('[CP3, CP14] that are at work come along at rest, and go on in the copy with what they are told next', () =>
    ran({}, async (tree) => {
      expect(code(await ask(tree, 'send', { content: 'hang' }))).toBe('ok');
      await tree.time.until(
        () => tree.state(ONE + DEEP).run?.phase === 'active' && tree.state(ONE + DEEP).run?.turn === 2,
      );
      expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
      expect(recordOf(tree, TWO)).toEqual(RECORD.map((one) => ({ ...one, status: 'interrupted' })));
      expect(tree.state(ONE + DEEP).run?.phase).toBe('active');
      expect(await turn(tree, TWO, 'two')).toBe('one hang two; one hang two; one hang two');
    }));

  it('[CP43, CP14] stay with the original where the copy goes back to a step before their last task', () =>
    ran({}, async (tree) => {
      const { sessionId } = tree.state(ONE).session;
      expect(await turn(tree, ONE, 'two')).toBe('one two; one two; one two');
      expect(code(await ask(tree, 'fork', { name: 'two', checkpoint: `${sessionId}.2` }))).toBe('ok');
      expect(recordOf(tree, TWO)).toEqual(RECORD.slice(0, 1));
      expect(objectsOf(tree, TWO)).toEqual([TWO]);
      expect(code(await ask(tree, 'fork', { name: 'three', checkpoint: `${sessionId}.3` }))).toBe('ok');
      expect(nodesOf(tree, '/agents/top/three')).toHaveLength(4);
    }));

  it('[CP42, CO3] stay with the original once they were ended for good: who is begun under such a name remembers nothing', () =>
    ran({}, async (tree) => {
      expect(code(await ask(tree, 'terminate', { reason: 'Enough.' }, 'end', ONE + ADA))).toBe('ok');
      expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
      expect(recordOf(tree, TWO)).toEqual(RECORD.slice(0, 1));
      expect(await turn(tree, TWO, 'two')).toBe('nothing');
      expect(objectsOf(tree, TWO)).toEqual([TWO]);
    }));

  it('[CP14] come along with a copy of a copy, and with one that goes on at once', () =>
    ran({}, async (tree) => {
      expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('ok');
      expect(code(await ask(tree, 'fork', { name: 'three' }, 'k', TWO))).toBe('ok');
      expect(await turn(tree, '/agents/top/three', 'two')).toBe('one two; one two; one two');
      expect(code(await ask(tree, 'send', { content: 'hang' }, 'hang', TWO))).toBe('ok');
      await tree.time.until(() => tree.state(TWO + DEEP).run?.phase === 'active');
      expect(code(await ask(tree, 'fork', { name: 'four', resume: true }, 'k4', TWO))).toBe('ok');
      await tree.rest();
      expect(nodesOf(tree, '/agents/top/four')).toHaveLength(4);
      const four = tree.state('/agents/top/four');
      expect(four.run).toMatchObject({ phase: 'ended', outcome: { status: 'completed' } });
    }));
});
