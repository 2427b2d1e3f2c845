/** Where sub-agents of prompts live: whatever an entry says of them, they work alike in each place. */
import { describe, expect, it } from 'vitest';
import type { ChildPlacement, SubagentToolConfig } from '../../src/core/definition/definition';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, referencesIn } from '../support/prompts';
import { noteTool, toolResults } from '../support/trees';

const PLACES: readonly ChildPlacement[] = ['facet', 'object'];

/** The four ways in which a prompt uses a sub-agent. */
const WAYS: readonly (readonly [name: string, stays: boolean, more: Partial<SubagentToolConfig>])[] = [
  ['for one call, which waits', false, {}],
  ['for one call, which does not wait', false, { blocking: false }],
  ['that stays, awaited', true, {}],
  ['that stays, not awaited', true, { blocking: false }],
  ['that begins with the prompt', true, { immediate: true, blocking: false }],
];

/** A lead that begins its worker, tells it something more where that stays, and then ends. */
function parts(tree: Tree, stays: boolean, more: Partial<SubagentToolConfig>): TreeParts {
  const worker = dualOf('worker', { tools: [noteTool(tree)] });
  const entry = stays ? lasting('worker', more) : { name: 'worker', initUserMessageProperty: 'task', ...more };
  const create = { name: 'subagent_create', input: { agent: 'worker', message: 'Work.', name: 'Ann' } };
  return {
    agents: [leadOf([entry, noteTool(tree)], [worker]), worker],
    scripts: {
      lead: ({ messages }) => {
        // An envelope begins a further run: what it says by now tells where it stands.
        const step = messages.filter(({ role }) => role === 'assistant').length + 1;
        if (step === 1 && !more.immediate)
          return { calls: [stays ? create : { name: 'worker', input: { task: 'Work.' } }] };
        const [referenceId] = referencesIn(messages);
        if (step === 2 && stays && referenceId !== undefined)
          return { calls: [{ name: 'subagent_message', input: { referenceId, message: 'Again.' } }] };
        return { text: 'Done.' };
      },
      worker: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? { text: 'Worked.' } : { calls: [{ name: 'note', input: { text: 'x' } }] },
    },
  };
}

/** What is random in what a model reads. */
const plain = (value: unknown): string => JSON.stringify(value).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'reference');

async function ran(
  placement: ChildPlacement,
  stays: boolean,
  more: Partial<SubagentToolConfig>,
  crashAt: number[] = [],
) {
  const make = (tree: Tree) => parts(tree, stays, { placement, ...more });
  return withTree(make, { crashAt: new Set(crashAt) }, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    expect(tree.time.problems).toEqual([]);
    const children = tree.nodes.flatMap((node) => (node.kind === 'child' ? [node] : []));
    expect(children.length).toBeGreaterThan(0);
    expect(children.map((node) => node.placement)).toEqual(children.map(() => placement));
    return {
      results: plain(toolResults(tree)),
      envelopes: envelopesIn(tree.transcript()).map(plain),
      below: children.map(({ address, status }) => [status, plain(tree.transcript(address))]),
      outcome: tree.outcome.status,
      bodies: tree.bodies.size,
    };
  });
}

describe.each(WAYS)('a sub-agent of a prompt %s', (_name, stays, more) => {
  it('[OP9] works alike in the object of its parent and in one of its own', async () => {
    const facet = await ran('facet', stays, more);
    expect(facet.bodies).toBeGreaterThan(0);
    expect(facet.outcome).toBe('completed');
    for (const placement of PLACES) expect(await ran(placement, stays, more), placement).toEqual(facet);
  });
});
