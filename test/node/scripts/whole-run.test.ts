/** What a whole run of `npm test` has: each project, the bundles of its Workers, and its longest files first. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { readSources } from '../../../scripts/lib/source.mjs';
import { SHARED } from '../../../scripts/lib/tests/kept-bundle.mjs';
import { LONG, longFirst } from '../../../scripts/lib/tests/longest-first.mjs';
import { PROJECTS as NAMED, unrun } from '../../../scripts/lib/tests/projects.mjs';
import { temporaryPlace } from '../../../scripts/lib/tests/temporary.mjs';
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

  it('[HS19] has two files that wait for alarms at a time, beside two in a browser', () => {
    const files = [
      ...['a', 'b', 'c'].map((file) => ({ project: 'browser', file })),
      ...['d', 'e', 'f', 'g'].map((file) => ({ project: 'alone', file })),
      ...['h', 'i'].map((file) => ({ project: 'e2e', file })),
    ];
    const ordered = (some: typeof files) => longFirst(some, (file) => file).map(({ file }) => file);
    const order = ordered(files).join('');
    expect(order).toContain('deabfgc');
    expect([order.length, order.includes('hi')]).toEqual([9, true]);
    for (const left of ['browser', 'alone'])
      expect(ordered(files.filter(({ project }) => project !== left)).toSorted()).toEqual(
        files.flatMap(({ project, file }) => (project === left ? [] : [file])).toSorted(),
      );
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
      // Nobody writes there.
      ...(process.platform === 'linux' ? [chosen({ place: '/proc' })] : [tmpdir()]),
      chosen({ named: '/named' }),
    ]).toEqual([place, tmpdir(), tmpdir(), tmpdir(), '/named']);
    expect(readdirSync(place)).toEqual([]);
    rmSync(place, { recursive: true });
  });
});
