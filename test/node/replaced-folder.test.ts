/** A folder that several processes put in its place. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { replaceFolder } from '../../scripts/lib/console.mjs';

it('[HS25] is there whole, whatever another process does between two steps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-replaced-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const made = (name: string) => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'page'), name);
    return join(folder, name);
  };
  const to = join(folder, 'pages');
  const page = () => readFileSync(join(to, 'page'), 'utf8');
  replaceFolder(made('first'), to, folder);
  expect(page()).toBe('first');
  // Another one takes the old folder away, and then puts its own there.
  const others = [() => renameSync(to, join(folder, 'taken')), () => renameSync(made('other'), to)];
  const aside = made('aside');
  replaceFolder(made('second'), to, aside, (from, into) => {
    others.shift()?.();
    renameSync(from, into);
  });
  expect([page(), readFileSync(join(aside, 'before-1', 'page'), 'utf8'), existsSync(join(folder, 'second'))]).toEqual([
    ...['second', 'other', false],
  ]);
  expect(() => replaceFolder(join(folder, 'none'), to, folder)).toThrow('ENOENT');
});
