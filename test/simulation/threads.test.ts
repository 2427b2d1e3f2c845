/** `context.thread`: what code of a session sees of its children, its parent and its queue, and does with them. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { HooksOption } from '../../src/core/definition/hooks/hooks';
import { defineHook } from '../../src/core/definition/hooks/standard-hooks';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { ThreadState } from '../../src/core/definition/thread-state';
import type { ToolContext } from '../../src/core/definition/tool-context';
import { failureOf } from '../../src/protocol/errors';
import type { Message } from '../../src/protocol/messages';
import { SIDES, type SideName } from '../../src/protocol/sides';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { dualOf, envelopesIn, lasting, leadOf, referencesIn } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { agentOf, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 12;

type Body = (context: ToolContext, input: { readonly reference: string }) => unknown;

/** A tool whose body is given the session; it may run again. */
const codeTool = (name: string, execute: Body) =>
  defineTool({
    name,
    description: 'Works with the session.',
    inputSchema: z.object({ reference: z.string().default('') }),
    replay: 'safe',
    execute: async (input, context) => {
      const result: unknown = await execute(context, input);
      return JSON.parse(JSON.stringify(result ?? null));
    },
  });

/** A tool that takes 5 s. */
const pauseTool = (tree: Tree) =>
  codeTool('pause', () => new Promise((resolve) => void tree.time.environment.timer(5_000, () => resolve('Rested.'))));

const call = (name: string, reference = '') => ({ name, input: { reference } });
const create = (message: string) => ({
  name: 'subagent_create',
  input: { agent: 'worker', message, name: `  ${message} ` },
});
const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;
const said = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** A lead whose code is the tools, and whose replies are those, by their number; workers say what they were told. */
function leads(tools: readonly ReturnType<typeof codeTool>[], replies: (number: number, reference: string) => Answer) {
  return (): TreeParts => {
    const worker = dualOf('worker');
    return {
      agents: [leadOf([...tools, lasting('worker')], [worker]), worker],
      scripts: {
        lead: ({ messages }) => replies(reply({ messages }), referencesIn(messages)[0] ?? ''),
        worker: ({ messages }) => ({ text: `did ${said(messages).join(' + ')}` }),
      },
    };
  };
}

async function ran(make: (tree: Tree) => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    return {
      results: toolResults(tree).map((result) => (result.success ? result.value : result.error)),
      envelopes: envelopesIn(tree.transcript()),
      said: said(tree.transcript()),
      kinds: tree.kinds,
      outcome: tree.outcome,
      problems: tree.time.problems,
    };
  });
}

/** How a promise is refused: its code. */
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'taken',
    (error: unknown) => failureOf(error).code,
  );

