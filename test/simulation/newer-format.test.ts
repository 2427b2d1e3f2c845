/** Rows that a newer version has written, as after a deploy that was taken back: nothing is done with them, and nothing ends for them. */
import { afterEach, describe, expect, it } from 'vitest';
import { ask, code, turn } from '../support/copied-roots';
import { take } from '../support/copy-calls';
import { deployKnown, deployNext, KNOWN } from '../support/deploys';
import { dump } from '../support/dump';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { companion, heard, questions } from '../support/levels';
import { present } from '../support/present';
import { agentOf, answer, hangTool, toolResults } from '../support/trees';

const TOP = '/agents/top/one';
const TWO = '/agents/top/two';
const ADA = `${TOP}/sub/scout/ada`;
const MINUTE = 60_000;

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

/** The rows of one agent are of a newer format from here on. */
function makeNewer(tree: Tree, address: string): void {
  present(tree.world.storage(address)).sql.exec('UPDATE offshoot_format SET format = format + 1');
  tree.crash();
}

/** Those of every object, also of clones, are of the format of this version again, as if it had learned the newer one. */
function learn(tree: Tree): void {
  for (const address of tree.held)
    for (const [store, format] of Object.entries(KNOWN))
      present(tree.world.storage(address)).sql.exec(
        'UPDATE offshoot_format SET format = min(format, ?) WHERE store = ?',
        format,
        store,
      );
  tree.crash();
}

const rowsOf = (tree: Tree, address: string): string =>
  dump(new Map([[address, present(tree.world.storage(address))]]));

/** A top that keeps a scout `ada`, does what it is asked to with it, and may hang. */
function parts(tree: Tree): TreeParts {
  const scout = agentOf('scout', { outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: scout }], tools: [hangTool(tree)] });
  return {
    agents: [top, scout],
    scripts: {
      top: ({ messages }) => {
        const asked = questions(messages).at(-1) ?? '';
        if (messages.at(-1)?.role !== 'user') return { text: heard(messages) };
        if (asked === 'hang') return { calls: [{ name: 'hang', input: {} }] };
        if (asked === 'fork')
          return { calls: [companion('forkChild', { name: 'ada', newName: 'bob', message: asked })] };
        return questions(messages).length === 1
          ? { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: asked })] }
          : { calls: [companion('sendMessage', { name: 'ada', message: asked, wait: true })] };
      },
      scout: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
    },
  };
}

/** A tree at rest whose companion's rows are newer than those of the rest, and that is asked for something of it. */
async function withNewerChild(asked: string, body: (tree: Tree) => Promise<void>): Promise<void> {
  await withTree(parts, {}, async (tree) => {
    expect(await turn(tree, TOP, 'first')).toBe('first');
    makeNewer(tree, ADA);
    const before = rowsOf(tree, ADA);
    expect(code(await ask(tree, 'send', { content: asked }, asked))).toBe('ok');
    // Longer than it is tried to reach a child, and longer than the child may take.
    await tree.time.pass(12 * MINUTE);
    expect(rowsOf(tree, ADA)).toBe(before);
    expect(tree.ended).toBe(false);
    await body(tree);
  });
}

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

  it('[SO7, SO9] has a copy of it made once they are known', () =>
    withNewerChild('fork', async (tree) => {
      learn(tree);
      await tree.time.until(() => tree.ended);
      await tree.rest();
      expect(await turn(tree, TOP, 'third')).toBe('first third');
      expect(JSON.stringify(toolResults(tree))).not.toContain('subagent_lost');
    }));

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
  withTree(parts, {}, async (tree) => {
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

describe('a root that is copied', () => {
  it('[SO9] into an object with newer rows is refused, and nothing is changed there', () =>
    withTree(parts, {}, async (tree) => {
      await turn(tree, TOP, 'first');
      tree.world.object(TWO).prepare();
      makeNewer(tree, TWO);
      const before = rowsOf(tree, TWO);
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'k'))).toBe('newer_format');
      expect(rowsOf(tree, TWO)).toBe(before);
      learn(tree);
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'k'))).toBe('ok');
    }));

  it.each([1, -1])('[SO9] is refused by a version whose format is another one (by %i)', (by) =>
    withTree(parts, {}, async (tree) => {
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

  it('[SO9] with a companion whose rows are newer is refused until they are known', () =>
    withTree(parts, {}, async (tree) => {
      await turn(tree, TOP, 'first');
      makeNewer(tree, ADA);
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'k'))).toBe('newer_format');
      expect(tree.held).not.toContain(TWO);
      learn(tree);
      expect(code(await ask(tree, 'fork', { name: 'two' }, 'k'))).toBe('ok');
    }));
});
