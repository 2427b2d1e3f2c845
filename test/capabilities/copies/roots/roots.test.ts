/** Copies of roots under another name: what they have, what they share, and crashes at every commit. */

import { describe, expect, it, vi } from 'vitest';
import type { CopyAsk } from '../../../../src/capabilities/copies/messages';
import { COPIES_AT_ONCE, COPY_SILENCE_MS } from '../../../../src/capabilities/copies/plan';
import type { VerbAnswer } from '../../../../src/engine/object/object-calls';
import type { JsonObject } from '../../../../src/protocol/json';
import type { Message } from '../../../../src/protocol/messages';
import { AGENT_MIGRATIONS } from '../../../../src/store/migrations';
import { SqlTreeStore } from '../../../../src/store/tree-store';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { present } from '../../../support/present';
import { sample } from '../../../support/sizes';
import { agentOf, noteTool } from '../../../support/trees';
import { take } from '../support/calls';

const TWO = '/agents/top/two';
const TABLES = ['runs', 'steps', 'settlements', 'messages', 'queued', 'children', 'outbox'];
const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** A root that notes something in each turn, and then says all that it was ever asked. */
const noting = (tree: Tree): TreeParts => ({
  agents: [agentOf('top', { tools: [noteTool(tree)] })],
  scripts: {
    top: ({ step, messages }) => {
      const asked = questions(messages);
      if (asked.at(-1) === 'hang' && step === 2) return { hang: true };
      return step === 1 ? { calls: [{ name: 'note', input: { text: 'l' } }] } : { text: asked.join(' ') };
    },
  },
});

/** Asks until there is an answer, as a client does whose request was lost with the process. */
async function ask(tree: Tree, verb: string, input: JsonObject, key?: string, at = tree.address): Promise<VerbAnswer> {
  for (;;) {
    const { crashes } = tree;
    const call = {
      kind: 'verb',
      path: [],
      verb,
      input,
      caller: 'ada',
      ...(key ? { idempotencyKey: key } : {}),
    } as const;
    let said: VerbAnswer | undefined;
    tree.world
      .object(at)
      .call(call)
      .then(
        (reply) => {
          said = reply;
        },
        () => undefined,
      );
    await tree.time.until(() => said !== undefined || tree.crashes > crashes);
    if (said) return said;
  }
}
const code = (reply: VerbAnswer): string => (reply.ok ? 'ok' : reply.error.code);

const logOf = (tree: Tree, address: string) => {
  const storage = tree.world.storage(address);
  if (storage === undefined) return [];
  return new SqlTreeStore(storage).read(1, 1_000, Number.MAX_SAFE_INTEGER).flatMap(({ chunks }) => chunks);
};

function idsIn(tree: Tree, address: string): Set<string> {
  const storage = tree.world.storage(address);
  const rows = TABLES.flatMap(
    (table) => storage?.sql.exec<{ data: string }>(`select * from "${table}"`).toArray() ?? [],
  );
  return new Set(JSON.stringify(rows).match(/\b[srcm]_[A-Za-z0-9_.]+/g) ?? []);
}

const rowsIn = (tree: Tree, address: string): number => {
  const storage = tree.world.storage(address);
  return TABLES.reduce(
    (sum, table) =>
      sum + (storage?.sql.exec<{ n: number }>(`select count(*) as n from "${table}"`).toArray()[0]?.n ?? 0),
    0,
  );
};

const text = async (tree: Tree, address: string, path: string): Promise<string> =>
  new Response(await tree.world.object(address).ports.files.read(path)).text();

/** Two turns of a root with a file, and then its copy, which takes a turn of its own. */
async function copied(input: JsonObject = {}, crashAt = 0) {
  let [transactions, counts] = [0, false];
  let crash = (): void => undefined;
  // Everything is lost right after that transaction, counted from the request on.
  const transaction = (): void => {
    if (counts && ++transactions === crashAt) crash();
  };
  return withTree(noting, { transaction }, async (tree) => {
    crash = () => tree.crash();
    await tree.run('one');
    await tree.run('two');
    await tree.rest();
    await tree.world.object(tree.address).ports.files.write('a.txt', 'kept');
    // A variable that it was given, as sealed as can be.
    tree.world.storage(tree.address)?.sql.exec(`insert into "variables" values ('KEY', 'sealed')`);
    counts = true;
    const replies = [await ask(tree, 'fork', { name: 'two', ...input }, 'k')];
    replies.push(await ask(tree, 'fork', { name: 'two', ...input }, 'k'));
    await tree.rest();
    const { run, session } = tree.state(TWO);
    counts = false;
    await ask(tree, 'send', { content: 'three' }, 's', TWO);
    await tree.rest();
    const [one, two] = [idsIn(tree, tree.address), idsIn(tree, TWO)];
    return {
      transactions,
      crashes: tree.crashes,
      replies,
      run,
      session,
      asked: questions(tree.transcript(TWO)),
      original: questions(tree.transcript()),
      variables: tree.world.storage(TWO)?.sql.exec('select * from "variables"').toArray(),
      shared: [...two].filter((id) => one.has(id)),
      own: two.size,
      log: logOf(tree, TWO),
      file: await text(tree, TWO, 'a.txt'),
      node: new SqlTreeStore(present(tree.world.storage(TWO))).nodes(),
      problems: tree.time.problems,
    };
  });
}

