/** Streams whose root ends them while nothing happens. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PASS_HEADER } from '../../../src/engine/object/object-calls';
import { type Failure, failure, OffshootError } from '../../../src/protocol/errors';
import { openBell, type StreamSource, sleepingStream } from '../../../src/sockets/sleeping-stream';
import { present } from '../../support/present';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const encoder = new TextEncoder();
const FIRST = 'id: 1\ndata: {}\n\n';
const NEXT = 'id: 2\ndata: {}\n\n';

/** A stream of a root, cut into pieces of so many bytes. */
function streamOf(text: string, size = text.length): ReadableStream<Uint8Array> {
  const bytes = encoder.encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

/** What stands behind a stream, with books of what was asked of it. */
function sourceOf(
  again: (string | Failure | undefined)[],
  { bells = true, refused = [] }: { bells?: boolean; refused?: (Failure | undefined)[] } = {},
) {
  const asked: unknown[] = [];
  const ringing: (() => void)[] = [];
  let closed = 0;
  const source: StreamSource = {
    refusal: async () => refused.shift(),
    async bell(pause) {
      asked.push(['bell', pause]);
      if (!bells) return undefined;
      const rung = new Promise<void>((resolve) => ringing.push(resolve));
      return {
        rung,
        close: () => {
          closed += 1;
        },
      };
    },
    async again(pause, pauses) {
      asked.push(['again', pause, pauses]);
      const next = again.shift();
      return typeof next === 'string' ? streamOf(next) : next;
    },
  };
  return { source, asked, ring: () => ringing.shift()?.(), closed: () => closed };
}

/** Reads on until a text is there or the stream has ended. */
function reading(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    reader,
    text: () => text,
    async until(end?: string): Promise<string> {
      while (end === undefined || !text.endsWith(end)) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += decoder.decode(value);
      }
      return text;
    },
  };
}

describe('a stream that is ended while nothing happens', () => {
  it.each([1, 2, 7, 13, 1_000])('[W39] goes on after its bell, however it is cut (%i bytes)', async (size) => {
    const { source, asked, ring, closed } = sourceOf([NEXT]);
    const read = reading(sleepingStream(streamOf(`${FIRST}: pause 2 rested\n\n`, size), source));
    await read.until('rested\n\n');
    const rest = read.until();
    await vi.waitFor(() => expect(asked).toEqual([['bell', { from: 2, rested: true }]]));
    ring();
    expect(await rest).toBe(`${FIRST}: pause 2 rested\n\n${NEXT}`);
    expect(asked.slice(1)).toEqual([['again', { from: 2, rested: true }, true]]);
    expect(closed()).toBe(1);
  });

  it('[W39] is kept open by comments, and asked for its right with each', async () => {
    const { source, asked, closed } = sourceOf([], {
      refused: [undefined, failure('unauthorized', 'Its time is up.')],
    });
    const read = reading(sleepingStream(streamOf(': pause 2\n\n'), source));
    await read.until(': pause 2\n\n');
    const beat = read.until('still here\n\n');
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await beat).toBe(': pause 2\n\n: still here\n\n');
    const end = read.until();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await end).toMatch(/event: refused\ndata: .*"code":"unauthorized".*\n\n$/u);
    expect(asked).toEqual([['bell', { from: 2, rested: false }]]);
    expect(closed()).toBe(1);
  });

  it('[W39] without a bell is held by its root', async () => {
    const { source, asked } = sourceOf([NEXT], { bells: false });
    expect(await reading(sleepingStream(streamOf(': pause 2\n\n'), source)).until()).toBe(`: pause 2\n\n${NEXT}`);
    expect(asked.at(-1)).toEqual(['again', { from: 2, rested: false }, false]);
  });

  it('[W39] that may not be opened again ends with the problem, or in order where nothing more comes', async () => {
    for (const [again, end] of [
      [failure('gone', 'It was removed.'), 'event: refused'],
      [undefined, ': pause 2\n\n'],
    ] as const) {
      const { source, ring, asked } = sourceOf([again]);
      const read = reading(sleepingStream(streamOf(': pause 2\n\n'), source));
      const all = read.until();
      await vi.waitFor(() => expect(asked.length).toBe(1));
      ring();
      expect(await all).toContain(end);
    }
  });

  it('[W39] asks for its right before it is opened again', async () => {
    const { source, ring, asked } = sourceOf([NEXT], { refused: [failure('forbidden')] });
    const all = reading(sleepingStream(streamOf(': pause 2\n\n'), source)).until();
    await vi.waitFor(() => expect(asked.length).toBe(1));
    ring();
    expect(await all).toContain('"code":"forbidden"');
    expect(asked.length).toBe(1);
  });

  it('[W39] that its reader leaves closes its bell', async () => {
    const { source, asked, closed } = sourceOf([]);
    const read = reading(sleepingStream(streamOf(': pause 2\n\n'), source));
    await read.until('2\n\n');
    void read.until();
    await vi.waitFor(() => expect(asked.length).toBe(1));
    await vi.advanceTimersByTimeAsync(0);
    await present(read.reader).cancel();
    expect(closed()).toBe(1);
  });

  it('[W39] ends at last where it was opened again, whatever it ended with before', async () => {
    // Words of the pause before are none of the stream that is read now.
    for (const next of ['', ': pa', NEXT]) {
      const { source, ring, asked } = sourceOf([next]);
      const all = reading(sleepingStream(streamOf(': pause 2\n\n'), source)).until();
      await vi.waitFor(() => expect(asked.length).toBe(1));
      ring();
      expect(await all).toBe(`: pause 2\n\n${next}`);
      expect(asked.length).toBe(2);
    }
  });

  it('[W39] sleeps again as often as its root ends it, each time from where it was', async () => {
    const { source, ring, asked, closed } = sourceOf([`${NEXT}: pause 3\n\n`, ': pause 3 rested\n\n', FIRST]);
    const all = reading(sleepingStream(streamOf(': pause 2\n\n'), source)).until();
    for (const times of [1, 3, 5]) {
      await vi.waitFor(() => expect(asked.length).toBe(times));
      ring();
    }
    await all;
    const at = (from: number, rested: boolean) => [
      ['bell', { from, rested }],
      ['again', { from, rested }, true],
    ];
    expect(asked).toEqual([...at(2, false), ...at(3, false), ...at(3, true)]);
    expect(closed()).toBe(3);
  });

  it('[W39] that its reader leaves leaves its root, also one that is opened at that moment', async () => {
    let left = 0;
    const open = () =>
      new ReadableStream<Uint8Array>({
        cancel: () => {
          left += 1;
        },
      });
    const nobody: StreamSource = { ...sourceOf([]).source };
    await sleepingStream(open(), nobody).cancel();
    expect(left).toBe(1);
    const opening = Promise.withResolvers<ReadableStream<Uint8Array>>();
    const { source, ring, asked } = sourceOf([]);
    const read = reading(
      sleepingStream(streamOf(': pause 2\n\n'), {
        ...source,
        again: async () => {
          asked.push('again');
          return opening.promise;
        },
      }),
    );
    await read.until('2\n\n');
    void read.until();
    await vi.waitFor(() => expect(asked.length).toBe(1));
    ring();
    await vi.waitFor(() => expect(asked).toContain('again'));
    await read.reader.cancel();
    opening.resolve(open());
    await vi.waitFor(() => expect(left).toBe(2));
  });

  it('[W39] ends with the fault where its right cannot be asked for', async () => {
    const { source, ring, asked } = sourceOf([NEXT]);
    const refusal = () => Promise.reject(new OffshootError('unavailable', 'Try again.'));
    const all = reading(sleepingStream(streamOf(': pause 2\n\n'), { ...source, refusal })).until();
    await vi.waitFor(() => expect(asked.length).toBe(1));
    ring();
    expect(await all).toContain('"code":"unavailable"');
  });

  it('[W39] ends where its root has ended it otherwise', async () => {
    const { source, asked } = sourceOf([]);
    expect(await reading(sleepingStream(streamOf(FIRST), source)).until()).toBe(FIRST);
    expect(asked).toEqual([]);
  });
});