describe('children', () => {
  it('[SA51, SAW35, SA47] are the registry on the first line of a body, and as it stands later', async () => {
    const look = codeTool('look', ({ thread }) => thread.children);
    const end = codeTool('end', async ({ thread }, { reference }) => {
      const child = await thread.getChildThread(reference);
      const before = [child?.terminated, thread.children.map(({ status }) => status)];
      await child?.terminate();
      return [before, typeof child?.terminated, thread.children.map(({ status }) => status), child?.entry.status];
    });
    const { results } = await ran(
      leads([look, end], (number, reference) => {
        if (number === 1) return { calls: [call('look')] };
        if (number === 2) return { calls: [create('one')] };
        if (number === 3) return { calls: [call('look')] };
        return number === 4 ? { calls: [call('end', reference)] } : { text: 'Done.' };
      }),
    );
    expect(results[0]).toEqual([]);
    const [entry] = z.array(z.looseObject({ createdAt: z.number() })).parse(results[2]);
    expect(entry).toMatchObject({ name: 'worker', threadName: 'one', resumable: true, blocking: true, status: 'idle' });
    expect(String(entry?.createdAt)).toMatch(/000$/);
    expect(results[3]).toEqual([[null, ['idle']], 'number', ['terminated'], 'terminated']);
  });

  it('[SA53] are found by references of the session alone', async () => {
    const find = codeTool('find', async ({ thread }, { reference }) => {
      const found = await Promise.all([reference, 'garbage', ''].map((one) => thread.getChildThread(one)));
      return found.map((child) => child?.entry.reference ?? null);
    });
    let known = '';
    const { results } = await ran(() => {
      const worker = dualOf('worker', { tools: [codeTool('foreign', ({ thread }) => thread.getChildThread(known))] });
      return {
        agents: [leadOf([find, lasting('worker')], [worker]), worker],
        scripts: {
          lead: ({ messages }) => {
            const number = reply({ messages });
            known = referencesIn(messages)[0] ?? '';
            if (number < 3) return { calls: [create(`${number}`)] };
            return number === 3 ? { calls: [call('find', known)] } : { text: 'Done.' };
          },
          worker: ({ step }) => (step === 1 ? { calls: [call('foreign')] } : { text: 'Looked.' }),
        },
      };
    });
    expect(results.at(-1)).toEqual([known, null, null]);
  });

  it.for([true, false])(
    '[SAT8, SA9, SA52] that lived for a call say that they have ended, and take nothing (blocking: %s)',
    async (blocking) => {
      let reference = '';
      const who = codeTool('who', async ({ thread }) => {
        reference = (await thread.getParentThread())?.entry?.reference ?? '';
      });
      const look = codeTool('look', async ({ thread }) => {
        const child = await thread.getChildThread(reference);
        if (child === null) return null;
        const refused = await refusal(child.queueMessage({ role: 'user', content: 'More.' }));
        await child.terminate();
        const { status, lifecycle } = child.entry;
        const { length } = thread.children;
        return { at: child.terminated, status, lifecycle, refused, length };
      });
      const { results, problems } = await ran((tree) => {
        const worker = dualOf('worker', { tools: [who] });
        const once = { name: 'worker', blocking };
        return {
          agents: [leadOf([look, pauseTool(tree), once], [worker]), worker],
          scripts: {
            lead: ({ messages }) => {
              const number = reply({ messages });
              if (number === 1) return { calls: [{ name: 'worker', input: {} }] };
              if (number === 2) return { calls: [{ name: 'pause' }] };
              return number === 3 ? { calls: [call('look')] } : { text: 'Done.' };
            },
            worker: ({ step }) => (step === 1 ? { calls: [call('who')] } : { text: 'Did it.' }),
          },
        };
      });
      const [told] = results.slice(-1);
      expect(told).toMatchObject({ status: 'terminated', lifecycle: 'terminated', refused: 'terminated', length: 0 });
      expect(z.object({ at: z.number() }).parse(told).at % 1_000).toBe(0);
      expect(problems).toEqual([]);
    },
  );

  it('[SA53, SA55] take messages as by the tool: their end comes as an envelope, once, wherever a crash comes', async () => {
    const tell = codeTool('tell', async ({ thread }, { reference }) => {
      const child = await thread.getChildThread(reference);
      await child?.queueMessage({ role: 'user', content: 'two' });
      await child?.queueMessage({ role: 'user', content: 'three', metadata: { why: 'more' } });
      return child?.entry.status;
    });
    const make = leads([tell], (number, reference) => {
      if (number === 1) return { calls: [create('one')] };
      return number === 2 ? { calls: [call('tell', reference)] } : { text: 'Done.' };
    });
    const calm = await ran(make);
    expect(calm.results).toEqual(['did one', 'running']);
    expect(calm.envelopes.at(-1)).toMatch(/did one \+ two \+ three$/);
    for (const at of moments(calm.kinds, MOST)) {
      const found = await ran(make, { crashAt: new Set([at]) });
      expect(found.envelopes.at(-1)?.split('\n').at(-1), `a crash after commit ${at}`).toBe('did one + two + three');
      expect(found.problems, `a crash after commit ${at}`).toEqual([]);
    }
  });
});

