/** The hooks, in a component that is mounted in Strict Mode. */
import { createElement } from 'react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Client, type FollowEvent, Refused, Unreachable } from '../../../src/client';
import { reduceAll } from '../../../src/protocol/view/reduce';
import { treeUsage } from '../../../src/protocol/view/view';
import {
  OffshootProvider,
  type RunSource,
  useAgentTree,
  useApproval,
  useInbox,
  useInboxOfAll,
  useRun,
  useTranscript,
  useUsage,
} from '../../../src/react';
import { runStoreOf } from '../../../src/react/run-store';
import type { InboxItem } from '../../../src/react/use-inbox';
import { deskLog, newLog } from '../../support/log';
import { present } from '../../support/present';
import { asEvents, PuppetLog } from '../../support/puppet-log';
import { mounted } from '../../support/react-hooks';

const ADDRESS = '/agents/coordinator/cedar-3f9k';
const refused = (code: string, details: Refused['details'] = null) =>
  new Refused({
    status: 400,
    category: 'invalid',
    retryable: false,
    code,
    title: code,
    detail: '',
    details,
    requestId: '',
  });

/** A client whose log the test tells, with the requests that it knows. */
function clientOf(requests: Partial<Client> = {}) {
  const log = new PuppetLog();
  // The class has private members, which only its own methods read.
  const client = { follow: log.follow, messages: async () => ({ items: [] }), ...requests } as unknown as Client;
  return { log, client };
}

/** Mounts a hook below a provider. */
const below = <Result>(client: Client, hook: () => Result) =>
  mounted(hook, (page) => createElement(OffshootProvider, { client }, page));

/** Tells the log, and lets the page draw what its store has then. */
async function tell(
  { log, client }: ReturnType<typeof clientOf>,
  page: Pick<Awaited<ReturnType<typeof mounted>>, 'settle'>,
  events: readonly (FollowEvent | Error)[],
) {
  const store = runStoreOf(client, ADDRESS);
  const before = store.getSnapshot();
  log.tell(...events);
  await page.settle(() => vi.waitFor(() => expect(store.getSnapshot()).not.toBe(before)));
}

const item: InboxItem = {
  ...{ toolCallId: 'c_2', kind: 'approval', toolName: 'refund', address: ADDRESS, agentType: 'clerk' },
  ...{ requestedAt: 0, input: { amount: 5 }, inputHash: 'abc' },
};

const waitingLog = () => {
  const log = newLog();
  const root = log.root('coordinator', 'cedar-3f9k').run('r_1').step(1);
  root.spawn('c_1', 'clerk', '1~1', {}).run('r_2').step(1).asks('approval', 'c_2', 'refund', { amount: 5 });
  return log;
};

describe('useRun', () => {
  it('[RH1, RH4] has one connection in Strict Mode, and the same actions for an address', async () => {
    const told = clientOf();
    const page = await below(told.client, () => useRun(ADDRESS));
    const { actions } = page.result;
    expect(page.result).toMatchObject({ connection: 'connecting', status: undefined, pending: [] });
    expect([told.log.connections.length, told.log.open.length]).toEqual([1, 1]);
    await tell(told, page, asEvents(deskLog().entries));
    expect(page.result).toMatchObject({ status: 'completed', output: '# Report\n\nIts parent tells it.' });
    expect(page.result.actions).toBe(actions);
    await page.unmount();
    await vi.waitFor(() => expect(told.log.open).toHaveLength(0));
  });

  it('[RH4] follows a session that its first message has begun, and keeps a connection that is open', async () => {
    const asked: unknown[] = [];
    const told = clientOf({ send: (async (_address: string, body: object) => void asked.push(body)) as never });
    const page = await below(told.client, () => useRun(ADDRESS));
    await tell(told, page, [refused('not_found')]);
    expect(page.result.connection).toBe('closed');
    await page.settle(() => page.result.actions.send('Hello'));
    expect([asked, told.log.connections.length]).toEqual([[{ content: 'Hello' }], 2]);
    await tell(told, page, [{ type: 'connection' }]);
    await page.settle(() => page.result.actions.send({ content: 'Again', role: 'user' }));
    expect([asked.length, told.log.connections.length]).toEqual([2, 2]);
  });
});

