/** Variables in whole trees: where their values come from, what becomes of them in a crash, and that they are shown nowhere. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { HookContext } from '../../src/core/definition/hooks/hook-types';
import { defineHook } from '../../src/core/definition/hooks/standard-hooks';
import type { ToolContext } from '../../src/core/definition/tool-context';
import type { VariableDefinition } from '../../src/core/definition/variables';
import { command } from '../../src/verbs/command';
import { streamOf } from '../contract/files-support';
import { dump } from '../support/dump';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, question, toolResults } from '../support/trees';

const CANARY = 'canary-4f1d2c';
/** Another key than the one that a world has by itself. */
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const secret = (name: string, more: Partial<VariableDefinition> = {}): VariableDefinition => ({
  name,
  type: 'secret',
  ...more,
});

/** Says of each variable whether it has the value that it should have. */
function looking(expected: Readonly<Record<string, string>>, variables: readonly VariableDefinition[] = []) {
  return defineTool({
    name: 'look',
    description: 'Looks at variables.',
    inputSchema: z.object({ names: z.array(z.string()) }),
    replay: 'safe',
    variables,
    execute: async ({ names }, context) => {
      const values = await Promise.all(names.map((name) => context.variable(name)));
      return values.map((value, at) =>
        value === undefined ? null : value === expected[names[at] ?? ''] ? 'right' : value,
      );
    },
  });
}

const looks = (...names: string[]) => ({ calls: [{ name: 'look', input: { names } }] });

async function started(tree: Tree, env: Record<string, string | null>) {
  const object = tree.world.object(tree.address);
  await tree.soon(command(object, tree.address, 'start', { message: 'Go', env }, { caller: 'ada' }));
  await tree.finish();
  await tree.rest();
}

const valuesOf = (tree: Tree, address = tree.address): unknown[] =>
  tree
    .store(address)
    .steps({})
    .flatMap((step) => (step.phase === 'calls' ? step.calls : []))
    .map(({ settled }) => settled && (settled.result.success ? settled.result.value : settled.result.error.code));

const EXPECTED = { KEY: CANARY, OTHER: 'other' };
const done = { text: 'Done.' };

/** One agent that looks at variables in each of its turns. */
const alone =
  (names: string[], variables: VariableDefinition[] = [], env?: Record<string, string>) =>
  (): TreeParts => ({
    agents: [agentOf('top', { tools: [looking(EXPECTED, variables)], ...(env ? { env } : {}) })],
    scripts: { top: [looks(...names), done] },
  });

/** Three levels that look at variables, each asking for those that are given for its name. */
const levels =
  (names: string[], asks: { middle?: VariableDefinition[]; leaf?: VariableDefinition[] } = {}) =>
  (): TreeParts => {
    const leaf = agentOf('leaf', { inputSchema: question, tools: [looking(EXPECTED, asks.leaf)] });
    const tools = [looking(EXPECTED, asks.middle), createSubAgentTool(leaf)];
    const middle = agentOf('middle', { inputSchema: question, tools });
    const top = agentOf('top', { tools: [looking(EXPECTED), createSubAgentTool(middle)] });
    const passes = (name: string) => [{ calls: [...looks(...names).calls, { name, input: { q: 'x' } }] }, done];
    return {
      agents: [top, middle, leaf],
      scripts: { top: passes('subagent__middle'), middle: passes('subagent__leaf'), leaf: [looks(...names), done] },
    };
  };
const MIDDLE = '/agents/top/one/sub/middle/1~1';
const LEAF = `${MIDDLE}/sub/leaf/1~1`;

