/** Agents of two sides in trees: as a child, told by people, stopped and resumed, and what of it everybody sees. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { reduceAll } from '../../src/protocol/view/reduce';
import { currentRun, topAgents } from '../../src/protocol/view/view';
import { notingOf, type PairOptions, pairOf, sayTool } from '../support/duals';
import { examine, transcripts } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import type { Answer } from '../support/scripted-port';
import { agentOf, question, toolResults } from '../support/trees';

const approve = (text: string) => ({ name: 'approve', input: { text } });
const REVIEWED: readonly Answer[] = [
  { text: 'Rain falls.' },
  { text: 'Too short.', calls: [{ name: 'note', input: { text: '1 of 2' } }] },
  { text: 'Longer.' },
  { text: 'Rain falls on the roof.' },
  { calls: [approve('Rain falls on the roof.')] },
];

/** A planner whose sub-agent is a pair that answers so. */
function family(answers: readonly Answer[], options: PairOptions = {}): (tree: Tree) => TreeParts {
  return (tree) => {
    const writer = pairOf('writer', { inputSchema: question, ...options });
    const top = agentOf('top', { tools: [createSubAgentTool(writer)] });
    return {
      agents: [top, writer],
      env: notingOf(tree),
      scripts: {
        top: [{ calls: [{ name: 'subagent__writer', input: { q: 'rain' } }] }, { text: 'Done.' }],
        writer: answers,
      },
    };
  };
}

async function ran(answers: readonly Answer[], options: PairOptions = {}, treeOptions: TreeOptions = {}) {
  return withTree(family(answers, options), treeOptions, async (tree) => {
    await tree.run();
    examine(tree);
    const below = tree.addresses.find((address) => address !== tree.address) ?? '';
    return {
      commits: tree.commits.length,
      results: toolResults(tree),
      said: transcripts(tree),
      sides: tree
        .store(below)
        .steps({})
        .map(({ side }) => side),
      // A question that a crash cut off is asked again, as the same step.
      asked: new Set(tree.port.asked.flatMap(({ agentType, step }) => (agentType === 'top' ? [step] : []))).size,
      statuses: tree.log.flatMap(({ chunk }) =>
        chunk.type === 'subagent_status' && chunk.agentType === 'writer' ? [chunk.statusText] : [],
      ),
    };
  });
}

const SIDES = ['side_a', 'side_b', 'side_b', 'side_a', 'side_b'];

describe('an agent of two sides as a child', () => {
  it('[SA8, SA7] gives its parent one result, the same after a crash at any commit', async () => {
    const { commits, ...calm } = await ran(REVIEWED);
    expect(calm.results).toEqual([{ success: true, value: 'Rain falls on the roof.' }]);
    expect(calm.sides).toEqual(SIDES);
    for (let at = 1; at <= commits; at++) {
      const { commits: _commits, ...crashed } = await ran(REVIEWED, {}, { crashAt: new Set([at]) });
      expect(crashed, `a crash after commit ${at}`).toEqual(calm);
    }
  });

  it('[SA8, SA39] that fails its session is a failure which its parent reads, and the parent goes on', async () => {
    const refuse = { name: 'refuse', input: { text: 'Nobody can write of that.' } };
    const { results } = await ran([{ text: 'Rain falls.' }, { calls: [refuse] }]);
    expect(results).toMatchObject([
      { success: false, error: { message: expect.stringContaining('Nobody can write of that.') } },
    ]);
  });

  it('[SA45] says how far it is, which its parent is not asked about and which ends nothing', async () => {
    const b = { sessionStatus: { name: 'note', messageProperty: 'text' } };
    const { statuses, asked, sides } = await ran(REVIEWED, { b });
    expect(statuses).toEqual(['1 of 2']);
    expect(asked).toBe(2);
    expect(sides).toEqual(SIDES);
  });

  it.each([
    ['the argument', { text: ' 3 of 5 ' }, ['3 of 5']],
    ['else the result', {}, ['given']],
    ['else the failure', { fail: 'broken' }, ['broken']],
  ])('[SA45] says what the binding maps: %s', async (_, input, statuses) => {
    const note = sayTool('note', () => 'given');
    const b = {
      tools: [note, sayTool('approve')],
      sessionStop: 'approve',
      sessionStatus: { name: 'note', messageProperty: 'text' },
    };
    const answers = [{ text: 'Draft.' }, { calls: [{ name: 'note', input }] }, { calls: [approve('Done.')] }];
    expect((await ran(answers, { b })).statuses).toEqual(statuses);
  });

  it('[SA45] keeps its word apart from how it stands: one that says "terminated" goes on', async () => {
    const b = { sessionStatus: { name: 'note', messageProperty: 'text' } };
    const word = { calls: [{ name: 'note', input: { text: 'terminated' } }] };
    const { statuses, results } = await ran([{ text: 'Draft.' }, word, { calls: [approve('Done.')] }], { b });
    expect(statuses).toEqual(['terminated']);
    expect(results).toEqual([{ success: true, value: 'Done.' }]);
  });
});

