import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { NO_USAGE } from '../../../src/protocol/usage';
import { type ServerFrame, serverFrameSchema } from '../../../src/protocol/wire/frames';
import { Subscriber } from '../../../src/sockets/subscriber';
import { ROOT, writtenLog } from '../../support/written-log';

function subscribed(log: ReturnType<typeof writtenLog>, next = 1, upToDate = false) {
  const frames: (JsonObject & { at: number })[] = [];
  const kept: number[] = [];
  let asked = 0;
  /** What the door says; undefined: at once, that it may. */
  const door: { asks: ((may: boolean) => void)[] | undefined } = { asks: undefined };
  /** Those who ask for the status, where it does not come at once. */
  const slow: { status: (() => void)[] | undefined } = { status: undefined };
  const dropped: number[] = [];
  const socket = {
    readyState: 1,
    bufferedAmount: 0,
    send(text: string): void {
      frames.push({ ...JSON.parse(text), at: log.time.environment.now() });
    },
  };
  const subscriber = new Subscriber(
    {
      environment: log.time.environment,
      tree: log.root,
      address: ROOT,
      ...{ named: false, deltas: true, batch: false },
      socket,
      mayRead: () => (door.asks ? new Promise((resolve) => door.asks?.push(resolve)) : true),
      share: () => 1_048_576,
      drop: () => void dropped.push(log.time.environment.now()),
      keep: ({ next: at }) => void kept.push(at),
      status: async () => {
        const body = { status: 'running', asked: ++asked };
        if (slow.status) await new Promise<void>((resolve) => slow.status?.push(resolve));
        return { ok: true, body };
      },
    },
    { next, upToDate },
  );
  log.root.watch(() => subscriber.wake());
  subscriber.wake();
  return {
    socket,
    frames,
    kept,
    subscriber,
    door,
    slow,
    dropped,
    of: (type: string) => frames.filter((frame) => frame.type === type),
  };
}

/** Lets so much time pass, in ms. */
async function pass(log: ReturnType<typeof writtenLog>, ms: number): Promise<void> {
  let over = false;
  log.time.environment.timer(ms, () => {
    over = true;
  });
  await log.time.until(() => over);
}

/** What changes the status. */
const change = {
  type: 'step_started',
  agentId: 's_1',
  agentType: 'top',
  address: ROOT,
  runId: 'r_1',
  step: 1,
  attempt: 1,
  timestamp: 1,
} as const;

function changeStatus(log: ReturnType<typeof writtenLog>): void {
  const sink = log.root.sink();
  log.root.deps.transaction(() => sink.keep([change], { status: 'running', usage: NO_USAGE }));
  sink.flush();
}

/** A frame of each kind that names the agent of its subscription. */
type Subscribed = Extract<ServerFrame, { readonly address?: string }>;
const of = { address: ROOT };
const SUBSCRIBED: { readonly [Type in Subscribed['type']]: Extract<Subscribed, { readonly type: Type }> } = {
  'offshoot.chunk': { type: 'offshoot.chunk', ...of, sequence: 1, chunk: change },
  'offshoot.chunks': { type: 'offshoot.chunks', ...of, chunks: [{ sequence: 1, chunk: change }] },
  'offshoot.reset': { type: 'offshoot.reset', ...of, from: 2 },
  'offshoot.up-to-date': { type: 'offshoot.up-to-date', ...of, sequence: 3 },
};

