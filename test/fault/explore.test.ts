import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { compose, compositionOf } from '../../src/host/composition';
import { TreeStore } from '../../src/store/tree-store';
import { address, post } from '../support/api';
import { calls, told } from '../support/puppet';

let commits: string[] = [];
let target = 0;
let frozen = false;
let refused = 0;
let sealed = false;
const err = vi.spyOn(console, 'error').mockImplementation(() => undefined);
async function seal() { for (let i = 0; i < 30; i++) await null; if (frozen) sealed = true; }
compose({ ...compositionOf(), committed: (what) => {
  commits.push(what);
  if (commits.length === target) { frozen = true; seal(); }
} });
const script = told(
  { text: 'Let us see.', calls: [...(calls('middle', [calls('leaf', [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { text: 'l1' }], [{ text: 'l2' }]), { text: 'm' }]).calls ?? []), { name: 'note', input: { text: 'x' } }] },
  { text: 'All done.' },
);
function rootOf(at: string) {
  const ns = (env as unknown as { TOP: DurableObjectNamespace }).TOP;
  return ns.getByName(at.split('/')[3] as string);
}
function guard(of: object, name: string) {
  const proto = Object.getPrototypeOf(of) as Record<string, (...a: unknown[]) => unknown>;
  const before = proto[name]!;
  console.log(name, typeof before, Object.getOwnPropertyDescriptor(proto, name));
  proto[name] = function (...args: unknown[]) {
    if (name === 'transactionSync' ? frozen : sealed) { refused++; throw new Error('The process has ended.'); }
    return before.apply(this, args);
  };
}
it('explores', { timeout: 120_000 }, async () => {
  await runInDurableObject(rootOf('/agents/top/x'), (_: unknown, state) => {
    guard(state.storage, 'transactionSync');
    guard(state.storage, 'setAlarm');
  });
  const lines: string[] = [];
  for (let t = 0; t <= 28; t++) {
    commits = []; target = t; refused = 0;
    const at = address();
    const t0 = Date.now();
    const answering = post(`${at}/start`, { message: script }).then((a) => a.status, (e: unknown) => ({ status: String(e) }));
    let woke: unknown;
    if (t > 0) { 
      while (!frozen) await new Promise((r) => setTimeout(r, 0)); const before = commits.length; 
      await abortAllDurableObjects(); 
      const after = commits.length;
      frozen = false; sealed = false; const alarm = await runInDurableObject(rootOf(at), async (_: unknown, state) => [(await state.storage.getAlarm() ?? 0) - Date.now(), state.storage.sql.exec('SELECT id, time FROM cf_agents_jobs').toArray().map((r) => Number(r.time) - Date.now())]);
      woke = [before - t, after - t, refused, alarm, await runDurableObjectAlarm(rootOf(at))]; }
    const nodes = await vi.waitFor(async () => {
      const nodes = await runInDurableObject(rootOf(at), (_: unknown, state) => new TreeStore(state.storage as never).nodes());
      expect(nodes.map((n) => n.place)).toEqual(nodes.map(() => 'ended'));
      expect(nodes[0]?.status).toBe('completed');
      return nodes;
    }, { timeout: 12_000, interval: 5 }).catch((e: unknown) => String(e));
    const answer = await answering;
    lines.push([t, commits[t-1], JSON.stringify(answer), JSON.stringify(woke), commits.length, Date.now() - t0, typeof nodes === 'string' ? nodes.slice(0, 300) : nodes.map((n) => n.address.slice(20) + n.status).join(' ')].join(' '));
    if (t === 0) console.log(commits.join(' '));
  }
  console.log(lines.join('\n'));
});
