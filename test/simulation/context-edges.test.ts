/** Compactions where calls wait, are refused or are larger than the context, and what goes on from a checkpoint after one. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ContextOptions } from '../../src/core/definition/context';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { type Message, unpairedCalls } from '../../src/protocol/messages';
import { askSurely } from '../support/asks';
import { transcripts } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { promptOf } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { compactions, counted, requests, talked, talker } from '../support/talks';
import { agentOf, noteTool, PATIENT } from '../support/trees';

const BUDGET = 6_000;

/** Texts that count oddly: four bytes for two units, marks that combine, a script of three bytes. */
const ODD = ['\u{1F469}\u200D\u{1F4BB}', 'e\u0301'.repeat(3), '\u6F22\u5B57', 'a'];

const long = (bytes: number, n: number): string => {
  const odd = present(ODD[n % ODD.length]);
  return `${n}: ${odd.repeat(Math.ceil(bytes / new TextEncoder().encode(odd).byteLength))}`;
};

/** What was said to it in words, in order. */
const saidTo = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

const turnsOf = (messages: readonly Message[]): number =>
  saidTo(messages).filter((text) => text.startsWith('Turn ')).length;

/** In each turn: three calls at once, one of which a person must allow, one of a client, and a companion in the background. */
function busy(context?: ContextOptions) {
  return (tree: Tree): TreeParts => {
    const fetched = defineTool({
      name: 'fetch',
      description: 'x',
      inputSchema: z.object({ n: z.number(), text: z.string() }),
      replay: 'safe',
      // The fourth is larger than the whole context.
      execute: ({ n }) => ({ page: long(n === 4 ? 60_000 : 4_000, n) }),
    });
    const pay = noteTool(tree, { name: 'pay', requireApproval: true });
    const locate = defineTool({ name: 'locate', description: 'x', inputSchema: z.object({}), execute: 'client' });
    const scout = agentOf('scout');
    const tools = [fetched, pay, locate];
    const persistentAgents = [{ agent: scout, mode: 'non-blocking' as const }];
    let turn = 0;
    return {
      agents: [agentOf('top', { tools, persistentAgents, ...(context ? { context } : {}) }), scout],
      scripts: {
        top: ({ step, messages }: ModelRequest): Answer => {
          if (step === 1) turn = Number(/^Turn (\d+)/.exec(lastAsked(messages))?.[1] ?? turn);
          const usage = { inputTokens: counted(messages) };
          if (step > 1) return { text: `Answer ${turn}`, usage };
          const spawn = { agent: 'scout', name: 'ada', initialMessage: `Look ${turn}` };
          return {
            thinking: long(200, turn),
            text: `Turn ${turn} it is.`,
            calls: [
              { name: 'fetch', input: { n: turn, text: long(2_000, turn + 1) } },
              { name: 'pay', input: { text: long(300, turn + 2) } },
              { name: 'locate', input: {} },
              { name: 'fetch', input: { n: -turn, text: 'x' } },
              { name: 'companion__spawnAgent', input: spawn },
            ],
            usage,
          };
        },
        scout: ({ messages }) => ({ text: long(400, messages.length) }),
      },
    };
  };
}

const lastAsked = (messages: readonly Message[]): string =>
  saidTo(messages).findLast((text) => /Turn \d/.test(text)) ?? '';

/** Turns of it: what asks for a yes is allowed and denied by turns, and every third turn is interrupted while it waits. */
async function turns(tree: Tree, count: number): Promise<void> {
  for (let turn = 1; turn <= count; turn++) {
    await tree.start(`Turn ${turn}`);
    await tree.time.until(() => tree.pending.length === 2);
    await tree.rest();
    if (turn % 3 === 0) {
      tree.stop('interrupt');
      await tree.finish();
      await tree.resume();
      await tree.rest();
    }
    for (const row of tree.pending) {
      const answer =
        row.item.kind === 'approval'
          ? ({ kind: 'approval-response', approved: turn % 2 === 0 } as const)
          : ({ kind: 'client-tool-result', result: { success: true, value: long(700, turn) } } as const);
      expect(await tree.soon(tree.answer(row, answer))).toMatchObject({ ok: true });
    }
    await tree.finish();
    await tree.rest();
  }
}

describe('a compaction over calls that waited', () => {
  it('[CX1, CX3, CX9, CX10] keeps every call with its one result within the context, and the whole history as it was', async () => {
    const COUNT = 9;
    const run = (context?: ContextOptions) =>
      withTree(busy(context), {}, async (tree) => {
        await turns(tree, COUNT);
        for (const { messages } of requests(tree)) expect(unpairedCalls(messages)).toEqual([]);
        const asked = requests(tree).filter(({ agentType }) => agentType === 'top');
        expect(tree.time.problems).toEqual([]);
        return { asked, told: compactions(tree), all: transcripts(tree), items: tree.transcript() };
      });
    const [free, kept] = [await run(), await run({ maxTokens: BUDGET })];
    expect(kept.all).toEqual(free.all);
    expect(kept.items.filter(({ role }) => role === 'tool')).toHaveLength(COUNT * 5);
    expect(kept.told.length).toBeGreaterThan(2);
    for (const { tokensAfter } of kept.told) expect(tokensAfter).toBeLessThanOrEqual(BUDGET);
    expect(kept.told.some(({ cutBytes }) => cutBytes !== undefined)).toBe(true);
    for (const { messages } of kept.asked) {
      // As the provider counts, which is all that is known of these texts.
      expect(counted(messages)).toBeLessThanOrEqual(BUDGET);
      expect(turnsOf(messages)).toBeGreaterThan(0);
    }
    expect(kept.asked).toHaveLength(free.asked.length);
  });
});

