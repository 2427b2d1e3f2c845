/** Clocks of agents in a root's record: every phase with everything that an agent may say, by the rule. */
import { describe, expect, it } from 'vitest';
import {
  abandoned,
  atWork,
  closed,
  inQueue,
  interruptedInQueue,
  isLookedAfter,
  nextDeadline,
  overdue,
  scheduleAt,
  waitsUntil,
  withStatus,
  withWholeTime,
} from '../../../src/core/tree/clocks';
import type { ChildNode, Schedule } from '../../../src/core/tree/node';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import { isEnded, SESSION_STATUSES, type SessionStatus } from '../../../src/protocol/status';
import { childNode, rootNode } from '../../support/nodes';

const NOW = 1_000_000;
const LEFT_MS = 20_000;
const WHOLE_MS = 60_000;

const BEFORE: readonly Schedule[] = [
  { phase: 'queued', timeLeft: LEFT_MS, place: 3 },
  { phase: 'working', deadline: NOW + LEFT_MS },
  { phase: 'waiting', timeLeft: LEFT_MS },
  { phase: 'ended', timeLeft: LEFT_MS, end: { by: 'itself', at: 1 } },
  { phase: 'ended', timeLeft: LEFT_MS, end: { by: 'abandoned', at: 1 } },
  { phase: 'ended', timeLeft: LEFT_MS, end: { by: 'withdrawn' } },
];

/** What each status is to a clock. */
const WORKS: readonly SessionStatus[] = ['running'];
const WAITS: readonly SessionStatus[] = [
  'suspended_client_tool',
  'suspended_awaiting_children',
  'suspended_step_partial',
];

function expected(before: Schedule, status: SessionStatus, consults: boolean, left: number): Schedule {
  if (consults || WORKS.includes(status))
    return before.phase === 'working' ? before : { phase: 'working', deadline: NOW + left };
  if (WAITS.includes(status)) return { phase: 'waiting', timeLeft: left };
  if (status === 'idle') return { phase: 'idle' };
  if (status === 'queued' || before.phase === 'ended') return before;
  return { phase: 'ended', timeLeft: left, end: { by: 'itself', at: NOW } };
}

const statuses = SESSION_STATUSES.flatMap((status) => [false, true].map((consults) => ({ status, consults })));

describe('the clock of an agent', () => {
  it('[TM2, WT4, CO6] goes on, stands or ends by what it says, with what it had left', () => {
    for (const schedule of BEFORE)
      for (const { status, consults } of statuses) {
        const what = JSON.stringify({ schedule, status, consults });
        const node = childNode(2, { schedule, status: 'running', statusText: 'so far' });
        const stands = expected(schedule, status, consults, LEFT_MS);
        expect(scheduleAt(node, status, NOW, consults), what).toEqual(stands);
        const task = stands.phase === 'waiting' ? { ...node.task, hasWaited: true } : node.task;
        expect(withStatus(node, status, NOW, consults), what).toEqual({ ...node, status, schedule: stands, task });
      }
  });

  it('[TM2] of a root begins whole with its run, and of whoever is past its end has a moment left', () => {
    const root = rootNode({ schedule: { phase: 'idle' }, timeoutMs: 7_000 });
    for (const { status, consults } of statuses)
      expect(scheduleAt(root, status, NOW, consults), status).toEqual(expected(root.schedule, status, consults, 7_000));
    for (const late of [-1, 0, 1, 2]) {
      const node = childNode(2, { schedule: { phase: 'working', deadline: NOW + late } });
      const timeLeft = Math.max(1, late);
      expect(scheduleAt(node, 'suspended_client_tool', NOW), String(late)).toEqual({ phase: 'waiting', timeLeft });
      expect(scheduleAt(node, 'completed', NOW), String(late)).toMatchObject({ timeLeft });
    }
  });

  it('[TM2, DG6, TR9, R17] goes with it into the queue and out of it, and into each end that others give it', () => {
    const undelivered = { undelivered: true } as const;
    for (const schedule of BEFORE)
      for (const [lastChunk, along] of [
        [0, undefined],
        [4, undefined],
        [0, true],
      ] as const)
        for (const status of ['queued', 'running', 'interrupted', 'completed'] as const) {
          const what = JSON.stringify({ schedule, lastChunk, along, status });
          const facts = { schedule, lastChunk, status, task: { timeoutMs: WHOLE_MS }, ...undelivered };
          const node = childNode(2, along ? { ...facts, along } : facts);
          const begun = lastChunk > 0 || along === true;
          const now = (next: Schedule, as: SessionStatus): ChildNode => ({ ...node, schedule: next, status: as });
          expect(atWork(node, NOW), what).toEqual(now({ phase: 'working', deadline: NOW + LEFT_MS }, 'running'));
          expect(inQueue(node, 8, NOW), what).toEqual(now({ phase: 'queued', timeLeft: LEFT_MS, place: 8 }, 'queued'));
          expect(withWholeTime(node), what).toEqual(now({ phase: 'waiting', timeLeft: WHOLE_MS }, status));
          const itself = { phase: 'ended', timeLeft: LEFT_MS, end: { by: 'itself', at: NOW } } as const;
          expect(interruptedInQueue(node, NOW), what).toEqual(now(itself, 'interrupted'));
          const over = schedule.phase === 'ended';
          const lost = { by: 'abandoned', at: NOW } as const;
          expect(closed(node, NOW), what).toEqual(now(over ? { ...schedule, end: lost } : schedule, 'failed'));
          // What it had for its parent is nobody's any more.
          const { undelivered: _undelivered, ...rest } = node;
          const timeLeft = begun ? LEFT_MS : WHOLE_MS;
          const withdrawn = { phase: 'ended', timeLeft, end: { by: 'withdrawn' } } as const;
          const failed = { phase: 'ended', timeLeft, end: lost } as const;
          const waits = !begun && !isEnded(status);
          expect(abandoned(node, NOW, true), what).toEqual({ ...rest, status: 'failed', schedule: failed });
          expect(abandoned(node, NOW, false), what).toEqual(
            waits
              ? { ...rest, status: 'queued', schedule: withdrawn }
              : { ...rest, status: 'failed', schedule: failed },
          );
        }
  });
});

