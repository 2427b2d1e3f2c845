/** The record of a child that a call gives a task, new or known: all of it, for each thing that the call may ask for. */
import { describe, expect, it } from 'vitest';
import type { Child, ChildState } from '../../../src/core/agent/children/child';
import { Given, planChild } from '../../../src/core/agent/children/child-plan';
import { Draft } from '../../../src/core/agent/draft';
import type { KnownChildren, PlannedCall } from '../../../src/core/agent/events';
import { failure } from '../../../src/protocol/errors';
import { mintId, mintReference } from '../../../src/protocol/ids';
import { NO_USAGE } from '../../../src/protocol/usage';
import { Machine, planned } from '../../support/machine';
import { present } from '../../support/present';
import { rowsOf } from '../../support/rows';

type Planned = Extract<PlannedCall, { kind: 'child' }>;

const machine = new Machine({ limits: { maxCompanions: 2 } });
machine.start();
machine.reply({ calls: [planned.tool()] });
const TOKEN = 'token00000000099';
const WRITTEN = { q: 1 };
const MESSAGE = { messageId: 'm_1', role: 'user', content: 'Hi', from: 'parent' } as const;
const REGISTERS = {
  ...{ prompt: 'p', description: 'd', resumable: true, blocking: false, threadName: 'Ann', title: 't' },
  ...{ receives: 'side_b' as const, first: 'Begin.', maxInstances: 5 },
};

/** Plans a call at the second place of the fourth step. */
function planOf(more: Partial<Planned>, known: Partial<KnownChildren> = {}) {
  const call = { ...planned.child(), input: WRITTEN, ...more } as Planned;
  const draft = new Draft(machine.state);
  const children = { next: 7, slots: {}, named: {}, lasting: { count: 0 }, files: {}, ...known };
  const event = { at: 900, token: TOKEN, children };
  const planning = { event, callId: 'c_9', stepId: 4, index: 1, given: new Given(), written: WRITTEN };
  const plan = planChild(draft, call, planning, machine.rules);
  return { plan, child: [...draft.state.children.values()][0], call };
}

/** What a call asks for, and what its child's record then has of it. */
const TERMS = rowsOf({
  onIdle: ['keep', 'wake'],
  budget: [undefined, { maxSteps: 3 }],
  brings: [undefined, true],
} as const).map(({ onIdle, budget, brings }) => ({
  asked: {
    timeoutMs: 77,
    onParentSuspend: 'pause',
    onFailure: 'wait',
    onIdle,
    ...(budget ? { budget } : {}),
    ...(brings ? { brings } : {}),
  } as const,
  kept: {
    ...{ timeoutMs: 77, onParentSuspend: 'pause', onFailure: 'wait', ...(onIdle === 'wake' ? { onIdle } : {}) },
    ...{ ...(budget ? { budget } : {}), ...(brings ? { brings } : {}) },
  },
}));
const SETUPS = rowsOf({
  workspace: ['session', 'per-invocation', 'inherited'],
  returnsFiles: [undefined, true],
  mayRead: [undefined, true],
} as const).map(({ workspace, returnsFiles, mayRead }) => ({
  asked: { workspace, ...(returnsFiles ? { returnsFiles } : {}), ...(mayRead ? { mayRead } : {}) },
  kept: {
    ...(workspace === 'session' ? {} : { workspace }),
    ...(returnsFiles ? { givesFiles: true } : {}),
    ...(mayRead ? { mayRead } : {}),
  },
}));
const READS = { names: ['eve'] };
const TASKS = rowsOf({
  awaits: ['step', 'notice'],
  deliver: ['result', 'notice', 'envelope'],
  reads: [undefined, READS],
  given: ['as written', 'another input', 'a message', 'an entry'],
} as const);

const taskOf = ({ awaits, deliver, reads, given }: (typeof TASKS)[number], number: number, firstRun: number) => {
  const told = given === 'a message' || given === 'an entry';
  const isKeptByStep = awaits === 'step' && given === 'as written';
  const input = given === 'another input' ? { other: 1 } : WRITTEN;
  return {
    ...{ number, firstRun, callId: 'c_9', stepId: 4, await: awaits, deliver, ...(reads ? { reads } : {}) },
    ...(told ? { told: true } : isKeptByStep ? {} : { input }),
  };
};
const askedFor = ({ awaits, deliver, reads, given }: (typeof TASKS)[number]): Partial<Planned> => ({
  ...{ await: awaits, deliver, ...(reads ? { reads } : {}) },
  ...(given === 'another input' ? { input: { other: 1 } } : {}),
  ...(given === 'a message' ? { message: MESSAGE } : {}),
  ...(given === 'an entry' ? { registers: REGISTERS } : {}),
});
const term = present(TERMS[3]);
const setup = present(SETUPS[5]);

