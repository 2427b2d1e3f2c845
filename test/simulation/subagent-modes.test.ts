/** What a sub-agent of a prompt shares with its parent, the four ways to use one, what ends it, and what it may spend. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { SubagentToolConfig } from '../../src/core/definition/definition';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { isObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { stored } from '../support/enclosed';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, promptOf, referencesIn } from '../support/prompts';
import type { Answers } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { noteTool, PATIENT, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;

const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;
const said = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));
const note = { name: 'note', input: { text: 'x' } };
const create = { name: 'subagent_create', input: { agent: 'worker', message: 'Work.', name: 'Ann' } };
const call = { name: 'worker', input: { task: 'Work.' } };
const tell = (referenceId: string, message: string) => ({ name: 'subagent_message', input: { referenceId, message } });

async function ran(make: (tree: Tree) => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    return {
      results: toolResults(tree).map((result) => (result.success ? result.value : result.error)),
      envelopes: envelopesIn(tree.transcript()),
      metadata: tree
        .store()
        .messages({})
        .flatMap(({ metadata }) => (isObject(metadata) ? [metadata] : [])),
      nodes: tree.nodes,
      asked: tree.port.asked,
      outcome: tree.outcome,
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

describe('a child', () => {
  it('[SA3] has messages, files, state and a log of its own: nothing of the one is in the other but what was mapped', async () => {
    const keep = (path: string) =>
      defineTool({
        name: 'keep',
        description: 'Works.',
        inputSchema: z.object({}),
        replay: 'safe',
        async execute(_input, { files, updateState, getState }) {
          await files.write(path, path);
          updateState(() => ({ by: path }));
          return getState();
        },
      });
    const make = (): TreeParts => {
      const worker = dualOf('worker', { tools: [keep('below.md')] }, { workspace: true });
      const entry = { name: 'worker', initUserMessageProperty: 'task' };
      const prompt = promptOf('leading', { tools: [keep('above.md'), entry], agents: [worker] });
      return {
        agents: [defineAgent({ name: 'lead', prompt, workspace: true, limits: PATIENT }), worker],
        scripts: {
          lead: [
            { text: 'Above all.', calls: [{ name: 'keep' }] },
            { calls: [{ name: 'worker', input: { task: 'Work.', other: 'Kept above.' } }] },
            { text: 'Done above.' },
          ],
          worker: ({ step }) =>
            step === 1 ? { text: 'Below all.', calls: [{ name: 'keep' }] } : { text: 'Done below.' },
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.run('Begin above.');
      const child = tree.nodes.at(-1)?.address ?? '';
      const above = JSON.stringify(tree.transcript());
      const below = JSON.stringify(tree.transcript(child));
      expect(said(tree.transcript(child))).toEqual(['Work.']);
      for (const word of ['Begin above.', 'Above all.', 'above.md', 'Kept above.']) expect(below).not.toContain(word);
      for (const word of ['Below all.', 'below.md']) expect(above).not.toContain(word);
      expect(toolResults(tree).at(-1)).toEqual({ success: true, value: 'Done below.' });
      expect([stored(tree).files, stored(tree, child).files]).toEqual([
        { 'above.md': 'above.md' },
        { 'below.md': 'below.md' },
      ]);
      expect([tree.state().custom, tree.state(child).custom]).toEqual([{ by: 'above.md' }, { by: 'below.md' }]);
      const chunks = tree.log.map(({ chunk }) => chunk);
      for (const { sessionId } of [tree.state().session, tree.state(child).session]) {
        const own = chunks.filter(({ agentId }) => agentId === sessionId);
        expect(new Set(own.map(({ address }) => address)).size).toBe(1);
        expect([own[0]?.type, own.at(-1)?.type]).toEqual(['run_started', 'run_completed']);
      }
    });
  });
});

/** A lead that uses its worker so, does something else meanwhile, and then tries to tell it more. */
const using =
  (entry: SubagentToolConfig) =>
  (tree: Tree): TreeParts => {
    const worker = dualOf('worker', { tools: [noteTool(tree)] });
    return {
      agents: [leadOf([noteTool(tree), { initUserMessageProperty: 'task', ...entry }], [worker]), worker],
      scripts: {
        lead: ({ messages }) => {
          const number = reply({ messages });
          if (number === 1) return { calls: [entry.resumable ? create : call] };
          const told = envelopesIn(messages).length;
          const [reference] = referencesIn(messages);
          const ended = entry.blocking !== false || told > 0;
          const asked = said(messages).length - told > 1 || JSON.stringify(messages).includes('More.');
          if (!ended) return number < 12 ? { calls: [note] } : { text: 'It takes long.' };
          if (reference !== undefined && !asked) return { calls: [tell(reference, 'More.')] };
          return { text: `Heard ${told}.` };
        },
        worker: ({ step, messages }) => (step < 3 ? { calls: [note] } : { text: `did ${said(messages).join(' + ')}` }),
      },
    };
  };

