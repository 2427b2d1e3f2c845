/** The custom state of an agent in a component that is mounted in Strict Mode. */
import { createElement } from 'react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Client, type FollowEvent, type Json, Refused, Unreachable, watchState } from '../../../src/client';
import { createClient } from '../../../src/client/client';
import { reduceAll } from '../../../src/protocol/view/reduce';
import { OffshootProvider, type RunSource, useAgentState, useAgentTree, useRun } from '../../../src/react';
import { runStoreOf } from '../../../src/react/run-store';
import { newLog } from '../../support/log';
import { asEvents, PuppetLog } from '../../support/puppet-log';
import { mounted } from '../../support/react-hooks';

const ADDRESS = '/agents/keeper/one';
const OPEN: FollowEvent = { type: 'connection' };
const refused = (code: string, retryable = false) =>
  new Refused({
    ...{ status: 409, code, category: 'conflict', retryable, title: code, detail: '', details: null, requestId: '' },
  });

type Answer = { state: Json; asOfSequence: number } | Error;

/** A client whose log and states the test tells. */
function clientOf(...answers: readonly Answer[]) {
  const log = new PuppetLog();
  const asked: string[] = [];
  const left = [...answers];
  const state = async (address: string, { signal }: { signal?: AbortSignal } = {}) => {
    // In Strict Mode an effect runs twice, and its first request is aborted before anything else happens.
    await Promise.resolve();
    signal?.throwIfAborted();
    asked.push(address);
    const answer = left.shift() ?? new Error('More was asked than expected.');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const client = { follow: log.follow, state } as unknown as Client;
  const tell = async (page: Awaited<ReturnType<typeof mounted>>, ...events: readonly FollowEvent[]) => {
    const store = runStoreOf(client, ADDRESS);
    const before = store.getSnapshot();
    log.tell(...events);
    await page.settle(() => vi.waitFor(() => expect(store.getSnapshot()).not.toBe(before)));
  };
  return { client, asked, tell };
}

const below = <Result>(client: Client, hook: () => Result) =>
  mounted(hook, (page) => createElement(OffshootProvider, { client }, page));

/** The agent that a page shows at an address of a view that it has, and its state. */
const shownBelow = (client: Client, address: string) =>
  below(client, () => {
    const source = useRun(ADDRESS);
    return [useAgentTree(address, { source }).selected?.agentId, useAgentState(address, { source }).state];
  });

const add = (path: string, value: Json): Json => ({ op: 'add', path, value });
const todo = (n: number): Json => add(`/todos/${n}`, `todo ${n}`);

/** A log with these patches: the run starts at sequence 1, and the first patch is at 2. */
function logOf(...patches: readonly Json[]) {
  const log = newLog();
  const agent = log.root('keeper', 'one').run('r_1');
  for (const patch of patches) agent.emit({ type: 'state_patch', patch: [patch] });
  return asEvents(log.entries);
}

const chunksOf = (log: ReturnType<typeof newLog>, from: number) => asEvents(log.entries.slice(from));

describe('useAgentState', () => {
  it('[RH19] reads the state once, and takes each patch after it in order without a request', async () => {
    const events = logOf(todo(0), todo(1), todo(2));
    const told = clientOf({ state: { todos: ['todo 0', 'todo 1'] }, asOfSequence: 3 });
    const page = await below(told.client, () => useAgentState<{ todos: string[] }>(ADDRESS));
    expect(page.result).toEqual({ state: undefined, isLoading: false, error: undefined });
    // The log is behind what was read, and comes to it and past it.
    await told.tell(page, OPEN, ...events.slice(0, 2));
    expect(page.result).toMatchObject({ state: { todos: ['todo 0', 'todo 1'] }, isLoading: false });
    const before = page.result;
    await told.tell(page, ...events.slice(2, 3));
    expect(page.result).toBe(before);
    await told.tell(page, ...events.slice(3));
    expect(page.result.state).toEqual({ todos: ['todo 0', 'todo 1', 'todo 2'] });
    expect(told.asked).toEqual([ADDRESS]);
  });

  it('[RH19] reads again after a reset, and keeps the last state meanwhile', async () => {
    const told = clientOf({ state: { todos: [] }, asOfSequence: 1 }, { state: { todos: ['a', 'b'] }, asOfSequence: 9 });
    const page = await below(told.client, () => useAgentState(ADDRESS));
    await told.tell(page, OPEN, ...logOf(todo(0)));
    expect(page.result.state).toEqual({ todos: ['todo 0'] });
    const later = newLog();
    const agent = later.root('keeper', 'one').run('r_1');
    for (let at = 0; at < 9; at++) agent.emit({ type: 'custom', name: 'n', data: at });
    await told.tell(page, { type: 'reset', from: 9 });
    expect(page.result.state).toBeUndefined();
    await told.tell(page, ...chunksOf(later, 8));
    expect([page.result.state, told.asked.length]).toEqual([{ todos: ['a', 'b'] }, 2]);
  });

  it('[RH19] reads again after chunks that the server no longer has, and after a patch that has no place', async () => {
    const told = clientOf(
      { state: { todos: [] }, asOfSequence: 1 },
      { state: { todos: ['0', '1'] }, asOfSequence: 3 },
      { state: { todos: ['0', '1', '2', '3', '4'] }, asOfSequence: 4 },
    );
    const page = await below(told.client, () => useAgentState(ADDRESS));
    const [start, , third, odd] = logOf(todo(0), todo(1), todo(4)) as [FollowEvent, FollowEvent, never, FollowEvent];
    await told.tell(page, OPEN, start);
    await told.tell(page, { ...(third as Extract<FollowEvent, { type: 'chunk' }>), missing: 1 });
    expect([page.result.state, told.asked.length]).toEqual([{ todos: ['0', '1'] }, 2]);
    await told.tell(page, odd);
    expect([page.result.state, told.asked.length]).toEqual([{ todos: ['0', '1', '2', '3', '4'] }, 3]);
    expect(page.result.error).toBeUndefined();
  });

  it('[RH19] says that a patch still has no place in what was read again, and asks no more', async () => {
    const read = { state: { todos: [] }, asOfSequence: 1 };
    const told = clientOf(read, read);
    const page = await below(told.client, () => useAgentState(ADDRESS));
    await told.tell(page, OPEN, ...logOf(todo(4)));
    expect([page.result.error?.message, told.asked.length]).toEqual([expect.stringContaining('does not fit'), 2]);
  });

  it('[RH19, RH26] reads nothing of an agent that is queued, and what is refused again in the next run', async () => {
    const told = clientOf(refused('forbidden'), { state: 7, asOfSequence: 2 });
    const page = await below(told.client, () => useAgentState(ADDRESS));
    const log = newLog();
    const agent = log.root('keeper', 'one').run('r_1');
    await told.tell(page, OPEN, ...chunksOf(log, 0));
    expect(page.result).toMatchObject({ state: undefined, error: { code: 'forbidden' } });
    await told.tell(page, { type: 'connection', problem: 'lost' });
    await told.tell(page, OPEN);
    const seen = log.entries.length;
    agent.run('r_2');
    await told.tell(page, ...chunksOf(log, seen));
    expect([page.result, told.asked.length]).toEqual([{ state: 7, isLoading: false, error: undefined }, 2]);
  });

  it('[RH26] reads again in a while what may succeed later, over the same connection, and nothing that is refused', async () => {
    const told = clientOf(refused('unavailable', true), new Unreachable('gone'), refused('forbidden'));
    const page = await below(told.client, () => useAgentState(ADDRESS));
    const log = newLog();
    log.root('keeper', 'one').run('r_1');
    const waits = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => waits.mockRestore());
    const later = async () => {
      const due = waits.mock.calls.filter(([, ms]) => ms === 5_000).map(([call]) => call);
      waits.mockClear();
      await page.settle(async () => due.at(-1)?.());
      return due.length > 0;
    };
    await told.tell(page, OPEN, ...chunksOf(log, 0));
    expect([page.result.error, told.asked.length]).toMatchObject([{ code: 'unavailable' }, 1]);
    expect(await later()).toBe(true);
    expect([page.result.error, told.asked.length]).toMatchObject([{ name: 'Unreachable' }, 2]);
    // Nothing is asked of a server that cannot be reached.
    await told.tell(page, { type: 'connection', problem: 'lost' });
    await told.tell(page, OPEN);
    expect(told.asked).toHaveLength(2);
    expect(await later()).toBe(true);
    expect([page.result.error, told.asked.length]).toMatchObject([{ code: 'forbidden' }, 3]);
    expect(await later()).toBe(false);
  });

  it('[RH28] shows nothing that another client has read, also where its own client may not read', async () => {
    const log = newLog();
    log.root('keeper', 'one').run('r_1');
    const source: RunSource = { view: reduceAll(log.entries), connection: 'open' };
    let { client } = clientOf({ state: 'of one', asOfSequence: 1 });
    const page = await mounted(() => useAgentState(ADDRESS, { source, client }));
    await page.settle(() => vi.waitFor(() => expect(page.result.state).toBe('of one')));
    ({ client } = clientOf(refused('forbidden')));
    await page.render();
    await page.settle(() => vi.waitFor(() => expect(page.result.error).toMatchObject({ code: 'forbidden' })));
    expect(page.result).toMatchObject({ state: undefined, isLoading: false });
  });

  it('[RH14, RH19] shows a sub-agent of a view that the page has, over its connection', async () => {
    const told = clientOf({ state: { n: 1 }, asOfSequence: 2 });
    const log = newLog();
    const child = log.root('keeper', 'one').run('r_1').step(1).spawn('c_1', 'clerk', '1~1', {});
    const page = await below(told.client, () => {
      const run = useRun(ADDRESS);
      return useAgentState(`${ADDRESS}/sub/clerk/1~1`, { source: run });
    });
    await told.tell(page, OPEN, ...chunksOf(log, 0));
    expect([page.result.state, told.asked]).toEqual([undefined, []]);
    const seen = log.entries.length;
    child.run('r_2').emit({ type: 'state_patch', patch: [add('/m', 2)] });
    await told.tell(page, ...chunksOf(log, seen));
    expect([page.result.state, told.asked]).toEqual([{ n: 1, m: 2 }, [`${ADDRESS}/sub/clerk/1~1`]]);
  });

  it('[RH25] shows the newest agent of an address, and takes no patch of an older one', async () => {
    const told = clientOf({ state: { n: 1 }, asOfSequence: 2 }, { state: { n: 2 }, asOfSequence: 99 });
    const log = newLog();
    const root = log.root('keeper', 'one').run('r_1').step(1);
    const older = root.spawn('c_1', 'clerk', 'files', {}).run('r_2');
    const below = `${ADDRESS}/sub/clerk/files`;
    const page = await shownBelow(told.client, below);
    await told.tell(page, OPEN, ...chunksOf(log, 0));
    expect(page.result).toEqual(['s_c_1', { n: 1 }]);
    const seen = log.entries.length;
    root.spawn('c_2', 'clerk', 'files', {}).run('r_3');
    older.emit({ type: 'state_patch', patch: [add('/m', 2)] });
    await told.tell(page, ...chunksOf(log, seen));
    expect(page.result).toEqual(['s_c_2', { n: 2 }]);
  });
});

