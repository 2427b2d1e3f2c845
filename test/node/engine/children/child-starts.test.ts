/** What a parent sends to its children and asks of its root for them: whole messages, by the rule, for every row. */
import { describe, expect, it } from 'vitest';
import type { Child } from '../../../../src/core/agent/children/child';
import type { AgentState, SessionWorkspace } from '../../../../src/core/agent/state';
import type { BelowRequest } from '../../../../src/core/tree/admission';
import { ONE_CALL } from '../../../../src/core/tree/lease';
import { admissionRequest } from '../../../../src/engine/children/admission-request';
import { sessionOf } from '../../../../src/engine/children/child-session';
import { delegate } from '../../../../src/engine/children/children';
import type { ParentAgent } from '../../../../src/engine/perform/performer';
import { failure } from '../../../../src/protocol/errors';
import { childRunId } from '../../../../src/protocol/ids';
import { Machine, planned } from '../../../support/machine';
import { parentOf as parentWith } from '../../../support/parent';
import { rowsOf } from '../../../support/rows';

const machine = new Machine();
machine.start();
machine.reply({ calls: [{ ...planned.child(), input: { q: 1 } }] });
const CHILD = machine.child(0);
const STATE = machine.state;
const MAIL = {
  number: 1,
  message: { messageId: 'm_1', role: 'user', content: 'Hi', from: 'parent' },
  callId: 'c',
} as const;

/** A parent whose root and child answer so. */
const parentOf = (
  state: AgentState,
  admission: object = { answer: 'start', begun: false },
  answer: object = { answer: 'done' },
) => parentWith(state, { admission, answers: () => answer });

describe('the request for a child', () => {
  it('[TR4, TR9, CR1, DG22] has all that the root records of its task, and whether its slot is still its own', () => {
    const rows = rowsOf({
      await: ['step', 'notice'],
      budget: [undefined, { maxSteps: 3 }],
      onFailure: ['result', 'wait'],
      ofRun: [undefined, 0],
      runNumber: [1, 2],
      inSlot: [undefined, CHILD.sessionId, 's_other'],
      below: [[], [{ parent: 's_x' } as BelowRequest]],
      via: ['object', 'remote'],
    });
    for (const { await: awaiting, budget, onFailure, ofRun, runNumber, inSlot, below, via } of rows) {
      const { budget: _none, ...terms } = CHILD.terms;
      const child: Child = {
        ...CHILD,
        runNumber,
        lifetime: 'named',
        name: 'it',
        task: { ...CHILD.task, number: 4, await: awaiting },
        terms: { ...terms, timeoutMs: 777, onFailure, ...(budget ? { budget } : {}) },
        placement: { via, className: 'Leaf', segment: '1~1', way: 'leaf' },
        ...(ofRun === undefined ? {} : { ofRun }),
      };
      const store = { child: (id: number) => (id === child.childId && inSlot ? { sessionId: inSlot } : undefined) };
      const state = { ...STATE, session: { ...STATE.session, depth: 3 } };
      const agent = { state, deps: { store } } as never as ParentAgent;
      expect(admissionRequest(agent, child, below)).toEqual({
        sessionId: CHILD.sessionId,
        address: CHILD.address,
        agentType: 'leaf',
        childId: CHILD.childId,
        runNumber,
        lifetime: 'named',
        depth: 4,
        placement: via,
        task: {
          number: 4,
          callId: CHILD.task.callId,
          timeoutMs: 777,
          await: awaiting,
          ...(budget ? { budget } : {}),
          ...(onFailure === 'wait' ? { onFailure } : {}),
          ...(ofRun === undefined ? {} : { removal: 'after_run' }),
        },
        ...(runNumber > 1 && inSlot === CHILD.sessionId ? { keepsSlot: true } : {}),
        ...(below.length > 0 ? { below } : {}),
      });
    }
  });
});

