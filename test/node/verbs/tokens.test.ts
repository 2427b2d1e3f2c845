/** Tokens and tickets of a root over a long time, against a naive account of who has given what. */
import { expect, it } from 'vitest';
import { claimsOf, tokenUse } from '../../../src/access/signed';
import type { GivenToken } from '../../../src/core/ports/tree-store';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { TokenUse, VerbAnswer, VerbCall } from '../../../src/engine/object/object-calls';
import type { Json, JsonObject } from '../../../src/protocol/json';
import { VERB } from '../../../src/verbs/table';
import { holderOf, refusedToken } from '../../../src/verbs/token-use';

const KEY = 'a-key-of-the-tests-alone-0123456789abcdef';
const AT = '/agents/top/one';
const LEAF = `${AT}/sub/leaf/a`;
const DAY = 86_400_000;

function world() {
  const clock = { now: 1_700_000_000_000 };
  const known = new Map<string, GivenToken>();
  const audit: JsonObject[] = [];
  let minted = 0;
  let revoked = 0;
  const store = {
    token: (id: string) => known.get(id),
    tokens: () => [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    putToken: (token: GivenToken) => void known.set(token.id, token),
    dropTokens(ids: readonly string[]) {
      for (const id of ids) known.delete(id);
    },
  };
  const self = { kind: 'root', id: 1, address: AT, sessionId: 's_1', top: {} };
  const leaf = { ...self, kind: 'child', id: 2, address: LEAF };
  const object = {
    isRoot: true,
    environment: { now: () => clock.now, token: () => `x${++minted}`, bindings: { OFFSHOOT_SIGNING_KEY: KEY } },
    agent: { state: { session: { address: AT } } },
    tree: {
      self: () => self,
      tree: { byAddress: (address: string) => (address === AT ? self : address === LEAF ? leaf : undefined) },
      ownerOf: (callId: string) => (callId === 'c_1' ? {} : undefined),
      deps: { store },
    },
    store: {
      transaction: (body: () => void) => body(),
      addAudit: (entry: JsonObject) => void audit.push(entry),
      addReceipt: () => undefined,
      receipt: () => undefined,
    },
    ports: { revoked: () => void revoked++ },
  } as unknown as ObjectRuntime;
  const ask = async (verb: string, input: JsonObject, more: Partial<VerbCall> = {}) => {
    const call: VerbCall = { kind: 'verb', path: [], verb, input, caller: 'ann', ...more };
    const answer: VerbAnswer = await (VERB as unknown as Record<string, (typeof VERB)['tokens']>)[verb]!.answer(
      object,
      call,
    );
    return answer.ok ? { status: answer.status, body: answer.body as JsonObject } : { code: answer.error.code };
  };
  const made = async (verb: 'createToken' | 'createTicket', input: JsonObject, more: Partial<VerbCall> = {}) => {
    const { body } = await ask(verb, input, more);
    const claims = await claimsOf(String(body?.token), KEY);
    return { id: claims.id, claims, use: tokenUse(claims) };
  };
  return { clock, known, audit, object, ask, made, revokedSoFar: () => revoked };
}

const below = { path: [{ className: 'Leaf', addressClass: 'leaf', name: 'a' }] as unknown as VerbCall['path'] };
const read = { actions: ['read'], ttlSeconds: 60 };

it('[TK4, X34] one counts as long as it and all that led to it are there, and is held by the first of them, or by who made that', async () => {
  const { object, made, ask, known } = world();
  const first = await made('createToken', read);
  const second = await made('createToken', read, { caller: `token:${first.id}`, token: first.use });
  const third = await made('createTicket', {}, { caller: `token:${second.id}`, token: second.use });
  const ticket = await made('createTicket', {});
  const byTicket = await made('createToken', read, { caller: `token:${ticket.id}`, token: ticket.use });
  const alone = await made('createToken', read, { caller: 'eve' });
  const counts = (token: TokenUse) => refusedToken(object, token) === undefined;
  const all = [first, second, third, ticket, byTicket, alone];
  const holders = all.map(({ use }) => holderOf(object, { caller: 'x', token: use }));
  const firstHolder = `token:${first.id}`;
  expect(holders).toEqual([firstHolder, firstHolder, firstHolder, 'ann', 'ann', `token:${alone.id}`]);
  expect([...known.values()].map(({ id, holder }) => [id, holder])).toEqual([
    [first.id, 'ann'],
    [second.id, firstHolder],
    [third.id, firstHolder],
    [ticket.id, 'ann'],
    [byTicket.id, 'ann'],
    [alone.id, 'eve'],
  ]);
  expect(all.map(({ use }) => counts(use))).toEqual(all.map(() => true));
  for (const [gone, rest] of [
    [second, [true, false, false, true, true, true]],
    [ticket, [true, false, false, false, false, true]],
    [first, [false, false, false, false, false, true]],
  ] as const) {
    expect((await ask('revokeToken', { path: gone.id })).code).toBeUndefined();
    expect(all.map(({ use }) => counts(use))).toEqual(rest);
  }
  expect(counts({ id: 't_none', endsAt: 1 })).toBe(false);
  expect(holderOf(object, { caller: 'x', token: { id: 't_none', endsAt: 1 } })).toBe('x');
  expect([holderOf(object, { caller: 'x' }), holderOf(object, {})]).toEqual(['x', '']);
});

it('[TK7] for one key, caller, agent and verb there is one, with the same text; for another body none', async () => {
  const { made, ask, known } = world();
  const by = { idempotencyKey: 'k' };
  const first = await made('createToken', read, by);
  expect(await made('createToken', read, by)).toEqual(first);
  expect(await ask('createToken', { ...read, ttlSeconds: 61 }, by)).toEqual({ code: 'idempotency_conflict' });
  const others = [
    await made('createToken', read, { idempotencyKey: 'l' }),
    await made('createToken', read, { ...by, caller: 'eve' }),
    await made('createToken', read, { ...by, ...below }),
    await made('createTicket', { actions: ['read'] }, by),
    await made('createToken', read),
    await made('createToken', read),
  ];
  expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(7);
  expect(known.size).toBe(7);
});

it('[TK1, TK5, TK6] the text, the list and the audit say what was given, and nothing else', async () => {
  const { clock, made, ask, audit } = world();
  const start = clock.now;
  const given: Record<string, { claims: object; listed: object }> = {};
  const add = ({ id, claims }: Awaited<ReturnType<typeof made>>, said: JsonObject, listed: JsonObject) => {
    given[id] = { claims: said, listed: { id, createdAt: start, createdBy: 'ann', ticket: false, ...listed } };
    expect(claims).toEqual({ id, ...said });
  };
  const facts = { actions: ['read', 'stop', 'read'], ttlSeconds: 60, label: 'mine' };
  const first = await made('createToken', facts, below);
  const ends = start + 60_000;
  const may = ['read', 'stop'];
  add(first, { at: LEAF, may, exp: ends }, { address: LEAF, actions: may, label: 'mine', expiresAt: ends });
  const call = { actions: ['answer'], ttlSeconds: 5, toolCallId: 'c_1' };
  const one = { at: AT, may: ['answer'], exp: start + 5_000, call: 'c_1' };
  add(await made('createToken', call), one, {
    ...{ address: AT, actions: ['answer'], toolCallId: 'c_1', expiresAt: start + 5_000 },
  });
  const until = start + DAY;
  const ticket = { at: AT, may: ['read', 'write'], exp: start + 60_000, until };
  add(await made('createTicket', { actions: ['write', 'read'] }), ticket, {
    ...{ address: AT, actions: ['read', 'write'], ticket: true, expiresAt: until },
  });
  expect(await ask('createToken', { ...call, toolCallId: 'c_2' })).toEqual({ code: 'unknown_tool_call' });
  const ids = Object.keys(given).sort();
  const listed = async (input: JsonObject, more = {}) => (await ask('tokens', input, more)).body as JsonObject;
  expect((await listed({})).items).toEqual(ids.map((id) => given[id]?.listed as Json));
  expect((await listed({}, below)).items).toEqual([given[first.id]?.listed]);
  for (const limit of [1, 2, 3, 4]) {
    const found: Json[] = [];
    for (let cursor: Json | undefined = ''; cursor !== undefined; ) {
      const page: JsonObject = await listed({ limit, ...(cursor === '' ? {} : { cursor }) });
      expect((page.items as Json[]).length).toBeLessThanOrEqual(limit);
      found.push(...(page.items as Json[]));
      cursor = page.cursor;
    }
    expect(found).toEqual(ids.map((id) => given[id]?.listed));
  }
  expect(audit.map(({ action, detail }) => [action, detail])).toEqual([
    ['createToken', { address: LEAF, token: first.id, actions: may }],
    ['createToken', { token: expect.any(String), actions: ['answer'], toolCallId: 'c_1' }],
    ['createTicket', { token: expect.any(String), actions: ['read', 'write'] }],
  ]);
});

it('[TK4, TK7] one that was taken back stays known as long as its text could count, with the time of the first taking', async () => {
  const { clock, made, ask, known, revokedSoFar } = world();
  const start = clock.now;
  const token = await made('createToken', read);
  const [late, ticket, opened] = [
    await made('createToken', { ...read, ttlSeconds: 61 }),
    await made('createTicket', {}),
    await made('createTicket', {}),
  ];
  known.set(opened.id, { ...(known.get(opened.id) as GivenToken), ticket: 'opened' });
  clock.now += 10;
  await ask('revokeToken', { path: token.id });
  clock.now += 10;
  await ask('revokeToken', { path: token.id });
  expect([known.get(token.id)?.revokedAt, revokedSoFar()]).toEqual([start + 10, 2]);
  expect(await ask('revokeToken', { path: 't_none' })).toEqual({ code: 'not_found' });
  const after = async (now: number) => {
    clock.now = now;
    const { id } = await made('createToken', { ...read, ttlSeconds: 1_000_000 }, { idempotencyKey: 'last' });
    known.delete(id);
    return [token, late, ticket, opened].map((one) => known.has(one.id));
  };
  expect(await after(start + 59_999)).toEqual([true, true, true, true]);
  expect(await after(start + 60_000)).toEqual([false, true, false, true]);
  expect(await after(start + 61_000)).toEqual([false, false, false, true]);
  expect(await after(start + DAY - 1)).toEqual([false, false, false, true]);
  expect(await after(start + DAY)).toEqual([false, false, false, false]);
});