describe('a bell', () => {
  /** A bell at a socket of a root, with what was done with that socket. */
  async function rings({ socket: isThere = true } = {}) {
    const done: unknown[] = [];
    const socket = Object.assign(new EventTarget(), {
      accept: () => done.push('accept'),
      send: (text: string) => done.push(JSON.parse(text)),
      close: () => done.push('close'),
    });
    const answer = { webSocket: isThere ? socket : null } as unknown as Response;
    const asked: Request[] = [];
    const fetched = async (request: Request) => {
      asked.push(request);
      return answer;
    };
    const bell = await openBell(fetched, 'pass', { url: 'http://localhost/', from: 2, deltas: true });
    let isRung = false;
    void bell?.rung.then(() => {
      isRung = true;
    });
    const at = async (event: Event) => {
      socket.dispatchEvent(event);
      await Promise.resolve();
      return isRung;
    };
    const frame = (data: unknown) => at(new MessageEvent('message', { data }));
    return { bell, done, asked, at, frame };
  }
  const opened = ['accept', { type: 'offshoot.subscribe', from: 2, deltas: true, batch: false }];

  it('[W39] subscribes by the pass of its root, and is none where the root does not take it', async () => {
    const { asked, done } = await rings();
    expect(asked.map(({ url, headers }) => [url, headers.get('upgrade'), headers.get(PASS_HEADER)])).toEqual([
      ['http://localhost/', 'websocket', 'pass'],
    ]);
    expect(done).toEqual(opened);
    expect((await rings({ socket: false })).bell).toBeUndefined();
  });

  it('[W39] is closed when it has rung: the root sends nothing more to who does not listen', async () => {
    for (const type of ['offshoot.chunk', 'offshoot.reset', 'offshoot.error']) {
      const { done, frame } = await rings();
      for (const other of [JSON.stringify({ type: 'offshoot.subscribed' }), 'offshoot.chunk', '{', new ArrayBuffer(1)])
        expect([other, await frame(other)]).toEqual([other, false]);
      expect(done).toEqual(opened);
      expect([type, await frame(JSON.stringify({ type }))]).toEqual([type, true]);
      expect(done).toEqual([...opened, 'close']);
    }
  });

  it('[W39] rings where its socket is closed or fails: the stream is opened again then', async () => {
    for (const type of ['close', 'error']) {
      const { at } = await rings();
      expect([type, await at(new Event(type))]).toEqual([type, true]);
    }
  });
});
