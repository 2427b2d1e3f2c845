import { env } from 'cloudflare:workers';
import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { address, get, post, del, send } from '../../support/api';
import { told, calls } from '../../support/puppet';

const ns = (env as any).TOP as DurableObjectNamespace;

describe('nothing', () => {
  it('[A1] leaves nothing', async () => {
    const at = address();
    const name = at.split('/')[3]!;
    const id = ns.idFromName(name);
    console.log('before', (await listDurableObjectIds(ns)).length);
    for (const path of ['status', 'tree', 'stream', 'messages', 'files', 'files/a', 'sub/leaf/1~1/status']) {
      const r = await get(`${at}/${path}`);
      expect(r.status).toBe(404);
    }
    console.log('after', (await listDurableObjectIds(ns)).map(String), String(id));
    await vi.waitFor(async () => { const l = await listDurableObjectIds(ns); if (l.some((x) => x.equals(id))) throw new Error('there'); }, { timeout: 3000 }).catch((e) => console.log(String(e)));
    const r = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 3 ? get(`${at}/status`) : post(`${at}/start`, { message: told({ text: 'x' + i }) }))));
    console.log(r.map((x) => x.status).join(' '));
    const s = await get(`${at}/status`);
    console.log(JSON.stringify(s.body).slice(0, 400));
    console.log('del', (await del(at)).status);
    console.log((await get(`${at}/status`)).status);
    console.log((await get(`${at}/status`)).status, (await post(`${at}/start`, { message: told({ text: 'again' }), wait: true })).body);
  });
  it('[A1] many times', async () => {
    const t = Date.now();
    for (let i = 0; i < 20; i++) {
      const at = address();
      const r = await Promise.all([get(`${at}/status`), get(`${at}/tree`), post(`${at}/start`, { message: told({ text: 'x' }), wait: true }), get(`${at}/status`)]);
      if (r[2]!.status !== 200) console.log(i, r.map((x) => x.status), r[2]!.body);
      const s = await get(`${at}/status`);
      if (s.status !== 200) console.log(i, s.status);
    }
    console.log(Date.now() - t);
  });
});
import { tablesFound } from '../../support/worker';
describe('tables', () => {
  it('[A1] finds none', async () => {
    const at = address();
    const id = ns.idFromName(at.split('/')[3]!).toString();
    for (let i = 0; i < 5; i++) { await get(`${at}/status`); console.log(tablesFound.get(id)); }
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true }); console.log(tablesFound.get(id));
    await post(`${at}/start`, { message: told(calls('middle', [calls('leaf', [{text: 'l'}])], [])), wait: true }); console.log(tablesFound.get(id));
    console.log((await get(`${at}/tree`)).body);
    console.log((await del(at)).status);
    const r = await Promise.all([get(`${at}/status`), get(`${at}/status`)]);
    console.log(r.map(x=>x.status), tablesFound.get(id));
    console.log((await post(`${at}/start`, { message: told({ text: 'again' }), wait: true })).status, tablesFound.get(id));
  });
});
