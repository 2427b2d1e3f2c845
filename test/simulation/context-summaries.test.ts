/** Who makes a summary, what it costs, and what happens where it cannot be made. */
import { describe, expect, it } from 'vitest';
import type { CompactContext, ContextOptions } from '../../src/core/definition/context';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Message } from '../../src/protocol/messages';
import { createTestRuntime, scriptedModel } from '../../src/testing';
import { Tree } from '../support/harness';
import type { Answer } from '../support/scripted-port';
import { answering, compactions, counted, requests, talked, talker } from '../support/talks';
import { agentOf } from '../support/trees';

const BUDGET = 1_500;
const TURNS = 5;

const textOf = (message: Message | undefined): string =>
  message?.role === 'user' && typeof message.content === 'string' ? message.content : JSON.stringify(message);

/** What stands at the beginning of the last request. */
const headOf = (tree: Tree): string => textOf(requests(tree).at(-1)?.messages[0]);

const compact = (given: ContextOptions['compact'], more: Partial<ContextOptions> = {}): ContextOptions => ({
  maxTokens: BUDGET,
  ...(given === undefined ? {} : { compact: given }),
  ...more,
});

describe('a function of the author', () => {
  it('[CX7] is given what is left out and the digest of it; its text stands there, and what it records is counted', async () => {
    const given: { messages: readonly Message[]; context: CompactContext }[] = [];
    const summarise: ContextOptions['compact'] = (messages, context) => {
      given.push({ messages, context });
      context.recordUsage({ inputTokens: 100, outputTokens: 7, costUsd: 0.5 });
      return `Summary ${given.length}`;
    };
    const tree = await talked(talker(compact(summarise)), TURNS);
    const told = compactions(tree);
    expect(given.length).toBe(told.length);
    expect(told.map(({ by }) => by)).toEqual(given.map(() => 'function'));
    expect(headOf(tree)).toContain(`Summary ${given.length}`);
    expect(textOf(given[0]?.messages[0])).toBe('Question 1');
    expect(textOf(given[1]?.messages[0])).toContain('Summary 1');
    expect(given[1]?.context.digest).toMatch(/^Summary 1\n- /);
    expect(given[0]?.context).toMatchObject({ agent: { type: 'talker', address: tree.address } });
    expect(given[0]?.context.maxTokens).toBeLessThan(BUDGET / 4);
    expect(given[0]?.context.maxTokens).toBeGreaterThan(BUDGET / 8);
    const { spent } = tree.state();
    const asked = requests(tree).reduce((sum, { messages }) => sum + counted(messages), 0);
    expect(spent).toMatchObject({ costUsd: given.length / 2, inputTokens: asked + 100 * given.length });
    expect(tree.time.problems).toEqual([]);
    tree.close();
  });

  const failing: readonly [string, ContextOptions['compact'], RegExp][] = [
    ['throws', () => Promise.reject(new Error('No luck')), /No luck/],
    ['gives no text', () => 7 as never, /returned no text/],
    ['gives a blank text', () => ' ', /returned no text/],
    ['does not end in time', () => new Promise<never>(() => undefined), /within 500 ms/],
  ];

  it.for(failing)('[CX7, CX11] leaves it to the digest where it %s, which is told', async ([, summarise, why]) => {
    const tree = await talked(talker(compact(summarise, { timeoutMs: 500 })), TURNS);
    const plain = await talked(talker(compact('digest')), TURNS);
    expect(headOf(tree)).toBe(headOf(plain));
    for (const { by, error } of compactions(tree)) {
      expect(by).toBe('digest');
      expect(error).toMatchObject({ code: 'compact_failed', message: expect.stringMatching(why) });
    }
    expect(tree.time.problems.length).toBe(compactions(tree).length);
    for (const one of [tree, plain]) one.close();
  });

  it.for([
    [499, 'function'],
    [501, 'digest'],
  ] as const)('[CX7] with 500 ms that takes %i is followed by the %s', async ([ms, by]) => {
    const make = (tree: Tree) => {
      const later = () => new Promise<string>((end) => void tree.time.environment.timer(ms, () => end('In time.')));
      return talker(compact(later, { timeoutMs: 500 }))(tree);
    };
    const tree = await talked(make, TURNS);
    expect(compactions(tree).length).toBeGreaterThan(1);
    expect(new Set(compactions(tree).map((one) => one.by))).toEqual(new Set([by]));
    tree.close();
  });

  it('[CX7, CX1] has its text cut where it is too long', async () => {
    const tree = await talked(talker(compact(() => 'many words\n'.repeat(5_000))), TURNS);
    expect(headOf(tree)).toContain('left out');
    for (const { messages } of requests(tree)) expect(counted(messages)).toBeLessThanOrEqual(BUDGET);
    tree.close();
  });

  it('[CX7] ends with a stop, and what it records after that is counted', async () => {
    let context: CompactContext | undefined;
    const waits: ContextOptions['compact'] = (_messages, given) => {
      context = given;
      given.recordUsage({ inputTokens: 1_000_000 });
      return new Promise<never>(() => undefined);
    };
    const tree = new Tree(talker(compact(waits)));
    for (let turn = 1; context === undefined; turn++) {
      await tree.start(`Question ${turn}`);
      await tree.time.until(() => tree.ended || context !== undefined);
    }
    tree.stop('interrupt');
    await tree.finish();
    expect(context.abortSignal.aborted).toBe(true);
    context.recordUsage({ outputTokens: 1_000_000 });
    expect(tree.outcome.status).toBe('interrupted');
    expect(compactions(tree)).toEqual([]);
    expect(tree.state().spent.inputTokens).toBeGreaterThanOrEqual(1_000_000);
    expect(tree.state().spent.inputTokens).toBeLessThan(1_100_000);
    expect(tree.state().spent.outputTokens).toBeGreaterThanOrEqual(1_000_000);
    expect(tree.time.problems).toEqual([]);
    tree.close();
  });
});

