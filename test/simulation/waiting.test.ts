/** A tree that waits for a person: it costs nothing, and goes on where it stood, whatever comes in between. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import { type Migration, schemaLevel } from '../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';
import { deepWait, gateTool } from '../support/control';
import { examine } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { People, yes } from '../support/people';
import { agentOf, answer, noteTool, question } from '../support/trees';

const TOP = '/agents/top/one';
const MIDDLE = `${TOP}/sub/middle/1~1`;
const LEAF = `${MIDDLE}/sub/inner/1~1/sub/leaf/1~1`;
const DAY_MS = 86_400_000;

/** What a next release adds. */
const NEXT: Migration = {
  tag: 'next',
  statements: ['CREATE TABLE `later` (`id` integer PRIMARY KEY NOT NULL);', 'INSERT INTO `later` (`id`) VALUES (1);'],
};
const NEXT_OF_AGENTS: Migration = { tag: 'next', statements: ['ALTER TABLE `steps` ADD COLUMN `label` text;'] };
const LEVELS = { agent: AGENT_MIGRATIONS.length, root: ROOT_MIGRATIONS.length };

/** The next release is deployed: whatever wakes from here on runs its steps. */
function deploy(): void {
  (AGENT_MIGRATIONS as Migration[]).push(NEXT_OF_AGENTS);
  (ROOT_MIGRATIONS as Migration[]).push(NEXT);
}

afterEach(() => {
  (AGENT_MIGRATIONS as Migration[]).length = LEVELS.agent;
  (ROOT_MIGRATIONS as Migration[]).length = LEVELS.root;
});

function level(tree: Tree, address: string, ladder: string): number {
  const storage = tree.world.storage(address);
  return storage === undefined ? 0 : schemaLevel(storage as never, ladder);
}

/** Everything leaves memory; somebody looks at the root, which wakes it. */
async function restart(tree: Tree): Promise<void> {
  tree.crash();
  tree.world.object(TOP);
  await tree.time.settle();
  await tree.time.pass(20_000);
}

/** What of a tree must not change while it waits. */
function still(tree: Tree) {
  const { step } = tree.state(LEAF);
  return {
    asked: tree.port.asked.length,
    bodies: [...tree.bodies.values()],
    log: tree.log.length,
    step: step && { id: step.id, number: step.number, attempt: step.attempt, phase: step.phase },
    places: tree.nodes.map(({ place }) => place),
    waits: tree.pending.map(({ address, toolCallId }) => `${address} ${toolCallId}`),
  };
}

describe('a tree that waits', () => {
  it('[WT1, WT2, SU1] waits through eviction, restart and a migration, and goes on at the same step of the same child', async () => {
    await withTree(
      (tree) => deepWait(tree),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const before = still(tree);
        const leaf = tree.state(LEAF).session.sessionId;
        expect(before.step).toEqual({ id: 2, number: 2, attempt: 1, phase: 'calls' });
        await restart(tree);
        await restart(tree);
        expect(still(tree)).toEqual(before);
        deploy();
        await restart(tree);
        expect(still(tree)).toEqual(before);
        expect(level(tree, TOP, 'root')).toBe(LEVELS.root + 1);
        expect(level(tree, LEAF, 'agent')).toBe(LEVELS.agent);
        const [gate] = tree.pending;
        if (gate === undefined) throw new Error('Nothing waits.');
        expect(await tree.answer(gate, yes(gate))).toMatchObject({ ok: true });
        expect(level(tree, LEAF, 'agent')).toBe(LEVELS.agent + 1);
        await tree.rest();
        const [, waited, next] = tree.store(LEAF).steps({});
        expect(waited).toMatchObject({
          id: 2,
          number: 2,
          attempt: 1,
          calls: [{ settled: { result: { success: true } } }],
        });
        expect(next).toMatchObject({ id: 3, number: 3, attempt: 1 });
        await new People({}).attend(tree);
        examine(tree);
        expect(tree.outcome).toMatchObject({ output: 'Done.' });
        const ofLeaf = tree.port.asked.filter(({ agentType }) => agentType === 'leaf');
        expect(ofLeaf.map(({ sessionId, step, attempt }) => [sessionId, step, attempt])).toEqual(
          [1, 2, 3, 4].map((step) => [leaf, step, 1]),
        );
      },
    );
  });

  it('[WT3, B3, RT2] sets no timer and no alarm, has nobody at work, and writes nothing', async () => {
    await withTree(
      (tree) => deepWait(tree, true),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const commits = tree.commits.length;
        const before = still(tree);
        expect([tree.time.pending, tree.port.working]).toEqual([0, 0]);
        expect(before.places).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
        expect(before.waits).toHaveLength(2);
        await tree.time.pass(30 * DAY_MS);
        expect([tree.commits.length, tree.time.pending]).toEqual([commits, 0]);
        expect(still(tree)).toEqual(before);
      },
    );
  });

  it('[WT4, TR5] stops no clock of its agents: after 30 days it is answered, and completes', async () => {
    await withTree(
      (tree) => deepWait(tree),
      {},
      async (tree) => {
        await tree.start();
        for (let wait = 0; wait < 2; wait++) {
          await tree.rest();
          await tree.time.pass(30 * DAY_MS);
          const [next] = tree.pending;
          if (next === undefined) throw new Error('Nothing waits.');
          expect(await tree.answer(next, yes(next))).toMatchObject({ ok: true });
        }
        await tree.finish();
        examine(tree);
        expect(tree.outcome).toMatchObject({ output: 'Done.' });
      },
    );
  });

  it('[WT5, AN3, RT2] has the alarm of its answer alone, which rings after a crash without anybody asking', async () => {
    await withTree(
      (tree) => deepWait(tree, false, 3 * DAY_MS),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(60_000);
        expect(tree.time.pending).toBe(1);
        const before = still(tree);
        await tree.time.pass(2 * DAY_MS);
        tree.crash();
        await tree.time.pass(DAY_MS - 60_000 - 1);
        expect(tree.time.pending).toBe(1);
        expect(still(tree)).toEqual(before);
        await tree.time.pass(60_000);
        const [, waited] = tree.store(LEAF).steps({});
        expect(waited).toMatchObject({ calls: [{ settled: { result: { error: { code: 'approval_expired' } } } }] });
        expect(tree.pending.map(({ item }) => item.toolName)).toEqual(['look']);
        tree.crash();
        await tree.time.pass(3 * DAY_MS + 60_000);
        const [, , late] = tree.store(LEAF).steps({});
        expect(late).toMatchObject({ calls: [{ settled: { result: { error: { code: 'client_tool_timeout' } } } }] });
        await tree.finish();
        examine(tree);
        expect(tree.outcome).toMatchObject({ output: 'Done.' });
      },
    );
  });
});

