/** Lists over several directories: what the Worker makes of what each of them gives. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition } from '../../../src/core/definition/definition';
import {
  agentsPage,
  childrenPage,
  type Directories,
  errorsPage,
  pendingPage,
  rootsPage,
} from '../../../src/gateway/directory-route';
import { createSubAgentTool, defineAgent, defineTool } from '../../../src/index';
import { NO_USAGE } from '../../../src/protocol/usage';
import { DirectoryStore } from '../../../src/store/directory-store';
import { nodeStorage } from '../../../src/testing/node-storage';
import { noModel } from '../../support/no-model';

const NOW = 1_000_000;
const CODES = ['model_error', 'tool_failed', 'timeout'];

/** Directories of these classes, each with an own store. */
function directoriesOf(...names: readonly string[]) {
  const stores = new Map<string, DirectoryStore>();
  const definitions = new Map<string, AgentDefinition>();
  for (const name of names) {
    const definition = defineAgent({ name, systemPrompt: 'Work.', model: noModel });
    definitions.set(definition.className, definition);
    stores.set(definition.className, new DirectoryStore(nodeStorage(), () => NOW));
  }
  const exports = { OffshootDirectory: { getByName: (name: string) => stores.get(name) } };
  const directories: Directories = { definitions, exports };
  return { directories, stores: [...stores.values()] };
}

/** A root with a failed run, a call that waits and a companion. Times come twice: those of one time need an order, too. */
const reportOf = (at: number) => ({
  ...{ name: `n${at}`, sessionId: `s_${at}`, createdAt: NOW - (at % 7), lastActivity: NOW - (at % 5) },
  ...{ status: 'failed', tags: [] },
  children: [
    {
      ...{ sessionId: `s_${at}_1`, address: `/agents/top/n${at}/sub/leaf/ada`, name: 'ada', agentType: 'leaf' },
      ...{ mode: 'persistent' as const, placement: 'facet' as const, status: 'completed' as const, task: 1 },
      ...{ usage: NO_USAGE, createdAt: NOW - at, lastActivity: NOW - ((at * 7) % 9) },
    },
  ],
  failures: [
    {
      ...{
        runId: `r${at}`,
        at: NOW - ((at * 11) % 13),
        code: CODES[Math.floor(at / 3) % CODES.length] ?? '',
        message: 'No.',
      },
      ...{ pattern: 'No.', address: `/agents/top/n${at}`, agentType: 'top' },
    },
  ],
  pending: [
    {
      ...{ toolCallId: `c${at}`, requestedAt: NOW - ((at * 5) % 11), toolName: 'send', kind: 'approval' as const },
      ...{ address: `/agents/top/n${at}`, agentType: 'top', preview: '' },
    },
  ],
});

/** The items of all pages of a list, read with pages of that size. */
async function allOf<Item>(
  limit: number,
  page: (place: {
    limit: number;
    cursor: string | undefined;
  }) => Promise<{ items: readonly Item[]; cursor?: string | undefined }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const next = await page({ limit, cursor });
    all.push(...next.items);
    if (all.length > 1_000) expect.fail('The list does not end.');
    if (next.cursor === undefined) return all;
    cursor = next.cursor;
  }
}

describe('a list over the roots of several classes', () => {
  const NONE = { agent: undefined };
  const one = directoriesOf('top');
  const several = directoriesOf('top', 'apex', 'zenith');
  for (let at = 0; at < 40; at++) {
    one.stores[0]?.report(reportOf(at));
    several.stores[at % several.stores.length]?.report(reportOf(at));
  }

  it('[A85] counts causes as if all were of one class, each with its last time', async () => {
    const causesOf = async ({ directories }: typeof one) =>
      (await errorsPage(directories, { ...NONE, limit: 1 } as never)).causes.toSorted((a, b) =>
        a.code < b.code ? -1 : 1,
      );
    const causes = await causesOf(one);
    expect(causes.map(({ code }) => code)).toEqual([...CODES].sort());
    expect(await causesOf(several)).toEqual(causes);
  });

  it('[A28, A84, A85, A86] has each item once, in order, however many are on a page', async () => {
    const lists = {
      failures: (place: object) => errorsPage(several.directories, { ...NONE, ...place } as never),
      waiting: (place: object) => pendingPage(several.directories, { ...NONE, ...place } as never),
      children: (place: object) => childrenPage(several.directories, { ...NONE, ...place } as never),
      created: (place: object) => rootsPage(several.directories, { ...NONE, ...place } as never),
      active: (place: object) => rootsPage(several.directories, { ...NONE, sort: 'lastActivity', ...place } as never),
    };
    const idsOf = (items: readonly object[]) => items.map((item) => JSON.stringify(item));
    for (const list of Object.values(lists)) {
      const whole = idsOf(await allOf<object>(100, list));
      expect(new Set(whole).size).toBe(40);
      for (const limit of [1, 3, 7]) expect(idsOf(await allOf<object>(limit, list))).toEqual(whole);
    }
    const times = async <Item>(
      list: (place: object) => Promise<{ items: readonly Item[] }>,
      of: (item: Item) => number,
    ) => (await allOf(100, list as never)).map((item) => of(item as Item));
    const newestFirst = (all: readonly number[]) => all.toSorted((a, b) => b - a);
    const failed = await times(lists.failures, ({ at }) => at);
    expect(failed).toEqual(newestFirst(failed));
    const created = await times(lists.created, ({ createdAt }) => createdAt);
    expect(created).toEqual(newestFirst(created));
    const active = await times(lists.active, ({ lastActivity }) => lastActivity);
    expect(active).toEqual(newestFirst(active));
    const children = await times(lists.children, ({ lastActivity }) => lastActivity);
    expect(children).toEqual(newestFirst(children));
    const waiting = await times(lists.waiting, ({ requestedAt }) => requestedAt);
    expect(waiting).toEqual(newestFirst(waiting).reverse());
  });
});

