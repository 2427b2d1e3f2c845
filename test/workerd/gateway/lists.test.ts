/** The lists over all roots, over HTTP: what trees tell their directories, and that reading them wakes nobody. */
import { listDurableObjectIds } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { Document, Failures, Page } from '../../../src/protocol/wire/wire-types';
import { address, del, get, page, post, send } from '../../support/api';
import { bindings } from '../../support/bindings';
import { present } from '../../support/present';
import { asks, calls, told } from '../../support/puppet';
import { publishes, stands, waitingCall, yes } from '../standing';

interface Lists {
  readonly pending: Page<Document<'listedCall'>>;
  readonly errors: Failures;
  readonly children: Page<Document<'listedChild'>>;
}

/** A page of a list over all roots. */
async function list<Name extends keyof Lists>(name: Name, query: string): Promise<Lists[Name]> {
  const found: Lists[Name] = await (await send(`/directory/${name}${query}`)).json();
  return found;
}

const fails = { fail: { code: 'model_refused', message: 'No.' } } as const;

describe('what waits for a person', () => {
  it('[A84] is listed over all roots, the one asked first at the front, until it is answered', async () => {
    const [one, two] = [address('top'), address('top')];
    await post(`${one}/start`, { message: told(calls('leaf', [publishes('x'), { text: 'l' }]), { text: 't' }) });
    const first = await waitingCall(one);
    await post(`${two}/start`, { message: told(publishes('y'), { text: 't' }) });
    const second = await waitingCall(two);
    const ours = async (query = '') => {
      const { items } = await list('pending', `?limit=500${query}`);
      return items.filter(({ root }) => root === one || root === two);
    };
    await vi.waitFor(async () => expect((await ours()).map((call) => call.toolCallId)).toEqual([first, second]));
    expect((await ours())[0]).toEqual({
      toolCallId: first,
      kind: 'approval',
      toolName: 'publish',
      root: one,
      address: `${one}/sub/leaf/1~1`,
      agentType: 'leaf',
      requestedAt: expect.any(Number),
      preview: 'x',
    });
    expect([await ours('&agent=tiny'), await ours('&agent=top')].map(({ length }) => length)).toEqual([0, 2]);
    expect(await ours('&kind=client-tool')).toEqual([]);
    expect(await ours('&tool=publish')).toHaveLength(2);
    const listed = (await page('/directory/roots', '?limit=500')).items.find((root) => root.address === one);
    expect(listed).toMatchObject({ pendingCount: 1, childCounts: { waiting: 1, total: 1 } });
    expect((await post(`${one}/tool-results`, yes(first))).status).toBe(202);
    await vi.waitFor(async () => expect((await ours()).map((call) => call.toolCallId)).toEqual([second]));
    await del(two);
    expect(await ours()).toEqual([]);
  });

  it.each([
    'pending?kind=x',
    'errors?since=x',
    'children?mode=x',
    'roots?status=a,b',
    'roots?sort=x',
    'pending?cursor=x',
  ])('[A84, A85, A86, A87, A23] refuses %s', async (query) =>
    expect((await get(`/directory/${query}`)).status).toBe(400),
  );

  it('[A84] reading makes no root', async () => {
    const ids = async () => (await listDurableObjectIds(bindings.MIDDLE)).map(String);
    const before = await ids();
    for (const list of ['pending', 'errors', 'children', 'roots']) await get(`/directory/${list}`);
    expect(await ids()).toEqual(before);
  });
});

