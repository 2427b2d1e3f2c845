/** A session that changes its agent: a call of an agent of one side hands it over, at its place and with its memory. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Message } from '../../src/protocol/messages';
import { ask } from '../support/asks';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, referencesIn, speakerOf } from '../support/prompts';
import type { Answer, Answers } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { noteTool, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;

type Turns = readonly string[];

async function ran(make: (tree: Tree) => TreeParts, { crashAt = [], turns = ['Go'] }: Ran = {}) {
  return withTree(make, { crashAt: new Set(crashAt) }, async (tree) => {
    for (const turn of turns) {
      await tree.start(turn);
      await tree.finish();
      await tree.rest();
    }
    return {
      results: toolResults(tree),
      asked: tree.port.asked,
      spoke: tree.port.asked.map(({ agentType }) => agentType),
      envelopes: envelopesIn(tree.transcript()),
      transcript: tree.transcript(),
      outcome: tree.outcome,
      nodes: tree.nodes,
      log: tree.log,
      session: tree.state().session,
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

interface Ran {
  readonly crashAt?: readonly number[];
  readonly turns?: Turns;
}

/** A transcript without the ids of its calls. */
const plain = (transcript: readonly Message[]): unknown =>
  JSON.parse(JSON.stringify(transcript, (key, value) => (key === 'toolCallId' ? undefined : value)));

const to = (name: string, input = {}) => ({ name, input });

describe('a handoff', () => {
  /** What each model was asked with: its system prompt and its tools. */
  const noted =
    (shown: string[], answers: (request: ModelRequest) => Answer) =>
    (request: ModelRequest): Answer => {
      shown.push(`${request.system}: ${request.tools.map(({ name }) => name).join(' ')}`);
      return answers(request);
    };
  const pairNoting =
    (shown: string[]) =>
    (tree: Tree): TreeParts => {
      const billing: AgentDefinition = speakerOf('billing', {
        tools: [noteTool(tree), 'front'],
        agents: () => [front],
      });
      const front: AgentDefinition = speakerOf('front', { tools: ['billing'], agents: () => [billing] });
      return {
        agents: [front],
        scripts: {
          front: noted(shown, ({ messages }) =>
            messages.some((one) => one.role === 'user' && one.content === 'Back?')
              ? { text: 'The front again.' }
              : { text: 'One moment.', calls: [to('billing', { why: 'an invoice' })] },
          ),
          billing: noted(shown, ({ messages }) => {
            const last = messages.at(-1);
            if (last?.role === 'user' && last.content === 'Back?') return { calls: [to('front')] };
            if (last?.role === 'tool' && last.toolName === 'billing')
              return { calls: [{ name: 'note', input: { text: 'x' } }] };
            return { text: 'Paid.' };
          }),
        },
      };
    };
  const pair = pairNoting([]);

  it('[SA1, SAH1] gives the session at its place to the other agent, with its prompt, model and tools; later turns stay with it', async () => {
    const shown: string[] = [];
    const { spoke, asked, outcome, nodes, results, session, log, problems } = await ran(pairNoting(shown), {
      turns: ['Hello', 'More?'],
    });
    expect(spoke).toEqual(['front', 'billing', 'billing', 'billing']);
    expect(shown).toEqual(['front_prompt: billing', ...Array(3).fill('billing_prompt: note front')]);
    expect(results[0]).toEqual({ success: true, value: expect.stringContaining('"billing"') });
    expect(asked[1]?.messages.at(-2)).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'text', text: 'One moment.' },
        { type: 'tool-call', input: { why: 'an invoice' } },
      ],
    });
    expect(nodes.map(({ address, agentType }) => [address, agentType])).toEqual([['/agents/front/one', 'front']]);
    expect(session).toMatchObject({ agentType: 'front', active: 'billing' });
    expect(outcome).toMatchObject({ status: 'completed', output: 'Paid.' });
    const speakers = log.flatMap(({ chunk }) => (chunk.type === 'step_started' ? [chunk.speaker] : []));
    expect(speakers).toEqual([undefined, 'BILLING', 'BILLING', 'BILLING']);
    expect(problems).toEqual([]);
  });

  it('[SAH1] is undone by another one', async () => {
    const { spoke, outcome, session } = await ran(pair, { turns: ['Hello', 'Back?'] });
    expect(spoke).toEqual(['front', 'billing', 'billing', 'billing', 'front']);
    expect(outcome).toMatchObject({ output: 'The front again.' });
    expect(session.active).toBe('front');
  });

  it('[SAH1] is made once, and the agents are asked the same, wherever a crash comes', async () => {
    const calm = await ran(pair, { turns: ['Hello', 'Back?'] });
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(pair, { turns: ['Hello', 'Back?'], crashAt: [commit] });
      expect(plain(found.transcript), `at ${commit}`).toEqual(plain(calm.transcript));
      expect(found.session.active, `at ${commit}`).toBe('front');
      expect(new Set(found.spoke), `at ${commit}`).toEqual(new Set(calm.spoke));
      expect(found.problems, `at ${commit}`).toEqual([]);
    }
  });

  it('[SAH2] that goes round and round ends with the steps of the turn', async () => {
    const round = (): TreeParts => {
      const ping: AgentDefinition = speakerOf('ping', { tools: ['pong'], agents: () => [pong] });
      const pong: AgentDefinition = speakerOf('pong', { tools: ['ping'], agents: () => [ping] });
      const scripts: Record<string, Answers> = {
        ping: () => ({ calls: [to('pong')] }),
        pong: () => ({ calls: [to('ping')] }),
      };
      return { agents: [ping], scripts };
    };
    const { spoke, outcome } = await ran(round);
    expect(spoke.length).toBe(50);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'max_steps' } });
  });

  it('[SAH1] of two in one step the first is made; the calls beside it are those of the agent that made them', async () => {
    const { spoke, results, session } = await ran((tree) => {
      const one = speakerOf('one');
      const two = speakerOf('two');
      const front = speakerOf('front', { tools: [noteTool(tree), 'one', 'two'], agents: [one, two] });
      return {
        agents: [front],
        scripts: {
          front: [{ calls: [to('one'), { name: 'note', input: { text: 'x' } }, to('two')] }],
          one: () => ({ text: 'Here.' }),
        },
      };
    });
    expect(results).toMatchObject([
      { success: true },
      { success: true },
      { success: false, error: { code: 'superseded' } },
    ]);
    expect(spoke).toEqual(['front', 'one']);
    expect(session.active).toBe('one');
  });
});