describe('a session below', () => {
  type Reach = (thread: ThreadState, reference: string, below: string) => Promise<unknown>;

  /** A lead whose tool reaches what is below its worker, which has a helper that stays. */
  const nested =
    (reach: Reach, hooks: HooksOption = []) =>
    (): TreeParts => {
      const helper = dualOf('helper');
      let below = '';
      const reachTool = codeTool('reach', ({ thread }, { reference }) => reach(thread, reference, below));
      const worker = dualOf('worker', { tools: [lasting('helper')], agents: [helper] }, { hooks });
      return {
        agents: [leadOf([reachTool, lasting('worker')], [worker]), worker, helper],
        scripts: {
          lead: ({ messages }) => {
            const number = reply({ messages });
            if (number === 1) return { calls: [create('one')] };
            return number === 2 ? { calls: [call('reach', referencesIn(messages)[0] ?? '')] } : { text: 'Done.' };
          },
          worker: ({ messages }) => {
            below = referencesIn(messages)[0] ?? '';
            const input = { agent: 'helper', message: 'first', name: 'below' };
            return below === '' ? { calls: [{ name: 'subagent_create', input }] } : { text: 'Delegated.' };
          },
          helper: ({ messages }) => ({ text: `did ${said(messages).join(' + ')}` }),
        },
      };
    };
  const heard = (tree: Tree, agentType: string): string[] => {
    const { address = '' } = tree.nodes.find((node) => node.agentType === agentType) ?? {};
    return said(tree.transcript(address));
  };
  async function reached(reach: Reach, options: TreeOptions = {}, hooks: HooksOption = []) {
    return withTree(nested(reach, hooks), options, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      const [, result] = toolResults(tree).map((one) => (one.success ? one.value : one.error));
      const { kinds, time } = tree;
      const ends = [heard(tree, 'worker'), heard(tree, 'helper'), tree.nodes.map(({ status }) => status)];
      return { result, ends, kinds, problems: time.problems };
    });
  }

  it('[SAT9, SA53] is found by its parent alone, is told something once and is ended, wherever a crash comes', async () => {
    const reach: Reach = async (thread, reference, below) => {
      const child = await thread.getChildThread(reference);
      const found = await Promise.all([thread.getChildThread(below), child?.getChildThread('garbage')]);
      const grandchild = await child?.getChildThread(below);
      await grandchild?.queueMessage({ role: 'user', content: 'second' });
      const files = grandchild?.queueMessage(
        Object.assign({ attachments: ['a'] }, { role: 'user', content: 'x' } as const),
      );
      return [found, grandchild?.entry.name, grandchild?.terminated, await refusal(present(files))];
    };
    const calm = await reached(reach);
    expect(calm.result).toEqual([[null, null], 'helper', null, 'invalid_input']);
    expect(calm.ends[1]).toEqual(['first', 'second']);
    expect(calm.problems).toEqual([]);
    for (const at of moments(calm.kinds, MOST))
      expect((await reached(reach, { crashAt: new Set([at]) })).ends[1], `a crash after commit ${at}`).toEqual(
        calm.ends[1],
      );
    const ended = await reached(async (thread, reference, below) => {
      const grandchild = await (await thread.getChildThread(reference))?.getChildThread(below);
      await grandchild?.terminate();
      const again = await (await thread.getChildThread(reference))?.getChildThread(below);
      const refused = await refusal(present(grandchild).queueMessage({ role: 'user', content: 'second' }));
      return [again?.entry.status, typeof again?.terminated, refused];
    });
    expect(ended.result).toEqual(['terminated', 'number', 'terminated']);
  });

  it('[SAT9, SAT4] has a message of it changed, at rest too, as its own hooks make the change', async () => {
    let found = '';
    const hook = defineHook({
      hook: 'before_update_message',
      id: 'mark',
      execute: ({ changes }) => ({ content: `${changes.content} (by the hook)` }),
    });
    const make = (given: HooksOption) =>
      withTree(
        nested(async (thread, reference) => {
          const child = await thread.getChildThread(reference);
          const none = await refusal(present(child).updateMessage('m_none', { content: 'x' }));
          await child?.updateMessage(found, { content: 'changed' });
          return none;
        }, given),
        {
          onCommit: (tree) => {
            const worker = tree.addresses.length > 1 && tree.nodes.find(({ agentType }) => agentType === 'worker');
            if (worker) found = tree.store(worker.address).messages({})[0]?.messageId ?? found;
          },
        },
        async (tree) => {
          await tree.start();
          await tree.finish();
          await tree.rest();
          const [, none] = toolResults(tree).map((one) => (one.success ? one.value : one.error));
          return [none, heard(tree, 'worker')[0]];
        },
      );
    expect(await make([])).toEqual(['not_found', 'changed']);
    expect(await make([hook])).toEqual(['not_found', 'changed (by the hook)']);
  });
});

