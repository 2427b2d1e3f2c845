/**
 * Each version opens what every earlier format has left. The stores that are kept for a format hold trees that wait; the
 * code of today opens them and takes each to its right end. `node scripts/fixture.mjs` keeps those of a new format.
 */
import { describe, expect, it } from 'vitest';
import { unpairedCalls } from '../../src/protocol/messages';
import { DirectoryStore } from '../../src/store/directory-store';
import { formatsOf } from '../../src/store/migrate';
import { SqlTreeStore } from '../../src/store/tree-store';
import { TREES_OF_CAPABILITIES } from '../capabilities/kept-trees';
import { KEPT_TREES } from '../support/format-trees';
import { withTree } from '../support/harness';
import {
  FORMATS,
  folderOf,
  formatsIn,
  keepFormats,
  keptDirectory,
  keptFolders,
  openKept,
  rowsIn,
  shapes,
  storagesIn,
  storagesOf,
  TOLD_AT,
} from '../support/kept-formats';
import { present } from '../support/present';

const TREES = [...KEPT_TREES, ...TREES_OF_CAPABILITIES];

// Before the cases are made of what is kept.
const { OFFSHOOT_KEEP_FORMATS: keep } = process.env;
if (keep !== undefined) await keepFormats(TREES, keep === 'again');

const CASES = keptFolders().flatMap((folder) => TREES.map((kept) => ({ folder, kept, name: kept.name })));

describe('the stores that are kept', () => {
  it('[SO10] are there for each format of each store up to that of this version, and say so themselves', () => {
    const found = keptFolders().map((folder) => ({ folder, formats: formatsIn(folder) }));
    for (const { folder, formats } of found) {
      const [agent, root, directory] = ['agent', 'root', 'directory'].map((store) => [...present(formats.get(store))]);
      expect([agent, root, directory].map((one) => one?.length)).toEqual([1, 1, 1]);
      const [a = 0, r = 0, d = 0] = [agent, root, directory].map((one) => one?.[0]);
      expect(folderOf({ agent: a, root: r, directory: d })).toBe(folder);
    }
    for (const [store, newest] of Object.entries(FORMATS)) {
      const kept = new Set(found.flatMap(({ formats }) => [...(formats.get(store) ?? [])]));
      expect([...kept].sort(), store).toEqual(Array.from({ length: newest }, (_, at) => at + 1));
    }
  });

  it.each(keptFolders())('[SO10] have a row in each table of a version (%s)', (folder) => {
    const empty = [...rowsIn(storagesIn(folder))].filter(([, rows]) => rows === 0);
    expect(empty).toEqual([]);
  });

  it('[SO10] hold what rows of this version hold: where that changes, the format rises', async () => {
    const [kept, now] = await shapes(TREES, folderOf(FORMATS));
    // A step is needed, and its stores: `npm run migrations -- --rows STORE --name NAME`, then `node scripts/fixture.mjs`.
    expect(now).toEqual(kept);
  });
});

describe.each(CASES)('a tree that $folder has left, $name,', ({ folder, kept, name }) => {
  it('[SO3, WT2] is brought to the format of today, and goes on to its end', async () => {
    await withTree(kept.parts, {}, async (tree) => {
      openKept(tree, folder, name);
      for (const address of tree.held) tree.world.object(address);
      for (const [address, storage] of storagesOf(tree)) {
        const { agent, root } = FORMATS;
        const own = address.includes('/sub/') ? { agent } : { agent, root };
        expect(Object.fromEntries(formatsOf(storage)), address).toEqual(own);
      }
      await kept.finish(tree);
      for (const address of tree.addresses) expect(unpairedCalls(tree.transcript(address)), address).toEqual([]);
      const { first, last } = new SqlTreeStore(present(tree.world.storage(tree.address))).extent();
      const sequences = tree.log.map(({ sequence }) => sequence);
      expect(sequences).toEqual(Array.from({ length: last - first + 1 }, (_, at) => first + at));
      expect(tree.time.problems).toEqual([]);
    });
  });
});

it.each(keptFolders())('[SO3] a directory that %s has left lists what it was told', (folder) => {
  const directory = new DirectoryStore(keptDirectory(folder), () => TOLD_AT);
  expect(directory.roots({ limit: 10 }).map(({ name, title }) => [name, title])).toEqual([
    ['one', 'The one'],
    ['two', 'The two'],
  ]);
  expect(directory.pending({ limit: 10 }).map(({ item }) => item.toolName)).toEqual(['pay', 'pay']);
  expect(directory.causes(0)).toMatchObject([{ code: 'aborted', pattern: 'No ….', count: 2 }]);
  const deleted = [
    directory.wasDeleted('gone', 'k'),
    directory.wasDeleted('gone', 'b'),
    directory.wasDeleted('one', 'k'),
  ];
  expect(deleted).toEqual([true, true, false]);
});
