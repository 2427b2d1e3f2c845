/** Children that live elsewhere: another root of the same world, behind a network that a test decides. */
import { describe, expect, it } from 'vitest';
import { createRemoteSubAgentTool } from '../../../src/capabilities/remote/define';
import { defineTool } from '../../../src/core/definition/define-tool';
import { DEFAULT_LIMITS } from '../../../src/core/definition/limits';
import type { RemoteAgentTransport } from '../../../src/core/definition/remote-transport';
import { RemoteError } from '../../../src/core/definition/remote-transport';
import { asChild } from '../../../src/core/tree/node';
import { removeTree } from '../../../src/engine/root/removal';
import { failureOf } from '../../../src/protocol/errors';
import { reduceAll } from '../../../src/protocol/view/reduce';
import { findAgent } from '../../../src/protocol/view/view';
import { command } from '../../../src/verbs/command';
import { Tree, type TreeParts } from '../../support/harness';
import { present } from '../../support/present';
import { sample } from '../../support/sizes';
import { agentOf, answer, noteTool, question, toolResults } from '../../support/trees';
import { type Between, elsewhere } from './support/elsewhere';
import { examined, farParts, hanging, ran, remotes, statusThere } from './support/far';

interface Env {
  readonly transport: RemoteAgentTransport;
}

describe('a child elsewhere', () => {
  it('[RM1, RM3, RM4, RM6, RM38, RM42] works there, and is a child like any other here', async () => {
    const tree = await ran();
    examined(tree);
    const view = reduceAll(tree.log);
    const child = present(findAgent(view, present(tree.nodes[1]).sessionId));
    expect(child).toMatchObject({ address: `${tree.address}/sub/far/1~1`, status: 'completed' });
    expect(tree.nodes[1]).toMatchObject({ status: 'completed', placement: 'remote', usage: { modelCalls: 4 } });
    tree.close();
  });

  it('[RM2, RM3, RM5, RM39, RM40] F84, F85, F92: is the same run with the same log after a crash at any one commit', async () => {
    const calm = await ran();
    const { length } = calm.commits;
    calm.close();
    expect(length).toBeGreaterThan(25);
    for (let commit = 1; commit <= length; commit++) {
      const tree = await ran({ crashAt: new Set([commit]) });
      expect(tree.crashes).toBe(1);
      examined(tree, `commit ${commit}`);
      tree.close();
    }
  });

  it('[RM3, RM40] takes each chunk once from streams that are cut after any number of events, and from repeated events', async () => {
    for (let after = 0; after < 30; after++) {
      const tree = await ran({}, { cutsAfter: (stream) => (stream % 3 === 0 ? undefined : after) });
      examined(tree, `cut after ${after}`);
      tree.close();
    }
    const twice = await ran({}, { event: (event) => [event, event] });
    examined(twice, 'each twice');
    twice.close();
  });

  it('[RM2, RM39] is one run whichever answer to a call is lost', async () => {
    for (let lost = 1; lost <= 3; lost++) {
      for (const before of [true, false]) {
        let calls = 0;
        const tree = await ran(
          {},
          {
            async call(_request, perform) {
              const isLost = ++calls === lost;
              if (isLost && before) throw new RemoteError('remote_unreachable', 'The request was lost.');
              const said = await perform();
              if (isLost) throw new RemoteError('remote_unreachable', 'The answer was lost.');
              return said;
            },
          },
        );
        examined(tree, `call ${lost}, ${before ? 'request' : 'answer'}`);
        tree.close();
      }
    }
  });
});

/** The names of the levels; each but the first is behind a network of the one before it. */
const LEVELS = ['top', 'middle', 'far'] as const;

