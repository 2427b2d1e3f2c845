/** A stop of a whole tree: what is committed and readable before any of many children is told. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { RootRequest } from '../../src/engine/tree-messages';
import { child, kidsOf } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, answer, hangTool, question } from '../support/trees';

/** A parent of so many children that hang: every second one in a tool, the others in a model call. */
function hanging(tree: Tree, count: number): TreeParts {
  const kid = agentOf('kid', { tools: [hangTool(tree)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
  const ways = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? 'tool' : 'model'));
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: ways.map((way) => child('kid', way)) }, { text: 'Done.' }],
      kid: ({ messages }) =>
        JSON.stringify(messages[0]).includes('tool') ? { calls: [{ name: 'hang' }] } : { hang: true },
    },
  };
}

/** Runs until all children hang, and stops the root; lets everything run that can without time passing. */
async function stopped(tree: Tree, verb: StopVerb, count: number): Promise<void> {
  await tree.start();
  await tree.time.pass(2_000);
  expect(kidsOf(tree).map(({ schedule }) => schedule.phase)).toEqual(Array.from({ length: count }, () => 'working'));
  expect(tree.bodies.size).toBe(Math.ceil(count / 2));
  expect(tree.stop(verb)).toBe(true);
  await tree.time.settle();
}

/** The stop of an agent's run, as its store has it; an end by a stop counts. */
function stopOf(tree: Tree, address: string): string | undefined {
  const { run } = tree.state(address);
  return run?.phase === 'active' ? run.stop?.verb : run?.outcome.status;
}

/** What the log says of the root's stop. */
const told = (tree: Tree): string[] =>
  tree.log.flatMap(({ chunk }) =>
    chunk.type === 'subagent_status' && chunk.agentType === 'top' ? [`${chunk.status}: ${chunk.statusText}`] : [],
  );

const WORDS = { interrupt: 'interrupting', abort: 'aborting', terminate: 'terminating' };
const ENDS = { interrupt: 'interrupted', abort: 'failed', terminate: 'terminated' };

describe.each<StopVerb>(['interrupt', 'abort', 'terminate'])('%s of a tree', (verb) => {
  it('[SP12, SP9, RN4] is committed and in the log before the first of 5 children is told; then all end', () =>
    withTree(
      (tree) => hanging(tree, 5),
      {},
      async (tree) => {
        await stopped(tree, verb, 5);
        expect(stopOf(tree, tree.address)).toBe(verb);
        expect(told(tree)).toEqual([`${WORDS[verb]}: Enough.`]);
        const kids = kidsOf(tree).map(({ address }) => address);
        expect(kids.map((address) => stopOf(tree, address))).toEqual(kids.map(() => undefined));
        await tree.time.pass(10_000);
        expect(tree.outcome.status).toBe(ENDS[verb]);
        expect(kidsOf(tree).map(({ schedule, status }) => [schedule.phase, status])).toEqual(
          kids.map(() => ['ended', ENDS[verb]]),
        );
      },
    ));

  it('[SP12, SP9] of 4 children is known to them without time passing', () =>
    withTree(
      (tree) => hanging(tree, 4),
      {},
      async (tree) => {
        await stopped(tree, verb, 4);
        expect(stopOf(tree, tree.address)).toBe(verb);
        const stops = kidsOf(tree).map(({ address }) => stopOf(tree, address));
        // Those in a tool have their grace; those in a model call have ended.
        expect(stops).toEqual([verb, ENDS[verb], verb, ENDS[verb]]);
        await tree.time.pass(10_000);
        expect(tree.outcome.status).toBe(ENDS[verb]);
      },
    ));
});

describe('a stop of 5 children', () => {
  it('[SP12, SP9, RC6] reaches them also where everything is lost before they are told', () =>
    withTree(
      (tree) => hanging(tree, 5),
      {},
      async (tree) => {
        await stopped(tree, 'interrupt', 5);
        tree.crash();
        await tree.time.pass(30_000);
        expect(tree.outcome.status).toBe('interrupted');
        expect(kidsOf(tree).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'interrupted'));
      },
    ));
});

/** So many children that hang in model calls below each of so many parents; with no parents, below the root itself. */
function wards(parents: number, each: number): TreeParts {
  const kid = agentOf('kid');
  const ward = agentOf('ward', { tools: [createSubAgentTool(kid, question)], outputSchema: answer });
  const top = agentOf('top', { tools: [createSubAgentTool(parents === 0 ? kid : ward, question)] });
  const calls = (name: string, count: number) => ({ calls: Array.from({ length: count }, () => child(name, 'Hang.')) });
  return {
    agents: [top, ward, kid],
    scripts: {
      top: [parents === 0 ? calls('kid', each) : calls('ward', parents)],
      ward: () => calls('kid', each),
      kid: () => ({ hang: true }),
    },
  };
}

