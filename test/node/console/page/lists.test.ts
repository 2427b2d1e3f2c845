/** Requests of the lists of the console, and what a person's presses leave behind. */
import { defaultScheduler, notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { mounted } from '../../../support/react-hooks';

const DATA = '../../../../src/console/data';
const asked: unknown[][] = [];
/** Pages by their verb: the first one, and those behind a cursor, which is their place. */
const pages = new Map<string, unknown[]>();
const server = () =>
  new Proxy({} as Record<string, unknown>, {
    get:
      (_, verb) =>
      async (...all: unknown[]) => {
        asked.push([verb, ...all]);
        const { cursor = '0' } = all.find((each): each is { cursor?: string } => typeof each === 'object') ?? {};
        const page = (pages.get(String(verb)) ?? [{ items: [] }])[Number(cursor)];
        if (page instanceof Error) throw page;
        return page;
      },
  });
const onLostTry = vi.fn(() => () => undefined);

let Refused: typeof import('../../../../src/client').Refused;
let lists: typeof import('../../../../src/console/data/lists');
let rights: typeof import('../../../../src/console/data/rights');
let decisions: typeof import('../../../../src/console/data/decisions');
let toasts: typeof import('../../../../src/console/data/toasts');
let presses: typeof import('../../../../src/console/data/press');

beforeAll(async () => {
  notifyManager.setScheduler(queueMicrotask);
  vi.resetModules();
  vi.doMock(`${DATA}/session`, () => ({ server, onLostTry }));
  vi.doMock(`${DATA}/place`, () => ({
    AT: '/console',
    HOME: '/home',
    pathOf: (address: string) => `/console${address}`,
  }));
  // Of the modules that are read anew, as the errors are that these know.
  ({ Refused } = await import('../../../../src/client'));
  lists = await import('../../../../src/console/data/lists');
  rights = await import('../../../../src/console/data/rights');
  decisions = await import('../../../../src/console/data/decisions');
  toasts = await import('../../../../src/console/data/toasts');
  presses = await import('../../../../src/console/data/press');
});
afterAll(() => {
  notifyManager.setScheduler(defaultScheduler);
  for (const name of ['session', 'place']) vi.doUnmock(`${DATA}/${name}`);
  vi.resetModules();
});
beforeEach(() => {
  asked.length = 0;
  pages.clear();
});

/** Mounts a hook that asks, and waits for its first answer. */
async function asking<Result>(hook: () => Result) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const page = await mounted(hook, (inner) => createElement(QueryClientProvider, { client }, inner));
  await page.settle(() => vi.waitFor(() => expect(client.isFetching()).toBe(0)));
  const { result } = page;
  await page.unmount();
  client.clear();
  return result;
}

/** The requests, without their signals; in Strict Mode each is sent twice. */
const requests = () => {
  const sent = asked.map(([verb, ...all]) => [
    verb,
    ...all.map((each) => {
      const { signal, ...rest } = each as { signal?: AbortSignal };
      return typeof each === 'string' ? each : { ...rest, signal: signal instanceof AbortSignal };
    }),
  ]);
  return [...new Map(sent.map((each) => [JSON.stringify(each), each])).values()];
};

