import { describe, expect, it } from 'vitest';
import { eventStream } from '../../../src/verbs/event-stream';
import { ROOT, writtenLog } from '../../support/written-log';

const decoder = new TextDecoder();

function streamOf(log: ReturnType<typeof writtenLog>, from = 1, follow = false) {
  const reader = eventStream(log.root, { address: ROOT, from, follow }).getReader();
  return {
    reader,
    /** The next piece, for which time may have to pass. */
    async next(): Promise<string> {
      let text: string | undefined;
      void reader.read().then(({ value, done }) => {
        text = done ? '(end)' : decoder.decode(value);
      });
      await log.time.until(() => text !== undefined);
      return text ?? '';
    },
  };
}

describe('the event stream', () => {
  it('[W5] sends a comment every 15 s while nothing happens, and what happens at once', async () => {
    const log = writtenLog();
    log.begin(1);
    log.say(['a']);
    const stream = streamOf(log);
    expect(await stream.next()).toBe(': offshoot\n\n');
    expect(await stream.next()).toContain('id: 1\ndata: {"type":"text_delta","part":0,"delta":"a"');
    expect(await stream.next()).toContain('event: up-to-date');
    const before = log.time.environment.now();
    expect(await stream.next()).toBe(': still here\n\n');
    expect(log.time.environment.now() - before).toBe(15_000);
    const waiting = stream.reader.read();
    await log.time.settle();
    log.say(['b']);
    expect(decoder.decode((await waiting).value)).toContain('id: 2\n');
    expect(log.time.environment.now() - before).toBe(15_000);
    log.say(['c'], 'completed');
    expect(await stream.next()).toContain('id: 3\n');
    expect(await stream.next()).toBe('event: end\ndata: {"status":"completed"}\n\n');
    expect(await stream.next()).toBe('(end)');
  });

  it('[W6] reads nothing that its reader has not asked for, a bounded page at a time', async () => {
    const log = writtenLog();
    log.begin(1);
    for (let batch = 0; batch < 40; batch++) log.say(Array.from({ length: 10 }, () => 'x'.repeat(4_000)));
    const stream = streamOf(log);
    await stream.next();
    await log.time.settle();
    expect(log.reads).toEqual([]);
    const page = await stream.next();
    expect(page.length).toBeLessThan(400_000);
    await log.time.settle();
    // New rows wake nobody who is not waiting.
    log.say(['more']);
    await log.time.settle();
    expect(log.reads).toEqual([1]);
    let text = page;
    while (!text.includes('event: up-to-date')) text = await stream.next();
    expect(log.reads.length).toBeGreaterThan(5);
    await stream.reader.cancel();
  });

  it('[W3] tells a reader that fell behind retention to begin anew', async () => {
    const log = writtenLog({ keepRuns: 1 });
    log.begin(1);
    log.say(['a', 'b'], 'completed');
    const stream = streamOf(log, 2, true);
    await stream.next();
    log.begin(2);
    log.say(['c'], 'completed');
    expect(await stream.next()).toBe('id: 2\nevent: reset\ndata: {"from":3}\n\n');
    expect(await stream.next()).toContain('id: 3\n');
    await stream.reader.cancel();
  });

  it('[W6] that is cancelled waits for nothing more', async () => {
    const log = writtenLog();
    log.begin(1);
    const stream = streamOf(log, 1, true);
    await stream.next();
    const waiting = stream.reader.read();
    await stream.reader.cancel();
    expect((await waiting).done).toBe(true);
    await log.time.settle();
    expect(log.time.step()).toBe(false);
  });
});