describe('the record of a new child', () => {
  const base = {
    childId: 7,
    sessionId: mintId('session', TOKEN, 1),
    agentType: 'leaf',
    runNumber: 1,
    state: { is: 'working' },
  };
  const place = (via: string, segment: string, way: string) => ({
    address: `/agents/top/one/sub/leaf/${segment}`,
    placement: { via, className: 'Leaf', segment, ...(via === 'remote' ? { way } : {}) },
  });
  const ofRun = machine.state.run?.lineage.chainTurn;

  it('[DG1, DG25, CO4, SA3, CF1] has all that its call asks for, and nothing more', () => {
    const rows = [
      ...TERMS.map((terms) => ({ terms, setup_: setup, task: present(TASKS[0]) })),
      ...SETUPS.map((setup_) => ({ terms: term, setup_, task: present(TASKS[0]) })),
      ...TASKS.map((task) => ({ terms: term, setup_: setup, task })),
    ];
    for (const { terms, setup_, task } of rows)
      for (const retention of ['tree', 'run'] as const) {
        const { child } = planOf({ ...terms.asked, ...setup_.asked, ...askedFor(task), retention });
        const { first, maxInstances: _most, ...entry } = REGISTERS;
        const reference = mintReference(TOKEN, 1);
        const begins = {
          messageId: mintId('message', TOKEN, 1),
          role: 'user',
          content: first,
          from: 'parent',
          to: 'side_b',
        };
        const message = task.given === 'an entry' ? begins : task.given === 'a message' ? MESSAGE : undefined;
        const registered = { reference, ...entry, spawnGroupId: 's_me.4', createdAt: 900 };
        expect(child, JSON.stringify({ terms: terms.asked, setup: setup_.asked, task, retention })).toEqual({
          ...{ ...base, lifetime: 'call', ...place('facet', '1~1', ''), terms: terms.kept, setup: setup_.kept },
          ...{ task: taskOf(task, 1, 1), ...(retention === 'run' ? { ofRun } : {}) },
          ...(task.given === 'an entry' ? { registered } : {}),
          ...(message ? { mailbox: { messages: [{ number: 1, message, callId: 'c_9' }], last: 1 } } : {}),
        });
      }
  });

  it('[DG9, CO2, OP2, RM1] lives where its call says, under its name, one that it is given, or the next slot', () => {
    const slots = { Leaf: { free: [{ slot: 4, generation: 2 }], next: 9 } };
    const reference = mintReference(TOKEN, 1);
    for (const placement of ['facet', 'object', 'remote'] as const)
      for (const [lifetime, childName, entry, segment, name] of [
        ['call', undefined, false, '4~3', undefined],
        ['call', undefined, true, '4~3', undefined],
        ['named', 'ada', false, 'ada', 'ada'],
        ['named', 'ada', true, 'ada', 'ada'],
        ['named', undefined, true, reference, reference],
        // Its first number is somebody's name.
        ['named', undefined, false, 'leaf-8', 'leaf-8'],
      ] as const) {
        const more = { ...(childName ? { childName } : {}), ...(entry ? { registers: REGISTERS } : {}) };
        const asked = { placement, lifetime, name: 'tool', ...more } as const;
        const { child, plan } = planOf(asked, { slots, ahead: ['leaf-7'] });
        const way = name === undefined ? 'tool' : 'leaf';
        expect(child).toMatchObject({ lifetime, ...place(placement, segment, way) });
        expect(child?.name).toBe(name);
        const began = { task: 1, agentType: 'leaf', sessionId: base.sessionId, address: child?.address };
        expect(plan).toMatchObject({ kind: 'task', began: { childId: child?.childId, ...began } });
      }
  });

  it('[DG30, CO8, CO10, DG27] is awaited by its call where that holds it or waits for it, and by nobody else', () => {
    for (const awaits of ['step', 'notice'] as const)
      for (const waits of [undefined, {}, { until: 950 }]) {
        const { plan } = planOf({ await: awaits, ...(waits ? { waits } : {}) });
        const isAwaited = awaits === 'step' || waits !== undefined;
        const needs = isAwaited ? { tasks: [{ childId: 7, task: 1 }], need: 1, ...waits } : { tasks: [], need: 0 };
        expect(plan).toMatchObject({ awaits: needs });
        if (plan.kind === 'task') expect(Object.keys(plan.awaits).sort()).toEqual(Object.keys(needs).sort());
      }
  });
});

