/** What the model of a parent reads of a sub-agent that did not complete. */

import { describe, expect, it } from 'vitest';
import { workDone } from '../../src/core/agent/runs/work-done';
import type { Call, Step } from '../../src/core/agent/state';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import { type Message, resultContent } from '../../src/protocol/messages';
import { NO_USAGE } from '../../src/protocol/usage';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import type { Answer } from '../support/scripted-port';
import { agentOf, hangTool, noteTool, question } from '../support/trees';

const NOTES: Answer = {
  text: 'First, the notes.',
  calls: ['a', 'b'].map((text) => ({ name: 'note', input: { text } })),
};

/** A parent with one leaf that notes twice, says something, and then does this. */
function halfDone(tree: Tree, then: Answer, timeoutMs = 600_000): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree), hangTool(tree)] });
  const top = agentOf('top', { tools: [createSubAgentTool(leaf, question, { timeoutMs })] });
  const call = { calls: [{ name: 'subagent__leaf', input: { q: 'a' } }] };
  return { agents: [top, leaf], scripts: { top: [call, { text: 'Done.' }], leaf: [NOTES, then] } };
}

/** What the models of an agent have read as results of its calls. */
const read = (messages: readonly Message[]): Json[] =>
  messages.flatMap((one) => (one.role === 'tool' ? [resultContent(one.result)] : []));

const DONE = {
  lastText: 'First, the notes.',
  callsSucceeded: 2,
  calls: [
    { tool: 'note', arguments: '{"text":"a"}', result: '{"noted":"a"}' },
    { tool: 'note', arguments: '{"text":"b"}', result: '{"noted":"b"}' },
  ],
};

const LEAF = '/agents/top/one/sub/leaf/1~1';

describe('what a sub-agent had done', () => {
  it.for([
    ['abort', 'aborted'],
    ['terminate', 'terminated'],
  ] as const)('[DG21] when somebody asks it to %s is read by the model of its parent', async ([verb, code]) => {
    await withTree(
      (tree) => halfDone(tree, { calls: [{ name: 'hang' }] }),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => tree.bodies.size === 3);
        await tree.stopAt(LEAF, verb);
        await tree.finish();
        expect(read(tree.transcript())).toEqual([{ success: false, error: expect.any(String), code, done: DONE }]);
        const end = tree.log.find(({ chunk }) => chunk.type === 'subagent_end')?.chunk;
        expect(end).toMatchObject({ error: { code, details: { done: DONE } } });
      },
    );
  });

  it('[DG21] when its time was up, or its model failed, is read as well', async () => {
    const ends = [
      [{ hang: true }, 5_000, 'child_timeout'],
      [{ fail: { code: 'model_refused' } }, 600_000, 'model_refused'],
    ] as const;
    for (const [then, timeoutMs, code] of ends)
      await withTree(
        (tree) => halfDone(tree, then, timeoutMs),
        {},
        async (tree) => {
          await tree.run();
          expect(read(tree.transcript())).toMatchObject([{ success: false, code, done: DONE }]);
        },
      );
  });

  it('[DG21] is the same after a crash at any commit, and nothing where nothing was done', async () => {
    const make = (tree: Tree) => halfDone(tree, { fail: { code: 'model_refused' } });
    const { commits } = await withTree(make, {}, (tree) => tree.run());
    for (let at = 1; at <= commits.length; at++)
      await withTree(make, { crashAt: new Set([at]) }, async (tree) => {
        await tree.run();
        expect(read(tree.transcript()), `crash at ${at}`).toMatchObject([{ code: 'model_refused', done: DONE }]);
      });
    const fails = (tree: Tree): TreeParts => {
      const parts = halfDone(tree, { text: 'x' });
      return { ...parts, scripts: { ...parts.scripts, leaf: [{ fail: { code: 'model_refused' } }] } };
    };
    await withTree(fails, {}, async (tree) => {
      await tree.run();
      expect(read(tree.transcript())[0]).not.toHaveProperty('done');
    });
  });

  it('[DG21] is bounded: 20 calls, 2,000 characters of text, 200 of arguments, 300 of a result', () => {
    const call = (index: number, size: number): Call => ({
      callId: `c_${index}`,
      providerId: '',
      name: `t${index}`,
      input: 'a'.repeat(size - 2),
      index,
      bodies: 1,
      plan: { kind: 'tool', replay: 'safe', finishWith: false, timeoutMs: 1 },
      settled: { result: { success: true, value: 'r'.repeat(size + 98) }, at: 0, startedAt: 0 },
    });
    const step = (id: number, text: string, calls: Call[]): Step => ({
      ...{ id, turn: 1, number: id, attempt: 1, recoveries: 0, token: '', messagesUpTo: 0, startedAt: 0, failures: [] },
      ...{ spent: NO_USAGE, usage: NO_USAGE, repliedAt: 0, model: '', finishReason: 'stop' },
      phase: 'calls',
      reply: [{ type: 'text', text }],
      calls,
    });
    const calls = Array.from({ length: 21 }, (_, index) => call(index, index === 20 ? 201 : 200));
    const failed: Call = {
      ...call(21, 9),
      settled: { result: { success: false, error: failure('tool_failed') }, at: 0, startedAt: 0 },
    };
    const done = present(workDone([step(1, 'x'.repeat(2_000), calls), step(2, ' ', [failed])]));
    expect(done.lastText).toBe('x'.repeat(2_000));
    expect([done.callsSucceeded, done.calls.length, done.calls[0]?.tool]).toEqual([21, 20, 't1']);
    const cut = (text: string | undefined) => [text?.length, text?.endsWith('(cut)')];
    expect([cut(done.calls[0]?.arguments), cut(done.calls[0]?.result)]).toEqual([
      [200, false],
      [300, false],
    ]);
    expect([cut(done.calls[19]?.arguments), cut(done.calls[19]?.result)]).toEqual([
      [200, true],
      [300, true],
    ]);
    expect(workDone([step(1, 'x'.repeat(2_001), [])])?.lastText).toHaveLength(2_000);
    expect(workDone([step(1, '', [])])).toBeUndefined();
  });
});
