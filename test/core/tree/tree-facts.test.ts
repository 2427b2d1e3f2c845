/** What the record of a tree says of its agents: each answer against a naive reading of the whole record. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordBelow } from '../../../src/core/tree/admission';
import { looksAt } from '../../../src/core/tree/child-standings';
import { treeReport } from '../../../src/core/tree/directory-report';
import { type Batch, closedBy, duesOf, merge, withDuesOf } from '../../../src/core/tree/merge';
import {
  type ChildNode,
  dropsThoseBelow,
  endedAt,
  hasBegun,
  hasEndedTask,
  isAbandoned,
  isEndedAsWaitedFor,
  isEndedUnbegun,
  isHalted,
  isLive,
  isWaitedFor,
  isYetToBegin,
  placeOf,
  type Schedule,
  type StopOwed,
} from '../../../src/core/tree/node';
import { type PendingRow, pendingChanges } from '../../../src/core/tree/pending';
import { progressAfter } from '../../../src/core/tree/progress';
import { belowEach } from '../../../src/core/tree/subtree-sums';
import { TreeIndex } from '../../../src/core/tree/tree-index';
import type { Chunk } from '../../../src/protocol/chunks';
import { boundedText, failure } from '../../../src/protocol/errors';
import { SESSION_STATUSES } from '../../../src/protocol/status';
import { NO_USAGE } from '../../../src/protocol/usage';
import { childNode, type NodeFacts, rootNode, STANDS } from '../../support/nodes';
import { present } from '../../support/present';
import { always } from '../../support/sizes';

const NOW = 9_000;
const BASE = { agentId: 's_2', agentType: 'leaf', address: 'a', runId: 'r_1', step: 1, attempt: 1, timestamp: 1 };
const chunk = (more: object): Chunk => ({ ...BASE, ...more }) as Chunk;

const ended = (by: 'itself' | 'abandoned' | 'withdrawn'): Schedule => ({
  ...{ phase: 'ended', timeLeft: 1 },
  end: by === 'withdrawn' ? { by } : { by, at: 77 },
});
const SCHEDULES: readonly Schedule[] = [
  { phase: 'queued', timeLeft: 1, place: 6 },
  STANDS.working,
  STANDS.waiting,
  ...(['itself', 'abandoned', 'withdrawn'] as const).map(ended),
];

describe('how an agent stands', () => {
  it('[TR8, TR11, DG22, R17, SP9] is read from its clock, its status and what it has written, in every combination', () => {
    for (const schedule of SCHEDULES)
      for (const status of SESSION_STATUSES)
        for (const [lastChunk, along] of [
          [0, undefined],
          [3, undefined],
          [0, true],
        ] as const)
          for (const onFailure of [undefined, 'wait'] as const) {
            const task = onFailure ? { onFailure } : {};
            const facts = { schedule, status, lastChunk, task, ...(along ? { along } : {}) };
            const node = childNode(2, facts);
            const root = rootNode({ schedule, status, lastChunk });
            const end = schedule.phase === 'ended' ? schedule.end.by : undefined;
            const begun = lastChunk > 0 || along === true;
            const lost = end === 'abandoned' || end === 'withdrawn';
            const waitedFor = end === 'itself' && status === 'failed' && onFailure === 'wait';
            const terminated = end !== undefined && status === 'terminated' && onFailure === 'wait';
            const halted = status === 'interrupted' || (lost && !begun);
            const what = JSON.stringify(facts);
            expect(
              {
                live: isLive(node),
                begun: hasBegun(node),
                lost: isAbandoned(node),
                unbegun: isEndedUnbegun(node),
                halted: isHalted(node),
                waitedFor: isWaitedFor(node),
                terminated: isEndedAsWaitedFor(node),
                task: hasEndedTask(node),
                yet: isYetToBegin(node),
                place: placeOf(node),
                at: endedAt(node),
                root: [isWaitedFor(root), isEndedAsWaitedFor(root)],
              },
              what,
            ).toEqual({
              live: end === undefined,
              begun,
              lost,
              unbegun: end !== undefined && !begun,
              halted,
              waitedFor,
              terminated,
              task: end !== undefined && !halted && !waitedFor && !terminated,
              yet: !begun || schedule.phase === 'queued',
              place: schedule.phase === 'queued' ? 6 : 0,
              at: end === undefined || end === 'withdrawn' ? undefined : 77,
              root: [false, false],
            });
            for (const own of ['facet', 'object'] as const)
              for (const other of ['facet', 'object', 'remote'] as const) {
                const stays = end === 'withdrawn' && [own, other].some((one) => one === 'object');
                const below = [childNode(3, { placement: other })];
                expect(dropsThoseBelow({ ...node, placement: own }, below), what).toBe(!stays);
              }
          }
  });
});

describe('what a batch leaves in the record', () => {
  const stopOwed: StopOwed = { verb: 'abort', runId: 'r_1', since: 1, attempts: 2, nextAt: 3 };
  const BEFORE: readonly NodeFacts[] = [
    {},
    {
      ...{ effectAt: 5, owesElsewhere: true, stopOwed, openTasks: [{ tasks: [], need: 0 }], statusText: 'so far' },
      ...{ undelivered: true, retired: { leaf: NO_USAGE }, lastAt: 1, along: true, placement: 'remote' },
    },
  ];

  it('[TR1, TR10, A83, RM8, RM59] is all that its sender says, and nothing that it says no more; the rest stays', () => {
    const openTasks = [{ tasks: [{ childId: 2, task: 1 }], need: 1 }];
    const usage = { ...NO_USAGE, modelCalls: 8 };
    for (const facts of BEFORE)
      for (const count of [0, 2])
        for (const said of [
          {},
          { effectAt: 6 },
          { effectAt: 5, owesElsewhere: true },
          { openTasks },
          { stopOwed: { ...stopOwed, attempts: 3 } },
          { consults: true },
        ] as readonly Partial<Batch>[]) {
          const node = childNode(2, { ...facts, lastChunk: 4 });
          const tree = new TreeIndex([rootNode(), node]);
          const texts = [chunk({ type: 'step_started' }), chunk({ type: 'step_started', timestamp: 44, step: 3 })];
          const chunks = texts.slice(0, count);
          const batch: Batch = { sessionId: 's_2', first: 5, chunks, status: 'suspended_client_tool', usage, ...said };
          const merged = merge(tree, batch, NOW);
          const what = JSON.stringify({ facts, count, said });
          const { effectAt: _at, owesElsewhere: _owes, stopOwed: _stop, ...kept } = node;
          const { openTasks: open, consults, ...dues } = said;
          if (count === 0) {
            expect(merged, what).toMatchObject({ answer: 'merged', number: 4, chunks: [], first: 5 });
            expect('node' in merged && merged.node, what).toEqual({ ...kept, ...dues, usage });
            continue;
          }
          const { openTasks: _open, ...rest } = kept;
          const timeLeft = STANDS.working.deadline - NOW;
          expect(merged, what).toMatchObject({ answer: 'merged', number: 6, first: 5, chunks });
          expect('node' in merged && merged.node, what).toEqual({
            ...{ ...rest, ...dues, ...(open ? { openTasks: open } : {}), usage, lastChunk: 6, lastAt: 44 },
            ...{ status: 'suspended_client_tool' },
            ...(consults
              ? { schedule: STANDS.working }
              : { schedule: { phase: 'waiting', timeLeft }, task: { ...node.task, hasWaited: true } }),
          });
        }
  });

  it('[TR5, RM18, TR6] of one that was given up is nothing, but what a remote one still owes', () => {
    const usage = { ...NO_USAGE, modelCalls: 8 };
    for (const placement of ['facet', 'object', 'remote'] as const)
      for (const schedule of SCHEDULES)
        for (const [first, count] of [
          [4, 0],
          [5, 0],
          [5, 1],
          [6, 0],
          [6, 1],
        ] as const) {
          const node = childNode(2, { placement, schedule, lastChunk: 4 });
          const batch: Batch = {
            ...{ sessionId: 's_2', first, status: 'interrupted', usage, effectAt: 3 },
            chunks: Array.from({ length: count }, () => chunk({ type: 'step_started' })),
          };
          const merged = merge(new TreeIndex([rootNode(), node]), batch, NOW);
          const lost = schedule.phase === 'ended' && schedule.end.by !== 'itself';
          const what = JSON.stringify({ placement, schedule, first, count });
          const next = 'node' in merged ? merged.node : undefined;
          if (first !== 5) expect([merged.answer, next], what).toEqual(['merged', undefined]);
          else if (count === 0)
            expect([merged.answer, next !== undefined], what).toEqual(['merged', !lost || placement === 'remote']);
          else expect([merged.answer, next !== undefined], what).toEqual(lost ? ['gone', false] : ['merged', true]);
          // One that waits for a slot to go on may still tell how it ended before.
          if (next && count > 0 && schedule.phase === 'queued') {
            expect([next.schedule, next.status], what).toEqual([schedule, node.status]);
            const begins = {
              ...batch,
              chunks: [...batch.chunks, chunk({ type: 'run_started', turn: 1, chainTurn: 1 })],
            };
            const begun = merge(new TreeIndex([rootNode(), node]), begins, NOW);
            expect('node' in begun && begun.node?.status, what).toBe('interrupted');
          }
        }
  });

  it('[CB4, RM59] owes what is due first of its effects and of what it owes to others', () => {
    for (const effectAt of [undefined, 3, 7])
      for (const owedAt of [undefined, 5]) {
        const times = [effectAt, owedAt].flatMap((time) => time ?? []);
        const dues = {
          ...(times.length === 0 ? {} : { effectAt: Math.min(...times) }),
          ...(owedAt === undefined ? {} : { owesElsewhere: true as const }),
        };
        expect(duesOf(effectAt, owedAt)).toEqual(dues);
        for (const before of BEFORE) {
          const node = childNode(2, before);
          const { effectAt: _at, owesElsewhere: _owes, ...rest } = node;
          expect(withDuesOf(node, dues)).toEqual({ ...rest, ...dues });
        }
      }
  });
});

describe('the end of a task in the chunks of its parent', () => {
  it('[R17, TR11, OB5] closes a child that never began, and settles what one that was given up had for its parent', () => {
    for (const schedule of SCHEDULES)
      for (const lastChunk of [0, 3])
        for (const undelivered of [undefined, true] as const)
          for (const type of ['subagent_end', 'subagent_start'] as const) {
            const { undelivered: _none, ...rest } = childNode(2, { schedule, lastChunk });
            const node: ChildNode = undelivered ? { ...rest, undelivered } : rest;
            const tree = new TreeIndex([rootNode(), node]);
            const chunks = ['s_2', 's_none', 's_root'].map((subSessionId) => chunk({ type, subSessionId }));
            const lost = schedule.phase === 'ended' && schedule.end.by !== 'itself';
            const over = schedule.phase === 'ended' ? { ...schedule, end: { by: 'abandoned', at: NOW } } : schedule;
            const closed = { ...(lost ? rest : node), status: 'failed', schedule: over };
            const settled = lost && undelivered ? [rest] : [];
            const changes = type === 'subagent_start' ? [] : lastChunk === 0 ? [closed] : settled;
            expect(closedBy(tree, chunks, NOW), JSON.stringify({ schedule, lastChunk, undelivered })).toEqual(changes);
          }
  });
});

describe('what a parent is told of its children', () => {
  it('[CO20, RM28] is the whole of each, with the calls that wait at or below it', () => {
    const usage = { ...NO_USAGE, modelCalls: 3 };
    for (const lastAt of [undefined, 7])
      for (const expiresAt of [undefined, 70]) {
        const time = lastAt === undefined ? {} : { lastAt };
        const child = childNode(2, { status: 'suspended_client_tool', statusText: 'so far', usage, ...time });
        const below = childNode(3, { parentId: 2, depth: 3 });
        const until = expiresAt === undefined ? {} : { expiresAt };
        const call = { toolCallId: 'c', toolName: 't', kind: 'approval', requestedAt: 8, ...until } as const;
        const waiting = [3, 1, 99].map((node) => ({ node, item: { ...call, stepId: 4, input: { secret: 1 } } }));
        expect(looksAt(new TreeIndex([rootNode(), child, below]), 1, ['s_2', 's_2', 's_3', 's_none'], waiting)).toEqual(
          [
            {
              ...{ sessionId: 's_2', status: 'suspended_client_tool', statusText: 'so far', usage, ...time },
              ...{ pending: [{ ...call, address: below.address }], pendingCount: 1 },
            },
          ],
        );
      }
  });
});

describe('the calls of an agent that wait', () => {
  it('[A35, RM28, TR6] are opened with their arguments by the chunk that asks, and closed without, all else as it was', () => {
    const item = (toolCallId: string) =>
      ({ toolCallId, stepId: 4, kind: 'approval', toolName: 't', requestedAt: 8, expiresAt: 9 }) as const;
    const row = (toolCallId: string): PendingRow => ({
      toolCallId,
      node: 2,
      open: true,
      item: { ...item(toolCallId), input: { old: 1 } },
    });
    for (const type of ['tool_approval_request', 'client_tool_request', 'tool_start']) {
      const asks = ['a', 'c'].map((toolCallId) => chunk({ type, toolCallId, arguments: { of: toolCallId } }));
      const isAsked = type !== 'tool_start';
      const opened = (toolCallId: string) => ({
        ...row(toolCallId),
        item: { ...item(toolCallId), input: { of: toolCallId } },
      });
      const open = [row('a'), row('b'), row('x')];
      expect(pendingChanges(2, open, [item('a'), item('b'), item('c'), item('d')], asks)).toEqual([
        { ...row('x'), open: false, item: { ...item('x'), input: null } },
        ...(isAsked ? [opened('a'), opened('c')] : []),
      ]);
    }
  });
});

describe('the progress of an agent', () => {
  const TYPES = [
    'run_started',
    'run_recovered',
    'step_started',
    'run_completed',
    'run_failed',
    'run_interrupted',
    'run_terminated',
  ];
  const said = fc.record({
    type: fc.constantFrom(...TYPES),
    runId: fc.constantFrom('r_1', 'r_2'),
    step: fc.nat(3),
    timestamp: fc.nat(99),
  });

  it('[A83] is that of its newest run: its step, its crashes, its end and its error, however the log is cut', async () => {
    const holds = fc.property(fc.array(said, { maxLength: 12 }), fc.nat(12), (some, at) => {
      const all = some.map((one) =>
        chunk({ ...one, ...(one.type === 'run_failed' ? { error: failure('model_error', 'x'.repeat(600)) } : {}) }),
      );
      const begins = all.findLastIndex(({ type }) => type === 'run_started');
      const start = all[begins];
      const own = start ? all.slice(begins).filter(({ runId }) => runId === start.runId) : [];
      const ends = own.filter(({ type }) => /^run_(completed|failed|interrupted|terminated)$/.test(type));
      const failed = own.some(({ type }) => type === 'run_failed');
      const progress = start && {
        ...{ runId: start.runId, startedAt: start.timestamp, step: Math.max(...own.map(({ step }) => step)) },
        recoveries: own.filter(({ type }) => type === 'run_recovered').length,
        ...(ends.length === 0 ? {} : { endedAt: ends.at(-1)?.timestamp }),
        ...(failed ? { error: { code: 'model_error', message: boundedText('x'.repeat(600), 500) } } : {}),
      };
      const before = progressAfter(undefined, all.slice(0, at)).progress;
      const after = progressAfter(before, all.slice(at));
      expect(after).toEqual(progress ? { progress } : {});
    });
    await always(holds, 150);
  });
});

describe('the sums of a tree', () => {
  const drawn = fc.array(fc.record({ above: fc.nat(9), at: fc.nat(3), sequence: fc.nat(9) }), {
    minLength: 1,
    maxLength: 9,
  });

  it('[A8, A83, A84] count all below each agent by how they stand, and know the last thing said there', async () => {
    const holds = fc.property(drawn, fc.nat(2), (some, ofRoot) => {
      const schedules = [STANDS.queued, STANDS.working, STANDS.waiting, STANDS.ended];
      const root = rootNode({ schedule: present(schedules[ofRoot + 1]), sequence: 4 });
      const nodes = some.map(({ above, at, sequence }, index) =>
        childNode(index + 2, { parentId: 1 + (above % (index + 1)), schedule: present(schedules[at]), sequence }),
      );
      const all = [root, ...nodes];
      const sums = belowEach(all);
      const isAt = (node: ChildNode, id: number): boolean =>
        node.parentId === id || nodes.some((one) => one.id === node.parentId && isAt(one, id));
      for (const { id, sequence } of all) {
        const below = nodes.filter((node) => isAt(node, id));
        const count = (phase: string) => below.filter(({ schedule }) => schedule.phase === phase).length;
        const childCounts = {
          ...{ running: count('working'), queued: count('queued'), waiting: count('waiting'), total: below.length },
        };
        expect(sums.get(id)).toEqual({
          childCounts,
          lastSequence: Math.max(sequence, ...below.map((node) => node.sequence)),
        });
        if (id === 1) expect(new TreeIndex(all).childCounts()).toEqual(childCounts);
      }
    });
    await always(holds, 80);
  });
});

describe('agents below a root from its beginning', () => {
  it('[TR8] come into the record at rest, each under its own parent, in order', () => {
    const request = (sessionId: string, parent: string, status: 'completed' | 'interrupted') => ({
      ...{
        sessionId,
        parent,
        status,
        address: `at ${sessionId}`,
        agentType: 'leaf',
        depth: 3,
        childId: 8,
        runNumber: 5,
      },
      ...({
        task: { number: 2, callId: 'c', await: 'step', timeoutMs: 60 },
        lifetime: 'named',
        placement: 'object',
      } as const),
    });
    const requests = [
      request('s_a', 's_root', 'completed'),
      request('s_b', 's_a', 'interrupted'),
      request('s_x', 's_none', 'completed'),
      request('s_c', 's_root', 'completed'),
      request('s_d', 's_b', 'completed'),
    ];
    const parents = [1, 2, 1, 3];
    const known = requests.filter(({ parent }) => parent !== 's_none');
    expect(recordBelow('s_root', requests, NOW)).toEqual(
      known.map(({ parent: _parent, task, ...facts }, at) => ({
        ...{ kind: 'child', id: at + 2, parentId: parents[at], ...facts, task: { ...task, turn: 0 }, createdInTurn: 0 },
        ...{ statusText: '', lastChunk: 0, sequence: 0, usage: NO_USAGE, createdAt: NOW, along: true },
        schedule: { phase: 'ended', timeLeft: 60, end: { by: 'itself', at: NOW } },
      })),
    );
  });
});

describe('what the directory is told of a tree', () => {
  it('[A28, A84, A85, A86, A98, RM8] is the whole of each call, failure and sub-agent that it lists', () => {
    const stopOwed: StopOwed = { verb: 'abort', runId: 'r', since: 3, attempts: 1, nextAt: 9 };
    const error = { code: 'x', message: 'Step 12 failed.' };
    const usage = { ...NO_USAGE, modelCalls: 2 };
    const progress = { runId: 'r_5', startedAt: 1, endedAt: 50, step: 1, recoveries: 0, error };
    for (const endsAt of [50, undefined])
      for (const [lifetime, placement] of [
        ['named', 'facet'],
        ['call', 'remote'],
        ['call', 'object'],
      ] as const)
        for (const more of [{}, { stopOwed, lastAt: 70 }])
          for (const expiresAt of [undefined, 99]) {
            const { endedAt: _at, ...running } = progress;
            const run = endsAt === undefined ? running : progress;
            const facts = { lifetime, placement, usage, createdAt: 60, task: { number: 3 }, progress: run, ...more };
            const child = childNode(2, facts);
            const root = rootNode({ progress: { runId: 'r', startedAt: 1, step: 1, recoveries: 0, error } });
            const time = expiresAt === undefined ? {} : { expiresAt };
            const item = {
              toolCallId: 'c',
              stepId: 4,
              kind: 'approval',
              toolName: 't',
              requestedAt: 8,
              ...time,
            } as const;
            const waiting = [2, 99].map((node) => ({ node, item: { ...item, input: { to: 'ann', text: 'Hi' } } }));
            const { address, agentType, sessionId, status } = child;
            const said = treeReport(new TreeIndex([root, child]), root, waiting);
            const isListed = lifetime === 'named' || placement === 'remote';
            expect(said).toEqual({
              ...{ lastActivity: 'lastAt' in more ? 70 : 0, pendingCount: 1, usage, failedCount: 0, error },
              childCounts: { running: 1, queued: 0, waiting: 0, total: 1 },
              pending: [
                {
                  ...{ toolCallId: 'c', kind: 'approval', toolName: 't', requestedAt: 8, ...time },
                  address,
                  agentType,
                  preview: 'to: ann, text: Hi',
                },
              ],
              failures:
                endsAt === undefined
                  ? []
                  : [{ runId: 'r_5', address, agentType, at: 50, ...error, pattern: said.failures[0]?.pattern }],
              children: isListed
                ? [
                    {
                      ...{
                        sessionId,
                        address,
                        agentType,
                        placement,
                        status,
                        usage,
                        createdAt: 60,
                        name: '2~1',
                        task: 3,
                      },
                      mode: lifetime === 'named' ? 'persistent' : 'ephemeral',
                      lastActivity: 'lastAt' in more ? 70 : 60,
                      ...('stopOwed' in more ? { stopOwed } : {}),
                    },
                  ]
                : [],
            });
          }
  });
});
