/**
 * The lists of agents and roots, and of what is in the trees of all roots: from the directories, which wake no root.
 *
 * Keeps A28, A84, A85, A86, A87, A88.
 */

import { Buffer } from 'node:buffer';
import * as z from 'zod';
import { CAPABILITIES } from '../capabilities';
import { allTools } from '../core/agent/seat';
import { type AgentDefinition, type AnyTool, RELATIONSHIP } from '../core/definition/definition';
import { argumentsSchema, jsonSchemaOf } from '../core/definition/schemas/schema';
import { shownSettings } from '../core/definition/settings/settings';
import type { CauseCount, ListedAt, ListedQuery, ListedRoot, ListPosition } from '../core/ports/directory';
import { LISTED_LIMITS, PAGE_LIMITS } from '../protocol/data-limits';
import { refuse, titleOf } from '../protocol/errors';
import type * as listing from '../protocol/wire/listings';
import type * as shape from '../protocol/wire/shapes';
import { type DirectoryStub, directoryStub, type Exports } from './objects';

/** What a list over all roots is made from. */
export interface Directories {
  readonly definitions: ReadonlyMap<string, AgentDefinition>;
  readonly exports: Exports;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string;
}

/** The agent types, by name. `env` is that of the Worker: it may decide on models. */
export async function agentsPage(
  definitions: ReadonlyMap<string, AgentDefinition>,
  env: object,
  input: z.output<typeof shape.pageInput>,
): Promise<Page<z.input<typeof listing.listedAgent>>> {
  const all = [...definitions.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (input.cursor !== undefined && !all.some(({ name }) => name === input.cursor)) refuseCursor();
  const rest = all.filter(({ name }) => input.cursor === undefined || name > input.cursor);
  const items = await Promise.all(rest.slice(0, input.limit ?? PAGE_LIMITS.size).map((one) => shownAgent(one, env)));
  const last = items.at(-1);
  return { items, ...(last && rest.length > items.length ? { cursor: last.agentType } : {}) };
}

async function shownAgent(definition: AgentDefinition, env: object): Promise<z.input<typeof listing.listedAgent>> {
  const { name, addressClass, title, description, root, inputSchema, outputSchema, stateSchema } = definition;
  return {
    agentType: name,
    addressClass,
    ...(title === undefined ? {} : { title }),
    description,
    root,
    ...(await modelOf(definition, env)),
    settings: shownSettings(definition.settings),
    examples: definition.examples,
    tools: allTools(definition, CAPABILITIES).map(({ tool, side }) => ({
      ...shownTool(tool),
      ...(side === undefined ? {} : { side }),
    })),
    ...(inputSchema ? { inputSchema: jsonSchemaOf(inputSchema) } : {}),
    ...(outputSchema ? { outputSchema: jsonSchemaOf(outputSchema) } : {}),
    ...(stateSchema ? { stateSchema: jsonSchemaOf(stateSchema) } : {}),
  };
}

/** Models of this provider need no other side. */
const OWN_PROVIDER = 'offshoot';

/** The model of an agent in this environment; nothing where it has no name, or cannot be made, as without its key. */
async function modelOf({ model }: AgentDefinition, env: object) {
  try {
    const found = typeof model === 'function' ? await model(env) : model;
    if (!('modelId' in found)) return {};
    const { provider, modelId } = found;
    return { model: { id: `${provider}/${modelId}`, offline: provider === OWN_PROVIDER } };
  } catch {
    return {};
  }
}

function shownTool(tool: AnyTool): z.input<typeof listing.listedAgent>['tools'][number] {
  const { name, description, replay, requireApproval, inputSchema, outputSchema, runsAt } = tool;
  const kind = tool[RELATIONSHIP] ? 'sub-agent' : runsAt === 'client' ? 'client-tool' : 'tool';
  const asks = typeof requireApproval === 'boolean' ? (requireApproval ? 'always' : 'never') : 'sometimes';
  return {
    ...{ name, description, kind, replay },
    requiresApproval: asks,
    inputSchema: jsonSchemaOf(argumentsSchema(inputSchema)),
    ...(outputSchema ? { outputSchema: jsonSchemaOf(outputSchema, 'output') } : {}),
  };
}

/** The roots of all classes, the latest first. */
export function rootsPage(
  directories: Directories,
  { agent, status, tag, q, sort = 'createdAt', cursor, limit }: z.output<typeof listing.rootsInput>,
): Promise<Page<z.input<typeof listing.listedRoot>>> {
  const asked = {
    by: sort,
    ...(status ? { statuses: status } : {}),
    ...(tag === undefined ? {} : { tag }),
    ...(q === undefined ? {} : { q }),
  };
  return pageOver(directories, { agent, cursor, limit, latestFirst: true }, async (stub, definition, place) => {
    const found = await stub.roots({ ...asked, ...place });
    return found.map((root) => ({ at: root[sort], key: root.name, item: shownRoot(root, definition) }));
  });
}

function shownRoot(root: ListedRoot, definition: AgentDefinition): z.input<typeof listing.listedRoot> {
  const { error, ...facts } = root;
  const failed = error ? { error: { ...error, ...titleOf(error.code) } } : {};
  return { address: rootAddress(definition, root.name), agentType: definition.name, ...facts, ...failed };
}

const rootAddress = ({ addressClass }: AgentDefinition, name: string): string => `/agents/${addressClass}/${name}`;

/** The same of something that is listed by the root's name and an id. */
const rootOf = (definition: AgentDefinition, { key }: ListPosition): string =>
  rootAddress(definition, key.slice(0, key.indexOf('/')));

/** What waits for a person under any root, the one asked first at the front. */
export function pendingPage(
  directories: Directories,
  { agent, kind, tool, cursor, limit }: z.output<typeof listing.listedPendingInput>,
): Promise<Page<z.input<typeof listing.listedCall>>> {
  const where = whereOf({ kind, toolName: tool });
  return pageOver(directories, { agent, cursor, limit, latestFirst: false }, async (stub, definition, place) =>
    withRoots(definition, await stub.pending({ where, ...place })),
  );
}

/** Runs that failed under any root, the newest first, with their causes. */
export async function errorsPage(
  directories: Directories,
  { agent, cause, type, pattern, since = 0, cursor, limit }: z.output<typeof listing.listedErrorsInput>,
): Promise<z.input<typeof listing.errorsPage>> {
  const where = whereOf({ code: cause, agentType: type, pattern });
  const page = await pageOver(
    directories,
    { agent, cursor, limit, latestFirst: true },
    async (stub, definition, place) => {
      const found = withRoots(definition, await stub.errors({ where, since, ...place }));
      return found.map(({ item, ...at }) => ({ ...at, item: { ...item, ...titleOf(item.code) } }));
    },
  );
  const counts = await Promise.all(classesOf(directories, agent).map(({ stub }) => stub.causes(since, where)));
  return { ...page, causes: causesOf(counts.flat()) };
}

/** The same cause in several classes is one. */
function causesOf(counts: readonly CauseCount[]): z.input<typeof listing.listedCause>[] {
  const sums = new Map<string, CauseCount>();
  for (const one of counts) {
    const { code, agentType, pattern } = one;
    const key = `${code} ${agentType} ${pattern}`;
    const sum = sums.get(key);
    const lastAt = Math.max(one.lastAt, sum?.lastAt ?? 0);
    sums.set(key, { ...one, count: one.count + (sum?.count ?? 0), lastAt });
  }
  const sorted = [...sums.values()].sort((one, other) => other.count - one.count || other.lastAt - one.lastAt);
  return sorted.slice(0, LISTED_LIMITS.causes).map((one) => ({ ...one, ...titleOf(one.code) }));
}

/** Companions and remote sub-agents of all roots, the most recently active first. */
export function childrenPage(
  directories: Directories,
  { agent, mode, placement, type, q, owing, cursor, limit }: z.output<typeof listing.listedChildrenInput>,
): Promise<Page<z.input<typeof listing.listedChild>>> {
  const where = whereOf({ mode, placement, agentType: type });
  const more = { ...(q === undefined ? {} : { q }), ...(owing ? { owing } : {}) };
  return pageOver(directories, { agent, cursor, limit, latestFirst: true }, async (stub, definition, place) =>
    withRoots(definition, await stub.children({ where, ...more, ...place })),
  );
}

function whereOf(fields: { readonly [field: string]: string | undefined }): NonNullable<ListedQuery['where']> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
  );
}

