/** Every filter of every list over all roots, each alone and each two together, against a naive reading of the reports. */
import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../../src/core/definition/definition';
import {
  childrenPage,
  type Directories,
  errorsPage,
  pendingPage,
  rootsPage,
} from '../../../src/gateway/directory-route';
import { defineAgent } from '../../../src/index';
import { ERROR_CODES } from '../../../src/protocol/errors';
import { canonical, type JsonObject } from '../../../src/protocol/json';
import { NO_USAGE } from '../../../src/protocol/usage';
import * as listing from '../../../src/protocol/wire/listings';
import { DirectoryStore } from '../../../src/store/directory-store';
import { nodeStorage } from '../../../src/testing/node-storage';
import { noModel } from '../../support/no-model';

const NOW = 1_000_000;
const CLASSES = ['filter-top', 'filter-apex'];
const of = <Item>(list: readonly Item[], at: number): Item => list[at % list.length] as Item;

/** Optional fields are missing in some of them, and no two filters choose the same ones. */
const reports = Array.from({ length: 30 }, (_, at) => {
  const name = `${of(['Ann', 'bo', 'cy'], at)}-${at}`;
  const addressClass = of(CLASSES, Math.floor(at / 3));
  const address = `/agents/${addressClass}/${name}`;
  const root = {
    ...{ name, sessionId: `s_${at}`, createdAt: NOW - at * 7, lastActivity: NOW - (at % 5) * 100 },
    ...{
      status: of(['running', 'failed', 'completed'] as const, at),
      tags: of([[], ['red'], ['red', 'blue']], at + 1),
    },
    ...(at % 4 === 0 ? {} : { title: `Title of ${of(['plans', 'ANN', 'tests'], at)}` }),
    ...(at % 5 === 0 ? {} : { displayName: `D${at}`, preview: 'Go', steps: at, pendingCount: 1, failedCount: at % 3 }),
    ...(at % 3 === 1 ? { error: { code: 'model_error', message: 'No.' } } : {}),
    ...(at % 2 === 0 ? { usage: { ...NO_USAGE, inputTokens: at } } : {}),
  };
  const call = {
    ...{ toolCallId: `c_${at}`, requestedAt: NOW - (at % 7), toolName: of(['send', 'publish'], at), preview: 'x' },
    ...{ kind: of(['approval', 'client-tool'] as const, Math.floor(at / 2)), address, agentType: 'leaf' },
    ...(at % 3 === 0 ? { expiresAt: NOW + at } : {}),
  };
  const failed = {
    ...{ runId: `r_${at}`, at: NOW - at * 5, message: `No ${at}.`, pattern: of(['No …', 'Never …'], at), address },
    ...{ code: of(['model_error', 'tool_failed'], Math.floor(at / 2)), agentType: of(['leaf', 'twig'], at + 1) },
  };
  const child = {
    ...{
      sessionId: `s_${at}_1`,
      address: `${address}/sub/leaf/${of(['ada', 'EVE'], at)}`,
      name: of(['ada', 'EVE'], at),
    },
    ...{ agentType: of(['leaf', 'twig'], at), mode: of(['ephemeral', 'persistent'] as const, Math.floor(at / 2)) },
    ...{ placement: of(['facet', 'object', 'remote'] as const, at), status: 'completed' as const, task: at + 1 },
    ...{ usage: NO_USAGE, createdAt: NOW - at, lastActivity: NOW - (at % 9) },
    ...(at % 4 === 1 ? { stopOwed: { verb: 'abort', runId: 'r_1', since: 1, attempts: 1, nextAt: 2 } as const } : {}),
  };
  return { addressClass, address, root, call, failed, child };
});

function directories(): Directories {
  const definitions = new Map<string, AgentDefinition>();
  const stores = new Map<string, DirectoryStore>();
  for (const name of CLASSES) {
    const definition = defineAgent({ name, systemPrompt: 'Work.', model: noModel });
    const store = new DirectoryStore(nodeStorage(), () => NOW);
    definitions.set(definition.className, definition);
    stores.set(definition.className, store);
    for (const { addressClass, root, call, failed, child } of reports)
      if (addressClass === name) store.report({ ...root, pending: [call], failures: [failed], children: [child] });
  }
  return { definitions, exports: { OffshootDirectory: { getByName: (name: string) => stores.get(name) } } };
}

type One = (typeof reports)[number];
const holds = (text: string | undefined, part: string): boolean =>
  text?.toLowerCase().includes(part.toLowerCase()) ?? false;
const titled = (code: string) => ({ title: ERROR_CODES[code as 'model_error'].title });

/** A list: its items of a root, by the promise, and which of them each value of each filter chooses. */
interface List {
  readonly schema: typeof listing.rootsInput | typeof listing.listedChildrenInput | typeof listing.listedErrorsInput;
  page(given: Directories, input: never): Promise<{ readonly items: readonly object[]; readonly causes?: unknown }>;
  shown(one: One): object;
  readonly filters: Readonly<Record<string, readonly (readonly [string, (one: One) => boolean])[]>>;
}

