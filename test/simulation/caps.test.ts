/** Caps of sub-agents over real trees, against a count of who is there: each kind, owner and prompt by itself. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { SideName } from '../../src/protocol/sides';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, lasting, leadOf, promptOf, referencesIn } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { always, sized } from '../support/sizes';
import { toolResults } from '../support/trees';

const KINDS = ['scout', 'scribe'] as const;
type Kind = (typeof KINDS)[number];
type Caps = Readonly<Record<Kind, number>>;

/** What a side of an owner does in one step: begins some, or ends the first that its registry has. */
type Batch = readonly Kind[] | 'end';

interface Play {
  readonly caps: Readonly<Record<SideName, Caps>>;
  /** By owner, then by side: the steps of each. */
  readonly owners: readonly Readonly<Record<SideName, readonly Batch[]>>[];
}

const caps: fc.Arbitrary<Caps> = fc.record({
  scout: fc.integer({ min: 1, max: 3 }),
  scribe: fc.integer({ min: 1, max: 3 }),
});
const batch: fc.Arbitrary<Batch> = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant('end' as const) },
);
const batches = fc.array(batch, { maxLength: 3 });
const play: fc.Arbitrary<Play> = fc.record({
  caps: fc.record({ side_a: caps, side_b: caps }),
  owners: fc.array(fc.record({ side_a: batches, side_b: batches }), { minLength: 2, maxLength: 2 }),
});

/** A call that an owner's model has made. */
interface Made {
  readonly side: SideName;
  readonly kind?: Kind;
  readonly reference?: string;
}

/** Two owners of one kind, each of two sides whose prompts have caps of their own. */
function owning({ caps: most, owners }: Play, made: Map<string, Made[]>): TreeParts {
  const workers = KINDS.map((name) => dualOf(name));
  const sideOf = (side: SideName) => ({
    prompt: promptOf(`owner_${side}`, {
      parallelToolCalls: true,
      agents: workers,
      tools: KINDS.map((kind) =>
        lasting(kind, {
          blocking: false,
          resumable: { receives_messages: 'side_a', maxInstances: most[side][kind] },
        }),
      ),
    }),
  });
  const owner = dualOf('owner', {}, { maxSessionTurns: 2, sideA: sideOf('side_a'), sideB: sideOf('side_b') });
  const left = owners.map((one) => ({ side_a: [...one.side_a], side_b: [...one.side_b] }));
  const ids: string[] = [];
  const answerOf = ({ sessionId, side = 'side_a', messages }: ModelRequest): Answer => {
    if (!ids.includes(sessionId)) ids.push(sessionId);
    const mine = made.get(sessionId) ?? [];
    made.set(sessionId, mine);
    const next = left[ids.indexOf(sessionId)]?.[side].shift();
    if (next === undefined) return { text: 'Done.' };
    const ends = (next === 'end' ? referencesIn(messages).slice(0, 1) : []).map((reference) => ({ side, reference }));
    const begins = next === 'end' ? [] : next.map((kind) => ({ side, kind }));
    mine.push(...ends, ...begins);
    const calls = [
      ...ends.map(({ reference }) => ({ name: 'subagent_terminate', input: { referenceId: reference } })),
      ...begins.map(({ kind }) => ({
        name: 'subagent_create',
        input: { agent: kind, message: 'Go.', name: `${kind} ${mine.length}` },
      })),
    ];
    return calls.length === 0 ? { text: 'None.' } : { calls };
  };
  return {
    agents: [leadOf([lasting('owner', { blocking: false })], [owner]), owner, ...workers],
    scripts: {
      lead: ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { text: 'Done.' }
          : {
              calls: owners.map((_one, at) => ({
                name: 'subagent_create',
                input: { agent: 'owner', message: 'Go.', name: `o${at}` },
              })),
            },
      owner: answerOf,
      scout: () => ({ text: 'Here.' }),
      scribe: () => ({ text: 'Here.' }),
    },
  };
}

const reference = z.object({ reference: z.string() });

/** Holds the outcome of each call against a count of who is there. */
function check(tree: Tree, { caps: most }: Play, made: ReadonlyMap<string, readonly Made[]>): number {
  let refusals = 0;
  for (const [sessionId, calls] of made) {
    const address = tree.nodes.find((node) => node.sessionId === sessionId)?.address ?? '';
    const results = toolResults(tree, address);
    expect(results).toHaveLength(calls.length);
    const there = new Map<string, string>();
    for (const [at, { side, kind, reference: ended }] of calls.entries()) {
      const result = results[at];
      if (ended !== undefined) {
        there.delete(ended);
        continue;
      }
      const scope = `${side} ${kind}`;
      const count = [...there.values()].filter((one) => one === scope).length;
      const isFull = kind !== undefined && count >= most[side][kind];
      const what = `${address}: ${scope}, call ${at}, with ${count} there`;
      if (isFull) expect(result, what).toMatchObject({ success: false, error: { code: 'max_children' } });
      else expect(result, what).toMatchObject({ success: true });
      if (result?.success) there.set(reference.parse(result.value).reference, scope);
      else refusals++;
    }
  }
  return refusals;
}

describe('a cap of instances', () => {
  it('[SA21] counts those of its own kind, owner and prompt that were not terminated, and no others', async () => {
    let refusals = 0;
    await always(
      fc.asyncProperty(play, async (drawn) => {
        const made = new Map<string, Made[]>();
        await withTree(
          () => owning(drawn, made),
          {},
          async (tree) => {
            await tree.run();
            await tree.rest();
            expect(made.size).toBe(drawn.owners.length);
            refusals += check(tree, drawn, made);
            expect(tree.time.problems).toEqual([]);
          },
        );
      }),
      sized(12, 300),
    );
    expect(refusals).toBeGreaterThan(10);
  });
});
