// Rooms and source files that commits touch, from the history.
import { spawnSync } from 'node:child_process';
import { root } from '../paths.mjs';
import { GENERATED } from '../source.mjs';

/** How many of the newest commits that touch source are counted. */
const WINDOW = 200;
/** A commit with so many source files is one whose rooms are counted, and so many rooms are many. */
const MANY = 4;

/** Folders of src that are not rooms themselves: each folder in them is one. */
const SPLIT = new Set(['core', 'kernel', 'capabilities']);

/**
 * The room of a source file: the first folder below `src`, or below `apps`; in `core`, `kernel` and `capabilities` the
 * second one too. Files right below `src` are one room.
 * @param {string} path
 */
export function roomOf(path) {
  const [first = 'src', second] = path.split('/').slice(1, -1);
  return SPLIT.has(first) && second !== undefined ? `${first}/${second}` : first;
}

/**
 * The source files of each commit of a log. A file that was moved as it was is not touched: moves are commits of their own.
 * @param {string} log of `git log --name-status -M --format=@%h`
 * @returns {string[][]} without commits that touch none
 */
export function touchedFiles(log) {
  const commits = log.split(/^@.*\n?/m).map((commit) =>
    commit.split('\n').flatMap((line) => {
      const [status = '', ...paths] = line.split('\t');
      const path = paths.at(-1) ?? '';
      return status === 'R100' || !/\.tsx?$/.test(path) || GENERATED.has(path) ? [] : [path];
    }),
  );
  return commits.filter((files) => files.length > 0);
}

/** @param {string[][]} commits the source files of each */
export function spread(commits) {
  const large = commits.filter((files) => files.length >= MANY);
  const wide = large.filter((files) => new Set(files.map(roomOf)).size >= MANY);
  const files = commits.reduce((sum, each) => sum + each.length, 0);
  return {
    commits: commits.length,
    wideShare: large.length === 0 ? 0 : wide.length / large.length,
    filesEach: commits.length === 0 ? 0 : files / commits.length,
  };
}

/** @param {string[]} args */
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });

/** @returns {ReturnType<typeof spread> | string} the reason where there is no history to count */
export function readHistory() {
  const shallow = git('rev-parse', '--is-shallow-repository');
  if (shallow.status !== 0) return 'no git history here';
  if (shallow.stdout.trim() === 'true') return 'the checkout is shallow';
  const options = [`-${WINDOW}`, '--no-merges', '--name-status', '-M', '--format=@%h'];
  const { status, stdout } = git('-c', 'core.quotepath=off', 'log', ...options, '--', 'src', 'apps');
  return status === 0 ? spread(touchedFiles(stdout)) : 'git log failed';
}
