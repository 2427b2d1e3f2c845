/**
 * The shipped desk under crashes: its agents, the offline model's rules and a small library. The critic asks for a better
 * draft and passes that, wherever everything in memory is lost meanwhile.
 */
import { expect, it } from 'vitest';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { relationshipOf } from '../../src/core/definition/relationship';
import { decide } from '../../src/desk/offline/roles';
import { critiqueRequestSchema, critiqueSchema, deliveredSchema } from '../../src/desk/schemas';
import { originOptions } from '../../src/model/origin';
import { toPrompt, toTools } from '../../src/model/prompt';
import { isObject } from '../../src/protocol/json';
import { desk, document, envOf, libraryOf } from '../node/desk/support';
import { examine, transcripts } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import type { Answer } from '../support/scripted-port';
import { figures, sample } from '../support/sizes';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 24;
const QUESTION = 'When does a swarm leave the hive, and what do the bees live on in winter?';
const BEES = `# Bees

## Swarms

A swarm leaves the hive when the queen has too little room to lay.

## Winter

In winter the bees live on the honey that they stored in summer.
`;

/** What the offline model decides, as the harness has its models answer. */
function offline(request: ModelRequest): Answer {
  const { text, calls } = decide({
    prompt: toPrompt(request, 'offshoot'),
    tools: toTools(request.tools),
    providerOptions: originOptions(request),
  });
  return { text, calls: calls.map(({ toolName, input }) => ({ name: toolName, input })) };
}

/** An agent whose tools tell the tree of each of their bodies. */
const watched = (tree: Tree, agent: AgentDefinition): AgentDefinition => ({
  ...agent,
  tools: agent.tools.map((tool) => {
    const { execute } = tool;
    if (execute === undefined || relationshipOf(tool)) return tool;
    return {
      ...tool,
      execute: (input, context) => {
        tree.body(context.idempotencyKey);
        return execute(input, context);
      },
    };
  }),
});

function shipped(tree: Tree): TreeParts {
  const { coordinator, critic, researcher, factChecker } = desk;
  const agents: TreeParts['agents'] = [
    watched(tree, coordinator),
    ...[critic, researcher, factChecker].map((agent) => watched(tree, agent)),
  ];
  return {
    agents,
    scripts: Object.fromEntries(agents.map(({ name }) => [name, offline])),
    env: envOf(libraryOf(document('bees', BEES))),
  };
}

/** Runs the desk to its report, which a person approves. */
async function reported(crashAt: readonly number[]) {
  const what = `a crash at ${crashAt.join(', ') || 'no commit'}`;
  return withTree(shipped, { crashAt: new Set(crashAt) }, async (tree) => {
    await tree.start(QUESTION);
    await tree.rest();
    const [asked, ...others] = tree.pending;
    expect([asked?.item, others], what).toMatchObject([{ toolName: 'publish_report' }, []]);
    if (asked) await tree.soon(tree.answer(asked, { kind: 'approval-response', approved: true }));
    await tree.finish();
    await tree.rest();
    examine(tree, what);
    expect(tree.time.problems, what).toEqual([]);
    const rounds = tree.transcript().flatMap((message) => {
      if (message.role !== 'tool' || message.toolName !== 'companion__spawnAgent' || !message.result.success) return [];
      const { value } = message.result;
      return isObject(value) ? [{ ...value, output: critiqueSchema.parse(value.output) }] : [];
    });
    const drafts = tree
      .transcript(`${tree.address}/sub/critic/critic`)
      .flatMap((message) => (message.role === 'user' ? [message.content] : []))
      .map((text) => critiqueRequestSchema.parse(JSON.parse(String(text))));
    return { said: transcripts(tree), outcome: tree.outcome, rounds, drafts, commits: tree.commits.length };
  });
}

let crashes = 0;
figures("crashes in the desk's critic loop", () => `${crashes}`);

it('[D61, D62] the critic asks for a better draft, sees the first beside the second, and passes it', async () => {
  const { rounds, drafts, outcome } = await reported([]);
  expect(rounds).toMatchObject([
    { name: 'critic', task: 1, status: 'completed', output: { verdict: 'fix' } },
    {
      name: 'critic',
      task: 2,
      status: 'completed',
      output: { verdict: 'pass', note: expect.stringMatching(/^Round 2\./) },
    },
  ]);
  expect(drafts.map(({ round }) => round)).toEqual([1, 2]);
  expect(drafts[1]?.report).not.toEqual(drafts[0]?.report);
  expect(outcome.status === 'completed' && deliveredSchema.parse(outcome.output)).toMatchObject({ published: true });
});

it('[D61, D20, CO3, CO4, RC2, RC5] the same report, after the same rounds, wherever a crash comes', async () => {
  const calm = await reported([]);
  for (const commit of sample(calm.commits, MOST, 1)) {
    const found = await reported([commit]);
    crashes++;
    const what = `a crash at ${commit}`;
    expect(found.said, what).toEqual(calm.said);
    expect(found.outcome, what).toEqual(calm.outcome);
    expect([found.rounds, found.drafts], what).toEqual([calm.rounds, calm.drafts]);
  }
});
