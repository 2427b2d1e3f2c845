/** Companions over HTTP: what people read of them, and answers, stops and removals by their addresses. */
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { address, del, get, post, readAll } from '../../support/api';
import { asks, type PuppetStep, told } from '../../support/puppet';
import { items, publishes, stands, waitingCall, yes } from '../standing';

/** A root that keeps a leaf under a name beside it, which does this. */
async function kept(...steps: PuppetStep[]): Promise<{ at: string; ada: string }> {
  return keptAt(address('tiny'), ...steps);
}

async function keptAt(at: string, ...steps: PuppetStep[]): Promise<{ at: string; ada: string }> {
  const spawn = { agent: 'leaf', name: 'ada', mode: 'non-blocking', initialMessage: told(...steps) };
  const message = told(asks(['companion__spawnAgent', spawn]), { text: 't' });
  expect((await post(`${at}/start`, { message, wait: true })).status).toBe(200);
  return { at, ada: `${at}/sub/leaf/ada` };
}

describe('companions by their addresses', () => {
  it('[CO21] are in the tree, the children and their status by name and task', async () => {
    const { at, ada } = await kept({ text: 'l' });
    expect(await stands(ada, 'completed')).toMatchObject({ name: 'ada', task: 1, run: { output: 'l' } });
    expect((await get(`${at}/tree`)).body).toMatchObject({
      nodes: [{ name: 'ada', mode: 'persistent', task: 1, address: ada }],
    });
    expect(await items(`${at}/children`)).toMatchObject([{ name: 'ada', mode: 'persistent', task: 1 }]);
    for (const list of ['runs', 'messages', 'calls', 'logs', 'checkpoints'])
      expect((await get(`${ada}/${list}`)).status, list).toBe(200);
    for (const document of ['state', 'limits', 'usage']) expect((await get(`${ada}/${document}`)).status).toBe(200);
    const { chunks } = await readAll(`${at}/stream?from=1`);
    expect(chunks.filter(({ chunk }) => chunk.type === 'subagent_start')).toMatchObject([{ chunk: { name: 'ada' } }]);
  });

  it('[A26, A17] that were deleted are not found, like a name that never was, and the answer says so', async () => {
    const { at, ada } = await kept({ text: 'l' });
    await stands(ada, 'completed');
    expect((await del(ada)).status).toBe(204);
    for (const path of [ada, `${at}/sub/leaf/eve`]) {
      const { status, body } = await get(`${path}/status`);
      expect([status, body.code], path).toEqual([404, 'not_found']);
      expect(body.detail, path).toContain('never began, or was deleted');
    }
  });

  it('[CO22] is answered at the root when its parent has ended, and goes on alone', async () => {
    const { at, ada } = await kept(publishes('x'), { text: 'said' });
    await stands(ada, 'suspended_client_tool');
    const call = await waitingCall(at);
    expect((await post(`${at}/tool-results`, yes(call))).status).toBe(202);
    expect(await stands(ada, 'completed')).toMatchObject({ run: { output: 'said' } });
    expect((await get(`${at}/status`)).body).toMatchObject({ status: 'completed', run: { turn: 1 } });
  });

  it('[CO11] is stopped for good by its address; a start around its parent is refused', async () => {
    const { ada } = await kept(publishes('x'));
    await stands(ada, 'suspended_client_tool');
    const refused = await post(`${ada}/start`, { message: 'Go' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'owned_by_parent' } satisfies JsonObject });
    expect((await post(`${ada}/terminate`, {})).status).toBe(202);
    await stands(ada, 'terminated');
  });

  it('[CO24] has its next task from a person by its parent at rest, once for the key', async () => {
    const { at, ada } = await kept({ text: 'l' });
    await stands(ada, 'completed');
    const sent = () => post(`${ada}/messages`, { content: told({ text: 'more' }) }, { 'idempotency-key': 'k' });
    const first = await sent();
    expect(first).toMatchObject({ status: 202, body: { delivery: 'started' } });
    const ended = { status: 'completed', task: 2, run: { output: 'more' } };
    await vi.waitFor(async () => expect((await get(`${ada}/status`)).body).toMatchObject(ended), { interval: 10 });
    expect((await sent()).body).toEqual(first.body);
    expect((await get(`${ada}/status`)).body).toMatchObject({ task: 2 });
    expect((await get(`${at}/status`)).body).toMatchObject({ status: 'completed', run: { turn: 1 } });
    expect((await post(`${ada}/terminate`, {})).status).toBe(202);
    const refused = await post(`${ada}/messages`, { content: 'x' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'terminated' } });
    const env = await post(`${ada}/messages`, { content: 'x', env: { KEY: 'v' } });
    expect(env.body.code).toBe('owned_by_parent');
  });

  it.each([
    ['removed', () => del],
    ['ended for good', () => (at: string) => post(`${at}/terminate`, {})],
  ] as const)('[CO3] begins anew under its name when a person has %s it', async (what, how) => {
    const { at, ada } = await kept(what === 'removed' ? { text: 'l' } : publishes('x'));
    const first = await stands(ada, what === 'removed' ? 'completed' : 'suspended_client_tool');
    expect((await how()(ada)).status).toBeLessThan(300);
    if (what === 'removed') expect((await get(`${ada}/status`)).status).toBe(404);
    else await stands(ada, 'terminated');
    await keptAt(at, { text: 'again' });
    const second = await stands(ada, 'completed');
    expect(second).toMatchObject({ name: 'ada', run: { output: 'again' } });
    expect(second.sessionId).not.toBe(first.sessionId);
  });
});
