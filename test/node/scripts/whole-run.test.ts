/** What a whole run of `npm test` has: each project, the bundles of its Workers, and its longest files first. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodePath, root } from '../../../scripts/lib/paths.mjs';
import { readSources } from '../../../scripts/lib/source.mjs';
import { placeOf } from '../../../scripts/lib/tests/folder.mjs';
import { SHARED } from '../../../scripts/lib/tests/kept-bundle.mjs';
import { LONG, longFirst } from '../../../scripts/lib/tests/longest-first.mjs';
import { PROJECTS as NAMED, unrun } from '../../../scripts/lib/tests/projects.mjs';
import config from '../../../vitest.config';
import { present } from '../../support/present';

/** The names of all projects. */
const PROJECTS = present(config.test?.projects).map((project) => String(Reflect.get(Object(project), 'test').name));

describe('a whole run of `npm test`', () => {
  it('[HS18] fails where it has left out a project', () => {
    expect([...NAMED].sort()).toEqual([...PROJECTS].sort());
    const times = PROJECTS.map((project) => ({ project, file: 'a', from: 0, to: 1, work: 1, tests: 1 }));
    expect(unrun(times)).toEqual([]);
    for (const left of PROJECTS) expect(unrun(times.filter(({ project }) => project !== left))).toEqual([left]);
  });
});

describe('the Workers that a run bundles before its tests', () => {
  it('[HS20] have configurations that are there, each once, and that some test file serves', () => {
    const files = readSources(['test/e2e', 'test/browser']);
    const served = (config: string) => {
      const folder = config.split('/').at(-2);
      return files.some(
        ({ text }) => /\bserve(?:Together)?\(/u.test(text) && (folder === undefined || text.includes(`'${folder}', `)),
      );
    };
    expect(SHARED.filter((config) => !existsSync(join(root, config)))).toEqual([]);
    expect(SHARED.filter((config) => !served(config))).toEqual([]);
    expect(new Set(SHARED).size).toBe(SHARED.length);
  });
});

describe('the order of test files', () => {
  it('[HS19] has the long ones first within their project, and leaves the others as they were', () => {
    const [longest = '', next = ''] = LONG;
    const files = [
      { project: 'one', file: 'b' },
      { project: 'one', file: next },
      { project: 'one', file: 'a' },
      { project: 'one', file: longest },
      { project: 'two', file: 'c' },
      { project: 'two', file: present(LONG.at(-1)) },
    ];
    expect(longFirst(files, (file) => file).map(({ project, file }) => [project, file])).toEqual([
      ...[longest, next, 'b', 'a'].map((file) => ['one', file]),
      ...[LONG.at(-1), 'c'].map((file) => ['two', file]),
    ]);
  });

  it('[HS19] names files that are there, each once', () => {
    expect(LONG.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(new Set(LONG).size).toBe(LONG.length);
  });
});

describe('the folder of a run', () => {
  const GIB = 1024 ** 3;

  it('[HS28] lies in memory where that has room for 4 GiB, and with other temporary files else', () => {
    for (const room of [4 * GIB, 40 * GIB]) expect(placeOf(() => room)).toBe('/dev/shm');
    for (const room of [undefined, 0, 4 * GIB - 1]) expect(placeOf(() => room)).toBe(tmpdir());
  });

  it('[HS28] is gone with all that it holds when its process ends', () => {
    const program = `
      import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
      import { runFolder } from ${JSON.stringify(join(root, 'scripts/lib/tests/folder.mjs'))};
      const folder = runFolder();
      mkdirSync(folder + '/a');
      writeFileSync(folder + '/a/b', 'c');
      console.log(folder, existsSync(folder + '/a/b'));`;
    const output = execFileSync(nodePath(), ['--input-type=module', '-e', program], { encoding: 'utf8' });
    const [folder = '', wasThere] = output.trim().split(' ');
    expect([dirname(folder), wasThere, existsSync(folder)]).toEqual([placeOf(), 'true', false]);
  });
});