function withRoots<Item extends object>(definition: AgentDefinition, found: readonly ListedAt<Item>[]) {
  return found.map((one) => ({ ...one, item: { ...one.item, root: rootOf(definition, one) } }));
}

interface Asked {
  /** The class in addresses; all by default. */
  readonly agent: string | undefined;
  readonly cursor: string | undefined;
  readonly limit: number | undefined;
  readonly latestFirst: boolean;
}

interface Place {
  readonly limit: number;
  readonly after?: ListPosition;
}

function classesOf({ definitions, exports }: Directories, agent: string | undefined) {
  return [...definitions.values()]
    .filter(({ addressClass }) => agent === undefined || addressClass === agent)
    .map((definition) => ({ definition, stub: directoryStub(exports, definition.className) }));
}

/** A page over all classes: each directory gives its first ones after the place, and they are merged here. */
async function pageOver<Item>(
  directories: Directories,
  { agent, cursor, limit = PAGE_LIMITS.size, latestFirst }: Asked,
  ask: (stub: DirectoryStub, definition: AgentDefinition, place: Place) => Promise<readonly ListedAt<Item>[]>,
): Promise<Page<Item>> {
  const after = cursor === undefined ? undefined : positionOf(cursor);
  const lists = await Promise.all(
    classesOf(directories, agent).map(async ({ definition, stub }) => {
      const { className } = definition;
      const place = { limit: limit + 1, ...(after ? { after: afterIn(className, after) } : {}) };
      return (await ask(stub, definition, place)).map((one) => ({ ...one, className }));
    }),
  );
  const merged = lists
    .flat()
    .sort(
      (a, b) => (latestFirst ? b.at - a.at : a.at - b.at) || compare(a.className, b.className) || compare(a.key, b.key),
    );
  const items = merged.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(({ item }) => item),
    ...(last && merged.length > limit ? { cursor: cursorFor(last) } : {}),
  };
}

interface Position extends ListPosition {
  readonly className: string;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Where a class goes on: classes before the cursor's have had theirs of that time, those after it have not. */
function afterIn(className: string, { at, className: reached, key }: Position): ListPosition {
  if (className === reached) return { at, key };
  return { at, key: className < reached ? '\u{10ffff}' : '' };
}

function cursorFor({ at, className, key }: Position): string {
  return Buffer.from(JSON.stringify([at, className, key])).toString('base64url');
}

function positionOf(cursor: string): Position {
  try {
    const [at, className, key] = z
      .tuple([z.int().nonnegative(), z.string(), z.string()])
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    const position = { at, className, key };
    // The same position can be written in other ways, which no page does.
    if (cursorFor(position) === cursor) return position;
  } catch {
    // Refused below.
  }
  refuseCursor();
}

function refuseCursor(): never {
  refuse('invalid_cursor', 'The cursor is not from this list. Omit it to begin with the first page.');
}
