/** Each limit of the table, at its edge and one past it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEffect } from '../../src/capabilities/effects/define-effect';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ToolDefinition } from '../../src/core/definition/definition';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/definition/limits';
import type { ModelPort } from '../../src/core/definition/model-port';
import type { ToolContext } from '../../src/core/definition/tool-context';
import type { VariableDefinition } from '../../src/core/definition/variables';
import { OffshootError } from '../../src/protocol/errors';
import { command } from '../../src/verbs/command';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, lasting, leadOf } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { agentOf, question, toolResults } from '../support/trees';

type Name = keyof Limits;

/** What a play came to: `kept`, a code, or a number that was reached. */
type Came = string | number;

/** A limit with a play. */
interface Edge {
  /** What it is set to. */
  readonly limit: number;
  /** The load at the edge and its outcome, and the first one past it. */
  readonly at: readonly [load: number, came: Came];
  readonly past: readonly [load: number, came: Came];
  play(load: number, limits: Partial<Limits>): Promise<Came>;
}

/** The codes of failed calls of the root, or how its run ended. */
function cameTo(tree: Tree): Came {
  const failed = toolResults(tree).flatMap((result) => (result.success ? [] : [result.error.code]));
  if (tree.outcome.status !== 'completed')
    return 'error' in tree.outcome ? tree.outcome.error.code : tree.outcome.status;
  return failed.length === 0 ? 'kept' : [...new Set(failed)].join(' ');
}

async function ran(make: (tree: Tree) => TreeParts, look: (tree: Tree) => Came = cameTo): Promise<Came> {
  return withTree(make, {}, async (tree) => {
    await tree.run();
    await tree.rest();
    return look(tree);
  });
}

/** A tool of any work. */
const tool = (
  execute: (context: ToolContext) => unknown,
  variables: readonly VariableDefinition[] = [],
): ToolDefinition =>
  defineTool({
    name: 'work',
    description: 'Works.',
    inputSchema: z.object({}),
    replay: 'safe',
    ...(variables.length > 0 ? { variables: [...variables] } : {}),
    execute: async (_, context) => (await execute(context)) ?? null,
  });
const work = { name: 'work', input: {} };
const done: Answer = { text: 'Done.' };
const pause = (tree: Tree, ms: number): Promise<void> =>
  new Promise((resolve) => void tree.time.environment.timer(ms, resolve));
const times = <Value>(count: number, value: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => value(at));

/** A root that does so many steps, the last without a call. */
const stepping = (limits: Partial<Limits>, answers: readonly Answer[], body: (tree: Tree) => unknown = () => null) =>
  ran((tree) => ({ agents: [agentOf('top', { limits, tools: [tool(() => body(tree))] })], scripts: { top: answers } }));

/** The most of something that was under way at once. */
class Peak {
  #now = 0;
  most = 0;

