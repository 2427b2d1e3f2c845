/** The seconds that `npm test` prints, and the hooks that its shared modules must not have. */
import { describe, expect, it } from 'vitest';
import { parseSource } from '../../../scripts/lib/source.mjs';
import { hooksOfModule } from '../../../scripts/lib/structure.mjs';
import { projectTimes, secondsReport } from '../../../scripts/lib/tests/seconds.mjs';

const time = (project: string, file: string, from: number, to: number, work = to - from) => ({
  project,
  file,
  from,
  to,
  work,
  tests: 2,
});

describe('the seconds of a test run', () => {
  it('[HS11] are those on the clock and those of all files, for each project in the order of its start', () => {
    const times = [time('late', 'c', 9_000, 10_000), time('core', 'b', 500, 4_000), time('core', 'a', 0, 3_000, 2_500)];
    expect(projectTimes(times)).toEqual([
      { project: 'core', files: 2, tests: 4, clock: 4_000, work: 6_000 },
      { project: 'late', files: 1, tests: 2, clock: 1_000, work: 1_000 },
    ]);
  });

  it('[HS11] are followed by the 15 slowest files, the slowest first', () => {
    const times = Array.from({ length: 40 }, (_, at) => time('core', `file-${at}`, 0, (at + 1) * 1_000));
    const lines = secondsReport(times);
    const slowest = lines.slice(lines.indexOf('The slowest files') + 1);
    expect(slowest).toHaveLength(15);
    expect(slowest[0]).toBe('   40.0  core file-39');
    expect(slowest.at(-1)).toBe('   26.0  core file-25');
    expect(lines).toContain('   40.0   820.0  core (40 files, 80 tests)');
  });

  it('[HS11] are none where nothing ran', () => {
    expect(secondsReport([])).toEqual([]);
  });
});

describe('hooks of shared modules', () => {
  it('[HS12] are those outside of functions, each with its line', () => {
    const text =
      "import { afterEach, it } from 'vitest';\nafterEach(() => undefined);\nit('x', () => {});\nbeforeAll(x);\n";
    expect(hooksOfModule(parseSource('test/support/x.ts', text))).toEqual([2, 4]);
  });

  it('[HS12] within a function that a test file calls are its own', () => {
    const text = 'export function closes() {\n  afterAll(() => undefined);\n}\nconst x = () => afterEach(y);\n';
    expect(hooksOfModule(parseSource('test/support/x.ts', text))).toEqual([]);
  });
});
