/** Sub-agents that stay, spoken to: while they work, at rest, after a failure, by a wrong name, and switched off. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { CallResult, Message } from '../../src/protocol/messages';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, referencesIn, registryIn } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { agentOf, noteTool, toolResults } from '../support/trees';

const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error);
const create = (message: string, agent = 'worker') => ({
  name: 'subagent_create',
  input: { agent, message, name: message },
});
const tell = (referenceId: string, message: string) => ({ name: 'subagent_message', input: { referenceId, message } });
const note = { name: 'note', input: { text: 'x' } };

const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));
const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;
const echo = ({ messages }: Pick<ModelRequest, 'messages'>): Answer => ({
  text: `did ${questions(messages).join(' + ')}`,
});

/** The registry's references as a request had them, and what the replies of the lead are by their number. */
type Replies = (number: number, references: readonly string[], messages: readonly Message[]) => Answer;
const leads =
  (replies: Replies) =>
  ({ messages }: ModelRequest): Answer =>
    replies(reply({ messages }), referencesIn(messages), messages);

async function ran(make: (tree: Tree) => TreeParts) {
  return withTree(make, {}, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    return {
      results: toolResults(tree).map(resultOf),
      asked: tree.port.asked.filter(({ agentType }) => agentType === 'lead'),
      envelopes: envelopesIn(tree.transcript()),
      outcome: tree.outcome,
      nodes: tree.nodes,
      problems: tree.time.problems,
    };
  });
}

const envelope = (reference: string | undefined, result: string): string =>
  `Subagent (reference: ${reference}) has returned the following result:\n\n${result}`;

describe('messages', () => {
  it('[SA12, SA46, SA49] are all read in order, at work and at rest; each session ends in one envelope', async () => {
    const { results, envelopes, problems } = await ran((tree) => {
      const worker = dualOf('worker', { tools: [noteTool(tree)] });
      return {
        agents: [leadOf([lasting('worker', { blocking: false })], [worker]), worker],
        scripts: {
          lead: leads((number, [reference = ''], messages) => {
            const told = envelopesIn(messages).length;
            if (number === 1) return { calls: [create('one')] };
            if (number === 2) return { calls: ['two', 'three', 'four'].map((text) => tell(reference, text)) };
            const asked = JSON.stringify(messages).includes('"message":"five"');
            return told > 0 && !asked ? { calls: [tell(reference, 'five')] } : { text: `Heard ${told}.` };
          }),
          worker: ({ step, messages }) => (step < 4 ? { calls: [note] } : echo({ messages })),
        },
      };
    });
    const { reference } = z.object({ reference: z.string() }).parse(results[0]);
    expect(results.every((result) => z.object({ reference: z.literal(reference) }).safeParse(result).success)).toBe(
      true,
    );
    expect(envelopes.at(-1)).toBe(envelope(reference, 'did one + two + three + four + five'));
    expect(envelopes.length).toBe(new Set(envelopes).size);
    expect(problems).toEqual([]);
  });

  it('[SAQ5] to one that was switched off since are refused, and its end is told all the same', async () => {
    const env = { WORKER_ON: 'yes' };
    const { results, envelopes } = await ran((tree) => {
      const worker = dualOf('worker', { tools: [noteTool(tree)] });
      const entry = lasting('worker', { blocking: false, optional: 'WORKER_ON' });
      return {
        env,
        agents: [leadOf([noteTool(tree), entry], [worker]), worker],
        scripts: {
          lead: leads((number, [reference = '']) => {
            if (number === 1) return { calls: [create('one')] };
            if (number > 2) return { text: 'Done.' };
            env.WORKER_ON = 'no';
            return { calls: [tell(reference, 'two')] };
          }),
          worker: ({ step, messages }) => (step < 4 ? { calls: [note] } : echo({ messages })),
        },
      };
    });
    expect(results).toMatchObject([{ status: 'running' }, { code: 'forbidden' }]);
    expect(envelopes.length).toBe(1);
  });

  it('[SA28, SA64] to nobody, to one that lives for a call, and to one that was ended are errors that say so', async () => {
    const { results } = await ran(() => {
      const worker = dualOf('worker');
      return {
        agents: [leadOf([lasting('worker')], [worker]), worker],
        scripts: {
          lead: leads((number, [reference = '']) => {
            if (number === 1) return { calls: [tell('nobody', 'Hi.'), create('one'), create('one', 'somebody')] };
            if (number === 2) return { calls: [{ name: 'subagent_terminate', input: { referenceId: reference } }] };
            return { text: 'Done.' };
          }),
          worker: echo,
        },
      };
    });
    expect(results).toMatchObject([
      { code: 'not_found', message: expect.stringContaining('"nobody"') },
      'did one',
      { code: 'invalid_arguments', message: expect.stringContaining('agent') },
      { status: 'terminated' },
    ]);
  });
});

