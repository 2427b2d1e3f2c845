/** What the root tells of its tree from its own record: no agent is woken. */
import { z } from 'zod';
import type { TreeNode } from '../../core/tree';
import type { RootRuntime } from '../../engine/root';
import * as shape from '../schemas';
import { eventStream } from '../sse';
import { fromTree } from '../verb';
import { pageOfAll } from './pages';
import { belowEach, nameOf, standingOf } from './standing';

function shown(
  tree: RootRuntime,
  node: TreeNode,
  children: ReadonlyMap<number, TreeNode[]>,
  sums: ReturnType<typeof belowEach>,
  depth: number,
): shape.TreeShown {
  const below = depth > 0 ? (children.get(node.id) ?? []) : [];
  return {
    ...standingOf(tree, node, sums),
    name: nameOf(node),
    mode: node.parentId === 0 ? 'root' : 'ephemeral',
    placement: node.parentId === 0 ? 'object' : 'facet',
    ...(node.callId === '' ? {} : { callId: node.callId }),
    nodes: below.map((child) => shown(tree, child, children, sums, depth - 1)),
  };
}

/** The agent with all below it. */
export const tree = fromTree({
  name: 'tree',
  method: 'GET',
  path: 'tree',
  action: 'read',
  summary: 'The agent with all agents below it.',
  status: 200,
  errors: [],
  input: z.strictObject({ depth: shape.depth.optional().describe('Levels below the agent; all by default.') }),
  output: shape.treeNode,
  handle({ tree, node, input }) {
    const children = new Map<number, TreeNode[]>();
    const subtree = tree.tree.subtree(node.id);
    for (const other of subtree) {
      const siblings = children.get(other.parentId);
      if (siblings) siblings.push(other);
      else children.set(other.parentId, [other]);
    }
    return { body: shown(tree, node, children, belowEach(subtree), input.depth ?? Number.POSITIVE_INFINITY) };
  },
});

/** The sub-agents of an agent. */
export const children = fromTree({
  name: 'children',
  method: 'GET',
  path: 'children',
  action: 'read',
  summary: 'The sub-agents of the agent, oldest first.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(shape.child),
  handle({ tree, node, input }) {
    const { items, ...rest } = pageOfAll(tree.tree.children(node.id), input, ({ id }) => id);
    const sums = belowEach(tree.tree.subtree(node.id));
    const shownItems = items.map((child) => ({
      ...standingOf(tree, child, sums),
      name: nameOf(child),
      mode: 'ephemeral' as const,
      placement: 'facet' as const,
      callId: child.callId,
      generation: child.generation,
      createdAt: child.createdAt,
      ...(child.endedAt === 0 ? {} : { endedAt: child.endedAt }),
    }));
    return { body: { items: shownItems, ...rest } };
  },
});

/** What is due. */
export const schedules = fromTree({
  name: 'schedules',
  method: 'GET',
  path: 'schedules',
  action: 'read',
  summary: 'What is due at and below the agent, by time.',
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(
    z.object({
      kind: z.enum(['timeout']),
      address: z.string(),
      sessionId: z.string(),
      callId: z.string(),
      dueAt: shape.time,
    }),
  ),
  handle({ tree, node, input }) {
    const due = tree.tree.subtree(node.id).filter(({ place, deadline }) => place === 'working' && deadline > 0);
    const ordered = due.sort((a, b) => a.deadline - b.deadline || a.id - b.id);
    const rank = new Map(ordered.map((one, index) => [one.id, index + 1]));
    const { items, ...rest } = pageOfAll(ordered, input, ({ id }) => rank.get(id) ?? 0);
    const shownItems = items.map(({ address, sessionId, callId, deadline }) => ({
      kind: 'timeout' as const,
      address,
      sessionId,
      callId,
      dueAt: deadline,
    }));
    return { body: { items: shownItems, ...rest } };
  },
});

/** The stream of a subtree. */
export const stream = fromTree({
  name: 'stream',
  method: 'GET',
  path: 'stream',
  action: 'read',
  summary: 'The chunks at and below the agent as server-sent events, from a sequence on and live.',
  status: 200,
  errors: [],
  bytes: 'out',
  input: z.strictObject({
    from: shape.sequence
      .optional()
      .describe('The first sequence, 1 by default; the header Last-Event-ID goes before it.'),
    follow: shape.flag.optional().describe('Whether the stream stays open after the run has ended.'),
  }),
  output: shape.nothing,
  handle: ({ tree, node, input }) => ({
    body: {},
    bytes: eventStream(tree, { address: node.address, from: input.from ?? 1, follow: input.follow ?? false }),
  }),
});
