import { describe, expect, it } from 'vitest';
import { seenBy } from '../../src/core/agent/standard-agents/prompt-view';
import { defineAgent } from '../../src/core/definition/define-agent';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { PromptOptions } from '../../src/core/definition/prompt';
import type { Message } from '../../src/protocol/messages';
import { notingOf, promptOf, sayTool } from '../support/duals';
import { type Tree, type TreeParts, withTree } from '../support/harness';

/** An agent of such a prompt: two runs, the second with a tool again; what its last step was asked. */
async function lastAsked(fields: Partial<PromptOptions>, step = 2): Promise<ModelRequest> {
  const asked: ModelRequest[] = [];
  const make = (tree: Tree): TreeParts => ({
    agents: [defineAgent({ name: 'clerk', prompt: promptOf('clerk', { tools: [sayTool('look')], ...fields }) })],
    env: notingOf(tree),
    scripts: {
      clerk: (request) => {
        asked.push(request);
        return request.step === 1 ? { text: 'Looking.', calls: [{ name: 'look' }] } : { text: 'Seen.' };
      },
    },
  });
  return withTree(make, {}, async (tree) => {
    await tree.run('First.');
    await tree.run('Second.');
    const last = asked.findLast((request) => request.step === step);
    if (last === undefined) throw new Error('Nobody was asked.');
    return last;
  });
}

const plain = ({ messages }: Pick<ModelRequest, 'messages'>): unknown[] =>
  messages.map((one) =>
    one.role === 'assistant'
      ? one.content.map((part) => ('toolName' in part ? part.toolName : 'text' in part ? part.text : part.type))
      : one.role === 'tool'
        ? one.toolName
        : one.content,
  );

const NOW = ['Second.', ['Looking.', 'look'], 'look'];

describe('the fields of a prompt', () => {
  it('[SA78] show what was before the run that goes on, or not, and its calls, or not', async () => {
    const shown = async (fields: Partial<PromptOptions>) => plain(await lastAsked(fields));
    expect(await shown({ includeChat: false, includePastTools: true })).toEqual(NOW);
    expect(await shown({ includeChat: true, includePastTools: false })).toEqual([
      'First.',
      ['Looking.'],
      ['Seen.'],
      ...NOW,
    ]);
    expect(await shown({ includeChat: true, includePastTools: true })).toEqual([
      'First.',
      ['Looking.', 'look'],
      'look',
      ['Seen.'],
      ...NOW,
    ]);
  });

  it('[SA78] show what a failed run was asked where it is tried again', async () => {
    const asked: unknown[][] = [];
    let broken = true;
    const make = (tree: Tree): TreeParts => ({
      agents: [
        defineAgent({ name: 'clerk', prompt: promptOf('clerk', { tools: [sayTool('look')], includeChat: false }) }),
      ],
      env: notingOf(tree),
      scripts: {
        clerk: (request) => {
          asked.push(plain(request));
          if (request.messages.length === 1) return { calls: [{ name: 'look' }] };
          return broken ? { fail: { code: 'model_refused' } } : { text: 'Seen.' };
        },
      },
    });
    await withTree(make, {}, async (tree) => {
      await tree.run('First.');
      broken = false;
      tree.apply((facts) => ({ type: 'retry', ...facts, runId: `r_${facts.token}` }));
      await tree.finish();
      expect(asked.at(-1)).toEqual(['First.', ['look'], 'look']);
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Seen.' });
    });
  });

  it('[SA78] ask the model to call a tool at its first step, and to think', async () => {
    const none = await lastAsked({});
    expect(none.settings).toEqual({});
    const some = await lastAsked({ toolChoice: 'required', reasoning: { effort: 'low' } }, 1);
    expect(some.settings).toEqual({ toolChoice: 'required', reasoning: { effort: 'low' } });
  });

  it('[SA78] leave pictures in the newest messages, and a line for each in older ones', () => {
    const picture = { type: 'file', mediaType: 'image/png', data: 'AA==', filename: 'a.png' } as const;
    const messages: Message[] = [0, 1, 2].map(() => ({ role: 'user', content: [picture] }));
    const pictures = (recentImageThreshold: number) =>
      seenBy({ includeChat: true, includePastTools: true, recentImageThreshold }, messages, 0).filter(
        (one) => one.role === 'user' && typeof one.content !== 'string' && one.content.some((part) => part === picture),
      ).length;
    expect([0, 1, 2, 3, 10].map(pictures)).toEqual([0, 1, 2, 3, 3]);
  });
});