describe('a parent', () => {
  it('[SA54, SAT1, SAW40, SA55] is told something by its child and shows how it stands; a root has none', async () => {
    const up = codeTool('up', async ({ thread }) => {
      const parent = await thread.getParentThread();
      if (parent === null) return null;
      await parent.queueMessage({ role: 'user', content: 'From below.', metadata: { subagent_id: 'somebody else' } });
      const ids = [parent.threadId, thread.threadId.replace(/[^/]+$/, '…')];
      return [Object.keys(parent).sort(), parent.status, parent.entry?.threadName, ...ids];
    });
    const make = (): TreeParts => {
      const worker = dualOf('worker', { tools: [up] });
      return {
        agents: [leadOf([up, lasting('worker')], [worker]), worker],
        scripts: {
          lead: ({ messages }) => {
            const number = reply({ messages });
            if (number === 1) return { calls: [call('up'), create('one')] };
            return { text: `Heard ${said(messages).slice(1).join(' + ')}` };
          },
          worker: ({ messages, step }) =>
            step === 1 ? { calls: [call('up')] } : { text: JSON.stringify(messages.at(-1)) },
        },
      };
    };
    const calm = await ran(make);
    expect(calm.results[0]).toBe(null);
    expect(calm.results[1]).toContain(
      '["entry","queueMessage","status","threadId"],"suspended_awaiting_children","one","lead/one","lead/one/sub/worker/…"',
    );
    expect(calm.said).toEqual([calm.said[0], 'From below.']);
    expect(calm.outcome).toMatchObject({ output: 'Heard From below.' });
    for (const at of moments(calm.kinds, MOST)) {
      const found = await ran(make, { crashAt: new Set([at]) });
      expect(found.said, `a crash after commit ${at}`).toEqual(calm.said);
    }
  });
});

describe('the metadata of what a child tells its parent', () => {
  it('[SA54, SAQ10] name that child, whatever it gives as them, and keep what else it gives', async () => {
    const given = [
      { subagent_id: 'somebody else' },
      { subagent_id: null, why: 'more' },
      { why: 'less' },
      'text',
      ['a'],
      null,
    ];
    const up = codeTool('up', async ({ thread }) => {
      const parent = present(await thread.getParentThread());
      for (const [at, metadata] of [undefined, ...given].entries())
        await parent.queueMessage({
          role: 'user',
          content: `n ${at}`,
          ...(metadata === undefined ? {} : { metadata }),
        });
    });
    const worker = dualOf('worker', { tools: [up] });
    const make = (): TreeParts => ({
      agents: [leadOf([lasting('worker')], [worker]), worker],
      scripts: {
        lead: ({ messages }) => (reply({ messages }) === 1 ? { calls: [create('one')] } : { text: 'Done.' }),
        worker: ({ step }) => (step === 1 ? { calls: [call('up')] } : { text: 'Said.' }),
      },
    });
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      const [child] = tree.store().lastingChildren({ after: 0, limit: 10 });
      const own = { subagent_id: present(child?.registered).reference };
      const told = tree
        .store()
        .messages({})
        .flatMap(({ content, metadata }) => (String(content).startsWith('n ') ? [metadata] : []));
      expect(told).toEqual([own, own, { ...own, why: 'more' }, { ...own, why: 'less' }, own, own, own]);
    });
  });
});

