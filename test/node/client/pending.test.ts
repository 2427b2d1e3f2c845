/** The list of what waits, as a terminal reads it. */
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../src/client/errors';
import { fetchPending } from '../../../src/client/pending';
import { pendingItem } from '../../../src/protocol/wire/shapes';

const WHOLE = {
  ...{
    toolCallId: 'c_1',
    kind: 'approval',
    toolName: 'mail',
    input: { to: 'ann' },
    inputHash: 'h',
    address: '/agents/a/b',
  },
  ...{ agentType: 'a', requestedAt: 5, expiresAt: 9, invalidFields: [{ path: 'to', message: 'No.' }] },
};
const { signal } = new AbortController();

/** Reads pages that a server gives one after the other; each says that another follows, unless it is the last. */
async function read(...pages: readonly unknown[]) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = (url) => {
    asked.push(String(url));
    return Promise.resolve(Response.json(pages[Math.min(asked.length, pages.length) - 1]));
  };
  const items = await fetchPending({ base: 'http://a.test', fetch }, '/agents/a/b', signal);
  return { items, asked };
}

describe('the list of what waits', () => {
  it('[K15] has each field that the server sends', async () => {
    expect(Object.keys(WHOLE).sort()).toEqual(Object.keys(pendingItem.shape).sort());
    expect((await read({ items: [WHOLE] })).items).toEqual([WHOLE]);
    for (const name of ['inputHash', 'requestedAt', 'expiresAt', 'invalidFields'] as const) {
      const { [name]: _left, ...others } = WHOLE;
      expect((await read({ items: [others] })).items, name).toEqual([others]);
      expect((await read({ items: [{ ...WHOLE, [name]: {} }] })).items, name).toEqual([others]);
    }
    const { input: _input, ...bare } = WHOLE;
    expect((await read({ items: [bare] })).items).toEqual([{ ...WHOLE, input: null }]);
    const fields = [{ path: 'a', message: 1 }, 'x', null, { path: 'to', message: 'No.', more: 1 }];
    expect((await read({ items: [{ ...WHOLE, invalidFields: fields }] })).items).toEqual([WHOLE]);
    expect((await read({ items: [{ ...WHOLE, kind: 'client-tool' }] })).items).toEqual([
      { ...WHOLE, kind: 'client-tool' },
    ]);
  });

  it('[K16] is read to its end, at most twenty pages, and has the one that was asked first at the front', async () => {
    const at = (toolCallId: string, requestedAt?: number) => {
      const { requestedAt: _at, ...rest } = { ...WHOLE, toolCallId };
      return requestedAt === undefined ? rest : { ...rest, requestedAt };
    };
    const { items, asked } = await read(
      { items: [at('c_3', 3), at('c_1', 1)], cursor: 'a b&c' },
      { items: [at('c_2', 2), at('c_2b', 2)] },
    );
    expect(items.map(({ toolCallId }) => toolCallId)).toEqual(['c_1', 'c_2', 'c_2b', 'c_3']);
    expect(asked).toEqual(['http://a.test/agents/a/b/pending', 'http://a.test/agents/a/b/pending?cursor=a%20b%26c']);
    expect((await read({ items: [at('c_5', 5), at('c_0')] })).items.map(({ toolCallId }) => toolCallId)).toEqual([
      'c_0',
      'c_5',
    ]);
    const endless = await read({ items: [WHOLE], cursor: 'x' });
    expect([endless.items.length, endless.asked.length]).toEqual([20, 20]);
  });

  it.each([
    [{}],
    [{ items: {} }],
    [{ items: [null] }],
    [{ items: ['c_1'] }],
    [{ items: [{ ...WHOLE, kind: 'other' }] }],
    ...['toolCallId', 'toolName', 'address', 'agentType'].flatMap((name) =>
      [7, null, undefined].map((value) => [{ items: [{ ...WHOLE, [name]: value }] }]),
    ),
  ])('[K10] that makes no sense is no list: %j', async (page) => {
    await expect(read(page)).rejects.toBeInstanceOf(ProtocolError);
  });
});
