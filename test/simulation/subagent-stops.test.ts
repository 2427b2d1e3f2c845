/** Sub-agents of prompts and ends that come from outside: stops, ends for good, deletions, evictions; and what they cost. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { ModelRequest } from '../../src/core/definition/model-port';
import type { Message } from '../../src/protocol/messages';
import { commandAsGiven } from '../../src/verbs/command';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, referencesIn, registryIn } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { agentOf, hangTool, noteTool, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;

const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;
const said = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));
const create = (agent: string, message = 'Work.') => ({
  name: 'subagent_create',
  input: { agent, message, name: agent },
});
const tell = (referenceId: string, message: string) => ({ name: 'subagent_message', input: { referenceId, message } });
const hang = { name: 'hang', input: {} };
const note = { name: 'note', input: { text: 'x' } };

const below = (tree: Tree): string[] => tree.nodes.map(({ address }) => address).filter((at) => at.includes('/sub/'));

/** Three levels, each of which waits for the one below; the lowest hangs, in its model or in a tool. */
const chained =
  (last: Answer, blocking = true, held = true) =>
  (tree: Tree): TreeParts => {
    const leaf = dualOf('leaf', { tools: [hangTool(tree)] });
    const middle = dualOf('middle', { tools: [lasting('leaf', { blocking: held })], agents: [leaf] });
    return {
      agents: [leadOf([lasting('middle', { blocking, timeoutMs: 600_000 })], [middle]), middle, leaf],
      scripts: {
        lead: ({ messages }) => (reply({ messages }) === 1 ? { calls: [create('middle')] } : { text: 'Freed.' }),
        middle: ({ messages }) => (reply({ messages }) === 1 ? { calls: [create('leaf')] } : { text: 'Waited.' }),
        leaf: () => last,
      },
    };
  };

describe('an end for good', () => {
  it.each([
    ['in its model', { hang: true, text: 'Half of it' }],
    ['in a tool', { calls: [hang] }],
  ] as const)('[SA63, SAW24, SAQ13] ends all below at once, where the lowest hangs %s', async (_, last) => {
    await withTree(chained(last), {}, async (tree) => {
      await tree.start();
      await tree.time.pass(5_000);
      expect(below(tree).length).toBe(2);
      const before = { at: tree.time.now, asked: tree.port.asked.length };
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await tree.rest();
      expect(tree.nodes.map(({ status }) => status)).toEqual(['terminated', 'terminated', 'terminated']);
      expect([tree.port.asked.length, tree.port.working]).toEqual([before.asked, 0]);
      for (const address of tree.addresses) {
        const replied = tree
          .store(address)
          .steps({})
          .filter(({ phase }) => phase === 'model');
        expect(tree.transcript(address).at(-1)?.role === 'assistant' && replied.length > 0, address).toBe(false);
      }
      // The grace of bodies, and what the levels need to hear of each other.
      expect(tree.time.now - before.at).toBeLessThan(15_000);
    });
  });

  it('[SA62, SA63, SAQ13] is one for all below, wherever a crash comes', async () => {
    const ended = (crashAt: ReadonlySet<number>) =>
      withTree(chained({ calls: [hang] }), { crashAt }, async (tree) => {
        await tree.start();
        await tree.time.pass(5_000);
        const from = tree.commits.length;
        for (let tries = 0; tries < 3 && tree.state().session.terminated === undefined; tries++)
          await tree.soon(tree.stopAt(tree.address, 'terminate')).catch(() => undefined);
        await tree.rest();
        return { statuses: tree.nodes.map(({ status }) => status), from, kinds: tree.kinds };
      });
    const calm = await ended(new Set());
    expect(calm.statuses).toEqual(['terminated', 'terminated', 'terminated']);
    for (let commit = calm.from + 1; commit <= calm.kinds.length; commit++)
      expect((await ended(new Set([commit]))).statuses, `a crash after commit ${commit}`).toEqual(calm.statuses);
  });
});

