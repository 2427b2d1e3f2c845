// A copy of the project in a temporary folder, in which bugs are planted one at a time. The folder of the person who
// runs this is read alone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UserError } from '../fail.mjs';
import { root } from '../paths.mjs';
import { plantedIn } from './bugs.mjs';

/** @typedef {import('./bugs.mjs').Bug} Bug */

/** What decides about the outcome of a test. */
const DECIDES = /^(?:src|test|migrations)\/|^(?:package-lock\.json|vitest\.config\.ts|tsconfig\.json)$/;

/** @returns {string[]} the files of the project: those of git that exist, and new ones that it does not ignore */
function projectFiles() {
  const list = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (list.status !== 0) throw new UserError(`\`git ls-files\` failed: ${list.stderr || list.error?.message}`);
  const paths = [...new Set(list.stdout.split('\0'))].filter((path) => path !== '');
  return paths.filter((path) => existsSync(join(root, path)) && lstatSync(join(root, path)).isFile()).sort();
}

/** A copy of the project. Remove it when it is done with. */
export class ProjectCopy {
  /** @type {readonly string[]} */
  files = projectFiles();
  folder = mkdtempSync(join(tmpdir(), 'offshoot-planted-'));
  /** Tells two states of the project apart, as far as its tests depend on it. */
  hash = '';

  constructor() {
    const hash = createHash('sha256');
    for (const path of this.files) {
      const to = join(this.folder, path);
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(root, path), to);
      if (DECIDES.test(path)) hash.update(`${path}\0`).update(readFileSync(to)).update('\0');
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
    this.hash = hash.digest('hex').slice(0, 16);
  }

  /** @param {string} path @returns {string} */
  read(path) {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /**
   * Gives files another text, or none: then they go.
   * @param {Iterable<readonly [string, string | undefined]>} texts by path
   * @returns {() => void} takes all of that back
   */
  rewrite(texts) {
    /** @type {Map<string, string>} */
    const before = new Map();
    for (const [path, text] of texts) {
      before.set(path, this.read(path));
      if (text === undefined) rmSync(join(this.folder, path));
      else writeFileSync(join(this.folder, path), text);
    }
    return () => {
      for (const [path, text] of before) writeFileSync(join(this.folder, path), text);
    };
  }

  /**
   * Plants bugs, of which no two are in the same place.
   * @param {readonly Bug[]} bugs
   * @returns {() => void} takes them out again
   */
  plant(bugs) {
    /** @type {Map<string, string>} */
    const texts = new Map();
    for (const bug of bugs) {
      const planted = plantedIn(texts.get(bug.file) ?? this.read(bug.file), bug);
      if ('problem' in planted) throw new UserError(planted.problem);
      texts.set(bug.file, planted.text);
    }
    return this.rewrite(texts);
  }

  /**
   * Changes one place of a file.
   * @param {{ file: string, start: number, end: number, replace: string }} edit
   * @returns {() => void} takes the change back
   */
  edit({ file, start, end, replace }) {
    const before = this.read(file);
    return this.rewrite([[file, before.slice(0, start) + replace + before.slice(end)]]);
  }

  /** Removes the folder, but not what its link leads to. */
  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