/** Which side hears what code queues: the one that is named, else by the role; a child hears its parent by its entry. */
const hears = (receives: SideName | undefined, { role, side }: Said): SideName =>
  side ?? (role === 'assistant' ? 'side_b' : (receives ?? 'side_a'));
type Said = { readonly role: 'user' | 'assistant'; readonly side?: SideName };

describe('the side that hears what code queues', () => {
  const all: Said[] = (['user', 'assistant'] as const).flatMap((role) =>
    [undefined, ...SIDES].map((side) => ({ role, ...(side ? { side } : {}) })),
  );

  it.each(SIDES)(
    '[SA59, SA21, SAT9] is the one that it names, else by its role and the entry (%s), at every depth',
    async (side) => {
      const resumable = { receives_messages: side };
      for (const said of all) {
        const told: unknown[] = [];
        const reach = codeTool('reach', async ({ thread }, { reference }) => {
          const child = present(await thread.getChildThread(reference));
          const message = { content: 'Told.', ...said };
          await thread.queueMessage(message);
          await child.queueMessage(message);
          await present(await child.getChildThread(below)).queueMessage(message);
        });
        let below = '';
        const helper = dualOf('helper');
        const worker = dualOf('worker', { tools: [lasting('helper', { resumable })], agents: [helper] });
        const make = (): TreeParts => ({
          agents: [leadOf([reach, lasting('worker', { resumable })], [worker]), worker, helper],
          scripts: {
            lead: ({ messages }) => {
              const number = reply({ messages });
              if (number === 1) return { calls: [create('one')] };
              return number === 2 ? { calls: [call('reach', referencesIn(messages)[0] ?? '')] } : { text: 'Done.' };
            },
            worker: ({ messages }) => {
              below = referencesIn(messages)[0] ?? '';
              const input = { agent: 'helper', message: 'first', name: 'below' };
              return below === '' ? { calls: [{ name: 'subagent_create', input }] } : { text: 'Delegated.' };
            },
            helper: [{ text: 'Helped.' }, { text: 'Helped.' }],
          },
        });
        await withTree(make, {}, async (tree) => {
          await tree.start();
          await tree.finish();
          await tree.rest();
          for (const { agentType, address } of tree.nodes)
            for (const one of tree.store(address).messages({}))
              if (one.content === 'Told.') told.push([agentType, one.to]);
        });
        const expected = [undefined, side, side].map((receives) => hears(receives, said));
        expect(told, JSON.stringify(said)).toEqual(
          ['lead', 'worker', 'helper'].map((name, at) => [name, expected[at]]),
        );
      }
    },
  );
});

