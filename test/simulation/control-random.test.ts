/**
 * Random schedules of what people do and what is lost: stops, resumes, answers, refusals, crashes, and a bad network.
 * OFFSHOOT_SEED repeats a run of them; OFFSHOOT_NIGHTLY makes many more.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { unpairedCalls } from '../../src/protocol/messages';
import { fates, network } from '../support/bad-network';
import { deafTree, deepWait, manyWaits, ownWait, slowTree } from '../support/control';
import { examine } from '../support/examine';
import { Tree, type TreeOptions, type TreeParts } from '../support/harness';
import { People, type Wish, yes } from '../support/people';
import { always, figures, SEEDS, sized } from '../support/sizes';

const ROUNDS = sized(8, 100);

const TREES: Readonly<Record<string, (tree: Tree) => TreeParts>> = {
  'an approval and a client tool, three levels down': (tree) => deepWait(tree),
  'both in one step': (tree) => deepWait(tree, true),
  'several children that wait': manyWaits,
  'a parent that waits, its children go on': (tree) => ownWait(tree, 'continue'),
  'a parent that waits, its children pause': (tree) => ownWait(tree, 'pause'),
  'a parent that waits, its children are started anew': (tree) => ownWait(tree, 'respawn'),
  'a parent that waits, one place for all': (tree) => ownWait(tree, 'pause', { maxConcurrentChildren: 1 }),
  'slow tools': slowTree,
  'tools that hear no abort': deafTree,
};

/** What is done once so many commits were made; `which` chooses among the agents or the calls that wait. */
interface Act {
  readonly after: number;
  readonly act: StopVerb | 'crash' | 'leaves memory' | 'resume' | 'yes' | 'no';
  readonly which: number;
}

const acts = fc.array(
  fc.record<Act>({
    after: fc.integer({ min: 1, max: 90 }),
    act: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('interrupt' as const, 'resume' as const) },
      { weight: 4, arbitrary: fc.constantFrom('yes' as const, 'no' as const) },
      { weight: 3, arbitrary: fc.constantFrom('crash' as const, 'leaves memory' as const) },
      { weight: 1, arbitrary: fc.constantFrom('abort' as const, 'terminate' as const) },
    ),
    which: fc.nat({ max: 20 }),
  }),
  { minLength: 1, maxLength: 9 },
);

/** Somebody asks for something, and takes no for an answer. */
async function attempt(tree: Tree, { act, which }: Act): Promise<unknown> {
  const at = <Item>(items: readonly Item[]): Item | undefined => items[which % Math.max(1, items.length)];
  switch (act) {
    case 'crash':
      return tree.crash();
    case 'leaves memory':
      return tree.world.evict(at(tree.nodes)?.address ?? tree.address, true);
    case 'resume':
      return tree.resume(at(tree.nodes)?.address);
    case 'yes':
    case 'no': {
      const waiting = at(tree.pending);
      if (waiting === undefined) return undefined;
      const no = { kind: 'approval-response', approved: false, reason: 'No.' } as const;
      const answer = act === 'no' && waiting.item.kind === 'approval' ? no : yes(waiting);
      return tree.answer(waiting, answer);
    }
    default:
      return tree.stopAt(at(tree.nodes)?.address ?? tree.address, act);
  }
}

const totals = { schedules: 0, crashes: 0, requests: 0 };

async function lives(make: (tree: Tree) => TreeParts, given: readonly Act[], options: TreeOptions): Promise<void> {
  const wishes = given.map(
    (act): Wish => ({
      when: (tree) => tree.commits.length >= act.after,
      // What is refused, lost or late is asked once; what waits in the end is answered and resumed.
      ask: (tree) => void attempt(tree, act).catch(() => undefined),
    }),
  );
  const people = new People({ wishes });
  const tree = new Tree(make, { ...options, onCommit: (one) => people.committed(one, one.commits.at(-1) ?? '') });
  try {
    await tree.start();
    await people.attend(tree);
    examine(tree, '', options.network !== undefined);
    for (const { agentType, step, messages } of tree.port.asked)
      expect(unpairedCalls(messages), `${agentType}, step ${step}`).toEqual([]);
    totals.schedules++;
    totals.crashes += tree.crashes;
    totals.requests += tree.port.asked.length;
  } finally {
    tree.close();
  }
}

figures('random control', () => {
  const { schedules, crashes, requests } = totals;
  return `${schedules} schedules, ${crashes} crashes, ${requests} model requests, none with an unpaired call, seeds ${SEEDS.join(', ')}`;
});

/** Schedules that something was found by: they stay, whatever the seeds are. */
const FOUND: readonly { readonly tree: string; readonly given: readonly Act[] }[] = [
  {
    tree: 'a parent that waits, its children pause',
    given: [
      { after: 29, act: 'terminate', which: 18 },
      { after: 44, act: 'crash', which: 0 },
      { after: 1, act: 'resume', which: 0 },
    ],
  },
];

describe('what was found once', () => {
  it.each(FOUND)('[RT7, RN4, RC5] $tree: a tree at rest is woken no more', ({ tree, given }) => {
    const make = TREES[tree];
    if (make === undefined) throw new Error(`There is no tree "${tree}".`);
    return lives(make, given, {});
  });
});

describe.each(Object.entries(TREES))('%s', (_, make) => {
  it('[MS1, SP5, EN2, AN1, CS1, RN4, RC5] ends, and no model ever sees a call without its result', async () => {
    const holds = fc.asyncProperty(acts, (given) => lives(make, given, {}));
    await always(holds, ROUNDS);
  });

  it('[MS1, DL3, RC5, OB2, TR1] and so it does where messages are lost or come twice', async () => {
    const holds = fc.asyncProperty(acts, fates(1), (given, lost) => lives(make, given, { network: network(lost) }));
    await always(holds, Math.ceil(ROUNDS / 3));
  });
});
