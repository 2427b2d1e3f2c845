/** The facts that doors keep with a message, where an author's hook or code gives it other metadata. */
import { describe, expect, it } from 'vitest';
import { changesGiven } from '../../src/core/definition/hooks/hook-answers';
import { keptBy, withKept } from '../../src/core/definition/hooks/hooked-message';
import type { Json } from '../../src/protocol/json';

const own = { id: 'u1', digest: 'd1' };
const said = { messageId: 'm_1', role: 'user', content: 'Hello', from: 'caller' } as const;

const changed = (before: Json | undefined, metadata: unknown) =>
  changesGiven({ ...said, ...(before === undefined ? {} : { metadata: before }) }, { metadata }, 1_000);

describe('other metadata for a message of a door', () => {
  it.each(['chat', 'agui'] as const)('[CH17, AU16] keeps the id and the digest of %s, and nothing else', (door) => {
    const before = { [door]: { ...own, metadata: { mood: 'good' } }, old: 1 };
    expect(changed(before, { tag: 'x' })).toEqual({ metadata: { tag: 'x', [door]: own } });
    expect(changed(before, null)).toEqual({ metadata: { [door]: own } });
    expect(changed(before, { [door]: { id: 'else', more: 1 } })).toEqual({ metadata: { [door]: { ...own, more: 1 } } });
    expect(changed(before, { [door]: 'gone' })).toEqual({ metadata: { [door]: own } });
    expect(keptBy(door, changed(before, {}).metadata)).toEqual(own);
  });

  it('[CH17] is an object, or the failure of the hook', () => {
    for (const given of ['x', 1, ['x']])
      expect(() => changed({ chat: own }, given)).toThrow(/metadata that is not an object.*Return an object/u);
  });

  it.each([undefined, null, { chat: 'x' }, { chat: { id: 'u1' } }, { other: own }, [own]])(
    '[CH17, AU16] is as it was given where no door has kept anything: %j',
    (before) => {
      for (const given of [{ tag: 'x' }, 'x', null, { chat: { id: 'mine' } }])
        expect([withKept(before, given), changed(before, given)]).toEqual([given, { metadata: given }]);
    },
  );
});