/** A root, one elsewhere, and one elsewhere from there, which asks a person and a client. */
function hops(tree: Tree): TreeParts {
  const remote = (name: string) =>
    createRemoteSubAgentTool(name, {
      description: 'Works elsewhere.',
      inputSchema: question,
      remoteAgentType: name,
      transport: (env: Env) => env.transport,
    });
  const careful = noteTool(tree, { name: 'careful', requireApproval: true });
  const client = defineTool({ name: 'client', description: 'Asks.', inputSchema: question, execute: 'client' });
  const [top, middle, far] = LEVELS.map((name, at) => {
    const next = LEVELS[at + 1];
    return agentOf(name, { inputSchema: question, tools: next ? [remote(next)] : [careful, client] });
  });
  return {
    agents: [present(top), present(middle), present(far)],
    scripts: {
      top: [{ calls: [{ name: 'subagent__middle', input: { q: 'a' } }] }, { text: 'Done.' }],
      middle: [{ calls: [{ name: 'subagent__far', input: { q: 'b' } }] }, { text: 'Passed on.' }],
      far: [
        {
          calls: [
            { name: 'careful', input: { text: 'c' } },
            { name: 'client', input: { q: 'd' } },
          ],
        },
        { text: 'Answered.' },
      ],
    },
    env: { transport: elsewhere(tree) },
  };
}

/** Answers what waits, as a person would who tries again; gives what was refused. */
async function answerAll(tree: Tree): Promise<string[]> {
  const refused: string[] = [];
  for (const { toolCallId, item } of tree.pending) {
    const input =
      item.kind === 'approval'
        ? ({ kind: 'approval-response', toolCallId, approved: true } as const)
        : ({ kind: 'client-tool-result', toolCallId, result: 'seen' } as const);
    const root = tree.world.object(tree.address);
    const asked = command(root, tree.address, 'submit', input, { caller: 'person', idempotencyKey: toolCallId });
    const crashes = tree.crashes;
    let said = false;
    asked
      .catch((error: unknown) => refused.push(failureOf(error).code))
      .finally(() => {
        said = true;
      });
    // An answer that is lost with the process does not come.
    await tree.time.until(() => said || tree.crashes > crashes);
    // What was accepted there is told here with the log.
    const isAsked = () => tree.pending.some((one) => one.toolCallId === toolCallId);
    await tree.time.until(() => tree.crashes > crashes || !isAsked());
  }
  return refused;
}