describe('the queue of a session', () => {
  it('[DL4] takes as many messages of its own code as may wait for its next step, and no further one', async () => {
    const queue = codeTool('queue', async ({ thread }) => {
      const came: string[] = [];
      for (const content of ['a', 'b', 'c', 'd', 'e'])
        came.push(await refusal(thread.queueMessage({ role: 'user', content })));
      return came;
    });
    const { results, said: heard } = await ran(() => ({
      agents: [agentOf('solo', { limits: { maxInbox: 3 }, tools: [queue] })],
      scripts: { solo: ({ step }) => (step === 1 ? { calls: [call('queue')] } : { text: 'Done.' }) },
    }));
    expect(results).toEqual([['taken', 'taken', 'taken', 'inbox_full', 'inbox_full']]);
    expect(heard.slice(1)).toEqual(['a', 'b', 'c']);
  });

  it('[SA55] has the messages of each call that queues some, and once where its body runs again', async () => {
    const heard = codeTool('tell', async ({ thread, idempotencyKey }, { reference }) => {
      for (const at of [1, 2]) await thread.queueMessage({ role: 'user', content: `${reference} ${at}` });
      return idempotencyKey.length > 0;
    });
    const { results, said: told } = await ran(() => ({
      agents: [agentOf('solo', { tools: [heard] })],
      scripts: {
        solo: ({ step }) =>
          step < 3 ? { calls: [call('tell', `${step} a`), call('tell', `${step} b`)] } : { text: 'Done.' },
      },
    }));
    expect(results).toEqual([true, true, true, true]);
    const all = [1, 2].flatMap((step) => ['a', 'b'].flatMap((who) => [1, 2].map((at) => `${step} ${who} ${at}`)));
    expect(told.slice(1).toSorted()).toEqual(all);
  });

  it('[SA55, SA58] is seen after the result of the tool that wrote to it, in its order; what is no message is refused', async () => {
    const write = codeTool('write', async ({ thread }) => {
      await thread.queueMessage({ role: 'user', content: 'first' });
      await thread.queueMessage({ role: 'user', content: 'second', silent: true });
      const long = 'x'.repeat(262_144);
      return Promise.all([
        refusal(thread.queueMessage({ role: 'user', content: '' })),
        refusal(thread.queueMessage({ role: 'user', content: `${long}x` })),
        refusal(thread.queueMessage({ role: 'user', content: 'x', metadata: 'x'.repeat(16_384) })),
      ]);
    });
    const make = (): TreeParts => ({
      agents: [agentOf('solo', { tools: [write] })],
      scripts: { solo: ({ step }) => (step === 1 ? { calls: [call('write')] } : { text: 'Done.' }) },
    });
    const calm = await ran(make);
    expect(calm.results).toEqual([['invalid_input', 'payload_too_large', 'invalid_input']]);
    expect(calm.said.slice(1)).toEqual(['first', 'second']);
    for (const at of moments(calm.kinds, MOST))
      expect((await ran(make, { crashAt: new Set([at]) })).said, `a crash after commit ${at}`).toEqual(calm.said);
  });

  it('[SA56, SA52, SA62, SA64] ends with the session: once, at one time, and takes nothing afterwards', async () => {
    const seen: unknown[] = [];
    const end = codeTool('end', async ({ thread }) => {
      seen.push(thread.terminated);
      await thread.terminate();
      const { terminated } = thread;
      await thread.terminate();
      seen.push(typeof terminated, thread.terminated === terminated);
      seen.push(await refusal(thread.queueMessage({ role: 'user', content: 'More.' })));
    });
    const { outcome, said: heard } = await ran(() => ({
      agents: [agentOf('solo', { tools: [end] })],
      scripts: { solo: () => ({ calls: [call('end')] }) },
    }));
    expect(seen).toEqual([null, 'number', true, 'terminated']);
    expect(outcome).toMatchObject({ status: 'terminated' });
    expect(heard.length).toBe(1);
  });
});