describe('a copy of a root', () => {
  it('[CP9, CP35, CP2, CP27] has its memory and its files under another name, at rest, and shares nothing with it', async () => {
    const found = await copied();
    const body = { address: TWO, status: 'completed', streamUrl: `${TWO}/stream?from=1` };
    expect(found.replies).toMatchObject([
      { ok: true, status: 202, body },
      { ok: true, status: 202, body },
    ]);
    expect(found.replies[0]).toEqual(found.replies[1]);
    expect([found.asked, found.original]).toEqual([
      ['one', 'two', 'three'],
      ['one', 'two'],
    ]);
    expect(found.own).toBeGreaterThan(5);
    expect(found.shared).toEqual([]);
    expect(found.file).toBe('kept');
    expect(found.variables).toEqual([]);
    expect(found.session).toMatchObject({ address: TWO });
    expect(found.log[0]).toMatchObject({ type: 'session_copied', fromAddress: '/agents/top/one', status: 'completed' });
    expect(found.log.filter(({ type }) => type === 'run_started')).toMatchObject([{ turn: 3 }]);
    // It has spent nothing of what its memory cost: one turn of two steps.
    expect(found.node).toMatchObject([{ usage: { modelCalls: 2 } }]);
    expect(found.problems).toEqual([]);
  });

  it('[CP10, RC5] is there as a whole, or not at all, wherever a crash comes, and once for its key', async () => {
    const calm = await copied();
    expect(calm.transactions).toBeGreaterThan(5);
    for (const index of sample(calm.transactions, 25, 1)) {
      const found = await copied({}, index);
      const what = `a crash at ${index}`;
      expect(found.crashes, what).toBe(1);
      expect(found.replies, what).toMatchObject([{ ok: true }, { ok: true }]);
      expect([found.asked, found.shared, found.file, found.own], what).toEqual([calm.asked, [], 'kept', calm.own]);
      expect(
        found.log.map(({ type }) => type),
        what,
      ).toEqual(calm.log.map(({ type }) => type));
      expect(found.problems, what).toEqual([]);
    }
  });

  it('[CP7, CP9] remembers nothing behind a checkpoint', async () => {
    const checkpoints = await withTree(noting, {}, async (tree) => {
      await tree.run('one');
      await tree.run('two');
      return tree.log.flatMap(({ chunk }) => (chunk.type === 'step_committed' ? [chunk.checkpointId] : []));
    });
    // The ids of a tree follow from its seed, so they are the same again.
    const found = await copied({ checkpoint: checkpoints[1] ?? '' });
    expect(found.asked).toEqual(['one', 'three']);
    expect(found.log[0]).toMatchObject({ checkpointId: checkpoints[1], status: 'completed' });
    const within = await copied({ checkpoint: checkpoints[2] ?? '' });
    expect(within.run).toMatchObject({ phase: 'ended', outcome: { status: 'interrupted' } });
    expect(within.asked).toEqual(['one', 'two', 'three']);
  });
});

describe('a copy of a root whose custom state changes', () => {
  it('[CP7, CP31] has that of the checkpoint, whether a start gave it or it changed while the copy was asked for', () =>
    withTree(noting, {}, async (tree) => {
      for (const n of [1, 2]) {
        await ask(tree, 'start', { message: `${n}`, state: { n } });
        await tree.rest();
      }
      const at = tree.log.flatMap(({ chunk }) => (chunk.type === 'step_committed' ? [chunk.checkpointId ?? ''] : []));
      expect(at).toHaveLength(4);
      for (const [index, n] of [1, 1, 2, 2].entries()) {
        const reply = ask(tree, 'fork', { name: `c${index}`, checkpoint: at[index] ?? '' });
        // The next turn begins before anything is copied.
        if (index === 3) void ask(tree, 'start', { message: 'more', state: { n: 3 } });
        expect(code(await reply)).toBe('ok');
        expect(tree.state(`/agents/top/c${index}`).custom, `a copy at step ${index + 1}`).toEqual({ n });
      }
      await tree.rest();
      expect(tree.state().custom).toEqual({ n: 3 });
      // A copy of a copy goes back as far.
      const { sessionId } = tree.state('/agents/top/c3').session;
      const again = { name: 'back', checkpoint: `${sessionId}.2` };
      expect(code(await ask(tree, 'fork', again, undefined, '/agents/top/c3'))).toBe('ok');
      expect(tree.state('/agents/top/back').custom).toEqual({ n: 1 });
      expect(tree.state('/agents/top/back').session.customStep).toBeUndefined();
    }));
});