describe('a message to a reference', () => {
  it('[SA28, SA64] that was ended for good, of a companion, or of somebody else’s sub-agent is an error, and reaches nobody', async () => {
    let foreign = '';
    let ended = '';
    const { results, nodes } = await ran(() => {
      const leaf = dualOf('leaf');
      const middle = dualOf('middle', { tools: [lasting('leaf')], agents: [leaf] });
      const worker = dualOf('worker');
      const scout = agentOf('scout');
      const keeps = { persistentAgents: [{ agent: scout }] };
      const spawn = { name: 'companion__spawnAgent', input: { agent: 'scout', initialMessage: 'Look.', name: 'ada' } };
      return {
        agents: [
          leadOf([lasting('worker'), lasting('middle')], [worker, middle], {}, keeps),
          worker,
          middle,
          leaf,
          scout,
        ],
        scripts: {
          lead: leads((number, [reference = '']) => {
            if (number === 1) return { calls: [create('one')] };
            if (number === 2) ended = reference;
            if (number === 2)
              return { calls: [{ name: 'subagent_terminate', input: { referenceId: reference } }, spawn] };
            if (number === 3) return { calls: [create('two', 'middle'), tell(ended, 'More.')] };
            if (number === 4) return { calls: [tell('ada', 'More.'), tell(foreign, 'More.')] };
            return { text: 'Done.' };
          }),
          middle: ({ step, messages }) => {
            foreign = referencesIn(messages)[0] ?? foreign;
            return step === 1 ? { calls: [create('leaf', 'leaf')] } : { text: 'Did it.' };
          },
          leaf: echo,
          worker: echo,
          scout: () => ({ text: 'Seen.' }),
        },
      };
    });
    expect(foreign).not.toBe('');
    expect(results.slice(-4)).toMatchObject([
      expect.anything(),
      { code: 'terminated', message: expect.stringContaining('was terminated') },
      { code: 'not_found' },
      { code: 'not_found' },
    ]);
    const below = nodes.flatMap((node) => (node.kind === 'child' ? [[node.agentType, node.task.number]] : []));
    expect(below).toEqual(
      expect.arrayContaining([
        ['worker', 1],
        ['middle', 1],
        ['leaf', 1],
        ['scout', 1],
      ]),
    );
    expect(below).toHaveLength(4);
  });
});

describe('the side that hears a parent', () => {
  it.each(['side_a', 'side_b'] as const)(
    '[SA21] is the first to act on what it is told, also at the first: %s',
    async (side) => {
      const { results } = await ran(() => {
        const worker = dualOf('worker');
        return {
          agents: [leadOf([lasting('worker', { resumable: { receives_messages: side } })], [worker]), worker],
          scripts: {
            lead: leads((number, [reference = '']) => {
              if (number === 1) return { calls: [create('one')] };
              return number === 2 ? { calls: [tell(reference, 'two')] } : { text: 'Done.' };
            }),
            worker: ({ system }) => ({ text: system }),
          },
        };
      });
      const prompt = side === 'side_a' ? 'worker_a' : 'worker_b';
      expect(results).toEqual([prompt, prompt]);
    },
  );
});

