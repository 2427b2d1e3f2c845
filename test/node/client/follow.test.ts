import { describe, expect, it, vi } from 'vitest';
import { ProtocolError, Refused, Unreachable } from '../../../src/client/errors';
import { type FollowOptions, follow, viewAfter } from '../../../src/client/follow';
import type { Api } from '../../../src/client/http';
import type { Source } from '../../../src/client/source';
import { type ChunkBody, isWireChunk } from '../../../src/protocol/chunks';
import { failure } from '../../../src/protocol/errors';
import { isAtRest, SUSPENDED_STATUSES, type SuspendedStatus } from '../../../src/protocol/status';
import { reduce, reduceAll } from '../../../src/protocol/view/reduce';
import { emptyView, type TreeView, viewFrom } from '../../../src/protocol/view/view';
import { type FakeServer, fakeServer, wireEvent } from '../../support/fake-server';
import { deskLog, newLog } from '../../support/log';
import { present } from '../../support/present';
import { deskRun } from '../cli/surroundings';
import { waitingDesk } from '../cli/waiting-desk';

const ADDRESS = '/agents/coordinator/cedar-3f9k';

/** What a follower told, and the view that a client holds after it. */
interface Followed {
  readonly result: Promise<string>;
  readonly told: string[];
  readonly sequences: number[];
  readonly missing: number[];
  readonly waits: number[];
  view(): TreeView;
}

interface Given extends FollowOptions {
  readonly api?: Partial<Api>;
  readonly address?: string;
}

function followed(server: FakeServer, { api, address = ADDRESS, ...given }: Given = {}): Followed {
  const told: string[] = [];
  const sequences: number[] = [];
  const missing: number[] = [];
  const waits: number[] = [];
  let view = emptyView;
  let now = 1_800_000_000_000;
  const wait = async (ms: number) => {
    waits.push(ms);
    now += ms;
  };
  const options = { isChunk: isWireChunk, clock: { now: () => now, wait }, ...given };
  const run = async () => {
    const deps = { api: { base: server.url, fetch: globalThis.fetch, ...api } };
    for await (const event of follow(deps, address, options)) {
      switch (event.type) {
        case 'chunk':
          sequences.push(event.entry.sequence);
          missing.push(event.missing);
          view = reduce(view, event.entry, 'filtered').view;
          break;
        case 'reset':
          told.push(`reset ${event.from}`);
          view = viewFrom(event.from);
          break;
        case 'up-to-date':
          told.push('up to date');
          break;
        case 'connection':
          told.push(event.problem ?? 'connected');
          break;
        case 'rest':
          return event.status;
      }
    }
    throw new Error('It ended without a status.');
  };
  return { result: run(), told, sequences, missing, waits, view: () => view };
}

async function deskServer(): Promise<FakeServer> {
  const server = await fakeServer(deskRun());
  server.know(ADDRESS);
  return server;
}

const { entries } = deskLog();
const whole = reduceAll(entries);
const inOrder = entries.map((entry) => entry.sequence);