describe('a copy of a root at work', () => {
  const busy = async <Result>(body: (tree: Tree) => Promise<Result>, options: TreeOptions = {}): Promise<Result> =>
    withTree(noting, options, async (tree) => {
      await tree.run('one');
      await tree.start('hang');
      await tree.time.until(() => tree.state().step?.phase === 'model' && tree.state().step?.number === 2);
      return body(tree);
    });

  it('[CP3, CP9] has none of its work, and the original works on', () =>
    busy(async (tree) => {
      expect(await ask(tree, 'fork', { name: 'two' })).toMatchObject({ ok: true, body: { status: 'interrupted' } });
      expect(tree.state().run?.phase).toBe('active');
      expect(tree.state(TWO).run).toMatchObject({ phase: 'ended', outcome: { status: 'interrupted' } });
    }));

  it('[CP11] goes on at once with the run that was not over, where that is asked for', () =>
    busy(async (tree) => {
      const at = tree.log.flatMap(({ chunk }) => (chunk.type === 'step_committed' ? [chunk.checkpointId] : []));
      const reply = await ask(tree, 'fork', { name: 'two', resume: true, checkpoint: at[2] ?? '' });
      expect(reply).toMatchObject({ ok: true, body: { status: 'running', runId: expect.any(String) } });
      await tree.soon(Promise.resolve());
      expect(tree.state(TWO).run).toMatchObject({ phase: 'active', turn: 3 });
      expect(
        logOf(tree, TWO)
          .map(({ type }) => type)
          .slice(0, 2),
      ).toEqual(['session_copied', 'run_started']);
      // The first turn had ended with its second step.
      expect(code(await ask(tree, 'fork', { name: 'six', resume: true, checkpoint: at[1] ?? '' }))).toBe(
        'not_resumable',
      );
    }));

  it('[CP33, CP11] that goes on at once is made once for its key, wherever a crash comes', async () => {
    const resumed = async (crashAt = 0) => {
      let count = (): void => undefined;
      let transactions = 0;
      const made = await busy(
        async (tree) => {
          count = () => {
            if (++transactions === crashAt) tree.crash();
          };
          const fork = () => ask(tree, 'fork', { name: 'two', resume: true }, 'k');
          const first = await fork();
          count = () => undefined;
          expect(await fork(), `a crash at ${crashAt}`).toEqual(first);
          return [code(first), tree.store(TWO).runs({}).length];
        },
        { transaction: () => count() },
      );
      return { made, transactions };
    };
    const calm = await resumed();
    // Two that came along, and the one that goes on.
    expect(calm.made).toEqual(['ok', 3]);
    for (const index of sample(calm.transactions, 25, 1))
      expect((await resumed(index)).made, `a crash at ${index}`).toEqual(calm.made);
  });
});

