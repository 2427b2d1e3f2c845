// node scripts/checks/dry-run.mjs: `wrangler deploy --dry-run` in a copy of the repository where nothing was built before, as
// after `git clone` and `npm ci`. The packages are those that are installed here.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dryRun } from '../lib/app.mjs';
import { run } from '../lib/fail.mjs';
import { root } from '../lib/paths.mjs';

await run(async () => {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-clone-'));
  try {
    // A file that was deleted is listed until that is committed.
    const files = listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
    for (const path of files) cpSync(join(root, path), join(folder, path));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const { code, output } = await dryRun(folder);
    if (code !== 0) console.log(output);
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
