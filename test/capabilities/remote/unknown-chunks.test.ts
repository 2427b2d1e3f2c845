/** A remote agent of another version: a type of chunk that this one does not know, or that the other side does not send. */
import { afterEach, describe, expect, it } from 'vitest';
import type { RemoteAgentTransport, RemoteEvent } from '../../../src/core/definition/remote-transport';
import { CHUNKS } from '../../../src/protocol/chunks';
import { isObject } from '../../../src/protocol/json';
import { Tree, type TreeParts } from '../../support/harness';
import { agentOf, answer, noteTool, toolResults } from '../../support/trees';
import { kind, spawn, tell } from './support/critic-elsewhere';
import { elsewhere } from './support/elsewhere';
import { farParts, logThere } from './support/far';

/** As long as a parent may wait for what does not come, in ms. */
const SOON_MS = 30_000;

type Type = keyof typeof CHUNKS;

/** The other side, of which each chunk of a type is of an unknown one. */
function newer(tree: Tree, type: Type): RemoteAgentTransport {
  return elsewhere(tree, {
    event: (event) =>
      event.type === 'chunk' && event.chunk.type === type
        ? [{ type: 'passed_over', sequence: event.sequence }]
        : [event],
  });
}

/** The other side, whose log has no chunk of a type. */
function older(tree: Tree, type: Type): RemoteAgentTransport {
  const there = elsewhere(tree);
  return {
    ...there,
    async call(request) {
      const said = await there.call(request);
      if (request.verb !== 'status' || !said.ok || !isObject(said.body)) return said;
      const log = logThere(tree, `/agents/${request.agent.addressClass}/${request.agent.name}`);
      const upTo = log.slice(0, Number(said.body.lastSequence));
      return { ok: true, body: { ...said.body, lastSequence: upTo.filter(({ chunk }) => chunk.type !== type).length } };
    },
    async *stream({ from, ...request }) {
      let sequence = 0;
      for await (const event of there.stream({ ...request, from: 1 })) {
        if (event.type !== 'chunk') yield event;
        else if (event.chunk.type !== type && ++sequence >= from) yield { ...event, sequence } satisfies RemoteEvent;
      }
    },
  };
}

/** A writer whose companion is elsewhere, and has two tasks. */
const writing = (tree: Tree): Omit<TreeParts, 'env'> => ({
  agents: [
    agentOf('writer', { persistentAgents: [{ agent: kind }] }),
    agentOf('critic', { tools: [noteTool(tree)], outputSchema: answer }),
  ],
  scripts: {
    writer: [{ calls: [spawn('one')] }, { calls: [tell('two', { wait: true })] }, { text: 'Done.' }],
    critic: ({ step }) =>
      step === 1 ? { calls: [{ name: 'note', input: { text: 'read' } }] } : { finish: { answer: 'far' } },
  },
});

const open: Tree[] = [];
afterEach(() => {
  for (const tree of open.splice(0)) tree.close();
});

async function ended(make: (tree: Tree) => TreeParts) {
  const tree = new Tree(make);
  open.push(tree);
  const began = tree.time.now;
  await tree.start();
  await tree.time.until(() => tree.ended);
  return { tree, took: tree.time.now - began };
}

/** The types of chunk in the log of the other side. */
const TYPES: readonly Type[] = [
  ...(['run_started', 'message_delivered', 'step_started', 'text_delta', 'step_committed', 'tool_start'] as const),
  ...(['tool_end', 'subagent_start', 'subagent_end', 'suspended', 'unsuspended', 'output', 'run_completed'] as const),
];

describe.each([
  ['that this version does not know', newer],
  ['that the other side does not send', older],
] as const)('a type of chunk %s', (_, side) => {
  it.each(TYPES)('[RM35, RM91] `%s` holds up no sub-agent', async (type) => {
    const { tree, took } = await ended((it) => ({ ...farParts(it), env: { transport: side(it, type) } }));
    expect(toolResults(tree)).toMatchObject([{ success: true, value: { answer: 'far' } }]);
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(took).toBeLessThan(SOON_MS);
    expect(tree.nodes.filter(({ status }) => status === 'running')).toEqual([]);
  });

  it.each(TYPES)('[RM35, RM91] `%s` holds up no companion with a further task', async (type) => {
    const { tree, took } = await ended((it) => ({ ...writing(it), env: { transport: side(it, type) } }));
    expect(toolResults(tree).map((one) => one.success && one.value)).toMatchObject([
      { status: 'completed', output: { answer: 'far' } },
      { status: 'completed', result: { answer: 'far' } },
    ]);
    expect(took).toBeLessThan(SOON_MS);
  });
});

it('[RM35, RM91] every type of the log of these agents is tried', async () => {
  const { tree } = await ended((it) => ({ ...farParts(it), env: { transport: elsewhere(it) } }));
  const far = tree.addresses.filter((address) => /^\/agents\/far\/[^/]+$/.test(address));
  const types = new Set(far.flatMap((address) => logThere(tree, address)).map(({ chunk }) => chunk.type));
  expect([...types].filter((type) => !TYPES.includes(type))).toEqual([]);
  expect(TYPES.filter((type) => !Object.hasOwn(CHUNKS, type))).toEqual([]);
});