describe("the agent's own model", () => {
  it('[CX8] is asked once without tools, as one more model call that counts', async () => {
    const tree = await talked(talker(compact('model')), TURNS);
    const told = compactions(tree);
    const asked = tree.port.asked.filter(({ step }) => step === 0);
    expect(told.length).toBeGreaterThan(1);
    expect(asked.length).toBe(told.length);
    expect(told.every(({ by }) => by === 'model')).toBe(true);
    expect(headOf(tree)).toContain('Summary of 1.');
    expect(tree.state().spent.modelCalls).toBe(requests(tree).length + told.length);
    for (const { messages } of asked) expect(counted(messages)).toBeLessThanOrEqual(BUDGET);
    tree.close();
  });

  it('[CX8, CX7] leaves it to the digest where it fails, and is not asked again for that', async () => {
    const make = (tree: Tree) => {
      const { agents } = talker(compact('model'))(tree);
      const failing = (request: ModelRequest): Answer =>
        request.step === 0 ? { fail: { code: 'model_overloaded' } } : answering(request);
      return { agents, scripts: { talker: failing } };
    };
    const tree = await talked(make, TURNS);
    const told = compactions(tree);
    expect(tree.outcome.status).toBe('completed');
    expect(told.length).toBeGreaterThan(1);
    for (const one of told) expect(one).toMatchObject({ by: 'digest', error: { code: 'model_overloaded' } });
    expect(tree.port.asked.filter(({ step }) => step === 0)).toHaveLength(told.length);
    tree.close();
  });

  it('[CX8] is left by a stop while it is asked', async () => {
    const make = (tree: Tree) => {
      const { agents } = talker(compact('model'))(tree);
      const hanging = (request: ModelRequest): Answer => (request.step === 0 ? { hang: true } : answering(request));
      return { agents, scripts: { talker: hanging } };
    };
    const tree = new Tree(make);
    for (let turn = 1; tree.port.working === 0; turn++) {
      await tree.start(`Question ${turn}`);
      await tree.time.until(() => tree.ended || tree.port.asked.at(-1)?.step === 0);
    }
    tree.stop('abort');
    await tree.finish();
    expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
    expect(compactions(tree)).toEqual([]);
    expect(tree.port.working).toBe(0);
    expect(tree.time.problems).toEqual([]);
    tree.close();
  });

  it('[CX8] ends the run where that is the end of its tokens', async () => {
    const agent = (maxTokens: number) => (tree: Tree) => {
      const { agents, scripts } = talker(compact('model'))(tree);
      const [{ tools }] = agents;
      return {
        agents: [agentOf('talker', { tools, context: compact('model'), limits: { maxTokens } })] as const,
        scripts,
      };
    };
    const one = await talked(agent(1_000_000), TURNS);
    // A turn in which a summary is made: its first request and the summary use up what it may use.
    const turns = one.store().runs({});
    const [first] = compactions(one);
    const at = turns.findIndex(({ runId }) => runId === first?.runId);
    const spent = first?.step === 1 ? 1 : counted(requests(one)[2 * at]?.messages ?? []) + 5 + 1;
    const tree = await talked(agent(Math.max(spent, 1_300)), at + 1);
    expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'max_tokens' } });
    expect(compactions(tree)).toHaveLength(1);
    for (const each of [one, tree]) each.close();
  });
});

