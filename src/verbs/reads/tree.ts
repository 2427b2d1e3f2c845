/**
 * What the root tells of its tree from its own record: no agent is woken.
 *
 * Keeps A8, A83.
 */

import * as z from 'zod';
import { modeOf } from '../../core/agent/children/child';
import { endedAt, type TreeNode } from '../../core/tree/node';
import { belowEach } from '../../core/tree/subtree-sums';
import type { RootRuntime } from '../../engine/root/root';
import { parseSlot } from '../../protocol/address';
import { refuse, titleOf } from '../../protocol/errors';
import { due } from '../../protocol/wire/readings';
import * as shape from '../../protocol/wire/shapes';
import { WIRE_LIMITS } from '../../protocol/wire/wire-limits';
import { holderOf, refusedToken } from '../token-use';
import { fromTree } from '../verb';
import { eventStream, isOver } from './event-stream';
import { pageOfAll } from './pages';
import { nameOf, standingOf } from './standing';

/** Where an agent lives, how long, and for which call. */
function placeOf(node: TreeNode): Pick<shape.TreeShown, 'mode' | 'placement' | 'callId' | 'task' | 'generation'> {
  if (node.kind === 'root') return { mode: 'root', placement: 'object' };
  const { placement, task } = node;
  const generation = parseSlot(nameOf(node))?.generation ?? 1;
  return { mode: modeOf(node), placement, callId: task.callId, task: task.number, generation };
}

/** How far its newest run has come. */
function progressOf(node: TreeNode) {
  const { progress, createdAt } = node;
  const end = progress?.endedAt ?? endedAt(node);
  return {
    createdAt,
    step: progress?.step ?? 0,
    recoveries: progress?.recoveries ?? 0,
    ...(progress ? { startedAt: progress.startedAt } : {}),
    ...(end === undefined ? {} : { endedAt: end }),
    ...(progress?.error ? { error: { ...progress.error, ...titleOf(progress.error.code) } } : {}),
  };
}

/** What is known of a subtree while it is shown, by the ids of its agents. */
interface Known {
  readonly children: ReadonlyMap<number, TreeNode[]>;
  readonly sums: ReturnType<typeof belowEach>;
  readonly pending: ReadonlyMap<number, number>;
}

function shown(tree: RootRuntime, node: TreeNode, known: Known, depth: number): shape.TreeShown {
  const below = depth > 0 ? (known.children.get(node.id) ?? []) : [];
  return {
    ...standingOf(tree, node, known.sums),
    name: nameOf(node),
    ...placeOf(node),
    ...progressOf(node),
    pendingCount: known.pending.get(node.id) ?? 0,
    nodes: below.map((child) => shown(tree, child, known, depth - 1)),
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
      if (other.kind === 'root') continue;
      const siblings = children.get(other.parentId);
      if (siblings) siblings.push(other);
      else children.set(other.parentId, [other]);
    }
    const known = { children, sums: belowEach(subtree), pending: tree.pendingCounts() };
    return { body: shown(tree, node, known, input.depth ?? Number.POSITIVE_INFINITY) };
  },
});

type Due = z.output<typeof due>;

/** What ends an agent's work, what ends a wait for a person, and the next scheduled effect of each agent. */
function dueBelow(tree: RootRuntime, node: TreeNode): Due[] {
  const timeouts = tree.tree.subtree(node.id).flatMap((below): Due[] => {
    const { schedule, address, sessionId } = below;
    if (schedule.phase !== 'working') return [];
    const callId = below.kind === 'child' ? below.task.callId : '';
    return [{ kind: 'timeout', address, sessionId, callId, dueAt: schedule.deadline }];
  });
  const answers = tree.pending(node).flatMap(({ node: { address, sessionId }, item }): Due[] => {
    const { toolCallId: callId, expiresAt } = item;
    return expiresAt === undefined ? [] : [{ kind: 'answer', address, sessionId, callId, dueAt: expiresAt }];
  });
  const ids = new Set(tree.tree.subtree(node.id).map(({ id }) => id));
  const effects = [...tree.tree.withEffects()].flatMap(({ id, address, sessionId, effectAt: dueAt, ...node }): Due[] =>
    // One elsewhere is looked at then: its effects are told there.
    ids.has(id) && !('placement' in node && node.placement === 'remote')
      ? [{ kind: 'effect', address, sessionId, callId: '', dueAt }]
      : [],
  );
  return [...timeouts, ...answers, ...effects].sort((one, other) => one.dueAt - other.dueAt);
}

/** What is due. */
export const schedules = fromTree({
  name: 'schedules',
  method: 'GET',
  path: 'schedules',
  action: 'read',
  summary:
    "Deadlines at and below the agent, earliest first: of work, of answers, and of each agent's next scheduled effect.",
  status: 200,
  errors: ['invalid_cursor'],
  input: shape.pageInput,
  output: shape.pageOf(due),
  handle({ tree, node, input }) {
    const all = dueBelow(tree, node);
    const rank = new Map(all.map((one, index) => [one, index + 1]));
    return { body: pageOfAll(all, input, (one) => rank.get(one) ?? 0) };
  },
});

const noEvents = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => controller.close() });

/** The stream of a subtree. */
export const stream = fromTree({
  name: 'stream',
  method: 'GET',
  path: 'stream',
  action: 'read',
  summary:
    'The chunks of the agent and all below it as server-sent events: first stored ones from a sequence number, then live ones.',
  status: 200,
  errors: ['too_many_streams'],
  bytes: 'out',
  http: { reads: 'last-event-id', answers: 'events' },
  input: z.strictObject({
    from: shape.sequence
      .optional()
      .describe('The first sequence, 1 by default; the header Last-Event-ID takes precedence.'),
    follow: z
      .union([shape.flag, z.literal('run')])
      .optional()
      .describe(
        '1: the stream stays open after the run has ended; `run`: until it has ended, also while it is suspended.',
      ),
    rested: shape.flag
      .optional()
      .describe(
        'Whether the reader knows the status of the run before `from`. If nothing has happened since, an ended run gets 204, and the stream of a suspended run waits.',
      ),
    deltas: shape.flag
      .optional()
      .describe('0 omits deltas of text, thinking and arguments; `A/messages` has the complete texts.'),
  }),
  output: shape.nothing,
  handle({ object, tree, node: { address }, call, input }) {
    const { ports } = object;
    const { opening, pauses } = call;
    const refusal =
      opening &&
      (async () => {
        const right = await ports.access?.(opening, { address, action: 'read' });
        return right?.ok === false ? right.error : refusedToken(object, right?.token);
      });
    const { from = 1, follow = false, deltas = true, rested = false } = input;
    const options = { address, from, follow, deltas, rested, refusal, pauses };
    if (isOver(tree, options)) return { body: {}, status: 204, bytes: noEvents() };
    const leave = tree.readers.enter(holderOf(object, call));
    if (leave === undefined)
      refuse(
        'too_many_streams',
        `A root has ${WIRE_LIMITS.maxStreams} streams, and none is free for you. Close unused ones.`,
      );
    return { body: {}, bytes: eventStream(tree, { ...options, leave }) };
  },
});
