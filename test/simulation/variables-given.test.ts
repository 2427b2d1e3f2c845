/** Sub-agents that lack variables: what their call is told, and how they begin once these are given. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { PromptOptions } from '../../src/core/definition/prompt';
import type { VariableDefinition } from '../../src/core/definition/variables';
import { isObject, type Json, type JsonObject } from '../../src/protocol/json';
import { command } from '../../src/verbs/command';
import { dump } from '../support/dump';
import { stored } from '../support/enclosed';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, promptOf } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { sample } from '../support/sizes';
import { agentOf, PATIENT, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 15;
const CANARY = 'canary-9b3e7a';
const own = (name: string): VariableDefinition => ({
  ...{ name, type: 'secret', required: true, scoped: true },
  description: `What ${name} is for.`,
});

/** Says whether the variables have the values that they should have. */
const looking = (...names: string[]) =>
  defineTool({
    name: 'look',
    description: 'Looks at variables.',
    inputSchema: z.object({}),
    replay: 'safe',
    variables: names.map(own),
    execute: async (_input, context) => {
      const values = await Promise.all(['KEY', 'DEEP'].map((name) => context.variable(name)));
      return values.map((value, at) => value === `${CANARY} ${['KEY', 'DEEP'][at]}`);
    },
  });
const ENV = { KEY: `${CANARY} KEY`, DEEP: `${CANARY} DEEP` };
const look = { calls: [{ name: 'look', input: {} }] };
const create = (message: string, attachments: string[] = []) => ({
  name: 'subagent_create',
  input: { agent: 'worker', message, name: 'Ann', attachments },
});

/** A lead that asks for a worker, which needs KEY; with a helper below it, which needs DEEP. */
const deferring =
  (
    config: Parameters<typeof lasting>[1] = {},
    calls = [create('Sweep.')],
    first: { name: string; input: Json }[] = [],
  ) =>
  (): TreeParts => {
    const helper = dualOf('helper', { tools: [looking('DEEP')] });
    const worker = dualOf('worker', { tools: [looking('KEY'), lasting('helper')], agents: [helper] });
    const agents: [AgentDefinition, ...AgentDefinition[]] = [
      leadOf([lasting('worker', { blocking: false, ...config })], [worker], {}, { workspace: true }),
      worker,
      helper,
    ];
    return {
      agents,
      scripts: {
        lead: ({ messages, step }) => {
          const told = envelopesIn(messages).length;
          if (first.length > 0 && told === 0 && step <= 2) return { calls: step === 1 ? first : calls };
          const asked = messages.some(({ role }) => role === 'assistant');
          return asked ? { text: `Told ${told} times.` } : { calls };
        },
        worker: ({ step }) => {
          if (step === 1) return look;
          const help = { name: 'subagent_create', input: { agent: 'helper', message: 'Help.', name: 'Bob' } };
          return step === 2 ? { calls: [help] } : { text: 'Swept.' };
        },
        helper: ({ step }) => (step === 1 ? look : { text: 'Helped.' }),
      },
    };
  };

/** The same, with a lead that asks for all of them whenever a person says something. */
const persistent =
  (...[config, calls = []]: Parameters<typeof deferring>) =>
  (): TreeParts => {
    const parts = deferring(config, calls)();
    const lead = ({ step, messages }: Pick<ModelRequest, 'step' | 'messages'>): Answer => {
      const asks = messages.flatMap((one) => (one.role === 'user' ? [one.content] : [])).at(-1);
      const isAsked = step === 1 && typeof asks === 'string' && !asks.startsWith('Subagent');
      return isAsked ? { calls } : { text: 'Told.' };
    };
    return { ...parts, scripts: { ...parts.scripts, lead } };
  };

/** Such a lead as a companion of a root. */
const below = (make: () => TreeParts) => (): TreeParts => {
  const { agents, scripts } = make();
  const spawn = { agent: 'lead', name: 'a-lead', initialMessage: 'Begin.' };
  const boss = agentOf('boss', { persistentAgents: [{ agent: agents[0], mode: 'blocking' }] });
  return {
    agents: [boss, ...agents],
    scripts: { ...scripts, boss: [{ calls: [{ name: 'companion__spawnAgent', input: spawn }] }, { text: 'Done.' }] },
  };
};

