// Loads the tables of the source that reference pages are made from.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../paths.mjs';

/**
 * @typedef {object} Tables
 * @property {Record<string, number>} DEFAULT_LIMITS
 * @property {Record<string, number>} DATA_LIMITS
 * @property {Record<string, number>} PAGE_LIMITS
 * @property {number} IDEMPOTENCY_MS
 * @property {Record<string, number>} WIRE_LIMITS
 * @property {Record<string, { category: string, status: number, retryable?: true }>} ERROR_CODES
 * @property {Record<string, { means: string, then: string }>} ERROR_HELP
 * @property {Record<string, { fields: Record<string, { schema: { def: { type: string, innerType?: unknown, entries?: object, values?: unknown[] } }, size: string }> }>} CHUNKS
 * @property {(version: string, base: string, threads: string) => { paths: Record<string, Record<string, Operation>> }} openApiDocument
 *
 * @typedef {object} Operation
 * @property {string} summary
 * @property {string} [x-offshoot-action]
 * @property {string} [x-offshoot-verb]
 * @property {{ name: string, in: string }[]} [parameters]
 * @property {{ content: Record<string, { schema: { properties?: Record<string, unknown>, required?: string[], anyOf?: { properties?: Record<string, unknown> }[], oneOf?: { properties?: Record<string, unknown> }[] } }> }} [requestBody]
 * @property {Record<string, { description: string }>} responses
 */

const ENTRY = `
export { DEFAULT_LIMITS } from './src/core/definition/limits';
export { DATA_LIMITS, IDEMPOTENCY_MS, PAGE_LIMITS } from './src/protocol/data-limits';
export { WIRE_LIMITS } from './src/protocol/wire/wire-limits';
export { ERROR_CODES } from './src/protocol/errors';
export { ERROR_HELP } from './src/protocol/help/error-help';
export { CHUNKS } from './src/protocol/chunks';
export { openApiDocument } from './src/gateway/openapi';
`;

/** @returns {Promise<Tables>} the tables, from a bundle in memory */
export async function loadTables() {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    external: ['cloudflare:*'],
  });
  const text = outputFiles[0]?.text ?? '';
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
}

/** The version of the package. @returns {string} */
export const version = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
