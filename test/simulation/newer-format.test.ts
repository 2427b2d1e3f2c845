/** Rows that a newer version has written, as after a deploy that was taken back: nothing is done with them, and nothing ends for them. */
import { afterEach, describe, expect, it } from 'vitest';
import { ask, code } from '../support/asks';
import { deployKnown, deployNext } from '../support/deploys';
import { type Tree, withTree } from '../support/harness';
import { ADA, learn, MINUTE, parts, rowsOf, TOP, withNewerChild } from '../support/newer-rows';

/** The next version is deployed, and everything leaves memory. */
function deploy(tree: Tree): void {
  const step = { tag: 'next', statements: [] };
  deployNext({ agent: step, root: step });
  tree.crash();
}

/** The version before is deployed again. */
function takeBack(tree: Tree): void {
  deployKnown();
  tree.crash();
}

afterEach(deployKnown);

describe('a parent whose child has newer rows', () => {
  it('[SO7] goes on asking it, and has its result once they are known', () =>
    withNewerChild('second', async (tree) => {
      learn(tree);
      await tree.time.until(() => tree.ended);
      expect(tree.outcome).toMatchObject({ status: 'completed' });
      expect(tree.nodes.map(({ status }) => status)).not.toContain('running');
    }));

  it.each(['abort', 'interrupt', 'terminate'] as const)(
    '[SO7] that is stopped (%s) waits for the end of the child',
    (verb) =>
      withNewerChild('second', async (tree) => {
        tree.stopSurely(verb);
        await tree.time.pass(12 * MINUTE);
        expect(tree.ended).toBe(false);
        learn(tree);
        await tree.time.until(() => tree.ended);
        expect(JSON.stringify(tree.nodes)).not.toContain('subagent_lost');
      }),
  );

  it('[SO6] a request to the child is refused with a time to ask again', () =>
    withNewerChild('second', async (tree) => {
      const said = await ask(tree, 'status', {}, undefined, ADA);
      expect(said).toMatchObject({
        ok: false,
        error: { code: 'newer_format', retryable: true, retryAfterMs: 30_000 },
      });
      expect(await ask(tree, 'children', {})).toMatchObject({ ok: true, body: { items: [{ address: ADA }] } });
    }));
});

it('[SO6, SO8] a tree at work that a newer version has opened stands still under the one before, and goes on by its alarm alone', () =>
  withTree(parts(), {}, async (tree) => {
    expect(code(await ask(tree, 'start', { message: 'first' }, 'first'))).toBe('ok');
    await tree.rest();
    expect(code(await ask(tree, 'send', { content: 'hang' }, 'hang'))).toBe('ok');
    await tree.time.pass(1_000);
    expect(tree.bodies.size).toBe(1);
    deploy(tree);
    await tree.time.pass(10_000);
    const bodies = [...tree.bodies.values()];
    takeBack(tree);
    const before = rowsOf(tree, TOP);
    expect(() => tree.world.object(TOP)).toThrow(expect.objectContaining({ code: 'newer_format' }));
    // Nobody was made of it that another look would find.
    expect(() => tree.world.object(TOP)).toThrow(expect.objectContaining({ code: 'newer_format' }));
    await tree.time.pass(12 * MINUTE);
    expect(rowsOf(tree, TOP)).toBe(before);
    expect([...tree.bodies.values()]).toEqual(bodies);
    deploy(tree);
    await tree.time.pass(31_000);
    expect([...tree.bodies.values()]).toEqual(bodies.map((count) => count + 1));
  }));