describe('the value of a variable', () => {
  it('[VR2, VR3] is what the session was given, also in later turns and after a crash, until that is forgotten', () =>
    withTree(alone(['KEY', 'OTHER']), {}, async (tree) => {
      await started(tree, { KEY: CANARY, OTHER: 'other' });
      await started(tree, {});
      tree.crash();
      await started(tree, { OTHER: null });
      await started(tree, { KEY: 'changed', OTHER: 'other' });
      expect(valuesOf(tree)).toEqual([
        ['right', 'right'],
        ['right', 'right'],
        ['right', null],
        ['changed', 'right'],
      ]);
    }));

  it('[VR2, VR13] comes before what the agent brings along, and that before what the Worker has', () =>
    withTree(
      alone(['KEY', 'OTHER', 'PLACE', 'ENCRYPTION_KEY', 'OFFSHOOT_TOKEN', 'OFFSHOOT_SIGNING_KEY'], [], {
        KEY: 'brought',
        OTHER: 'other',
      }),
      {},
      async (tree) => {
        const bindings = {
          KEY: 'of the Worker',
          OTHER: 'of the Worker',
          PLACE: 'of the Worker',
          DB: {},
          ENCRYPTION_KEY,
          OFFSHOOT_TOKEN: 'secret',
          OFFSHOOT_SIGNING_KEY: 'secret',
        };
        Object.assign(tree.time.environment, { bindings });
        await started(tree, { KEY: CANARY });
        await started(tree, { KEY: null });
        expect(valuesOf(tree)).toEqual([
          ['right', 'right', 'of the Worker', null, null, null],
          ['brought', 'right', 'of the Worker', null, null, null],
        ]);
      },
    ));

  it('[VR2, SAW12] is what the root was given, for those below it that do not ask for it scoped', () =>
    withTree(levels(['KEY', 'OTHER'], { leaf: [secret('OTHER', { scoped: true })] }), {}, async (tree) => {
      await started(tree, EXPECTED);
      expect([tree.address, MIDDLE, LEAF].map((address) => valuesOf(tree, address)[0])).toEqual([
        ['right', 'right'],
        ['right', 'right'],
        ['right', null],
      ]);
      expect(tree.time.problems).toEqual([]);
    }));

  it('[VR2] that an agent asks for scoped, those below it do not take from above it either', () =>
    withTree(levels(['KEY', 'OTHER'], { middle: [secret('KEY', { scoped: true })] }), {}, async (tree) => {
      await started(tree, EXPECTED);
      expect([MIDDLE, LEAF].map((address) => valuesOf(tree, address)[0])).toEqual([
        [null, 'right'],
        [null, 'right'],
      ]);
    }));

  it('[VR2] is read again where the question or its answer was lost on the way', () => {
    let lost = 0;
    const network: TreeOptions['network'] = async (_address, call, perform) => {
      if (call.kind === 'variables' && lost++ < 2) throw new Error('Lost.');
      return perform();
    };
    return withTree(levels(['KEY']), { network }, async (tree) => {
      await started(tree, EXPECTED);
      expect(valuesOf(tree, LEAF)).toEqual([['right']]);
      expect(lost).toBeGreaterThan(2);
    });
  });

  it('[VR5] that no key opens fails the call that reads it, and says what to do', () =>
    withTree(alone(['KEY']), {}, async (tree) => {
      await started(tree, { KEY: CANARY });
      Object.assign(tree.time.environment, { bindings: { ENCRYPTION_KEY } });
      tree.crash();
      await started(tree, {});
      expect(valuesOf(tree)).toEqual([['right'], 'no_encryption_key']);
      expect(JSON.stringify(toolResults(tree))).toContain('was encrypted with another key');
    }));
});