describe('a step that hands the session over and waits', () => {
  const asking = defineTool({
    name: 'ask_person',
    description: 'Asks.',
    inputSchema: z.object({}),
    execute: 'client',
  });
  const parts = (): TreeParts => {
    const next = speakerOf('next');
    const front = speakerOf('front', { tools: [asking, 'next'], agents: [next] });
    return {
      agents: [front],
      scripts: {
        front: [{ calls: [to('next'), { name: 'ask_person', input: {} }] }],
        next: ({ messages }) => ({ text: `Heard ${messages.length}.` }),
      },
    };
  };
  const waiting = (act: (tree: Tree) => Promise<void>) =>
    withTree(parts, {}, async (tree) => {
      await tree.start();
      await tree.rest();
      await act(tree);
      await tree.rest();
      return {
        spoke: tree.port.asked.map(({ agentType }) => agentType),
        outcome: tree.outcome,
        session: tree.state().session,
        problems: tree.time.problems,
      };
    });
  const answer = async (tree: Tree): Promise<void> => {
    const [pending] = tree.pending;
    if (pending === undefined) throw new TypeError('Nothing waits.');
    await tree.soon(tree.answer(pending, { kind: 'client-tool-result', result: { success: true, value: 'Yes.' } }));
  };

  it('[SAH1] is closed before the other agent begins', async () => {
    const { spoke, outcome } = await waiting(answer);
    expect(spoke).toEqual(['front', 'next']);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Heard 4.' });
  });

  it('[SAH1] the same where it is interrupted and goes on', async () => {
    const { spoke, outcome, problems } = await waiting(async (tree) => {
      await tree.soon(tree.stopAt(tree.address, 'interrupt'));
      await tree.rest();
      await tree.resume();
      await tree.rest();
      await answer(tree);
    });
    expect(spoke).toEqual(['front', 'next']);
    expect(outcome).toMatchObject({ output: 'Heard 4.' });
    expect(problems).toEqual([]);
  });

  it.each(['interrupt', 'abort'] as const)(
    '[SAH1] and is ended by %s: the session is the other agent’s all the same, as the call said',
    async (verb) => {
      const { spoke, session, outcome } = await waiting(async (tree) => {
        await tree.soon(tree.stopAt(tree.address, verb));
        await tree.rest();
        await tree.start('Hello?');
        await tree.rest();
      });
      expect(spoke).toEqual(['front', 'next']);
      expect(session.active).toBe('next');
      expect(outcome).toMatchObject({ status: 'completed' });
    },
  );
});

