/** Small parts of the host, each for itself: keep-alives, children in objects of their own, and what a leaving object says. */
import { describe, expect, it, vi } from 'vitest';
import type { ChildRef } from '../../../src/core/ports/child-transport';
import { NOTHING_HERE, type ObjectCall } from '../../../src/engine/object/object-calls';
import { GONE } from '../../../src/engine/tree-messages';
import { leavingAnswer } from '../../../src/host/departure';
import { KeepAlives } from '../../../src/host/keep-alives';
import { type AloneStub, isChildObject, ObjectChildren, objectName } from '../../../src/host/object-children';

describe('keep-alives that agents below the root hold', () => {
  it('[F13] those that an agent does not know are let go, the oldest first, and all of one that is away', async () => {
    const owner = (name: string) => [{ className: 'Leaf', name }];
    const TAKEN = ['a1', 'b1', 'a2', 'a3', 'b2', 'c1'];
    const ROWS: readonly (readonly [held: { [name: string]: number | 'away' }, released: readonly string[]])[] = [
      [{ a: 3, b: 2, c: 1 }, []],
      [{ a: 2, b: 2, c: 1 }, ['a1']],
      [{ a: 0, b: 1, c: 1 }, ['a1', 'a2', 'a3', 'b1']],
      [{ a: 'away', b: 'away', c: 5 }, ['a1', 'a2', 'a3', 'b1', 'b2']],
    ];
    for (const [held, expected] of ROWS) {
      const released: string[] = [];
      const asked: string[] = [];
      const keeping: KeepAlives = new KeepAlives({
        async held([agent]) {
          asked.push(agent?.name ?? '');
          const count = held[agent?.name ?? ''] ?? 0;
          if (count === 'away') throw new Error('It is away.');
          return count;
        },
        async release(token) {
          released.push(token);
          keeping.released(token);
        },
      });
      for (const token of [...TAKEN, 'gone']) keeping.taken(token, owner(token[0] ?? ''));
      keeping.released('gone');
      await keeping.check();
      expect([released.sort(), asked.sort()]).toEqual([expected, ['a', 'b', 'c']]);
      // Those that were let go are known no more.
      released.length = 0;
      await keeping.check();
      expect(released).toEqual([]);
    }
  });
});

describe('children in objects of their own', () => {
  const child = (sessionId: string): ChildRef => ({
    sessionId,
    address: '/agents/top/one/sub/leaf/1~1',
    placement: { via: 'object', className: 'Leaf', segment: '1~1' },
  });
  const message = { kind: 'agent', path: [], message: { type: 'wake', sessionId: 's_1' } } as const;

  /** Children whose objects answer by turns: what each call of any of them comes to. */
  function reaching(...answers: readonly (object | Error)[]) {
    const made: string[] = [];
    const calls: number[] = [];
    const erased: string[] = [];
    const children = new ObjectChildren((className, name) => {
      const at = made.push(`${className} ${name}`);
      return {
        async offshoot() {
          const answer = answers[calls.push(at) - 1];
          await Promise.resolve();
          if (answer instanceof Error) throw answer;
          return answer;
        },
        offshootErase: async () => void erased.push(name),
      } as unknown as AloneStub;
    });
    return { children, made, calls, erased };
  }

  it('[OP1] an object is called by the session of its child, as no root can be', () => {
    expect(objectName({ sessionId: 's_1' })).toBe('child:s_1');
    expect(['child:s_1', 's_1', 'xchild:s_1', ''].map(isChildObject)).toEqual([true, false, false, false]);
  });

  it('[OP1] calls that are under way together go by one stub; another one is made after a failure and once none is', async () => {
    const done = { answer: 'done' };
    const { children, made, calls } = reaching(done, done, new Error('It broke.'), done, done);
    const send = (sessionId = 's_1') => children.send(child(sessionId), message);
    const answers = await Promise.all([send(), send()]);
    expect([answers, calls, made]).toEqual([[done, done], [1, 1], ['Leaf child:s_1']]);
    // An answer is a copy of its own.
    expect(answers[0]).not.toBe(done);
    await expect(send()).rejects.toThrow('It broke.');
    await Promise.all([send(), send('s_2')]);
    expect([calls, made.slice(2)]).toEqual([
      [1, 1, 2, 3, 4],
      ['Leaf child:s_1', 'Leaf child:s_2'],
    ]);
  });

  it('[A50, OP1] what meets an object that is leaving is sent again four times, and any other failure is not', async () => {
    vi.useFakeTimers();
    const leaving = new Error(`Error: ${NOTHING_HERE}`);
    for (const met of [1, 4, 5]) {
      const { children, calls } = reaching(...Array.from({ length: met }, () => leaving), { answer: 'done' });
      const began = Date.now();
      const sent = children.send(child('s_1'), message).then(
        () => 'done',
        () => 'failed',
      );
      await vi.runAllTimersAsync();
      expect([await sent, calls.length]).toEqual(met < 5 ? ['done', met + 1] : ['failed', 5]);
      expect(Date.now() - began).toBe([50, 100, 200, 500].slice(0, met).reduce((sum, ms) => sum + ms, 0));
    }
    const { children, calls } = reaching(new Error('It broke.'));
    await expect(children.send(child('s_1'), message)).rejects.toThrow('It broke.');
    expect(calls).toHaveLength(1);
  });

  it('[OP13] one that is not erased in 30 s fails, so that its removal is tried again', async () => {
    vi.useFakeTimers();
    const { children, erased } = reaching();
    await children.remove(child('s_1'));
    expect([erased, vi.getTimerCount()]).toEqual([['child:s_1'], 0]);
    const never = new ObjectChildren(
      () => ({ offshootErase: () => new Promise(() => undefined) }) as unknown as AloneStub,
    );
    let failed: unknown;
    never.remove(child('s_1')).catch((error: unknown) => {
      failed = error;
    });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(failed).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(String(failed)).toContain('was not erased in time');
    expect(await children.copy()).toBe(false);
  });
});

it('[A50] an object that is leaving says that nothing is here, to each caller in its own words', () => {
  const of = (kind: string, isChild = false) => leavingAnswer({ kind } as unknown as ObjectCall, isChild);
  expect(of('root')).toBe(GONE);
  expect(of('agent')).toEqual({ answer: 'absent' });
  for (const kind of ['verb', 'socket', 'capability'])
    expect(of(kind)).toMatchObject({ ok: false, error: { code: 'unavailable', message: NOTHING_HERE } });
  for (const kind of ['root', 'agent', 'verb']) expect(() => of(kind, true)).toThrow(NOTHING_HERE);
});