describe('useUsage', () => {
  it('[RH4] has what the tree has spent, and the agent itself', async () => {
    const told = clientOf();
    const page = await below(told.client, () => useUsage(ADDRESS));
    expect(page.result).toMatchObject({ total: { modelCalls: 0 }, own: undefined });
    await tell(told, page, asEvents(deskLog().entries));
    expect(page.result).toMatchObject({ total: { modelCalls: 5 }, own: { modelCalls: 2 } });
  });
});

describe('useInbox', () => {
  it('[RH8] has what waits at any depth with its arguments, and asks the server for nothing', async () => {
    const told = clientOf();
    const page = await below(told.client, () => useInbox(ADDRESS));
    expect(page.result).toEqual({ items: [], isLoading: true, error: undefined });
    const written = waitingLog();
    await tell(told, page, [...asEvents(written.entries), { type: 'up-to-date' }]);
    expect(page.result).toMatchObject({ isLoading: false, items: [{ toolCallId: 'c_2', input: { amount: 5 } }] });
    expect(present(page.result.items[0])).toMatchObject({
      ...{ kind: 'approval', toolName: 'refund', agentType: 'clerk', address: `${ADDRESS}/sub/clerk/1~1` },
      inputHash: expect.stringMatching(/^[\da-f]{64}$/),
    });
  });

  it('[RH8] over all roots is read again while its page is visible, and keeps what it has when that fails', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const reads = { fails: false, count: 0 };
    const allPending = async () => {
      reads.count += 1;
      if (reads.fails) throw refused('unavailable');
      return { items: [{ toolCallId: 'c_1' }] };
    };
    const told = clientOf({ allPending: allPending as never });
    const page = await below(told.client, () => useInboxOfAll({ intervalMs: 5_000 }));
    const pass = (ms: number) => page.settle(() => vi.advanceTimersByTimeAsync(ms));
    await pass(0);
    expect(page.result).toEqual({ isLoading: false, items: [{ toolCallId: 'c_1' }], error: undefined });
    const atFirst = reads.count;
    await pass(4_999);
    expect(reads.count).toBe(atFirst);
    reads.fails = true;
    await pass(1);
    expect(reads.count).toBe(atFirst + 1);
    expect(page.result).toMatchObject({ items: [{ toolCallId: 'c_1' }], error: { code: 'unavailable' } });
    vi.stubGlobal('document', { visibilityState: 'hidden' });
    await pass(60_000);
    expect(reads.count).toBe(atFirst + 1);
    vi.stubGlobal('document', { visibilityState: 'visible' });
    await pass(5_000);
    expect(reads.count).toBe(atFirst + 2);
    await page.unmount();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reads.count).toBe(atFirst + 2);
  });
});

