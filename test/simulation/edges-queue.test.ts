/** What waits for a place or a turn: sub-agents that are queued to go on or to be started anew, and starts. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { endedAt, isAbandoned } from '../../src/core/tree/node';
import { cells, child, kidOf, kidsOf, leafWaits, results, slowKids, slowTool, waitingCall } from '../support/control';
import { examine, sameWords } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { AGAIN, yes } from '../support/people';
import { agentOf, answer, COMPLETED, hangTool, question } from '../support/trees';

const onePlace = (tree: Tree) => slowKids(tree, 2, { maxConcurrentChildren: 1 });
const atWork = (tree: Tree) => tree.nodes.filter(({ schedule }) => schedule.phase !== 'ended');
const nodeAt = (tree: Tree, address: string) => tree.nodes.find((node) => node.address === address);

/** Two children with one place: the first is interrupted and resumed, and waits behind the second. Gives its address. */
async function queuedToGoOn(tree: Tree): Promise<string> {
  await tree.start();
  await tree.time.pass(2_000);
  const address = kidsOf(tree).find(({ schedule }) => schedule.phase === 'working')?.address ?? '';
  void tree.stopAt(address, 'interrupt');
  await tree.time.pass(3_000);
  void tree.resume(address);
  await tree.time.pass(500);
  expect(nodeAt(tree, address)?.schedule.phase).toBe('queued');
  return address;
}

/** Two children with one place, of which the first fails, and waits for a person. */
function failsAtOnce(tree: Tree): TreeParts {
  const kid = agentOf('kid', { tools: [slowTool(tree, 30_000)], outputSchema: answer });
  const wait = createSubAgentTool(kid, question, { onFailure: 'wait' });
  const top = agentOf('top', { tools: [wait], limits: { maxConcurrentChildren: 1 } });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [child('kid', 'first'), child('kid', 'second')] }, { text: 'Done.' }],
      kid: ({ messages, step }) => {
        const said = JSON.stringify(messages);
        if (said.includes('first') && !said.includes(AGAIN)) return { fail: { code: 'model_refused' } };
        return step === 1 ? { calls: [{ name: 'slow' }] } : { finish: { answer: 'k' } };
      },
    },
  };
}

/** The one that failed is tried again, and waits behind the other. Gives its address. */
async function queuedToTryAgain(tree: Tree): Promise<string> {
  await tree.start();
  await tree.time.pass(2_000);
  const address = kidsOf(tree).find(({ status }) => status === 'failed')?.address ?? '';
  void tree.decide(address, 'retry', AGAIN);
  await tree.time.pass(500);
  expect(nodeAt(tree, address)?.schedule.phase).toBe('queued');
  return address;
}