describe('a person who is asked elsewhere', () => {
  it('[RM7, RM43] L1, F91: is asked and answers at the root here, over two hops, exactly once', async () => {
    const tree = new Tree(hops);
    await tree.start();
    await tree.time.until(() => tree.pending.length === 2);
    const deep = `${tree.address}/sub/middle/1~1/sub/far/1~1`;
    const document = await tree.soon(command(tree.world.object(tree.address), tree.address, 'pending', {}));
    expect(document.items.map(({ address, agentType, kind }) => ({ address, agentType, kind }))).toEqual([
      { address: deep, agentType: 'far', kind: 'approval' },
      { address: deep, agentType: 'far', kind: 'client-tool' },
    ]);
    await tree.time.until(() => tree.nodes[1]?.status === 'suspended_awaiting_children');
    await tree.time.until(() => tree.nodes[0]?.status === 'suspended_awaiting_children');
    const waiting = tree.pending;
    const answered = tree.time.now;
    expect(await answerAll(tree)).toEqual([]);
    const [first] = waiting;
    const again = { kind: 'approval-response', toolCallId: present(first).toolCallId, approved: false } as const;
    await tree.time.until(() => tree.ended);
    // No hop waits for its next look at who waits for a person, which is every 15 s.
    expect(tree.time.now - answered).toBeLessThan(1_000);
    await tree.finish();
    const late = command(tree.world.object(tree.address), tree.address, 'submit', again);
    await expect(tree.soon(late)).rejects.toThrow();
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect([...tree.bodies.values()]).toEqual([1]);
    expect(tree.pending).toEqual([]);
    expect(tree.time.problems).toEqual([]);
    tree.close();
  });

  it('[RM26, A36, RM87] is told what was decided where it was answered already, over two hops', async () => {
    const tree = new Tree(hops);
    await tree.start();
    await tree.time.until(() => tree.pending.length === 2);
    const { toolCallId } = present(tree.pending.find(({ item }) => item.kind === 'approval'));
    const input = { kind: 'approval-response', toolCallId, approved: true } as const;
    const root = tree.world.object(tree.address);
    const asked = (at: string, caller: string) => tree.soon(command(root, at, 'submit', input, { caller }));
    expect(await asked(tree.address, 'ann')).toMatchObject({ status: 'accepted' });
    for (const at of [tree.address, `${tree.address}/sub/middle/1~1`])
      await expect(asked(at, 'eve'), at).rejects.toMatchObject({
        failure: {
          code: 'already_answered',
          details: { decision: { kind: 'approval-response', approved: true, actor: 'ann' } },
        },
      });
    await answerAll(tree);
    await tree.time.until(() => tree.ended);
    await tree.finish();
    tree.close();
  });

  it('[RM7, RM2, RM43] is answered once whatever commit everything is lost after', async () => {
    const answered = async (crashAt: ReadonlySet<number>) => {
      const tree = new Tree(hops, { crashAt });
      await tree.start();
      while (!tree.ended) {
        await tree.time.until(() => tree.ended || tree.pending.length > 0);
        await answerAll(tree);
      }
      await tree.finish();
      const what = `commit ${[...crashAt].join()}`;
      expect(tree.outcome, what).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(tree.pending, what).toEqual([]);
      const log = tree.log.map(({ chunk }) => `${chunk.type} ${'toolCallId' in chunk ? chunk.toolCallId : ''}`);
      for (const type of ['tool_answered', 'tool_approval_request', 'client_tool_request']) {
        const told = log.filter((line) => line.startsWith(type));
        expect(new Set(told).size, what).toBe(told.length);
      }
      const { length } = tree.commits;
      tree.close();
      return { length, results: toolResults(tree) };
    };
    const calm = await answered(new Set());
    for (const commit of sample(calm.length, 25, 1)) {
      const found = await answered(new Set([commit]));
      expect(found.results, `commit ${commit}`).toEqual(calm.results);
    }
  });
});

/** A tree whose child elsewhere asks a person. */
function asking(tree: Tree, between: Between): TreeParts {
  const made = farParts(tree, between);
  const careful = noteTool(tree, { name: 'careful', requireApproval: true });
  const [top, , leaf] = made.agents;
  const far = agentOf('far', { inputSchema: question, outputSchema: answer, tools: [careful] });
  const asks = [{ calls: [{ name: 'careful', input: { text: 'c' } }] }, { finish: { answer: 'far' } }];
  return { ...made, agents: [top, far, present(leaf)], scripts: { ...made.scripts, far: asks } };
}

describe('an answer to who is asked elsewhere, while nobody is reached there', () => {
  it('[RM7, RM13] is refused with what to do, is not kept, and counts once when it is sent again', async () => {
    let isAway = false;
    const tree: Tree = new Tree((it) => asking(it, { isAway: () => isAway }));
    await tree.start();
    await tree.time.until(() => tree.pending.length === 1);
    const { toolCallId, address } = present(tree.pending[0]);
    const input = { kind: 'approval-response', toolCallId, approved: true } as const;
    const key = { caller: 'ann', idempotencyKey: 'one' };
    const asked = (at: string) => tree.soon(command(tree.world.object(tree.address), at, 'submit', input, key));
    isAway = true;
    for (const at of [tree.address, address])
      await expect(asked(at)).rejects.toMatchObject({
        failure: {
          code: 'unavailable',
          message: expect.stringMatching(
            /^The remote agent \/agents\/far\/\S+ could not be reached: Nobody is there\. Your request was not stored: send it again in a moment\.$/,
          ),
        },
      });
    expect(tree.pending).toHaveLength(1);
    isAway = false;
    expect(await asked(tree.address)).toMatchObject({ status: 'accepted' });
    await tree.finish();
    expect(toolResults(tree)).toEqual([{ success: true, value: { answer: 'far' } }]);
    expect([...tree.bodies.values()]).toEqual([1]);
    tree.close();
  });
});

