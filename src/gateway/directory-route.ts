/** The lists of agents and roots. */

import { Buffer } from 'node:buffer';
import * as z from 'zod';
import type { AgentDefinition } from '../core/definition/definition';
import { jsonSchemaOf } from '../core/definition/schema';
import type { RootReport } from '../core/ports/directory';
import { PAGE_LIMITS } from '../protocol/data-limits';
import { refuse } from '../protocol/errors';
import * as shape from '../protocol/shapes';
import { directoryStub, type Exports } from './objects';

/** Which roots are listed. */
export const rootsInput = shape.pageInput.extend({
  agent: z.string().max(128).optional().describe('The class in addresses.'),
  status: shape.sessionStatus.optional(),
  tag: z.string().max(64).optional(),
});

/** The agent types, by name. */
export function agentsPage(
  definitions: ReadonlyMap<string, AgentDefinition>,
  input: z.output<typeof shape.pageInput>,
): object {
  const all = [...definitions.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (input.cursor !== undefined && !all.some(({ name }) => name === input.cursor)) refuseCursor();
  const rest = all.filter(({ name }) => input.cursor === undefined || name > input.cursor);
  const items = rest.slice(0, input.limit ?? PAGE_LIMITS.size);
  const last = items.at(-1);
  return { items: items.map(shown), ...(last && rest.length > items.length ? { cursor: last.name } : {}) };
}

function shown(definition: AgentDefinition) {
  const { name, addressClass, description, root, tools, inputSchema, outputSchema, stateSchema } = definition;
  return {
    agentType: name,
    addressClass,
    description,
    root,
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
    ...(inputSchema ? { inputSchema: jsonSchemaOf(inputSchema) } : {}),
    ...(outputSchema ? { outputSchema: jsonSchemaOf(outputSchema) } : {}),
    ...(stateSchema ? { stateSchema: jsonSchemaOf(stateSchema) } : {}),
  };
}

interface Position {
  readonly createdAt: number;
  readonly className: string;
  readonly name: string;
}

/** The roots of all classes, newest first: each directory gives its newest, and they are merged here. */
export async function rootsPage(
  definitions: ReadonlyMap<string, AgentDefinition>,
  exports: Exports,
  input: z.output<typeof rootsInput>,
): Promise<object> {
  const { agent, status, tag } = input;
  const limit = input.limit ?? PAGE_LIMITS.size;
  const after = input.cursor === undefined ? undefined : positionOf(input.cursor);
  const classes = [...definitions.values()].filter(({ addressClass }) => agent === undefined || addressClass === agent);
  const lists = await Promise.all(
    classes.map(async (definition) => {
      const query = {
        limit: limit + 1,
        ...(after ? { after: afterIn(definition.className, after) } : {}),
        ...(status ? { status } : {}),
        ...(tag === undefined ? {} : { tag }),
      };
      const roots = await directoryStub(exports, definition.className).roots(query);
      return roots.map((root) => ({ root, definition }));
    }),
  );
  const merged = lists
    .flat()
    .sort(
      (a, b) =>
        b.root.createdAt - a.root.createdAt ||
        compare(a.definition.className, b.definition.className) ||
        compare(a.root.name, b.root.name),
    );
  const items = merged.slice(0, limit);
  const last = items.at(-1);
  const more =
    last && merged.length > limit
      ? {
          cursor: cursorFor({
            createdAt: last.root.createdAt,
            className: last.definition.className,
            name: last.root.name,
          }),
        }
      : {};
  return { items: items.map(({ root, definition }) => shownRoot(root, definition)), ...more };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Where a class goes on: classes before the cursor's have had their roots of that time, those after it have not. */
function afterIn(className: string, { createdAt, className: at, name }: Position): { createdAt: number; name: string } {
  if (className === at) return { createdAt, name };
  return { createdAt, name: className < at ? '\u{10ffff}' : '' };
}

function shownRoot(root: RootReport, definition: AgentDefinition) {
  return { address: `/agents/${definition.addressClass}/${root.name}`, agentType: definition.name, ...root };
}

function cursorFor({ createdAt, className, name }: Position): string {
  return Buffer.from(JSON.stringify([createdAt, className, name])).toString('base64url');
}

function positionOf(cursor: string): Position {
  try {
    const [createdAt, className, name] = z
      .tuple([z.int().nonnegative(), z.string(), z.string()])
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    const position = { createdAt, className, name };
    // The same position can be written in other ways, which no page does.
    if (cursorFor(position) === cursor) return position;
  } catch {
    // Refused below.
  }
  refuseCursor();
}

function refuseCursor(): never {
  refuse('invalid_cursor', 'The cursor is none that this list gave. Leave it out to begin with the first page.');
}
