/** The connection that the console shows while the log of a run does not come: by the tries of its reader. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Reading } from '../../../src/console/data/reading';

const ADDRESS = '/agents/planner/one';

/** A server whose streams the test opens, cuts and refuses; no socket is to be had. */
function lineOf() {
  vi.useFakeTimers({ now: 1_000_000 });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const line = { isUp: true, status: 200 };
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const says = new TextEncoder().encode('event: up-to-date\ndata: {}\n\n');
  const fetch = async (url: string): Promise<Response> => {
    if (!line.isUp || !url.includes('/stream')) throw new TypeError('fetch failed');
    if (line.status !== 200) return Response.json({ code: 'unauthorized', title: 'No.' }, { status: line.status });
    return new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          stream = controller;
          controller.enqueue(says);
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  };
  class NoSocket {
    constructor() {
      throw new TypeError('No socket.');
    }
  }
  vi.stubGlobal('fetch', fetch);
  vi.stubGlobal('WebSocket', NoSocket);
  const reading = new Reading('https://offshoot.test', ADDRESS, undefined, () => undefined);
  const ended = reading.follow();
  return {
    line,
    ended,
    connection: () => reading.changes(Date.now()).message.connection,
    cut(isUp: boolean): void {
      line.isUp = isUp;
      stream?.error(new TypeError('The line broke.'));
    },
  };
}

describe('a log that does not come', () => {
  it('[CN94] is told with the tries in a row, and since when: what was lost before and came again counts no more', async () => {
    const { line, ended, connection, cut } = lineOf();
    await vi.advanceTimersByTimeAsync(10);
    expect(connection()).toEqual({ kind: 'live' });
    for (let round = 0; round < 3; round++) {
      const lostAt = Date.now();
      cut(false);
      await vi.advanceTimersByTimeAsync(10);
      expect(connection()).toMatchObject({ kind: 'reconnecting', tries: 1, lostAt });
      await vi.advanceTimersByTimeAsync(10_000);
      const later = connection();
      expect(later).toMatchObject({ kind: 'reconnecting', lostAt });
      expect('tries' in later && later.tries).toBeGreaterThan(2);
      line.isUp = true;
      await vi.advanceTimersByTimeAsync(20_000);
      expect(connection()).toEqual({ kind: 'live' });
    }
    line.status = 401;
    cut(true);
    await vi.advanceTimersByTimeAsync(20_000);
    await ended;
    expect(connection()).toEqual({ kind: 'signed out' });
  });
});
