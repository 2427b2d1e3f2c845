/** A root with companions at three levels that can be copied: what it is made of, and what is there of it then. */

import type { ChildPlacement } from '../../../../src/core/definition/definition';
import { isInTree } from '../../../../src/core/tree/node';
import { formatsOf } from '../../../../src/store/migrate';
import { SqlTreeStore } from '../../../../src/store/tree-store';
import type { Tree, TreeParts } from '../../../support/harness';
import { asking, companion, heard, questions } from '../../../support/levels';
import { agentOf, answer } from '../../../support/trees';

/** The original and its copy. */
export const [ONE, TWO] = ['/agents/top/one', '/agents/top/two'];
export const [ADA, DEEP] = ['/sub/scout/ada', '/sub/scout/ada/sub/leaf/own/sub/tip/deep'];
const OWN = '/sub/scout/ada/sub/leaf/own';
/** Those below each, from above to below. */
export const BELOW: readonly string[] = [ADA, OWN, DEEP];

/** Where companions are, and how many there may be. */
export interface Shape {
  readonly placement?: ChildPlacement;
  readonly maxTreeChildren?: number;
}

/** Four levels: `top`, its scout, the leaf of that, and its tip. The top does what it is asked to. */
export const levels =
  ({ placement = 'facet', maxTreeChildren }: Shape = {}) =>
  (): TreeParts => {
    const tip = agentOf('tip', { outputSchema: answer });
    const leaf = agentOf('leaf', { persistentAgents: [{ agent: tip, placement }], outputSchema: answer });
    const scout = agentOf('scout', { persistentAgents: [{ agent: leaf }], outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: scout, placement }] });
    const limits = maxTreeChildren === undefined ? top.limits : { ...top.limits, maxTreeChildren };
    return {
      agents: [{ ...top, limits }, scout, leaf, tip],
      scripts: {
        top: ({ messages }) => {
          const asked = questions(messages).at(-1) ?? '';
          if (messages.at(-1)?.role !== 'user') return { text: heard(messages) };
          return questions(messages).length === 1
            ? { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: asked })] }
            : { calls: [companion('sendMessage', { name: 'ada', message: asked, wait: true })] };
        },
        scout: asking('leaf', 'own'),
        leaf: asking('tip', 'deep'),
        tip: ({ messages }) =>
          questions(messages).at(-1)?.startsWith('hang')
            ? { hang: true }
            : { finish: { answer: questions(messages).join(' ') } },
      },
    };
  };

/** The record of a root. */
export const nodesOf = (tree: Tree, root: string) => {
  const storage = tree.world.storage(root);
  return storage && formatsOf(storage).has('root') ? new SqlTreeStore(storage).nodes().filter(isInTree) : [];
};
/** The same: who is where, and how each stands. */
export const recordOf = (tree: Tree, root: string) =>
  nodesOf(tree, root).map((node) => ({
    at: node.address.slice(root.length),
    status: node.status,
    above: node.kind === 'child' ? nodesOf(tree, root).find(({ id }) => id === node.parentId)?.address : undefined,
  }));
/** That of the copy of a tree at rest. */
export const RECORD = [
  { at: '', status: 'completed', above: undefined },
  { at: ADA, status: 'completed', above: TWO },
  { at: OWN, status: 'completed', above: TWO + ADA },
  { at: DEEP, status: 'completed', above: TWO + OWN },
];

/** Every id in the stores of a tree: of sessions, runs, calls and messages. */
export function idsIn(tree: Tree, root: string): Set<string> {
  const tables = ['session', 'runs', 'steps', 'settlements', 'messages', 'queued', 'children', 'outbox'];
  const rows = ['', ...BELOW].flatMap((below) =>
    tables.flatMap(
      (table) =>
        tree.world
          .storage(root + below)
          ?.sql.exec(`select * from "${table}"`)
          .toArray() ?? [],
    ),
  );
  return new Set(JSON.stringify(rows).match(/\b[srcm]_[A-Za-z0-9_.]+/g) ?? []);
}

export const write = (tree: Tree, at: string, text: string) => tree.world.object(at).ports.files.write('a.txt', text);
export const read = async (tree: Tree, at: string): Promise<string> =>
  new Response(await tree.world.object(at).ports.files.read('a.txt')).text();
/** The addresses of all objects of a tree. */
export const objectsOf = (tree: Tree, root: string) =>
  tree.world.addresses().filter((address) => address === root || address.startsWith(`${root}/`));
