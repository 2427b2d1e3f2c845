/** Companions that live elsewhere: roots of the same world, behind a network that a test decides. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { remoteRun } from '../../../src/capabilities/remote/perform/rows';
import { createSubAgentTool } from '../../../src/core/definition/children/relationship';
import { defineTool } from '../../../src/core/definition/define-tool';
import { RemoteError } from '../../../src/core/definition/remote-transport';
import type { CallResult } from '../../../src/protocol/messages';
import { command } from '../../../src/verbs/command';
import { Tree, type TreeOptions, type TreeParts, withTree } from '../../support/harness';
import { present } from '../../support/present';
import { sample } from '../../support/sizes';
import { agentOf, answer, noteTool, question, toolResults } from '../../support/trees';
import { companion, critics, JUDGE, kind, questions, type Script, spawn, tell } from './support/critic-elsewhere';
import { type Between, elsewhere } from './support/elsewhere';

const MOST = 30;
/** What a person is told whose message or answer came to nothing. */
const NOT_KEPT =
  /^The remote agent \/agents\/critic\/\S+ could not be reached: Nobody is there\. Your request was not stored: send it again with the same Idempotency-Key in a moment\.$/;

const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error.code);

/** Takes a moment. */
const napTool = (tree: Tree) =>
  defineTool({
    name: 'nap',
    description: 'Naps.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async () => {
      await new Promise<void>((resolve) => tree.time.environment.timer(2_000, resolve));
      return 'rested';
    },
  });

/** A writer whose critic is elsewhere, and tells what it has seen. */
function parts(tree: Tree, writer: Script, between: Between = {}, critic?: Script): TreeParts {
  return {
    agents: [
      agentOf('writer', { persistentAgents: [{ agent: kind }], tools: [noteTool(tree)] }),
      agentOf('critic', { tools: [noteTool(tree), napTool(tree)], outputSchema: answer }),
    ],
    scripts: {
      writer,
      critic:
        critic ??
        (({ step, messages }) =>
          step === 1
            ? { calls: [{ name: 'note', input: { text: 'read' } }] }
            : { finish: { answer: `seen ${questions(messages).join(' and ')}` } }),
    },
    env: { transport: elsewhere(tree, between) },
  };
}

const ROUNDS: Script = [
  { calls: [spawn('Draft 1')] },
  { calls: [tell('Draft 2', { wait: true })] },
  { text: 'Published.' },
];

async function ran(writer: Script, options: TreeOptions = {}, between: Between = {}, critic?: Script): Promise<Tree> {
  const tree = new Tree((it) => parts(it, writer, between, critic), options);
  await tree.run();
  await tree.rest();
  return tree;
}

const results = (tree: Tree): unknown[] => toolResults(tree).map(resultOf);

const CONSULTED = [
  { name: 'judge', task: 1, status: 'completed', output: { answer: 'seen Draft 1' } },
  { delivered: true, name: 'judge', task: 2, status: 'completed', result: { answer: 'seen Draft 1 and Draft 2' } },
];

/** Every task of the companion is in the log once, in its order. */
function examined(tree: Tree, what = ''): void {
  expect(results(tree), what).toEqual(CONSULTED);
  expect(critics(tree), what).toHaveLength(1);
  expect(tree.log.map(({ sequence }) => sequence)).toEqual(tree.log.map((_, index) => index + 1));
  const own = tree.log.flatMap(({ chunk: { address, type } }) =>
    address === JUDGE && /^(run_started|run_completed|message_delivered)/.test(type) ? [type] : [],
  );
  const round = ['run_started', 'message_delivered', 'run_completed'];
  expect(own, what).toEqual([...round, ...round]);
  expect(tree.outcome, what).toMatchObject({ status: 'completed', output: 'Published.' });
  expect(tree.time.problems, what).toEqual([]);
}

