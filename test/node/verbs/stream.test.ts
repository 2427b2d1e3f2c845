import { describe, expect, it } from 'vitest';
import { type Failure, failure, OffshootError } from '../../../src/protocol/errors';
import { eventStream } from '../../../src/verbs/reads/event-stream';
import { ROOT, writtenLog } from '../../support/written-log';

const decoder = new TextDecoder();

function streamOf(
  log: ReturnType<typeof writtenLog>,
  from = 1,
  follow = false,
  refusal?: () => Promise<Failure | undefined>,
) {
  const reader = eventStream(log.root, { address: ROOT, from, follow, deltas: true, refusal }).getReader();
  return { reader, next: pieces(log, reader) };
}

/** The next piece, for which time may have to pass. */
function pieces(log: ReturnType<typeof writtenLog>, reader: ReadableStreamDefaultReader<Uint8Array>) {
  return async (): Promise<string> => {
    let text: string | undefined;
    void reader.read().then(({ value, done }) => {
      text = done ? '(end)' : decoder.decode(value);
    });
    await log.time.until(() => text !== undefined);
    return text ?? '';
  };
}

describe('the event stream', () => {
  it('[W5] sends a comment every 15 s while nothing happens, and what happens at once', async () => {
    const log = writtenLog();
    log.begin(1);
    log.say(['a']);
    const stream = streamOf(log);
    expect(await stream.next()).toBe(': offshoot\nretry: 2000\n\n');
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
    expect(await stream.next()).toBe('id: 3:end\nevent: end\ndata: {"status":"completed"}\n\n');
    expect(await stream.next()).toBe('(end)');
  });

  it('[W39] that may pause ends where nothing happened for 10 s, and says where it was', async () => {
    const log = writtenLog();
    log.begin(1);
    log.say(['a']);
    const open = (from: number, pauses: 'first' | 'again', rested = false) => {
      const options = { address: ROOT, from, follow: true, deltas: true, pauses, rested };
      return pieces(log, eventStream(log.root, options).getReader());
    };
    const first = open(1, 'first');
    for (const text of ['retry: 2000', 'id: 1\n', 'up-to-date']) expect(await first()).toContain(text);
    const before = log.time.environment.now();
    expect(await first()).toBe(': pause 2\n\n');
    expect(log.time.environment.now() - before).toBe(10_000);
    expect(await first()).toBe('(end)');
    const second = open(2, 'again');
    expect(await second()).toContain('retry');
    expect(await second()).toBe(': pause 2\n\n');
    log.say(['b'], 'completed');
    const third = open(2, 'again');
    for (const text of ['retry', 'id: 2\n', 'id: 2:end\n', ': pause 3 rested\n\n', '(end)'])
      expect(await third()).toContain(text);
    // What its reader knows is not told again.
    const fourth = open(3, 'again', true);
    for (const text of ['retry', ': pause 3 rested\n\n', '(end)']) expect(await fourth()).toContain(text);
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

  /** A stream that has told all so far, of a log that one who asks `right` may read. */
  async function upToDate(right: () => Promise<Failure | undefined>) {
    const log = writtenLog();
    log.begin(1);
    log.say(['a']);
    const stream = streamOf(log, 1, true, right);
    for (let piece = ''; !piece.includes('event: up-to-date'); ) piece = await stream.next();
    return { log, stream };
  }

  it('[X33] asks for its right before it tells something where the last answer is 5 s old, and not sooner', async () => {
    let asked = 0;
    const { log, stream } = await upToDate(async () => {
      asked += 1;
      return undefined;
    });
    const waiting = stream.reader.read();
    await log.time.settle();
    await log.time.pass(4_999);
    log.say(['b']);
    expect(decoder.decode((await waiting).value)).toContain('id: 2\n');
    expect(asked).toBe(0);
    const later = stream.reader.read();
    await log.time.settle();
    await log.time.pass(1);
    log.say(['c']);
    expect(decoder.decode((await later).value)).toContain('id: 3\n');
    expect(asked).toBe(1);
    log.say(['d']);
    expect(await stream.next()).toContain('id: 4\n');
    expect(asked).toBe(1);
    log.time.setBack(60_000);
    log.say(['e']);
    expect(await stream.next()).toContain('id: 5\n');
    expect(asked).toBe(2);
    await stream.reader.cancel();
  });

  it('[X33] whose right is gone ends with the problem and tells nothing more, also where nothing happens', async () => {
    const refused = failure('forbidden', 'No more.');
    for (const happens of [true, false]) {
      const { log, stream } = await upToDate(async () => refused);
      if (happens) {
        await log.time.pass(5_000);
        log.say(['secret']);
      } else {
        expect(await stream.next()).toBe(': still here\n\n');
      }
      const last = await stream.next();
      expect(last).not.toContain('secret');
      expect(last).toMatch(/^event: refused\ndata: /);
      expect(JSON.parse(last.split('data: ')[1] ?? '')).toMatchObject({
        type: 'urn:offshoot:error:forbidden',
        status: 403,
        code: 'forbidden',
        detail: 'No more.',
        requestId: expect.stringMatching(/./),
      });
      expect(await stream.next()).toBe('(end)');
      expect(log.time.pending).toBe(0);
    }
  });

  it('[X38] whose right cannot be asked for ends with the typed error, which a reader may repeat', async () => {
    const { log, stream } = await upToDate(async () => {
      throw new OffshootError('unavailable', 'The keys are not there.', { retryAfterMs: 5_000 });
    });
    await log.time.pass(5_000);
    log.say(['b']);
    expect(await stream.next()).toContain('"code":"unavailable"');
    expect(await stream.next()).toBe('(end)');
  });

  it('[X38] whose right cannot be asked for ends with `internal`, and the reason is reported alone', async () => {
    const { log, stream } = await upToDate(async () => {
      throw new Error('The list of users is not there.');
    });
    await log.time.pass(5_000);
    log.say(['b']);
    const last = await stream.next();
    expect(last).toContain('"code":"internal"');
    expect(last).not.toContain('list of users');
    expect(log.time.problems).toEqual([expect.stringContaining('list of users')]);
    expect(await stream.next()).toBe('(end)');
  });
});