  async during(tree: Tree, ms = 10): Promise<void> {
    this.#now++;
    this.most = Math.max(this.most, this.#now);
    await pause(tree, ms);
    this.#now--;
  }
}

/** A root with so many sub-agents at once, each of which works a while. */
async function crowd(
  load: number,
  limits: Partial<Limits>,
  look?: (peak: Peak) => Came,
  body?: (tree: Tree) => unknown,
) {
  const peak = new Peak();
  return ran(
    (tree) => {
      const leaf = agentOf('leaf', {
        limits,
        inputSchema: question,
        tools: [tool(() => body?.(tree) ?? peak.during(tree))],
      });
      return {
        agents: [agentOf('top', { limits, tools: [createSubAgentTool(leaf, question)] }), leaf],
        scripts: {
          top: [{ calls: times(load, (at) => ({ name: 'subagent__leaf', input: { q: `${at}` } })) }, done],
          leaf: [{ calls: [work] }, done],
        },
      };
    },
    look && (() => look(peak)),
  );
}

/** A root that has so many companions. */
const companions = (load: number, limits: Partial<Limits>, message = 'one') =>
  ran(() => {
    const leaf = agentOf('leaf');
    const spawn = (at: number) => ({
      name: 'companion__spawnAgent',
      input: { agent: 'leaf', name: `n${at}`, initialMessage: message, mode: 'blocking' },
    });
    return {
      agents: [agentOf('top', { limits, persistentAgents: [{ agent: leaf }] }), leaf],
      scripts: { top: [...times(load, (at): Answer => ({ calls: [spawn(at)] })), done], leaf: () => done },
    };
  });

/** Requests to models under way at once, of a root with five sub-agents. */
async function requests(load: number, limits: Partial<Limits>): Promise<Came> {
  const peak = new Peak();
  const slow = (tree: Tree): ModelPort => ({
    call: async (request, options) => {
      await peak.during(tree, 1_000);
      return tree.port.call(request, options);
    },
  });
  return ran(
    (tree) => {
      const leaf = agentOf('leaf', { inputSchema: question });
      return {
        agents: [agentOf('top', { limits, tools: [createSubAgentTool(leaf, question)] }), leaf],
        scripts: {
          top: [{ calls: times(load, (at) => ({ name: 'subagent__leaf', input: { q: `${at}` } })) }, done],
          leaf: () => done,
        },
        models: () => slow(tree),
      };
    },
    () => peak.most,
  );
}

/** A lead whose workers lack a variable: so many of them wait; `late` says when one is given its value. */
async function lacking(load: number, limits: Partial<Limits>, late?: number): Promise<Came> {
  const required: VariableDefinition = {
    ...{ name: 'KEY', type: 'secret', required: true, scoped: true },
    description: 'A key.',
  };
  const needs = tool(() => null, [required]);
  const worker = dualOf('worker', { tools: [needs] });
  const lead = leadOf([lasting('worker', { blocking: false })], [worker], {}, { limits });
  const create = (at: number) => ({
    name: 'subagent_create',
    input: { agent: 'worker', message: 'Go.', name: `n${at}` },
  });
  const make = (): TreeParts => ({
    agents: [lead, worker],
    scripts: {
      lead: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? done : { calls: times(load, create) }),
      worker: () => done,
    },
  });
  return withTree(make, {}, async (tree) => {
    await tree.run();
    const said = JSON.stringify(tree.transcript());
    const ids = [...said.matchAll(/"request_id":"([^"]+)"/g)].map(([, id = '']) => id);
    if (late === undefined) return ids.length;
    await letPass(tree, late);
    const given = command(tree.world.object(tree.address), tree.address, 'giveVariables', {
      ...{ path: ids[0] ?? '', env: { KEY: 'x' } },
    });
    return given.then(
      () => 'kept',
      (error: unknown) => (error instanceof OffshootError ? error.code : String(error)),
    );
  });
}

/** Lets so much time pass. */
async function letPass(tree: Tree, ms: number): Promise<void> {
  const end = tree.time.now + ms;
  let over = false;
  tree.time.environment.timer(ms, () => {
    over = true;
  });
  await tree.time.until(() => over || tree.time.now > end);
}

/** A root whose tool schedules an effect with that many characters. */
const scheduling = (limits: Partial<Limits>, texts: readonly string[]) =>
  ran(() => {
    const remind = defineEffect({
      name: 'remind',
      description: 'Notes a text.',
      schema: z.object({ text: z.string() }),
      execute: () => undefined,
    });
    const plans = tool(async (context) => {
      for (const text of texts) await context.scheduleEffect('remind', { text }, 60_000);
    });
    return {
      agents: [agentOf('top', { limits, tools: [plans], effects: [remind] })],
      scripts: { top: [{ calls: [work] }, done] },
    };
  });

/** An effect that does what it should at a try. */
const trying = (at: number, limits: Partial<Limits>): Promise<Came> => {
  let isDone = false;
  return ran(
    () => {
      const remind = defineEffect({
        name: 'remind',
        description: 'Fails at first.',
        schema: z.object({}),
        execute: (_args, { attempt }) => {
          if (attempt < at) throw new OffshootError('tool_failed');
          isDone = true;
        },
      });
      const plans = tool((context) => context.scheduleEffect('remind', {}));
      const top = agentOf('top', { limits, tools: [plans], effects: [remind] });
      return { agents: [top], scripts: { top: [{ calls: [work] }, done] } };
    },
    () => (isDone ? 'kept' : 'given up'),
  );
};

/** A tool with which the process is lost so many times. */
const crashing = (losses: number, limits: Partial<Limits>): Promise<Came> => {
  let left = losses;
  const body = (tree: Tree): unknown => {
    if (left-- <= 0) return null;
    tree.crash();
    return new Promise(() => undefined);
  };
  return stepping(limits, [{ calls: [work] }, done], body);
};

/** A root that gets so many messages while it works. */
const inbox = (load: number, limits: Partial<Limits>) =>
  withTree(
    (tree) => ({
      agents: [agentOf('top', { limits, tools: [tool(() => pause(tree, 50))] })],
      scripts: { top: ({ step }) => (step === 1 ? { calls: [work] } : done) },
    }),
    {},
    async (tree) => {
      await tree.start();
      await tree.time.settle();
      const said = times(load, (at) => tree.send(`${at}`));
      await tree.finish();
      const refused = said.flatMap((one) => (one.ok ? [] : [one.refused.code]));
      return refused.join(' ') || 'kept';
    },
  );

