/** What a whole run of `npm test` has: each project, the bundles of its Workers, and its longest files first. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodePath, root } from '../../../scripts/lib/paths.mjs';
import { readSources } from '../../../scripts/lib/source.mjs';
import { SHARED } from '../../../scripts/lib/tests/kept-bundle.mjs';
import { LONG, longFirst } from '../../../scripts/lib/tests/longest-first.mjs';
import { PROJECTS as NAMED, unrun } from '../../../scripts/lib/tests/projects.mjs';
import { removeFolder, runFolder, temporaryPlace } from '../../../scripts/lib/tests/temporary.mjs';
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
      { project: 'workerd', file: 'c' },
      { project: 'workerd', file: present(LONG.at(-1)) },
      { project: 'core', file: 'b' },
      { project: 'core', file: next },
      { project: 'core', file: 'a' },
      { project: 'core', file: longest },
    ];
    expect(longFirst(files, (file) => file).map(({ project, file }) => [project, file])).toEqual([
      ...[longest, next, 'b', 'a'].map((file) => ['core', file]),
      ...[LONG.at(-1), 'c'].map((file) => ['workerd', file]),
    ]);
  });

  it('[HS30] begins those in a browser with one that waits, has the next behind so many pages as there are workers, and each file once', () => {
    for (const [browsers, waiting, order] of [
      [5, 4, ['w1', 'b1', 'b2', 'b3', 'w2', 'b4', 'b5', 'w3', 'w4']],
      [2, 3, ['w1', 'b1', 'b2', 'w2', 'w3']],
      [0, 1, ['w1']],
      [4, 0, ['b1', 'b2', 'b3', 'b4']],
    ] as const) {
      const some = (project: string, letter: string, count: number) =>
        Array.from({ length: count }, (_, index) => ({ project, file: `${letter}${index + 1}` }));
      const others = PROJECTS.filter((project) => !['alone', 'browser'].includes(project));
      const rest = others.map((project) => ({ project, file: `of ${project}` }));
      const all = longFirst(
        [...rest, ...some('alone', 'w', waiting), ...some('browser', 'b', browsers)],
        (file) => file,
        3,
      );
      const [before, behind] = [all.slice(0, 2), all.slice(2 + order.length)].map((each) =>
        each.map(({ file }) => file),
      );
      expect(all.slice(2, 2 + order.length).map(({ file }) => file)).toEqual(order);
      expect([before, behind]).toEqual([
        ['of core', 'of workerd'],
        ['of e2e', 'of measured'],
      ]);
    }
  });

  it('[HS19] names files that are there, each once', () => {
    expect(LONG.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(new Set(LONG).size).toBe(LONG.length);
  });
});

describe('the temporary files of a run', () => {
  it('[HS28] are in memory where there is room for them, else where the system has them, and where a variable says', () => {
    const place = mkdtempSync(join(tmpdir(), 'offshoot-memory-'));
    const chosen = (options: { named?: string; place?: string; room?: number }) =>
      temporaryPlace({ named: '', place, room: 1, ...options });
    expect([
      chosen({}),
      chosen({ room: Number.MAX_SAFE_INTEGER }),
      chosen({ place: join(place, 'none') }),
      // It has no room, and nobody writes there.
      ...(process.platform === 'linux' ? [chosen({ place: '/proc', room: 0 })] : [tmpdir()]),
      chosen({ named: '/named' }),
    ]).toEqual([place, tmpdir(), tmpdir(), tmpdir(), '/named']);
    expect(readdirSync(place)).toEqual([]);
    rmSync(place, { recursive: true });
  });

  it('[HS29] lie in a folder of the run, which takes the place of those whose process is gone', () => {
    const place = mkdtempSync(join(tmpdir(), 'offshoot-memory-'));
    const { pid: gone } = spawnSync(nodePath(), ['-e', '']);
    const kept = [`offshoot-test-${process.ppid}-a`, 'offshoot-test-a', `another-${gone}-a`];
    for (const name of [...kept, `offshoot-test-${gone}-a`]) mkdirSync(join(place, name, 'b'), { recursive: true });
    const folder = runFolder(place);
    expect(readdirSync(place).toSorted()).toEqual([...kept, basename(folder)].toSorted());
    expect(basename(folder)).toMatch(new RegExp(`^offshoot-test-${process.pid}-.`));
    writeFileSync(join(folder, 'c'), '');
    removeFolder(folder);
    removeFolder(folder);
    expect(readdirSync(place).toSorted()).toEqual(kept.toSorted());
    rmSync(place, { recursive: true });
  });
});
