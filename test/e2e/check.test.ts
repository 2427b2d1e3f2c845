/** The command of an app, from the built package, in the folder of the README's program. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtApp } from '../../scripts/lib/app.mjs';
import { nodePath, root, toolEnv } from '../../scripts/lib/paths.mjs';
import { runNode } from '../../scripts/lib/processes.mjs';
import { QUIET_ENV } from '../../scripts/lib/quiet.mjs';
import { present } from '../support/present';

let app: Awaited<ReturnType<typeof builtApp>>;
let host: ChildProcess | undefined;
beforeAll(async () => {
  app = await builtApp();
  host = spawn(nodePath(), ['--', join(root, 'scripts/lib/tests/bin-host.mjs'), bin()], {
    cwd: app.folder,
    env: { ...toolEnv(), ...QUIET_ENV },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
});
afterAll(() => {
  host?.kill();
  app?.remove();
});

const bin = (): string => join(app.folder, 'node_modules/offshoot/dist/bin.js');

/** The command, in a process of its own. */
const alone = (...args: string[]) => runNode([bin(), ...args], { cwd: app.folder, env: QUIET_ENV });

/** The command, in a process that has run it before. */
async function offshoot(...args: string[]): Promise<{ code: number; output: string }> {
  const process = present(host);
  const [answer] = await Promise.all([once(process, 'message'), process.send(args)]);
  return answer[0];
}

/** The answer of the check after a change of a file, which is taken back. */
async function changed(file: string, change: (text: string) => string) {
  const path = join(app.folder, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  try {
    writeFileSync(path, after);
    return await offshoot('check');
  } finally {
    writeFileSync(path, before);
  }
}

it('[OC7, BU14] finds nothing in the first app, and all that is missing in others', async () => {
  expect(await alone('check')).toMatchObject({
    code: 0,
    output: expect.stringContaining('✓ Everything is in place.'),
  });
  const limited = await changed('src/index.ts', (text) =>
    text.replace("name: 'timekeeper',", "name: 'timekeeper', limits: { maxCostUsd: 1 },"),
  );
  expect(limited).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^! `limits\.maxCostUsd` of the agent "timekeeper" .*`price`/m),
  });
  const bare = await changed('src/index.ts', (text) => text.replace(/^export \{.*\n/m, ''));
  expect(bare.code).toBe(1);
  expect(bare.output.split('\n').filter((line) => line.startsWith('✗'))).toEqual([
    expect.stringContaining('names the class OffshootAgent, but the Worker does not export it'),
    expect.stringContaining('names the class OffshootDirectory, but the Worker does not export it'),
  ]);
  const early = await changed('wrangler.jsonc', (text) => text.replace('2026-11-01', '2025-01-01'));
  expect(early).toMatchObject({ code: 1, output: expect.stringContaining('The compatibility date is 2025-01-01.') });
  const broken = await changed('src/index.ts', (text) => `${text}\nconst = 1;\n`);
  expect(broken).toMatchObject({ code: 1, output: expect.stringContaining('The Worker does not start') });
  const twice = await changed('src/index.ts', (text) =>
    text.replace('serve([timekeeper])', 'serve([timekeeper, timekeeper])'),
  );
  expect(twice).toMatchObject({ code: 1, output: expect.stringContaining('is listed twice') });
});

it('[OC18] looks at the versions alone, where the rest is wrong, and says nothing of what fits', async () => {
  expect(await alone('check', '--versions')).toEqual(expect.objectContaining({ code: 0, output: '' }));
});

it('[OC7] says what it can do', async () => {
  expect(await offshoot()).toMatchObject({ code: 0, output: expect.stringContaining('offshoot check') });
  for (const wrong of [['chek'], ['check', '--base-path'], ['check', '--base', '/ai'], ['check', 'now']])
    expect([wrong, (await offshoot(...wrong)).code]).toEqual([wrong, 2]);
  expect((await alone('chek')).code).toBe(2);
  expect(await offshoot('ask', '--help')).toMatchObject({
    code: 0,
    output: expect.stringContaining('npx offshoot ask --watch'),
  });
});
