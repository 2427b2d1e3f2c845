/**
 * The sub-agents of an agent: what the root knows of each, and what the agent's own registry has of those by entries of
 * prompts.
 *
 * Keeps A13, A115, SA47.
 */
import * as z from 'zod';
import { keyOf, modeOf } from '../../core/agent/children/child';
import { asItStands, entryOf, isRegistered } from '../../core/agent/standard-agents/subagent-registry';
import { endedAt, type TreeNode } from '../../core/tree/node';
import { belowEach } from '../../core/tree/subtree-sums';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbAnswer } from '../../engine/object/object-calls';
import type { RootRuntime } from '../../engine/root/root';
import { parseAddress, parseSlot } from '../../protocol/address';
import * as shape from '../../protocol/wire/shapes';
import { locate } from '../locate';
import { steered } from '../verb';
import { definitionIn } from './definition-in';
import { type PageInput, pageOfAll } from './pages';
import { nameOf, standingOf } from './standing';

type Entries = ReadonlyMap<number, z.output<typeof shape.registryEntry>>;

type Facets = readonly z.output<typeof shape.ownFacet>[];

/** Facets of an author that are listed, at most. */
const MAX_FACETS = 500;

/** What an agent replies: the facets of its author, and the entries of its registry by the number of the child. */
const registry = z.object({
  facets: z.array(shape.ownFacet),
  entries: z.array(z.object({ childId: z.number(), entry: shape.registryEntry })).readonly(),
});

function ended(node: TreeNode): { endedAt?: number } {
  const at = endedAt(node);
  return at === undefined ? {} : { endedAt: at };
}

/** A page of the sub-agents of an agent, each with its entry where there is one. */
function listed(tree: RootRuntime, node: TreeNode, input: PageInput, facets: Facets, entries: Entries = new Map()) {
  const all = tree.tree.children(node.id);
  const { items, ...rest } = pageOfAll(all, input, ({ id }) => id);
  const sums = belowEach(tree.tree.subtree(node.id));
  const shown = items.map((child) => {
    const entry = entries.get(child.childId);
    return {
      ...standingOf(tree, child, sums),
      name: nameOf(child),
      mode: modeOf(child),
      placement: child.placement,
      callId: child.task.callId,
      ...keyOf(child),
      generation: parseSlot(nameOf(child))?.generation ?? 1,
      createdAt: child.createdAt,
      lastActivity: child.lastAt ?? child.createdAt,
      ...ended(child),
      ...(entry ? { entry } : {}),
    };
  });
  const shownFacets = facets.length > 0 && input.cursor === undefined ? { facets: facets.slice(0, MAX_FACETS) } : {};
  return { items: shown, ...rest, total: all.length, ...shownFacets };
}

/** The facets of the author of an object's agent. */
const facetsOf = ({ ports }: ObjectRuntime): Facets => ports.ownFacets?.() ?? [];

/**
 * True for an agent that is asked itself: its author may have made facets, which only a root has at hand, or it may have
 * children by entries of prompts.
 */
function isAsked(object: ObjectRuntime, path: Parameters<typeof locate>[1]): boolean {
  const found = locate(object, path);
  if (found.at !== 'record') return false;
  const { node } = found;
  if (node.kind === 'child' && node.placement !== 'remote') {
    const { className } = parseAddress(node.address).below.at(-1) ?? { className: '' };
    if (object.ports.mayHaveFacets?.(className)) return true;
  }
  if (found.tree.tree.children(node.id).length === 0) return false;
  const agent = definitionIn(object.ports.definition, found.node.agentType);
  return agent !== undefined && (agent.subagents.length > 0 || agent.handoffs.length > 0);
}

/** The sub-agents of an agent. */
export const children = steered({
  name: 'children',
  method: 'GET',
  path: 'children',
  action: 'read',
  summary: 'The sub-agents of the agent, oldest first; those of prompts with their registry entries.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(shape.child).extend({
    total: z.number().int().describe('The number of items on all pages.'),
    facets: z
      .array(shape.ownFacet)
      .max(MAX_FACETS)
      .readonly()
      .optional()
      .describe("With the first page: children that the agent's own class made with `subAgent`, oldest first."),
  }),
  agent: {
    handle({ object, agent }) {
      const { state } = agent;
      const known = object.store
        .children()
        .map((child) => asItStands(child, state, () => undefined))
        .filter(isRegistered);
      return {
        body: {
          facets: [...facetsOf(object)],
          entries: known.map((child) => ({ childId: child.childId, entry: entryOf(child) })),
        },
      };
    },
    complete({ tree, node, input }, reply) {
      const { entries, facets } = registry.parse(reply);
      return listed(tree, node, input, facets, new Map(entries.map(({ childId, entry }) => [childId, entry])));
    },
    whenQueued: ({ tree, node, input }) => listed(tree, node, input, []),
  },
  root: {
    record: ({ object, tree, node, input }) => ({
      body: listed(tree, node, input, node.kind === 'root' ? facetsOf(object) : []),
    }),
  },
  async steer(ways, object, { path }): Promise<VerbAnswer> {
    if (!isAsked(object, path)) return ways.root('record');
    const told = await ways.agent();
    // Of an agent that cannot be asked now, the record tells.
    const away = !told.ok && ['unavailable', 'newer_format', 'gone', 'not_found'].includes(told.error.code);
    return away ? ways.root('record') : told;
  },
});