describe('the record of a child with a further task', () => {
  const success = { success: true, value: 1 } as const;
  const failed = { success: false, error: failure('model_error') } as const;
  const ended = (more: object): ChildState => ({ is: 'ended', result: success, ...more });
  /** How it stands; whether it takes a place again, and whether it begins anew without and with `keepsMemory`. */
  const STANDS: readonly (readonly [ChildState, place: boolean, anew: boolean, keepingMemory: boolean])[] = [
    [ended({}), false, false, false],
    [ended({ session: 'completed', notice: 'm_4', unread: 2, brought: { problem: 'x' } }), false, false, false],
    [ended({ session: 'interrupted', result: failed }), false, false, false],
    [ended({ session: 'failed', result: failed }), false, true, false],
    [ended({ session: 'terminated', result: failed }), true, true, true],
    [ended({ gone: true, result: failed }), true, true, true],
  ];

  it('[DG26, CO3, CO4, CR4, CO31] keeps who it is and what it spent, and has all else of its new task', () => {
    for (const [state, isPlace, ...isAnew] of STANDS)
      for (const keeps of [false, true])
        for (const kept of ['the tree', 'this run', 'a run that is over'] as const)
          for (const task of [1, 10, 15, 20]
            .map((at) => present(TASKS[at]))
            .filter(({ given }) => given !== 'an entry'))
            for (const retention of ['tree', 'run'] as const) {
              const now = machine.state.run?.lineage.chainTurn ?? 0;
              const ofRun = { 'the tree': undefined, 'this run': now, 'a run that is over': now + 5 }[kept];
              const known: Child = {
                ...{
                  childId: 3,
                  sessionId: 's_known',
                  agentType: 'leaf',
                  address: '/a/sub/leaf/ada',
                  lifetime: 'named',
                },
                ...{ name: 'ada', placement: { via: 'object', className: 'Leaf', segment: 'ada' } },
                ...{
                  terms: { timeoutMs: 1, onParentSuspend: 'respawn', onFailure: 'result', budget: { maxSteps: 1 } },
                },
                ...{ setup: { workspace: 'inherited' }, ...(ofRun === undefined ? {} : { ofRun }), begun: true },
                task: {
                  ...{ number: 4, callId: 'c_old', stepId: 1, await: 'step', deliver: 'result', firstRun: 5 },
                  ...{ input: { old: 1 }, by: { actor: 'ann' }, reads: { names: ['old'] }, unreached: 6 },
                },
                ...{
                  runNumber: 6,
                  mailbox: { messages: [], last: 8 },
                  spentBefore: { ...NO_USAGE, modelCalls: 9 },
                  state,
                },
              };
              const more = { ...term.asked, ...setup.asked, ...askedFor(task), retention, lifetime: 'named' } as const;
              const memory = keeps ? { keepsMemory: true as const } : {};
              const asked = { ...more, ...memory, childName: 'ada' };
              const lasting = { count: 2, ended: 0 };
              const { child, plan } = planOf(asked, { named: { ada: known }, lasting });
              const what = JSON.stringify({ state, keeps, kept, task, retention });
              const hasLeft = kept === 'a run that is over';
              if (isPlace || hasLeft) {
                expect(plan, what).toMatchObject({ kind: 'refused', error: { code: 'max_children' } });
                expect(child, what).toBeUndefined();
              }
              const { child: taken } = planOf(asked, { named: { ada: known }, lasting: { count: 1 } });
              const anew = hasLeft || isAnew[keeps ? 1 : 0] === true;
              const { ofRun: _ofRun, ...same } = known;
              expect(taken, what).toEqual({
                ...same,
                ...{ terms: term.kept, setup: anew ? setup.kept : known.setup, runNumber: 7 },
                ...(retention === 'run' ? { ofRun: now } : {}),
                task: taskOf(task, 5, 7),
                ...(task.given === 'a message'
                  ? { mailbox: { messages: [{ number: 9, message: MESSAGE, callId: 'c_9' }], last: 9 } }
                  : {}),
                state: anew ? { is: 'respawning', fresh: true } : { is: 'working' },
              });
              if (!isPlace && !hasLeft) expect(child, what).toEqual(taken);
            }
  });
});
