/** One run that many read. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refused } from '../../../src/client';
import { RunStore, runStoreOf, type Schedule } from '../../../src/react/run-store';
import { deskLog, newLog } from '../../support/log';
import { asEvents, PuppetLog } from '../../support/puppet-log';

const ADDRESS = '/agents/coordinator/cedar-3f9k';
const notFound = new Refused({
  ...{
    status: 404,
    category: 'not_found',
    retryable: false,
    code: 'not_found',
    title: 'Not found',
    detail: '',
    details: null,
    requestId: '',
  },
});

/** Lets everything happen that is due. */
const passed = () => vi.advanceTimersByTimeAsync(0);

/** A store whose changes are told when the test says so. */
function stored() {
  const log = new PuppetLog();
  const due: (() => void)[] = [];
  const schedule: Schedule = (notify) => void due.push(notify);
  const store = new RunStore(log, ADDRESS, { schedule });
  const told = { count: 0 };
  const frame = async () => {
    await passed();
    for (const notify of due.splice(0)) notify();
  };
  const listener = () => {
    told.count += 1;
  };
  return { log, store, told, frame, listener };
}

describe('the store of a run', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('[RH1] has one connection for all readers, which the last one closes and nobody between', async () => {
    const { log, store } = stored();
    const [one, other] = [store.subscribe(() => undefined), store.subscribe(() => undefined)];
    expect(log.open).toHaveLength(1);
    one();
    await passed();
    expect(log.open).toHaveLength(1);
    other();
    // As Strict Mode does: away and there again.
    const again = store.subscribe(() => undefined);
    await passed();
    expect([log.open.length, log.connections.length]).toEqual([1, 1]);
    again();
    await passed();
    expect(log.open).toHaveLength(0);
  });

  it('[RH1] is shared by address, client and connection, and forgotten once nobody reads it', async () => {
    const [log, another] = [new PuppetLog(), new PuppetLog()];
    const store = runStoreOf(log, ADDRESS);
    expect(runStoreOf(log, ADDRESS)).toBe(store);
    for (const other of [runStoreOf(another, ADDRESS), runStoreOf(log, `${ADDRESS}x`), runStoreOf(log, ADDRESS, 'sse')])
      expect(other).not.toBe(store);
    store.subscribe(() => undefined)();
    await passed();
    expect(runStoreOf(log, ADDRESS)).not.toBe(store);
  });

  it('[RH3] tells its readers once for many events, and then all of it', async () => {
    const { log, store, told, frame, listener } = stored();
    store.subscribe(listener);
    const before = store.getSnapshot();
    log.tell({ type: 'connection' }, ...asEvents(deskLog().entries), { type: 'up-to-date' });
    await passed();
    expect([told.count, store.getSnapshot()]).toEqual([0, before]);
    await frame();
    const { connection, isUpToDate, agent, output, view } = store.getSnapshot();
    expect({ connection, isUpToDate, status: agent?.status, output, agents: view.agents.length }).toEqual({
      ...{ connection: 'open', isUpToDate: true, status: 'completed', agents: 4 },
      output: '# Report\n\nIts parent tells it.',
    });
    expect(told.count).toBe(1);
    await frame();
    expect(told.count).toBe(1);
  });

  it('[RH2] goes on after what it has, and holds its view while the connection is lost', async () => {
    const { log, store, frame } = stored();
    const { entries } = deskLog();
    store.subscribe(() => undefined);
    log.tell({ type: 'connection' }, ...asEvents(entries.slice(0, 6)), { type: 'connection', problem: 'It was lost.' });
    await frame();
    expect(store.getSnapshot()).toMatchObject({ connection: 'lost', problem: 'It was lost.' });
    expect(store.getSnapshot().view.lastSequence).toBe(6);
    store.reconnect();
    expect([log.connections.length, log.open.length]).toEqual([2, 1]);
    expect(log.open[0]?.options).toMatchObject({ from: 7, stay: true, giveUpMs: Number.POSITIVE_INFINITY });
    log.tell({ type: 'connection' }, ...asEvents(entries.slice(6)));
    await frame();
    expect(store.getSnapshot()).toMatchObject({
      connection: 'open',
      problem: undefined,
      agent: { status: 'completed' },
    });
  });

  it('[RH2] begins anew where the log was compacted', async () => {
    const { log, store, frame } = stored();
    store.subscribe(() => undefined);
    log.tell(...asEvents(deskLog().entries.slice(0, 3)), { type: 'reset', from: 40 });
    await frame();
    expect(store.getSnapshot()).toMatchObject({ agent: undefined, view: { lastSequence: 39, agents: [] } });
  });

  it('[RH2] is closed by a refusal, which it names, until it is told to connect anew', async () => {
    const { log, store, frame } = stored();
    store.subscribe(() => undefined);
    log.tell(notFound);
    await frame();
    expect(store.getSnapshot()).toMatchObject({ connection: 'closed', error: notFound });
    store.reconnect();
    await frame();
    expect(store.getSnapshot()).toMatchObject({ connection: 'connecting', error: undefined });
    expect(log.open[0]?.options.from).toBe(1);
  });

  it('[RH25] has the newest agent of its address', async () => {
    const log = new PuppetLog();
    const due: (() => void)[] = [];
    const store = new RunStore(log, `${ADDRESS}/sub/clerk/files`, { schedule: (notify) => void due.push(notify) });
    const written = newLog();
    const root = written.root('coordinator', 'cedar-3f9k').run('r_1').step(1);
    for (const call of ['c_1', 'c_2']) root.spawn(call, 'clerk', 'files', {}).run(`r_${call}`);
    store.subscribe(() => undefined);
    log.tell(...asEvents(written.entries));
    await passed();
    for (const notify of due) notify();
    expect(store.getSnapshot().agent?.agentId).toBe('s_c_2');
  });

  it('[RH3] has an output while it is written', async () => {
    const { log, store, frame } = stored();
    const written = newLog();
    const agent = written.root('coordinator', 'cedar-3f9k').run('r_1').step(1);
    agent.emit({ type: 'tool_arg_stream_start', toolCallId: 'c_1', toolName: '__finish__' });
    agent.emit({ type: 'tool_arg_stream_delta', toolCallId: 'c_1', delta: '{"title":"Half' });
    store.subscribe(() => undefined);
    log.tell(...asEvents(written.entries));
    await frame();
    expect(store.getSnapshot().output).toEqual({ title: 'Half' });
  });
});