/** Numbers from 0 to below 1, the same for a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe('messages of several senders', () => {
  it.each([1, 2, 3])(
    '[SA57] are each read once, in the order of each sender, with crashes after acks (seed %d)',
    async (seed) => {
      const next = numbers(seed);
      const make = (): TreeParts => ({
        agents: [agentOf('solo', { limits: { maxInbox: 1_000, maxSteps: 1_000 } })],
        scripts: { solo: ({ step }) => ({ text: `Answer ${step}` }) },
      });
      await withTree(make, {}, async (tree) => {
        await tree.start('Go');
        const left = ['a', 'b', 'c', 'd'].map((who) => Array.from({ length: 25 }, (_, index) => `${who}${index}`));
        const acked: string[] = [];
        while (left.some((queue) => queue.length > 0)) {
          const message = left[Math.floor(next() * left.length)]?.shift();
          if (message === undefined) continue;
          if (tree.send(message).ok) acked.push(message);
          if (next() < 0.2) tree.crash();
          if (next() < 0.1) await tree.rest();
        }
        await tree.finish();
        await tree.rest();
        const read = said(tree.transcript()).slice(1);
        expect(acked.length).toBe(100);
        expect(tree.crashes).toBeGreaterThan(5);
        expect(read).toEqual(acked);
      });
    },
  );
});

describe('how a thread stands', () => {
  const ask = defineTool({ name: 'ask', description: 'Asks.', inputSchema: z.object({}), execute: 'client' });
  const ASKS: Answer = { calls: [{ name: 'ask' }] };

  /** A lead and its worker, which answer so at last; `see` has the thread of each. */
  async function held(
    { lead, worker }: { readonly lead: Answer; readonly worker?: Answer },
    see: (tree: Tree, ofLead: ThreadState, ofWorker: ThreadState) => Promise<void>,
  ) {
    const threads: { [agent: string]: ThreadState } = {};
    const note = codeTool('note', ({ thread, agent }) => {
      threads[agent.type] = thread;
    });
    const hold = codeTool('hold', () => new Promise(() => undefined));
    const make = (): TreeParts => {
      const below = dualOf('worker', { tools: [note, hold, ask] });
      const begin = [{ calls: [call('note'), create('one')] }, lead];
      return {
        agents: [leadOf([note, ask, lasting('worker', { blocking: false })], [below]), below],
        scripts: {
          lead: ({ messages }) => begin[reply({ messages }) - 1] ?? { text: 'Done.' },
          worker: ({ step }) => (step === 1 ? { calls: [call('note')] } : (worker ?? { calls: [call('hold')] })),
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => threads.worker !== undefined);
      await tree.time.pass(1_000);
      await see(tree, present(threads.lead), present(threads.worker));
    });
  }

  it.for([
    ['running', { hang: true }],
    ['suspended_client_tool', ASKS],
    ['completed', { text: 'Done.' }],
    ['failed', { fail: { code: 'model_refused' } }],
  ] as const)('[SA54] its parent is %s, in the word that the record has for it', async ([status, lead]) => {
    await held({ lead }, async (tree, _, ofWorker) => {
      const parent = await settled(tree, ofWorker.getParentThread());
      expect(parent?.status).toBe(status);
      expect(tree.nodes.find(({ kind }) => kind === 'root')?.status).toBe(status);
    });
  });

  it.for([
    ['running', undefined],
    ['awaiting_input', ASKS],
    ['idle', { text: 'Did it.' }],
    ['failed', { fail: { code: 'model_refused' } }],
  ] as const)(
    '[SA47, SAQ7, SA52] a child is %s, wherever its parent is told: its list, its entry, the child itself',
    async ([status, worker]) => {
      await held({ lead: { hang: true }, ...(worker ? { worker } : {}) }, async (tree, ofLead, ofWorker) => {
        const told = async () => {
          const [entry] = ofLead.children;
          const child = await ofLead.getChildThread(entry?.reference ?? '');
          const own = await settled(tree, ofWorker.getParentThread());
          return [entry?.status, child?.entry.status, own?.entry?.status];
        };
        expect(await told()).toEqual([status, status, status]);
        const child = await ofLead.getChildThread(ofLead.children[0]?.reference ?? '');
        await tree.stopAt(tree.nodes.find(({ kind }) => kind === 'child')?.address ?? '', 'interrupt');
        await tree.time.pass(10_000);
        const after = status === 'running' || status === 'awaiting_input' ? 'idle' : status;
        expect(child?.entry.status).toBe(after);
        await tree.stopAt(tree.nodes.find(({ kind }) => kind === 'child')?.address ?? '', 'terminate');
        await tree.time.pass(10_000);
        expect([child?.entry.status, typeof child?.terminated]).toEqual(['terminated', 'number']);
      });
    },
  );

  async function settled<Value>(tree: Tree, promise: Promise<Value>): Promise<Value> {
    await tree.time.pass(100);
    return promise;
  }
});