describe('a copy of a root that cannot be made', () => {
  it('[CP30, CP9, CP33] is refused onto a name that is taken, with a message, and for another request with its key', () =>
    withTree(noting, {}, async (tree) => {
      await tree.run('one');
      const fork = (input: JsonObject, key?: string) => ask(tree, 'fork', input, key).then(code);
      expect(await fork({ name: 'one' })).toBe('name_taken');
      expect(await fork({ name: '7' })).toBe('invalid_address');
      for (const name of ['.', '..', 'a/b']) expect(await fork({ name })).toBe('invalid_address');
      expect(await fork({ name: 'two', message: 'x' })).toBe('invalid_request');
      expect(await fork({ name: 'two', checkpoint: 's_x.1' })).toBe('not_found');
      expect(tree.world.addresses()).toEqual([tree.address]);
      expect(await fork({ name: 'two' }, 'k')).toBe('ok');
      expect(await fork({ name: 'three' }, 'k')).toBe('idempotency_conflict');
      expect(await fork({ name: 'two' }, 'other')).toBe('name_taken');
    }));

  it(`[CP37] is refused as the ${COPIES_AT_ONCE + 1}th at once`, () =>
    withTree(noting, {}, async (tree) => {
      await tree.run('one');
      const names = Array.from({ length: COPIES_AT_ONCE + 1 }, (_, index) => `c${index}`);
      const replies = await tree.soon(Promise.all(names.map((name) => ask(tree, 'fork', { name }))));
      expect(replies.map(code).sort()).toEqual([...Array(COPIES_AT_ONCE).fill('ok'), 'unavailable']);
    }));

  it('[CP38, CP39] leaves nothing: what is half made answers nothing, keeps others out, and goes when its time is up', () =>
    withTree(noting, {}, async (tree) => {
      await tree.run('one');
      const two = tree.world.object(TWO);
      const { run } = tree.state();
      if (run === undefined) throw new Error('There is no run.');
      const say = (ask: CopyAsk, copy = 'x') => take(two, { copy, way: [], ask });
      const by = { caller: 'ada' };
      const nobody = { session: 's_two', below: [] };
      expect(await say({ op: 'begin', format: AGENT_MIGRATIONS.length, by, ...nobody })).toEqual({ ok: true });
      expect(await say({ op: 'rows', rows: [{ put: 'run', run }] })).toEqual({ ok: true });
      expect(await say({ op: 'begin', format: AGENT_MIGRATIONS.length, by, ...nobody }, 'y')).toMatchObject({
        error: { code: 'unavailable' },
      });
      expect(await say({ op: 'rows', rows: [] }, 'y')).toMatchObject({ error: { code: 'superseded' } });
      expect(code(await ask(tree, 'status', {}, undefined, TWO))).toBe('not_found');
      expect(code(await ask(tree, 'start', { message: 'x' }, undefined, TWO))).toBe('unavailable');
      expect(rowsIn(tree, TWO)).toBe(1);
      const since = tree.time.environment.now();
      await tree.time.until(() => rowsIn(tree, TWO) === 0);
      expect(tree.time.environment.now() - since).toBe(COPY_SILENCE_MS);
      expect(code(await ask(tree, 'start', { message: 'x' }, undefined, TWO))).toBe('ok');
    }));

  it('[CP39] says how long ago something of it came there last, however often that is asked', () =>
    withTree(noting, {}, async (tree) => {
      await tree.run('one');
      const two = tree.world.object(TWO);
      const say = (ask: CopyAsk) => take(two, { copy: 'x', way: [], ask });
      const by = { caller: 'ada' };
      await say({ op: 'begin', format: AGENT_MIGRATIONS.length, by, session: 's_two', below: [] });
      const { now, timer } = tree.time.environment;
      for (const came of [true, false, false, true, false]) {
        const since = now();
        if (came) expect(await say({ op: 'rows', rows: [] })).toEqual({ ok: true });
        const before = await say({ op: 'heard' });
        let isLater = false;
        timer(1_000, () => {
          isLater = true;
        });
        await tree.time.until(() => isLater);
        const after = await say({ op: 'heard' });
        if (!before.ok || !after.ok) throw new TypeError('It was not heard.');
        if (came) expect(before.body).toBe(0);
        expect(Number(after.body) - Number(before.body)).toBe(now() - since);
      }
    }));

  it.each([
    ['a start', 'start', { message: 'x' }, ['x']],
    ['a message', 'send', { content: 'x' }, ['x']],
    ['another copy', 'fork', { name: 'two' }, ['one']],
  ])('[CP10, CP39] leaves nothing where its last commit fails, also to %s in its place', (_, verb, input, asked) =>
    withTree(noting, {}, async (tree) => {
      await tree.run('one');
      await tree.world.object(tree.address).ports.files.write('a.txt', 'kept');
      const two = tree.world.object(TWO);
      // All its rows and files have come by then.
      const audit = vi.spyOn(two.store, 'addAudit').mockImplementationOnce(() => {
        throw new Error('The store is full.');
      });
      expect(code(await ask(tree, 'fork', { name: 'two' }))).toBe('internal');
      expect(audit).toHaveBeenCalledOnce();
      expect([rowsIn(tree, TWO), (await two.ports.files.list()).items]).toEqual([0, []]);
      const at = verb === 'fork' ? tree.address : TWO;
      expect(code(await ask(tree, verb, input, undefined, at))).toBe('ok');
      await tree.rest();
      expect(questions(tree.transcript(TWO))).toEqual(asked);
    }),
  );

  it('[CP39] leaves nothing to who begins there after a crash', () =>
    withTree(noting, {}, async (tree) => {
      await tree.run('one');
      const two = tree.world.object(TWO);
      const { run } = tree.state();
      if (run === undefined) throw new Error('There is no run.');
      const begins = {
        op: 'begin',
        format: AGENT_MIGRATIONS.length,
        by: { caller: 'ada' },
        session: 's_two',
        below: [],
      } as const;
      await take(two, { copy: 'x', way: [], ask: begins });
      await take(two, {
        copy: 'x',
        way: [],
        ask: { op: 'rows', rows: [{ put: 'run', run: { ...run, turn: 9 } }] },
      });
      tree.crash();
      expect(code(await ask(tree, 'send', { content: 'x' }, undefined, TWO))).toBe('ok');
      await tree.rest();
      expect(tree.store(TWO).runs({})).toMatchObject([{ turn: 1 }]);
      expect(logOf(tree, TWO)[0]).toMatchObject({ type: 'run_started' });
    }));
});
