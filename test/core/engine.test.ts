import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SequencedChunk } from '../../src/core/chunks';
import { defineAgent, defineTool } from '../../src/core/definition';
import { createSubAgentTool } from '../../src/core/relationship';
import { modelPort } from '../../src/model/adapter';
import { routingScriptedModel } from '../../src/model/scripted';
import { World } from '../../src/testing/world';
import { VirtualTime } from '../support/virtual-time';

const note = defineTool({
  name: 'note',
  description: 'Notes',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => ({ noted: text }),
  replay: 'safe',
});
const dummy = {};
const leaf = defineAgent({
  name: 'leaf',
  systemPrompt: 'leaf',
  model: dummy,
  tools: [note],
  outputSchema: z.object({ answer: z.string() }),
});
const middle = defineAgent({
  name: 'middle',
  systemPrompt: 'middle',
  model: dummy,
  tools: [createSubAgentTool(leaf, z.object({ q: z.string() }))],
  outputSchema: z.object({ answer: z.string() }),
});
const top = defineAgent({
  name: 'top',
  systemPrompt: 'top',
  model: dummy,
  tools: [note, createSubAgentTool(middle, z.object({ q: z.string() }))],
});

function world(time: VirtualTime) {
  const model = routingScriptedModel({
    top: [
      {
        text: 'Let us see.',
        calls: [
          { name: 'subagent__middle', input: { q: 'a' } },
          { name: 'subagent__middle', input: { q: 'b' } },
          { name: 'note', input: { text: 'x' } },
        ],
      },
      { text: 'All done.' },
    ],
    middle: [
      {
        calls: [
          { name: 'subagent__leaf', input: { q: '1' } },
          { name: 'subagent__leaf', input: { q: '2' } },
        ],
      },
      { finish: { answer: 'm' } },
    ],
    leaf: [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { finish: { answer: 'l' } }],
  });
  const port = modelPort(model);
  return { world: new World({ agents: [top, middle, leaf], environment: time.environment, model: () => port }), model };
}

function logOf(w: World): SequencedChunk[] {
  const log = w.object('/agents/top/one').tree?.log;
  return log ? log.page(1, '/agents/top/one').chunks.concat() : [];
}

describe('engine', () => {
  it('[R1] runs three levels', async () => {
    const time = new VirtualTime();
    const { world: w } = world(time);
    const object = w.object('/agents/top/one');
    const session = object.newRootSession({ tags: [] });
    await object.create(
      session,
      {},
      {
        type: 'start',
        at: time.environment.now(),
        token: time.environment.token(),
        runId: 'r_1',
        messages: [{ messageId: 'm_1', role: 'user', content: 'Go', from: 'caller' }],
      },
    );
    await time.until(() => object.agent?.state.run?.phase === 'ended');
    expect(object.agent?.state.run).toMatchObject({ outcome: { status: 'completed', output: 'All done.' } });
    await time.settle();
    const rows = logOf(w).map(({ sequence, chunk }) => `${sequence} ${chunk.address.slice(12)} ${chunk.type}`);
    console.log(rows.join('\n'), time.problems);
    console.log(object.agent?.transcript.before(object.agent.state.step!).length);
    w.close();
  });
});