/** What comes to the root while it listens. */
function listening() {
  const requests: RootRequest[] = [];
  const ear = { on: false };
  const network: NonNullable<TreeOptions['network']> = (_address, call, perform) => {
    if (ear.on && call.kind === 'root') requests.push(call.request);
    return perform();
  };
  return { requests, ear, network };
}

describe.each<StopVerb>(['interrupt', 'abort', 'terminate'])('%s of children in model calls', (verb) => {
  it.each([
    { parents: 0, each: 20, handedOn: [] },
    { parents: 4, each: 5, handedOn: [5, 5, 5, 5] },
  ])('[OB7, OB5, RT4, RT10] costs one request to the root for each parent: $handedOn', async (shape) => {
    const { requests, ear, network } = listening();
    await withTree(
      () => wards(shape.parents, shape.each),
      { network },
      async (tree) => {
        await tree.start();
        await tree.time.pass(5_000);
        const all = Math.max(1, shape.parents) * shape.each;
        expect(tree.nodes.filter(({ agentType }) => agentType === 'kid')).toHaveLength(all);
        ear.on = true;
        expect(tree.stop(verb)).toBe(true);
        // Less than the second after which a child says it once more, by itself.
        await tree.time.pass(500);
        expect(tree.outcome.status).toBe(ENDS[verb]);
        expect(requests.map(({ relayed = [] }) => relayed.length)).toEqual(shape.handedOn);
        // Each parent takes the ends of all its children in one commit.
        const taken = tree.kinds.filter((kind) => kind.startsWith('child'));
        expect(taken.every((kind) => kind.startsWith('children_settled of'))).toBe(true);
        expect([new Set(taken).size, taken.length]).toEqual([shape.parents + 1, shape.parents + 1]);
      },
    );
  });

  it.each([0, 4])(
    '[OB8] costs each of 20 children one request a second later (%i parents between)',
    async (parents) => {
      const { requests, ear, network } = listening();
      await withTree(
        () => wards(parents, parents === 0 ? 20 : 5),
        { network },
        async (tree) => {
          await tree.start();
          await tree.time.pass(5_000);
          expect(tree.stop(verb)).toBe(true);
          await tree.time.pass(500);
          expect(tree.outcome.status).toBe(ENDS[verb]);
          const kids = tree.nodes.filter(({ agentType }) => agentType === 'kid').map(({ sessionId }) => sessionId);
          const ofKids = () => requests.filter(({ sessionId }) => kids.includes(sessionId));
          ear.on = true;
          const before = tree.changes();
          await tree.time.pass(1_500);
          expect(ofKids().map(({ batches, deliver }) => [batches.length > 0, deliver.length])).toEqual(
            kids.map(() => [true, 1]),
          );
          // The root's agent has taken the ends of its own children: beside the report to the directory, nothing is written.
          if (parents === 0) expect(tree.changes() - before).toBeLessThanOrEqual(1);
          await tree.time.pass(10_000);
          // Each was acknowledged, and asks for nothing more.
          expect(ofKids()).toHaveLength(kids.length);
          expect(tree.nodes.filter((node) => 'undelivered' in node)).toEqual([]);
        },
      );
    },
  );
});

describe('an interrupt of 5 children', () => {
  it('[OB8, RS1] is over when it is resumed before they have acknowledged it: their results come at once', () => {
    const { requests, ear, network } = listening();
    let isResumed = false;
    return withTree(
      () => {
        const parts = wards(0, 5);
        const kid = () => (isResumed ? { text: 'Resumed.' } : { hang: true });
        return {
          ...parts,
          scripts: { ...parts.scripts, top: [...(parts.scripts.top as object[]), { text: 'Done.' }], kid },
        };
      },
      { network },
      async (tree) => {
        await tree.start();
        await tree.time.pass(5_000);
        expect(tree.stop('interrupt')).toBe(true);
        await tree.time.pass(100);
        expect(tree.outcome.status).toBe('interrupted');
        ear.on = true;
        isResumed = true;
        await tree.resume();
        await tree.time.pass(500);
        expect(tree.outcome.status).toBe('completed');
        const ends = requests.flatMap(({ deliver }) => deliver).map((one) => 'outcome' in one && one.outcome.status);
        expect(ends).toEqual(Array.from({ length: 5 }, () => 'completed'));
      },
    );
  });
});
