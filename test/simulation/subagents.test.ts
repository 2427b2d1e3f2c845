/** Sub-agents of prompts in whole trees: the four ways to call one, envelopes, caps, and crashes at every commit of it. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { CallResult, Message } from '../../src/protocol/messages';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, referencesIn, registryIn } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { noteTool, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;

const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error);
const create = (message: string, name = message, agent = 'worker') => ({
  name: 'subagent_create',
  input: { agent, message, name },
});
const tell = (referenceId: string, message: string) => ({ name: 'subagent_message', input: { referenceId, message } });
const end = (referenceId: string) => ({ name: 'subagent_terminate', input: { referenceId } });
const note = { name: 'note', input: { text: 'x' } };

/** The reference that a call gave. */
const referenceOf = (result: unknown): string => z.object({ reference: z.string() }).parse(result).reference;

/** What it was told in all its sessions. */
const questions = (messages: readonly Message[]): string =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : [])).join(' + ');

/** Which reply of its session a model is asked for, from 1: a turn that an end begins counts on. */
const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;

const echo = ({ messages }: Pick<ModelRequest, 'messages'>): Answer => ({ text: `did ${questions(messages)}` });

async function ran(
  make: (tree: Tree) => TreeParts,
  crashAt: readonly number[] = [],
  { meanwhile, ...options }: Partial<TreeOptions> & { meanwhile?: (tree: Tree) => Promise<void> } = {},
) {
  return withTree(make, { ...options, crashAt: new Set(crashAt) }, async (tree) => {
    await tree.start();
    await meanwhile?.(tree);
    await tree.finish();
    await tree.rest();
    const asked = tree.port.asked.filter(({ agentType }) => agentType === 'lead');
    return {
      results: toolResults(tree).map(resultOf),
      asked,
      envelopes: envelopesIn(tree.transcript()),
      transcript: tree.transcript(),
      outcome: tree.outcome,
      nodes: tree.nodes,
      log: tree.log,
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

const REFERENCE = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}/;

describe('a sub-agent that lives for one call', () => {
  const blocking = (): TreeParts => {
    const worker = dualOf('worker');
    return {
      agents: [leadOf([{ name: 'worker', initUserMessageProperty: 'task' }], [worker]), worker],
      scripts: {
        lead: [{ calls: [{ name: 'worker', input: { task: 'Sweep.' } }] }, { text: 'Swept.' }],
        worker: echo,
      },
    };
  };

  it('[SA9, SA14, SA29] has the name of the agent; its result is that of the call, and no model is told of it again', async () => {
    const { results, envelopes, outcome, asked, nodes } = await ran(blocking);
    expect(results).toEqual(['did Sweep.']);
    expect(envelopes).toEqual([]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Swept.' });
    expect(asked.map(({ messages }) => registryIn(messages))).toEqual([undefined, undefined]);
    expect(nodes.map(({ address }) => address)).toEqual(['/agents/lead/one', '/agents/lead/one/sub/worker/1~1']);
  });

  const background = (tree: Tree): TreeParts => {
    const worker = dualOf('worker', { tools: [noteTool(tree)] });
    return {
      agents: [leadOf([noteTool(tree), { name: 'worker', blocking: false }], [worker]), worker],
      scripts: {
        lead: ({ messages }) => {
          const step = reply({ messages });
          if (step === 1) return { calls: [{ name: 'worker', input: { a: 1 } }] };
          const told = envelopesIn(messages);
          if (told.length > 0) return { text: `Told ${told.length} times.` };
          return step < 3 ? { calls: [note] } : { text: 'Went on.' };
        },
        worker: ({ step, messages }) => (step < 4 ? { calls: [note] } : echo({ messages })),
      },
    };
  };

  it('[SA10, SA15, SA43, SAQ1, SAQ10] or where nobody waits: its parent goes on, and is woken by one envelope', async () => {
    const { results, transcript, envelopes, asked, outcome } = await ran(background);
    expect(results[0]).toMatchObject({ status: 'running', reference: expect.stringMatching(REFERENCE) });
    const reference = referenceOf(results[0]);
    expect(envelopes).toEqual([
      `Subagent (reference: ${reference}) has returned the following result:\n\ndid ${JSON.stringify({ a: 1 }, null, 2)}`,
    ]);
    const at = transcript.findIndex((one) => one.role === 'user' && String(one.content).startsWith('Subagent'));
    expect(transcript.slice(0, at).filter(({ role }) => role === 'assistant').length).toBeGreaterThan(1);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Told 1 times.' });
    expect(asked.map(({ messages }) => referencesIn(messages))[1]).toEqual([reference]);
    expect(asked.map(({ messages }) => referencesIn(messages)).at(-1)).toEqual([]);
  });

  it('[SAW1, SAW2, SAW4] the same after a crash at any commit', async () => {
    for (const make of [blocking, background]) {
      const calm = await ran(make);
      for (const commit of moments(calm.kinds, MOST, 1)) {
        const found = await ran(make, [commit]);
        const what = `a crash at ${commit}`;
        expect(found.outcome, what).toMatchObject({ status: 'completed' });
        expect(found.envelopes.length, what).toBe(calm.envelopes.length);
        expect(found.results.length, what).toBeGreaterThanOrEqual(1);
        expect(found.log.filter(({ chunk }) => chunk.type === 'subagent_start').length, what).toBe(1);
        expect(found.problems, what).toEqual([]);
      }
    }
  });
});

describe('a sub-agent that stays', () => {
  const twice = (): TreeParts => {
    const worker = dualOf('worker');
    return {
      agents: [leadOf([lasting('worker')], [worker]), worker],
      scripts: {
        lead: ({ step, messages }) => {
          if (step === 1) return { calls: [create('Sweep.', 'Ann')] };
          const [reference = ''] = referencesIn(messages);
          return step === 2 ? { calls: [tell(reference, 'Mop.')] } : { text: 'Clean.' };
        },
        worker: echo,
      },
    };
  };

  it('[SA11, SAQ4] with a call that waits: the second session sees the first, and both results are those of calls', async () => {
    const { results, envelopes, nodes } = await ran(twice);
    expect(results).toEqual(['did Sweep.', 'did Sweep. + Mop.']);
    expect(envelopes).toEqual([]);
    expect(nodes.filter(({ address }) => address.includes('/sub/'))).toMatchObject([
      { task: { number: 2 }, runNumber: 2 },
    ]);
  });

  it('[SA17, SA47, SA50] is in the registry that its parent is told, with its reference, name and status', async () => {
    const { asked } = await ran(twice);
    const [none, after, last] = asked.map(({ messages }) => registryIn(messages));
    expect(none).toBeUndefined();
    expect(after).toMatch(/^Your sub-agents now[^\n]*\n- [0-9a-f-]{36} \(worker, Ann\): idle$/);
    expect(last).toBe(after);
  });

  it('[SAW1, SAW2, SA4] the same after a crash at any commit', async () => {
    const calm = await ran(twice);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(twice, [commit]);
      expect(found.results, `a crash at ${commit}`).toEqual(calm.results);
      expect(found.envelopes, `a crash at ${commit}`).toEqual([]);
      expect(found.problems, `a crash at ${commit}`).toEqual([]);
    }
  });
});

describe('a cap', () => {
  const capped = (): TreeParts => {
    const worker = dualOf('worker');
    const entry = lasting('worker', { resumable: { receives_messages: 'side_a', maxInstances: 2 }, blocking: false });
    return {
      agents: [leadOf([entry], [worker]), worker],
      scripts: {
        lead: ({ messages }) => {
          const step = reply({ messages });
          if (step === 1) return { calls: ['a', 'b', 'c', 'd'].map((name) => create(name)) };
          const [reference = ''] = referencesIn(messages);
          if (step === 2) return { calls: [end(reference)] };
          if (step === 3) return { calls: [tell(reference, 'more'), create('e')] };
          return { text: 'Done.' };
        },
        worker: echo,
      },
    };
  };

  it('[SA21, SA30, SAW15, SAW27] of instances holds within one reply; one that is terminated makes room for another', async () => {
    const { results, nodes } = await ran(capped);
    const made = results.slice(0, 2).map(referenceOf);
    expect(results.slice(2, 4)).toMatchObject([{ code: 'max_children' }, { code: 'max_children' }]);
    const refused = JSON.stringify(results[2]);
    for (const part of ['2', 'subagent_message', ...made]) expect(refused).toContain(part);
    expect(results[4]).toEqual({ reference: made[0], status: 'terminated' });
    expect(results[5]).toMatchObject({ reference: made[1] });
    expect(results[6]).toMatchObject({ status: 'running' });
    expect(nodes.filter(({ address }) => address.includes('/sub/')).length).toBe(3);
  });
});