describe('what a request cannot hold', () => {
  it('[CX9, CX10] is cut with a mark where one message is larger than all of it', async () => {
    const tree = new Tree(talker({ maxTokens: BUDGET }));
    await tree.run(`Read this: ${'wide 語 '.repeat(20_000)}`);
    expect(tree.outcome.status).toBe('completed');
    for (const { messages } of requests(tree)) {
      expect(counted(messages)).toBeLessThanOrEqual(BUDGET);
      expect(JSON.stringify(messages)).toMatch(
        /^\[{"role":"user","content":"Read this: wide.*… cut, 180011 bytes in all …/,
      );
    }
    expect(textOf(tree.transcript()[0])).toHaveLength(140_011);
    expect(compactions(tree)[0]).toMatchObject({ summaryBytes: 0 });
    expect(compactions(tree)[0]?.cutBytes).toBeGreaterThan(256);
    expect(compactions(tree)[0]).not.toHaveProperty('from');
    tree.close();
  });

  it('[CX9, CX3] is left out also of a turn that never ends, but for what that was begun with', async () => {
    const tree = new Tree(talker({ maxTokens: BUDGET }, 40));
    await tree.run('Question 1');
    expect(tree.outcome.status).toBe('completed');
    expect(requests(tree)).toHaveLength(41);
    for (const { messages } of requests(tree)) {
      expect(counted(messages)).toBeLessThanOrEqual(BUDGET);
      expect(JSON.stringify(messages)).toContain('{"role":"user","content":"Question 1"}');
    }
    tree.close();
  });

  it('[CX9] fails the run with context_too_large where no cut makes it fit', async () => {
    const script = (): Answer => ({ text: 'Never asked.' });
    const agent = agentOf('talker', { systemPrompt: 'Be brief. '.repeat(1_000), context: { maxTokens: 1_000 } });
    const tree = new Tree(() => ({ agents: [agent], scripts: { talker: script } }));
    await tree.run();
    expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'context_too_large', retryable: false } });
    expect(tree.port.asked).toEqual([]);
    tree.close();
  });
});

