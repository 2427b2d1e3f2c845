/** Scheduled effects in whole trees: when they are done, how often, what a crash makes of them, and what ends them. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEffect } from '../../../src/capabilities/effects/define-effect';
import { pendingEffects } from '../../../src/capabilities/effects/machine';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import type { AgentOptions } from '../../../src/core/definition/define-agent';
import { defineTool } from '../../../src/core/definition/define-tool';
import type { EffectContext, ToolContext } from '../../../src/core/definition/tool-context';
import { OffshootError } from '../../../src/protocol/errors';
import type { Json } from '../../../src/protocol/json';
import { command, commandAsGiven } from '../../../src/verbs/command';
import { examine, transcripts } from '../../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../support/harness';
import { agentOf, hangTool, question } from '../../support/trees';

const HOUR = 3_600_000;

/** A try of an effect. */
interface Done {
  readonly text: string;
  readonly key: string;
  readonly attempt: number;
  readonly at: number;
  readonly aborted: AbortSignal;
}

type Act = (done: Done, context: EffectContext) => unknown;

/** An effect that notes its tries. */
const remind = (tree: Tree, into: Done[], act: Act = () => undefined, name = 'remind') =>
  defineEffect({
    name,
    description: 'Notes a text.',
    schema: z.object({ text: z.string() }),
    execute: ({ text }, context) => {
      const { idempotencyKey: key, attempt, abortSignal: aborted } = context;
      const done = { text, key, attempt, at: tree.time.now, aborted };
      into.push(done);
      return act(done, context);
    },
  });

/** A tool that lets a function use its context, and may be repeated. */
const using = (tree: Tree, act: (context: ToolContext) => unknown) =>
  defineTool({
    name: 'plan',
    description: 'Plans.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async (_, context) => {
      tree.body(context.idempotencyKey);
      return (await act(context)) ?? null;
    },
  });

const calling = (...names: string[]) => ({ calls: names.map((name) => ({ name, input: {} })) });
const end = { text: 'Done.' };

interface Single {
  readonly plan: (context: ToolContext) => unknown;
  readonly act?: Act;
  readonly options?: Partial<AgentOptions>;
  readonly scripts?: TreeParts['scripts'][string];
}

/** One agent whose first step schedules. */
const single =
  (into: Done[], { plan, act, options = {}, scripts = [calling('plan'), end] }: Single) =>
  (tree: Tree): TreeParts => ({
    agents: [
      agentOf('top', {
        tools: [using(tree, plan), hangTool(tree)],
        effects: [remind(tree, into, act)],
        ...options,
      }),
    ],
    scripts: { top: scripts },
  });

async function ran<Result>(
  make: (into: Done[]) => (tree: Tree) => TreeParts,
  check: (tree: Tree, into: Done[]) => Result | Promise<Result>,
  options: TreeOptions = {},
) {
  const into: Done[] = [];
  return withTree(make(into), options, async (tree) => {
    await tree.start();
    await tree.rest();
    return check(tree, into);
  });
}

const texts = (into: readonly Done[]): string[] => into.map(({ text }) => text);

/** Of the settled calls of the first step of an agent what they gave, or why they failed. */
const given = (tree: Tree, address = tree.address): unknown[] =>
  tree
    .store(address)
    .steps({})
    .flatMap((step) => (step.phase === 'calls' ? step.calls : []))
    .map(({ settled }) => settled && (settled.result.success ? settled.result.value : settled.result.error.message));