describe('a companion elsewhere', () => {
  it('[RM10] has one task after the other in one session there, and remembers', async () => {
    const tree = await ran(ROUNDS);
    examined(tree);
    expect(tree.nodes[1]).toMatchObject({
      address: JUDGE,
      placement: 'remote',
      lifetime: 'named',
      status: 'completed',
    });
    tree.close();
  });

  it('[RM10] works the same whatever commit everything is lost after', async () => {
    const calm = await ran(ROUNDS);
    const { length } = calm.commits;
    calm.close();
    expect(length).toBeGreaterThan(30);
    for (const commit of sample(length, MOST, 1)) {
      const tree = await ran(ROUNDS, { crashAt: new Set([commit]) });
      expect(tree.crashes).toBe(1);
      examined(tree, `commit ${commit}`);
      tree.close();
    }
  });
});

/** Naps until it has been told so many things, then tells what it has seen. */
const napsUntil =
  (many: number): Script =>
  ({ messages }) => {
    const seen = questions(messages);
    return seen.length < many ? { calls: [{ name: 'nap', input: {} }] } : { finish: { answer: seen.join(' and ') } };
  };

describe('what a companion elsewhere is told', () => {
  const talk: Script = [
    { calls: [spawn('one', { mode: 'non-blocking' })] },
    { calls: [tell('two'), tell('three')] },
    { calls: [companion('waitForResult', { names: ['judge'] })] },
    { text: 'Published.' },
  ];

  it('[RM11] is read there while it works, once and in order, over crashes and lost answers', async () => {
    const calm = await ran(talk, {}, {}, napsUntil(3));
    const told = results(calm);
    expect(told.at(-1)).toMatchObject({ children: [{ result: { answer: 'one and two and three' } }] });
    const { length } = calm.commits;
    calm.close();
    for (const commit of sample(length, MOST, 1)) {
      const tree = await ran(talk, { crashAt: new Set([commit]) }, {}, napsUntil(3));
      expect(results(tree).at(-1), `commit ${commit}`).toEqual(told.at(-1));
      expect(tree.time.problems, `commit ${commit}`).toEqual([]);
      tree.close();
    }
    for (const isBefore of [true, false]) {
      let sends = 0;
      const between: Between = {
        async call({ verb }, perform) {
          const lost = verb === 'send' && ++sends <= 2;
          if (lost && isBefore) throw new RemoteError('remote_unreachable', 'The request was lost.');
          const said = await perform();
          if (lost) throw new RemoteError('remote_unreachable', 'The answer was lost.');
          return said;
        },
      };
      const tree = await ran(talk, {}, between, napsUntil(3));
      expect(results(tree).at(-1)).toEqual(told.at(-1));
      tree.close();
    }
  });

  it('[RM11, RM52] is its next task where it came too late, and begins no turn that nobody here knows of', async () => {
    const late: Script = [
      { calls: [spawn('one', { mode: 'non-blocking' })] },
      { calls: [tell('two')] },
      { calls: [companion('waitForResult', { names: ['judge'] })] },
      { text: 'Published.' },
    ];
    // The message comes when the first task has ended there and this side has not heard of it.
    const between: Between = {
      async call({ verb }, perform) {
        if (verb === 'send') await new Promise<void>((resolve) => tree.time.environment.timer(3_000, resolve));
        return perform();
      },
    };
    const tree: Tree = new Tree((it) => parts(it, late, between));
    await tree.run();
    await tree.rest();
    expect(results(tree).at(-1)).toMatchObject({ children: [{ task: 2, result: { answer: 'seen one and two' } }] });
    const [there] = critics(tree);
    expect(tree.state(present(there)).run).toMatchObject({ turn: 2, phase: 'ended' });
    tree.close();
  });

  it('[RM11] does not take the acknowledgement of the end of one task for that of the next, however late it comes', async () => {
    const WRITER = '/agents/lead/one/sub/writer/1~1';
    let ends = 0;
    let acknowledge: (() => void) | undefined;
    // The root takes the first end, and tells the parent; its answer to the proxy is held.
    const network: TreeOptions['network'] = async (_address, call, perform) => {
      const isEnd = call.kind === 'root' && call.request.deliver.some(({ type }) => type === 'child_settled');
      const answer = await perform();
      if (isEnd && ++ends === 1)
        await new Promise<void>((resolve) => {
          acknowledge = resolve;
        });
      return answer;
    };
    const below = (tree: Tree): TreeParts => {
      const { agents, scripts, env } = parts(tree, ROUNDS);
      const [writer] = agents;
      return {
        agents: [agentOf('lead', { tools: [createSubAgentTool(present(writer), question)] }), ...agents],
        scripts: {
          lead: [{ calls: [{ name: 'subagent__writer', input: { q: 'a' } }] }, { text: 'Done.' }],
          ...scripts,
        },
        env,
      };
    };
    await withTree(below, { network }, async (tree) => {
      await tree.start();
      const task = () => {
        const [sessionId] = tree.store(WRITER).remotes();
        const run = sessionId === undefined ? undefined : remoteRun(tree.store(WRITER), sessionId);
        return run?.is === 'placed' ? run.task.task : undefined;
      };
      await tree.time.until(() => acknowledge !== undefined && task() === 2);
      present(acknowledge)();
      await tree.finish();
      expect(toolResults(tree, WRITER).map(resultOf)).toEqual(CONSULTED);
      expect(ends).toBe(3);
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(tree.time.problems).toEqual([]);
    });
  });

  it('[RM11, RM53] holds no files', async () => {
    const tree = await ran([
      { calls: [spawn('one')] },
      { calls: [tell('two', { files: ['a.txt'] })] },
      { text: 'Published.' },
    ]);
    expect(results(tree).slice(1)).toEqual(['invalid_arguments']);
    tree.close();
  });
});