describe('a list asks', () => {
  const first = { limit: 100, signal: true };
  const calls: readonly (readonly [string, () => unknown, readonly unknown[]])[] = [
    ['roots by default', () => lists.useRoots({}), ['roots', { ...first, sort: 'lastActivity' }]],
    [
      'roots by what is given alone',
      () => lists.useRoots({ q: '', status: 'failed', agent: '', tag: 't', sort: 'createdAt' }),
      ['roots', { ...first, sort: 'createdAt', status: 'failed', tag: 't' }],
    ],
    ['agents', () => lists.useAgents(), ['agents', { limit: 500, signal: true }]],
    [
      'failures by an empty pattern, and by no other empty text',
      () => lists.useFailures({ cause: '', type: 'a', pattern: '', since: 3 }),
      ['allErrors', { ...first, type: 'a', pattern: '', since: 3 }],
    ],
    ['all failures', () => lists.useFailures({}), ['allErrors', first]],
    [
      'children',
      () => lists.useListedChildren({ mode: 'kept', q: 'x' }),
      ['allChildren', { ...first, mode: 'kept', q: 'x' }],
    ],
  ];
  it.each(calls)('[CN12] for %s', async (_, hook, request) => {
    await asking(hook as () => object);
    expect(requests()).toEqual([request]);
  });

  it('[CN12] for its next page behind the first, until there is none', async () => {
    pages.set('roots', [{ items: [1], cursor: '1' }, { items: [2] }]);
    const client = new QueryClient();
    const page = await mounted(
      () => {
        const { hasNextPage, data, fetchNextPage } = lists.useRoots({});
        return { hasNextPage, data, fetchNextPage };
      },
      (inner) => createElement(QueryClientProvider, { client }, inner),
    );
    const settled = () => page.settle(() => vi.waitFor(() => expect(client.isFetching()).toBe(0)));
    await settled();
    await settled();
    expect(page.result.hasNextPage).toBe(true);
    await page.settle(() => page.result.fetchNextPage());
    await settled();
    expect(page.result.hasNextPage).toBe(false);
    expect(page.result.data?.pages.flatMap(({ items }) => items)).toEqual([1, 2]);
    expect(requests().at(-1)).toEqual(['roots', { ...first, sort: 'lastActivity', cursor: '1' }]);
    await page.unmount();
    client.clear();
  });

  it('[CN12] for every page of the calls that wait, and of one agent until its call is found', async () => {
    const call = (toolCallId: string) => ({ toolCallId, address: '/a' });
    const all = [{ items: [call('1')], cursor: '1' }, { items: [call('2'), call('3')] }];
    pages.set('allPending', all);
    expect((await asking(() => lists.usePending())).data).toEqual(['1', '2', '3'].map(call));
    const page = { limit: 500, signal: true };
    const both = (verb: string, ...at: string[]) => [
      [verb, ...at, page],
      [verb, ...at, { ...page, cursor: '1' }],
    ];
    expect(requests()).toEqual(both('allPending'));
    pages.set('pending', all);
    for (const [toolCallId, found, count] of [
      ['3', call('3'), 2],
      ['1', call('1'), 1],
      ['4', null, 2],
    ] as const) {
      asked.length = 0;
      expect((await asking(() => lists.useCall({ toolCallId, address: '/a' }))).data).toEqual(found);
      expect(requests()).toEqual(both('pending', '/a').slice(0, count));
    }
  });

  it('[CN44] for several calls once, holds those that wait, and shows them as they are now', async () => {
    const call = (toolCallId: string, input: number) => ({ toolCallId, address: '/a', input });
    pages.set('pending', [{ items: [call('1', 1), call('2', 2)] }]);
    const items = await asking(
      () => lists.useCalls(['1', '2', '3'].map((toolCallId) => ({ toolCallId, address: '/a' }))) ?? {},
    );
    expect(items).toEqual([call('1', 1), call('2', 2)]);
    expect(requests()).toEqual([['pending', '/a', { limit: 500, signal: true }]]);
  });

  it('[CN127] for calls of one id at an agent, below it and beside it, each with its own arguments', async () => {
    const all = ['/a', '/a/sub/leaf/x', '/b'].map((address) => ({ toolCallId: '1', address, input: address }));
    // A list of an agent has what waits below it, too, in any order.
    pages.set('pending', [{ items: all.toReversed() }]);
    expect(await asking(() => lists.useCalls(all) ?? {})).toEqual(all);
    for (const each of all) expect((await asking(() => lists.useCall(each))).data).toEqual(each);
  });

  it('[CN43] for the tool of a call by its agent and its name', async () => {
    const tool = (name: string, description: string) => ({ name, description });
    const agents = [
      { agentType: 'a', tools: [tool('x', 'a x'), tool('y', 'a y')] },
      { agentType: 'b', tools: [tool('x', 'b x')] },
    ];
    pages.set('agents', [{ items: agents }]);
    const item = (agentType: string, toolName: string) => ({ agentType, toolName }) as never;
    for (const [agentType, toolName, found] of [
      ['b', 'x', tool('x', 'b x')],
      ['a', 'y', tool('y', 'a y')],
      ['b', 'y', {}],
      ['c', 'x', {}],
    ] as const)
      expect(await asking(() => lists.useTool(item(agentType, toolName)))).toEqual({ ...found, loading: false });
  });

  it('[CN55] what the caller may do, and says what they may where they may not', async () => {
    pages.set('me', [{ actions: ['read', 'stop'] }]);
    expect(await asking(() => rights.useForbidden('stop', '/a') ?? {})).toEqual({});
    const why = 'Your token does not permit you to delete agents. Its permissions: read, stop.';
    expect(await asking(() => rights.useForbidden('admin') ?? {})).toBe(why);
    pages.set('me', [{ actions: [] }]);
    expect(await asking(() => rights.useForbidden('read') ?? {})).toContain(
      'permit you to read. Its permissions: none.',
    );
    expect(requests()).toEqual([
      ['me', { address: '/a', signal: true }],
      ['me', { signal: true }],
    ]);
    pages.set('me', [new Error('away')]);
    expect(await asking(() => rights.useForbidden('read') ?? {})).toEqual({});
  });
});