describe('a parent that waits for a sub-agent', () => {
  it('[SAW25] is free within a second of its stop, and so is what it waited for; it goes on with the same one', async () => {
    let freed = false;
    const make = (tree: Tree): TreeParts => {
      const { agents, scripts } = chained({ hang: true })(tree);
      return { agents, scripts: { ...scripts, leaf: () => (freed ? { text: 'Free.' } : { hang: true }) } };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.time.pass(60_000);
      const at = tree.time.now;
      expect(tree.stop('interrupt')).toBe(true);
      await tree.time.until(() => tree.ended);
      expect(tree.time.now - at).toBeLessThan(1_000);
      expect([tree.outcome.status, tree.port.working]).toEqual(['interrupted', 0]);
      freed = true;
      await tree.resume();
      await tree.finish();
      await tree.rest();
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Freed.' });
      expect(below(tree).length).toBe(2);
    });
  });
});

describe('a message to one that a person has stopped', () => {
  it('[SAW19] says that it was stopped, and lets it go on with the message', async () => {
    let stopped: string | undefined;
    const make = (tree: Tree): TreeParts => {
      const worker = dualOf('worker', { tools: [hangTool(tree)] });
      const look = defineTool({
        name: 'look',
        description: 'Waits until somebody has stopped the worker.',
        inputSchema: z.object({}),
        replay: 'safe',
        execute: () => new Promise((resolve) => tree.time.environment.timer(20_000, () => resolve(null))),
      });
      return {
        agents: [leadOf([look, lasting('worker', { blocking: false })], [worker]), worker],
        scripts: {
          lead: ({ messages }) => {
            const number = reply({ messages });
            if (number === 1) return { calls: [create('worker')] };
            if (number === 2) return { calls: [{ name: 'look' }] };
            const [reference = ''] = referencesIn(messages);
            if (number > 3) return { text: `Heard ${envelopesIn(messages).length}.` };
            stopped = registryIn(messages);
            return { calls: [tell(reference, 'Go on.')] };
          },
          worker: ({ messages }) => (said(messages).includes('Go on.') ? { text: 'Went on.' } : { hang: true }),
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.time.pass(5_000);
      const [child = ''] = below(tree);
      await tree.soon(tree.stopAt(child, 'interrupt'));
      await tree.finish();
      await tree.rest();
      expect(stopped).toMatch(/\(worker, worker\): idle$/);
      expect(toolResults(tree).at(2)).toEqual({
        success: true,
        value: { reference: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'running', resumed: true },
      });
      expect(envelopesIn(tree.transcript())).toEqual([expect.stringMatching(/\n\nWent on\.$/)]);
    });
  });
});

describe('messages to one that comes to its end', () => {
  /** The lead tells its worker something after so many steps of its own. */
  const late =
    (after: number) =>
    (tree: Tree): TreeParts => {
      const worker = dualOf('worker', { tools: [noteTool(tree)] });
      return {
        agents: [leadOf([noteTool(tree), lasting('worker', { blocking: false })], [worker]), worker],
        scripts: {
          lead: ({ messages }) => {
            const number = reply({ messages });
            if (number === 1) return { calls: [create('worker', 'one')] };
            const [reference = ''] = referencesIn(messages);
            if (number === after) return { calls: [tell(reference, 'two')] };
            return number < after + 3 ? { calls: [note] } : { text: 'Done.' };
          },
          worker: ({ step, messages }) =>
            step === 1 ? { calls: [note] } : { text: `did ${said(messages).join(' + ')}` },
        },
      };
    };
  const ran = (after: number, options: TreeOptions = {}) =>
    withTree(late(after), options, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      const [child = ''] = below(tree);
      const runs = tree.store(child).runs({ limit: 10 }).length;
      return {
        envelopes: envelopesIn(tree.transcript()),
        runs,
        registry: tree.nodes.at(-1)?.status,
        kinds: tree.kinds,
      };
    });

  it('[SAW21, SAW20] are one session or two, each with one envelope, and it is at rest in the end', async () => {
    const seen = new Set<number>();
    for (let after = 2; after < 12; after++) {
      const { envelopes, runs, registry } = await ran(after);
      expect(envelopes.at(-1), `after ${after} steps`).toMatch(/\n\ndid one \+ two$/);
      expect(envelopes.length, `after ${after} steps`).toBe(runs);
      expect(registry, `after ${after} steps`).toBe('completed');
      seen.add(runs);
    }
    expect([...seen].sort()).toEqual([1, 2]);
  });

  it('[SAW21, SAW20] and the same wherever a crash comes', async () => {
    for (const after of [4, 6]) {
      const calm = await ran(after);
      for (const commit of moments(calm.kinds, MOST, 2)) {
        const { envelopes, runs } = await ran(after, { crashAt: new Set([commit]) });
        expect(envelopes.at(-1), `a crash after commit ${commit}`).toMatch(/\n\ndid one \+ two$/);
        expect(envelopes.length, `a crash after commit ${commit}`).toBe(runs);
      }
    }
  });
});