/** How often the stop of the child was tried that is owed. */
const owedAt = (tree: Tree): number | undefined => asChild(present(tree.nodes[1])).stopOwed?.attempts;

describe('a stop of a child elsewhere', () => {
  it.each([
    { verb: 'interrupt', there: 'interrupted' },
    { verb: 'abort', there: 'failed' },
    { verb: 'terminate', there: 'terminated' },
  ] as const)('[RM8, RM46] is sent again until it is acknowledged, over crashes: $verb', async ({ verb, there }) => {
    let tries = 0;
    const far = { hangs: true };
    const between: Between = {
      async call(request, perform) {
        if (request.verb === verb && ++tries <= 4) throw new RemoteError('remote_unreachable', 'It was lost.');
        return perform();
      },
    };
    const tree = new Tree((it) => hanging(it, between, far));
    await tree.start();
    await tree.time.until(
      () => remotes(tree).length > 0 && tree.port.working > 0 && tree.nodes[1]?.status === 'running',
    );
    tree.stopSurely(verb);
    await tree.time.until(() => tries === 2);
    await tree.time.until(() => owedAt(tree) === 2);
    const shown = await tree.soon(command(tree.world.object(tree.address), tree.address, 'children', {}));
    const { runId } = present(shown.items[0]?.stopOwed);
    expect(shown.items[0]).toMatchObject({ stopOwed: { verb, attempts: 2 }, status: 'running' });
    expect(runId).toMatch(/^r_/);
    tree.crash();
    tree.world.object(tree.address);
    await tree.finish();
    expect(tries).toBe(5);
    expect(statusThere(tree)).toBe(there);
    expect(tree.outcome.status).toBe(there);
    expect(tree.nodes[1]).not.toHaveProperty('stopOwed');
    far.hangs = false;
    if (verb === 'interrupt') {
      expect(await tree.resume()).toBe(true);
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(toolResults(tree)).toEqual([{ success: true, value: { answer: 'far' } }]);
    }
    expect(tree.time.problems).toEqual([]);
    tree.close();
  });

  it('[RM8, RM13, RM45] is sent on behalf of whoever asked for the run, as its start is', async () => {
    const callers: [string, string | undefined][] = [];
    const between: Between = {
      call(request, perform) {
        callers.push([request.verb, request.caller?.subject]);
        return perform();
      },
    };
    const tree = new Tree((it) => hanging(it, between));
    await tree.start('Go', 'alice');
    await tree.time.until(() => remotes(tree).length > 0 && tree.port.working > 0);
    tree.stopSurely('abort');
    await tree.finish();
    expect(callers.filter(([verb]) => verb === 'start' || verb === 'abort')).toEqual([
      ['start', 'alice'],
      ['abort', 'alice'],
    ]);
    tree.close();
  });

  it('[RM8, RM45] F56: is owed beyond the patience of its parent, and survives what else ends here', async () => {
    let isCut = false;
    const between: Between = {
      async call(request, perform) {
        if (isCut) throw new RemoteError('remote_unreachable', `${request.verb} was lost.`);
        return perform();
      },
      cutsAfter: () => (isCut ? 0 : undefined),
    };
    const tree = new Tree((it) => hanging(it, between));
    await tree.start();
    await tree.time.until(() => remotes(tree).length > 0 && tree.port.working > 0);
    isCut = true;
    tree.stopSurely('abort');
    await tree.time.until(() => tree.ended);
    expect(statusThere(tree)).toBe('active');
    tree.crash();
    isCut = false;
    await tree.time.drain();
    expect(statusThere(tree)).toBe('failed');
    tree.close();
  });
});

