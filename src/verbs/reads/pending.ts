/**
 * What waits for a person in a subtree, from the record of the root: no agent is woken.
 *
 * Keeps A35, AN12, SU1.
 */
import type * as z from 'zod';
import type { AgentDefinition } from '../../core/definition/definition';
import { argumentsSchema } from '../../core/definition/schemas/schema';
import type { TreeNode } from '../../core/tree/node';
import type { Environment } from '../../engine/environment';
import { type FieldProblem, parseNow } from '../../engine/perform/check-calls';
import { inputHashOf } from '../../engine/perform/input-hash';
import type { RootRuntime } from '../../engine/root/root';
import { PAGE_LIMITS } from '../../protocol/data-limits';
import { OffshootError } from '../../protocol/errors';
import * as shape from '../../protocol/wire/shapes';
import { fromTree } from '../verb';
import { definitionIn } from './definition-in';
import { limitOf, type Page, type PageInput } from './pages';

type PendingItem = z.output<typeof shape.pendingItem>;
type Waiting = ReturnType<RootRuntime['pending']>[number];

/** The position of an item: calls of one step come in their order, because their ids get longer and larger. */
interface Position {
  readonly requestedAt: number;
  readonly toolCallId: string;
}

function compare(one: Position, other: Position): number {
  const [a, b] = [one.toolCallId, other.toolCallId];
  return one.requestedAt - other.requestedAt || a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function shown(tree: RootRuntime, top: AgentDefinition, { node, item }: Waiting): PendingItem {
  const { toolCallId, kind, toolName, input, requestedAt, expiresAt } = item;
  const { address, agentType } = item.at ?? node;
  const until = expiresAt === undefined ? {} : { expiresAt };
  const invalidFields = misfits(top, node, item);
  return {
    toolCallId,
    kind,
    toolName,
    input,
    inputHash: hashOf(tree.deps.environment, item),
    address,
    agentType,
    requestedAt,
    ...until,
    ...(invalidFields.length === 0 ? {} : { invalidFields }),
  };
}

/** Items stay the same objects as long as they wait, and are shown with every status. */
const hashes = new WeakMap<object, string>();

function hashOf(environment: Environment, item: Waiting['item']): string {
  const known = hashes.get(item) ?? inputHashOf(environment, item.input);
  hashes.set(item, known);
  return known;
}

const fitted = new WeakMap<object, readonly FieldProblem[]>();

/**
 * The arguments of an approval that do not match its tool any more. They matched when the call was made, so the
 * schema is of a newer version; what only an answer finds out (AN10), as of a tool of an agent that took over, is not in it.
 */
function misfits(top: AgentDefinition, { agentType }: TreeNode, item: Waiting['item']): readonly FieldProblem[] {
  if (item.kind !== 'approval' || item.at) return [];
  const known = fitted.get(item);
  if (known) return known;
  const definition = definitionIn(top, agentType);
  const tool =
    definition?.handoffs.length === 0 ? definition.tools.find(({ name }) => name === item.toolName) : undefined;
  const checked = tool && parseNow(argumentsSchema(tool.inputSchema), structuredClone(item.input));
  const found = checked?.ok === false ? (checked.fields ?? []) : [];
  fitted.set(item, found);
  return found;
}

function inOrder(tree: RootRuntime, node: TreeNode): Waiting[] {
  return tree.pending(node).sort((one, other) => compare(one.item, other.item));
}

/** The first of what waits at or below an agent, as its status document has them. */
export function firstPending(tree: RootRuntime, node: TreeNode, top: AgentDefinition): PendingItem[] {
  return bounded(inOrder(tree, node).slice(0, PAGE_LIMITS.size), STATUS_CHARACTERS).map((waiting) =>
    shown(tree, top, waiting),
  );
}

/** So many characters of arguments fit into a page, and into a status document; the first item always does. */
const PAGE_CHARACTERS = 8_000_000;
const STATUS_CHARACTERS = 1_000_000;

function bounded(waiting: readonly Waiting[], most: number): readonly Waiting[] {
  let size = 0;
  const end = waiting.findIndex(({ item }, index) => {
    size += JSON.stringify(item.input).length;
    return index > 0 && size > most;
  });
  return end < 0 ? waiting : waiting.slice(0, end);
}

const CURSOR = /^(0|[1-9]\d{0,15})\.(.{1,1024})$/s;

/** An item that was answered since still marks its position, so that none of the others is left out. */
function positionOf({ cursor }: PageInput): Position | undefined {
  if (cursor === undefined) return undefined;
  const [, requestedAt, toolCallId] = CURSOR.exec(cursor) ?? [];
  if (requestedAt === undefined || toolCallId === undefined)
    throw new OffshootError(
      'invalid_cursor',
      'The cursor is not from this list. Omit it to begin with the first page.',
    );
  return { requestedAt: Number(requestedAt), toolCallId };
}

function page(
  tree: RootRuntime,
  top: AgentDefinition,
  waiting: readonly Waiting[],
  input: PageInput,
): Page<PendingItem> {
  const after = positionOf(input);
  const limit = limitOf(input);
  const rest = after ? waiting.filter(({ item }) => compare(item, after) > 0) : waiting;
  const items = bounded(rest.slice(0, limit), PAGE_CHARACTERS).map((each) => shown(tree, top, each));
  const last = items.at(-1);
  return rest.length > items.length && last ? { items, cursor: `${last.requestedAt}.${last.toolCallId}` } : { items };
}

/** The pending calls. */
export const pending = fromTree({
  name: 'pending',
  method: 'GET',
  path: 'pending',
  action: 'read',
  summary: 'The pending calls at and below the agent, oldest first.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(shape.pendingItem),
  handle({ object, tree, node, call: { token }, input }) {
    const waiting = inOrder(tree, node);
    // TK5. Who was let in for one call sees that one.
    const shownOf = token?.call === undefined ? waiting : waiting.filter(({ item }) => item.toolCallId === token.call);
    return { body: page(tree, object.ports.definition, shownOf, input) };
  },
});
