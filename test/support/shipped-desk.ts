/** The shipped desk as a tree in the simulator: its agents, the offline model's rules and a library of a test's own. */
import { expect } from 'vitest';
import { relationshipOf } from '../../src/core/definition/children/relationship';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { decide } from '../../src/desk/offline/roles';
import { originOptions } from '../../src/model/origin';
import { profileOf } from '../../src/model/request/profiles';
import { toRequest } from '../../src/model/request/request';
import { desk, envOf, libraryOf } from '../node/desk/support';
import { examine } from './examine';
import { type Tree, type TreeParts, withTree } from './harness';
import { present } from './present';
import type { Answer } from './scripted-port';

/** What the offline model decides, as the harness has its models answer. */
function offline(request: ModelRequest): Answer {
  const { prompt, tools } = toRequest(request, profileOf('offshoot', 'offline'));
  const { text, calls } = decide({ prompt, tools, providerOptions: originOptions(request) });
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

/** The same of an agent of two sides. */
function watchedSides(tree: Tree, agent: AgentDefinition): AgentDefinition {
  const { side_a, side_b } = present(agent.sides);
  const sides = {
    side_a: { ...side_a, definition: watched(tree, side_a.definition) },
    side_b: { ...side_b, definition: watched(tree, side_b.definition) },
  };
  return { ...watched(tree, agent), sides };
}

type Documents = Parameters<typeof libraryOf>;

/** The desk with all of its agents, over these documents. */
const shipped =
  (...documents: Documents) =>
  (tree: Tree): TreeParts => {
    const { coordinator, critic, researcher, factChecker, writer } = desk;
    const agents: TreeParts['agents'] = [
      watched(tree, coordinator),
      ...[critic, researcher, factChecker].map((agent) => watched(tree, agent)),
      watchedSides(tree, writer),
    ];
    return {
      agents,
      scripts: Object.fromEntries(agents.map(({ name }) => [name, offline])),
      env: envOf(libraryOf(...documents)),
    };
  };

/** Runs the desk to its report, which a person approves, with crashes at these commits; gives what is looked at. */
export async function reported<Seen>(
  question: string,
  documents: Documents,
  crashAt: readonly number[],
  look: (tree: Tree) => Seen,
): Promise<Seen> {
  const what = `a crash at ${crashAt.join(', ') || 'no commit'}`;
  return withTree(shipped(...documents), { crashAt: new Set(crashAt) }, async (tree) => {
    await tree.start(question);
    await tree.rest();
    const [asked, ...others] = tree.pending;
    expect([asked?.item, others], what).toMatchObject([{ toolName: 'publish_report' }, []]);
    if (asked) await tree.soon(tree.answer(asked, { kind: 'approval-response', approved: true }));
    await tree.finish();
    await tree.rest();
    examine(tree, what);
    // The desk knows the prices of its own models, and the model of this tree is none of them.
    expect(
      tree.time.problems.filter((one) => !one.includes('test/scripted, which has no price')),
      what,
    ).toEqual([]);
    return look(tree);
  });
}
