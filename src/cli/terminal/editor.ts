/** The person's own editor, on a file that only they can read. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../io';

/**
 * Opens a text in `$VISUAL`, `$EDITOR` or `vi` and gives it as it was saved; the file is removed.
 * @throws an Error that says what is wrong when the editor does not start or does not end well
 */
export async function editText(text: string, env: Environment): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'offshoot-'));
  try {
    const file = join(folder, 'arguments.json');
    await writeFile(file, text, { mode: 0o600 });
    await opened(env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi'), file);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An editor's variable is a command line, as in `code --wait`: a shell takes it apart. The file's name is data. */
function opened(editor: string, file: string): Promise<void> {
  const [command, args] =
    process.platform === 'win32' ? [`${editor} "${file}"`, []] : ['/bin/sh', ['-c', `${editor} "$1"`, 'sh', file]];
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
    const failed = (how: string) =>
      new Error(`The editor \`${editor}\` ${how}. Set VISUAL or EDITOR to choose another one.`);
    child.on('error', () => reject(failed('does not start')));
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(failed(code === 127 ? 'was not found' : `ended with code ${code ?? 'unknown'}`));
    });
  });
}
