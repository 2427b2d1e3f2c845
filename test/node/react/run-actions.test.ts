/** Requests of the hooks of one run: every action, every option. */
import { createElement } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { type Client, ClientError, type FollowEvent, Refused } from '../../../src/client';
import { OffshootProvider, useInbox, useInboxOfAll, useRun } from '../../../src/react';
import { RunStore, runStoreOf } from '../../../src/react/run-store';
import { newLog } from '../../support/log';
import { asEvents, PuppetLog } from '../../support/puppet-log';
import { mounted } from '../../support/react-hooks';

const ADDRESS = '/agents/coordinator/cedar-3f9k';
const refusal = (code: string) =>
  new Refused({
    ...{ status: 404, category: 'not_found', retryable: false, code, title: code, detail: '', details: null },
    requestId: '',
  });

/** A client that answers every request with its own words, and keeps them. */
function clientOf(requests: Partial<Client> = {}) {
  const log = new PuppetLog();
  const asked: unknown[][] = [];
  const known = { follow: log.follow, ...requests };
  const client = new Proxy(known, {
    get: (target, name) =>
      Reflect.get(target, name) ??
      (async (...all: unknown[]) => {
        asked.push([name, ...all]);
        return name;
      }),
  }) as unknown as Client;
  return { log, asked, client };
}

const below = <Result>(client: Client, hook: () => Result) =>
  mounted(hook, (page) => createElement(OffshootProvider, { client }, page));

/** Tells the log, and lets the page draw what its store has then. */
async function tell(
  { log, client }: ReturnType<typeof clientOf>,
  page: Pick<Awaited<ReturnType<typeof mounted>>, 'settle'>,
  ...events: readonly (FollowEvent | Error)[]
) {
  const store = runStoreOf(client, ADDRESS);
  const before = store.getSnapshot();
  log.tell(...events);
  await page.settle(() => vi.waitFor(() => expect(store.getSnapshot()).not.toBe(before)));
}

describe('the actions of a run', () => {
  it('[RH4] ask the client for the verb of their name, with the address and all that they were given', async () => {
    const { asked, client } = clientOf();
    const page = await below(client, () => useRun(ADDRESS));
    const { reconnect, ...actions } = page.result.actions;
    const options = { idempotencyKey: 'k' };
    const answer = { kind: 'client-tool-result', toolCallId: 'c', result: 1 } as const;
    const table = {
      start: [[{ message: 'Go.' }, options]],
      send: [[{ content: 'On.', role: 'user' }, options]],
      interrupt: [['why'], []],
      abort: [['why'], []],
      terminate: [['why'], []],
      resume: [[{ message: 'On.' }]],
      retry: [[{ message: 'On.' }]],
      answer: [[answer, options]],
    } as const satisfies Record<keyof typeof actions, readonly (readonly unknown[])[]>;
    const isStop = (name: string) => ['interrupt', 'abort', 'terminate'].includes(name);
    for (const [name, action] of Object.entries(actions))
      for (const given of table[name as keyof typeof table]) {
        const answered: unknown = await Reflect.apply(action, undefined, given);
        const [reason] = given;
        const sent = isStop(name) ? [reason === undefined ? {} : { reason }] : given;
        expect([answered, asked.at(-1)]).toEqual([name, [name, ADDRESS, ...sent]]);
      }
    expect(new Set(asked.map(([name]) => name))).toEqual(new Set(Object.keys(table)));
    expect(reconnect).toBe(runStoreOf(client, ADDRESS).reconnect);
    await page.unmount();
  });

  it('[RH4] leave a connection that is not refused as it is, and open one that was by a start or a message', async () => {
    const told = clientOf();
    const page = await below(told.client, () => useRun(ADDRESS));
    const { actions, address } = page.result;
    expect(address).toBe(ADDRESS);
    const connections = async (act: () => Promise<unknown>) => {
      await page.settle(act);
      return told.log.connections.length;
    };
    expect(await connections(() => actions.start({ message: 'Go.' }))).toBe(1);
    await tell(told, page, refusal('never_began'));
    expect(await connections(() => actions.interrupt())).toBe(1);
    expect(await connections(() => actions.start({ message: 'Go.' }))).toBe(2);
    await tell(told, page, refusal('never_began'));
    expect(await connections(() => actions.send('Go.'))).toBe(3);
    await page.unmount();
  });
});