const QUESTION = z.object({ question: z.string() });
const ANSWER = z.object({ answer: z.string() });
const KEPT = z.object({ count: z.int().default(0) });
const look = defineTool({
  ...{ name: 'look', description: 'Looks.', inputSchema: QUESTION, outputSchema: ANSWER },
  ...{ replay: 'safe' as const, execute: () => ({ answer: '' }) },
});
const plain = { systemPrompt: 'Work.', model: noModel };
const leaf = defineAgent({ ...plain, name: 'listed-leaf' });
const TYPES = [
  leaf,
  defineAgent({ ...plain, name: 'listed-input', inputSchema: QUESTION }),
  defineAgent({ ...plain, name: 'listed-output', outputSchema: ANSWER }),
  defineAgent({ ...plain, name: 'listed-state', stateSchema: KEPT }),
  defineAgent({ ...plain, name: 'listed-tools', tools: [look, createSubAgentTool(leaf, QUESTION)] }),
];
const types = new Map(TYPES.map((definition) => [definition.className, definition]));

describe('the list of agent types', () => {
  it('[A28] has each once, by name, however many are on a page, and takes its own cursors alone', async () => {
    const names = TYPES.map(({ name }) => name).sort();
    for (const limit of [1, 2, 4, 5, 6])
      expect((await allOf(limit, (place) => agentsPage(types, {}, place))).map(({ agentType }) => agentType)).toEqual(
        names,
      );
    for (const name of names) await expect(agentsPage(types, {}, { cursor: name })).resolves.toBeDefined();
    for (const cursor of ['', 'listed', 'zz', 'listed-leaf '])
      await expect(agentsPage(types, {}, { cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('[A28] lists of each the schemas that it has, and no other', async () => {
    const { items } = await agentsPage(types, {}, {});
    const told = items.map(({ agentType, inputSchema, outputSchema, stateSchema }) => [
      agentType,
      ...[inputSchema, outputSchema, stateSchema].map((schema) =>
        Object.keys(Object(Reflect.get(Object(schema), 'properties'))).join(),
      ),
    ]);
    expect(told).toEqual([
      ['listed-input', 'question', '', ''],
      ['listed-leaf', '', '', ''],
      ['listed-output', '', 'answer', ''],
      ['listed-state', '', '', 'count'],
      ['listed-tools', '', '', ''],
    ]);
  });

  it('[A88] lists the facts and schemas of each tool', async () => {
    const { items } = await agentsPage(types, {}, {});
    const tools = items.find(({ agentType }) => agentType === 'listed-tools')?.tools ?? [];
    expect(tools).toContainEqual({
      ...{ name: 'look', description: 'Looks.', kind: 'tool', replay: 'safe', requiresApproval: 'never' },
      inputSchema: expect.objectContaining({ properties: { question: { type: 'string' } } }),
      outputSchema: expect.objectContaining({ properties: { answer: { type: 'string' } } }),
    });
    const facts = tools.map((tool) => Object.keys(tool).sort().join());
    const all = ['description', 'inputSchema', 'kind', 'name', 'replay', 'requiresApproval'].join();
    expect(facts.every((keys) => keys.replace('outputSchema,', '') === all)).toBe(true);
    expect(tools.map(({ kind }) => kind)).toContain('sub-agent');
  });
});
