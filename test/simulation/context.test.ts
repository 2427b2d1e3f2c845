/** Requests within a context: what they leave out, what stands there, and that nothing of it is lost or made twice. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/core/agent/state';
import { type Message, unpairedCalls } from '../../src/protocol/messages';
import { logEntry } from '../../src/protocol/wire/readings';
import { pageOf } from '../../src/protocol/wire/shapes';
import { examine, transcripts } from '../support/examine';
import { Tree } from '../support/harness';
import { figures, moments } from '../support/sizes';
import { compactions, consulting, counted, plain, requests, talked, talker } from '../support/talks';

const logsShape = pageOf(logEntry);

const BUDGET = 3_000;
const ROUNDS = 20;

/** What the requests of twenty rounds came to, told at the end. */
const told: string[] = [];
figures('twenty rounds', () => told.join('\n'));

const sizes = (messages: readonly { readonly messages: readonly Message[] }[]) =>
  messages.map((asked) => counted(asked.messages));

describe('a conversation of twenty rounds', () => {
  it('[CX1, CX10] costs no more than its budget in any request, and stays readable as a whole', async () => {
    const free = await talked(talker(undefined), ROUNDS);
    const bounded = await talked(talker({ maxTokens: BUDGET }), ROUNDS);
    const [all, kept] = [sizes(requests(free)), sizes(requests(bounded))];
    told.push(`tokens of each request without a budget: ${all.join(' ')}`);
    told.push(`with ${BUDGET}: ${kept.join(' ')}, ${compactions(bounded).length} compactions`);
    expect(kept).toHaveLength(2 * ROUNDS);
    expect(all.at(-1)).toBeGreaterThan(3 * BUDGET);
    expect(Math.max(...kept)).toBeLessThanOrEqual(BUDGET);
    expect(Math.min(...kept.slice(8))).toBeGreaterThan(BUDGET / 4);
    expect(transcripts(bounded)).toEqual(transcripts(free));
    examine(bounded);
    for (const tree of [free, bounded]) tree.close();
  });

  it('[CX1] with a companion keeps it within its context, whose summary is in its own store', async () => {
    const tree = new Tree(consulting(ROUNDS, { maxTokens: BUDGET }));
    await tree.run();
    const asked = requests(tree).filter(({ agentType }) => agentType === 'critic');
    told.push(`tokens of each request of a companion with ${BUDGET}: ${sizes(asked).join(' ')}`);
    expect(tree.outcome.status).toBe('completed');
    expect(asked).toHaveLength(2 * ROUNDS);
    expect(Math.max(...sizes(asked))).toBeLessThanOrEqual(BUDGET);
    const found = compactions(tree);
    expect(found.length).toBeGreaterThan(5);
    expect(new Set(found.map(({ agentType }) => agentType))).toEqual(new Set(['critic']));
    const critic = tree.addresses.find((address) => address.includes('/critic/')) ?? '';
    expect(tree.transcript(critic).filter(({ role }) => role === 'user')).toHaveLength(ROUNDS);
    tree.close();
  });

  it('[CX11] has its summaries in the log of the agent, which is told to whoever may read it', async () => {
    const tree = await talked(talker({ maxTokens: BUDGET, compact: () => Promise.reject(new Error('No luck')) }), 10);
    const path: [] = [];
    const call = { kind: 'verb', path, verb: 'logs', input: { limit: 200 }, caller: 'person' } as const;
    const answer = await tree.world.object(tree.address).call(call);
    expect(answer.ok).toBe(true);
    const { items } = logsShape.parse(answer.ok ? answer.body : {});
    const found = items.filter(({ kind }) => kind === 'compaction');
    const kept = tree
      .store()
      .steps({})
      .flatMap(({ compaction }) => compaction ?? []);
    expect(found.length).toBeGreaterThan(2);
    expect(found.map(({ summary }) => summary)).toEqual(kept.map(({ summary }) => summary));
    for (const { summaryBy, errors, attempts } of found) {
      expect({ summaryBy, attempts }).toEqual({ summaryBy: 'digest', attempts: 0 });
      expect(errors).toMatchObject([{ code: 'compact_failed', message: 'No luck' }]);
    }
    tree.close();
  });

  it('[CX3] keeps calls and results together, and what was asked last', async () => {
    const tree = await talked(talker({ maxTokens: BUDGET }, 4), ROUNDS);
    expect(compactions(tree).length).toBeGreaterThan(ROUNDS / 2);
    for (const { messages } of requests(tree)) {
      expect(unpairedCalls(messages)).toEqual([]);
      const calls = messages.flatMap((message) =>
        message.role === 'assistant' ? message.content.filter(({ type }) => type === 'tool-call') : [],
      );
      expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(calls.length);
    }
    const asked = requests(tree).map(({ messages }) => JSON.stringify(messages));
    for (const [at, request] of asked.entries())
      expect(request).toContain(`{"role":"user","content":"Question ${Math.floor(at / 5) + 1}"}`);
    tree.close();
  });

  it('[CX5] sends what it sent before and no more than its end anew, between two compactions', async () => {
    const tree = await talked(talker({ maxTokens: BUDGET }), ROUNDS);
    const compacted = new Set(compactions(tree).map(({ runId, step }) => `${runId} ${step}`));
    expect(compacted.size).toBeGreaterThan(2);
    let before = '[';
    for (const { runId, step, messages } of requests(tree)) {
      const now = JSON.stringify(messages).slice(0, -1);
      expect(now.startsWith(before)).toBe(!compacted.has(`${runId} ${step}`));
      before = now;
    }
    tree.close();
  });

  it('[CX11, CX4] tells what it leaves out, each step once, and what the request was and is', async () => {
    const tree = await talked(talker({ maxTokens: BUDGET }), ROUNDS);
    const found = compactions(tree);
    let next = 1;
    for (const { from = '', to = '', tokensBefore, tokensAfter, by, agentId } of found) {
      expect(from).toBe(`${agentId}.${next}`);
      next = Number(to.slice(agentId.length + 1)) + 1;
      expect(by).toBe('digest');
      expect(tokensBefore).toBeGreaterThan(BUDGET);
      expect(tokensAfter).toBeLessThanOrEqual(BUDGET);
    }
    expect(next).toBeGreaterThan(2 * ROUNDS - 8);
    tree.close();
  });
});