describe('one that ends at once', () => {
  it('[SAW20] is at rest for its parent from then on, however many do', async () => {
    const make = (): TreeParts => {
      const worker = dualOf('worker');
      return {
        agents: [leadOf([lasting('worker', { blocking: false })], [worker]), worker],
        scripts: {
          lead: ({ messages }) =>
            reply({ messages }) === 1
              ? { calls: Array.from({ length: 100 }, () => create('worker')) }
              : { text: 'Done.' },
          worker: () => ({ text: 'Ran.' }),
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      const children = tree.store().lastingChildren({ after: 0, limit: 200 });
      expect(children.length).toBe(100);
      expect(new Set(children.map(({ state }) => state.is))).toEqual(new Set(['ended']));
      expect(envelopesIn(tree.transcript()).length).toBe(100);
    });
  });
});

describe('a sub-agent that is deleted while it works', () => {
  it('[SAW29] is stopped first: nothing is there a minute later, and its parent was told once', async () => {
    await withTree(chained({ hang: true }, false), {}, async (tree) => {
      await tree.start();
      await tree.time.pass(5_000);
      const addresses = below(tree);
      expect([addresses.length, tree.port.working]).toEqual([2, 1]);
      await tree.soon(tree.remove(addresses[0] ?? ''));
      await tree.time.pass(60_000);
      await tree.rest();
      expect([tree.port.working, below(tree)]).toEqual([0, []]);
      for (const address of addresses) expect(tree.world.storage(address), address).toBeUndefined();
      expect(envelopesIn(tree.transcript())).toEqual([expect.stringMatching(/has reported a failure:\n\n/)]);
    });
  });
});

describe('what leaves memory', () => {
  it('[SAW31] during a tool of the first session of a sub-agent goes on by itself, with nobody there', async () => {
    for (const lose of ['all', 'one'] as const) {
      const make = (tree: Tree): TreeParts => {
        const worker = dualOf('worker', { tools: [hangTool(tree), noteTool(tree)] });
        return {
          agents: [leadOf([lasting('worker', { blocking: false })], [worker]), worker],
          scripts: {
            lead: ({ messages }) =>
              reply({ messages }) === 1
                ? { calls: [create('worker')] }
                : { text: `Heard ${envelopesIn(messages).length}.` },
            worker: ({ step }) => (step === 1 ? { calls: [note] } : { text: 'Ran.' }),
          },
        };
      };
      let lost = false;
      const onCommit = (tree: Tree) => {
        if (lost || tree.bodies.size === 0) return;
        lost = true;
        if (lose === 'all') tree.crash();
        else tree.world.evict(below(tree)[0] ?? '');
      };
      await withTree(make, { onCommit }, async (tree) => {
        await tree.start();
        await tree.finish();
        await tree.rest();
        expect([lost, envelopesIn(tree.transcript())], lose).toEqual([true, [expect.stringMatching(/\n\nRan\.$/)]]);
        expect(tree.time.problems, lose).toEqual([]);
      });
    }
  });

  it('[SA60] with a message that nobody has read goes on with it, with nobody there', async () => {
    const make = (): TreeParts => ({
      agents: [agentOf('solo')],
      scripts: { solo: ({ messages }) => ({ text: `did ${said(messages).join(' + ')}` }) },
    });
    const queued = async (lose: boolean) => {
      let arm = false;
      const onCommit = (tree: Tree) => {
        if (!arm || !lose) return;
        arm = false;
        tree.crash();
      };
      return withTree(make, { onCommit }, async (tree) => {
        await tree.run('one');
        arm = true;
        try {
          expect(tree.send('two').ok).toBe(true);
        } catch (error) {
          expect(String(error)).toContain('lost from memory');
        }
        await tree.rest();
        return { outcome: tree.outcome, crashes: tree.crashes };
      });
    };
    expect(await queued(false)).toMatchObject({ outcome: { output: 'did one + two' }, crashes: 0 });
    expect(await queued(true)).toMatchObject({ outcome: { output: 'did one + two' }, crashes: 1 });
  });
});

describe('a session that was ended for good', () => {
  it('[SAQ13, SAW24] leaves nobody below it who takes a message, at rest or not, and says so', async () => {
    await withTree(chained({ text: 'Done.' }), {}, async (tree) => {
      await tree.run();
      const tellAll = () =>
        Promise.all(
          below(tree).map((at) =>
            tree
              .soon(
                commandAsGiven(tree.world.object(tree.address), at, 'send', { content: 'More.' }, { caller: 'ada' }),
              )
              .then(
                () => 'taken',
                (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
              ),
          ),
        );
      const asked = tree.port.asked.length;
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await tree.rest();
      expect(await tellAll()).toEqual(['terminated', 'terminated']);
      await tree.rest();
      expect(tree.port.asked.length).toBe(asked);
    });
  });

  it('[SAQ13, SAW24] stops those at work whose own parents are at rest, at every level, wherever a crash comes', async () => {
    const ended = (crashAt: ReadonlySet<number>) =>
      withTree(chained({ hang: true }, true, false), { crashAt }, async (tree) => {
        await tree.start();
        await tree.time.pass(20_000);
        const working = below(tree).map((at) => tree.nodes.find(({ address }) => address === at)?.status);
        const from = tree.commits.length;
        for (let tries = 0; tries < 3 && tree.state().session.terminated === undefined; tries++)
          await tree.soon(tree.stopAt(tree.address, 'terminate')).catch(() => undefined);
        const at = tree.time.now;
        await tree.rest();
        const [, , leaf] = tree.nodes;
        return {
          working,
          leaf: leaf?.status,
          port: tree.port.working,
          took: tree.time.now - at,
          from,
          kinds: tree.kinds,
        };
      });
    const calm = await ended(new Set());
    expect(calm.working).toEqual(['completed', 'running']);
    expect(calm).toMatchObject({ leaf: 'terminated', port: 0 });
    for (let commit = calm.from + 1; commit <= calm.kinds.length; commit++)
      expect(await ended(new Set([commit])), `a crash after commit ${commit}`).toMatchObject({
        leaf: 'terminated',
        port: 0,
      });
  });

  it('[SA64, SA66] takes no start, message, retry or resume, and everything in it stays readable', async () => {
    await withTree(chained({ text: 'Done.' }), {}, async (tree) => {
      await tree.run();
      const all = async () =>
        Promise.all(
          tree.addresses.map((at) => tree.soon(commandAsGiven(tree.world.object(tree.address), at, 'messages', {}))),
        );
      const before = await all();
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await tree.rest();
      const ask = (verb: 'start' | 'send' | 'retry' | 'resume', input: object) =>
        tree.soon(commandAsGiven(tree.world.object(tree.address), tree.address, verb, input, { caller: 'ada' })).then(
          () => 'taken',
          (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
        );

      const answers = await Promise.all([
        ask('start', { message: 'More.' }),
        ask('send', { content: 'More.' }),
        ask('retry', {}),
        ask('resume', {}),
      ]);
      expect(answers).toEqual(['terminated', 'terminated', 'terminated', 'terminated']);
      expect((await all()).map(({ items }) => items)).toEqual(before.map(({ items }) => items));
      expect(before.map(({ items }) => items.length > 1)).toEqual([true, true, true]);
    });
  });
});
