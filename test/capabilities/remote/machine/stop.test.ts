/** What becomes of a stop that was sent to an agent elsewhere. */
import { describe, expect, it } from 'vitest';
import {
  hasPendingCleanup,
  lateStart,
  removed,
  withoutStart,
} from '../../../../src/capabilities/remote/machine/cleanup';
import { withMessage } from '../../../../src/capabilities/remote/machine/messages';
import { firstRun, isUnknown, refusedStart, renamed, startSent } from '../../../../src/capabilities/remote/machine/run';
import type { PlacedRun, RemoteRun, RemoteStop, RemoteTask } from '../../../../src/capabilities/remote/machine/state';
import {
  adopted,
  type BegunThere,
  begunThere,
  isAwaited,
  isStoppedBefore,
  isWithoutStart,
  lookAgainMs,
  startToStop,
  stopAfter,
  withStopSent,
} from '../../../../src/capabilities/remote/machine/stop';
import { type Came, RemoteError } from '../../../../src/core/definition/remote-transport';
import type { JsonObject } from '../../../../src/protocol/json';

const SECOND = 1_000;
const DAY = 86_400_000;
const SINCE = 5_000_000;
const BEGUN: readonly BegunThere[] = ['before', 'since', 'yet', 'never', 'unknown'];

const owed: RemoteStop = { verb: 'abort', reason: 'Enough.', since: SINCE, attempts: 0, nextAt: SINCE };
const refused = (status: number): Came => ({ ok: false, code: 'some_code', title: 'No.', status });
const threw = (code: 'remote_unreachable' | 'remote_invalid'): Came => ({ threw: new RemoteError(code, 'No.') });

describe('a stop that was sent elsewhere', () => {
  it.each([
    ['nobody was reached', threw('remote_unreachable')],
    ['something else went wrong on the way', { threw: new TypeError('No.') }],
    ['it is busy', refused(429)],
    ['it is away', refused(503)],
    ['it broke', refused(500)],
  ])('[RM8, AT3, RM44] is sent again after growing delays, for a day: %s', (_, came) => {
    for (const begun of BEGUN) {
      let stop = owed;
      const waits: number[] = [];
      for (let tries = 0; tries < 7; tries++) {
        const at = stop.nextAt;
        stop = stopAfter(stop, came, begun, at);
        waits.push((stop.nextAt - at) / SECOND);
      }
      expect(waits).toEqual([1, 2, 5, 15, 60, 300, 300]);
      expect(stop).toEqual({ ...owed, attempts: 7, nextAt: stop.nextAt });
      expect(stopAfter(stop, came, begun, SINCE + DAY - 1)).not.toHaveProperty('settled');
      expect(stopAfter(stop, came, begun, SINCE + DAY)).toMatchObject({ attempts: 8, settled: 'given_up' });
    }
  });

  it.each([
    ['taken', 'taken', { ok: true, body: null }],
    ['taken where it says that there is nothing to stop', 'taken', refused(409)],
    ['taken where who was there is gone', 'taken', refused(410)],
    ['taken where the way has no right', 'taken', refused(403)],
    ['given up where its answer is not lawful', 'given_up', threw('remote_invalid')],
  ] as const)('[RM8, AT3] is %s', (_, settled, came) => {
    for (const begun of BEGUN) {
      // What has begun only since then may have come there after it: at once again, and settled by that.
      if (begun === 'since' && settled === 'taken') expect(stopAfter(owed, came, begun, SINCE)).toBe(owed);
      // Nobody may say of it that it never began.
      else if (begun === 'unknown' && 'ok' in came && !came.ok)
        expect(stopAfter(owed, came, begun, SINCE)).toEqual({ ...owed, settled: 'given_up' });
      else expect(stopAfter(owed, came, begun, SINCE)).toEqual({ ...owed, settled });
    }
  });

  it('[AT3, RM19, RM22] came too early where nobody is there and the start may still come; never where none can', () => {
    const nobody = refused(404);
    expect(stopAfter(owed, nobody, 'yet', SINCE)).toEqual({ ...owed, attempts: 1, nextAt: SINCE + SECOND });
    // An hour after it was given up, the start comes no more.
    expect(stopAfter(owed, nobody, 'yet', SINCE + 3_600_000 - 1)).not.toHaveProperty('settled');
    expect(stopAfter(owed, nobody, 'yet', SINCE + 3_600_000)).toEqual({ ...owed, settled: 'taken' });
    // It has begun while the stop was on its way: at once.
    expect(stopAfter(owed, nobody, 'since', SINCE)).toBe(owed);
    expect(stopAfter(owed, nobody, 'before', SINCE)).toEqual({ ...owed, settled: 'taken' });
    expect(stopAfter(owed, nobody, 'never', SINCE)).toEqual({ ...owed, settled: 'taken' });
  });
});

