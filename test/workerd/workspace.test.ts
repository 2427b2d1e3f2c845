/** The tools of a workspace over the storage of a Durable Object. */
import { describe, expect, it } from 'vitest';
import { workspaceContract } from '../contract/workspace';
import { address, get, post, send } from '../support/api';
import { asks, calls, told } from '../support/puppet';
import { withObjectStorage } from './storage';

workspaceContract('a Durable Object', withObjectStorage);

const MiB = 1_048_576;

/** The results of an agent's calls of one tool. */
async function resultsOf(at: string, tool: string): Promise<unknown[]> {
  const items: unknown = (await get(`${at}/calls`)).body.items;
  return Array.isArray(items) ? items.filter(({ toolName }) => toolName === tool).map(({ result }) => result) : [];
}

describe('a workspace that is inherited over two levels', () => {
  it('[WS10, WS16] F116, L38: lets an agent two levels below read, edit and stream a big file of the root, which people uploaded', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'ok' }), wait: true });
    const around = new Uint8Array(4 * MiB).fill(120);
    const big = await new Blob([around, 'needle', around]).arrayBuffer();
    const put = await send(`${at}/files/big.txt`, {
      method: 'PUT',
      body: big,
      headers: { 'content-type': 'text/plain' },
    });
    expect(put.status).toBe(201);
    const leaf = [
      asks(
        ['workspace_search_files', { text: 'needle' }],
        ['workspace_read_file', { path: 'big.txt', offset: 4 * MiB, length: 6 }],
        ['workspace_write_file', { path: 'notes/leaf.md', content: 'from below' }],
      ),
      asks(['workspace_edit_file', { path: 'big.txt', oldText: 'needle', newText: 'N' }]),
      asks(['inspect', { path: 'big.txt', offset: 4 * MiB - 1, length: 3 }]),
      { text: 'done' },
    ];
    const middle = [calls('heir', leaf), { text: 'm' }];
    const message = told(calls('heir', middle), asks(['workspace_read_file', { path: 'notes/leaf.md' }]), {
      text: 'ok',
    });
    expect((await post(`${at}/start`, { message, wait: true })).body).toMatchObject({ status: 'completed' });
    const below = `${at}/sub/middle/1~1/sub/leaf/1~1`;
    expect(await resultsOf(below, 'workspace_search_files')).toMatchObject([
      { matches: [{ path: 'big.txt', line: 1, offset: 4 * MiB }] },
    ]);
    expect(await resultsOf(below, 'workspace_read_file')).toMatchObject([{ text: 'needle' }]);
    expect(await resultsOf(below, 'workspace_edit_file')).toMatchObject([{ size: 8 * MiB + 1 }]);
    expect(await resultsOf(below, 'inspect')).toMatchObject([
      { size: 8 * MiB + 1, bytes: 8 * MiB + 1, part: [120, 78, 120], sum: 8 * MiB * 120 + 78 },
    ]);
    expect(await resultsOf(at, 'workspace_read_file')).toMatchObject([{ text: 'from below' }]);
    expect((await get(`${below}/files`)).body.items).toEqual([]);
    expect((await get(`${at}/files`)).body.items).toMatchObject([{ path: 'big.txt' }, { path: 'notes/leaf.md' }]);
  });
});
