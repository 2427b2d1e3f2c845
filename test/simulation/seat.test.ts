import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUILT_IN_TOOLS } from '../../src/core/agent/built-in/table';
import type { BuiltInTool } from '../../src/core/agent/rules';
import { Seat, seatOf } from '../../src/core/agent/seat';
import type { AgentState } from '../../src/core/agent/state';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { isObject, type Json } from '../../src/protocol/json';
import { transcripts } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import type { Answer } from '../support/scripted-port';
import { agentOf, answer, noteTool } from '../support/trees';

interface Shown {
  readonly as: string;
  readonly system: string;
  readonly tools: readonly string[];
}

const shownBy = ({ agentType, system, tools }: ModelRequest): Shown => ({
  as: agentType,
  system,
  tools: tools.map(({ name }) => name),
});

/** Hands the session over: from its next step on it works by what this says. */
const become: BuiltInTool = {
  name: '__become__',
  of({ name }) {
    if (name !== 'planner') return undefined;
    return {
      description: 'Works.',
      endsRun: false,
      inputSchema: z.object({ seat: z.string() }),
      apply(draft, { args }) {
        draft.state = { ...draft.state, custom: args };
        draft.put({ put: 'custom', custom: args });
        return { kind: 'immediate', result: { success: true, value: 'done' } };
      },
    };
  },
};

const isFor = (seat: string, custom: Json): boolean => isObject(custom) && custom.seat === seat;

/** A planner that becomes a writer by its own state, and what its models were shown, by step. */
function relay(tree: Tree) {
  const shown: Shown[] = [];
  const heard: string[] = [];
  const planner = agentOf('planner', { tools: [noteTool(tree)] });
  const writer = agentOf('writer', {
    tools: [noteTool(tree), noteTool(tree, { name: 'write' })],
    outputSchema: answer,
    hooks: { afterTool: ({ tool }) => void heard.push(tool.name) },
  });
  const noting = (name: string) => ({ name, input: { text: 'x' } });
  const hand: Answer = { calls: [noting('note'), { name: '__become__', input: { seat: 'writer' } }] };
  const written: Answer = { calls: [noting('write'), { name: '__become__', input: { seat: 'planner' } }] };
  const say = (request: ModelRequest, answers: Answer) => {
    shown[request.step - 1] = shownBy(request);
    return answers;
  };
  const scripts: TreeParts['scripts'] = {
    planner: (request) => say(request, hand),
    writer: (request) => say(request, request.step > 2 ? { finish: { answer: 'written' } } : written),
  };
  const seats = { planner: new Seat(planner, [...BUILT_IN_TOOLS, become]), writer: seatOf(writer) };
  const seat = ({ custom }: AgentState) => (isFor('writer', custom) ? seats.writer : seats.planner);
  return { agents: [planner] as const, scripts, shown, heard, seat };
}

/** The whole story, with a crash after some of its commits; what it came to, and how many commits there were. */
async function told(...crashAt: number[]) {
  let parts: ReturnType<typeof relay> | undefined;
  const make = (tree: Tree): TreeParts => {
    parts = relay(tree);
    return parts;
  };
  const options = { seat: (state: AgentState) => parts?.seat(state), crashAt: new Set(crashAt) };
  return withTree(make, options, async (tree) => {
    await tree.run();
    return {
      commits: tree.commits.length,
      shown: parts?.shown,
      heard: [...new Set(parts?.heard)],
      said: transcripts(tree),
      outcome: tree.outcome,
    };
  });
}

