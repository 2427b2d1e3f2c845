/** Streams whose root ends them while nothing happens. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Failure, failure } from '../../../src/protocol/errors';
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

  it('[W39] ends where its root has ended it otherwise', async () => {
    const { source, asked } = sourceOf([]);
    expect(await reading(sleepingStream(streamOf(FIRST), source)).until()).toBe(FIRST);
    expect(asked).toEqual([]);
  });
});

describe('a bell', () => {
  it('[W39] is closed when it has rung: the root sends nothing more to who does not listen', async () => {
    const said: string[] = [];
    const socket = Object.assign(new EventTarget(), {
      accept: () => said.push('accept'),
      send: () => said.push('send'),
      close: () => said.push('close'),
    });
    const answer = { webSocket: socket } as unknown as Response;
    const bell = await openBell(async () => answer, 'pass', { url: 'http://localhost/', from: 2, deltas: true });
    const tell = (type: string) =>
      socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ type }) }));
    tell('offshoot.subscribed');
    expect(said).toEqual(['accept', 'send']);
    tell('offshoot.chunk');
    expect(said).toEqual(['accept', 'send', 'close']);
    await bell?.rung;
  });
});