describe('a failure', () => {
  it('[SA44, SAW3, SAW5, SAQ12] of any kind is one envelope that says so; a message goes on with what was remembered', async () => {
    const { envelopes, results, asked } = await ran(() => {
      const worker = dualOf('worker');
      return {
        agents: [leadOf([lasting('worker', { blocking: false })], [worker]), worker],
        scripts: {
          lead: leads((number, [reference = ''], messages) => {
            if (number === 1) return { calls: [create('one')] };
            const told = envelopesIn(messages);
            const again = JSON.stringify(messages).includes('"message":"again"');
            return told.length === 1 && !again
              ? { calls: [tell(reference, 'again')] }
              : { text: `Heard ${told.length}.` };
          }),
          worker: ({ messages }) =>
            questions(messages).includes('again') ? echo({ messages }) : { fail: { code: 'model_refused' } },
        },
      };
    });
    const { reference } = z.object({ reference: z.string() }).parse(results[0]);
    expect(envelopes).toEqual([
      expect.stringMatching(new RegExp(`^Subagent \\(reference: ${reference}\\) has reported a failure:\n\n.`)),
      envelope(reference, 'did one + again'),
    ]);
    const said = asked.flatMap(({ messages }) => registryIn(messages) ?? []);
    expect(said.some((text) => text.endsWith(': failed'))).toBe(true);
  });
});

describe('a call', () => {
  it('[SAW26, SA72] of each of several that wait: they work side by side, and the results stand in the order of the calls', async () => {
    const { results, asked } = await ran((tree) => {
      const worker = dualOf('worker', { tools: [noteTool(tree)] });
      return {
        agents: [leadOf([lasting('worker')], [worker]), worker],
        scripts: {
          lead: leads((number) =>
            number === 1 ? { calls: ['a', 'b', 'c'].map((text) => create(text)) } : { text: 'Done.' },
          ),
          worker: ({ step, messages }) => {
            const [first = ''] = questions(messages);
            return first === 'a' && step < 4 ? { calls: [note] } : echo({ messages });
          },
        },
      };
    });
    expect(results).toEqual(['did a', 'did b', 'did c']);
    expect(asked.length).toBe(2);
  });

  it('[SA5] of a tool that only the parent has is an error for the sub-agent', async () => {
    const { results } = await ran((tree) => {
      const worker = dualOf('worker');
      return {
        agents: [leadOf([noteTool(tree), lasting('worker')], [worker]), worker],
        scripts: {
          lead: leads((number) => (number === 1 ? { calls: [create('one')] } : { text: 'Done.' })),
          worker: ({ messages, step }) =>
            step === 1 ? { calls: [note] } : { text: JSON.stringify(messages.find(({ role }) => role === 'tool')) },
        },
      };
    });
    expect(results).toEqual([expect.stringContaining('unknown_tool')]);
  });
});

describe('what there is', () => {
  it('[SA47, SA48, SAQ7, SAQ8] is listed by subagents with its entry, also of one that lives for a call', async () => {
    const { results } = await ran((tree) => {
      const worker = dualOf('worker', {}, { title: 'The worker' });
      const runner = dualOf('runner', { tools: [noteTool(tree)] });
      return {
        agents: [leadOf([lasting('worker'), { name: 'runner', blocking: false }], [worker, runner]), worker, runner],
        scripts: {
          lead: leads((number) => {
            if (number === 1) return { calls: [create('one'), { name: 'runner', input: {} }] };
            return number === 2
              ? {
                  calls: [
                    { name: 'subagents', input: { limit: 1 } },
                    { name: 'subagents', input: {} },
                  ],
                }
              : { text: 'Done.' };
          }),
          worker: echo,
          runner: ({ step }) => (step < 9 ? { calls: [note] } : { text: 'Ran.' }),
        },
      };
    });
    const [, , page, all] = results;
    const one = {
      reference: expect.any(String),
      name: 'worker',
      title: 'The worker',
      description: 'Does what worker does.',
      resumable: true,
      blocking: true,
      threadName: 'one',
      spawnGroupId: expect.stringMatching(/^s_.*\.1$/),
      createdAt: expect.any(Number),
      status: 'idle',
    };
    expect(page).toMatchObject({ subagents: [one], total: 2, next: 1 });
    expect(all).toMatchObject({ subagents: [one, { name: 'runner', resumable: false, status: 'running' }], total: 2 });
  });
});