/** A pair at the top that answers so. */
function alone(answers: readonly Answer[], options: PairOptions = {}): (tree: Tree) => TreeParts {
  return (tree) => ({
    agents: [pairOf('writer', options)],
    env: notingOf(tree),
    scripts: { writer: answers },
  });
}

describe('a session of two sides and people', () => {
  it('[SA7, RS1] goes on with the side whose turn it was, wherever it is interrupted', async () => {
    const calm = await withTree(alone(REVIEWED), {}, async (tree) => {
      await tree.run();
      return { commits: tree.commits.length, output: tree.outcome };
    });
    for (let at = 1; at < calm.commits; at++) {
      const onCommit = (tree: Tree, commit: number) => {
        if (commit === at) queueMicrotask(() => tree.stop('interrupt'));
      };
      await withTree(alone(REVIEWED), { onCommit }, async (tree) => {
        await tree.run();
        if (tree.outcome.status === 'interrupted') {
          await tree.resume();
          await tree.finish();
        }
        expect(tree.outcome, `interrupted after commit ${at}`).toEqual(calm.output);
        const sides = tree
          .store()
          .steps({})
          .map(({ side }) => side);
        expect(sides, `interrupted after commit ${at}`).toEqual(SIDES);
        examine(tree, `interrupted after commit ${at}`);
      });
    }
  });

  it('[SA7] waits for a person within a turn, and goes on with that side', async () => {
    const b = { tools: [sayTool('approve', undefined, { requireApproval: true })], sessionStop: 'approve' };
    await withTree(alone([{ text: 'Draft.' }, { calls: [approve('Yes.')] }], { b }), {}, async (tree) => {
      await tree.start();
      await tree.rest();
      const [asked] = tree.pending;
      if (asked === undefined) throw new Error('Nobody was asked.');
      await tree.soon(tree.answer(asked, { kind: 'approval-response', approved: true }));
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Yes.' });
    });
  });

  it('[SA59, SAW17] is told by messages for a side: one that comes during a turn of the other changes no turn', async () => {
    const onCommit = (tree: Tree, commit: number) => {
      if (commit !== 2) return;
      const message = { messageId: 'm_b', role: 'user', content: 'Be strict.', from: 'caller', to: 'side_b' } as const;
      queueMicrotask(() => tree.apply((facts) => ({ type: 'send', ...facts, runId: `r_${facts.token}`, message })));
    };
    const answers = [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, { calls: [approve('Done.')] }];
    const seen = await withTree(alone(answers), { onCommit }, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ output: 'Done.' });
      const sides = tree
        .store()
        .steps({})
        .map(({ side }) => side);
      return tree.port.asked.map(({ messages }, at) => ({ side: sides[at], messages: JSON.stringify(messages) }));
    });
    const toB = seen.filter(({ side, messages }) => side === 'side_b' && messages.includes('"Be strict."'));
    const toA = seen.filter(({ side, messages }) => side === 'side_a' && messages.includes('to Editor]\\nBe strict.'));
    expect(toB.length).toBeGreaterThan(0);
    expect(toA.length).toBeGreaterThan(0);
    expect(seen.map(({ side }) => side).slice(0, 2)).toEqual(['side_a', 'side_b']);
  });

  it('[SA59] begins with the side that the first message is for, which reads it word for word', async () => {
    await withTree(alone([{ calls: [approve('At once.')] }]), {}, async (tree) => {
      const object = tree.world.object(tree.address);
      const { environment } = tree.time;
      const message = { messageId: 'm_b', role: 'user', content: 'Judge this.', from: 'caller', to: 'side_b' } as const;
      const facts = { at: environment.now(), token: environment.token(), runId: `r_${environment.token()}` };
      await object.create(object.newRootSession({ tags: [] }), {}, { type: 'start', ...facts, messages: [message] });
      await tree.finish();
      expect(
        tree
          .store()
          .steps({})
          .map(({ side }) => side),
      ).toEqual(['side_b']);
      expect(tree.port.asked[0]?.messages).toEqual([{ role: 'user', content: 'Judge this.' }]);
    });
  });

  it('[SA74] shows whose step it is to whoever looks at the tree', async () => {
    await withTree(alone(REVIEWED), {}, async (tree) => {
      await tree.run();
      const [agent] = topAgents(reduceAll(tree.log));
      const steps = agent ? (currentRun(agent)?.steps ?? []) : [];
      expect(steps.map(({ side, speaker }) => [side, speaker])).toEqual(
        SIDES.map((side) => [side, side === 'side_a' ? 'Author' : 'Editor']),
      );
    });
  });
});
