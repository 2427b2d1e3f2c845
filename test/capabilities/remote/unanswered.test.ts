/** What the other side took of a companion there, where the answer to it was lost: it counts once. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/core/definition/define-tool';
import { RemoteError } from '../../../src/core/definition/remote-transport';
import { segmentOf } from '../../../src/engine/tree-messages';
import { parseAddress } from '../../../src/protocol/address';
import { isObject, type JsonObject } from '../../../src/protocol/json';
import type { CallResult } from '../../../src/protocol/messages';
import { command } from '../../../src/verbs/command';
import { Tree, type TreeOptions, type TreeParts } from '../../support/harness';
import { sample } from '../../support/sizes';
import { agentOf, answer, toolResults } from '../../support/trees';
import { companion, critics, JUDGE, kind, questions, type Script, spawn, tell } from './support/critic-elsewhere';
import { type Between, elsewhere } from './support/elsewhere';

const MOST = 20;

/** As long as the critic works after a message, in ms: less than the first wait before it is sent again. */
const QUICK_MS = 20;

const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error.code);

/** What the other side was asked, and which of its answers are lost. */
interface Net {
  readonly asked: string[];
  loses?(verb: string, number: number): boolean;
}

/** A critic that works until it has heard so many things, or hangs at one, and then tells all of them. */
interface Critic {
  readonly hears: number;
  readonly hangsAt?: string;
  /** It fails in place of telling. */
  readonly fails?: boolean;
}

function parts(tree: Tree, net: Net, writer: Script, { hears, hangsAt, fails }: Critic): TreeParts {
  const nap = defineTool({
    name: 'nap',
    description: 'Naps.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async () => {
      await new Promise<void>((resolve) => tree.time.environment.timer(QUICK_MS, resolve));
      return 'rested';
    },
  });
  const critic: Script = ({ messages }) => {
    const heard = questions(messages);
    if (hangsAt !== undefined && heard.at(-1) === hangsAt) return { hang: true };
    if (heard.length < hears) return { calls: [{ name: 'nap', input: {} }] };
    return fails ? { fail: { code: 'model_refused' as const } } : { finish: { answer: heard.join(' and ') } };
  };
  const between: Between = {
    async call({ verb }, perform) {
      net.asked.push(verb);
      const number = net.asked.filter((one) => one === verb).length;
      const said = await perform();
      if (net.loses?.(verb, number)) throw new RemoteError('remote_unreachable', 'The answer was lost.');
      return said;
    },
  };
  return {
    agents: [
      agentOf('writer', { persistentAgents: [{ agent: kind }] }),
      agentOf('critic', { tools: [nap], outputSchema: answer }),
    ],
    scripts: { writer, critic },
    env: { transport: elsewhere(tree, between) },
  };
}

async function ran(writer: Script, critic: Critic, net: Partial<Net> = {}, options: TreeOptions = {}): Promise<Tree> {
  const known: Net = { asked: [], ...net };
  const tree = new Tree((it) => parts(it, known, writer, critic), options);
  await tree.run();
  await tree.rest();
  return tree;
}

const results = (tree: Tree): unknown[] => toolResults(tree).map(resultOf);

/** How many tasks began there. */
const tasks = (tree: Tree): number =>
  tree.log.filter(({ chunk }) => chunk.type === 'run_started' && chunk.address.includes('/sub/critic/')).length;