describe('a companion elsewhere that is stopped', () => {
  it('[RM12] pauses and goes on with what it is told, or ends with what it has', async () => {
    const paused = await ran(
      [
        { calls: [spawn('one', { mode: 'non-blocking' })] },
        { calls: [companion('stopChild', { name: 'judge', how: 'pause' })] },
        { calls: [companion('getChildStatus', { name: 'judge' })] },
        { calls: [tell('two', { wait: true })] },
        { text: 'Published.' },
      ],
      {},
      {},
      napsUntil(2),
    );
    expect(results(paused).slice(1)).toMatchObject([
      { stopped: true },
      { address: JUDGE },
      { status: 'completed', task: 1, result: { answer: 'one and two' } },
    ]);
    expect(critics(paused)).toHaveLength(1);
    paused.close();
    const finished = await ran(
      [
        { calls: [spawn('one', { mode: 'non-blocking' })] },
        { calls: [companion('stopChild', { name: 'judge' })] },
        { calls: [companion('waitForResult', { names: ['judge'] })] },
        { text: 'Published.' },
      ],
      {},
      {},
      napsUntil(2),
    );
    expect(results(finished).at(-1)).toMatchObject({ children: [{ status: 'completed' }] });
    finished.close();
  });

  it('[RM12] begins afresh under its name, in another root there, once it was ended for good', async () => {
    const tree = await ran(
      [
        { calls: [spawn('one', { mode: 'non-blocking' })] },
        { calls: [companion('terminateChild', { name: 'judge' })] },
        { calls: [spawn('two')] },
        { text: 'Published.' },
      ],
      {},
      {},
      ({ messages }) =>
        questions(messages).includes('one')
          ? { calls: [{ name: 'nap', input: {} }] }
          : { finish: { answer: questions(messages).join() } },
    );
    expect(results(tree).slice(1)).toMatchObject([{ terminated: true }, { task: 2, output: { answer: 'two' } }]);
    tree.close();
  });
});