describe('a child elsewhere whose stop was sent', () => {
  const names = { sessionId: 's_1', address: '/agents/top/one/sub/far/1~1', agentType: 'far', transport: 'far' };
  const there = { root: { className: 'Top', name: 'one' }, addressClass: 'far', name: 'r-1' };
  const task = { childId: 1, task: 1 };
  const start = { key: 'r_1', at: SINCE };
  const asked: PlacedRun = {
    ...firstRun({ ...names, ...there }, { task, runId: 'r_1' }, SINCE),
    remote: { is: 'starting', start },
    stop: owed,
  };
  const chain: RemoteTask = { is: 'begun', start, sessionId: 's_2', chainRunId: 'r_2' };
  const begun: PlacedRun = { ...asked, remote: chain, last: 3 };
  const taken: RemoteStop = { ...owed, settled: 'taken' };
  const givenUp: RemoteStop = { ...owed, settled: 'given_up' };
  const lost = { local: { is: 'ended', outcome: { status: 'failed', error: { code: 'subagent_lost' } } } };
  const further: PlacedRun = { ...asked, memory: 's_2', last: 3 };
  const said = (body: JsonObject): Came => ({ ok: true, body: { status: 'running', ...body } });
  /** What becomes of a child as its stop was answered so, and no start was under way. */
  function sentTo(before: RemoteRun, came: Came, now = SINCE): RemoteRun {
    const run = adopted(before, came, null);
    const knew = run !== before || before.remote.is === 'begun';
    return withStopSent(run, stopAfter(owed, came, begunThere(run, came, knew), now), came, now);
  }

  it('[RM8] says how it stands itself where it has taken it, or has nothing to stop', () => {
    for (const came of [{ ok: true, body: null }, refused(409)] as const)
      expect(withStopSent(asked, taken, came, SINCE)).toEqual({
        ...asked,
        stop: taken,
        remote: { is: 'stopped', start },
      });
    const again = { ...owed, attempts: 1 };
    expect(withStopSent(begun, again, refused(503), SINCE)).toEqual({ ...begun, stop: again });
  });

  it('[RM19] never began where nobody is there, and is lost where it had begun', () => {
    expect(withStopSent(asked, taken, refused(404), SINCE)).toMatchObject({
      local: { outcome: { status: 'failed' } },
      kept: [],
    });
    const interrupt: RemoteStop = { ...taken, verb: 'interrupt' };
    const queued = withStopSent({ ...asked, stop: interrupt }, interrupt, refused(404), SINCE);
    expect(queued).toMatchObject({ local: { outcome: { status: 'interrupted' } }, kept: [], last: 0 });
    for (const status of [404, 410]) expect(withStopSent(begun, taken, refused(status), SINCE)).toMatchObject(lost);
  });

  it('[RM24] never began where nobody knows of it in a session that had tasks before, unless its stop is refused for good', () => {
    for (const came of [said({}), said({ begun: false }), refused(410)]) {
      const sent = sentTo(further, came);
      expect(sent).toMatchObject({ local: { outcome: { status: 'failed', error: { code: 'aborted' } } } });
      expect(sent).toMatchObject({ stop: taken, remote: { is: 'starting' } });
    }
    for (const came of [refused(403), refused(409), refused(400), threw('remote_invalid')])
      expect(sentTo(further, came)).toMatchObject({ ...lost, stop: givenUp });
    expect(sentTo({ ...begun, memory: 's_2' }, said({}))).toMatchObject({ local: { is: 'active' } });
    expect(isUnknown(further)).toBe(true);
    for (const known of [asked, begun, { ...begun, memory: 's_2' }]) expect(isUnknown(known)).toBe(false);
  });

  it('[RM25] names its start while that is remembered there', () => {
    expect(startToStop(startSent(asked, SINCE), SINCE + DAY - 1)).toBe('r_1');
    expect(startToStop(startSent(asked, SINCE), SINCE + DAY)).toBeUndefined();
    const refusedOnce = refusedStart(startSent(asked, SINCE));
    expect([startToStop(refusedOnce, SINCE), refusedOnce.stop]).toEqual([undefined, undefined]);
  });

  it('[RM25] is stopped without its start by a side that does not take it so, and by no other', () => {
    const unnamed = said({ begun: false });
    for (const run of [asked, begun, further, { ...begun, memory: 's_2' }]) {
      expect(isWithoutStart(run, refused(400))).toBe(true);
      for (const came of [refused(403), refused(404), refused(503), threw('remote_unreachable'), said({})])
        expect(isWithoutStart(run, came)).toBe(false);
      expect(isWithoutStart(run, said({ runId: 'r_2', begun: true }))).toBe(false);
      // It was taken out of the queue there.
      expect(isWithoutStart(run, said({ runId: 'r_2', begun: false }))).toBe(false);
      // Only of one whose start was not answered that is no news.
      expect(isWithoutStart(run, unnamed)).toBe(run !== further);
    }
  });

  it('[RM25] is known by what its stop was answered, with what it was told', () => {
    const tell = [
      { key: 'm1', text: 'Go', role: 'user' },
      { key: 'm2', text: 'On', role: 'user' },
    ] as const;
    const messages = { taken: 2, waiting: tell };
    const told: PlacedRun = { ...further, messages };
    const known = sentTo(told, said({ runId: 'r_9', begun: true }));
    const remote = { is: 'begun', start, sessionId: 's_2', chainRunId: 'r_9' };
    expect(known).toMatchObject({ remote, stop: taken, local: { is: 'active' } });
    expect(known).toMatchObject({ messages: { waiting: [tell[1]] } });
    // What has arguments begins with those.
    expect(adopted(told, said({ runId: 'r_9', begun: true }), { q: 1 })).toMatchObject({ messages });
    for (const one of [asked, begun]) expect(adopted(one, said({ runId: 'r_9', begun: true }), null)).toBe(one);
    for (const came of [said({ begun: true }), said({ runId: 'r_9' }), refused(409)])
      expect(adopted(further, came, null)).toBe(further);
  });

  it('[RM25, RM86] that was taken out of the queue there never began, and begins as a new turn of its session', () => {
    const queuedMessage = { key: 'm1', text: 'Go', role: 'user' } as const;
    const remote: RemoteTask = { ...chain, is: 'begun', queuedMessage };
    const queued: PlacedRun = { ...begun, remote, last: 0, stop: { ...owed, verb: 'interrupt' } };
    const came = said({ runId: 'r_2', begun: false });
    const sent = withStopSent(queued, { ...taken, verb: 'interrupt' }, came, SINCE);
    expect(sent).toMatchObject({ remote: { is: 'unsent' }, memory: 's_2', messages: { waiting: [queuedMessage] } });
    expect(sent).toMatchObject({ local: { outcome: { status: 'interrupted' } } });
  });

  it('[RM24, RM22, RM80] may come there yet where its session is gone, and is owed a stop under its name', () => {
    expect(begunThere(further, refused(404), false)).toBe('yet');
    expect(stopAfter(owed, refused(404), 'yet', SINCE)).not.toHaveProperty('settled');
    const late = lateStart(further, SINCE);
    expect(late).toMatchObject({
      is: 'removed',
      isStray: true,
      stop: { verb: 'abort' },
      removal: {},
      remote: { start },
    });
    expect(late).not.toHaveProperty('memory');
  });

  it('[RM25] waits for a start that is under way, unless that cannot begin any more', () => {
    expect(isAwaited(further, said({}))).toBe(true);
    expect(isAwaited(further, said({ begun: false }))).toBe(false);
    expect([asked, further].map((run) => isAwaited(run, refused(404)))).toEqual([true, true]);
    expect([asked, begun].map((run) => isAwaited(run, said({})))).toEqual([false, false]);
    // Its start is refused for the stop alone.
    expect(isStoppedBefore(further, { code: 'idempotency_conflict' })).toBe(true);
    expect(isStoppedBefore(further, { code: 'forbidden' })).toBe(false);
    expect(isStoppedBefore({ ...further, stop: taken }, { code: 'idempotency_conflict' })).toBe(false);
  });

  it('[RM18] is removed there once it leaves its place here, and stopped where it may work', () => {
    const { stop: _stop, ...unstopped } = begun;
    const outcome = { status: 'interrupted', reason: 'Enough.' } as const;
    const local = { is: 'ended', outcome, isAcknowledged: true } as const;
    const { stop: _owed, ...further1 } = further;
    const cases: readonly (readonly [PlacedRun, stop: boolean, removal: boolean])[] = [
      [unstopped, true, true],
      [{ ...unstopped, local: { is: 'unwanted' } }, true, true],
      [{ ...unstopped, local }, false, true],
      [{ ...unstopped, remote: { ...chain, is: 'to_resume' } }, false, true],
      [{ ...further1, remote: { is: 'unsent' } }, false, true],
      [{ ...unstopped, remote: { is: 'unsent' } }, false, false],
    ];
    for (const [run, isStopped, isRemoved] of cases) {
      const gone = removed(run, 'It left.', SINCE);
      expect([gone.stop?.verb, gone.removal !== undefined]).toEqual([isStopped ? 'abort' : undefined, isRemoved]);
      expect(hasPendingCleanup(gone)).toBe(isRemoved);
    }
  });

  it('[RM18] leaves without the stop of a start that was never sent', () => {
    const unsent: PlacedRun = { ...asked, remote: { is: 'unsent' } };
    expect(removed(unsent, 'It left.', SINCE)).not.toHaveProperty('stop');
    expect(hasPendingCleanup(removed(unsent, 'It left.', SINCE))).toBe(false);
    const again = removed({ ...unsent, memory: 's_2' }, 'It left.', SINCE);
    expect([again.stop, again.removal !== undefined]).toEqual([undefined, true]);
  });

  it('[RM36] is looked at each second once its stop was taken, unless it may continue', () => {
    expect([500, 60_000].map((ms) => lookAgainMs({ ...begun, stop: taken }, ms))).toEqual([500, 1_000]);
    for (const stop of [owed, givenUp, { ...taken, verb: 'interrupt' as const }])
      expect(lookAgainMs({ ...begun, stop }, 60_000)).toBe(60_000);
  });

  it('[RM22] begins under another name with nothing taken of its log', () => {
    expect(withoutStart({ ...asked, cursor: 7 }, taken, 'r-2', SINCE)).toMatchObject({ name: 'r-2', cursor: 0 });
    expect(renamed({ ...begun, cursor: 7 }, 'r-2')).toEqual({ ...begun, name: 'r-2', cursor: 0 });
  });

  it('[RM8] is lost where the stop is given up, unless its end is known or nobody asks for it', () => {
    const came = threw('remote_invalid');
    expect(withStopSent(begun, givenUp, came, SINCE)).toMatchObject(lost);
    const told: PlacedRun = { ...begun, local: { is: 'unwanted' } };
    expect(withStopSent(told, givenUp, came, SINCE)).toEqual({ ...told, stop: givenUp });
    const outcome = { status: 'interrupted', reason: 'Enough.' } as const;
    const ended: PlacedRun = { ...begun, local: { is: 'ended', outcome, isAcknowledged: false } };
    expect(withStopSent(ended, givenUp, came, SINCE)).toEqual({ ...ended, stop: givenUp });
    expect(withStopSent(ended, taken, refused(404), SINCE)).toMatchObject({ local: { outcome } });
  });
});

describe('a message with a file', () => {
  it('[A110] goes to another Worker with a line in the place of the file', () => {
    const child = { sessionId: 's_1', address: '/agents/top/one/sub/far/1~1', agentType: 'far', transport: 'far' };
    const there = { root: { className: 'Top', name: 'one' }, addressClass: 'far', name: 'r-1' };
    const run = firstRun({ ...child, ...there }, { task: { childId: 1, task: 1 }, runId: 'r_1' }, SINCE);
    const content = [
      { type: 'text' as const, text: 'Look.' },
      { type: 'file' as const, mediaType: 'image/png', filename: 'cat.png', data: 'AAAA' },
    ];
    const told = withMessage(run, { messageId: 'm_1', role: 'user', content, from: 'parent' }).messages.waiting[0]
      ?.text;
    expect(told).toMatch(/^Look\.\n\[The file cat\.png was left out/);
  });
});
