/**
 * Stores as a release left them: `test/support/released/NAME.sql` holds all objects of a tree that waits, and a directory,
 * as the steps of that release wrote them. The code of today opens them, reads everything and lets the tree go on.
 *
 * Whoever releases a further step of a ladder (`npm run migrations -- --release`) keeps the stores of that level too, under
 * the name of the step, and leaves the older files as they are:
 *
 *   OFFSHOOT_KEEP_STORES=NAME npx vitest run --project core test/simulation/released.test.ts
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import { RELATIONSHIP, type Relationship, type ToolDefinition } from '../../src/core/definition/definition';
import { createSubAgentTool, relationshipOf } from '../../src/core/definition/relationship';
import type { JsonObject } from '../../src/protocol/json';
import { unpairedCalls } from '../../src/protocol/messages';
import { DirectoryStore } from '../../src/store/directory-store';
import { createFileStore } from '../../src/store/files';
import { schemaLevel } from '../../src/store/migrate';
import { AGENT_MIGRATIONS } from '../../src/store/migrations';
import type { ObjectStorage } from '../../src/store/storage';
import { SqlTreeStore } from '../../src/store/tree-store';
import { type NodeStorage, nodeStorage } from '../../src/testing/node-storage';
import { dump, load, tablesOf } from '../support/dump';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { yes } from '../support/people';
import { agentOf, answer, noteTool, question } from '../support/trees';

const FOLDER = join('test', 'support', 'released');
const TOP = '/agents/top/one';
const LEAF = `${TOP}/sub/middle/1~1/sub/leaf/1~1`;
const DIRECTORY = 'directory';
const NOW = 1_800_000_000_000;
const LONG = 'x'.repeat(700_000);

const asked = defineTool({
  name: 'asked',
  description: 'Asks.',
  inputSchema: z.object({ n: z.number() }),
  requireApproval: true,
  execute: ({ n }) => ({ n }),
});

const sql = (storage: NodeStorage): ObjectStorage => storage;

/** The tool of a sub-agent with another relationship. */
function related(tool: ToolDefinition, how: Partial<Relationship>): ToolDefinition {
  const relationship = relationshipOf(tool);
  if (relationship === undefined) throw new Error('It is no sub-agent.');
  return { ...tool, [RELATIONSHIP]: { ...relationship, ...how } };
}

const call = (name: string, input: JsonObject = { q: name }) => ({ name, input });

/** Its first turn has a child for one call; its second a named one, one in the background, and one whose child asks a person. */
function parts(tree: Tree): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree), asked], outputSchema: answer });
  const short = agentOf('short', { outputSchema: answer });
  const middle = agentOf('middle', { tools: [createSubAgentTool(leaf, question)], outputSchema: answer });
  const tools = [
    noteTool(tree),
    asked,
    createSubAgentTool(short, question),
    createSubAgentTool(middle, question),
    related(createSubAgentTool(short, question, { name: 'named' }), { lifetime: 'named', nameOf: () => 'ada' }),
    related(createSubAgentTool(leaf, question, { name: 'behind' }), { await: 'notice', deliver: 'notice' }),
  ];
  const top = agentOf('top', { tools, onConcurrentStart: 'queue', limits: { keepRuns: 1 } });
  const users = (messages: readonly { role: string }[]) => messages.filter(({ role }) => role === 'user').length;
  return {
    agents: [top, middle, leaf, short],
    scripts: {
      top: ({ messages, step }) => {
        if (messages.at(-1)?.role === 'tool' && step > 2) return { text: 'Done.' };
        if (users(messages) === 1) return step === 1 ? { calls: [call('subagent__short')] } : { text: 'First.' };
        if (step > 2) return { text: 'Done.' };
        return step === 1
          ? { text: LONG, calls: [call('note', { text: 'n' }), call('subagent__named'), call('subagent__behind')] }
          : { calls: [call('subagent__middle'), call('asked', { n: 1 }), call('asked', { n: 2 })] };
      },
      middle: [{ calls: [call('subagent__leaf')] }, { finish: { answer: 'm' } }],
      leaf: [{ calls: [call('note', { text: 'l' }), call('asked', { n: 3 })] }, { finish: { answer: 'l' } }],
      short: () => ({ finish: { answer: 's' } }),
    },
  };
}

