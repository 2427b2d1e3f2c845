/** Copies of agents whose rows a newer version has written, and into such rows. */
import { describe, expect, it } from 'vitest';
import { ask, code, turn } from '../../support/asks';
import { withTree } from '../../support/harness';
import { companion } from '../../support/levels';
import { ADA, learn, makeNewer, parts, rowsOf, TOP, withNewerChild } from '../../support/newer-rows';
import { toolResults } from '../../support/trees';
import { take } from './support/calls';

const TWO = '/agents/top/two';
const fork = companion('forkChild', { name: 'ada', newName: 'bob', message: 'fork' });

it('[SO7, CP64] a copy of a child with newer rows is made once they are known', () =>
  withNewerChild(
    'fork',
    async (tree) => {
      learn(tree);
      await tree.time.until(() => tree.ended);
      await tree.rest();
      expect(await turn(tree, TOP, 'third')).toBe('first third');
      expect(JSON.stringify(toolResults(tree))).not.toContain('subagent_lost');
    },
    { fork },
  ));

describe('a root that is copied', () => {
  it('[CP64] into an object with newer rows is refused, and nothing is changed there', () =>
    withTree(parts(), {}, async (tree) => {
      await turn(tree, TOP, 'first');
      tree.world.object(TWO).prepare();
      makeNewer(tree, TWO);
      const before = rowsOf(tree, TWO);
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'k'))).toBe('newer_format');
      expect(rowsOf(tree, TWO)).toBe(before);
      learn(tree);
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'k'))).toBe('ok');
    }));

  it.each([1, -1])('[CP64] is refused by a version whose format is another one (by %i)', (by) =>
    withTree(parts(), {}, async (tree) => {
      const two = tree.world.object(TWO);
      const { store } = two;
      const begins = { op: 'begin', by: { caller: 'ada' }, session: 's_x', below: [] } as const;
      const takes = (format: number) => take(two, { copy: 'x', way: [], ask: { ...begins, format } });
      expect(await takes(store.format + by)).toMatchObject({
        ok: false,
        error: { code: 'newer_format', retryable: true },
      });
      expect(tree.held).toEqual([]);
      expect(await takes(store.format)).toEqual({ ok: true });
    }),
  );

  it('[CP64] with a companion whose rows are newer is refused until they are known', () =>
    withTree(parts(), {}, async (tree) => {
      await turn(tree, TOP, 'first');
      makeNewer(tree, ADA);
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'k'))).toBe('newer_format');
      expect(tree.held).not.toContain(TWO);
      learn(tree);
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'k'))).toBe('ok');
    }));
});