describe('a root elsewhere whose child leaves', () => {
  const isThere = (tree: Tree): boolean => {
    const [there] = remotes(tree);
    return there !== undefined && tree.world.object(there).tree?.self()?.top.removing === undefined;
  };
  /** Loses the calls of some verbs while it is told to, and counts them. */
  const losing = (lost: { verbs: readonly string[] }) => {
    const tries: string[] = [];
    const between: Between = {
      async call(request, perform) {
        tries.push(request.verb);
        if (lost.verbs.includes(request.verb)) throw new RemoteError('remote_unreachable', 'It was lost.');
        return perform();
      },
    };
    return { between, count: (verb: string) => tries.filter((one) => one === verb).length };
  };

  it('[RM18, RM60] is removed before its tree is gone, as often as it is lost and whatever is lost here', async () => {
    const lost = { verbs: ['remove'] };
    const { between, count } = losing(lost);
    const tree = await ran({}, between);
    const root = () => tree.world.object(tree.address);
    await tree.soon(removeTree(root()));
    expect(count('remove')).toBe(1);
    expect(root().tree?.self()?.top.removing).toBeDefined();
    await tree.time.until(() => count('remove') === 3);
    tree.crash();
    root();
    await tree.time.until(() => count('remove') === 5);
    expect(isThere(tree)).toBe(true);
    lost.verbs = [];
    await tree.time.until(() => !isThere(tree) && tree.store().remotes().length === 0);
    expect(count('remove')).toBe(6);
    expect(tree.time.problems).toEqual([]);
    tree.close();
  });

  it('[RM18, RM59] is stopped first where it works, and both are owed', async () => {
    const lost = { verbs: ['terminate', 'abort', 'remove'] };
    const { between, count } = losing(lost);
    const tree = new Tree((it) => hanging(it, between));
    await tree.start();
    await tree.time.until(() => remotes(tree).length > 0 && tree.port.working > 0);
    const removed = removeTree(tree.world.object(tree.address));
    await tree.time.until(() => count('terminate') + count('abort') > 2);
    lost.verbs = ['remove'];
    await tree.time.until(() => count('remove') > 1);
    expect(statusThere(tree)).not.toBe('active');
    lost.verbs = [];
    await tree.time.until(() => !isThere(tree));
    await tree.time.drain();
    await removed;
    expect(tree.addresses).toEqual([]);
    tree.close();
  });

  it('[RM18, RM59, RM61] is asked for a day, and not again where the way has no right', async () => {
    const forbidden = new Tree((it) =>
      farParts(it, {
        call: (request, perform) =>
          request.verb === 'remove'
            ? Promise.resolve({ ok: false, code: 'forbidden', title: 'No.', status: 403 })
            : perform(),
      }),
    );
    await forbidden.run();
    await forbidden.soon(removeTree(forbidden.world.object(forbidden.address)));
    expect(forbidden.store().remotes()).toEqual([]);
    expect(isThere(forbidden)).toBe(true);
    forbidden.close();
    const { between, count } = losing({ verbs: ['remove'] });
    const tree = await ran({}, between);
    const began = tree.time.environment.now();
    await tree.soon(removeTree(tree.world.object(tree.address)));
    await tree.time.until(() => tree.store().remotes().length === 0, 5_000);
    const took = tree.time.environment.now() - began;
    expect(took).toBeGreaterThanOrEqual(86_400_000);
    expect(took).toBeLessThan(86_400_000 + 600_000);
    expect(count('remove')).toBeGreaterThan(280);
    tree.close();
  });

  it('[RM18, RM59] is removed where its child leaves a tree that stays, also after a crash in which nobody has work', async () => {
    const lost = { verbs: ['remove'] };
    const { between, count } = losing(lost);
    const tree = await ran({}, between);
    await tree.soon(tree.remove(`${tree.address}/sub/far/1~1`));
    await tree.time.until(() => count('remove') > 1);
    tree.crash();
    const tries = count('remove');
    // Nothing but the alarm of the root brings it back.
    await tree.time.until(() => count('remove') > tries);
    lost.verbs = [];
    await tree.time.until(() => !isThere(tree));
    await tree.time.drain();
    expect(tree.store().remotes()).toEqual([]);
    expect(tree.nodes.every((node) => node.effectAt === undefined && node.owesElsewhere === undefined)).toBe(true);
    expect(tree.time.pending).toBe(0);
    tree.close();
  });
});

