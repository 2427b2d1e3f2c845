// Where wrangler keeps settings of its own, such as a login: in the user's home, or beside the state of a server whose
// user has none that can be written.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The environment in which wrangler finds a folder for its settings that it can write.
 * @param {string} folder where they are kept if the home cannot be written
 * @param {Record<string, string | undefined>} [env]
 * @returns {Record<string, string>} nothing where the user's own place will do
 */
export function settingsEnv(folder, env = process.env) {
  return settingsPlaces(env).some(canWriteBelow) ? {} : { XDG_CONFIG_HOME: folder };
}

/** @param {Record<string, string | undefined>} env */
function settingsPlaces({ XDG_CONFIG_HOME, APPDATA }) {
  const old = join(homedir(), '.wrangler');
  if (existsSync(old)) return [old];
  if (XDG_CONFIG_HOME) return [XDG_CONFIG_HOME];
  if (process.platform === 'win32') return [APPDATA || join(homedir(), 'AppData', 'Roaming')];
  return [process.platform === 'darwin' ? join(homedir(), 'Library', 'Preferences') : join(homedir(), '.config')];
}

/**
 * Whether a folder can be written, or made, with all that is missing on the way to it.
 * @param {string} folder
 * @returns {boolean}
 */
function canWriteBelow(folder) {
  try {
    if (!existsSync(folder)) return dirname(folder) !== folder && canWriteBelow(dirname(folder));
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
