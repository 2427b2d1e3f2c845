/** Files that go with a message to a facet, and with its end, over HTTP. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { address, post, send } from '../support/api';
import { asks, told } from '../support/puppet';
import { items } from './standing';

const MiB = 1_048_576;

const paths = async (at: string): Promise<string[]> => (await items(`${at}/files`)).map(({ path }) => String(path));

it('[CF1, CF5, CF6] big ones are there, whole and its own, on either side, also after everything left memory', async () => {
  const at = address('courier');
  const leaf = `${at}/sub/bearer/bo`;
  await post(`${at}/start`, { message: told({ text: 'ok' }), wait: true });
  const big = new Uint8Array(9 * MiB + 5).map((_, index) => index % 251);
  expect((await send(`${at}/files/in%2Fbig.bin`, { method: 'PUT', body: big })).status).toBe(201);
  const initialMessage = told(
    asks(['workspace_write_file', { path: 'out.md', content: 'from below' }]),
    asks(['__attach__', { files: ['out.md'] }]),
    { text: 'here' },
  );
  const spawn = { agent: 'bearer', name: 'bo', initialMessage, files: ['in/big.bin'] };
  const ran = await post(`${at}/start`, { message: told(asks(['companion__spawnAgent', spawn])), wait: true });
  expect(ran.body).toMatchObject({ status: 'completed' });
  expect(await items(`${at}/calls`)).toMatchObject([
    { result: { name: 'bo', status: 'completed', files: [{ path: expect.stringMatching(/^attachments\/out-/) }] } },
  ]);
  await abortAllDurableObjects();
  const [copy = '', own] = await paths(leaf);
  expect([copy, own]).toEqual([expect.stringMatching(/^attachments\/big-\w+\.bin$/), 'out.md']);
  const bytes = new Uint8Array(await (await send(`${leaf}/files/${encodeURIComponent(copy)}`)).arrayBuffer());
  expect(Buffer.compare(bytes, big)).toBe(0);
  const [brought = '', mine] = await paths(at);
  expect(mine).toBe('in/big.bin');
  expect(await (await send(`${at}/files/${encodeURIComponent(brought)}`)).text()).toBe('from below');
  // Either side goes its own way.
  expect((await send(`${at}/files/${encodeURIComponent('in/big.bin')}`, { method: 'DELETE' })).ok).toBe(true);
  expect(await paths(leaf)).toEqual([copy, own]);
});