type Rows = Record<string, Record<string, Record<string, string | number | null>[]>>;

/** The stores of a tree at work, as the first release wrote them: two agents wait for a child that was in a tool. */
const FIRST = JSON.parse(String(readFileSync(`${import.meta.dirname}/../support/first-release.json`))) as Rows;

/** The same agents in this release; the last one now needs a person's yes. */
function sinceThen(tree: Tree): TreeParts {
  const work = defineTool({
    name: 'work',
    description: 'Works.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: (_, context) => {
      tree.body(context.idempotencyKey);
      return { worked: true };
    },
  });
  const leaf = agentOf('leaf', { tools: [work, gateTool(tree)], outputSchema: answer });
  const middle = agentOf('middle', {
    tools: [noteTool(tree), createSubAgentTool(leaf, question)],
    outputSchema: answer,
  });
  const top = agentOf('top', { tools: [noteTool(tree), createSubAgentTool(middle, question)] });
  const gate = { calls: [{ name: 'gate', input: { text: 'g' } }] };
  return {
    agents: [top, middle, leaf],
    scripts: {
      top: ({ step }) => (step === 1 ? { text: 'Again.' } : { text: 'Done.' }),
      middle: [{}, {}, { finish: { answer: 'm' } }],
      leaf: [{}, gate, { finish: { answer: 'l' } }],
    },
  };
}

/** Puts the stores of the first release in place, at its level of each ladder. */
function restore(tree: Tree): void {
  for (let used = 0; used < 1_000; used++) tree.time.environment.token();
  for (const [address, tables] of Object.entries(FIRST)) {
    tree.world.object(address);
    const sql = tree.world.storage(address)?.sql;
    if (sql === undefined) throw new Error(`No storage is at ${address}.`);
    sql.exec('CREATE TABLE offshoot_schema (ladder TEXT PRIMARY KEY NOT NULL, level INTEGER NOT NULL) WITHOUT ROWID');
    const first = [AGENT_MIGRATIONS[0], ...(address === TOP ? [ROOT_MIGRATIONS[0]] : [])];
    for (const step of first) for (const statement of step?.statements ?? []) sql.exec(statement);
    for (const [table, rows] of Object.entries(tables)) {
      for (const row of rows) {
        const columns = Object.keys(row);
        const marks = columns.map(() => '?').join(', ');
        sql.exec(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`, ...Object.values(row));
      }
    }
  }
  tree.world.crash();
}

describe('a tree that the first release wrote', () => {
  it('[WT6, SO3] is brought up and goes on: the same runs, the same steps, and waits and stops as any other', async () => {
    await withTree(sinceThen, {}, async (tree) => {
      restore(tree);
      const leaf = `${MIDDLE}/sub/leaf/1~1`;
      expect([level(tree, TOP, 'agent'), level(tree, TOP, 'root'), level(tree, leaf, 'agent')]).toEqual([1, 1, 1]);
      const runs = [TOP, MIDDLE, leaf].map((address) => tree.store(address).runs({})[0]?.runId);
      tree.world.object(TOP);
      await tree.rest();
      expect([level(tree, TOP, 'agent'), level(tree, TOP, 'root'), level(tree, leaf, 'agent')]).toEqual([
        LEVELS.agent,
        LEVELS.root,
        LEVELS.agent,
      ]);
      // The body that was cut off has run again; nobody's model was asked what it was asked before.
      expect(tree.port.asked.map(({ agentType, step }) => `${agentType} ${step}`)).toEqual(['leaf 2']);
      expect([...tree.bodies.values()]).toEqual([1]);
      expect(tree.pending.map(({ address, item }) => `${address} ${item.toolName}`)).toEqual([`${leaf} gate`]);
      expect(tree.nodes.map(({ place }) => place)).toEqual(['waiting', 'waiting', 'waiting']);
      tree.crash();
      tree.stopSurely('interrupt');
      await tree.rest();
      expect(tree.nodes.map(({ status }) => status)).toEqual(['interrupted', 'interrupted', 'interrupted']);
      await new People({}).attend(tree);
      expect(tree.outcome).toMatchObject({ output: 'Done.' });
      expect(tree.store(leaf).runs({})[0]?.runId).toBe(runs[2]);
      expect(
        tree
          .store()
          .runs({})
          .map(({ resumedFrom }) => resumedFrom),
      ).toEqual([undefined, runs[0]]);
      expect(tree.port.asked.map(({ agentType, step }) => `${agentType} ${step}`)).toEqual([
        'leaf 2',
        'leaf 3',
        'middle 3',
        'top 2',
      ]);
      await tree.run('And now?');
      expect(tree.outcome).toMatchObject({ output: 'Again.' });
      expect(tree.time.problems).toEqual([]);
    });
  });
});