/** Brings a tree to where it waits, with a row of every kind. */
async function fill(tree: Tree): Promise<void> {
  await tree.run('One');
  await tree.start('Two');
  await tree.rest();
  await tree.start('Three');
  const [first] = tree.pending.filter(({ address }) => address === TOP);
  if (first === undefined) throw new Error('Nobody asks.');
  await tree.answer(first, yes(first));
  await tree.rest();
  const { store, ports } = tree.world.object(TOP);
  store.transaction(() => {
    store.addReceipt('start k', { body: 'digest', answer: { status: 202, body: { runId: 'r_1' } } }, NOW, 86_400_000);
    store.addAudit({ at: NOW, actor: 'ada', action: 'start', runId: 'r_1', detail: { n: 1 } });
  });
  await ports.files.write('notes/small.txt', 'A small file.');
  await ports.files.write('large.bin', new Uint8Array(1_500_000));
}

function fillDirectory(storage: NodeStorage): void {
  const directory = new DirectoryStore(sql(storage), () => NOW);
  for (const name of ['one', 'two', 'gone'])
    directory.report({
      name,
      sessionId: `s_${name}`,
      createdAt: NOW,
      lastActivity: NOW + 1,
      status: 'running',
      displayName: `The ${name}`,
      tags: ['red', name],
    });
  directory.recordDeletion({ name: 'gone', sessionId: 's_gone', key: 'k', begun: ['b'] });
}

/** Writes the stores of today, as a release leaves them. */
async function keep(name: string): Promise<void> {
  await withTree(parts, {}, async (tree) => {
    await fill(tree);
    expect(tree.time.problems).toEqual([]);
    const storages = new Map(tree.addresses.flatMap((address) => storageOf(tree, address)));
    const directory = nodeStorage();
    fillDirectory(directory);
    writeFileSync(join(FOLDER, `${name}.sql`), dump(storages.set(DIRECTORY, directory)), { flag: 'wx' });
  });
}

function storageOf(tree: Tree, address: string): [string, NodeStorage][] {
  const storage = tree.world.storage(address);
  return storage ? [[address, storage]] : [];
}

/** The tree of a release, in memory no more, a day later. */
function open(tree: Tree, name: string): NodeStorage {
  const directory = nodeStorage();
  load(read(name), (of) => {
    if (of === DIRECTORY) return directory;
    tree.world.object(of);
    const [[, storage] = []] = storageOf(tree, of);
    if (storage === undefined) throw new Error(`There is no object at ${of}.`);
    return storage;
  });
  tree.crash();
  // Ids that are minted from here on are others than those that are in the stores.
  for (let token = 0; token < 10_000; token++) tree.time.environment.token();
  return directory;
}

/** Everything that the ports of an agent's store give, without the long text. */
function readAgent(tree: Tree, address: string): unknown {
  const store = tree.store(address);
  const { children, ...state } = tree.state(address);
  const all = {
    state: { ...state, children: [...children.values()] },
    runs: store.runs({}),
    steps: store.steps({}),
    messages: store.messages({}),
    audit: store.audit({}),
    outbox: store.outbox(),
    children: store.children(),
    nextChild: store.nextChild(),
    slots: ['Short', 'Middle', 'Leaf'].map((className) => store.slots(className)),
    named: store.named('ada'),
    receipt: store.receipt('start k', NOW),
    receiptKeys: store.receiptKeys(NOW),
  };
  return JSON.parse(JSON.stringify(all).replaceAll(LONG, `${LONG.length} x`));
}

async function readFiles(storage: NodeStorage): Promise<unknown> {
  const files = createFileStore(sql(storage), { now: () => NOW });
  const { items: listed } = await files.list();
  const sizes = await Promise.all(
    listed.map(async ({ path }) => (await new Response(await files.read(path)).bytes()).length),
  );
  return { listed, sizes };
}

async function readTree(tree: Tree): Promise<unknown> {
  const [[, storage] = []] = storageOf(tree, TOP);
  if (storage === undefined) throw new Error('There is no root.');
  const store = new SqlTreeStore(sql(storage));
  const all = {
    nodes: store.nodes(),
    pending: store.openPending(),
    turns: store.turns(),
    extent: store.extent(),
    log: tree.log,
    files: await readFiles(storage),
  };
  return JSON.parse(JSON.stringify(all).replaceAll(LONG, `${LONG.length} x`));
}