const ofClass = { agent: CLASSES.map((name) => [name, (one: One) => one.addressClass === name] as const) };

const LISTS: Readonly<Record<string, List>> = {
  roots: {
    schema: listing.rootsInput,
    page: rootsPage,
    shown: ({ root, address, addressClass }) => ({
      ...{ address, agentType: addressClass, ...root },
      ...(root.error ? { error: { ...root.error, ...titled(root.error.code) } } : {}),
    }),
    filters: {
      ...ofClass,
      status: [
        ['failed', ({ root }) => root.status === 'failed'],
        ['running,completed', ({ root }) => root.status !== 'failed'],
      ],
      tag: [
        ['blue', ({ root }) => root.tags.includes('blue')],
        ['re', () => false],
      ],
      q: ['ann', 'BLUE', 'lans', 'D7', 'zz'].map(
        (text) =>
          [
            text,
            ({ root }: One) => holds(root.name, text) || holds(root.title, text) || holds(root.tags.join(), text),
          ] as const,
      ),
      sort: [
        ['createdAt', () => true],
        ['lastActivity', () => true],
      ],
    },
  },
  pending: {
    schema: listing.listedPendingInput as never,
    page: pendingPage,
    shown: ({ call, address }) => ({ ...call, root: address }),
    filters: {
      ...ofClass,
      kind: ['approval', 'client-tool'].map((kind) => [kind, ({ call }: One) => call.kind === kind] as const),
      tool: ['send', 'sen'].map((tool) => [tool, ({ call }: One) => call.toolName === tool] as const),
    },
  },
  errors: {
    schema: listing.listedErrorsInput,
    page: errorsPage,
    shown: ({ failed, address }) => ({ ...failed, root: address, ...titled(failed.code) }),
    filters: {
      ...ofClass,
      cause: ['tool_failed', 'timeout'].map((code) => [code, ({ failed }: One) => failed.code === code] as const),
      pattern: ['No …', 'No'].map((pattern) => [pattern, ({ failed }: One) => failed.pattern === pattern] as const),
      type: ['leaf', 'twig'].map((type) => [type, ({ failed }: One) => failed.agentType === type] as const),
      since: [NOW - 60, NOW - 61].map((since) => [String(since), ({ failed }: One) => failed.at >= since] as const),
    },
  },
  children: {
    schema: listing.listedChildrenInput,
    page: childrenPage,
    shown: ({ child, address }) => ({ ...child, root: address }),
    filters: {
      ...ofClass,
      mode: ['ephemeral', 'persistent'].map((mode) => [mode, ({ child }: One) => child.mode === mode] as const),
      placement: ['facet', 'object', 'remote'].map(
        (place) => [place, ({ child }: One) => child.placement === place] as const,
      ),
      type: ['leaf', 'twig'].map((type) => [type, ({ child }: One) => child.agentType === type] as const),
      q: ['eve', 'BO-1', 'title'].map((text) => [text, ({ child }: One) => holds(child.address, text)] as const),
      owing: [
        ['1', ({ child }) => 'stopOwed' in child],
        ['0', () => true],
      ],
    },
  },
};

/** Items without their order: `directory-route.test.ts` proves that. */
const sorted = (items: readonly object[]) => items.map((item) => canonical(item as JsonObject)).sort();

describe.each(Object.entries(LISTS))('the list of %s', (_name, { schema, page, shown, filters }) => {
  const all = directories();
  const asked = async (input: JsonObject) => page(all, schema.parse({ limit: '100', ...input }) as never);
  const expected = (is: (one: One) => boolean) => sorted(reports.filter(is).map(shown));

  it('[A28, A84, A85, A86, A87] has every item whole, and its filters are those of its input', async () => {
    expect(sorted((await asked({})).items)).toEqual(expected(() => true));
    expect(Object.keys(filters).sort()).toEqual(
      Object.keys(schema.shape)
        .filter((name) => name !== 'cursor' && name !== 'limit')
        .sort(),
    );
  });

  it('[A28, A84, A85, A86, A87] has what every value of every filter says, alone and with another filter', async () => {
    const values = Object.entries(filters).flatMap(([name, of]) => of.map(([value, is]) => ({ name, value, is })));
    for (const [at, one] of values.entries())
      for (const other of values.slice(at)) {
        if (one.name === other.name && one !== other) continue;
        const input = { [one.name]: one.value, [other.name]: other.value };
        const { items, causes } = await asked(input);
        const is = (each: One) => one.is(each) && other.is(each);
        expect([input, sorted(items)]).toEqual([input, expected(is)]);
        if (causes === undefined) continue;
        const counted = (causes as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
        expect([input, counted]).toEqual([input, items.length]);
      }
  });
});
