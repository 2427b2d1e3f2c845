import { env } from 'cloudflare:workers';
import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { address, get, post, send } from '../../support/api';
import { calls, openGate, told } from '../../support/puppet';
const ns = (env as any).TOP as DurableObjectNamespace;
const stubOf = (at: string) => ns.getByName(at.split('/')[3] ?? '');
async function tryEvict(label: string, at: string) { const t = Date.now(); try { await evictDurableObject(stubOf(at)); console.log(label, 'ok', Date.now() - t); } catch (e) { console.log(label, String(e), Date.now() - t); } }
describe('evict', () => {
  it('[A1] x', async () => {
    const end = async (at: string) => { openGate(at); for (;;) { if ((await get(`${at}/status`)).body.status === 'completed') break; } };
    const a = address(); await post(`${a}/start`, { message: told({ gate: a, text: 'x' }) }); await new Promise((r) => setTimeout(r, 50)); await end(a); await tryEvict('gate', a);
    const d = address(); await post(`${d}/start`, { message: told(calls('middle', [calls('leaf', [{ text: 'l' }])])), wait: true }); await tryEvict('three levels', d);
    const e = address(); await post(`${e}/start`, { message: told(calls('leaf', [{ gate: e, text: 'l' }])) }); await new Promise((r) => setTimeout(r, 50)); await end(e); await tryEvict('gate child', e);
    const f = address(); await post(`${f}/start`, { message: told({ text: 'x' }), wait: true });
    const r = await send(f, { headers: { upgrade: 'websocket' } }); r.webSocket!.accept(); r.webSocket!.send(JSON.stringify({ type: 'offshoot.subscribe' })); await new Promise((r) => setTimeout(r, 300)); await tryEvict('subscribed', f);
    expect((await get(`${d}/status`)).status).toBe(200);
  }, 200000);
});