describe('a message whose answer is lost as its run ends', () => {
  const TALK: Script = [
    { calls: [spawn('one', { mode: 'non-blocking' })] },
    { calls: [tell('two')] },
    { calls: [companion('waitForResult', { names: ['judge'] })] },
    { text: 'Published.' },
  ];
  const losesFirst: Partial<Net> = { loses: (verb, number) => verb === 'send' && number === 1 };

  function heardOnce(tree: Tree, what = ''): void {
    expect(results(tree).at(-1), what).toMatchObject({
      children: [{ task: 1, status: 'completed', result: { answer: 'one and two' } }],
    });
    expect(tasks(tree), what).toBe(1);
    expect(tree.time.problems, what).toEqual([]);
    expect(tree.outcome, what).toMatchObject({ status: 'completed', output: 'Published.' });
  }

  it('[RM11, RM90, CO4, CO5] is no further task', async () => {
    const tree = await ran(TALK, { hears: 2 }, losesFirst);
    heardOnce(tree);
    tree.close();
  });

  it('[RM11, RM90, CO5] is not told as unread where its run failed', async () => {
    const tree = await ran(TALK, { hears: 2, fails: true }, losesFirst);
    const children = [{ name: 'judge', task: 1, status: 'failed', error: expect.any(String), code: 'model_refused' }];
    expect(results(tree).at(-1)).toEqual({ children });
    expect(critics(tree).flatMap((there) => questions(tree.transcript(there)))).toEqual(['one', 'two']);
    expect(tasks(tree)).toBe(1);
    tree.close();
  });

  it('[RM11, RM90, CO4, CO5] is no further task, whatever commit everything is lost after', async () => {
    const calm = await ran(TALK, { hears: 2 }, losesFirst);
    const { length } = calm.commits;
    calm.close();
    for (const commit of sample(length, MOST, 1)) {
      const tree = await ran(TALK, { hears: 2 }, losesFirst, { crashAt: new Set([commit]) });
      heardOnce(tree, `commit ${commit}`);
      tree.close();
    }
  });
});

describe('a stop of a companion whose answer was lost', () => {
  const PAUSED: Script = [
    { calls: [spawn('one', { mode: 'non-blocking' })] },
    { calls: [companion('stopChild', { name: 'judge', how: 'pause' })] },
    { calls: [tell('two', { wait: true })] },
    { text: 'Published.' },
  ];

  it('[RM11, RM90, RM12] its first message is not sent again as it continues', async () => {
    const tree = await ran(PAUSED, { hears: 2, hangsAt: 'one' }, { loses: (verb) => verb === 'start' });
    expect(results(tree).at(-1)).toMatchObject({ status: 'completed', task: 1, result: { answer: 'one and two' } });
    tree.close();
  });

  it('[RM11, RM90, RM47] the message that let it continue is not sent again as it continues once more', async () => {
    const tree = await ran(
      [
        { calls: [spawn('one', { mode: 'non-blocking' })] },
        { calls: [companion('stopChild', { name: 'judge', how: 'pause' })] },
        { calls: [tell('two')] },
        { calls: [companion('waitForResult', { names: ['judge'], timeout: 50 })] },
        { calls: [companion('stopChild', { name: 'judge', how: 'pause' })] },
        { calls: [tell('three', { wait: true })] },
        { text: 'Published.' },
      ],
      { hears: 3, hangsAt: 'two' },
      { loses: (verb, number) => verb === 'resume' && number <= 2 },
    );
    expect(results(tree).at(-1)).toMatchObject({ status: 'completed', result: { answer: 'one and two and three' } });
    tree.close();
  });
});