describe('useApproval', () => {
  it('[RH5, RH6] answers the arguments that were shown, once however often it is pressed', async () => {
    const asked: unknown[] = [];
    const gate: { open: () => void } = { open: () => undefined };
    const told = clientOf({
      answer: async (address, body, options) => {
        asked.push([address, body, options?.idempotencyKey]);
        await new Promise<void>((resolve) => {
          gate.open = resolve;
        });
        return { status: 'accepted' } as never;
      },
    });
    const page = await below(told.client, () => useApproval(item));
    await page.settle(() => {
      void page.result.approve();
      void page.result.deny('No.');
    });
    expect(page.result).toMatchObject({ isBusy: true, state: { status: 'sending', decision: { kind: 'approve' } } });
    await page.settle(() => gate.open());
    expect(page.result).toMatchObject({ isBusy: true, state: { status: 'answered', byOther: false } });
    expect(asked).toEqual([
      [
        ADDRESS,
        { kind: 'approval-response', toolCallId: 'c_2', inputHash: 'abc', approved: true },
        expect.stringMatching(/^c_2\.approve\./),
      ],
    ]);
  });

  it('[RH6] takes the answer of somebody else for one, and says what is wrong with changed arguments', async () => {
    const fields = [{ path: 'amount', message: 'It is too large.' }];
    const problems = [refused('invalid_input', { fields }), refused('already_answered')];
    const asked: unknown[] = [];
    const told = clientOf({
      answer: async (_address, body) => {
        asked.push(body);
        throw problems.shift();
      },
    });
    const page = await below(told.client, () => useApproval(item));
    await page.settle(() => page.result.approve({ amount: 9 }));
    const { state, isBusy } = page.result;
    expect({ isBusy, status: state.status, fields: 'fields' in state && [...state.fields] }).toEqual({
      ...{ isBusy: false, status: 'failed' },
      fields: [['amount', 'It is too large.']],
    });
    await page.settle(() => page.result.deny());
    expect(page.result.state).toEqual({ status: 'answered', byOther: true });
    const bound = { kind: 'approval-response', toolCallId: 'c_2', inputHash: 'abc' };
    expect(asked).toEqual([
      { ...bound, approved: true, input: { amount: 9 } },
      { ...bound, approved: false },
    ]);
  });

  it('[RH5] of a tool of the page takes a result or an error', async () => {
    const asked: unknown[] = [];
    const told = clientOf({ answer: (async (_address: string, body: object) => void asked.push(body)) as never });
    const page = await below(told.client, () => useApproval({ ...item, inputHash: undefined }));
    await page.settle(() => page.result.respond({ picked: 'a' }));
    await page.settle(() => page.result.fail('It was closed.'));
    expect(asked).toEqual([
      { kind: 'client-tool-result', toolCallId: 'c_2', result: { picked: 'a' } },
      { kind: 'client-tool-result', toolCallId: 'c_2', error: 'It was closed.' },
    ]);
  });
});

describe('useAgentTree', () => {
  it('[RH9] has rows below their parents, which open, close and are chosen by keys', async () => {
    const told = clientOf();
    const page = await below(told.client, () => useAgentTree(ADDRESS));
    await tell(told, page, asEvents(deskLog().entries));
    const names = () =>
      page.result.rows.map(({ agent, level }) => `${level} ${agent.address.split('/').slice(-2).join('/')}`);
    const all = ['1 coordinator/cedar-3f9k', '2 researcher/1~1', '3 fact-checker/1~1', '2 researcher/2~1'];
    expect(names()).toEqual(all);
    const press = async (key: string) => {
      const event = { key, preventDefault: vi.fn() };
      await page.settle(() => page.result.treeProps.onKeyDown(event));
      return [page.result.selected?.agentType, event.preventDefault.mock.calls.length];
    };
    expect(page.result.selected?.agentType).toBe('coordinator');
    expect(await press('ArrowRight')).toEqual(['researcher', 1]);
    expect(await press('ArrowDown')).toEqual(['fact-checker', 1]);
    expect(await press('ArrowRight')).toEqual(['fact-checker', 0]);
    expect(await press('ArrowLeft')).toEqual(['researcher', 1]);
    await press('ArrowLeft');
    expect(names()).toEqual(all.filter((each) => !each.includes('fact')));
    expect(page.result.rowProps(present(page.result.rows[1]))).toMatchObject({
      ...{ role: 'treeitem', 'aria-level': 2, 'aria-selected': true, 'aria-expanded': false, tabIndex: 0 },
    });
    await press('ArrowRight');
    expect(names()).toEqual(all);
    expect(await press('End')).toEqual(['researcher', 1]);
    expect(await press('ArrowDown')).toEqual(['researcher', 1]);
    expect(await press('Home')).toEqual(['coordinator', 1]);
    expect(await press('ArrowUp')).toEqual(['coordinator', 1]);
    expect(await press('a')).toEqual(['coordinator', 0]);
    await press('*');
    expect(names()).toEqual(all);
    const third = present(page.result.rows[2]);
    await page.settle(() => page.result.rowProps(third).onClick({ currentTarget: { dataset: { id: third.id } } }));
    expect([page.result.selected, await press('Enter')]).toEqual([third.agent, ['fact-checker', 1]]);
    expect(await press('PageDown')).toEqual(['researcher', 1]);
    expect(await press('PageUp')).toEqual(['coordinator', 1]);
  });
});