describe('the session of a child', () => {
  const owner = { sessionId: 's_top', address: '/agents/top/one' };
  const shared: SessionWorkspace = { is: 'inherited', owner, rules: { requireApproval: true } };

  it('[DG12, WS10, WS13, OP2] is that of its setup, its place and what its parent calls it', () => {
    const rows = rowsOf({
      workspace: [undefined, 'per-invocation', 'inherited', 'inherited-read'],
      above: [undefined, shared, { is: 'per-invocation' }] as (SessionWorkspace | undefined)[],
      rights: [{}, { givesFiles: true, mayRead: true }],
      threadName: [undefined, 'Ann'],
      registered: [true, false],
      via: ['facet', 'object'],
    } as const);
    for (const { workspace, above, rights, threadName, registered, via } of rows) {
      const session = { ...STATE.session, depth: 3, objectLevel: 2, ...(above ? { workspace: above } : {}) };
      const { agent } = parentOf({ ...STATE, session });
      const register = {
        ...{ reference: 'u-1', prompt: 'p', description: 'd', resumable: true, blocking: false, createdAt: 1 },
        ...(threadName === undefined ? {} : { threadName }),
      };
      const child: Child = {
        ...CHILD,
        setup: { ...rights, ...(workspace ? { workspace } : {}) },
        placement: { via, className: 'Leaf', segment: '1~1' },
        ...(registered ? { registered: register } : {}),
      };
      const { sessionId, address } = session;
      const rules = above?.is === 'inherited' ? above.rules : { readOnly: true };
      const inherited = { is: 'inherited', owner: above?.is === 'inherited' ? owner : { sessionId, address } };
      const files = {
        'per-invocation': { workspace: { is: 'per-invocation' } },
        inherited: { workspace: { ...inherited, rules } },
        'inherited-read': { workspace: { ...inherited, rules: { ...rules, readOnly: true } } },
        none: {},
      }[workspace ?? 'none'];
      const isNamed = registered && threadName !== undefined;
      expect(sessionOf(agent, child)).toEqual({
        sessionId: CHILD.sessionId,
        agentType: 'leaf',
        address: CHILD.address,
        root: session.root,
        depth: 4,
        objectLevel: via === 'object' ? 1 : 3,
        parent: { sessionId, address },
        ...files,
        ...(isNamed ? { displayName: 'Ann', tags: ['name:Ann'] } : { tags: [] }),
        ...rights,
      });
    }
  });
});

/** What its root and the child answer; how often that is sent its work, how its task ends, and of whom the root is to know. */
interface Refused {
  readonly admission: object;
  readonly answer: object;
  readonly sent: number;
  readonly ends: readonly { readonly code: string; readonly message?: RegExp }[];
  readonly lost?: object;
}