describe('a stream that stays open and gives nothing', () => {
  it('[RM21, RM70] is left where more is known there, and taken up again', async () => {
    for (const many of [1, 3]) {
      const tree = await ran({}, { beats: (stream) => stream <= many });
      examined(tree, `${many} streams`);
      const [from, to] = ['subagent_start', 'subagent_end'].map(
        (type) =>
          present(tree.log.find(({ chunk }) => chunk.type === type && chunk.address === tree.address)).chunk.timestamp,
      );
      expect(present(to) - present(from)).toBeGreaterThanOrEqual(many * 60_000);
      expect(present(to) - present(from)).toBeLessThan(many * 70_000);
      tree.close();
    }
  });

  it('[RM21] stays open where that is all there is', async () => {
    let [isQuiet, streams] = [false, 0];
    const between: Between = {
      beats: (stream) => {
        streams = stream;
        return isQuiet;
      },
    };
    const tree: Tree = new Tree((it) => hanging(it, between));
    await tree.start();
    await tree.time.until(() => remotes(tree).length > 0 && tree.port.working > 0);
    await tree.time.pass(100);
    isQuiet = true;
    // Until the model there is asked once more.
    await tree.time.pass(DEFAULT_LIMITS.modelFirstChunkMs - 5_000);
    expect(streams).toBe(1);
    isQuiet = false;
    tree.stopSurely('abort');
    await tree.finish();
    tree.close();
  });

  it('[RM21, RM9] is no silence: the patience with a side begins when it was there last', async () => {
    let [isQuiet, isAway] = [false, false];
    const tree: Tree = new Tree((it) => asking(it, { beats: () => isQuiet, isAway: () => isAway }));
    await tree.start();
    await tree.time.until(() => tree.pending.length === 1);
    await tree.time.pass(100);
    isQuiet = true;
    await tree.time.pass(1_200_000);
    isAway = true;
    await tree.time.pass(120_000);
    [isQuiet, isAway] = [false, false];
    expect(await answerAll(tree)).toEqual([]);
    await tree.finish();
    expect(toolResults(tree)).toEqual([{ success: true, value: { answer: 'far' } }]);
    tree.close();
  });

  it('[RM21, DG6, RM72] ends with its time where it hangs there all the same, and is stopped there', async () => {
    const tree = new Tree((it) => hanging(it, { beats: () => true }));
    await tree.start();
    await tree.time.until(() => tree.ended, 100_000);
    expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'child_timeout' } }]);
    const [start, end] = ['subagent_start', 'subagent_end'].map(
      (type) => present(tree.log.find(({ chunk }) => chunk.type === type)).chunk.timestamp,
    );
    expect(present(end) - present(start)).toBeLessThan(DEFAULT_LIMITS.childTimeoutMs + 70_000);
    await tree.rest();
    expect(statusThere(tree)).toBe('failed');
    tree.close();
  });

  it('[RM21, RM71] is lost where it has ended there and the rest of its log does not come for 5 minutes', async () => {
    const tree = await ran({}, { beats: () => true });
    expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'subagent_lost' } }]);
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    const [start, end] = ['subagent_start', 'subagent_end'].map(
      (type) =>
        present(tree.log.find(({ chunk }) => chunk.type === type && chunk.address === tree.address)).chunk.timestamp,
    );
    expect(present(end) - present(start)).toBeGreaterThanOrEqual(300_000);
    expect(present(end) - present(start)).toBeLessThan(400_000);
    tree.close();
  });
});
