/** What the house counts of promises, comments, folders and commits. */
import { describe, expect, it } from 'vitest';
import { docComments } from '../../../scripts/lib/house/comments.mjs';
import { crowdedFolders } from '../../../scripts/lib/house/folders.mjs';
import { roomOf, spread, touchedFiles } from '../../../scripts/lib/house/history.mjs';
import { countWords, median, promisesOf } from '../../../scripts/lib/house/promises.mjs';
import { parseSource } from '../../../scripts/lib/source.mjs';

describe('figures of the house', () => {
  it('[HS7] the words of a promise are counted without its id and signs that are no words', () => {
    expect(countWords('One, `two` – three-four (5).')).toBe(4);
    const page = '# A\n\n- **A1** One two.\n- **B2** One two\n  three.\n\nOther words.\n- no promise\n';
    expect(promisesOf(page)).toEqual([
      { id: 'A1', line: 3, words: 2 },
      { id: 'B2', line: 4, words: 3 },
    ]);
    expect(median([9, 1, 5])).toBe(5);
  });

  it('[HS8] doc comments are counted by their first word; other comments are not', () => {
    const text =
      '/** Whether it is. */\nlet a;\n/** A whole. */\nlet b;\n/* How */ // What\n/**\n * Who asks. */\nlet c;\n';
    expect(docComments(parseSource('src/a.ts', text))).toEqual({
      all: 3,
      barred: [
        { line: 1, word: 'Whether' },
        { line: 6, word: 'Who' },
      ],
    });
  });

  it('[HS9] a folder is crowded with 21 files, by its own files alone', () => {
    const files = (folder: string, count: number) => Array.from({ length: count }, (_, at) => `${folder}/${at}.ts`);
    expect(crowdedFolders([...files('src/a', 20), ...files('src/a/b', 3)])).toEqual({
      over: [],
      largest: 20,
      beyond: 0,
    });
    expect(crowdedFolders([...files('src/a', 21), ...files('src', 25)])).toEqual({
      over: [
        { folder: 'src', files: 25 },
        { folder: 'src/a', files: 21 },
      ],
      largest: 25,
      beyond: 6,
    });
  });

  it('[HS10] the room of a file is its folder in src or apps, of the core, kernel and capabilities one deeper', () => {
    const rooms = {
      'src/index.ts': 'src',
      'src/engine/root/alarm.ts': 'engine',
      'src/core/agent/context/digest.ts': 'core/agent',
      'src/kernel/tree/node.ts': 'kernel/tree',
      'src/capabilities/copies/machine.ts': 'capabilities/copies',
      'src/capabilities/index.ts': 'capabilities',
      'src/doors/http/route.ts': 'doors',
      'apps/console/run/view.tsx': 'console',
      'src/console/run/view.tsx': 'console',
    };
    for (const [path, room] of Object.entries(rooms)) expect(roomOf(path), path).toBe(room);
  });

  it('[HS10] a commit touches source files that it changes, and none that it only moves', () => {
    const log = [
      '@a\n\nM\tsrc/core/agent/a.ts\nA\tsrc/engine/b.ts\nD\tsrc/verbs/c.ts\nR090\tsrc/x.ts\tsrc/store/x.ts',
      '@b\n\nR100\tsrc/y.ts\tsrc/store/y.ts\nM\tsrc/console/a.css\nM\tsrc/store/migrations.ts',
      '@c\n\nM\tsrc/core/agent/a.ts\nM\tsrc/core/agent/b.ts\nM\tsrc/core/tree/c.ts\nM\tsrc/verbs/d.ts',
      '@d\n\nM\tsrc/core/agent/a.ts\n',
    ].join('\n');
    const commits = touchedFiles(log);
    expect(commits.map((files) => files.length)).toEqual([4, 4, 1]);
    expect(commits[0]?.at(-1)).toBe('src/store/x.ts');
    expect(spread(commits)).toEqual({ commits: 3, wideShare: 0.5, filesEach: 3 });
    expect(spread([])).toEqual({ commits: 0, wideShare: 0, filesEach: 0 });
  });
});