const kept = (): string[] => readdirSync(FOLDER).flatMap((file) => /^(.+)\.sql$/.exec(file)?.[1] ?? []);
const read = (name: string): string => readFileSync(join(FOLDER, `${name}.sql`), 'utf8');

describe('stores that a release left', () => {
  it('[SO3] are kept of the level that is released now', async () => {
    const { OFFSHOOT_KEEP_STORES: name } = process.env;
    if (name !== undefined) await keep(name);
    const released = Object.keys(JSON.parse(readFileSync(join('migrations', 'released.json'), 'utf8')));
    const levels = ['agent', 'root', DIRECTORY].map(
      (ladder) => released.filter((step) => step.startsWith(`${ladder}/`)).length,
    );
    const found = kept().map((each) => {
      const levelIn = (ladder: string) =>
        Number(new RegExp(`INTO \`offshoot_schema\` VALUES \\('${ladder}', (\\d+)\\)`).exec(read(each))?.[1] ?? 0);
      return ['agent', 'root', DIRECTORY].map(levelIn);
    });
    expect(found).toContainEqual(levels);
  });

  it.each(kept())(
    '[SO3, SO4] L43, %s: hold a row in each table, and everything in them is read as it was',
    async (name) => {
      await withTree(parts, {}, async (tree) => {
        const directory = open(tree, name);
        const tables = new Map<string, number>();
        for (const storage of [directory, ...tree.addresses.flatMap((at) => storageOf(tree, at).map(([, one]) => one))])
          for (const table of tablesOf(storage)) {
            const [row] = storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM \`${table.name}\``).toArray();
            tables.set(table.name, (tables.get(table.name) ?? 0) + (row?.n ?? 0));
          }
        expect([...tables].filter(([, rows]) => rows === 0)).toEqual([]);
        // The objects wake, and their stores are brought to the level of today.
        for (const address of tree.addresses) tree.world.object(address);
        for (const address of tree.addresses) {
          const levels = storageOf(tree, address).map(([, storage]) => schemaLevel(sql(storage), 'agent'));
          expect(levels).toEqual([AGENT_MIGRATIONS.length]);
        }
        const roots = new DirectoryStore(sql(directory), () => NOW);
        const found = {
          agents: tree.addresses.map((address) => readAgent(tree, address)),
          tree: await readTree(tree),
          roots: roots.roots({ limit: 10 }),
          deleted: [roots.wasDeleted('gone', 'k'), roots.wasDeleted('gone', 'b'), roots.wasDeleted('one', 'k')],
        };
        await expect(JSON.stringify(found, null, 1)).toMatchFileSnapshot(
          join('..', 'support', 'released', `${name}.read.txt`),
        );
      });
    },
  );

  it.each(kept())('[SO3, WT2] %s: hold a tree that waits, is answered and goes on to its end', async (name) => {
    await withTree(parts, {}, async (tree) => {
      open(tree, name);
      tree.world.object(TOP);
      await tree.rest();
      expect(tree.pending.map(({ address }) => address).sort()).toEqual([TOP, LEAF, `${TOP}/sub/leaf/1~1`].sort());
      for (let waiting = tree.pending; waiting.length > 0; waiting = tree.pending) {
        // What is said to the root waits for a moment, which comes as time passes.
        const said = waiting.map((one) => tree.answer(one, yes(one)));
        await tree.rest();
        for (const answer of await Promise.all(said)) expect(answer).toMatchObject({ ok: true });
      }
      const { extent } = JSON.parse(JSON.stringify(await readTree(tree)));
      expect(tree.log.map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: extent.last - extent.first + 1 }, (_, at) => extent.first + at),
      );
      for (const address of tree.addresses) expect(unpairedCalls(tree.transcript(address)), address).toEqual([]);
      expect(tree.nodes.map(({ status }) => status)).toEqual(tree.nodes.map(() => 'completed'));
      // The start that waited has had its turn.
      expect(
        tree
          .store()
          .runs({})
          .map(({ turn }) => turn),
      ).toEqual([1, 2, 3]);
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(tree.time.problems).toEqual([]);
    });
  });
});