async function calm(tree: Tree): Promise<void> {
  await tree.finish();
  await tree.rest();
}

const object = (value: Json = null): JsonObject => (isObject(value) ? value : {});

/** What the first call of the lead was told. */
function told(tree: Tree): JsonObject {
  const result = toolResults(tree).find(({ success }) => !success);
  if (result === undefined || result.success) throw new Error('The call was not refused.');
  expect(result.error.code).toBe('subagent_env_required');
  return object(object(result.error.details).request);
}

const ask = <Answer>(tree: Tree, work: (at: string) => Promise<Answer>): Promise<Answer> =>
  tree.soon(work(tree.address));
const see = (tree: Tree, path: string) =>
  ask(tree, (at) => command(tree.world.object(at), at, 'variables', { path }, { caller: 'ada' }));
const status = (tree: Tree) => ask(tree, (at) => command(tree.world.object(at), at, 'status', {}, { caller: 'ada' }));
const give = (tree: Tree, path: string, env: Record<string, string | null> = ENV) =>
  ask(tree, (at) => command(tree.world.object(at), at, 'giveVariables', { path, env }, { caller: 'ada' }));
const children = (tree: Tree): string[] =>
  tree.nodes.map(({ address }) => address).filter((at) => at.includes('/sub/'));
const looked = (tree: Tree, address: string): unknown[] =>
  tree
    .store(address)
    .steps({})
    .flatMap((step) => (step.phase === 'calls' ? step.calls : []))
    .flatMap(({ name, settled }) => (name === 'look' && settled?.result.success ? [settled.result.value] : []));

/** A tree whose lead has asked, and was told what is missing. */
async function asked<Result>(
  body: (tree: Tree, requestId: string) => Promise<Result>,
  make = deferring(),
  options: TreeOptions = {},
): Promise<Result> {
  return withTree(make, options, async (tree) => {
    await tree.start();
    await calm(tree);
    return body(tree, String(told(tree).request_id));
  });
}

