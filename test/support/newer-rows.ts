/** A tree whose rows are, in part, of a newer version: as after a deploy that was taken back. */
import { expect } from 'vitest';
import { ask, code, turn } from './asks';
import { KNOWN } from './deploys';
import { dump } from './dump';
import { type Tree, type TreeParts, withTree } from './harness';
import { companion, heard, questions } from './levels';
import { present } from './present';
import { agentOf, answer, hangTool } from './trees';

export const TOP = '/agents/top/one';
export const ADA = `${TOP}/sub/scout/ada`;
export const MINUTE = 60_000;

type Call = ReturnType<typeof companion>;

/** The rows of one agent are of a newer format from here on. */
export function makeNewer(tree: Tree, address: string): void {
  present(tree.world.storage(address)).sql.exec('UPDATE offshoot_format SET format = format + 1');
  tree.crash();
}

/** Those of every object, also of clones, are of the format of this version again, as if it had learned the newer one. */
export function learn(tree: Tree): void {
  for (const address of tree.held)
    for (const [store, format] of Object.entries(KNOWN))
      present(tree.world.storage(address)).sql.exec(
        'UPDATE offshoot_format SET format = min(format, ?) WHERE store = ?',
        format,
        store,
      );
  tree.crash();
}

export const rowsOf = (tree: Tree, address: string): string =>
  dump(new Map([[address, present(tree.world.storage(address))]]));

/** A top that keeps a scout `ada`, does what it is asked to with it or by a call that is given for that, and may hang. */
export const parts =
  (calls: { readonly [asked: string]: Call } = {}) =>
  (tree: Tree): TreeParts => {
    const scout = agentOf('scout', { outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: scout }], tools: [hangTool(tree)] });
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages }) => {
          const asked = questions(messages).at(-1) ?? '';
          if (messages.at(-1)?.role !== 'user') return { text: heard(messages) };
          if (asked === 'hang') return { calls: [{ name: 'hang', input: {} }] };
          const given = calls[asked];
          if (given) return { calls: [given] };
          return questions(messages).length === 1
            ? { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: asked })] }
            : { calls: [companion('sendMessage', { name: 'ada', message: asked, wait: true })] };
        },
        scout: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
      },
    };
  };

/** A tree at rest whose companion's rows are newer than those of the rest, and that is asked for something of it. */
export async function withNewerChild(
  asked: string,
  body: (tree: Tree) => Promise<void>,
  calls: { readonly [asked: string]: Call } = {},
): Promise<void> {
  await withTree(parts(calls), {}, async (tree) => {
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