/** The text of a JSON string of so many bytes. */
const jsonOf = (bytes: number): string => 'x'.repeat(bytes - 2);

const fails: Answer = { fail: { code: 'model_error', retryable: true } };
const spends = (inputTokens: number, calls = [work]): Answer => ({ calls, usage: { inputTokens, outputTokens: 0 } });

/** Plays of limits: a load that is kept, and the first that is not. */
const PLAYS: Partial<Record<Name, Edge>> = {
  maxSteps: {
    ...{ limit: 3, at: [3, 'kept'], past: [4, 'max_steps'] },
    play: (load, limits) => stepping(limits, [...times(load - 1, () => ({ calls: [work] })), done]),
  },
  maxTokens: {
    // The limit is reached by a step, and the next one does not begin.
    ...{ limit: 10, at: [9, 'kept'], past: [10, 'max_tokens'] },
    play: (load, limits) => stepping(limits, [spends(load), done]),
  },
  maxTreeTokens: {
    ...{ limit: 10, at: [9, 'kept'], past: [10, 'max_tokens'] },
    play: (load, limits) => stepping(limits, [spends(load), done]),
  },
  maxTreeSteps: {
    ...{ limit: 3, at: [3, 'kept'], past: [4, 'max_steps'] },
    play: (load, limits) => stepping(limits, [...times(load - 1, () => ({ calls: [work] })), done]),
  },
  maxSameFailures: {
    ...{ limit: 3, at: [2, 'tool_failed'], past: [3, 'repeated_failure'] },
    play: (load, limits) =>
      stepping(limits, [...times(load, () => ({ calls: [work] })), done], () => {
        throw new OffshootError('tool_failed');
      }),
  },
  maxToolResultBytes: {
    ...{ limit: 1_000, at: [1_000, 'kept'], past: [1_001, 'tool_result_too_large'] },
    play: (load, limits) => stepping(limits, [{ calls: [work] }, done], () => jsonOf(load)),
  },
  toolTimeoutMs: {
    ...{ limit: 1_000, at: [999, 'kept'], past: [1_001, 'tool_timeout'] },
    play: (load, limits) => stepping(limits, [{ calls: [work] }, done], (tree) => pause(tree, load)),
  },
  maxWallMs: {
    ...{ limit: 1_000, at: [999, 'kept'], past: [1_001, 'run_timeout'] },
    play: (load, limits) => stepping(limits, [{ calls: [work] }, done], (tree) => pause(tree, load)),
  },
  modelRetries: {
    ...{ limit: 2, at: [2, 'kept'], past: [3, 'model_error'] },
    play: (load, limits) => {
      let left = load;
      return ran(() => ({
        agents: [agentOf('top', { limits })],
        scripts: { top: () => (left-- > 0 ? fails : done) },
      }));
    },
  },
  maxConcurrentCalls: {
    ...{ limit: 3, at: [3, 3], past: [4, 3] },
    play: (load, limits) => {
      const peak = new Peak();
      return ran(
        (tree) => ({
          agents: [agentOf('top', { limits, tools: [tool(() => peak.during(tree))] })],
          scripts: { top: [{ calls: times(load, () => work) }, done] },
        }),
        () => peak.most,
      );
    },
  },
  maxConcurrentChildren: {
    ...{ limit: 3, at: [3, 3], past: [4, 3] },
    play: (load, limits) => crowd(load, limits, ({ most }) => most),
  },
  maxConcurrentModelCalls: { ...{ limit: 3, at: [3, 3], past: [4, 3] }, play: requests },
  maxChildren: {
    ...{ limit: 3, at: [3, 'kept'], past: [4, 'max_children'] },
    play: (load, limits) => crowd(load, limits),
  },
  maxTreeChildren: {
    ...{ limit: 3, at: [3, 'kept'], past: [4, 'max_tree_children'] },
    play: (load, limits) => crowd(load, limits),
  },
  childTimeoutMs: {
    ...{ limit: 1_000, at: [999, 'kept'], past: [1_001, 'child_timeout'] },
    play: (load, limits) => crowd(1, limits, undefined, (tree) => pause(tree, load)),
  },
  maxCompanions: { ...{ limit: 3, at: [3, 'kept'], past: [4, 'max_children'] }, play: companions },
  maxMessageBytes: {
    ...{ limit: 100, at: [100, 'kept'], past: [101, 'invalid_arguments'] },
    play: (load, limits) => companions(1, limits, 'x'.repeat(load)),
  },
  maxInbox: { ...{ limit: 3, at: [3, 'kept'], past: [4, 'inbox_full'] }, play: inbox },
  maxVariableRequests: { ...{ limit: 3, at: [3, 3], past: [4, 3] }, play: (load, limits) => lacking(load, limits) },
  variableRequestMs: {
    ...{ limit: 1_000, at: [900, 'kept'], past: [1_001, 'not_found'] },
    play: (load, limits) => lacking(1, limits, load),
  },
  maxScheduledEffects: {
    ...{ limit: 3, at: [3, 'kept'], past: [4, 'too_many_effects'] },
    play: (load, limits) => scheduling(limits, times(load, String)),
  },
  maxEffectTries: {
    ...{ limit: 3, at: [3, 'kept'], past: [4, 'given up'] },
    play: trying,
  },
  maxToolReplays: {
    ...{ limit: 3, at: [3, 'kept'], past: [4, 'outcome_unknown'] },
    play: (load, limits) => crashing(load - 1, limits),
  },
  maxRecoveries: {
    ...{ limit: 3, at: [3, 'kept'], past: [4, 'max_recoveries'] },
    play: (load, limits) => crashing(load, { ...limits, maxToolReplays: 100 }),
  },
  maxEffectBytes: {
    // {"text":"…"}
    ...{ limit: 100, at: [100, 'kept'], past: [101, 'payload_too_large'] },
    play: (load, limits) => scheduling(limits, ['x'.repeat(load - 11)]),
  },
};