const RESUMABLE = { receives_messages: 'side_a' } as const;

describe('the four ways to use a sub-agent', () => {
  it.each([
    ['one call that waits', {}, ['did Work.'], []],
    ['one call that does not wait', { blocking: false }, [], ['did Work.']],
    ['one that stays, with calls that wait', { resumable: RESUMABLE }, ['did Work.', 'did Work. + More.'], []],
    [
      'one that stays, with calls that do not',
      { resumable: RESUMABLE, blocking: false },
      [],
      ['did Work.', 'did Work. + More.'],
    ],
  ] as const)('[SA6, SAQ2] give each end to the parent once, %s', async (_, config, inResults, inEnvelopes) => {
    const make = using({ name: 'worker', ...config });
    const calm = await ran(make);
    const texts = calm.results.filter((one): one is string => typeof one === 'string');
    expect(texts).toEqual(inResults);
    expect(calm.envelopes.map((one) => one.split('\n\n')[1])).toEqual(inEnvelopes);
    expect(calm.nodes.length).toBe(2);
  });

  it('[SAQ6] the one that lives for one call ends with its session, and is told of all the same after a crash', async () => {
    for (const make of [using({ name: 'worker' }), using({ name: 'worker', blocking: false })]) {
      const calm = await ran(make);
      const ends = calm.envelopes.length + calm.results.filter((one) => one === 'did Work.').length;
      expect(ends).toBe(1);
      const last = calm.asked.filter(({ agentType }) => agentType === 'lead').at(-1);
      expect(referencesIn(last?.messages ?? [])).toEqual([]);
      for (const commit of moments(calm.kinds, MOST, 3)) {
        const found = await ran(make, { crashAt: new Set([commit]) });
        const told = found.envelopes.length + found.results.filter((one) => one === 'did Work.').length;
        expect([told, found.problems], `a crash after commit ${commit}`).toEqual([1, []]);
      }
    }
  });
});

describe('what a sub-agent may spend', () => {
  const bounded =
    (entry: Partial<SubagentToolConfig>, worker: Answers) =>
    (tree: Tree): TreeParts => {
      const agent = dualOf('worker', { tools: [noteTool(tree)] });
      return {
        agents: [leadOf([lasting('worker', { blocking: false, ...entry })], [agent]), agent],
        scripts: {
          lead: ({ messages }) => {
            if (reply({ messages }) === 1) return { calls: [create] };
            return { text: `Heard ${envelopesIn(messages).length}.` };
          },
          worker,
        },
      };
    };

  it('[SAW42] is the budget of its entry: with one model call the second is not made, and the envelope says why', async () => {
    const { envelopes, metadata, asked, outcome } = await ran(
      bounded({ budget: { maxSteps: 1 } }, () => ({ calls: [note] })),
    );
    expect(asked.filter(({ agentType }) => agentType === 'worker').length).toBe(1);
    expect(envelopes).toEqual([expect.stringMatching(/has reported a failure:\n\n.*1 of its 1 model calls/s)]);
    expect(metadata).toMatchObject([{ code: 'max_steps' }]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Heard 1.' });
  });

  it('[SAW42, SAW25] and its time, after which it is stopped and told as failed', async () => {
    const { envelopes, metadata, outcome } = await ran(bounded({ timeoutMs: 30_000 }, () => ({ hang: true })));
    expect(envelopes).toEqual([expect.stringMatching(/has reported a failure:\n\n/)]);
    expect(metadata).toMatchObject([{ code: 'child_timeout' }]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Heard 1.' });
  });
});