describe('the connection of a run', () => {
  const passed = () => new Promise((resolve) => setImmediate(resolve));

  it('[RH1, RH2] is a socket if the page has them, unless another kind is asked for, and stays open', async () => {
    for (const [socket, over, expected] of [
      [class {}, undefined, 'socket'],
      [undefined, undefined, 'sse'],
      [class {}, 'sse', 'sse'],
      [undefined, 'socket', 'socket'],
    ] as const) {
      vi.stubGlobal('WebSocket', socket);
      const log = new PuppetLog();
      const leave = runStoreOf(log, ADDRESS, over).subscribe(() => undefined);
      expect(log.connections[0]?.options).toMatchObject({
        ...{ over: expected, from: 1, stay: true, giveUpMs: Number.POSITIVE_INFINITY },
      });
      leave();
    }
  });

  it('[RH2] that fails is closed by an error of the client, or by one with the text of what was thrown', async () => {
    const own = refusal('not_found');
    for (const [thrown, error] of [
      [own, own],
      [new TypeError('odd'), new ClientError('TypeError: odd')],
    ] as const) {
      const log = new PuppetLog();
      const store = new RunStore(log, ADDRESS, { schedule: (notify) => notify() });
      const leave = store.subscribe(() => undefined);
      log.tell({ type: 'connection', problem: 'It was lost.' }, thrown);
      await vi.waitFor(() => expect(store.getSnapshot().connection).toBe('closed'));
      expect(store.getSnapshot()).toMatchObject({ problem: undefined });
      expect(store.getSnapshot().error).toEqual(error);
      leave();
      await passed();
    }
  });

  it('[RH2] that has been left says nothing more, nor what ends it', async () => {
    const log = new PuppetLog();
    const store = new RunStore(log, ADDRESS, { schedule: (notify) => notify() });
    store.subscribe(() => undefined);
    log.tell({ type: 'connection' });
    await vi.waitFor(() => expect(store.getSnapshot().connection).toBe('open'));
    store.reconnect();
    const [old] = log.connections;
    const before = store.getSnapshot();
    old?.tell({ type: 'connection', problem: 'The old one.' }, refusal('gone'));
    await passed();
    expect(store.getSnapshot()).toBe(before);
    store.reopen();
    expect(log.connections).toHaveLength(2);
  });
});

describe('an inbox', () => {
  it('[RH8] has of each call all that its card shows, and a deadline and a hash only where there are any', async () => {
    const told = clientOf();
    const page = await below(told.client, () => useInbox(ADDRESS));
    const log = newLog();
    const root = log.root('coordinator', 'cedar-3f9k').run('r_1').step(1);
    root.asks('approval', 'c_1', 'refund', { amount: 5 }, 99).asks('client-tool', 'c_2', 'pick', 7);
    await tell(told, page, ...asEvents(log.entries));
    const [one, other] = log.entries.slice(-2).map(({ chunk }) => chunk.timestamp);
    const base = { address: ADDRESS, agentType: 'coordinator' };
    const { items } = page.result;
    expect(items).toStrictEqual([
      {
        ...{ ...base, toolCallId: 'c_1', kind: 'approval', toolName: 'refund', input: { amount: 5 }, expiresAt: 99 },
        ...{ requestedAt: one, inputHash: items[0]?.inputHash },
      },
      { ...base, toolCallId: 'c_2', kind: 'client-tool', toolName: 'pick', input: 7, requestedAt: other },
    ]);
    expect(items[0]?.inputHash).toMatch(/^[\da-f]{64}$/);
    expect(page.result).toMatchObject({ isLoading: true, error: undefined });
    await tell(told, page, refusal('forbidden'));
    expect(page.result).toMatchObject({ items, isLoading: false, error: { code: 'forbidden' } });
  });

  it('[RH8] over all roots asks for the most that a page has, and forgets an error with the next answer', async () => {
    const reads: { signal?: AbortSignal }[] = [];
    const answers: (() => unknown)[] = [];
    const allPending = async (options: object) => {
      reads.push(options);
      await Promise.resolve();
      return answers[0]?.();
    };
    vi.useFakeTimers();
    const { client } = clientOf({ allPending: allPending as never });
    answers.push(() => {
      throw 'odd';
    });
    const page = await below(client, () => useInboxOfAll());
    const pass = (ms: number) => page.settle(() => vi.advanceTimersByTimeAsync(ms));
    await pass(0);
    expect(page.result).toEqual({ items: [], isLoading: false, error: new Error('odd') });
    answers[0] = () => ({ items: [{ toolCallId: 'c_1' }] });
    await pass(10_000);
    expect(page.result).toEqual({ items: [{ toolCallId: 'c_1' }], isLoading: false, error: undefined });
    expect(reads.every((read) => Reflect.get(read, 'limit') === 500)).toBe(true);
    await page.unmount();
    expect(reads.at(-1)?.signal?.aborted).toBe(true);
  });
});