const BUDGET = 'test/simulation/budget.test.ts';
const STEP = 'test/core/step.test.ts';
const FILES = 'test/contract/files.ts';
const WORKSPACE = 'test/contract/workspace.ts';

/** Limits whose edges are proved where what they bound is: the file, and words of the title or the row. */
const ELSEWHERE: Partial<Record<Name, readonly [file: string, words: string]>> = {
  maxDepth: [BUDGET, "['maxDepth', { maxDepth: 3 }"],
  maxCostUsd: [BUDGET, "[{ maxCostUsd: 6.01 }, 4, 'max_cost']"],
  maxTreeCostUsd: [BUDGET, "[{ maxTreeCostUsd: 12.5 }, 7, 'max_cost']"],
  stopGraceMs: [BUDGET, 'stopGraceMs: a body that ends %i ms after the stop counts: %s'],
  childReachMs: ['test/simulation/unsendable.test.ts', 'is reached by the last try, at the very end of that time'],
  childStopMs: ['test/core/child-stop-time.test.ts', 'or less where the parent waits less for any'],
  modelFirstChunkMs: ['test/node/model/late.test.ts', 'a call that took too long is not read on'],
  modelStallMs: ['test/node/model/adapter.test.ts', 'stallMs'],
  modelPatienceMs: [STEP, 'goes past the patience ends the run at once; one to its end does not'],
  modelRetryBaseMs: [STEP, 'after waits from `modelRetryBaseMs` on'],
  modelRetryAfterMs: [STEP, 'that limit is `modelRetryAfterMs`'],
  maxReadBytes: ['test/simulation/seat.test.ts', 'limits: { maxReadBytes: 15 }'],
  maxFileBytes: [FILES, 'takes a file of exactly the limit, and refuses one byte more'],
  maxFiles: [FILES, 'keeps exactly as many files as it may, and refuses one more'],
  maxWorkspaceReadBytes: [WORKSPACE, 'whole characters each, by lines, by bytes and both, whatever the limit'],
  maxWorkspaceSearchBytes: [WORKSPACE, 'looks through exactly as many bytes as it may'],
  hookTimeoutMs: ['test/simulation/hooks.test.ts', 'is left behind after hookTimeoutMs'],
  maxQueuedStarts: ['test/core/start-and-resume.test.ts', 'at most `maxQueuedStarts` wait (100 by default)'],
  keepRuns: ['test/node/verbs/retention.test.ts', 'keeps as many runs as it should, the one that begins included'],
  keepLogBytes: ['test/node/verbs/retention.test.ts', 'keepLogBytes: 100'],
};

describe('a limit', () => {
  it.each(Object.entries(PLAYS))('[DF42] %s is kept at its edge, and holds one past it', async (name, edge) => {
    const limits = { [name]: edge.limit };
    for (const [load, came] of [edge.at, edge.past])
      expect([load, await edge.play(load, limits)]).toEqual([load, came]);
  });

  it('[DF42] has a play here, or a test of its own', () => {
    const proved = [...Object.keys(PLAYS), ...Object.keys(ELSEWHERE)];
    expect(proved.sort()).toEqual(Object.keys(DEFAULT_LIMITS).sort());
    for (const [file, words] of Object.values(ELSEWHERE))
      expect([file, words, readFileSync(file, 'utf8').includes(words)]).toEqual([file, words, true]);
  });
});
