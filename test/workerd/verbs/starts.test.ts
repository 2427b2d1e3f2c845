/** What starts lead to, over HTTP: the same cases as in a test runtime. */
import { Buffer } from 'node:buffer';
import { expect, it, vi } from 'vitest';
import { address, get, post } from '../../support/api';
import { START_CASES, type StartedRoot, tryStarts } from '../../support/starts';
import { items } from '../standing';

function over(at: string): StartedRoot {
  return {
    async start({ files, ...body }, key) {
      const encoded = files?.map(({ content, ...file }) => ({
        ...file,
        base64: Buffer.from(content).toString('base64'),
      }));
      const all = { ...body, ...(encoded ? { files: encoded } : {}) };
      return (await post(`${at}/start`, all, key === undefined ? {} : { 'idempotency-key': key })).body;
    },
    rested: () =>
      vi.waitFor(async () => {
        const runs = await items(`${at}/runs`);
        expect(runs.filter(({ status }) => status === 'running')).toEqual([]);
        return (await get(`${at}/status`)).body;
      }),
    state: async () => (await get(`${at}/state`)).body.state ?? null,
    files: () => items(`${at}/files`),
    said: async () =>
      (await items(`${at}/messages`)).flatMap(({ role, content }) => (role === 'user' ? [content ?? null] : [])),
  };
}

it.each(START_CASES.map((one) => [one.title, one] as const))('[TT7] over HTTP: %s', async (_title, one) => {
  const at = address(one.agent);
  await tryStarts(one, over(at), at);
});