describe('a receipt', () => {
  const item = { toolCallId: 'c', toolName: 'refund', address: '/agents/a/b', inputHash: 'h' } as never;
  const base = { toolCallId: 'c', toolName: 'refund', address: '/agents/a/b' };
  const refusal = (details: unknown, code = 'already_answered') => new Refused({ details, code } as never);

  it.each([
    [{ kind: 'approve' }, { says: 'Approved' }],
    [{ kind: 'approve', input: null }, { says: 'Approved with changes' }],
    [{ kind: 'deny', reason: '' }, { says: 'Denied' }],
    [
      { kind: 'deny', reason: 'No.' },
      { says: 'Denied', reason: 'No.' },
    ],
    [{ kind: 'result', result: 1 }, { says: 'Answered' }],
    [{ kind: 'error', error: 'No.' }, { says: 'Answered with an error' }],
  ] as const)('[CN44] of %o', async (decision, facts) => {
    const made = await decisions.decide(item, decision, AbortSignal.abort());
    expect(made).toEqual({ ...base, who: 'you', at: expect.any(Number), elsewhere: false, ...facts });
    const key = expect.stringMatching(`^c\\.${decision.kind}\\.`);
    const options = expect.objectContaining({ idempotencyKey: key, signal: expect.any(AbortSignal) });
    const body = expect.objectContaining({ toolCallId: 'c' });
    expect(asked).toEqual([['answer', '/agents/a/b', body, options]]);
  });

  it.each([
    [{ decision: { approved: true, actor: 'ada', at: 5 } }, { says: 'Approved', who: 'ada', at: 5 }],
    [
      { decision: { approved: false, actor: 'local', at: 5, reason: 'No.' } },
      { says: 'Denied', who: 'somebody on this machine', at: 5, reason: 'No.' },
    ],
    [{ decision: { actor: 'anonymous', at: '5' } }, { says: 'Answered', who: 'somebody' }],
    [{ decision: { actor: 7, reason: 7 } }, { says: 'Answered', who: 'somebody else' }],
    [{ decision: null }, { says: 'Answered', who: 'somebody else' }],
    [null, { says: 'Answered', who: 'somebody else' }],
  ])('[CN44, CN72] of the answer of somebody else, as %o says it', async (details, facts) => {
    pages.set('answer', [refusal(details)]);
    const made = await decisions.decide(item, { kind: 'approve' }, AbortSignal.abort());
    expect(made).toEqual({ ...base, at: expect.any(Number), elsewhere: true, ...facts });
  });

  it('[CN44] is none for another refusal, and is kept by its call', async () => {
    pages.set('answer', [refusal(null, 'gone')]);
    await expect(decisions.decide(item, { kind: 'approve' }, AbortSignal.abort())).rejects.toMatchObject({
      code: 'gone',
    });
    const page = await mounted(() => decisions.useReceipts());
    const receipt = (toolCallId: string, says: string) =>
      decisions.receiptOf({ ...base, toolCallId } as never, { kind: says as 'deny', reason: '' });
    await page.settle(() => {
      decisions.keep(receipt('1', 'deny'));
      decisions.keep(receipt('2', 'deny'));
      decisions.keep({ ...receipt('1', 'deny'), says: 'Approved' });
    });
    expect([...page.result].map(([id, { says }]) => [id, says])).toEqual([
      ['/agents/a/b 1', 'Approved'],
      ['/agents/a/b 2', 'Denied'],
    ]);
    await page.unmount();
  });
});

