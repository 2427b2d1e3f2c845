// What of this machine's settings a server of this project takes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * The settings that are meant for the Worker: of the environment what starts with OFFSHOOT_, ENCRYPTION_KEY and the keys
 * of model providers, and the files .env and .dev.vars where they are.
 * @param {Record<string, string | undefined>} [env]
 * @returns {{ vars: Record<string, string>, envFiles: string[] }} options for `serve()`
 */
export function workerSettings(env = process.env) {
  const provider = env.OFFSHOOT_MODEL?.split('/')[0]
    ?.toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_');
  const keys = new Set(['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', `${provider}_API_KEY`]);
  /** @type {Record<string, string>} */
  const vars = {};
  for (const [name, value] of Object.entries(env)) {
    const taken = name.startsWith('OFFSHOOT_') || name === 'ENCRYPTION_KEY' || keys.has(name);
    if (value !== undefined && taken) vars[name] = value;
  }
  return { vars, envFiles: ['.env', '.dev.vars'].map((name) => join(root, name)).filter(existsSync) };
}
