/** Which runs of vitest `npm test` has, what it makes of their reports, and in which order their files begin. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { readSources } from '../../../scripts/lib/source.mjs';
import { SHARED } from '../../../scripts/lib/tests/kept-bundle.mjs';
import { LONG, longFirst } from '../../../scripts/lib/tests/longest-first.mjs';
import { PROJECTS as NAMED, roundsOf, summed, unrun } from '../../../scripts/lib/tests/rounds.mjs';
import config from '../../../vitest.config';
import { present } from '../../support/present';

/** The names of all projects. */
const PROJECTS = present(config.test?.projects).map((project) => String(Reflect.get(Object(project), 'test').name));

/** The projects that a run with these arguments has, as vitest chooses them. */
function chosen(args: readonly string[]): string[] {
  const names = args.filter((arg) => arg !== '--project');
  const isOut = (name: string) => names.includes(`!${name}`);
  const asked = names.filter((name) => !name.startsWith('!'));
  return PROJECTS.filter((name) => !isOut(name) && (asked.length === 0 || asked.includes(name)));
}

describe('the runs of `npm test`', () => {
  it('[HS18] have each project once: what waits beside what computes, and what is measured alone, at the end', () => {
    const rounds = roundsOf([]).map((round) => round.map(chosen));
    expect(rounds.flat(2).sort()).toEqual([...PROJECTS].sort());
    expect(rounds.map((round) => round.length)).toEqual([2, 1]);
    const [[computes, waits], [measured]] = rounds as [[string[], string[]], [string[]]];
    expect(computes).toContain('core');
    expect(waits).toEqual(expect.arrayContaining(['e2e', 'browser']));
    expect(measured).toEqual(['measured']);
  });

  it('[HS18] fail where one of them has left out a project', () => {
    expect([...NAMED].sort()).toEqual([...PROJECTS].sort());
    const times = PROJECTS.map((project) => ({ project, file: 'a', from: 0, to: 1, work: 1, tests: 1 }));
    expect(unrun(times)).toEqual([]);
    for (const left of PROJECTS) expect(unrun(times.filter(({ project }) => project !== left))).toEqual([left]);
  });

  it('[HS18] are one, with the arguments of whoever gives some', () => {
    expect(roundsOf(['--project', 'e2e', 'x'])).toEqual([[['--project', 'e2e', 'x']]]);
  });

  it('[HS18] are reported as one', () => {
    const time = { project: 'core', file: 'a', from: 0, to: 1, work: 1, tests: 1 };
    const one = {
      passed: 2,
      failed: 1,
      skipped: [{ name: 's', reason: 'r' }],
      broken: ['b'],
      figures: ['f'],
      times: [time],
    };
    const other = { passed: 3, failed: 2, skipped: [], broken: ['c'], figures: ['g'], times: [time] };
    expect(summed([one, other])).toEqual({
      ...{ passed: 5, failed: 3, skipped: [{ name: 's', reason: 'r' }] },
      ...{ broken: ['b', 'c'], figures: ['f', 'g'], times: [time, time] },
    });
  });
});

describe('the Workers that a run bundles before its tests', () => {
  it('[HS20] have configurations that are there, each once, and that some test file serves', () => {
    const files = readSources(['test/e2e', 'test/browser']);
    const served = (config: string) => {
      const folder = config.split('/').at(-2);
      return files.some(
        ({ text }) => text.includes('serve(') && (folder === undefined || text.includes(`'${folder}', `)),
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