describe('a sub-agent that lacks variables', () => {
  it('[SA31, SA32, SA33] does not begin: its call is told which, and where to give them', () =>
    asked(async (tree, requestId) => {
      expect(told(tree)).toEqual({
        request_id: requestId,
        endpoint: `${tree.address}/variables/${requestId}`,
        agent: 'worker',
        required: ['DEEP', 'KEY'],
        missing: ['DEEP', 'KEY'],
      });
      expect(children(tree)).toEqual([]);
      expect(await see(tree, requestId)).toMatchObject({ required: ['DEEP', 'KEY'], missing: ['DEEP', 'KEY'] });
      await expect(see(tree, 'v_other')).rejects.toMatchObject({ code: 'not_found' });
    }));

  it('[VR10] is in the status of its parent until they are given, with what each is for and who asks', () =>
    asked(async (tree, requestId) => {
      const [request, ...others] = (await status(tree)).variableRequests ?? [];
      expect(others).toEqual([]);
      const variable = (name: string, agent: string) => ({
        ...{ name, type: 'secret', required: true, missing: true },
        description: `What ${name} is for.`,
        declaredBy: [`${agent}/look`],
      });
      expect(request).toEqual({
        ...{ requestId, agentType: 'worker', requestedAt: expect.any(Number) },
        expiresAt: (request?.requestedAt ?? 0) + 86_400_000,
        variables: [variable('DEEP', 'helper'), variable('KEY', 'worker')],
      });
      Object.assign(tree.time.environment, { bindings: { DEEP: ENV.DEEP } });
      tree.crash();
      const [later] = (await status(tree)).variableRequests ?? [];
      expect(later?.variables.map(({ missing }) => missing)).toEqual([false, true]);
      await give(tree, requestId);
      expect(JSON.stringify(await status(tree))).not.toContain(CANARY);
      expect(await status(tree)).not.toHaveProperty('variableRequests');
    }));

  it('[VR11] costs one question above for all that wait for the same agent, and none after the first that has no answer', () => {
    const names: string[] = [];
    let isCut = false;
    const network: TreeOptions['network'] = async (_address, call, perform) => {
      if (call.kind === 'variables') names.push(call.name);
      if (call.kind === 'variables' && isCut) throw new Error('Lost.');
      return perform();
    };
    return withTree(below(deferring({}, [create('Sweep.'), create('Dust.')])), { network }, async (tree) => {
      await tree.start();
      await calm(tree);
      const seen = async () => {
        names.splice(0);
        const lead = `${tree.address}/sub/lead/a-lead`;
        const told = await tree.soon(command(tree.world.object(tree.address), lead, 'status', {}, { caller: 'ada' }));
        const missing = told.variableRequests?.map(({ variables }) => variables.filter((one) => one.missing).length);
        return [missing, names.toSorted()];
      };
      expect(await seen()).toEqual([
        [2, 2],
        ['DEEP', 'KEY'],
      ]);
      isCut = true;
      // One question is put again three times before it counts as lost.
      expect(await seen()).toEqual([
        [2, 2],
        ['DEEP', 'DEEP', 'DEEP', 'DEEP'],
      ]);
    });
  });

  it('[SAW37] is told all that are required beside those of them that are missing', () =>
    withTree(deferring(), {}, async (tree) => {
      Object.assign(tree.time.environment, { bindings: { DEEP: ENV.DEEP } });
      await tree.start();
      await calm(tree);
      expect(told(tree)).toMatchObject({ required: ['DEEP', 'KEY'], missing: ['KEY'] });
    }));

  it('[SA34, SAW9, SAW14] begins with the values as it was asked for, and so does the one below it by the same request', () =>
    asked(async (tree, requestId) => {
      const taken = await give(tree, requestId);
      await calm(tree);
      const [worker = '', helper = ''] = children(tree);
      expect(taken).toMatchObject({ request_id: requestId, address: worker, status: 'success' });
      expect(children(tree)).toHaveLength(2);
      // Each reads what it asks for, and not what is another's.
      expect(looked(tree, worker)).toEqual([[true, false]]);
      expect(looked(tree, helper)).toEqual([[false, true]]);
      const [node] = tree.nodes.filter(({ address }) => address === worker);
      expect(node).toMatchObject({ agentType: 'worker' });
      expect(tree.state(worker).session).toMatchObject({ displayName: 'Ann', tags: ['name:Ann'] });
      const { sessionId } = tree.state().session;
      expect(tree.store().named(taken.reference)?.registered).toMatchObject({
        reference: taken.reference,
        blocking: false,
        resumable: true,
        threadName: 'Ann',
        spawnGroupId: `${sessionId}.1`,
      });
      expect(JSON.stringify(tree.transcript(worker))).toContain('Sweep.');
      expect(envelopesIn(tree.transcript())).toEqual([
        `Subagent (reference: ${taken.reference}) has returned the following result:\n\nSwept.`,
      ]);
      await expect(give(tree, requestId)).rejects.toMatchObject({ code: 'not_found' });
      await expect(see(tree, requestId)).rejects.toMatchObject({ code: 'not_found' });
      expect(tree.time.problems).toEqual([]);
    }));

  it('[SA34] waits on where not all are given, or others than are asked for', () =>
    asked(async (tree, requestId) => {
      const { KEY } = ENV;
      await expect(give(tree, requestId, { KEY, DEEP: null })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('Still missing: DEEP'),
      });
      await expect(give(tree, requestId, { ...ENV, OTHER: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
      expect(children(tree)).toEqual([]);
      await give(tree, requestId);
    }));

  it('[SAW10] begins once, however many give its variables at once', () =>
    asked(async (tree, requestId) => {
      const all = await Promise.allSettled(Array.from({ length: 20 }, () => give(tree, requestId)));
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'not_found' });
      await calm(tree);
      expect(children(tree)).toHaveLength(2);
    }));

  it('[SAW10, SA35] does not begin once its parent was ended for good, and is not shown any more', () =>
    asked(async (tree, requestId) => {
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await tree.rest();
      await expect(give(tree, requestId)).rejects.toMatchObject({ code: 'gone' });
      await expect(see(tree, requestId)).rejects.toMatchObject({ code: 'gone' });
      expect(children(tree)).toEqual([]);
    }));

  it('[SAQ13, SAW10] does not begin once an agent further above was ended for good, with its parent at rest', () => {
    return withTree(below(deferring()), {}, async (tree) => {
      await tree.start();
      await calm(tree);
      const lead = `${tree.address}/sub/lead/a-lead`;
      const [, id = ''] = /"request_id":"([^"]+)"/.exec(JSON.stringify(tree.transcript(lead))) ?? [];
      const giveBelow = () =>
        tree.soon(
          command(tree.world.object(tree.address), lead, 'giveVariables', { path: id, env: ENV }, { caller: 'ada' }),
        );
      const seeBelow = () => tree.soon(command(tree.world.object(tree.address), lead, 'variables', { path: id }));
      expect(await seeBelow()).toMatchObject({ agent_name: 'worker' });
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await tree.rest();
      await expect(giveBelow()).rejects.toMatchObject({ code: 'gone' });
      await expect(seeBelow()).rejects.toMatchObject({ code: 'gone' });
      expect(children(tree)).toEqual([lead]);
    });
  });

  it('[SAW10, SAT5] does not begin past its cap, and waits on; another one that lacks nothing begins meanwhile', () => {
    const capped = { resumable: { receives_messages: 'side_a', maxInstances: 1 } } as const;
    return asked(
      async (tree, requestId) => {
        Object.assign(tree.time.environment, { bindings: ENV });
        // Whoever comes back has them.
        tree.crash();
        await tree.start('Again.');
        await calm(tree);
        expect(children(tree).filter((at) => !at.includes('/sub/helper/'))).toHaveLength(1);
        await expect(give(tree, requestId)).rejects.toMatchObject({ code: 'max_children' });
        expect(await see(tree, requestId)).toMatchObject({ agent_name: 'worker', missing: [] });
      },
      persistent(capped, [create('Sweep.')]),
    );
  });

  it('[SAW9] has the same place and mode as one that began at once, field by field', async () => {
    const one = (variables: boolean) =>
      withTree(deferring({ blocking: true }), {}, async (tree) => {
        if (!variables) Object.assign(tree.time.environment, { bindings: ENV });
        await tree.start();
        await calm(tree);
        if (variables) await give(tree, String(told(tree).request_id));
        await calm(tree);
        const [worker = ''] = children(tree);
        const found = tree.nodes.find(({ address }) => address === worker);
        const [kept] = tree.store().lastingChildren({ after: 0, limit: 10 });
        const {
          reference: _reference,
          createdAt: _at,
          ...registered
        } = kept?.registered ?? { reference: '', createdAt: 0 };
        const { displayName, tags, agentType, depth } = tree.state(worker).session;
        const first = tree.transcript(worker).find(({ role }) => role === 'user');
        return {
          registered,
          displayName,
          tags,
          agentType,
          depth,
          first: JSON.stringify(first),
          type: found?.agentType,
        };
      });
    const [deferred, direct] = [await one(true), await one(false)];
    expect(deferred).toEqual(direct);
    expect(direct).toMatchObject({
      first: expect.stringContaining('Sweep.'),
      registered: { blocking: true, threadName: 'Ann' },
    });
  });

  const immediate = (): TreeParts => {
    const parts = deferring()();
    const [, worker, helper] = parts.agents;
    if (worker === undefined || helper === undefined) throw new TypeError('There is no worker.');
    const entries = [lasting('worker', { immediate: true }), lasting('helper', { immediate: true })];
    const lead = ({ messages }: { messages: Parameters<typeof envelopesIn>[0] }) => ({
      text: `Told ${envelopesIn(messages).length} times.`,
    });
    return {
      ...parts,
      agents: [leadOf(entries, [worker, helper]), worker, helper],
      scripts: { ...parts.scripts, lead },
    };
  };
  const waitingIn = (tree: Tree): JsonObject[] => {
    const { outcome } = tree;
    if (outcome?.status !== 'failed') throw new Error('The run has not failed.');
    expect(outcome.error.code).toBe('subagent_env_required');
    const { requests } = object(outcome.error.details);
    return Array.isArray(requests) ? requests.map((one) => object(one)) : [];
  };

  it('[VR8] that begins with a prompt fails the run with a request for each, before any step; and begins once it is given', () =>
    withTree(immediate, {}, async (tree) => {
      await tree.start();
      await calm(tree);
      const requests = waitingIn(tree);
      expect(requests).toMatchObject([
        { agent: 'worker', missing: ['DEEP', 'KEY'], endpoint: `${tree.address}/variables/${requests[0]?.request_id}` },
        { agent: 'helper', missing: ['DEEP'] },
      ]);
      expect([children(tree), tree.port.asked]).toEqual([[], []]);
      await give(tree, String(requests[1]?.request_id), { DEEP: ENV.DEEP });
      await calm(tree);
      expect(children(tree)).toHaveLength(1);
      // Its end wakes the root, which goes on.
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Told 1 times.' });
      await give(tree, String(requests[0]?.request_id));
      await calm(tree);
      expect(envelopesIn(tree.transcript())).toHaveLength(2);
      expect(tree.state().session.activated).toHaveLength(1);
      expect(tree.time.problems).toEqual([]);
    }));

  it('[VR8] fails it once, wherever a crash comes', async () => {
    const run = (crashAt: readonly number[]) =>
      withTree(immediate, { crashAt: new Set(crashAt) }, async (tree) => {
        await tree.start();
        await calm(tree);
        return { agents: waitingIn(tree).map(({ agent }) => agent), commits: tree.commits.length };
      });
    const { agents, commits } = await run([]);
    expect(agents).toEqual(['worker', 'helper']);
    for (const commit of sample(commits, MOST, 1)) expect((await run([commit])).agents, `at ${commit}`).toEqual(agents);
  });

  /** What a lead with a file that goes along has, and the worker that got it. */
  const files = (tree: Tree) => [tree.address, ...children(tree)].map((at) => stored(tree, at));
  const given = (calls = [create('Sweep.', ['plan.md'])]) =>
    deferring({}, calls, [{ name: 'workspace_write_file', input: { path: 'plan.md', content: 'the plan' } }]);

  it('[SAW9, SA42, SA70] has the files that it was asked for with, as they were then', () =>
    asked(async (tree, requestId) => {
      const [before] = files(tree);
      expect(before).toEqual({
        files: { 'plan.md': 'the plan' },
        kept: [expect.stringMatching(/^\/out\/later\/\d{16}\/.*\/attachments\/plan-\w+\.md\/$/)],
      });
      await tree.soon(tree.world.object(tree.address).ports.files.write('plan.md', 'another'));
      await give(tree, requestId);
      await calm(tree);
      const [lead, worker] = files(tree);
      expect(lead).toEqual({ files: { 'plan.md': 'another' }, kept: [] });
      expect(worker).toEqual({ files: { 'attachments/plan.md': 'the plan' }, kept: [] });
      expect(tree.time.problems).toEqual([]);
    }, given()));

  it('[SAW11] keeps no file for what is forgotten once another one waits, or nobody can begin any more', () =>
    asked(async (tree, requestId) => {
      const { expires_at } = await see(tree, requestId);
      await tree.time.pass(expires_at - tree.time.now + 1);
      await tree.start('Again.');
      await calm(tree);
      const [{ kept } = { kept: [] }] = files(tree);
      expect(kept).toHaveLength(1);
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await tree.rest();
      expect(files(tree)[0]?.kept).toEqual([]);
    }, given()));

  it('[SA71, SA31] is not asked for with a file that is not there', () =>
    withTree(given([create('Sweep.', ['no.md'])]), {}, async (tree) => {
      await tree.start();
      await calm(tree);
      expect(toolResults(tree).at(-1)).toMatchObject({ success: false, error: { code: 'invalid_arguments' } });
      expect(files(tree)).toEqual([{ files: { 'plan.md': 'the plan' }, kept: [] }]);
    }));

  it('[SAW11] is forgotten after a day', () =>
    asked(async (tree, requestId) => {
      const { expires_at } = await see(tree, requestId);
      await tree.time.pass(expires_at - tree.time.now - 1);
      expect(await see(tree, requestId)).toMatchObject({ request_id: requestId });
      await tree.time.pass(1);
      await expect(give(tree, requestId)).rejects.toMatchObject({ code: 'not_found' });
      expect(expires_at - (tree.state().step?.startedAt ?? 0)).toBeGreaterThanOrEqual(86_400_000);
    }));

  it('[SA31] is refused without a request past 64 of them', () =>
    asked(
      async (tree) => {
        const results = toolResults(tree).map((one) => (one.success ? {} : object(object(one.error.details).request)));
        expect(results.filter(({ request_id }) => request_id !== undefined)).toHaveLength(64);
        expect(results.at(-1)).toEqual({ agent: 'worker', required: ['DEEP', 'KEY'], missing: ['DEEP', 'KEY'] });
      },
      deferring(
        {},
        Array.from({ length: 65 }, () => create('Sweep.')),
      ),
    ));

  it('[SA34, VR6] ends in the same after a crash at any commit, and its values are in no store, request or chunk', async () => {
    const run = (crashAt: ReadonlySet<number>) =>
      asked(
        async (tree, requestId) => {
          await give(tree, requestId).catch(() => undefined);
          // Whoever had no answer asks again.
          await see(tree, requestId).then(
            () => give(tree, requestId),
            () => undefined,
          );
          await calm(tree);
          const stores = new Map(
            tree.world.addresses().flatMap((at) => {
              const storage = tree.world.storage(at);
              return storage ? [[at, storage] as const] : [];
            }),
          );
          const all = [dump(stores), tree.port.asked, tree.log, tree.time.problems];
          expect(JSON.stringify(all)).not.toContain(CANARY);
          const at = children(tree);
          return {
            values: at.map((address) => looked(tree, address)),
            envelopes: envelopesIn(tree.transcript()).length,
            commits: tree.commits.length,
          };
        },
        deferring(),
        { crashAt },
      );
    const { commits, ...expected } = await run(new Set());
    expect(expected).toEqual({ values: [[[true, false]], [[false, true]]], envelopes: 1 });
    for (const commit of sample(commits, MOST, 1))
      expect(await run(new Set([commit])), `a crash at ${commit}`).toMatchObject(expected);
  });
});