it('[SAH4] the status of a session names the agent that it was handed to, and its steps say who speaks', async () => {
  const make = (): TreeParts => {
    const second = speakerOf('second');
    return {
      agents: [speakerOf('first', { tools: ['second'], agents: () => [second] })],
      scripts: {
        first: ({ messages }) => (messages.length > 1 ? { calls: [to('second')] } : { text: 'First.' }),
        second: () => ({ text: 'Second.' }),
      },
    };
  };
  await withTree(make, {}, async (tree) => {
    const active: unknown[] = [];
    for (const turn of ['a', 'b']) {
      await tree.start(turn);
      await tree.rest();
      const said = await ask(tree, 'status', {});
      const { agentType, activeAgent } = { activeAgent: undefined, ...Object(said.ok ? said.body : said.error) };
      active.push([agentType, activeAgent]);
    }
    expect(active).toEqual([
      ['first', undefined],
      ['first', 'second'],
    ]);
    const speakers = tree.log.flatMap(({ chunk }) => (chunk.type === 'step_started' ? [chunk.speaker] : []));
    expect(speakers).toEqual([undefined, undefined, 'SECOND']);
  });
});

describe('a side that hands its session over', () => {
  it('[SAH1] leaves it to the agent of one side, also as a sub-agent: its answer is the end', async () => {
    const { results, spoke, problems } = await ran(() => {
      const expert = speakerOf('expert');
      const pair = dualOf('pair', { tools: ['expert'], agents: [expert] }, { maxSessionTurns: 4 });
      return {
        agents: [speakerOf('lead', { tools: ['pair'], agents: [pair] }), pair],
        scripts: {
          lead: [{ calls: [to('pair', { task: 'x' })] }, { text: 'Done.' }],
          pair: [{ text: 'I begin.' }, { calls: [to('expert')] }],
          expert: ({ side }) => ({ text: `Without a side: ${side === undefined}.` }),
        },
      };
    });
    expect(spoke).toEqual(['lead', 'pair', 'pair', 'expert', 'lead']);
    expect(results).toEqual([{ success: true, value: 'Without a side: true.' }]);
    expect(problems).toEqual([]);
  });
});

describe('sub-agents of a session that was handed over', () => {
  const parts = (): TreeParts => {
    const worker = dualOf('worker');
    const begun = dualOf('begun');
    const back: AgentDefinition = speakerOf('back', {
      tools: [lasting('begun', { immediate: true, blocking: false }), 'front'],
      agents: () => [begun, front],
    });
    const front: AgentDefinition = speakerOf('front', {
      tools: [lasting('worker'), 'back'],
      agents: () => [worker, back],
    });
    return {
      agents: [front, worker, begun],
      scripts: {
        front: ({ messages }) => {
          const replies = messages.filter(({ role }) => role === 'assistant').length;
          if (replies === 0)
            return { calls: [{ name: 'subagent_create', input: { agent: 'worker', message: 'Do.', name: 'a' } }] };
          return { calls: [to('back')] };
        },
        back: ({ messages }) => {
          const last = messages.at(-1);
          if (last?.role === 'tool' && last.toolName === 'back')
            return {
              calls: [
                { name: 'subagent_message', input: { referenceId: referencesIn(messages)[0] ?? '', message: 'More.' } },
              ],
            };
          if (last?.role === 'user' && last.content === 'Again') return { calls: [to('front')] };
          return { text: 'Done.' };
        },
        worker: () => ({ text: 'Worked.' }),
        begun: () => ({ text: 'I have begun.' }),
      },
    };
  };

  it('[SAH3, SA24] stay, are told of and can be told something, and those of the new prompt begin before its first step', async () => {
    const { asked, results, nodes, problems } = await ran(parts);
    const [first] = asked.filter(({ agentType }) => agentType === 'back');
    expect(first && referencesIn(first.messages).length).toBe(2);
    expect(results).toMatchObject([{ success: true }, { success: true }, { success: true, value: 'Worked.' }]);
    expect(nodes.length).toBe(3);
    expect(problems).toEqual([]);
  });

  it('[SAH3, SA26] those that stay are begun once, also where the prompt begins again', async () => {
    const { spoke, nodes } = await ran(parts, { turns: ['Go', 'Again'] });
    expect(spoke.filter((name) => name === 'front').length).toBe(3);
    expect(spoke.filter((name) => name === 'back').length).toBeGreaterThan(4);
    expect(nodes.filter(({ agentType }) => agentType === 'begun').length).toBe(1);
  });

  it('[SAH3] the same after a crash at any commit', async () => {
    const calm = await ran(parts);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(parts, { crashAt: [commit] });
      expect(found.outcome, `at ${commit}`).toMatchObject({ status: 'completed' });
      expect(found.nodes.length, `at ${commit}`).toBe(3);
      expect(found.session.active, `at ${commit}`).toBe('back');
      expect(found.problems, `at ${commit}`).toEqual([]);
    }
  });
});