describe('what is kept word for word', () => {
  it.for([
    [1, 10, 700],
    [2_000, 1_200, 2_000],
    [4_000, 3_200, 4_000],
  ] as const)('[CX3] is the newest, up to keepRecentTokens (%i)', async ([keepRecentTokens, least, most]) => {
    const tree = await talked(talker({ maxTokens: 6_000, keepRecentTokens }), 30);
    const after = new Set(compactions(tree).map(({ runId, step }) => `${runId} ${step}`));
    const kept = requests(tree)
      .filter(({ runId, step }) => after.has(`${runId} ${step}`))
      .map(({ messages }) => counted(messages.slice(1)));
    expect(kept.length).toBeGreaterThan(1);
    for (const tokens of kept) {
      expect(tokens).toBeGreaterThanOrEqual(least);
      expect(tokens).toBeLessThanOrEqual(most);
    }
    tree.close();
  });
});

describe('a request that is asked again', () => {
  it('[CX4] leaves out the same after the model has failed, without another summary', async () => {
    let asked = 0;
    const make = (tree: Tree) => {
      const { agents } = talker(undefined)(tree);
      const [{ tools }] = agents;
      const failing = (request: ModelRequest): Answer =>
        request.attempt === 1 && request.step > 0 ? { fail: { code: 'model_overloaded' } } : answering(request);
      return {
        agents: [agentOf('talker', { tools, context: compact(() => `Summary ${++asked}`) })] as const,
        scripts: { talker: failing },
      };
    };
    const tree = await talked(make, TURNS);
    expect(asked).toBe(compactions(tree).length);
    for (const { runId, step, messages } of requests(tree)) {
      const tries = tree.port.asked.filter((one) => one.runId === runId && one.step === step);
      expect(tries.length).toBe(2);
      for (const one of tries) expect(one.messages).toEqual(messages);
    }
    tree.close();
  });

  it('[CX1, CX4] builds a further summary on its own where more has come meanwhile', async () => {
    let hangs = true;
    const make = (tree: Tree) => {
      const { agents } = talker(compact('digest'))(tree);
      const last = (request: ModelRequest): Answer =>
        hangs && JSON.stringify(request.messages).includes('Question 6') ? { hang: true } : answering(request);
      return { agents, scripts: { talker: last } };
    };
    const tree = await talked(make, TURNS);
    const more = 'and more '.repeat(300);
    await tree.start(`Question 6 ${more}`);
    await tree.time.until(() => tree.port.working > 0);
    tree.stop('interrupt');
    await tree.finish();
    const { step } = tree.state();
    hangs = false;
    tree.send(`Question 7 ${more}`);
    await tree.finish();
    expect(tree.outcome.status).toBe('completed');
    const [again] = tree.store().steps({ after: (step?.id ?? 0) - 1, limit: 1 });
    expect(again?.compaction?.number).toBe((step?.compaction?.number ?? 0) + 1);
    const summary = again?.compaction?.summary ?? '';
    expect(summary.startsWith((step?.compaction?.summary ?? 'none').slice(0, 100))).toBe(true);
    const shown = requests(tree).find(({ runId, step: number }) => runId === tree.state().run?.runId && number === 1);
    expect(JSON.stringify(shown?.messages)).toMatch(/Question 6 and.*Question 7 and/);
    for (const { messages } of requests(tree)) expect(counted(messages)).toBeLessThanOrEqual(BUDGET);
    tree.close();
  });
});

describe('the test runtime', () => {
  it('[CX1, CX11] keeps to the context as a Worker does, and its log tells of it', async () => {
    const model = scriptedModel(() => ({ text: 'word '.repeat(200) }));
    const agent = agentOf('talker', { context: { maxTokens: 1_000 } });
    const runtime = createTestRuntime({ agents: [agent], model });
    const run = await runtime.execute(agent, 'Question 1');
    for (let turn = 2; turn <= 10; turn++) {
      await run.result();
      await run.send(`Question ${turn}`);
    }
    await run.result();
    runtime.crash();
    await run.send('Question 11');
    await run.result();
    const sizes = model.requests.map(({ prompt }) => JSON.stringify(prompt).length / 4);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(run.messages()).toHaveLength(22);
    const types: string[] = [];
    for await (const { chunk } of run.stream()) types.push(chunk.type);
    expect(types).toContain('context_compacted');
    runtime.close();
  });
});