describe('a summary function that takes the process down', () => {
  it('[CX7, RC4] is asked no more often than a run is recovered, and ends the run with that', async () => {
    let asked = 0;
    const make = (tree: Tree): TreeParts => {
      const compact = () => {
        asked++;
        if (asked < 60) tree.crash();
        return new Promise<never>(() => undefined);
      };
      const { agents, scripts } = talker(undefined)(tree);
      const [{ tools }] = agents;
      const limits = { maxRecoveries: 3 };
      return { agents: [agentOf('talker', { tools, context: { maxTokens: 1_500, compact }, limits })], scripts };
    };
    const tree = await talked(make, 5);
    // Its turns that need no summary completed; the first that does, and each after it, ends so.
    expect(asked).toBeGreaterThan(3);
    expect(asked % 4).toBe(0);
    expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'max_recoveries' } });
    expect(compactions(tree)).toEqual([]);
    tree.close();
  });
});

describe('a session that goes on after a compaction', () => {
  it('[CX1, CX4] tries again what failed, with the same summary', async () => {
    let fails = true;
    const make = (tree: Tree): TreeParts => {
      const { agents, scripts } = talker({ maxTokens: 1_500 })(tree);
      const { talker: script } = scripts;
      if (typeof script !== 'function') throw new TypeError('The script is a function.');
      return {
        agents,
        scripts: {
          talker: (request) =>
            fails && JSON.stringify(request.messages).includes('Question 6')
              ? { fail: { code: 'model_refused' } }
              : script(request),
        },
      };
    };
    const tree = await talked(make, 6);
    expect(tree.outcome).toMatchObject({ status: 'failed' });
    const { step } = tree.state();
    const [told, asked] = [compactions(tree).length, requests(tree).at(-1)?.messages];
    fails = false;
    expect(await askSurely(tree, { verb: 'retry', address: tree.address, input: {} })).toMatchObject({ ok: true });
    await tree.finish();
    expect(tree.outcome).toMatchObject({ status: 'completed' });
    const first = requests(tree).find(({ runId }) => runId === tree.state().run?.runId);
    expect(first?.messages).toEqual(asked);
    const [again] = tree.store().steps({ after: (step?.id ?? 0) - 1, limit: 1 });
    const compactedBy = (one: typeof again) => one?.compaction?.summary ?? one?.compactedAt;
    expect(compactedBy(again)).toEqual(compactedBy(step));
    expect(compactions(tree).length).toBeGreaterThanOrEqual(told);
    for (const { messages } of requests(tree)) expect(counted(messages)).toBeLessThanOrEqual(1_500);
    tree.close();
  });

  it('[CX1, CX3] at another agent, by the context of whoever works', async () => {
    const most: Record<string, number> = { front: 1_500, back: 6_000 };
    const make = (tree: Tree): TreeParts => {
      const page = noteTool(tree);
      const speaker = (name: string, other: string, agents: () => AgentDefinition[]): AgentDefinition =>
        defineAgent({
          name,
          exposeAsTool: true,
          toolDescription: name,
          prompt: promptOf(`${name}_prompt`, { parallelToolCalls: true, tools: [page, other], agents }),
          limits: PATIENT,
          context: { maxTokens: most[name] ?? 0 },
        });
      const front: AgentDefinition = speaker('front', 'back', () => [back]);
      const back: AgentDefinition = speaker('back', 'front', () => [front]);
      // Each works for three turns, then the other one.
      const script =
        (other: string) =>
        ({ step, messages }: ModelRequest): Answer => {
          const usage = { inputTokens: counted(messages) };
          const turn = Number(/^Turn (\d+)/.exec(lastAsked(messages))?.[1] ?? 0);
          if (step === 1) return { calls: [{ name: 'note', input: { text: long(1_200, turn) } }], usage };
          if (step === 2 && turn % 3 === 0) return { calls: [{ name: other, input: {} }], usage };
          return { text: `Answer ${turn}`, usage };
        };
      return { agents: [front, back], scripts: { front: script('back'), back: script('front') } };
    };
    await withTree(make, {}, async (tree) => {
      const TURNS = 15;
      for (let turn = 1; turn <= TURNS; turn++) await tree.run(`Turn ${turn}`);
      const asked = requests(tree);
      expect(new Set(asked.map(({ agentType }) => agentType))).toEqual(new Set(['front', 'back']));
      expect(compactions(tree).length).toBeGreaterThan(2);
      for (const { agentType, messages } of asked) {
        expect(unpairedCalls(messages)).toEqual([]);
        expect(counted(messages)).toBeLessThanOrEqual(most[agentType] ?? 0);
      }
      expect(turnsOf(tree.transcript())).toBe(TURNS);
      expect(tree.time.problems).toEqual([]);
    });
  });
});