describe('what is given with a start', () => {
  it('[VR3] is refused as a whole past 64 variables of a session, and none of it is kept', () =>
    withTree(alone(['KEY', 'OTHER']), {}, async (tree) => {
      const many = (first: number, count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${first + at}`, 'x']));
      await started(tree, many(0, 63));
      await started(tree, { KEY: CANARY });
      expect(tree.store().variableNames()).toHaveLength(64);
      await expect(started(tree, { OTHER: 'other' })).rejects.toMatchObject({ code: 'invalid_input' });
      await started(tree, { OTHER: 'other', V0: null });
      expect(valuesOf(tree)).toEqual([
        [null, null],
        ['right', null],
        ['right', 'right'],
      ]);
      await expect(started(tree, many(0, 65))).rejects.toMatchObject({ code: 'invalid_request' });
    }));

  it('[VR3] is not taken by names or values that are none, and the refusal does not show them', () =>
    withTree(alone(['KEY']), {}, async (tree) => {
      for (const env of [
        { 'NO-NAME': CANARY },
        { KEY: `${CANARY}${'x'.repeat(8_192)}` },
        Object.assign({ KEY: '' }, { KEY: { is: CANARY } }),
      ]) {
        const refused: unknown = await started(tree, env).catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'invalid_request' });
        expect(`${refused} ${JSON.stringify(refused)}`).not.toContain(CANARY);
      }
      expect(tree.addresses).toEqual([]);
      await started(tree, { KEY: 'x'.repeat(8_192) });
    }));

  it('[VR3] under a key that is repeated counts once, by its names', () =>
    withTree(alone(['KEY']), {}, async (tree) => {
      const object = tree.world.object(tree.address);
      const by = { caller: 'ada', idempotencyKey: 'k' };
      const start = (env: Record<string, string | null>) =>
        tree.soon(command(object, tree.address, 'start', { message: 'Go', env }, by));
      const first = await start({ KEY: CANARY });
      expect(await start({ KEY: CANARY })).toEqual(first);
      await expect(start({ KEY: null })).rejects.toMatchObject({ code: 'idempotency_conflict' });
      await expect(start({ OTHER: 'x' })).rejects.toMatchObject({ code: 'idempotency_conflict' });
    }));

  it('[VR3] a message to a root may give them as well, one to an agent below may not', () =>
    withTree(levels(['KEY']), {}, async (tree) => {
      const object = tree.world.object(tree.address);
      const send = (address: string, env: Record<string, string>) =>
        tree.soon(command(object, address, 'send', { content: 'Go', env }));
      await send(tree.address, { KEY: CANARY });
      await tree.finish();
      await tree.rest();
      expect(valuesOf(tree)[0]).toEqual(['right']);
      await expect(send(MIDDLE, { KEY: 'x' })).rejects.toMatchObject({ code: 'owned_by_parent' });
    }));
});

/** Hooks that give a secret away in the place of all that they are told. */
function leakingHooks() {
  const secretOf = async ({ variable }: HookContext) => (await variable('KEY')) ?? '';
  return [
    defineHook({
      hook: 'after_system_message',
      id: 'leak_system',
      execute: async ({ system }, context) => `${system} system ${await secretOf(context)}`,
    }),
    defineHook({
      hook: 'prefilter_llm_history',
      id: 'leak_history',
      execute: async ({ messages }, context) => [
        ...messages,
        { role: 'user', content: `history ${await secretOf(context)}` },
      ],
    }),
    defineHook({
      hook: 'before_create_message',
      id: 'leak_message',
      execute: async ({ message }, context) => {
        const value = await secretOf(context);
        return { content: `${message.content} ${value}`, metadata: { [value]: value } };
      },
    }),
    defineHook({
      hook: 'before_store_tool_result',
      id: 'leak_result',
      execute: async ({ result }, context) =>
        result.success ? { success: true, value: `result ${await secretOf(context)}` } : null,
    }),
    defineHook({
      hook: 'after_tool_call_success',
      id: 'leak_error',
      execute: async (_, context) => {
        throw new Error(`error ${await secretOf(context)}`);
      },
    }),
  ];
}

/** A tool that gives a secret away wherever it can. */
function leaking() {
  return defineTool({
    name: 'leak',
    description: 'Says what it should not.',
    inputSchema: z.object({ how: z.string() }),
    variables: [secret('KEY')],
    execute: async ({ how }, context) => {
      const value = (await context.variable('KEY')) ?? '';
      context.emit(`has ${value}`);
      context.emitCustom('said', { [value]: [`in ${value}`] });
      context.updateState(() => ({ kept: `is ${value}` }));
      if (how === 'throws') throw new Error(`Could not sign in with ${value}.`);
      return { found: [value], text: `${value}${value}` };
    },
  });
}

describe('a value', () => {
  it('[VR6] is in no store, request, chunk, answer or report: given, read by a body below, and said by it and by hooks everywhere', () => {
    const systems: string[] = [];
    return withTree(
      () => {
        const leaf = agentOf('leaf', {
          inputSchema: question,
          stateSchema: z.object({ kept: z.string().default('') }),
          tools: [leaking()],
          hooks: [
            {
              onStepEnd: async (_payload, context) => {
                throw new Error(`The hook says ${await context.variable('KEY')}.`);
              },
            },
            ...leakingHooks(),
          ],
        });
        const leaks = (how: string) => ({ calls: [{ name: 'leak', input: { how } }] });
        return {
          agents: [agentOf('top', { tools: [createSubAgentTool(leaf)] }), leaf],
          scripts: {
            top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'x' } }] }, done],
            leaf: ({ step, system }) => {
              systems.push(system);
              return [leaks('returns'), leaks('throws'), done][step - 1] ?? done;
            },
          },
        };
      },
      {},
      async (tree) => {
        await started(tree, { KEY: CANARY });
        const { world, address } = tree;
        const child = `${address}/sub/leaf/1~1`;
        const object = world.object(address);
        const shown = await Promise.all(
          (['status', 'messages', 'calls', 'logs', 'state', 'audit', 'runs', 'checkpoints'] as const).flatMap((verb) =>
            [address, child].map((at) => tree.soon(command(object, at, verb, {}))),
          ),
        );
        const stores = new Map(
          world.addresses().flatMap((at) => {
            const storage = world.storage(at);
            return storage ? [[at, storage] as const] : [];
          }),
        );
        const all = {
          stores: dump(stores),
          asked: tree.port.asked,
          systems,
          log: tree.log,
          shown,
          problems: tree.time.problems,
        };
        for (const [what, given] of Object.entries(all))
          expect(`${what} ${JSON.stringify(given)}`).not.toContain(CANARY);
        // All of these have come, without it.
        expect(tree.state(child).custom).toEqual({ kept: 'is [KEY]' });
        expect(JSON.stringify(all.log)).toContain('Could not sign in with [KEY].');
        expect(all.problems.join()).toContain('The hook says [KEY].');
        expect(all.problems.join()).toContain('error [KEY]');
        for (const what of ['result [KEY]', 'history [KEY]', 'system [KEY]'])
          expect(JSON.stringify([all.asked, systems])).toContain(what);
        expect(JSON.stringify(tree.transcript(child))).toContain('Done. [KEY]');
        expect(dump(stores)).toContain('INSERT INTO `variables`');
      },
    );
  });

  it('[VR9] is in no file that a tool or a hook writes after it has read it, and its name is there instead', () => {
    const write = async (context: Pick<ToolContext, 'files' | 'variable'>, at: string) => {
      await context.files.write(`${at}/before.txt`, 'nothing read');
      const value = (await context.variable('KEY')) ?? '';
      await context.files.write(`${at}/${value}.txt`, `is ${value}`);
      await context.files.write(`${at}/bytes`, new TextEncoder().encode(`is ${value}.`));
      const cut = [`one ${value.slice(0, 5)}`, value.slice(5), ' two'].map((each) => new TextEncoder().encode(each));
      await context.files.write(`${at}/stream`, streamOf(cut), { size: value.length + 8 });
      return context.files.readText(`${at}/${value}.txt`);
    };
    return withTree(
      () => ({
        agents: [
          agentOf('top', {
            variables: [secret('KEY')],
            tools: [
              defineTool({
                name: 'write',
                description: 'Writes files.',
                inputSchema: z.object({}),
                execute: (_, context) => write(context, 'tool'),
              }),
            ],
            hooks: [{ onAgentStart: async (_, context) => void (await write(context, 'hook')) }],
          }),
        ],
        scripts: { top: [{ calls: [{ name: 'write', input: {} }] }, done] },
      }),
      {},
      async (tree) => {
        await started(tree, { KEY: CANARY });
        await tree.rest();
        expect(valuesOf(tree)).toEqual(['is [KEY]']);
        const storage = tree.world.storage(tree.address);
        if (storage === undefined) throw new TypeError('There is no store.');
        const rows = storage.sql.exec<{ path: string; tail: ArrayBuffer }>(
          'SELECT path, tail FROM files ORDER BY path',
        );
        const files = rows.toArray().map(({ path, tail }) => `${path}: ${Buffer.from(tail).toString()}`);
        expect(files).toEqual(
          ['hook', 'tool'].flatMap((at) => [
            `${at}/[KEY].txt: is [KEY]`,
            `${at}/before.txt: nothing read`,
            `${at}/bytes: is [KEY].`,
            `${at}/stream: one [KEY] two`,
          ]),
        );
      },
    );
  });
});
