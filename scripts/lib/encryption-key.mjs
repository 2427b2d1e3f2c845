// The key under which a server of this machine keeps the values of variables.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'ENCRYPTION_KEY';

/**
 * The variables of a server, with a key: where neither they nor the files have one it is made once, and kept in the folder
 * of the state that it belongs to.
 * @param {Record<string, string>} vars
 * @param {{ envFiles: readonly string[], folder: string }} where
 * @returns {Record<string, string>}
 */
export function withEncryptionKey(vars, { envFiles, folder }) {
  const isSet = (/** @type {string} */ file) =>
    new RegExp(`^\\s*(export\\s+)?${NAME}\\s*=`, 'm').test(readFileSync(file, 'utf8'));
  if (NAME in vars || envFiles.some((file) => existsSync(file) && isSet(file))) return vars;
  const file = join(folder, 'encryption-key');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 });
  return { ...vars, [NAME]: readFileSync(file, 'utf8').trim() };
}