/** Of a page that holds only the end of the log. */
const EDGE = 'Older events were removed.';

describe('useTranscript', () => {
  it('[RH23, RH24] has what was said and done in order, and asks a server that has the whole log for nothing', async () => {
    const messages = vi.fn();
    const told = clientOf({ messages });
    const page = await below(told.client, () => useTranscript(ADDRESS));
    await tell(told, page, asEvents(deskLog().entries));
    expect(page.result.items.map(({ kind }) => kind)).toEqual(['step', 'text', 'call', 'call', 'step', 'text', 'end']);
    expect(new Set(page.result.items.map(({ id }) => id)).size).toBe(7);
    expect([page.result.isLoading, messages.mock.calls]).toEqual([false, []]);
  });

  it('[RH24] reads what a cut log lacks once for a run, and has what the log has where it cannot', async () => {
    const reads: string[] = [];
    const messages = async (address: string) => {
      reads.push(address);
      return { items: [{ role: 'user', from: 'caller', content: 'How?', at: 0 }], asOfSequence: 1 };
    };
    const kinds = async (given: Parameters<typeof clientOf>[0]) => {
      const told = clientOf(given);
      const page = await below(told.client, () => useTranscript(ADDRESS, { edge: EDGE }));
      await tell(told, page, asEvents(deskLog().entries));
      await page.settle(() => vi.waitFor(() => expect(page.result.isLoading).toBe(false)));
      return [page.result.error, ...page.result.items.map(({ kind }) => kind)];
    };
    const rest = ['edge', 'step', 'text', 'call', 'call', 'step', 'text', 'end'];
    expect(await kinds({ messages: messages as never })).toEqual([undefined, 'asked', ...rest]);
    // Strict Mode reads twice.
    expect(reads).toEqual([ADDRESS, ADDRESS].slice(0, reads.length));
    const why = refused('forbidden');
    expect(await kinds({ messages: async () => Promise.reject(why) })).toEqual([why, ...rest]);
  });

  it('[RH15] keeps what it has read, and reads again what had no answer once its connection is open', async () => {
    const answers: (() => Promise<unknown>)[] = [];
    const client = clientOf({ messages: (() => present(answers.shift())()) as never }).client;
    const says = (content: string) => async () => ({ items: [{ role: 'user', from: 'caller', content, at: 0 }] });
    const away = async () => Promise.reject(new Unreachable('Nothing answers.'));
    const log = newLog();
    const agent = log.root('planner', 'one');
    agent.run('r_0').completed('done');
    let source: RunSource = { view: reduceAll(log.entries), connection: 'open' };
    const address = present(source.view.agents[0]).address;
    answers.push(says('How?'), says('How?'));
    const page = await below(client, () => useTranscript(address, { source, edge: EDGE }));
    const asked = () => [...new Set(page.result.items.flatMap((item) => (item.kind === 'asked' ? [item.text] : [])))];
    await page.settle(() => vi.waitFor(() => expect(asked()).toEqual(['How?'])));
    answers.length = 0;
    answers.push(away);
    agent.run('r_1');
    source = { view: reduceAll(log.entries), connection: 'lost' };
    await page.render();
    await page.settle(() => vi.waitFor(() => expect(page.result.error).toBeInstanceOf(Unreachable)));
    expect(asked()).toEqual(['How?']);
    answers.push(says('How then?'));
    source = { ...source, connection: 'open' };
    await page.render();
    await page.settle(() => vi.waitFor(() => expect(asked()).toEqual(['How then?'])));
    expect({ ...page.result, items: [], left: answers.length }).toEqual({
      ...{ items: [], left: 0, isLoading: false, error: undefined },
    });
  });

  it('[RH15] reads again by another client, and shows nothing that the one before has read', async () => {
    const says = (content: string) => async () => ({ items: [{ role: 'user', from: 'caller', content, at: 0 }] });
    const reads = (messages: () => Promise<unknown>) => clientOf({ messages: messages as never }).client;
    const log = newLog();
    log.root('planner', 'one').run('r_0').completed('done');
    const source: RunSource = { view: reduceAll(log.entries), connection: 'open' };
    const address = present(source.view.agents[0]).address;
    let client = reads(async () => Promise.reject(refused('unauthorized')));
    const page = await mounted(() => useTranscript(address, { source, client, edge: EDGE }));
    const asked = () => page.result.items.flatMap((each) => (each.kind === 'asked' ? [each.text] : []));
    await page.settle(() => vi.waitFor(() => expect(page.result.error).toMatchObject({ code: 'unauthorized' })));
    client = reads(says('How?'));
    await page.render();
    await page.settle(() => vi.waitFor(() => expect(asked()).toEqual(['How?'])));
    expect(page.result.error).toBeUndefined();
    let refuse = () => {};
    client = reads(() => new Promise((_, reject) => (refuse = () => reject(refused('forbidden')))));
    await page.render();
    expect({ asked: asked(), isLoading: page.result.isLoading }).toEqual({ asked: [], isLoading: true });
    await page.settle(() => refuse());
    expect({ asked: asked(), error: page.result.error }).toMatchObject({ asked: [], error: { code: 'forbidden' } });
  });

  it('[RH27] keeps the newest messages of a server that has more than a page holds, in their order', async () => {
    const all = Array.from({ length: 2_200 }, (_, at) => ({ role: 'user', from: 'caller', content: `${at}`, at: 0 }));
    const messages = async (_address: string, { cursor = '0', limit = 0 }: { cursor?: string; limit?: number }) => {
      const end = Number(cursor) + limit;
      return { items: all.slice(Number(cursor), end), ...(end < all.length ? { cursor: `${end}` } : {}) };
    };
    const log = newLog();
    log.root('planner', 'one').run('r_0').completed('done');
    const source: RunSource = { view: reduceAll(log.entries), connection: 'open' };
    const { address } = present(source.view.agents[0]);
    const { client } = clientOf({ messages: messages as never });
    const page = await below(client, () => useTranscript(address, { source, edge: EDGE }));
    await page.settle(() => vi.waitFor(() => expect(page.result.isLoading).toBe(false)));
    const asked = page.result.items.flatMap((each) => (each.kind === 'asked' ? [each.text] : []));
    expect(asked).toEqual(all.slice(-2_000).map(({ content }) => content));
  });

  it('[RH14] reads a source that the page has, without a connection, and says what precedes its log', async () => {
    const follow = vi.fn();
    const { client } = clientOf({ follow });
    const { entries } = deskLog();
    const source: RunSource = { view: reduceAll(entries), connection: 'open' };
    const page = await below(client, () => ({
      ...{ root: useTranscript(ADDRESS, { source, edge: 'Older events were removed.' }) },
      ...{ tree: useAgentTree(ADDRESS, { source }), usage: useUsage(ADDRESS, { source }) },
    }));
    const { root, tree, usage } = page.result;
    expect(root.items.map(({ kind }) => kind).slice(0, 2)).toEqual(['edge', 'step']);
    expect(root.items[0]).toMatchObject({ says: 'Older events were removed.' });
    expect(new Set(tree.rows.map(({ agent }) => agent))).toEqual(new Set(source.view.agents));
    expect([usage.total, usage.own]).toEqual([treeUsage(source.view), source.view.agents[0]?.usage]);
    expect(follow).not.toHaveBeenCalled();
  });
});