describe('an effect that is scheduled', () => {
  it('[SA76] [SF1] [SF4] is done when its time comes, with its arguments, after the run has ended', async () => {
    let at = 0;
    await ran(
      (into) => (tree) =>
        single(into, {
          plan: async (context) => {
            at = tree.time.now;
            await context.scheduleEffect('remind', { text: 'later' }, HOUR);
            await context.scheduleEffect('remind', { text: 'now' });
          },
        })(tree),
      (tree, into) => {
        expect(into.map(({ text, attempt, at: when }) => [text, attempt, when - at])).toEqual([
          ['now', 1, 0],
          ['later', 1, HOUR],
        ]);
        expect(new Set(into.map(({ key }) => key)).size).toBe(2);
        expect(tree.state().slices).toEqual(new Map());
        examine(tree);
      },
    );
  });

  it('[SA76] [SF6] is nothing that a model or a reader hears of', async () => {
    const plain = await ran(
      (into) => single(into, { plan: () => 'x' }),
      (tree) => ({ said: transcripts(tree), chunks: tree.log.map(({ chunk }) => chunk.type) }),
    );
    const scheduled = await ran(
      (into) =>
        single(into, { plan: (context) => context.scheduleEffect('remind', { text: 'a' }, 50).then(() => 'x') }),
      (tree, into) => {
        expect(texts(into)).toEqual(['a']);
        return { said: transcripts(tree), chunks: tree.log.map(({ chunk }) => chunk.type) };
      },
    );
    expect(scheduled).toEqual(plain);
  });

  it('[SA76] [SF5] is refused with an error that says what to do: its name, arguments, delay and number', async () => {
    const wrong = async (context: ToolContext) => {
      const said: string[] = [];
      const tried = async (name: string, args: Json, delay?: number) => {
        try {
          await context.scheduleEffect(name, args, delay);
          said.push('taken');
        } catch (error) {
          said.push(error instanceof OffshootError ? `${error.code}: ${error.message}` : String(error));
        }
      };
      const year = 365 * 24 * HOUR;
      await tried('remember', { text: '' });
      await tried('remind', { words: '' });
      await tried('remind', { text: '' }, -1);
      await tried('remind', { text: '' }, 0.5);
      await tried('remind', { text: '' }, year + 1);
      await tried('remind', { text: 'x'.repeat(65_536) });
      await tried('remind', { text: 'x'.repeat(65_536 - '{"text":""}'.length) }, year);
      await tried('remind', { text: '' }, year);
      await tried('remind', { text: '' }, year);
      for (const { id } of await context.getScheduledEffects()) await context.removeScheduledEffect(id);
      return said;
    };
    await ran(
      (into) => single(into, { plan: wrong, options: { limits: { maxScheduledEffects: 2 } } }),
      (tree) => {
        const said: string[] = JSON.parse(JSON.stringify(given(tree)[0]));
        expect(said[0]).toBe('unknown_effect: This agent has no effect "remember". Available effects: remind.');
        expect(said[1]).toContain('invalid_input: The arguments of the effect "remind" do not match its schema');
        for (const at of [2, 3, 4])
          expect(said[at]).toContain('invalid_input: The delay of an effect must be a whole number');
        expect(said[5]).toContain('payload_too_large: The arguments of the effect "remind" are too large');
        expect(said.slice(6, 8)).toEqual(['taken', 'taken']);
        expect(said[8]).toContain('too_many_effects: 2 effects of this agent are scheduled');
        examine(tree);
      },
    );
  });

  it('[SA76] [SF1] is listed with what is known of it, all or by name, and taken back once', async () => {
    const act = async (context: ToolContext) => {
      const late = await context.scheduleEffect('remind', { text: 'late' }, 2 * HOUR);
      const early = await context.scheduleEffect('remind', { text: 'early' }, HOUR);
      const all = await context.getScheduledEffects();
      const none = await context.getScheduledEffects('other');
      const taken = [await context.removeScheduledEffect(late), await context.removeScheduledEffect(late)];
      const left = await context.getScheduledEffects('remind');
      return {
        all: all.map(({ id, name, args, tries, dueAt, scheduledAt }) => [
          id === early ? 'early' : id === late ? 'late' : id,
          { name, args, tries, delay: dueAt - scheduledAt },
        ]),
        none,
        taken,
        left: left.map(({ args }) => args),
      };
    };
    await ran(
      (into) => single(into, { plan: act }),
      (tree, into) => {
        expect(given(tree)[0]).toEqual({
          all: [
            ['early', { name: 'remind', args: { text: 'early' }, tries: 0, delay: HOUR }],
            ['late', { name: 'remind', args: { text: 'late' }, tries: 0, delay: 2 * HOUR }],
          ],
          none: [],
          taken: [true, false],
          left: [{ text: 'early' }],
        });
        expect(texts(into)).toEqual(['early']);
      },
    );
  });

  it('[SF1] may schedule the next one, and is aborted where another body takes it back while it is done', async () => {
    let count = 0;
    await ran(
      (into) =>
        single(into, {
          plan: (context) => context.scheduleEffect('remind', { text: 'tick' }, 1_000),
          act: (_, context) => (++count < 3 ? context.scheduleEffect('remind', { text: 'tick' }, 1_000) : undefined),
        }),
      (_, into) => {
        const [first = 0, second = 0, third = 0] = into.map(({ at }) => at);
        expect([into.length, second - first, third - second]).toEqual([3, 1_000, 1_000]);
      },
    );
    let begun: (key: string) => void = () => undefined;
    const begins = new Promise<string>((resolve) => {
      begun = resolve;
    });
    let calls = 0;
    await ran(
      (into) =>
        single(into, {
          plan: async (context) => {
            if (calls++ === 0) return context.scheduleEffect('remind', { text: 'x' });
            return context.removeScheduledEffect(await begins);
          },
          act: ({ aborted, key }) => {
            begun(key);
            return new Promise((resolve) => aborted.addEventListener('abort', resolve));
          },
          scripts: [calling('plan'), calling('plan'), end],
        }),
      (tree, into) => {
        expect(given(tree)[1]).toBe(true);
        expect(into.map(({ aborted }) => aborted.aborted)).toEqual([true]);
        expect(tree.state().slices).toEqual(new Map());
        expect(tree.time.problems).toEqual([]);
      },
    );
  });
});

