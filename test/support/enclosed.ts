/** Files that go from one agent of a tree to another: who has which afterwards, and what models were told of them. */
import type { ModelRequest } from '../../src/core/definition/model-port';
import { transcripts } from './examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from './harness';
import { toolResults } from './trees';

/** What tells copies of one name apart is new with each attempt. */
const unmarked = <Value>(value: Value): Value =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/-[0-9a-z]{10,11}(?=\.md)/g, '')
      .replaceAll(/"(updatedAt|at)":\d+/g, '"$1":0'),
  );

/** The paths of copies that a model was told of, in order. */
export const toldPaths = ({ messages }: ModelRequest): string[] => [
  ...new Set(JSON.stringify(messages).match(/attachments\/[\w.-]+\.md/g)),
];

/** The files of an agent with their texts, and the keys of what is kept beside them, read past the object. */
export function stored(tree: Tree, address = tree.address): { files: Record<string, string>; kept: string[] } {
  const rows = tree.world.storage(address)?.sql.exec('SELECT path, tail FROM files ORDER BY path').toArray() ?? [];
  const texts = rows.map(({ path, tail }): [string, string] => [
    String(path),
    tail instanceof ArrayBuffer ? new TextDecoder().decode(tail) : 'no bytes',
  ]);
  return {
    files: unmarked(Object.fromEntries(texts.filter(([path]) => !path.startsWith('/')))),
    kept: texts.flatMap(([path]) => (path.startsWith('/') ? [path] : [])),
  };
}

/** Runs a tree to its rest; what it is looked at for, and what came of it. `crashBefore`: the transaction that is lost. */
export async function ran<Seen>(
  make: (tree: Tree) => TreeParts,
  look: (tree: Tree) => Seen,
  crashBefore?: number,
  options: TreeOptions = {},
) {
  let transactions = 0;
  let lose: (() => void) | undefined;
  const transaction = () => {
    if (lose === undefined || ++transactions !== crashBefore) return;
    lose();
    throw new Error('This object was lost from memory.');
  };
  return withTree(make, { transaction, ...options }, async (tree) => {
    await tree.start();
    lose = () => tree.crash();
    await tree.finish();
    await tree.rest();
    return {
      seen: look(tree),
      transactions,
      said: unmarked(transcripts(tree)),
      results: unmarked(toolResults(tree)).map((result) => (result.success ? result.value : result.error.code)),
      outcome: tree.outcome,
      problems: tree.time.problems,
    };
  });
}