describe('times of a tree', () => {
  const works = (id: number, deadline: number) => childNode(id, { schedule: { phase: 'working', deadline } });

  it('[DG6, TM2] are up for whoever works to its deadline, and ring next at the first one ahead', () => {
    const others = BEFORE.filter(({ phase }) => phase !== 'working').map((schedule, at) =>
      childNode(20 + at, { schedule }),
    );
    const nodes = [works(2, NOW + 2), works(3, NOW + 1), works(4, NOW), works(5, NOW - 1), ...others];
    const tree = new TreeIndex([rootNode({ schedule: { phase: 'working', deadline: NOW + 3 } }), ...nodes]);
    const at = (now: number) => [overdue(tree, now).map(({ id }) => id), nextDeadline(tree, now)];
    expect(at(NOW - 2)).toEqual([[], NOW - 1]);
    expect(at(NOW)).toEqual([[4, 5], NOW + 1]);
    expect(at(NOW + 1)).toEqual([[3, 4, 5], NOW + 2]);
    expect(at(NOW + 2)).toEqual([[2, 3, 4, 5], NOW + 3]);
    expect(at(NOW + 3)).toEqual([[1, 2, 3, 4, 5], undefined]);
  });

  it('[CO32] of waits for children are those of all who work or wait', () => {
    const wait = (until?: number) => ({ tasks: [], need: 1, ...(until === undefined ? {} : { until }) });
    const openTasks = [wait(NOW + 1), wait(), wait(NOW + 2)];
    const nodes = BEFORE.map((schedule, at) => childNode(2 + at, { schedule, openTasks }));
    const tree = new TreeIndex([rootNode({ openTasks: [wait(NOW)] }), ...nodes]);
    const found = waitsUntil(tree).toSorted((one, other) => one.id - other.id || one.until - other.until);
    expect(found).toEqual([
      { id: 1, until: NOW },
      ...[3, 4].flatMap((id) => [1, 2].map((later) => ({ id, until: NOW + later }))),
    ]);
  });

  it('[RT3] who waits for children is looked after by these, where each of them is live and the alarm asks it', () => {
    const key = (childId: number, task = 1) => ({ childId, task });
    const waits = (tasks: ReturnType<typeof key>[], need = tasks.length) =>
      childNode(2, { status: 'suspended_awaiting_children', openTasks: [{ tasks, need }] });
    const below = (id: number, facts: Partial<ChildNode>) => childNode(id, { parentId: 2, depth: 3, ...facts });
    const queued = { phase: 'queued', timeLeft: 1, place: 1 } as const;
    const [asked, unasked] = [
      [
        below(3, {}),
        below(4, { schedule: { phase: 'waiting', timeLeft: 1 } }),
        below(5, { schedule: queued, lastChunk: 0 }),
      ],
      [
        below(6, { schedule: { phase: 'ended', timeLeft: 1, end: { by: 'itself', at: 1 } } }),
        // It is to begin, and nobody has heard of it.
        below(7, { lastChunk: 0 }),
        below(8, { lastChunk: 0, schedule: { phase: 'waiting', timeLeft: 1 } }),
      ],
    ];
    const all = [...asked, ...unasked];
    const isAsked = (node: ChildNode): boolean => isLookedAfter(new TreeIndex([rootNode(), node, ...all]), node);
    for (const { childId } of all)
      for (const other of all) {
        const is = asked.some((node) => node.childId === childId) && asked.includes(other);
        expect(isAsked(waits([key(childId), key(other.childId)])), `${childId} ${other.childId}`).toBe(is);
        // None of them is needed.
        expect(isAsked(waits([key(childId), key(other.childId)], 0))).toBe(true);
      }
    expect(isAsked(waits([key(3, 2)]))).toBe(false);
    expect(isAsked(waits([key(99)]))).toBe(false);
    for (const status of SESSION_STATUSES)
      expect(isAsked({ ...waits([key(3)]), status }), status).toBe(status === 'suspended_awaiting_children');
    const root = rootNode({ status: 'suspended_awaiting_children', openTasks: [{ tasks: [key(3)], need: 1 }] });
    expect(isLookedAfter(new TreeIndex([root]), root)).toBe(false);
  });
});