describe('a word about a press', () => {
  it('[CN81, CN84] says what became of it and leads to its agent, stays where that went wrong, and gives way to newer ones', async () => {
    vi.useFakeTimers();
    const page = await mounted(() => toasts.useToasts());
    const shown = () => page.result.map(({ says, wrong, to }) => [says, wrong, to?.path]);
    const pass = (ms: number) => page.settle(() => vi.advanceTimersByTimeAsync(ms));
    await page.settle(() => toasts.toast('Sent.'));
    await pass(5_999);
    expect(shown()).toEqual([['Sent.', false, undefined]]);
    await pass(1);
    expect(shown()).toEqual([]);
    const at = '/agents/lead/q1';
    await page.settle(() => {
      toasts.toast('Old.', { wrong: true });
      toasts.toastLeft('Stop', at, { isUnsent: true });
      toasts.toastLeft('Stop', undefined, { isUnsent: false });
      toasts.toastLeft('Stop', at, { isUnsent: false, error: new Refused({ title: 'Too late.' } as never) });
    });
    await pass(60_000);
    expect(shown()).toEqual([
      ['Stop at lead q1 was not sent.', true, `/console${at}`],
      ['Stop got no response. Retries have ended; it may or may not have arrived.', true, '/home'],
      ['Stop at lead q1 refused: Too late.', true, `/console${at}`],
    ]);
    const [, second] = page.result;
    await page.settle(() => toasts.dismiss(second?.id ?? 0));
    expect(shown().map(([says]) => says)).toEqual([
      'Stop at lead q1 was not sent.',
      'Stop at lead q1 refused: Too late.',
    ]);
    await page.unmount();
  });

  it('[CN84] is made of the state of its request alone', () => {
    const error = new Error('x');
    const lost = { why: 'offline', isUnsent: true };
    for (const [state, words] of [
      [{ status: 'rest' }, { error: null }],
      [{ status: 'done' }, { error: null }],
      [{ status: 'sending', lost: undefined }, { error: null }],
      [
        { status: 'sending', lost },
        { error: null, lost: 'offline', unsent: true },
      ],
      [
        { status: 'failed', error, isUnsent: false },
        { error, unsent: false },
      ],
    ] as const)
      expect(presses.pressedOf('Stop', state)).toEqual({ what: 'Stop', ...words });
  });

  it('[CN84] watches its tries, counts no press while it is on its way, and says so when its view is left', async () => {
    const shown = await mounted(() => toasts.useToasts());
    const ends: ((answer: unknown) => void)[] = [];
    const ask = () => new Promise((resolve) => ends.push(resolve));
    const press = () => presses.usePress({ ask, what: (asked: string) => `Send ${asked}`, address: '/agents/lead/q1' });
    const page = await mounted(press);
    expect(page.result).toMatchObject({ what: '', error: null, isPending: false, isSuccess: false, isBusy: false });
    await page.settle(() => page.result.press('a'));
    expect(page.result).toMatchObject({ what: 'Send a', asked: 'a', isPending: true, isSuccess: false, isBusy: true });
    const report: unknown = onLostTry.mock.calls.at(-1)?.at(1 as never);
    await page.settle(() => typeof report === 'function' && report('offline', true));
    expect(page.result).toMatchObject({ lost: 'offline', unsent: true, isPending: true, isBusy: false });
    await page.settle(() => page.result.press('a'));
    await page.settle(() => ends.at(-1)?.('yes'));
    expect(page.result).toMatchObject({ isPending: false, isSuccess: true, isBusy: false });
    await page.settle(() => page.result.press('b'));
    const lose: unknown = onLostTry.mock.calls.at(-1)?.at(1 as never);
    await page.settle(() => typeof lose === 'function' && lose('offline', true));
    const before = shown.result.length;
    await page.unmount();
    await shown.settle();
    expect([shown.result.length - before, shown.result.at(-1)?.says]).toEqual([1, 'Send b at lead q1 was not sent.']);
    await shown.unmount();
  });
});
