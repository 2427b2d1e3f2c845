/** Tokens of an agent and of those below it, over a real tree. */
import { expect, it } from 'vitest';
import { type Claims, claimsOf, tokenUse } from '../../src/access/signed';
import type { VerbAnswer, VerbCall } from '../../src/engine/object/object-calls';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import { isObject, type JsonObject } from '../../src/protocol/json';
import { type Tree, withTree } from '../support/harness';
import { agentOf, answer } from '../support/trees';

const scout = agentOf('scout', { outputSchema: answer });
const parts = {
  agents: [agentOf('top', { persistentAgents: [{ agent: scout }] }), scout] as const,
  env: { OFFSHOOT_SIGNING_KEY: 'a-key-of-the-tests-alone-0123456789abcdef' },
  scripts: {
    top: [
      {
        calls: ['ada', 'eve'].map((name) => ({
          name: 'companion__spawnAgent',
          input: { agent: 'scout', name, initialMessage: 'one' },
        })),
      },
      { text: 'Done.' },
    ],
    scout: () => ({ finish: { answer: 'Done.' } }),
  },
};

let keys = 0;
/** What is signed takes no time that the test has to let pass, and is not done by its clock. */
const ask = (tree: Tree, address: string, verb: string, input: JsonObject, by?: Claims): Promise<VerbAnswer> => {
  const path = parseAddress(address).below.map(segmentOf);
  const token = by ? { token: tokenUse(by) } : {};
  const call: VerbCall = { kind: 'verb', path, verb, input, caller: 'ann', idempotencyKey: `k${++keys}`, ...token };
  return tree.world.object(tree.address).call(call);
};

it('[TK4, TK2] a token is listed and taken back at its own agent and above it, and nowhere else', () =>
  withTree(
    () => parts,
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      const [ada, eve] = ['ada', 'eve'].map((name) => tree.addresses.find((one) => one.endsWith(`/${name}`)) ?? '');
      const places = [tree.address, `${ada}`, `${eve}`];
      const isWithin = (at: string, above: string) => at === above || at.startsWith(`${above}/`);
      for (const made of places)
        for (const asked of places) {
          const given = await ask(tree, made, 'createToken', { actions: ['read'], ttlSeconds: 60 });
          const id = given.ok && isObject(given.body) ? String(given.body.id) : '';
          const list = await ask(tree, asked, 'tokens', {});
          const items = list.ok && isObject(list.body) && Array.isArray(list.body.items) ? list.body.items : [];
          const isListed = items.some((item) => isObject(item) && item.id === id);
          const revoked = await ask(tree, asked, 'revokeToken', { path: id });
          const came = revoked.ok ? 'taken back' : revoked.error.code;
          const may = isWithin(made, asked);
          expect([made, asked, isListed, came]).toEqual([made, asked, may, may ? 'taken back' : 'not_found']);
        }
    },
  ));

const DAY_MS = 86_400_000;

it('[TK6, TK8] what a token or a ticket makes ends with it at the latest, and a ticket opens nothing after its minute', () =>
  withTree(
    () => parts,
    {},
    async (tree) => {
      await tree.start();
      await tree.rest();
      const start = tree.time.now;
      const made = async (verb: 'createToken' | 'createTicket', seconds: number, by?: Claims) => {
        const actions = ['read', 'share'];
        const input = verb === 'createToken' ? { actions, ttlSeconds: seconds } : { actions };
        const given = await ask(tree, tree.address, verb, input, by);
        if (!given.ok || !isObject(given.body)) throw new Error(`Nothing was made: ${JSON.stringify(given)}`);
        const claims = await claimsOf(String(given.body.token), parts.env.OFFSHOOT_SIGNING_KEY);
        expect(given.body.expiresAt).toBe(claims.exp);
        return claims;
      };
      const isTold = (claims: Claims, opens: number, right: number | undefined) =>
        expect([claims.exp - start, claims.until && claims.until - start]).toEqual([opens, right]);
      for (const seconds of [10, 59, 61, 3_600, 2 * 86_400]) {
        const ends = seconds * 1_000;
        const token = await made('createToken', seconds);
        isTold(token, ends, undefined);
        isTold(await made('createToken', 7_200, token), Math.min(ends, 7_200_000), undefined);
        const ticket = await made('createTicket', 0, token);
        const right = Math.min(ends, DAY_MS);
        isTold(ticket, Math.min(ends, 60_000), right);
        // Over the socket that the ticket has opened.
        isTold(await made('createToken', 7_200, ticket), Math.min(right, 7_200_000), undefined);
        isTold(await made('createTicket', 0, ticket), Math.min(right, 60_000), right);
      }
    },
  ));
