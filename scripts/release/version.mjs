// npm run next-version: turns the files of .changeset into an entry of CHANGELOG.md and the next version, by changesets, and
// writes that version into create-offshoot and its template.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, UserError } from '../lib/fail.mjs';
import { npmEnv, root } from '../lib/paths.mjs';

const CHANGESETS = '@changesets/cli@3.0.3';

await run(async () => {
  const { status } = spawnSync('npm', ['exec', '--yes', `--package=${CHANGESETS}`, '--', 'changeset', 'version'], {
    cwd: root,
    env: npmEnv(),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new UserError('changesets could not write the version.');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  /** @param {string} path @param {RegExp} line @param {string} text */
  const write = (path, line, text) => {
    const file = join(root, 'packages', 'create-offshoot', path);
    writeFileSync(file, readFileSync(file, 'utf8').replace(line, text));
  };
  write('package.json', /"version": ".*"/, `"version": "${version}"`);
  write('template/package.json', /"offshoot": ".*"/, `"offshoot": "^${version}"`);
  return 0;
});