describe('a socket that reads the log', () => {
  it.each(Object.values(SUBSCRIBED))(
    '[W28, W32] reads $type as it is declared, with the agent that it names',
    (frame) => {
      expect(serverFrameSchema.parse(frame)).toEqual(frame);
    },
  );

  it('[W9] gets the status at most 10 times a second, and not for pieces of text', async () => {
    const log = writtenLog();
    log.begin(1);
    const client = subscribed(log);
    await log.time.until(() => client.of('offshoot.status').length === 1);
    for (let n = 0; n < 100; n++) {
      log.say([String(n)]);
      await log.time.settle();
    }
    await log.time.until(() => client.of('offshoot.chunk').length === 100);
    expect(client.of('offshoot.status')).toHaveLength(1);
    await pass(log, 1_000);
    for (let n = 0; n < 100; n++) {
      changeStatus(log);
      await pass(log, 20);
    }
    await pass(log, 200);
    const times = client.of('offshoot.status').map(({ at }) => at);
    expect(times.length).toBeGreaterThan(15);
    expect(times.length).toBeLessThanOrEqual(23);
    for (const [index, at] of times.entries())
      if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(100);
    expect(client.of('offshoot.chunk')).toHaveLength(200);
  });

  it('[W15] is sent nothing more while it has not taken what it was sent, and goes on where it was', async () => {
    const log = writtenLog();
    log.begin(1);
    for (let batch = 0; batch < 20; batch++) log.say(Array.from({ length: 10 }, () => 'x'.repeat(4_000)));
    const client = subscribed(log);
    client.socket.bufferedAmount = 2_000_000;
    for (let n = 0; n < 20; n++) log.time.step();
    await log.time.settle();
    expect([client.frames, log.reads]).toEqual([[], []]);
    client.socket.bufferedAmount = 0;
    await log.time.until(() => client.of('offshoot.up-to-date').length === 1);
    expect(client.of('offshoot.chunk').map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 1),
    );
    expect(client.kept.at(-1)).toBe(201);
  });

  it('[W17] that takes nothing for a minute is let go, and one that takes a little is not', async () => {
    const log = writtenLog();
    log.begin(1);
    log.say(['a']);
    const [still, slow] = [subscribed(log), subscribed(log)];
    still.socket.bufferedAmount = 2_000_000;
    slow.socket.bufferedAmount = 2_000_000;
    const began = log.time.environment.now();
    await pass(log, 59_000);
    slow.socket.bufferedAmount -= 1;
    expect(still.dropped).toEqual([]);
    await log.time.until(() => still.dropped.length > 0);
    const after = (still.dropped[0] ?? 0) - began;
    expect(after).toBeGreaterThanOrEqual(60_000);
    expect(after).toBeLessThanOrEqual(60_100);
    await pass(log, 1_000);
    expect([still.dropped.length, slow.dropped.length, still.frames, slow.frames]).toEqual([1, 0, [], []]);
    slow.socket.bufferedAmount = 1_048_576;
    await log.time.until(() => slow.of('offshoot.up-to-date').length === 1);
    expect(slow.of('offshoot.chunk')).toHaveLength(1);
  });

  it('[X11] is sent nothing until it is known that it may read, and nothing more once it may not', async () => {
    const log = writtenLog();
    log.begin(1);
    log.say(['a']);
    const client = subscribed(log);
    client.door.asks = [];
    await pass(log, 100);
    expect([client.frames, client.door.asks.length]).toEqual([[], 1]);
    log.say(['b']);
    await pass(log, 100);
    expect(client.frames).toEqual([]);
    for (const answer of client.door.asks.splice(0)) answer(true);
    await log.time.until(() => (client.door.asks?.length ?? 0) > 0);
    client.door.asks.splice(0)[0]?.(false);
    await pass(log, 100);
    log.say(['c']);
    await pass(log, 100);
    expect([client.frames, client.door.asks]).toEqual([[], []]);
  });

  it('[W9] gets its status in time when the clock was set back', async () => {
    const log = writtenLog();
    log.begin(1);
    const client = subscribed(log);
    await log.time.until(() => client.of('offshoot.status').length === 1);
    log.time.setBack(3_600_000);
    changeStatus(log);
    const began = log.time.environment.now();
    await log.time.until(() => client.of('offshoot.status').length === 2);
    expect(log.time.environment.now() - began).toBeLessThanOrEqual(200);
  });

  it('[W9] gets the status again that has changed while it was asked for, however often, and once', async () => {
    const log = writtenLog();
    log.begin(1);
    const client = subscribed(log);
    await log.time.until(() => client.of('offshoot.status').length === 1);
    for (const changes of [1, 3]) {
      const before = client.of('offshoot.status').length;
      const waiting: (() => void)[] = [];
      client.slow.status = waiting;
      changeStatus(log);
      await log.time.until(() => waiting.length === 1);
      for (let change = 0; change < changes; change++) {
        changeStatus(log);
        await pass(log, 200);
      }
      expect(waiting).toHaveLength(1);
      client.slow.status = undefined;
      for (const answer of waiting) answer();
      await pass(log, 1_000);
      const statuses = client.of('offshoot.status').slice(before);
      expect(statuses.map(({ status }) => status)).toMatchObject([{ asked: before + 1 }, { asked: before + 2 }]);
    }
  });

  it('[W12] keeps its position after each page', async () => {
    const log = writtenLog();
    log.begin(1);
    log.say(['a', 'b']);
    const client = subscribed(log);
    await log.time.until(() => client.kept.includes(3));
    const again = subscribed(log, 3);
    log.say(['c']);
    await log.time.until(() => again.of('offshoot.chunk').length === 1);
    expect(again.of('offshoot.chunk')[0]).toMatchObject({ sequence: 3 });
  });

  it.each([true, false])(
    '[W3, W12] that the log has left behind is up to date again once it has the rest (before: %s)',
    async (before) => {
      const log = writtenLog();
      log.begin(1);
      log.say(['a', 'b']);
      const client = subscribed(log, 1_000, before);
      await log.time.until(() => client.of('offshoot.status').length === 1);
      const kinds = client.frames.map(({ type }) => type);
      expect(kinds).toEqual([
        'offshoot.reset',
        'offshoot.chunk',
        'offshoot.chunk',
        'offshoot.up-to-date',
        'offshoot.status',
      ]);
      expect(client.of('offshoot.up-to-date')).toMatchObject([{ sequence: log.root.log.last }]);
    },
  );

  it('[W15] that has gone is forgotten', async () => {
    const log = writtenLog();
    log.begin(1);
    const client = subscribed(log);
    await log.time.until(() => client.of('offshoot.up-to-date').length === 1);
    client.socket.readyState = 3;
    log.say(['a']);
    await pass(log, 1);
    log.say(['b']);
    expect(log.time.pending).toBe(0);
    expect(client.of('offshoot.chunk')).toEqual([]);
  });
});
