/**
 * What the status document says is legal, and what is taken: the same, wherever a tree stands. Each round brings a tree to
 * a place by random acts of people, reads the controls of one of its agents, and asks it one of the verbs.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VerbAnswer } from '../../src/engine/object/object-calls';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import type { JsonLike } from '../../src/protocol/json';
import { pageOf, pendingItem, statusDocument } from '../../src/protocol/wire/shapes';
import { deepWait, failsFirst, manyWaits, ownWait, slowTree } from '../support/control';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { always, figures, sized } from '../support/sizes';
import { agentOf, answer } from '../support/trees';

const ROUNDS = sized(120, 2_000);

/** A root that begins two companions, one of which fails, and is told of them only by its next turn. */
function keepsCompanions(): TreeParts {
  const scout = agentOf('scout', { outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
  const begins = (name: string) => ({
    name: 'companion__spawnAgent',
    input: { agent: 'scout', name, initialMessage: name, mode: 'non-blocking' },
  });
  return {
    agents: [top, scout],
    scripts: {
      top: ({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? { text: 'Done.' } : { calls: [begins('ada'), begins('bob')] },
      scout: ({ messages }) =>
        JSON.stringify(messages).includes('bob') ? { fail: { code: 'model_refused' } } : { finish: { answer: 'a' } },
    },
  };
}

const TREES: Readonly<Record<string, (tree: Tree) => TreeParts>> = {
  'an approval and a client tool, three levels down': (tree) => deepWait(tree, true),
  'several children that wait': manyWaits,
  'a parent that waits, its children pause': (tree) => ownWait(tree, 'pause'),
  'a parent that waits, its children are started anew': (tree) => ownWait(tree, 'respawn'),
  'a parent that waits, one place for all': (tree) => ownWait(tree, 'pause', { maxConcurrentChildren: 1 }),
  'children that failed and are waited for': failsFirst,
  'slow tools': slowTree,
  companions: keepsCompanions,
};

const VERBS = [
  'start',
  'send',
  'interrupt',
  'abort',
  'terminate',
  'resume',
  'retry',
  'submit',
  'fork',
  'remove',
] as const;

/** One thing that a person asks, so many ms after the one before; `which` chooses the agent. */
interface Act {
  readonly verb: (typeof VERBS)[number];
  readonly which: number;
  readonly ms: number;
}

const STOPS: readonly string[] = ['interrupt', 'abort', 'terminate'];

/** Deletions and copies among the acts would leave little to ask. */
const before = fc.record<Act>({
  verb: fc.constantFrom('interrupt', 'resume', 'retry', 'submit', 'send', 'interrupt', 'abort', 'terminate'),
  which: fc.nat({ max: 20 }),
  ms: fc.integer({ min: 0, max: 25_000 }),
});

const rounds = fc.record({
  acts: fc.array(before, { maxLength: 5 }),
  last: fc.record<Act>({
    verb: fc.constantFrom(...VERBS),
    which: fc.nat({ max: 20 }),
    ms: fc.integer({ min: 0, max: 40_000 }),
  }),
});

async function ask(tree: Tree, address: string, verb: string, input: JsonLike): Promise<VerbAnswer> {
  const path = parseAddress(address).below.map(segmentOf);
  return tree.soon(tree.world.object(tree.address).call({ kind: 'verb', path, verb, input, caller: 'person' }));
}

/** What a verb is asked with, so that only the state of the agent can speak against it. */
async function inputFor(tree: Tree, address: string, verb: Act['verb']): Promise<JsonLike> {
  if (verb === 'start') return { message: 'Go on' };
  if (verb === 'send') return { content: 'Listen' };
  if (verb === 'fork') return address === tree.address ? { name: 'copy' } : { name: 'copy', message: 'Go' };
  if (verb !== 'submit') return {};
  const listed = await ask(tree, address, 'pending', {});
  const [first] = listed.ok ? pageOf(pendingItem).parse(listed.body).items : [];
  const { toolCallId = 'c_none', kind = 'approval' } = first ?? {};
  return kind === 'approval'
    ? { kind: 'approval-response', toolCallId, approved: true }
    : { kind: 'client-tool-result', toolCallId, result: 1 };
}

const agentFor = (tree: Tree, { which }: Act): string => {
  const { nodes } = tree;
  return nodes[which % nodes.length]?.address ?? tree.address;
};

const totals = { legal: 0, refused: 0, codes: new Set<string>() };

figures('controls', () => `${totals.legal} legal, ${totals.refused} refused, ${[...totals.codes].sort().join(' ')}`);

async function round(make: (tree: Tree) => TreeParts, acts: readonly Act[], last: Act): Promise<void> {
  await withTree(make, {}, async (tree) => {
    await tree.start();
    for (const act of acts) {
      await tree.time.pass(act.ms);
      const address = agentFor(tree, act);
      await ask(tree, address, act.verb, await inputFor(tree, address, act.verb));
    }
    await tree.time.pass(last.ms);
    const address = agentFor(tree, last);
    const input = await inputFor(tree, address, last.verb);
    const status = await ask(tree, address, 'status', {});
    // The record still tells of what was started anew, at an address that nobody has any more.
    if (!status.ok) return expect(['gone', 'unavailable']).toContain(status.error.code);
    const { controls } = statusDocument.parse(status.body);
    const said = controls[last.verb];
    const answered = await ask(tree, address, last.verb, input);
    const taken = answered.ok && !(STOPS.includes(last.verb) && answered.status === 200);
    const code = answered.ok ? (taken ? 'taken' : 'nothing_to_stop') : answered.error.code;
    expect(said === true ? 'taken' : said.code, `${last.verb} of ${address}`).toBe(code);
    if (taken) totals.legal++;
    else totals.refused++;
    if (!taken) totals.codes.add(code);
  });
}

describe.each(Object.entries(TREES))('%s', (_, make) => {
  it('[A82] a verb is taken exactly where the status document says so, else refused with the code that it gives', async () => {
    await always(
      fc.asyncProperty(rounds, ({ acts, last }) => round(make, acts, last)),
      Math.ceil(ROUNDS / 8),
    );
  });
});