describe('a cap, where sub-agents wait for variables', () => {
  const CAPPED = { resumable: { receives_messages: 'side_a', maxInstances: 3 } } as const;
  const fifty = Array.from({ length: 50 }, (_, at) => create(`Part ${at}.`));
  const requestsOf = (tree: Tree): string[] =>
    toolResults(tree).flatMap((one) => {
      if (one.success || one.error.code !== 'subagent_env_required') return [];
      return [String(object(object(one.error.details).request).request_id)];
    });
  const workers = (tree: Tree): string[] => children(tree).filter((at) => !at.includes('/sub/helper/'));

  it('[SAW15, SA30, SA31, SAT5] of 50 calls of one reply three wait, and the others are told of those', () =>
    asked(
      async (tree) => {
        const waiting = requestsOf(tree);
        expect(waiting).toHaveLength(3);
        const refused = toolResults(tree).flatMap((one) => (one.success ? [] : [one.error]));
        const full = refused.filter(({ code }) => code === 'max_children');
        expect(full).toHaveLength(47);
        for (const { message } of full) for (const id of waiting) expect(message).toContain(id);
        expect(full[0]?.message).toMatch(/^At most 3 .* 3 wait for variables: /);
      },
      deferring(CAPPED, fifty),
    ));

  it('[SAW15, SAW10, SAT5] they begin once each, with 20 who give at once, and each place is free once its request is', () =>
    asked(
      async (tree) => {
        const [first = '', second = '', third = ''] = requestsOf(tree);
        const all = await Promise.allSettled(
          [first, second].flatMap((id) => Array.from({ length: 10 }, () => give(tree, id))),
        );
        expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
        await calm(tree);
        expect(workers(tree)).toHaveLength(2);
        // Two are there and one waits: a fourth is told of all of them.
        await tree.start('Again.');
        await calm(tree);
        expect(requestsOf(tree)).toHaveLength(3);
        const { expires_at } = await see(tree, third);
        await tree.time.pass(expires_at - tree.time.now + 1);
        await tree.start('Once more.');
        await calm(tree);
        expect(requestsOf(tree)).toHaveLength(4);
      },
      persistent(CAPPED, fifty),
    ));

  it('[SAW15, SAT5] three of 50 begin, wherever a crash comes', async () => {
    const run = (crashAt: ReadonlySet<number>) =>
      asked(
        async (tree) => {
          for (const id of requestsOf(tree)) {
            await give(tree, id).catch(() => undefined);
            await give(tree, id).catch(() => undefined);
          }
          await calm(tree);
          return { workers: workers(tree).length, commits: tree.commits.length };
        },
        deferring(CAPPED, fifty),
        { crashAt },
      );
    const { commits, workers: begun } = await run(new Set());
    expect(begun).toBe(3);
    for (const commit of sample(commits, MOST, 1))
      expect((await run(new Set([commit]))).workers, `a crash at ${commit}`).toBe(3);
  });
});

