/** Idempotency keys over a real tree, against a list of what was accepted: each key counts for one caller, agent and verb. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VerbAnswer, VerbCall } from '../../src/engine/object/object-calls';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import { isObject, type JsonLike, type JsonObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { verbNamed } from '../../src/verbs/table';
import { type Tree, withTree } from '../support/harness';
import { always, sized } from '../support/sizes';
import { agentOf, answer } from '../support/trees';

/** Two companions, of two kinds: one may have the other's name with something before it. */
const NAMES = ['ada', 'ada2'] as const;

/** A root that keeps them, which say what they are told. */
const keeping = () => {
  const scouts = NAMES.map((_name, index) => agentOf(`scout${index}`, { outputSchema: answer }));
  const top = agentOf('top', { persistentAgents: scouts.map((agent) => ({ agent })) });
  const spawns = NAMES.map((name, index) => ({
    name: 'companion__spawnAgent',
    input: { agent: `scout${index}`, name, initialMessage: 'one' },
  }));
  const saysDone = { finish: { answer: 'Done.' } };
  return {
    agents: [top, ...scouts] as const,
    env: { OFFSHOOT_SIGNING_KEY: 'a-key-of-the-tests-alone-0123456789abcdef' },
    scripts: {
      top: ({ messages }: { messages: readonly Message[] }) =>
        messages.some(({ role }) => role === 'tool') ? { text: 'Done.' } : { calls: spawns },
      scout0: () => saysDone,
      scout1: () => saysDone,
    },
  };
};

/** Two inputs of each verb. */
const INPUTS: Record<string, readonly [JsonObject, JsonObject]> = {
  start: [{ message: 'go a' }, { message: 'go b' }],
  send: [{ content: 'say a' }, { content: 'say b' }],
  interrupt: [{ reason: 'a' }, { reason: 'b' }],
  abort: [{ reason: 'a' }, { reason: 'b' }],
  resume: [{}, { message: 'on b' }],
  createToken: [
    { actions: ['read'], ttlSeconds: 60 },
    { actions: ['read'], ttlSeconds: 61 },
  ],
  createTicket: [{}, { actions: ['read', 'write'] }],
  fork: [
    { name: 'copy', message: 'a' },
    { name: 'copy', message: 'b' },
  ],
};

interface Request {
  readonly verb: string;
  readonly who: number;
  readonly caller: string;
  readonly key: string;
  readonly body: 0 | 1;
  /** The tree rests before it. */
  readonly rests: boolean;
}

const request: fc.Arbitrary<Request> = fc.record({
  verb: fc.constantFrom('send', 'send', 'send', ...Object.keys(INPUTS)),
  who: fc.nat({ max: NAMES.length }),
  // Texts that another one would be told apart from only where they are kept apart.
  caller: fc.constantFrom('a', 'b', 'a","'),
  key: fc.constantFrom('k', 'k2', '","k'),
  body: fc.constantFrom(0, 1),
  rests: fc.boolean(),
});

/** What tells an acceptance from every other one of its verb. */
function identityOf(verb: string, body: JsonLike): unknown {
  if (!isObject(body)) return undefined;
  return { start: body.runId, send: body.messageId, createToken: body.id, createTicket: body.id, fork: body.address }[
    verb
  ];
}

/** The answer with its status, which is that of the verb where it says none. */
const withStatus = (verb: string, reply: VerbAnswer): VerbAnswer =>
  reply.ok ? { status: verbNamed(verb)?.status ?? 0, ...reply } : reply;

/** How often each text was said to an agent. */
function said(messages: readonly Message[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of messages)
    if (one.role === 'user' && typeof one.content === 'string')
      counts.set(one.content, (counts.get(one.content) ?? 0) + 1);
  return counts;
}

/** Makes the requests of a play, each held against those before; gives what was accepted. */
async function played(tree: Tree, requests: readonly Request[]) {
  const addresses = [
    tree.address,
    ...NAMES.map((name) => tree.addresses.find((one) => one.endsWith(`/${name}`)) ?? ''),
  ];
  const accepted = new Map<string, { readonly body: number; readonly reply: VerbAnswer }>();
  const identities = new Set<unknown>();
  for (const { verb, who, caller, key, body, rests } of requests) {
    if (rests) await tree.rest();
    const address = addresses[who] ?? '';
    const path = parseAddress(address).below.map(segmentOf);
    const input = INPUTS[verb]?.[body] ?? {};
    const call: VerbCall = { kind: 'verb', path, verb, input, caller, idempotencyKey: key };
    const asked = tree.world.object(tree.address).call(call);
    // What is signed takes no time that the test has to let pass, and is not done by its clock.
    const reply = withStatus(verb, await (verb.startsWith('create') ? asked : tree.soon(asked)));
    const scope = JSON.stringify([address, verb, caller, key]);
    const first = accepted.get(scope);
    if (first?.body === body) expect(reply, scope).toEqual(first.reply);
    else if (first) expect(reply, scope).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
    else if (reply.ok) {
      const identity = identityOf(verb, reply.body);
      expect([scope, identity !== undefined && identities.has(identity)]).toEqual([scope, false]);
      identities.add(identity);
      accepted.set(scope, { body, reply });
    } else expect([scope, reply.error.code]).not.toEqual([scope, 'idempotency_conflict']);
  }
  await tree.rest();
  return { addresses, accepted };
}

describe('an idempotency key', () => {
  it('[A18] is that of one caller, agent and verb, whatever others use it', () =>
    always(
      fc.asyncProperty(fc.array(request, { minLength: 4, maxLength: 24 }), (requests) =>
        withTree(keeping, {}, async (tree) => {
          await tree.run();
          await tree.rest();
          const { addresses, accepted } = await played(tree, requests);
          for (const [who, address] of addresses.entries()) {
            const texts = said(tree.transcript(address));
            for (const [verb, field] of [
              ['send', 'content'],
              ['start', 'message'],
            ] as const)
              for (const body of [0, 1] as const) {
                const scopes = [...accepted].filter(([scope, one]) => {
                  const [at, of] = JSON.parse(scope);
                  return at === address && of === verb && one.body === body;
                });
                const text = String(INPUTS[verb]?.[body][field]);
                expect([who, text, texts.get(text) ?? 0]).toEqual([who, text, scopes.length]);
              }
          }
          expect(tree.time.problems).toEqual([]);
        }),
      ),
      sized(15, 400),
    ));
});