describe('what failed', () => {
  it('[A83, A85] is listed with its cause, and stays when it is tried again', async () => {
    const at = address('top');
    const since = Date.now() - 1;
    await post(`${at}/start`, { message: told(calls('leaf', [fails]), fails), wait: true });
    const ours = async () => {
      const found = await list('errors', `?limit=500&since=${since}&cause=model_refused`);
      return { ...found, items: found.items.filter(({ root }) => root === at) };
    };
    await vi.waitFor(async () => expect((await ours()).items).toHaveLength(2));
    const { items, causes } = await ours();
    expect(items[0]).toMatchObject({ code: 'model_refused', title: expect.any(String), agentType: 'top', address: at });
    const cause = present(causes.find(({ agentType }) => agentType === 'leaf'));
    expect(cause.count).toBeGreaterThanOrEqual(1);
    expect(cause.pattern).not.toBe('');
    const alike = await list('errors', `?type=leaf&since=${since}&pattern=${encodeURIComponent(cause.pattern)}`);
    expect(alike.causes.map(({ pattern }) => pattern)).toEqual([cause.pattern]);
    expect(alike.items.length).toBeGreaterThanOrEqual(1);
    expect((await list('errors', `?since=${since}&pattern=none`)).items).toEqual([]);
    const { body: tree } = await get(`${at}/tree`);
    expect(tree).toMatchObject({
      ...{ step: 2, recoveries: 0, pendingCount: 0, error: { code: 'model_refused', title: expect.any(String) } },
      nodes: [{ generation: 1, step: 1, error: { code: 'model_refused' } }],
    });
    expect(present(tree.startedAt)).toBeGreaterThanOrEqual(tree.createdAt);
    expect(present(tree.endedAt)).toBeGreaterThanOrEqual(present(tree.startedAt));
    const { items: roots } = await page('/directory/roots', `?limit=500&status=failed,terminated&sort=lastActivity`);
    expect(roots.find((root) => root.address === at)).toMatchObject({ error: { code: 'model_refused' } });
    await post(`${at}/start`, { message: told({ text: 'Well.' }), wait: true });
    expect((await get(`${at}/tree`)).body.error).toBeUndefined();
    expect((await ours()).items).toHaveLength(2);
  });
});

describe('who stays', () => {
  it('[A86, A87] is listed over all roots; a root by its title', async () => {
    const at = address('tiny');
    const begins = { agent: 'leaf', name: 'ada', mode: 'non-blocking', initialMessage: told({ text: 'l' }) };
    const displayName = `What ${crypto.randomUUID()} is`;
    await post(`${at}/start`, {
      ...{ message: told(asks(['companion__spawnAgent', begins]), { text: 't' }), displayName, wait: true },
    });
    await stands(`${at}/sub/leaf/ada`, 'completed');
    const ours = async (query = '') => {
      const { items } = await list('children', `?limit=500${query}`);
      return items.filter(({ root }) => root === at);
    };
    await vi.waitFor(async () => expect(await ours()).toMatchObject([{ name: 'ada', status: 'completed', task: 1 }]));
    expect(await ours('&mode=persistent&placement=facet&type=leaf&q=ADA')).toHaveLength(1);
    expect([await ours('&owing=1'), await ours('&placement=remote')]).toEqual([[], []]);
    const { items } = await page('/directory/roots', `?q=${encodeURIComponent(displayName.toUpperCase())}`);
    expect(items).toMatchObject([{ address: at, title: displayName, usage: { modelCalls: 3 } }]);
  });
});

describe('a root that is listed', () => {
  it('[A98] tells the steps of its newest run, and how its newest turn was asked', async () => {
    const at = address('tiny');
    const name = `Listed ${crypto.randomUUID()}`;
    const row = async () => (await page('/directory/roots', `?q=${encodeURIComponent(name)}`)).items[0];
    const asked = told({ calls: [{ name: 'nothing', input: {} }] }, { text: `${'A long answer. '.repeat(20)}` });
    await post(`${at}/start`, { message: asked, displayName: name, wait: true });
    await vi.waitFor(async () =>
      expect(await row()).toMatchObject({
        ...{ title: name, steps: 2, usage: { modelCalls: 2 } },
        preview: asked.replaceAll(/\s+/g, ' ').slice(0, 200),
      }),
    );
    const again = told({ text: 'Short.' });
    await post(`${at}/messages`, { content: again });
    await vi.waitFor(async () =>
      expect(await row()).toMatchObject({ steps: 1, usage: { modelCalls: 3 }, preview: again }),
    );
  });
});

describe('the types of agents', () => {
  it('[A88] tell their model, their examples, and their tools', async () => {
    const { items } = (await get('/directory/agents')).body;
    const top = present(items.find(({ agentType }) => agentType === 'top'));
    expect(top.examples).toEqual([]);
    const tool = (name: string) => top.tools.find((one) => one.name === name);
    expect(tool('publish')).toMatchObject({
      ...{ kind: 'tool', requiresApproval: 'always', inputSchema: { properties: { text: { type: 'string' } } } },
    });
    expect(tool('pick')).toMatchObject({ kind: 'client-tool', requiresApproval: 'never' });
    expect(tool('subagent__leaf')).toMatchObject({ kind: 'sub-agent' });
  });
});