describe('a sub-agent that is queued to go on', () => {
  it('[SP10, TR3] takes no place and sets no alarm once it is ended for good', () =>
    withTree(onePlace, {}, async (tree) => {
      const address = await queuedToGoOn(tree);
      tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'terminate', reason: 'Enough.' }), address);
      await tree.finish();
      await tree.time.pass(60_000);
      expect(nodeAt(tree, address)?.status).toBe('terminated');
      expect(tree.outcome).toMatchObject(COMPLETED);
      expect([atWork(tree), tree.time.pending]).toEqual([[], 0]);
    }));

  const ways = { 'a resume': [onePlace, queuedToGoOn], 'a retry': [failsAtOnce, queuedToTryAgain] } as const;

  it.each([
    ['abort', 'a resume', 'failed', 'aborted'],
    ['terminate', 'a resume', 'terminated', 'terminated'],
    ['abort', 'a retry', 'failed', 'aborted'],
    ['terminate', 'a retry', 'terminated', 'terminated'],
  ] as const)('[SP10, TR3, A45] is ended by %s after %s, and so is its call', (verb, way, status, code) => {
    const [parts, queue] = ways[way];
    return withTree(parts, {}, async (tree) => {
      const address = await queue(tree);
      const stopped = tree.stopAt(address, verb);
      await tree.finish();
      const runId = `r_${nodeAt(tree, address)?.sessionId.slice(2)}.2`;
      expect(await stopped).toMatchObject({ ok: true, status: 202, body: { runId, status: 'queued' } });
      expect(nodeAt(tree, address)?.status).toBe(status);
      const { run, session } = tree.state(address);
      expect(run).toMatchObject({ phase: 'ended', outcome: { status } });
      expect(session.terminated !== undefined).toBe(verb === 'terminate');
      expect(results(tree)).toEqual([
        expect.stringContaining(`"code":"${code}"`),
        expect.stringContaining('"success":true'),
      ]);
      expect(await tree.stopAt(address, verb)).toMatchObject({ ok: true, status: 200, body: { runId, status } });
      await tree.time.pass(60_000);
      expect(tree.outcome).toMatchObject(COMPLETED);
      expect([atWork(tree), tree.time.pending]).toEqual([[], 0]);
      examine(tree);
    });
  });

  it('[SP9, RS1, RS7] is interrupted with the whole, and goes on with it', () =>
    withTree(onePlace, {}, async (tree) => {
      await queuedToGoOn(tree);
      expect(tree.stop('interrupt')).toBe(true);
      await tree.rest();
      expect(tree.outcome.status).toBe('interrupted');
      expect(atWork(tree)).toEqual([]);
      await tree.resume();
      await tree.finish();
      expect(tree.outcome).toMatchObject(COMPLETED);
      const well = expect.stringContaining('"success":true');
      expect(results(tree)).toEqual([well, well]);
    }));

  it.each<StopVerb>(['abort', 'terminate'])('[SP9, RN4] ends with the whole by %s', (verb) =>
    withTree(onePlace, {}, async (tree) => {
      await queuedToGoOn(tree);
      expect(tree.stop(verb)).toBe(true);
      await tree.finish();
      expect(tree.outcome.status).toBe(verb === 'abort' ? 'failed' : 'terminated');
      expect([atWork(tree), tree.time.pending]).toEqual([[], 0]);
    }),
  );

  it('[A17, TR3] can be deleted; its sibling goes on', () =>
    withTree(onePlace, {}, async (tree) => {
      const address = await queuedToGoOn(tree);
      void tree.remove(address);
      await tree.finish();
      expect(nodeAt(tree, address)).toBeUndefined();
      expect(tree.outcome).toMatchObject(COMPLETED);
      expect(results(tree).map((result) => result.includes('"success":true'))).toEqual([false, true]);
    }));
});

describe('sub-agents that never began', () => {
  const verbs = ['resume', 'start', 'abort', 'terminate'] as const;

  it.each(verbs)('[R17, RS1, EN1] are queued while their parent is interrupted, as the log says; then %s', (then) =>
    withTree(
      (tree) => slowKids(tree, 3, { maxConcurrentChildren: 1 }),
      {},
      async (tree) => {
        const statuses = () => kidsOf(tree).map(({ status }) => status);
        await tree.start();
        await tree.time.pass(2_000);
        expect(tree.stop('interrupt')).toBe(true);
        await tree.rest();
        expect(statuses()).toEqual(['interrupted', 'queued', 'queued']);
        expect(kidsOf(tree).map((kid) => endedAt(kid) !== undefined)).toEqual([true, false, false]);
        expect(atWork(tree)).toEqual([]);
        sameWords(tree);
        if (then === 'resume') await tree.resume();
        else if (then === 'start') await tree.start('Anew');
        else tree.apply((facts) => ({ type: 'stop', ...facts, verb: then, reason: 'Enough.' }));
        await tree.rest();
        const ended = { resume: 'completed', start: 'failed', abort: 'queued', terminate: 'failed' }[then];
        expect(statuses().slice(1, 3)).toEqual([ended, ended]);
        sameWords(tree);
      },
    ),
  );

  it('[R17, SP9] have failed once their parent is aborted', () =>
    withTree(onePlace, {}, async (tree) => {
      await tree.start();
      await tree.time.pass(2_000);
      expect(tree.stop('abort')).toBe(true);
      await tree.finish();
      expect(kidsOf(tree).map((kid) => [kid.status, isAbandoned(kid)])).toEqual([
        ['failed', false],
        ['failed', true],
      ]);
      examine(tree);
    }));
});