describe('a companion elsewhere, for people', () => {
  const root = (tree: Tree) => tree.world.object(tree.address);
  const send = (tree: Tree, content: string) =>
    tree.soon(command(tree.world.object(tree.address), JUDGE, 'send', { content }, { caller: 'ann' }));

  it('[RM13, RM55] takes a message while it works and when it rests, and is read at its address here', async () => {
    const tree = new Tree((it) =>
      parts(it, [{ calls: [spawn('one')] }, { text: 'Published.' }, { text: 'Read.' }], {}, napsUntil(2)),
    );
    await tree.start();
    await tree.time.until(() => tree.log.some(({ chunk }) => chunk.address === JUDGE && chunk.type === 'tool_start'));
    expect(await send(tree, 'two')).toMatchObject({ delivery: 'queued' });
    await tree.finish();
    expect(results(tree)).toMatchObject([{ output: { answer: 'one and two' } }]);
    const transcript = await tree.soon(command(root(tree), JUDGE, 'messages', {}));
    expect(transcript.items.flatMap((item) => (item.role === 'user' ? [item.content] : []))).toEqual(['one', 'two']);
    expect(transcript.asOfSequence).toBeGreaterThan(0);
    expect(await tree.soon(command(root(tree), JUDGE, 'runs', {}))).toMatchObject({ items: [{ status: 'completed' }] });
    expect(await tree.soon(command(root(tree), JUDGE, 'status', {}))).toMatchObject({
      status: 'completed',
      run: { status: 'completed' },
    });

    expect(await send(tree, 'three')).toMatchObject({ delivery: 'started' });
    await tree.time.until(() => tree.nodes[1]?.status === 'completed' && tree.time.pending === 0);
    const [there] = critics(tree);
    expect(tree.state(present(there)).run).toMatchObject({
      turn: 2,
      outcome: { output: { answer: 'one and two and three' } },
    });
    tree.close();
  });

  it('[RM13] that is not reached is named, with where nobody answered', async () => {
    let isAway = false;
    const away: Between = {
      call: (_request, perform) =>
        isAway
          ? Promise.reject(new RemoteError('remote_unreachable', 'No server answered at https://far.'))
          : perform(),
    };
    const tree = await ran(ROUNDS, {}, away);
    isAway = true;
    const who =
      /^The remote agent \/agents\/critic\/\S+ could not be reached: No server answered at https:\/\/far\. Try again/;
    await expect(tree.soon(command(root(tree), JUDGE, 'logs', {}))).rejects.toMatchObject({
      failure: { code: 'unavailable', message: expect.stringMatching(who) },
    });
    tree.close();
  });

  it('[RM13] that is not reached keeps nothing that a person sends, and says so: sent again, it counts once', async () => {
    let isAway = false;
    const tree: Tree = new Tree((it) =>
      parts(it, [{ calls: [spawn('one')] }, { text: 'Published.' }], { isAway: () => isAway }, napsUntil(2)),
    );
    await tree.start();
    await tree.time.until(() => tree.log.some(({ chunk }) => chunk.address === JUDGE && chunk.type === 'tool_start'));
    const key = { caller: 'ann', idempotencyKey: 'one' };
    const sent = () => tree.soon(command(tree.world.object(tree.address), JUDGE, 'send', { content: 'two' }, key));
    isAway = true;
    for (let tries = 0; tries < 2; tries++)
      await expect(sent()).rejects.toMatchObject({
        failure: { code: 'unavailable', message: expect.stringMatching(NOT_KEPT) },
      });
    isAway = false;
    const taken = await sent();
    expect(taken).toMatchObject({ delivery: 'queued' });
    expect(await sent()).toEqual(taken);
    await tree.finish();
    expect(results(tree)).toMatchObject([{ output: { answer: 'one and two' } }]);
    tree.close();
  });

  it('[RM13, RM56] what lives elsewhere is said to, where it cannot be asked here', async () => {
    const tree = await ran(ROUNDS);
    const below = `${JUDGE}/sub/leaf/1~1`;
    await expect(tree.soon(command(root(tree), JUDGE, 'files', {}))).rejects.toMatchObject({
      failure: { code: 'lives_elsewhere' },
    });
    await expect(tree.soon(command(root(tree), below, 'status', {}))).rejects.toMatchObject({
      failure: { code: 'lives_elsewhere' },
    });
    tree.close();
  });
});