describe('a message of a person whose answer was lost', () => {
  const WRITER: Script = [{ calls: [spawn('one')] }, { text: 'Published.' }, { text: 'Read.' }];
  const losesFirst: NonNullable<Net['loses']> = (verb, number) => verb === 'send' && number === 1;

  const say = (tree: Tree, input: JsonObject, more: { caller?: string; sharesKey?: true } = {}) =>
    tree.soon(
      tree.world.object(tree.address).call({
        ...{ kind: 'verb', path: parseAddress(JUDGE).below.map(segmentOf), verb: 'send', input },
        ...{ caller: 'ann', idempotencyKey: 'k', ...more },
      }),
    );

  const atWork = (tree: Tree): Promise<void> =>
    tree.time.until(() => tree.log.some(({ chunk }) => chunk.address === JUDGE && chunk.type === 'tool_start'));

  /** What the companion has heard, on its side. */
  const heard = (tree: Tree): string[] => critics(tree).flatMap((there) => questions(tree.transcript(there)));

  /** The run of the companion, as it is known here. */
  async function runOf(tree: Tree): Promise<string> {
    const { run } = await tree.soon(command(tree.world.object(tree.address), JUDGE, 'status', {}));
    return run?.runId ?? '';
  }

  /** A companion at work that has taken a message, and whose person knows nothing of that. */
  async function lost(critic: Critic, more: (runId: string) => JsonObject = () => ({})) {
    const tree = new Tree((it) => parts(it, { asked: [], loses: losesFirst }, WRITER, critic));
    await tree.start();
    await atWork(tree);
    const runId = await runOf(tree);
    const input = { content: 'two', ...more(runId) };
    expect(await say(tree, input)).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    return { tree, input, runId };
  }

  /** It is sent again, and again. */
  async function counted(tree: Tree, input: JsonObject = { content: 'two' }, said = ['one', 'two']): Promise<void> {
    const first = await say(tree, input);
    expect(first).toMatchObject({ ok: true, body: { delivery: 'queued' } });
    expect(await say(tree, input)).toEqual(first);
    // Longer than a task takes; a companion at work is asked for ever.
    await tree.time.pass(60_000);
    expect(heard(tree)).toEqual(said);
  }

  it('[RM90, RM13] is no further task of a companion that has completed', async () => {
    const { tree } = await lost({ hears: 2 });
    await tree.finish();
    await counted(tree);
    expect(tasks(tree)).toBe(1);
    tree.close();
  });

  it('[RM90, RM13] is none of one that failed', async () => {
    const { tree } = await lost({ hears: 2, fails: true });
    await tree.finish();
    expect(results(tree)).toMatchObject([{ status: 'failed' }]);
    await counted(tree);
    tree.close();
  });

  it.each(['interrupt', 'abort'] as const)('[RM90, RM13] is none of one that a person stopped (%s)', async (verb) => {
    const { tree } = await lost({ hears: 2, hangsAt: 'two' });
    await tree.soon(tree.stopAt(JUDGE, verb));
    await tree.rest();
    await counted(tree);
    tree.close();
  });

  it.each([
    ['', () => ({})],
    [', also where it names the run that took it', (runId: string) => ({ runId })],
  ] as const)('[RM90, RM13] is none of one that has a further task%s', async (_, more) => {
    const { tree, input } = await lost({ hears: 2, hangsAt: 'three' }, more);
    await tree.finish();
    expect(await say(tree, { content: 'three' }, { caller: 'bob' })).toMatchObject({ ok: true });
    await tree.time.until(() => heard(tree).includes('three'));
    await counted(tree, input, ['one', 'two', 'three']);
    tree.close();
  });

  it('[RM90, A18] is told from another one under its key', async () => {
    const { tree } = await lost({ hears: 2 });
    await tree.finish();
    expect(await say(tree, { content: 'Else' })).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
    await counted(tree);
    expect(await say(tree, { content: 'Else' })).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
    tree.close();
  });

  /** A companion at work that refuses the first message so, and takes others. */
  async function refusing(code: string, status: number) {
    let isFirst = true;
    const tree: Tree = new Tree((it) => {
      const made = parts(it, { asked: [] }, WRITER, { hears: 2 });
      const between: Between = {
        async call({ verb }, perform) {
          if (verb !== 'send' || !isFirst) return perform();
          isFirst = false;
          return { ok: false, code, title: 'No.', status };
        },
      };
      return { ...made, env: { transport: elsewhere(it, between) } };
    });
    await tree.start();
    await atWork(tree);
    const of = await runOf(tree);
    expect(await say(tree, { content: 'two', runId: of })).toMatchObject({ ok: false });
    return { tree, of };
  }

  it.each([
    ['invalid_input', 422],
    ['inbox_full', 429],
    ['run_superseded', 409],
  ])('[RM93, A18] leaves its key free where it was refused (%s)', async (code, status) => {
    const { tree } = await refusing(code, status);
    // A local agent that refuses a message keeps nothing of it either.
    await counted(tree, { content: 'Mended' }, ['one', 'Mended']);
    expect(await say(tree, { content: 'two' })).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
    tree.close();
  });

  it.each([
    ['unauthorized', 401],
    ['gone', 410],
    ['internal', 500],
    ['some_code', 400],
  ])('[RM90] keeps its key where it may have been taken (%s)', async (code, status) => {
    const { tree, of } = await refusing(code, status);
    const other = await say(tree, { content: 'Mended' });
    expect(other).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
    await counted(tree, { content: 'two', runId: of });
    tree.close();
  });

  it('[RM90] keeps the key of a message that was taken while a copy of it was refused', async () => {
    const answers: (() => void)[] = [];
    const tree: Tree = new Tree((it) => {
      const made = parts(it, { asked: [] }, WRITER, { hears: 2, hangsAt: 'two' });
      const between: Between = {
        async call({ verb }, perform) {
          if (verb !== 'send' || answers.length > 0) return perform();
          await new Promise<void>((resolve) => answers.push(resolve));
          return { ok: false, code: 'inbox_full', title: 'No.', status: 429 };
        },
      };
      return { ...made, env: { transport: elsewhere(it, between) } };
    });
    await tree.start();
    await atWork(tree);
    const first = say(tree, { content: 'two' });
    await tree.time.until(() => answers.length > 0);
    const taken = await say(tree, { content: 'two' });
    answers[0]?.();
    expect([await first, taken]).toMatchObject([{ ok: false }, { ok: true }]);
    expect(await say(tree, { content: 'Else' })).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
    expect(await say(tree, { content: 'two' })).toEqual(taken);
    tree.close();
  });

  it('[RM90] has an answer of the usual form, and nothing else of it is kept', async () => {
    const more = { note: 'x'.repeat(1_000) };
    let sends = 0;
    const tree: Tree = new Tree((it) => {
      const made = parts(it, { asked: [] }, WRITER, { hears: 2, hangsAt: 'two' });
      const between: Between = {
        async call({ verb }, perform) {
          const said = await perform();
          if (verb !== 'send' || !said.ok || !isObject(said.body)) return said;
          sends += 1;
          return { ok: true, body: sends === 1 ? more : { ...said.body, ...more } };
        },
      };
      return { ...made, env: { transport: elsewhere(it, between) } };
    });
    await tree.start();
    await atWork(tree);
    // It may have been taken: the same message is asked for again.
    expect(await say(tree, { content: 'two' })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    const messageId = expect.any(String);
    expect(await say(tree, { content: 'two' })).toEqual({ ok: true, body: { messageId, delivery: 'queued' } });
    expect(await say(tree, { content: 'two' })).toEqual({ ok: true, body: { messageId, delivery: 'queued' } });
    expect(sends).toBe(2);
    tree.close();
  });

  it('[RM90, RM52] is the next task where it was refused, and once', async () => {
    let isAway = true;
    const tree: Tree = new Tree((it) => {
      const made = parts(it, { asked: [] }, WRITER, { hears: 1 });
      const critic: Script = ({ step, messages }) =>
        step === 1 ? { calls: [{ name: 'nap', input: {} }] } : { finish: { answer: questions(messages).join() } };
      const between: Between = {
        call: ({ verb }, perform) =>
          verb === 'send' && isAway ? Promise.reject(new RemoteError('remote_unreachable', 'No.')) : perform(),
      };
      return { ...made, scripts: { ...made.scripts, critic }, env: { transport: elsewhere(it, between) } };
    });
    await tree.start();
    await atWork(tree);
    expect(await say(tree, { content: 'two' })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    await tree.finish();
    isAway = false;
    const first = await say(tree, { content: 'two' });
    expect(first).toMatchObject({ ok: true, body: { delivery: 'started' } });
    expect(await say(tree, { content: 'two' })).toEqual(first);
    await tree.rest();
    expect([heard(tree), tasks(tree)]).toEqual([['one', 'two'], 2]);
    tree.close();
  });

  it('[RM90, RM52] is the next task where its run has ended there, and nobody here knows it yet', async () => {
    let isHeld = true;
    const writer: Script = [
      { calls: [spawn('one', { mode: 'non-blocking' })] },
      { text: 'Published.' },
      { text: 'Read.' },
    ];
    const tree: Tree = new Tree((it) => {
      const made = parts(it, { asked: [] }, writer, { hears: 1 });
      const critic: Script = ({ step, messages }) =>
        step === 1 ? { calls: [{ name: 'nap', input: {} }] } : { finish: { answer: questions(messages).join() } };
      const event: Between['event'] = (one) =>
        isHeld && one.type === 'chunk' && one.chunk.type === 'run_completed' ? [] : [one];
      return { ...made, scripts: { ...made.scripts, critic }, env: { transport: elsewhere(it, { event }) } };
    });
    await tree.start();
    await tree.time.until(() => critics(tree).some((there) => tree.state(there).run?.phase === 'ended'));
    expect(tree.nodes[1]?.status).toBe('running');
    const said = say(tree, { content: 'two' });
    await tree.time.pass(3_000);
    isHeld = false;
    expect(await said).toMatchObject({ ok: true });
    await tree.rest();
    expect([heard(tree), tasks(tree)]).toEqual([['one', 'two'], 2]);
    tree.close();
  });

  it('[RM90, RM52] begins no next task where it was for one run alone', async () => {
    const { tree, runId } = await lost({ hears: 2 });
    await tree.finish();
    const late = await say(tree, { content: 'three', runId }, { caller: 'bob' });
    expect(late).toMatchObject({ ok: false, error: { code: 'run_superseded' } });
    await tree.rest();
    expect([heard(tree), tasks(tree)]).toEqual([['one', 'two'], 1]);
    tree.close();
  });

  it('[RM90, CH17] counts once for all who send it under a key that they share', async () => {
    const tree = new Tree((it) => parts(it, { asked: [], loses: losesFirst }, WRITER, { hears: 2 }));
    await tree.start();
    await atWork(tree);
    expect(await say(tree, { content: 'two' }, { sharesKey: true })).toMatchObject({ ok: false });
    await tree.finish();
    const of = (caller: string) => say(tree, { content: 'two' }, { sharesKey: true, caller });
    const first = await of('bob');
    expect(first).toMatchObject({ ok: true, body: { delivery: 'queued' } });
    expect(await of('ann')).toEqual(first);
    await tree.rest();
    expect([heard(tree), tasks(tree)]).toEqual([['one', 'two'], 1]);
    tree.close();
  });

  it('[RM90] counts once, whatever commit everything is lost after', async () => {
    const play = async (options: TreeOptions): Promise<Tree> => {
      const known: Net = { asked: [], loses: losesFirst };
      const tree = new Tree((it) => parts(it, known, WRITER, { hears: 2 }), options);
      await tree.start();
      await atWork(tree);
      await say(tree, { content: 'two' }).catch(() => undefined);
      await tree.finish();
      for (let is: unknown; is !== true; ) is = (await say(tree, { content: 'two' }).catch(() => ({ ok: false }))).ok;
      await tree.rest();
      return tree;
    };
    const calm = await play({});
    const { length } = calm.commits;
    calm.close();
    for (const commit of sample(length, MOST, 1)) {
      const tree = await play({ crashAt: new Set([commit]) });
      expect([commit, heard(tree), tasks(tree)]).toEqual([commit, ['one', 'two'], 1]);
      tree.close();
    }
  });
});
