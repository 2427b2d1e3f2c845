/** A tree whose sub-agent `far` is another root of the same world, with a sub-agent of its own there, and what it must come to. */
import { expect } from 'vitest';
import { createRemoteSubAgentTool } from '../../../../src/capabilities/remote/define';
import { createSubAgentTool } from '../../../../src/core/definition/children/relationship';
import type { Limits } from '../../../../src/core/definition/limits';
import type { RemoteAgentTransport } from '../../../../src/core/definition/remote-transport';
import type { Chunk } from '../../../../src/protocol/chunks';
import { SqlTreeStore } from '../../../../src/store/tree-store';
import { Tree, type TreeOptions, type TreeParts } from '../../../support/harness';
import { present } from '../../../support/present';
import { agentOf, answer, noteTool, question, toolResults } from '../../../support/trees';
import { type Between, elsewhere } from './elsewhere';

interface Env {
  readonly transport: RemoteAgentTransport;
}

/** The agent `far`, elsewhere. */
export const farTool = createRemoteSubAgentTool('far', {
  description: 'Works elsewhere.',
  inputSchema: question,
  outputSchema: answer,
  remoteAgentType: 'Far',
  transport: (env: Env) => env.transport,
});

/** A root whose child `far` is elsewhere, and has a child of its own there. */
export function farParts(tree: Tree, between: Between = {}, limits: Partial<Limits> = {}): TreeParts {
  const note = noteTool(tree);
  const leaf = agentOf('leaf', { tools: [note], outputSchema: answer });
  const far = agentOf('far', {
    inputSchema: question,
    outputSchema: answer,
    tools: [note, createSubAgentTool(leaf, question)],
  });
  const top = agentOf('top', { tools: [farTool, note], limits });
  return {
    agents: [top, far, leaf],
    scripts: {
      top: [{ calls: [{ name: 'subagent__far', input: { q: 'a' } }] }, { text: 'Done.' }],
      far: [
        {
          calls: [
            { name: 'note', input: { text: 'n' } },
            { name: 'subagent__leaf', input: { q: 'b' } },
          ],
        },
        { finish: { answer: 'far' } },
      ],
      leaf: [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { finish: { answer: 'leaf' } }],
    },
    env: { transport: elsewhere(tree, between) },
  };
}

export async function ran(options: TreeOptions = {}, between: Between = {}) {
  const tree = new Tree((it) => farParts(it, between), options);
  await tree.run();
  return tree;
}

/** A log as it is compared: who said what when, below the address of its agent. */
const lines = (log: readonly { readonly chunk: Chunk }[], top: string): string[] =>
  log.flatMap(({ chunk }) => {
    const { address, type, timestamp } = chunk;
    if (address !== top && !address.startsWith(`${top}/`)) return [];
    return [`${timestamp} ${address.slice(top.length)} ${type} ${'delta' in chunk ? chunk.delta : ''}`];
  });

/** The roots elsewhere. */
export const remotes = (tree: Tree): string[] =>
  tree.addresses.filter((address) => /^\/agents\/far\/[^/]+$/.test(address));

/** The log of a root elsewhere. */
export function logThere(tree: Tree, address: string) {
  const rows = new SqlTreeStore(present(tree.world.storage(address))).read(1, 1_000_000, Number.MAX_SAFE_INTEGER);
  return rows.flatMap(({ chunks }) => chunks.map((chunk) => ({ chunk })));
}

/** Everything that was said there is here, once and in its order, between the beginning and the end of the task. */
export function examined(tree: Tree, what = ''): void {
  expect(tree.log.map(({ sequence }) => sequence)).toEqual(tree.log.map((_, index) => index + 1));
  const [there] = remotes(tree);
  expect(remotes(tree).length, what).toBe(1);
  const child = `${tree.address}/sub/far/1~1`;
  expect(lines(tree.log, child), what).toEqual(lines(logThere(tree, present(there)), present(there)));
  const types = tree.log.map(({ chunk }) => (chunk.address.startsWith(child) ? 'child' : chunk.type));
  expect(
    types.filter((type) => type === 'subagent_start' || type === 'subagent_end'),
    what,
  ).toEqual(['subagent_start', 'subagent_end']);
  expect(types.indexOf('tool_start'), what).toBeLessThan(types.indexOf('subagent_start'));
  expect(types.indexOf('subagent_start'), what).toBeLessThan(types.indexOf('child'));
  expect(types.lastIndexOf('child'), what).toBeLessThan(types.indexOf('subagent_end'));
  expect(types.indexOf('subagent_end'), what).toBeLessThan(types.indexOf('tool_end'));
  expect(toolResults(tree), what).toEqual([{ success: true, value: { answer: 'far' } }]);
  expect(tree.outcome, what).toMatchObject({ status: 'completed', output: 'Done.' });
  expect(tree.time.problems, what).toEqual([]);
  expect(tree.time.pending, what).toBe(0);
}

/** A tree whose child elsewhere works for ever, unless it is let go. */
export function hanging(tree: Tree, between: Between, far = { hangs: true }): TreeParts {
  const made = farParts(tree, between, { childStopMs: 60_000 });
  return {
    ...made,
    scripts: { ...made.scripts, far: () => (far.hangs ? { hang: true } : { finish: { answer: 'far' } }) },
  };
}

/** How the run of the root elsewhere ended; its phase where it has not. */
export const statusThere = (tree: Tree): string | undefined => {
  const run = tree.state(present(remotes(tree)[0])).run;
  return run?.phase === 'ended' ? run.outcome.status : run?.phase;
};