describe('what a session works by', () => {
  it('[SE6] is asked of its state at each step: tools, prompt, hooks and rules are those of what it has become', async () => {
    const { shown, heard, outcome, said } = await told();
    expect(shown).toEqual([
      { as: 'planner', system: 'planner', tools: ['note', '__become__'] },
      { as: 'writer', system: 'writer', tools: ['note', 'write', '__finish__'] },
      { as: 'writer', system: 'writer', tools: ['note', 'write', '__finish__'] },
    ]);
    const results = said['/agents/planner/one']?.filter((message) => isObject(message) && 'result' in message);
    expect(results).toMatchObject([
      { tool: 'note', result: { success: true } },
      { tool: '__become__', result: { success: true, value: 'done' } },
      { tool: 'write', result: { success: true } },
      {
        tool: '__become__',
        result: { error: { code: 'unknown_tool', message: expect.stringContaining('note, write, __finish__') } },
      },
      { tool: '__finish__', result: { success: true } },
    ]);
    expect(heard).toEqual(['note', 'write']);
    expect(outcome).toMatchObject({ status: 'completed', output: { answer: 'written' } });
  });

  it('[SE6, RC5] is the same after a crash at any commit', async () => {
    const { commits, ...calm } = await told();
    for (let at = 1; at <= commits; at++) {
      const { commits: _commits, ...crashed } = await told(at);
      expect(crashed, `a crash after commit ${at}`).toEqual(calm);
    }
  });

  it('[SE6] is what its files are read by, and what a later start is checked by', async () => {
    const read = defineTool({
      name: 'read',
      description: 'Works.',
      inputSchema: z.object({}),
      execute: async (_, { files }) => {
        await files.write('a', '16 characters...');
        return files.readText('a');
      },
    });
    const planner = agentOf('planner', { tools: [read], limits: { maxReadBytes: 15 } });
    const writer = agentOf('writer', { tools: [read], limits: { maxReadBytes: 16 } });
    const seats = { planner: new Seat(planner, [become]), writer: seatOf(writer) };
    const seat = ({ custom }: AgentState) => (isFor('writer', custom) ? seats.writer : seats.planner);
    const hand = { name: '__become__', input: { seat: 'writer' } };
    const make = (): TreeParts => ({
      agents: [planner],
      scripts: {
        planner: ({ step }) => ({ calls: step === 1 ? [{ name: 'read' }] : [hand] }),
        writer: ({ step }) => (step === 3 ? { calls: [{ name: 'read' }] } : { text: 'Read.' }),
      },
    });
    await withTree(make, { seat }, async (tree) => {
      await tree.run();
      const results = tree.transcript().flatMap((message) => (message.role === 'tool' ? [message.result] : []));
      expect(results).toMatchObject([
        { success: false, error: { code: 'payload_too_large' } },
        { success: true },
        { success: true, value: '16 characters...' },
      ]);
      expect(tree.world.object(tree.address).definition).toBe(writer);
    });
  });
});

describe('a tool of the framework in a tree', () => {
  const where: BuiltInTool = {
    name: '__where__',
    of: () => ({
      description: 'Says where the agent is.',
      endsRun: false,
      inputSchema: z.object({}),
      apply: ({ state: { session, lastMessage } }) => ({
        kind: 'immediate',
        result: { success: true, value: { address: session.address, heard: lastMessage } },
      }),
    }),
  };

  it('[BT3] is shown to the model, and answers it from the state, also after a crash at any commit', async () => {
    const top = agentOf('top');
    const seat = new Seat(top, [...BUILT_IN_TOOLS, where]);
    const tools: string[][] = [];
    const make = (): TreeParts => ({
      agents: [top],
      scripts: {
        top: (request) => {
          tools.push([...shownBy(request).tools]);
          return request.step === 1 ? { calls: [{ name: '__where__' }] } : { text: 'Here.' };
        },
      },
    });
    const ran = (crashAt: number[]) =>
      withTree(make, { seat: () => seat, crashAt: new Set(crashAt) }, async (tree) => {
        await tree.run();
        return { commits: tree.commits.length, said: transcripts(tree), outcome: tree.outcome };
      });
    const { commits, ...calm } = await ran([]);
    expect(calm.said['/agents/top/one']?.[2]).toEqual({
      tool: '__where__',
      result: { success: true, value: { address: '/agents/top/one', heard: 1 } },
    });
    expect(calm.outcome).toMatchObject({ status: 'completed', output: 'Here.' });
    for (let at = 1; at <= commits; at++) {
      const { commits: _commits, ...crashed } = await ran([at]);
      expect(crashed, `a crash after commit ${at}`).toEqual(calm);
    }
    expect(new Set(tools.map((names) => names.join()))).toEqual(new Set(['__where__']));
  });
});