describe('an effect that fails', () => {
  it('[SF2] begins each try only when its count survives a crash', async () => {
    const held: (() => void)[] = [];
    const tries = 3;
    let isScheduled = false;
    const durable = () => (isScheduled ? new Promise<void>((resolve) => held.push(resolve)) : Promise.resolve());
    const into: Done[] = [];
    const parts = single(into, {
      plan: async (context) => {
        await context.scheduleEffect('remind', { text: 'x' }, 500);
        isScheduled = true;
      },
      act: ({ attempt }) => {
        if (attempt < tries) throw new Error('Not yet.');
      },
    });
    await withTree(parts, { durable }, async (tree) => {
      await tree.start();
      for (let attempt = 1; attempt <= tries; attempt++) {
        await tree.time.until(() => held.length > 0);
        await tree.time.settle();
        expect(into).toHaveLength(attempt - 1);
        expect(pendingEffects(tree.state())).toMatchObject([{ tries: attempt }]);
        for (const resolve of held.splice(0)) resolve();
        await tree.time.settle();
        expect(into).toHaveLength(attempt);
      }
      expect(tree.state().slices).toEqual(new Map());
      expect(tree.outcome.status).toBe('completed');
    });
  });

  it('[SF2] [SF7] is tried again after 1 s, 10 s, 1 min, 10 min and 1 h with its key, and is given up after 6 tries, which is told', async () => {
    await ran(
      (into) =>
        single(into, {
          plan: (context) => context.scheduleEffect('remind', { text: 'x' }, 500),
          act: () => {
            throw new Error('The post is closed.');
          },
        }),
      (tree, into) => {
        const times = into.map(({ at }) => at);
        expect(times.slice(1).map((at, index) => at - (times[index] ?? 0))).toEqual([
          1_000, 10_000, 60_000, 600_000, 3_600_000,
        ]);
        expect(into.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
        expect(new Set(into.map(({ key }) => key)).size).toBe(1);
        expect(tree.state().slices).toEqual(new Map());
        const entries = tree
          .store()
          .audit({})
          .filter(({ action }) => action === 'effect_given_up');
        expect(entries).toMatchObject([
          { actor: 'offshoot', detail: { name: 'remind', code: 'tool_failed', message: 'The post is closed.' } },
        ]);
        expect(tree.time.problems.filter((problem) => problem.includes('was abandoned'))).toHaveLength(1);
        const failed = tree.time.problems.filter((problem) => problem.includes('"remind" of /agents/top/one failed'));
        expect(failed.map((problem) => /\(try \d\)/.exec(problem)?.[0])).toEqual(
          [1, 2, 3, 4, 5, 6].map((attempt) => `(try ${attempt})`),
        );
        expect(tree.outcome.status).toBe('completed');
      },
    );
  });

  it('[SF7] is one that takes longer than its time, too: its signal aborts', async () => {
    await ran(
      (into) => (tree) => {
        const slow = defineEffect({
          name: 'slow',
          description: 'Is slow.',
          timeoutMs: 700,
          execute: (_, { abortSignal, attempt }) => {
            into.push({ text: 'slow', key: '', attempt, at: tree.time.now, aborted: abortSignal });
            return attempt === 1 ? new Promise(() => undefined) : undefined;
          },
        });
        const tools = [using(tree, (context) => context.scheduleEffect('slow', null))];
        return { agents: [agentOf('top', { tools, effects: [slow] })], scripts: { top: [calling('plan'), end] } };
      },
      (_, into) => {
        expect(into.map(({ attempt, at, aborted }) => [attempt, at - (into[0]?.at ?? 0), aborted.aborted])).toEqual([
          [1, 0, true],
          [2, 1_700, false],
        ]);
      },
    );
  });
});

describe('effects and a crash', () => {
  /** A parent that schedules one and a companion-less child that schedules one, each done after the run. */
  const both =
    (into: Done[]) =>
    (tree: Tree): TreeParts => {
      const plan = (text: string) =>
        using(tree, (context) => context.scheduleEffect('remind', { text }, 3_000).then(() => 'planned'));
      const effects = [remind(tree, into)];
      const leaf = agentOf('leaf', { inputSchema: question, tools: [plan('leaf')], effects });
      const top = agentOf('top', { tools: [plan('top'), createSubAgentTool(leaf)], effects });
      return {
        agents: [top, leaf],
        scripts: {
          top: [
            {
              calls: [
                { name: 'plan', input: {} },
                { name: 'subagent__leaf', input: { q: 'x' } },
              ],
            },
            end,
          ],
          leaf: [calling('plan'), end],
        },
      };
    };

  it('[SA76] [SF1] [SF8] are done at least once under one key, wherever everything in memory is lost', async () => {
    const check = (tree: Tree, into: Done[]) => {
      examine(tree, `crashes ${tree.crashes}`);
      for (const address of tree.addresses) expect(tree.state(address).slices).toEqual(new Map());
      const keys = new Map(into.map(({ key, text }) => [key, text]));
      expect([...keys.values()].sort()).toEqual(['leaf', 'top']);
      return { commits: tree.commits.length, done: into.length };
    };
    const calm = await ran(both, check);
    expect(calm.done).toBe(2);
    let most = 0;
    for (let crash = 1; crash <= calm.commits; crash++) {
      const { done } = await ran(both, check, { crashAt: new Set([crash]) });
      most = Math.max(most, done);
    }
    // A crash during a body repeats it: the sweep met that.
    expect(most).toBeGreaterThan(2);
    for (let crash = 1; crash <= calm.commits; crash += 2)
      await ran(both, check, { crashAt: new Set([crash, crash + 1, crash + 3]) });
  });

  it('[SF2] that end the process each time they are begun are given up after so many tries', async () => {
    await ran(
      (into) => (tree) =>
        single(into, {
          plan: (context) => context.scheduleEffect('remind', { text: 'x' }, 1_000).then(() => 'x'),
          act: () => {
            tree.crash();
            return new Promise(() => undefined);
          },
        })(tree),
      (tree, into) => {
        expect(into.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
        expect(tree.state().slices).toEqual(new Map());
        const entries = tree
          .store()
          .audit({})
          .filter(({ action }) => action === 'effect_given_up');
        expect(entries).toMatchObject([{ detail: { code: 'outcome_unknown' } }]);
      },
    );
  });
});

describe('effects and what their agent does', () => {
  it('[SAW30] [SF4] [CB4] are done beside a long turn', async () => {
    const into: Done[] = [];
    const make = single(into, {
      plan: (context) => context.scheduleEffect('remind', { text: 'x' }, 300_000),
      scripts: [calling('plan'), calling('hang'), end],
    });
    await withTree(make, {}, async (tree) => {
      await tree.start();
      const from = tree.time.now;
      await tree.time.until(() => into.length > 0);
      expect([into[0]?.at, tree.ended]).toEqual([from + 300_000, false]);
      tree.stop();
      await tree.rest();
    });
  });

  it('[SAW28] [SF3] [SF9] [CB2] are none once it is terminated, at work or at rest; nothing is scheduled any more', async () => {
    for (const scripts of [
      [calling('plan'), end],
      [calling('plan'), calling('hang'), end],
    ]) {
      const into: Done[] = [];
      const plan = (context: ToolContext) => context.scheduleEffect('remind', { text: 'x' }, HOUR);
      await withTree(single(into, { plan, scripts }), {}, async (tree) => {
        await tree.start();
        await tree.time.until(() => given(tree).length === scripts.length - 1);
        if (scripts.length === 2) await tree.time.until(() => tree.ended);
        await tree.soon(tree.stopAt(tree.address, 'terminate'));
        await tree.rest();
        expect(into).toEqual([]);
        expect(tree.state()).toMatchObject({ slices: new Map(), session: { terminated: { reason: 'Enough.' } } });
        expect(tree.nodes[0]?.effectAt).toBeUndefined();
      });
    }
  });

  it('[SAW28] [SF3] one that is done when its agent is terminated is aborted, and not tried again', async () => {
    const into: Done[] = [];
    const make = single(into, {
      plan: (context) => context.scheduleEffect('remind', { text: 'x' }, 1_000),
      act: () => new Promise(() => undefined),
    });
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => into.length > 0);
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await tree.rest();
      expect(into.map(({ aborted }) => aborted.aborted)).toEqual([true]);
    });
  });

  it('[SF3] of a sub-agent are none once the root above it is terminated', async () => {
    const into: Done[] = [];
    const make = (tree: Tree): TreeParts => {
      const plan = using(tree, (context) => context.scheduleEffect('remind', { text: 'x' }, HOUR));
      const leaf = agentOf('leaf', { inputSchema: question, tools: [plan], effects: [remind(tree, into)] });
      const top = agentOf('top', { tools: [createSubAgentTool(leaf)] });
      return {
        agents: [top, leaf],
        scripts: {
          top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'x' } }] }, end],
          leaf: [calling('plan'), end],
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.ended);
      expect(tree.nodes.map(({ effectAt }) => effectAt !== undefined)).toEqual([false, true]);
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await tree.rest();
      expect(into).toEqual([]);
    });
  });

  it('[SF3] of a sub-agent that is deleted go with it', async () => {
    const into: Done[] = [];
    const make = (tree: Tree): TreeParts => {
      const plan = using(tree, (context) => context.scheduleEffect('remind', { text: 'x' }, HOUR));
      const leaf = agentOf('leaf', { tools: [plan], effects: [remind(tree, into)] });
      const top = agentOf('top', { tools: [createSubAgentTool(leaf, question)] });
      return {
        agents: [top, leaf],
        scripts: {
          top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'x' } }] }, end],
          leaf: [calling('plan'), end],
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.ended);
      await tree.soon(tree.remove('/agents/top/one/sub/leaf/1~1'));
      await tree.rest();
      expect(into).toEqual([]);
    });
  });

  it('[SF1, VR9] are kept without the values of secret variables', async () => {
    const into: Done[] = [];
    const secret = { name: 'KEY', type: 'secret' } as const;
    const plan = async (context: ToolContext) =>
      void (await context.scheduleEffect('remind', { text: `is ${await context.variable('KEY')}` }, HOUR));
    const options = { variables: [secret], env: { KEY: 'canary-7c1e' } };
    await withTree(single(into, { plan, options }), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.ended);
      expect(pendingEffects(tree.state()).map(({ args }) => args)).toEqual([{ text: 'is [KEY]' }]);
    });
  });

  it('[SF4] [SA76] are among what is due in a tree, the next one of each agent', async () => {
    const into: Done[] = [];
    const plan = async (context: ToolContext) => {
      await context.scheduleEffect('remind', { text: 'b' }, 2 * HOUR);
      await context.scheduleEffect('remind', { text: 'a' }, HOUR);
    };
    await withTree(single(into, { plan }), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.ended);
      const due = () => tree.soon(command(tree.world.object(tree.address), tree.address, 'schedules', {}, {}));
      const [first] = pendingEffects(tree.state()).map(({ dueAt }) => dueAt);
      const { sessionId } = tree.state().session;
      expect(await due()).toEqual({
        items: [{ kind: 'effect', address: tree.address, sessionId, callId: '', dueAt: first }],
      });
      await tree.rest();
      expect(await due()).toEqual({ items: [] });
      expect(texts(into)).toEqual(['a', 'b']);
    });
  });
});

describe('a start', () => {
  it('[SAW39] with fields that it does not know is refused, and nothing is made', async () => {
    await withTree(single([], { plan: () => null }), {}, async (tree) => {
      const object = tree.world.object(tree.address);
      for (const more of [{ initial_messages: [{ role: 'user', content: 'x' }] }, { data: { a: 1 } }])
        await expect(
          (async () => commandAsGiven(object, tree.address, 'start', { message: 'Go', ...more }, {}))(),
        ).rejects.toMatchObject({ code: 'invalid_request' });
      expect(tree.addresses).toEqual([]);
    });
  });
});