describe('a crash', () => {
  const summarisers = [undefined, (messages: readonly Message[]) => `${messages.length} messages`];

  it.for(summarisers)(
    '[CX4, RC5] at any one commit changes no request and makes no summary twice (%s)',
    async (given) => {
      const TURNS = 7;
      let asked = 0;
      const compact =
        given &&
        ((messages: readonly Message[]) => {
          asked++;
          return given(messages);
        });
      const make = talker({ maxTokens: 1_500, ...(compact ? { compact } : {}) });
      const calm = await talked(make, TURNS);
      const shown = (tree: typeof calm) => requests(tree).map(({ messages }) => plain(messages));
      const kept = (tree: typeof calm) =>
        tree
          .store()
          .steps({})
          .map(({ id, compaction }: Step) => [id, compaction?.number, compaction?.upToStep, compaction?.summary]);
      expect(compactions(calm).length).toBeGreaterThan(2);
      const crashes = moments(calm.commits, 16);
      for (const commit of crashes) {
        asked = 0;
        const tree = await talked(make, TURNS, { crashAt: new Set([commit]) });
        // One that a crash cuts off is made again.
        expect(asked).toBeLessThanOrEqual(compactions(calm).length + 1);
        expect(tree.crashes, `commit ${commit}`).toBe(1);
        expect(shown(tree), `commit ${commit}`).toEqual(shown(calm));
        expect(kept(tree), `commit ${commit}`).toEqual(kept(calm));
        expect(compactions(tree).length, `commit ${commit}`).toBe(compactions(calm).length);
        tree.close();
      }
      told.push(
        `crashed at ${crashes.length} of ${calm.commits.length} commits with ${compactions(calm).length} compactions`,
      );
      calm.close();
    },
  );
});