describe('watchState', () => {
  /**
   * What is yielded for these events, with the answers of the server, and the time of each request. An event comes
   * `everyMs` after the one before it.
   */
  async function watched(events: readonly FollowEvent[], answers: readonly Answer[], everyMs = 0) {
    const { client, asked } = clientOf(...answers);
    const real = createClient({ baseUrl: '' });
    const times: number[] = [];
    let now = 0;
    const clock = { now: () => now, wait: () => Promise.reject(new Error('It waits for nothing.')) };
    async function* follow() {
      for (const event of events) {
        yield event;
        now += everyMs;
      }
    }
    const state: typeof client.state = (...given) => {
      times.push(now);
      return client.state(...given);
    };
    Object.assign(real, { follow, state });
    const states: unknown[] = [];
    for await (const { state } of watchState(real, ADDRESS, { clock })) states.push(state);
    return { states, asked, times };
  }

  it('[J14] yields the state after each event, read once and after each gap', async () => {
    const events = logOf(todo(0), todo(1));
    const read = { state: { todos: ['a'] }, asOfSequence: 2 };
    const { states, asked } = await watched([OPEN, ...events], [read]);
    expect(states).toEqual([undefined, read.state, read.state, { todos: ['a', 'todo 1'] }]);
    expect(asked).toHaveLength(1);
    const after = [{ type: 'reset', from: 9 }, ...logOf(...Array(8).fill(todo(0))).slice(8)] as const;
    const again = await watched([...events, ...after], [read, { state: 'new', asOfSequence: 9 }]);
    expect([again.states.at(-1), again.asked.length]).toEqual(['new', 2]);
  });

  it('[J14] after a gap whose state is not read, shows the last one that was, without the patches behind the gap', async () => {
    const read = { state: { todos: ['a'] }, asOfSequence: 2 };
    const after = [{ type: 'reset', from: 9 }, ...logOf(...Array(9).fill(todo(0))).slice(8)] as const;
    const answers = [read, ...after.map(() => new Unreachable('gone'))];
    const { states } = await watched([...logOf(todo(0)), ...after], answers);
    expect(states.at(-1)).toEqual(read.state);
  });

  /** 800 chunks of thinking, a millisecond apart, behind a change of the state. */
  function thinking() {
    const log = newLog();
    const step = log.root('keeper', 'one').run('r_1');
    step.emit({ type: 'state_patch', patch: [todo(0)] });
    for (let n = 0; n < 800; n += 1) step.emit({ type: 'thinking', part: 0, delta: 'hm' });
    return asEvents(log.entries);
  }

  it.each<[string, Answer, number[]]>([
    ['no answer comes', new Unreachable('gone'), [0, 1, 201, 601]],
    ['it has not begun', refused('never_began'), [0, 1, 201, 601]],
    ['a patch has no place in what is read', { state: 'other', asOfSequence: 1 }, [0, 1, 101, 301, 701]],
  ])('[J16] where %s, asks again after a backoff that doubles, whatever pieces come', async (_, failure, expected) => {
    const { times } = await watched(thinking(), Array(9).fill(failure), 1);
    expect(times).toEqual(expected);
  });

  it('[J16] a chunk that is no piece of a stream does not wait: it may be the last for long', async () => {
    const log = newLog();
    const step = log.root('keeper', 'one').run('r_1').step(1);
    step
      .emit({ type: 'state_patch', patch: [todo(0)] })
      .text('a', 'b')
      .tool('c_1', 'find', {});
    const events = asEvents(log.entries);
    const times = events.map(({ type, ...event }, at) =>
      'entry' in event && event.entry.chunk.type === 'text_delta' ? [] : [at],
    );
    const failures = events.map(() => new Unreachable('gone'));
    expect((await watched(events, failures, 1)).times).toEqual(times.flat());
  });

  it('[J16] begins with the shortest backoff again after a success', async () => {
    const events = thinking();
    const failed = new Unreachable('gone');
    const read = { state: {}, asOfSequence: 802 };
    const { times } = await watched(
      [...events, { type: 'reset', from: 402 }, ...events.slice(401)],
      [failed, failed, read, failed, failed, read],
      1,
    );
    expect(times).toEqual([0, 1, 201, 803, 903, 1_103]);
  });

  it('[J16] does not wait at the end of the events so far', async () => {
    const events = [...thinking(), { type: 'up-to-date' }, { type: 'rest', status: 'completed' }] as const;
    const answers = [...Array(5).fill(new Unreachable('gone')), { state: {}, asOfSequence: 99 }];
    const { states, times } = await watched(events, answers, 1);
    expect([times.slice(4), states.at(-1)]).toEqual([[802, 803], {}]);
  });

  it('[J14, J16] asks again where no answer came, and ends where the state may not be read', async () => {
    const log = newLog();
    log.root('keeper', 'one').run('r_1').step(1).text('a', 'b').commit();
    const events = asEvents(log.entries);
    const answers = [new Unreachable('gone'), refused('never_began'), { state: 1, asOfSequence: 1 }];
    const seen = await watched(events, answers, 100);
    expect([seen.states, seen.times]).toEqual([
      [undefined, undefined, undefined, 1, 1],
      [0, 100, 300],
    ]);
    await expect(watched(events, [refused('forbidden')])).rejects.toMatchObject({ code: 'forbidden' });
  });
});
