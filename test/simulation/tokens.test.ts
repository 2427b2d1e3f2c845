/** Tokens of an agent and of those below it, over a real tree. */
import { expect, it } from 'vitest';
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
const ask = (tree: Tree, address: string, verb: string, input: JsonObject): Promise<VerbAnswer> => {
  const path = parseAddress(address).below.map(segmentOf);
  const call: VerbCall = { kind: 'verb', path, verb, input, caller: 'ann', idempotencyKey: `k${++keys}` };
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
