/** Calls of one id at several agents: each is itself, wherever a page or a path names it. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../../../src/console/data/decisions';
import { mounted } from '../../../support/react-hooks';

const DATA = '../../../../src/console/data';
let keys: typeof import('../../../../src/console/data/call-key');
let decisions: typeof import('../../../../src/console/data/decisions');

beforeAll(async () => {
  vi.resetModules();
  vi.doMock(`${DATA}/session`, () => ({ server: () => ({}) }));
  vi.doMock(`${DATA}/place`, () => ({ AT: '/ai/console' }));
  keys = await import('../../../../src/console/data/call-key');
  decisions = await import('../../../../src/console/data/decisions');
});
afterAll(() => {
  for (const name of ['session', 'place']) vi.doUnmock(`${DATA}/${name}`);
  vi.resetModules();
});

const address = fc.constantFrom(
  '/agents/top/one',
  '/agents/top/one/sub/leaf/a',
  '/agents/top/two',
  '/agents/top/one-2',
);
const toolCallId = fc.oneof(fc.constantFrom('call_1', 'a', 'a/b', 'a%2Fb', '100%', 'a?b', 'a#b', 'é:+'), fc.uuid());
const call = fc.record({ address, toolCallId });

describe('a call', () => {
  it('[CN127] has a key, and a path in the inbox, that only the same call has', () => {
    fc.assert(
      fc.property(call, call, fc.dictionary(fc.constantFrom('kind', 'tool'), fc.string()), (one, other, more) => {
        const isSame = one.address === other.address && one.toolCallId === other.toolCallId;
        expect(keys.callKey(one) === keys.callKey(other)).toBe(isSame);
        expect(keys.callOf([other], one)).toBe(isSame ? other : undefined);
        const path = keys.callPath(one, more);
        expect(keys.isCallAt(other, path)).toBe(isSame);
        // The router hands the path on with what was escaped in it as itself.
        const [before = '', after = ''] = path.split('?');
        const { pathname } = new URL(before, 'https://a.test');
        expect(keys.isCallAt(one, `${pathname}?${after}`)).toBe(true);
        const { searchParams } = new URL(path, 'https://a.test');
        const named = decodeURIComponent(pathname.slice('/ai/console/inbox/'.length));
        expect(keys.callNamed([other, one], named, searchParams.get('at') ?? '')).toEqual(one);
        const given = Object.entries(more).filter(([, value]) => value !== '');
        expect(Object.fromEntries(searchParams)).toEqual({ ...Object.fromEntries(given), at: one.address });
      }),
    );
  });

  it('[CN127] is the first of its id where a path names no address, and none where it names another', () => {
    const calls = ['/agents/a/x', '/agents/a/y'].map((at) => ({ address: at, toolCallId: 'c' }));
    expect(keys.callNamed(calls, 'c', '')).toBe(calls[0]);
    expect(keys.callNamed(calls, 'c', '/agents/a/y')).toBe(calls[1]);
    expect(keys.callNamed(calls, 'c', '/agents/a/z')).toBeUndefined();
    expect(keys.callNamed(calls, undefined, '')).toBeUndefined();
    expect(keys.isCallAt({ address: '/agents/a/x', toolCallId: 'c' }, '/ai/console/inbox')).toBe(false);
    expect(keys.isCallAt({ address: '/agents/a/x', toolCallId: 'c' }, '/ai/console/inbox/%?at=/agents/a/x')).toBe(
      false,
    );
  });

  it('[CN127] that was decided leaves one of its id at another agent open', async () => {
    const item = (at: string, inputHash = 'h'): Item => ({
      ...{ address: at, toolCallId: 'c', inputHash, toolName: 'pay', kind: 'approval' },
      ...{ agentType: 'a', path: [], requestedAt: 1, input: {} },
    });
    const [one, copy] = [item('/agents/a/x'), item('/agents/a/x-2')];
    const { result } = await mounted(() => decisions.useReceipts());
    expect(result.size).toBe(0);
    const page = await mounted(() => decisions.useReceipts());
    await page.settle(() => decisions.keep(decisions.receiptOf(one, { kind: 'approve' })));
    expect(page.result.get(keys.callKey(one))).toMatchObject({ address: one.address, says: 'Approved' });
    expect(page.result.get(keys.callKey(copy))).toBeUndefined();
    await page.settle(() => decisions.keep(decisions.receiptOf(copy, { kind: 'deny', reason: '' })));
    expect([...page.result.values()].map(({ address: at, says }) => [at, says])).toEqual([
      [one.address, 'Approved'],
      [copy.address, 'Denied'],
    ]);
    expect(keys.shownKey(one)).not.toBe(keys.shownKey(copy));
    expect(keys.shownKey(one)).not.toBe(keys.shownKey(item(one.address, 'other')));
  });
});