describe('one that begins with a prompt to which a session is handed again and again', () => {
  /** Two that hand the session to each other: the second begins a worker, which lacks variables. */
  const round = (): TreeParts => {
    const worker = dualOf('worker', { tools: [looking('KEY')] });
    const one = (name: string, tools: NonNullable<PromptOptions['tools']>, agents: () => AgentDefinition[]) =>
      defineAgent({
        name,
        exposeAsTool: true,
        toolDescription: name,
        prompt: promptOf(`${name}_prompt`, { tools, agents }),
        limits: PATIENT,
      });
    const back: AgentDefinition = one('back', [lasting('worker', { immediate: true }), 'front'], () => [worker, front]);
    const front: AgentDefinition = one('front', ['back'], () => [back]);
    const speaks =
      (to: string) =>
      ({ messages }: Pick<ModelRequest, 'messages'>): Answer => {
        const last = messages.at(-1);
        return last?.role === 'user' && last.content === 'Go' ? { calls: [{ name: to }] } : { text: 'Here.' };
      };
    return {
      agents: [front, worker],
      scripts: { front: speaks('back'), back: speaks('front'), worker: () => ({ text: 'Swept.' }) },
    };
  };

  it('[SAT6, SA26, SAH3] is asked for once while it waits, and begins once when it is given', () =>
    withTree(round, {}, async (tree) => {
      for (let turn = 1; turn <= 6; turn++) {
        await tree.start();
        await calm(tree);
      }
      const failed = tree.log.flatMap(({ chunk }) => (chunk.type === 'run_failed' ? [chunk.error] : []));
      expect(failed).toMatchObject([{ code: 'subagent_env_required' }]);
      const { requests = [] } = object(failed[0]?.details);
      const [request] = Array.isArray(requests) ? requests : [];
      await give(tree, String(object(request).request_id), { KEY: ENV.KEY });
      await calm(tree);
      for (let turn = 1; turn <= 4; turn++) {
        await tree.start();
        await calm(tree);
      }
      expect(children(tree)).toHaveLength(1);
      expect(envelopesIn(tree.transcript())).toHaveLength(1);
      expect(tree.time.problems).toEqual([]);
    }));
});