describe('the work that a child is sent', () => {
  it('[DG12, CO4, CO3, RN7, SA31] is its task, or the next run of it, with all that it begins with', async () => {
    const rows = rowsOf({
      begun: [false, true],
      runNumber: [4, 5],
      told: [false, true],
      input: [undefined, { own: 1 }],
      mail: [[], [MAIL]],
      by: [undefined, { actor: 'ann' }, { actor: 'ann', traceparent: 'trace-ann' }],
      caller: [undefined, { actor: 'bob', traceparent: 'trace-bob' }],
      message: [false, true],
    });
    for (const row of rows) {
      const { begun, runNumber, told, input, mail, by, caller, message } = row;
      const child: Child = {
        ...CHILD,
        runNumber,
        variables: { KEY: 'sealed' },
        mailbox: { messages: mail, last: 1 },
        task: {
          ...CHILD.task,
          ...{ number: 2, firstRun: 4 },
          ...(told ? { told } : {}),
          ...(input ? { input } : {}),
          ...(by ? { by } : {}),
        },
      };
      const { caller: _caller, ...run } = STATE.run?.phase === 'active' ? STATE.run : ({} as never);
      const state = { ...STATE, run: { ...run, ...(caller ? { caller } : {}) } };
      const lease = { ...ONE_CALL, steps: 3 };
      const { agent, sent, events } = parentOf(state, { answer: 'start', begun, lease });
      const retried = message ? { message: MAIL.message } : {};
      await delegate(agent, [{ kind: 'child', id: 'e', child, ...retried } as never]);
      const asked = by ?? caller;
      const goesOn = begun && runNumber > 4;
      const given = mail.length === 0 ? {} : { mail };
      const facts = {
        task: { childId: CHILD.childId, task: 2 },
        runId: childRunId(CHILD.sessionId, runNumber),
        ...(asked ? { actor: asked.actor } : {}),
        ...(asked && 'traceparent' in asked ? { traceparent: asked.traceparent } : {}),
        ...given,
      };
      const work = {
        ...{ type: 'assign', begun, lease, variables: { KEY: 'sealed' }, session: sessionOf(agent, child) },
        ...(told ? {} : { input: input ?? { q: 1 } }),
      };
      expect(sent, JSON.stringify(row)).toEqual([{ ...facts, ...(goesOn ? { type: 'resume', ...retried } : work) }]);
      const taken = { type: 'mail_taken', childId: CHILD.childId, upTo: 1 };
      expect(events, JSON.stringify(row)).toMatchObject(mail.length === 0 ? [] : [taken]);
    }
  });

  it('[DG7, DG10, CP53] comes to nothing with the end of its task that the refusal says, and nothing prepared is left', async () => {
    const refusal = failure('max_depth', 'Too deep.');
    const need = { capability: 'counter', row: { id: CHILD.childId, childId: CHILD.childId } };
    const lost = { lost: [CHILD.sessionId] };
    const code = 'subagent_lost';
    const start = { answer: 'start', begun: false };
    const done = { answer: 'done' };
    const refused = { answer: 'refused', error: refusal };
    const rows: readonly Refused[] = [
      { admission: { answer: 'queued' }, answer: done, sent: 0, ends: [] },
      { admission: refused, answer: done, sent: 0, ends: [{ code: 'max_depth' }] },
      { admission: start, answer: done, sent: 1, ends: [] },
      {
        admission: start,
        answer: { answer: 'absent' },
        sent: 1,
        ends: [{ code, message: /It does not exist\.$/ }],
        lost,
      },
      { admission: start, answer: refused, sent: 1, ends: [{ code, message: /Too deep\.$/ }], lost },
      {
        ...{ admission: start, sent: 1, ends: [{ code: 'invalid_input' }], lost },
        answer: { answer: 'refused', error: failure('invalid_input', 'No.') },
      },
    ];
    for (const row of rows)
      for (const needs of [false, true]) {
        const slices = new Map(needs ? [[need.capability, [need.row]]] : []);
        const { agent, sent, events, removed, asked } = parentOf(
          { ...STATE, slices: slices as never },
          row.admission,
          row.answer,
        );
        await delegate(agent, [{ kind: 'child', id: 'e', child: CHILD } as never]);
        const what = JSON.stringify({ ...row, needs });
        expect(sent, what).toHaveLength(row.sent);
        const isRefusedWork = needs && row.answer === refused;
        const ends: Refused['ends'] = isRefusedWork ? [{ code: 'max_depth' }] : row.ends;
        expect(events, what).toMatchObject(
          ends.map(({ code, message }) => ({
            type: 'child_settled',
            task: { childId: CHILD.childId, task: 1 },
            outcome: {
              status: 'failed',
              error: { code, ...(message ? { message: expect.stringMatching(message) } : {}) },
            },
          })),
        );
        expect(asked.slice(1), what).toEqual(row.lost ? [row.lost] : []);
        const goes = needs && events.length > 0 && !(row.ends[0]?.code === code && !isRefusedWork);
        expect(removed, what).toEqual(goes ? [CHILD.sessionId] : []);
      }
  });
});