describe('a sub-agent that is started anew', () => {
  it.each([
    ['a place in the queue', 2, { maxConcurrentChildren: 1 }],
    ['the last child of its tree', 1, { maxTreeChildren: 1 }],
  ] as const)('[CS6, TR3, DG31] has what its older generation had: %s', (_, count, limits) =>
    withTree(
      (tree) => {
        const ways = Array.from({ length: count }, () => 'slow' as const);
        return cells(tree, { rule: 'respawn', ways, thinksMs: 5_000, limits });
      },
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(20_000);
        void tree.answer(waitingCall(tree), yes(waitingCall(tree)));
        await tree.finish();
        expect(tree.outcome).toMatchObject(COMPLETED);
        // The approval, the tool and the children.
        expect(results(tree)).toEqual(
          Array.from({ length: 2 + count }, () => expect.stringContaining('"success":true')),
        );
      },
    ),
  );
});

describe('starts that wait', () => {
  it('[EN1, EN4] have their turns in the order in which they were accepted', () =>
    withTree(
      (tree) => {
        const top = agentOf('top', { tools: [slowTool(tree, 5_000)], onConcurrentStart: 'queue' });
        return {
          agents: [top],
          scripts: { top: ({ step }) => (step === 1 ? { calls: [{ name: 'slow' }] } : { text: 'Done.' }) },
        };
      },
      {},
      async (tree) => {
        await tree.start('one');
        await tree.time.pass(1_000);
        await tree.start('two');
        expect(tree.stop('interrupt')).toBe(true);
        await tree.rest();
        await tree.start('three');
        await tree.rest();
        const asked = tree.transcript().flatMap((message) => (message.role === 'user' ? [message.content] : []));
        expect(asked).toEqual(['one', 'two', 'three']);
      },
    ));

  it('[EN2] give way to the newest with `interrupt_previous`, whatever is before it', () =>
    withTree(
      (tree) => {
        const tools = [hangTool(tree), slowTool(tree, 3_600_000)];
        return {
          agents: [agentOf('top', { tools, onConcurrentStart: 'interrupt_previous' })],
          scripts: {
            top: ({ step, messages }) => {
              const last = JSON.stringify(messages.filter(({ role }) => role === 'user').at(-1));
              if (step > 1 || last.includes('three')) return { text: 'Done.' };
              return { calls: [{ name: last.includes('one') ? 'hang' : 'slow' }] };
            },
          },
        };
      },
      {},
      async (tree) => {
        await tree.start('one');
        await tree.time.pass(1_000);
        await tree.start('two');
        await tree.start('three');
        const before = tree.time.now;
        await tree.finish();
        expect(tree.outcome).toMatchObject(COMPLETED);
        const users = tree.transcript().flatMap((message) => (message.role === 'user' ? [message.content] : []));
        expect(users.at(-1)).toBe('three');
        expect(tree.time.now - before).toBeLessThan(60_000);
      },
    ));

  it('[EN2, AN2, RS7] take the place of a run that waits three levels down, whose answer then comes too late', () =>
    withTree(
      (tree) => leafWaits(tree, { onConcurrentStart: 'interrupt_previous' }),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const before = waitingCall(tree);
        const { address } = kidOf(tree);
        await tree.start('second');
        await tree.rest();
        expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Second done.' });
        expect(tree.pending).toEqual([]);
        expect(await tree.answer(before, yes(before))).toMatchObject({ ok: false });
        await tree.rest();
        await tree.resume(address);
        await tree.rest();
        expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Second done.' });
        expect(atWork(tree)).toEqual([]);
      },
    ));
});

describe('sub-agents at work', () => {
  it('[SP9, RS1, SU4] are stopped and resumed at once, again and again, and none is left behind', () =>
    withTree(
      (tree) => slowKids(tree, 2),
      {},
      async (tree) => {
        await tree.start();
        const turns = async (count: number): Promise<void> => {
          for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
        };
        for (let round = 0; round < 12; round++) {
          await turns(round);
          tree.stop('interrupt');
          await turns(12 - round);
          await tree.time.until(() => tree.ended);
          await tree.resume();
        }
        await tree.finish();
        expect(tree.outcome).toMatchObject(COMPLETED);
        const well = expect.stringContaining('"success":true');
        expect(results(tree)).toEqual([well, well]);
      },
    ));
});