describe('a companion elsewhere that others use, too', () => {
  /** Between two tasks somebody does something there. */
  const meanwhile = async (does: (tree: Tree, there: string) => Promise<void>) => {
    const writer: Script = ({ messages, step }) => {
      if (step === 2) return { text: 'Published.' };
      return { calls: [questions(messages).includes('Again') ? tell('Draft 2', { wait: true }) : spawn('Draft 1')] };
    };
    const tree = new Tree((it) => parts(it, writer));
    await tree.run();
    await does(tree, present(critics(tree)[0]));
    await tree.start('Again');
    await tree.finish();
    return tree;
  };

  it('[RM10, RM50] its tasks are told alone, in the session that others had a turn of', async () => {
    const tree = await meanwhile(async (at, there) => {
      await at.soon(command(at.world.object(there), there, 'start', { message: 'Of somebody else' }));
      await at.time.drain();
    });
    expect(results(tree)[1]).toMatchObject({ result: { answer: 'seen Draft 1 and Of somebody else and Draft 2' } });
    const runs = tree.log.filter(({ chunk }) => chunk.address === JUDGE && chunk.type === 'run_started');
    expect(runs).toHaveLength(2);
    expect(JSON.stringify(tree.log)).not.toContain('"text":"Of somebody else"');
    tree.close();
  });

  it('[RM12, RM54] is lost where it was removed there, and what began in its place is stopped', async () => {
    const tree = await meanwhile(async (at, there) => {
      await at.soon(command(at.world.object(there), there, 'remove', {}));
      await at.time.drain();
    });
    expect(results(tree)[1]).toMatchObject({ status: 'failed', code: 'subagent_lost' });
    tree.close();
  });
});

describe('a companion elsewhere whose first start comes late', () => {
  it.each([true, false])(
    '[RM22] begins under another name, and the late one is stopped and removed: keepMemory %s',
    async (keepMemory) => {
      const late: (() => Promise<unknown>)[] = [];
      const keys = new Set<string | undefined>();
      const between: Between = {
        call(request, perform) {
          if (request.verb === 'start') keys.add(request.idempotencyKey);
          // Those of its next task come through, and all that comes after them.
          if (keys.size > 1) return perform();
          if (request.verb === 'start') late.push(perform);
          throw new RemoteError('remote_timed_out', 'No answer came.');
        },
      };
      const critic: Script = ({ sessionId }) => {
        sessions.add(sessionId);
        return sessions.size > 1 ? { hang: true } : { finish: { answer: 'read' } };
      };
      const sessions = new Set<string>();
      const rounds: Script = [
        { calls: [spawn('Draft 1')] },
        { calls: [spawn('Draft 2', { keepMemory })] },
        { text: 'Published.' },
      ];
      await withTree(
        (it) => parts(it, rounds, between, critic),
        {},
        async (tree) => {
          await tree.start();
          await tree.time.until(() => tree.ended, 5_000);
          expect(results(tree)).toMatchObject([
            { status: 'failed' },
            { status: 'completed', output: { answer: 'read' } },
          ]);
          await tree.soon(present(late[0])());
          await tree.time.until(() => tree.port.working > 0);
          expect(critics(tree)).toHaveLength(2);
          await tree.rest();
          expect(tree.port.working).toBe(0);
          expect(critics(tree)).toHaveLength(1);
          expect(tree.store().remotes()).toHaveLength(1);
        },
      );
    },
  );
});
