/** The command that starts the server of an app, for hints. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The app's own script, where it has one. */
export function startCommand(folder: string): string {
  const scripts = scriptsIn(join(folder, 'package.json'));
  if (scripts.dev !== undefined) return 'npm run dev';
  return scripts.start === undefined ? 'npx offshoot dev' : 'npm start';
}

function scriptsIn(file: string): { readonly dev?: unknown; readonly start?: unknown } {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).scripts ?? {};
  } catch {
    return {};
  }
}