describe('following a run', () => {
  it('[K8] reads the log from 1 to its end and gives the status', async () => {
    await using server = await deskServer();
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(inOrder);
    expect(run.view()).toEqual(whole);
    expect(run.told).toEqual(['connected', 'up to date']);
    expect(server.requests.map(({ path, query }) => [path, query.get('from')])).toEqual([[`${ADDRESS}/stream`, '1']]);
  });

  it('[K8] a connection that breaks after each single chunk loses nothing and repeats nothing', async () => {
    await using server = await deskServer();
    server.behaviour.faults = entries.map(() => ({ cutAfterChunks: 1 }));
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(inOrder);
    expect(run.view()).toEqual(whole);
    const asked = server.requests.filter((each) => each.path.endsWith('/stream')).map((each) => each.query.get('from'));
    expect(asked).toEqual(inOrder.map(String));
  });

  it('[K8] a connection that breaks at any byte of any chunk gives the same view', async () => {
    await using server = await deskServer();
    const boundaries = entries.map((_, index) => Buffer.byteLength(entries.slice(0, index).map(wireEvent).join('')));
    for (const boundary of boundaries) {
      for (const within of [-1, 0, 1, 9, 40]) {
        server.behaviour.faults = [{ cutAfterBytes: Math.max(1, 9 + boundary + within) }];
        const run = followed(server);
        expect([boundary, within, await run.result]).toEqual([boundary, within, 'completed']);
        expect(run.view()).toEqual(whole);
        expect(run.sequences).toEqual(inOrder);
      }
    }
  });

  it('[K8] what a server sends again is not told again', async () => {
    await using server = await deskServer();
    const body = [0, 1, 1, 0, 2, 1, 3].map((index) => wireEvent(present(entries[index]))).join('');
    server.behaviour.faults = [{ answer: { status: 200, body, type: 'text/event-stream' } }];
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(inOrder);
    expect(run.view()).toEqual(whole);
  });

  it('[K8] a stream that closes in order without its `end` ends by the status document', async () => {
    await using server = await deskServer();
    server.behaviour.faults = [{ withoutEnd: true }];
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(inOrder);
    expect(run.waits).toEqual([]);
  });

  it('[K8] a status at rest counts for a reader of a part once two streams in a row have closed with nothing new', async () => {
    await using server = await deskServer();
    const address = `${ADDRESS}/sub/researcher/1~1`;
    server.know(address);
    server.behaviour.faults = Array.from({ length: 5 }, () => ({ withoutEnd: true }));
    const run = followed(server, { address });
    expect(await run.result).toBe('completed');
    expect(server.requests.filter(({ path }) => path.endsWith('/stream'))).toHaveLength(3);
    expect(run.waits).toHaveLength(2);
  });

  it('[K8] a status that is ahead of the stream is no reason to stop reading', async () => {
    await using server = await deskServer();
    server.behaviour.faults = [{ cutAfterChunks: 4 }];
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(inOrder);
    expect(run.waits).toEqual([100]);
  });

  it('[K8] a silent connection counts as lost, and the next one goes on from there', async () => {
    await using server = await deskServer();
    server.behaviour.faults = [{ hangAfterChunks: 3 }];
    const run = followed(server, { stallMs: 50 });
    expect(await run.result).toBe('completed');
    expect(run.told).toContain('The server has gone silent.');
    expect(run.sequences).toEqual(inOrder);
    await vi.waitFor(() => expect(server.behaviour.openStreams).toBe(0));
  });

  it('[K9] a reset voids what was held, and reading begins where the server says', async () => {
    await using server = await deskServer();
    server.behaviour.faults = [{ cutAfterChunks: 4 }, { resetTo: 11 }];
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.told).toContain('reset 11');
    expect(run.sequences).toEqual([1, 2, 3, 4, ...inOrder.slice(10)]);
    expect(run.view()).toEqual(reduceAll(entries.slice(10), viewFrom(11)));
  });

  it('[K9] a view after a chunk is the reduced one, and complete from it on where others are missing before it', () => {
    let view = emptyView;
    for (const entry of entries) {
      const next = reduce(view, entry, 'filtered').view;
      expect(viewAfter(view, { type: 'chunk', entry, missing: 0 })).toEqual(next);
      const after = viewAfter(view, { type: 'chunk', entry, missing: 2 });
      expect(after).toEqual({ ...next, completeFrom: entry.sequence });
      view = next;
    }
    expect(view.agents.length).toBeGreaterThan(0);
  });

  it('[K9] a gap is asked for again; what the server no longer has is told as missing, not waited for', async () => {
    await using server = await deskServer();
    for (const skip of [[1], [1, 2], [2], [5]]) {
      server.behaviour.faults = [{ skip }];
      const closed = followed(server);
      expect(await closed.result).toBe('completed');
      expect(closed.sequences, `${skip}`).toEqual(inOrder);
      expect(closed.missing.every((count) => count === 0)).toBe(true);
    }
    server.behaviour.faults = [{ skip: [5, 6] }, { skip: [5, 6] }];
    const open = followed(server);
    expect(await open.result).toBe('completed');
    expect(open.sequences).toEqual(inOrder.filter((sequence) => sequence !== 5 && sequence !== 6));
    expect(open.missing.filter((count) => count > 0)).toEqual([2]);
  });

  it('[K9] the stream of a subtree has no gaps, and its resumption repeats nothing', async () => {
    await using server = await deskServer();
    const address = `${ADDRESS}/sub/researcher/1~1`;
    server.know(address);
    const below = entries.filter(({ chunk }) => chunk.address.startsWith(address)).map((entry) => entry.sequence);
    server.behaviour.faults = below.slice(1).map(() => ({ cutAfterChunks: 1 }));
    const run = followed(server, { address });
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(below);
    expect(run.missing.every((count) => count === 0)).toBe(true);
  });

  it('[K10] answers that may pass are tried again: overload, errors of the server, pages of a proxy', async () => {
    await using server = await deskServer();
    server.behaviour.faults = [
      { answer: { status: 503, body: '{"code":"unavailable","title":"Not now."}' } },
      { answer: { status: 429, body: '{"code":"model_rate_limited","title":"Slower."}' } },
      { answer: { status: 502, body: '<html>Bad gateway</html>', type: 'text/html' } },
      { answer: { status: 200, body: '<html>Welcome</html>', type: 'text/html' } },
    ];
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(inOrder);
    expect(run.waits).toHaveLength(4);
    for (const [index, ms] of run.waits.entries()) expect(ms).toBeGreaterThan(run.waits[index - 1] ?? 0);
  });

  it('[K10] a refusal for good ends it at once', async () => {
    await using server = await deskServer();
    await expect(followed(server, { address: '/agents/coordinator/unknown' }).result).rejects.toThrow(Refused);
    const body = '{"code":"auth_not_configured","title":"Access is not configured on this server."}';
    server.behaviour.faults = [{ answer: { status: 503, body } }];
    await expect(followed(server).result).rejects.toMatchObject({ status: 503, code: 'auth_not_configured' });
    server.behaviour.token = 'secret';
    await expect(followed(server).result).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('[J13] a token that runs out is asked for once more: in the midst of a stream, and where the next one opens', async () => {
    await using server = await deskServer();
    const expired = { status: 401, code: 'unauthorized', title: 'Its time is up.' };
    const refusedAfter = (text: string) => ({
      answer: {
        status: 200,
        body: `${text}event: refused\ndata: ${JSON.stringify(expired)}\n\n`,
        type: 'text/event-stream',
      },
    });
    const some = entries.slice(0, 3).map(wireEvent).join('');
    const run = (tokens: string[]) => {
      let asked = 0;
      const token = () => {
        asked += 1;
        // Once it is asked again, another one counts.
        if (asked === 2) server.behaviour.token = 'c';
        return tokens[asked - 1] ?? 'none left';
      };
      const following = followed(server, { api: { token } });
      return { ...following, asked: () => asked };
    };
    // The stream opens with `a`, which runs out; `b` is too old already where the next one opens, and `c` counts.
    server.behaviour.faults = [refusedAfter(some)];
    server.behaviour.token = 'a';
    const first = run(['a', 'b', 'c']);
    expect(await first.result).toBe('completed');
    expect(first.sequences).toEqual(inOrder);
    expect(first.asked()).toBe(3);
    // A fresh one that is refused ends it, where a stream opens and where it has brought nothing.
    const second = run(['a', 'b', 'c']);
    await expect(second.result).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
    expect(second.asked()).toBe(2);
    server.behaviour.faults = [refusedAfter(': offshoot\n\n')];
    const third = run(['c', 'c', 'c']);
    await expect(third.result).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
    expect(third.asked()).toBe(1);
    // A text is no function that could be asked.
    server.behaviour.faults = [refusedAfter(some)];
    await expect(followed(server, { api: { token: 'c' } }).result).rejects.toMatchObject({ status: 401 });
  });

  it('[J13] a server that lets a stream in and refuses it soon is asked with pauses', async () => {
    await using server = await deskServer();
    const body = 'event: up-to-date\ndata: {}\n\nevent: refused\ndata: {"status":401,"code":"unauthorized"}\n\n';
    const soon = { answer: { status: 200, body, type: 'text/event-stream' } };
    server.behaviour.faults = Array.from({ length: 8 }, () => soon);
    const run = followed(server, { api: { token: () => 'a' } });
    expect(await run.result).toBe('completed');
    expect(run.waits.length).toBeGreaterThanOrEqual(4);
    expect(run.waits.toSorted((one, other) => one - other)).toEqual(run.waits);
  });

  it('[J9] a refusal in the midst of a stream ends it with all that it says; one that may pass is asked again', async () => {
    await using server = await deskServer();
    const says = (problem: object) => ({
      answer: {
        status: 200,
        body: `event: refused\ndata: ${JSON.stringify(problem)}\n\n`,
        type: 'text/event-stream',
      },
    });
    const gone = {
      status: 410,
      code: 'gone',
      title: 'It is gone.',
      detail: 'Removed.',
      requestId: 'q_7',
      details: [1],
    };
    server.behaviour.faults = [says(gone)];
    const refused = await followed(server, { stay: true }).result.catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject(gone);
    expect(server.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['stream']);
    server.behaviour.faults = [says({ status: 500, code: 'internal', title: 'It failed.' })];
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(inOrder);
    server.behaviour.faults = [says({ code: 'gone' })];
    await expect(followed(server).result).rejects.toThrow(ProtocolError);
  });

  it('[K10] a server that stays away is given up after a minute, with growing waits of at most 2 s', async () => {
    const server = await deskServer();
    await server.close();
    const run = followed(server);
    await expect(run.result).rejects.toThrow(Unreachable);
    expect(run.waits.slice(0, 6)).toEqual([100, 200, 400, 800, 1600, 2000]);
    expect(Math.max(...run.waits)).toBe(2000);
    const waited = run.waits.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(60_000);
    expect(waited).toBeLessThanOrEqual(62_000);
    expect(run.told.at(-1)).toContain('connection refused');
  });

  it('[K10] a server that stays away is given up once it has been gone for the time of the caller, not a wait later', async () => {
    const server = await deskServer();
    await server.close();
    for (const [giveUpMs, waits] of [
      [0, []],
      [299, [100, 200]],
      [300, [100, 200]],
      [301, [100, 200, 400]],
    ] as const) {
      const run = followed(server, { giveUpMs });
      await expect(run.result).rejects.toThrow(Unreachable);
      expect(run.waits).toEqual(waits);
    }
  });

  it('[K10] a server that comes back on the same port is found again', async () => {
    const server = await deskServer();
    server.behaviour.faults = [{ cutAfterChunks: 5 }];
    const port = Number(new URL(server.url).port);
    let back: FakeServer | undefined;
    let gone: Promise<void> | undefined;
    server.behaviour.onStreamIdle = () => {
      gone = server.close();
    };
    let waited = 0;
    const wait = async () => {
      waited += 1;
      await gone;
      if (waited === 3) {
        back = await fakeServer(deskRun(), port);
        back.know(ADDRESS);
      }
    };
    const run = followed(server, { clock: { now: () => 0, wait } });
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(inOrder);
    expect(run.view()).toEqual(whole);
    await back?.close();
  });

  it('[K10] a chunk without one of the fields that all have, or with a wrong one, is a protocol error', async () => {
    await using server = await deskServer();
    const wrong: readonly (readonly [name: string, ...values: unknown[]])[] = [
      ['agentId', undefined, 7, ''],
      ...['type', 'agentType', 'address', 'runId'].map((name) => [name, undefined, 7] as const),
      ...['step', 'attempt'].map((name) => [name, undefined, '1', -1, 0.5, null] as const),
      ['timestamp', undefined, '7', null],
    ];
    const end = 'event: end\ndata: {"status":"completed"}\n\n';
    for (const [name, ...values] of wrong) {
      for (const value of values) {
        const chunk = { ...present(entries[0]).chunk, [name]: value };
        const body = `${wireEvent({ sequence: 1, chunk })}${end}`;
        server.behaviour.faults = [{ answer: { status: 200, body, type: 'text/event-stream' } }];
        const run = followed(server, { isChunk: () => true });
        await expect(run.result, `${name} ${value}`).rejects.toThrow(ProtocolError);
      }
    }
  });

  it('[K10] what makes no sense is a protocol error, not a wait', async () => {
    await using server = await deskServer();
    const bad = [
      'id: 1\ndata: {"type":"text_delta"}\n\n',
      'id: 1\ndata: no json\n\n',
      'id: one\ndata: {}\n\n',
      'data: {}\n\n',
      'event: end\ndata: {}\n\n',
      'event: reset\ndata: {"from":0}\n\n',
      'event: reset\ndata: {"from":1}\n\n',
    ];
    for (const body of bad) {
      server.behaviour.faults = [{ answer: { status: 200, body, type: 'text/event-stream' } }];
      await expect(followed(server).result, body).rejects.toThrow(ProtocolError);
    }
  });

  it('[K10] chunks and events of a newer server are read over, and keep their place', async () => {
    await using server = await deskServer();
    const novel = { ...present(entries[0]).chunk, type: 'hologram', beam: 9 };
    const body = `event: sparkle\ndata: x\n\nid: 1\ndata: ${JSON.stringify(novel)}\n\nevent: end\ndata: {"status":"completed"}\n\n`;
    server.behaviour.faults = [{ answer: { status: 200, body, type: 'text/event-stream' } }];
    const run = followed(server);
    expect(await run.result).toBe('completed');
    expect(run.view()).toMatchObject({ lastSequence: 1, agents: [{ agentType: 'coordinator', runs: [] }] });
  });

  it('[K24] an abort ends it at once, also while the server is silent, and closes the connection', async () => {
    await using server = await deskServer();
    server.behaviour.faults = [{ hangAfterChunks: 2 }];
    const controller = new AbortController();
    const reason = new Error('looked away');
    server.behaviour.onStreamIdle = () => controller.abort(reason);
    await expect(followed(server, { signal: controller.signal }).result).rejects.toBe(reason);
    await vi.waitFor(() => expect(server.behaviour.openStreams).toBe(0));
  });

  it('[K8] knows which statuses go on by themselves', () => {
    expect(['running', 'queued'].some(isAtRest)).toBe(false);
    const rest = ['idle', 'completed', 'failed', 'interrupted', 'terminated', 'suspended_client_tool'];
    expect(rest.every(isAtRest)).toBe(true);
  });
});

describe('following a run that waits', () => {
  const streams = (server: FakeServer) =>
    server.requests
      .filter((each) => each.path.endsWith('/stream'))
      .map((each) => `${each.query.get('from')} ${each.query.get('follow') ?? ''}`.trim());

  it('[K25] a suspended run ends the following, unless it is to be followed on: then up to its end', async () => {
    await using desk = await waitingDesk();
    const { server } = desk;
    expect(await followed(server).result).toBe('suspended_client_tool');
    const asked: string[] = [];
    const onSuspended = async (status: string) => {
      asked.push(status);
      return true;
    };
    const run = followed(server, { stay: onSuspended });
    await vi.waitFor(() => expect(streams(server)).toEqual(['1', '1', '6 1']));
    // What this stream said of the wait counts no more where the next one breaks.
    server.behaviour.faults = [{ withoutEnd: true }];
    desk.answered('c_9', { approved: true });
    desk.root.emit({ type: 'unsuspended' });
    server.becomes('running');
    await vi.waitFor(() => expect(streams(server).slice(3)).toEqual(['8', '8']));
    desk.completes();
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(desk.log.entries.map(({ sequence }) => sequence));
    expect(asked).toEqual(['suspended_client_tool']);
  });

  it('[K25] it is asked anew each time that the run is suspended, and ends when the answer is no', async () => {
    await using desk = await waitingDesk();
    const answers = [true, true, false];
    const run = followed(desk.server, { stay: async () => answers.shift() ?? false });
    await vi.waitFor(() => expect(streams(desk.server)).toHaveLength(2));
    desk.answered('c_9');
    desk.asks({ ...desk.server.behaviour.pending[0], toolCallId: 'c_10', toolName: 'x' });
    await vi.waitFor(() => expect(streams(desk.server)).toHaveLength(4));
    desk.asks({ toolCallId: 'c_11', toolName: 'x' });
    expect(await run.result).toBe('suspended_client_tool');
    expect(run.sequences).toEqual(desk.log.entries.map(({ sequence }) => sequence));
  });

  it('[K25] a connection that breaks while the run waits is opened again, and nothing is lost', async () => {
    await using desk = await waitingDesk();
    desk.server.behaviour.faults = [{}, { cutAfterBytes: 4 }, { withoutEnd: true }];
    const run = followed(desk.server, { stay: async () => true });
    await vi.waitFor(() => expect(streams(desk.server)).toEqual(['1', '6 1', '6 1', '6 1']));
    desk.completes();
    expect(await run.result).toBe('completed');
    expect(run.sequences).toEqual(desk.log.entries.map(({ sequence }) => sequence));
  });

  it('[K25] a server that ends the stream of a run that waits all the same is not asked without a pause', async () => {
    await using desk = await waitingDesk();
    const answers = [true, true, true, true, false];
    const end = { status: 200, body: 'event: end\ndata: {"status":"suspended_client_tool"}\n\n' };
    desk.server.behaviour.faults = Array.from({ length: 5 }, () => ({ answer: { ...end, type: 'text/event-stream' } }));
    const run = followed(desk.server, { stay: async () => answers.shift() ?? false });
    expect(await run.result).toBe('suspended_client_tool');
    expect(run.waits).toHaveLength(3);
  });
});

describe('what is said while a suspended run is followed on', () => {
  interface Said {
    readonly body: ChunkBody;
    readonly turns: boolean;
  }
  const waits = (status: SuspendedStatus): Said => ({
    body: { type: 'suspended', status, pending: [], children: [] },
    turns: true,
  });
  const SAID: readonly Said[] = [
    ...SUSPENDED_STATUSES.map(waits),
    { body: { type: 'unsuspended' }, turns: true },
    { body: { type: 'run_completed', output: 'x' }, turns: true },
    { body: { type: 'run_failed', error: failure('model_error') }, turns: true },
    { body: { type: 'run_interrupted', reason: 'x' }, turns: true },
    { body: { type: 'run_terminated', reason: 'x' }, turns: true },
    { body: { type: 'step_started' }, turns: false },
    { body: { type: 'text_delta', part: 0, delta: 'x' }, turns: false },
    { body: { type: 'output', output: 'x' }, turns: false },
  ];

  /** Which connections were to stay open, and what was asked, where one of three agents says something and then more. */
  async function asking(followedLevel: number, sayingLevel: number, body: ChunkBody, stays: 'asked' | 'forever') {
    const log = newLog();
    const root = log.root('coordinator', 'cedar-3f9k').run('r_root', 'Why?').step(1);
    const child = root.spawn('c_1', 'researcher', '1~1', null).run('r_1').step(1);
    const below = child.spawn('c_2', 'checker', '1~1', null).run('r_2').step(1);
    const agents = [root, child, below];
    const { address } = present(agents[followedLevel]);
    const saying = present(agents[sayingLevel]);
    const before = log.entries.length;
    saying.emit(body).emit({ type: 'text_delta', part: 1, delta: 'y' });
    const opened: boolean[] = [];
    const asked: string[] = [];
    const source: Source = async function* ({ from, staysOpen }) {
      opened.push(staysOpen);
      const isFirst = opened.length === 1;
      const rest = { kind: 'rest', status: 'suspended_client_tool' } as const;
      for (const { sequence, chunk } of log.entries) {
        if (sequence === before + 1 && (isFirst || staysOpen)) yield rest;
        if (sequence < from || !chunk.address.startsWith(address)) continue;
        yield { kind: 'chunk', sequence, chunk: JSON.parse(JSON.stringify(chunk)) };
      }
      yield { kind: 'rest', status: 'completed' };
      return { problem: 'Closed.', inOrder: true };
    };
    const stay = async (status: string) => asked.push(status) > 0;
    const api = { base: 'http://fake', fetch: globalThis.fetch };
    const heard: string[] = [];
    for await (const event of follow({ api, source }, address, { stay: stays === 'forever' || stay })) {
      if (event.type === 'chunk') heard.push(event.entry.chunk.type);
      if (event.type === 'rest' && event.status === 'completed') break;
    }
    return { opened, asked, heard: heard.slice(-2) };
  }

  it('[K25] is read from the stream that is open, but for a turn of the very run that is followed', async () => {
    for (const followedLevel of [0, 1])
      for (const sayingLevel of [0, 1, 2].slice(followedLevel))
        for (const { body, turns } of SAID) {
          const what = JSON.stringify({ followedLevel, sayingLevel, body });
          const heard = [body.type, 'text_delta'];
          const opened = turns && sayingLevel === followedLevel ? [false, true, false] : [false, true];
          const asked = ['suspended_client_tool'];
          expect(await asking(followedLevel, sayingLevel, body, 'asked'), what).toEqual({ opened, asked, heard });
          const open = { opened: [true], asked: [], heard };
          expect(await asking(followedLevel, sayingLevel, body, 'forever'), what).toEqual(open);
        }
  });
});
