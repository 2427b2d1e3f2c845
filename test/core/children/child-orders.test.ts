/** What is asked of a parent about a child with a task: each way in which the child and its parent may stand, by the rule. */
import { describe, expect, it } from 'vitest';
import type { Transition } from '../../../src/core/agent/changes';
import { type Child, type ChildState, keyOf, runIdOf } from '../../../src/core/agent/children/child';
import { onChildReach } from '../../../src/core/agent/children/child-reach';
import {
  onChildDecided,
  onChildRespawn,
  onChildResume,
  onChildStop,
  onChildWaits,
} from '../../../src/core/agent/children/delegation';
import { Draft } from '../../../src/core/agent/draft';
import type { AgentState, Run } from '../../../src/core/agent/state';
import { type ErrorCode, failure } from '../../../src/protocol/errors';
import { childRunId, mintId } from '../../../src/protocol/ids';
import { NO_USAGE } from '../../../src/protocol/usage';
import { Machine, planned } from '../../support/machine';
import { rowsOf } from '../../support/rows';

const machine = new Machine();
machine.start();
machine.reply({
  calls: [planned.client(), { ...planned.child(), lifetime: 'named', await: 'notice', deliver: 'notice' }],
});
/** Its parent waits for a person, with nothing else at work. */
const STATE = machine.state;
const CHILD: Child = { ...machine.child(1), runNumber: 4, task: { ...machine.child(1).task, number: 3 } };
const MESSAGE = { messageId: 'm_9', role: 'user', content: 'Again', from: 'caller' } as const;
const why = failure('child_timeout', 'Its time is up.');
const first = failure('model_error', 'First.');
const forWait = failure('parent_suspended', 'Its parent waits.');

const stopping = (verb: 'interrupt' | 'abort' | 'terminate', error = first): ChildState => ({
  ...{ is: 'stopping', verb, error, message: MESSAGE, cause: error === forWait ? 'parent_suspended' : 'stop' },
});
const STATES: readonly ChildState[] = [
  { is: 'working', message: MESSAGE, says: 'so far' },
  { is: 'working' },
  { is: 'waiting', says: 'so far' },
  ...(['interrupt', 'abort', 'terminate'] as const).flatMap((verb) => [stopping(verb), stopping(verb, forWait)]),
  { is: 'interrupted', cause: 'stop', message: MESSAGE },
  { is: 'interrupted', cause: 'parent_suspended' },
  { is: 'failed', error: first },
  { is: 'respawning', usage: NO_USAGE },
  { is: 'respawning', fresh: true },
];
const PARENTS = ['at work', 'being stopped', 'interrupted', 'at rest'] as const;
const VERBS = ['interrupt', 'abort', 'terminate'] as const;

/** The parent so, with the child so. */
function stateOf(parent: (typeof PARENTS)[number], state: ChildState, more: Partial<Child> = {}): AgentState {
  const { run } = STATE;
  if (run?.phase !== 'active') throw new Error('No run is at work.');
  const over = { ...run, phase: 'ended', acknowledged: true, endedAt: 1, steps: 1 } as const;
  const runs: { readonly [is in (typeof PARENTS)[number]]: Run } = {
    'at work': run,
    'being stopped': { ...run, stop: { verb: 'interrupt', reason: 'So.', at: 1, bodies: [] } },
    interrupted: { ...over, outcome: { status: 'interrupted', reason: 'So.' } } as never,
    'at rest': { ...over, outcome: { status: 'completed', output: 1, completionReason: 'text' } } as never,
  };
  return { ...STATE, run: runs[parent], children: new Map([[CHILD.childId, { ...CHILD, ...more, state }]]) };
}

const task = keyOf(CHILD);
const other = { ...task, task: 2 };
const moment = { at: 5, token: 'token00000000077' };

/** What an answer says of the child: a code where it is refused, its record where it is open, and how it ended. */
function said(answer: Transition): ErrorCode | Child | { readonly ended: ChildState } {
  if (!answer.ok) return answer.refused.code;
  const open = answer.state.children.get(CHILD.childId);
  if (open) return open;
  const put = answer.changes.findLast((change) => change.put === 'child');
  return { ended: put?.put === 'child' ? put.child.state : { is: 'working' } };
}
/** Its step has no calls, so it waits for nobody. */
const NO_CALLS = { ...machine.step, calls: [] };
const heldBy = (awaiting: 'step' | 'notice') => ({ task: { ...CHILD.task, await: awaiting } });

describe('a child that is to be stopped', () => {
  it('[DG10, SP7, SP9, CS5, SP10] has the first reason, or that of a stronger stop; where nobody works on its task it ends at once', () => {
    for (const { parent, state, awaits, verb } of rowsOf({
      parent: PARENTS,
      state: STATES,
      awaits: ['step', 'notice'],
      verb: VERBS,
    } as const)) {
      const before = stateOf(parent, state, heldBy(awaits));
      const event = { type: 'child_stop', ...moment, task, verb, error: why } as const;
      const what = JSON.stringify({ parent, state, awaits, verb });
      const now = said(onChildStop(new Draft(before), event, machine.rules));
      const known = before.children.get(CHILD.childId);
      const isPassed = parent === 'being stopped' || (parent !== 'at work' && awaits === 'step');
      const isHard = verb !== 'interrupt';
      const place = (one: (typeof VERBS)[number]): number => VERBS.indexOf(one);
      const takesPlace =
        state.is === 'stopping' &&
        (place(verb) > place(state.verb) || (verb === state.verb && state.error === forWait));
      const stops =
        state.is === 'working' || state.is === 'waiting' || (state.is === 'interrupted' && isHard) || takesPlace;
      const ends = isHard && (state.is === 'failed' || state.is === 'respawning');
      const message = 'message' in state ? { message: MESSAGE } : {};
      if (isPassed || (!stops && !ends)) expect(now, what).toEqual(known);
      else if (stops)
        expect(now, what).toEqual({ ...known, state: { is: 'stopping', verb, error: why, cause: 'stop', ...message } });
      else if (awaits === 'notice') {
        const error = state.is === 'failed' ? first : why;
        expect(now, what).toMatchObject({ ended: { is: 'ended', result: { success: false, error } } });
        const isKnown = state.is === 'failed' || verb === 'abort';
        const session = isKnown ? (state.is === 'respawning' && state.fresh ? undefined : 'failed') : 'terminated';
        expect('ended' in Object(now) && (now as { ended: { session?: string } }).ended.session, what).toBe(session);
      }
    }
    const late = { type: 'child_stop', ...moment, task: other, error: why } as const;
    expect(said(onChildStop(new Draft(stateOf('at work', { is: 'working' })), late, machine.rules))).toBe('superseded');
  });
});

describe('a child that tells how it stands', () => {
  it('[SU5, DG3, SA50] waits or works from then on with its last word; what is known, or of an earlier run, changes nothing', () => {
    for (const { state, waits, says, run } of rowsOf({
      state: STATES,
      waits: [true, false],
      says: [undefined, 'so far', 'more'],
      run: [4, 3],
    } as const)) {
      const before = stateOf('at work', state);
      const word = says === undefined ? {} : { says };
      const event = {
        type: 'child_waits',
        ...moment,
        task,
        waits,
        runId: childRunId(CHILD.sessionId, run),
        ...word,
      } as const;
      const now = said(onChildWaits(new Draft(before), event as never));
      const known = before.children.get(CHILD.childId);
      const what = JSON.stringify({ state, waits, says, run });
      const isMeant = run === 4 && (state.is === 'working' || state.is === 'waiting');
      const keeps = isMeant && (state.is === 'waiting') === waits;
      const message = keeps && 'message' in state ? { message: MESSAGE } : {};
      expect(now, what).toEqual(
        isMeant ? { ...known, state: { is: waits ? 'waiting' : 'working', ...message, ...word } } : known,
      );
      if (isMeant && keeps && 'says' in state && state.says === says)
        expect(onChildWaits(new Draft(before), event as never), what).toMatchObject({ changes: [] });
    }
    const late = { type: 'child_waits', ...moment, task: other, waits: true, runId: runIdOf(CHILD) } as const;
    expect(said(onChildWaits(new Draft(stateOf('at work', { is: 'working' })), late as never))).toBe('superseded');
  });

  it('[DG32] is not reached, or is reached again, once for each run and each time, while its task is open', () => {
    for (const { unreached, text } of rowsOf({ unreached: [undefined, 3, 4], text: [undefined, 'No way.'] } as const)) {
      const more = { task: { ...CHILD.task, ...(unreached === undefined ? {} : { unreached }) } };
      const before = stateOf('at work', { is: 'working' }, more);
      const event = { type: 'child_reach', at: 5, task, ...(text === undefined ? {} : { why: text }) } as const;
      const answer = onChildReach(new Draft(before), event);
      if (!answer.ok) throw new Error('It is refused.');
      const what = JSON.stringify({ unreached, text });
      const isKnown = text === undefined ? unreached === undefined : unreached === 4;
      const chunks = answer.chunks.map(({ body }) => body);
      const base = { type: 'subagent_status', subSessionId: CHILD.sessionId };
      const reached = { ...base, status: 'reached', ...(unreached === 4 ? { statusText: '' } : {}) };
      expect(chunks, what).toEqual(
        isKnown ? [] : [text === undefined ? reached : { ...base, status: 'unreached', statusText: text }],
      );
      const kept = text === undefined ? {} : { unreached: 4 };
      expect(answer.state.children.get(CHILD.childId)?.task, what).toEqual(
        isKnown ? more.task : { ...CHILD.task, ...kept },
      );
      const late = onChildReach(new Draft(before), { ...event, task: other });
      expect(late, what).toMatchObject({ ok: true, chunks: [], changes: [] });
    }
  });
});

describe('a child that somebody resumes or decides about', () => {
  it('[CS7, CS2, SE4, RS3] goes on in its next run where it alone stands still, and says else what has to go on first', () => {
    for (const { parent, state, awaits, waiting } of rowsOf({
      parent: PARENTS,
      state: STATES,
      awaits: ['step', 'notice'],
      waiting: [true, false],
    } as const)) {
      if (state.is !== 'interrupted' && !waiting) continue;
      const all = stateOf(parent, state, heldBy(awaits));
      const before = waiting ? all : { ...all, step: NO_CALLS };
      const what = JSON.stringify({ parent, state, awaits, waiting });
      const now = said(onChildResume(new Draft(before), { type: 'child_resume', ...moment, task } as never));
      const rests = parent === 'interrupted' || parent === 'at rest';
      const isPaused = state.is === 'interrupted' && state.cause === 'parent_suspended';
      const code =
        rests && awaits === 'step'
          ? 'superseded'
          : parent === 'being stopped'
            ? 'already_running'
            : state.is !== 'interrupted'
              ? 'not_resumable'
              : isPaused && waiting && !rests
                ? 'awaiting_input'
                : undefined;
      const message = 'message' in state ? { message: MESSAGE } : {};
      const known = before.children.get(CHILD.childId);
      expect(now, what).toEqual(code ?? { ...known, runNumber: 5, state: { is: 'working', ...message } });
    }
    expect(
      said(
        onChildResume(new Draft(stateOf('at work', { is: 'working' })), {
          type: 'child_resume',
          ...moment,
          task: other,
        } as never),
      ),
    ).toBe('superseded');
  });

  it('[DG22, DG23, DG24, CS4] that failed tries again in its next run with what it is told, or ends as it failed; the first decision counts', () => {
    for (const { parent, state, awaits, rule, decision, message } of rowsOf({
      parent: PARENTS,
      state: STATES,
      awaits: ['step', 'notice'],
      rule: ['continue', 'pause'],
      decision: ['retry', 'give_up'],
      message: [true, false],
    } as const)) {
      // What it is told, and the rule of its tool, are about one that failed.
      if (state.is !== 'failed' && (message || rule === 'pause')) continue;
      const terms = { ...CHILD.terms, onParentSuspend: rule };
      const before = stateOf(parent, state, { ...heldBy(awaits), terms });
      const event = {
        type: 'child_decided',
        ...moment,
        task,
        decision,
        ...(message ? { message: MESSAGE } : {}),
      } as const;
      const now = said(onChildDecided(new Draft(before), event as never, machine.rules));
      const rests = parent === 'interrupted' || parent === 'at rest';
      const what = JSON.stringify({ parent, state, awaits, rule, decision });
      if (decision === 'give_up') {
        if (state.is !== 'failed') expect(now, what).toBe('run_superseded');
        else if (awaits === 'notice')
          expect(now, what).toMatchObject({
            ended: { is: 'ended', result: { success: false, error: first }, session: 'failed' },
          });
        continue;
      }
      const code =
        parent === 'being stopped' || state.is !== 'failed'
          ? 'already_running'
          : rests && awaits === 'step'
            ? 'owned_by_parent'
            : rule === 'pause' && !rests
              ? 'awaiting_input'
              : undefined;
      const known = before.children.get(CHILD.childId);
      expect(now, what).toEqual(
        code ?? { ...known, runNumber: 5, state: { is: 'working', ...(message ? { message: MESSAGE } : {}) } },
      );
    }
  });
});

it('[CS6, DG26, CO3, CO4] a child that is started anew has all of its place but its session, and is told all that it was told before', () => {
  const mail = [1, 2].map((number) => ({ number, message: MESSAGE, callId: 'c' }));
  for (const { fresh, parent, slot, has, waiting } of rowsOf({
    fresh: [true, false],
    parent: PARENTS,
    slot: ['4~2', 'ada'],
    has: [true, false],
    waiting: [true, false],
  } as const)) {
    const state: ChildState = { is: 'respawning', ...(fresh ? { fresh } : { usage: NO_USAGE }) };
    const more = has
      ? { mailbox: { messages: mail, last: 7, taken: 1 }, spentBefore: NO_USAGE, begun: true as const }
      : {};
    const { begun: _begun, spentBefore: _spent, mailbox: _mail, ...base } = CHILD;
    const facts = {
      ...more,
      placement: { ...CHILD.placement, segment: slot },
      address: `/agents/top/one/sub/leaf/${slot}`,
    };
    const all = stateOf(parent, state, facts);
    const before = waiting ? all : { ...all, step: NO_CALLS };
    const now = said(onChildRespawn(new Draft(before), { type: 'child_respawn', ...moment, task } as never));
    const what = JSON.stringify({ fresh, parent, slot, has, waiting });
    const isDue = parent === 'at rest' ? fresh : parent === 'at work' && (fresh || !waiting);
    const segment = slot === 'ada' ? 'ada' : '4~3';
    const anew = {
      ...{
        ...base,
        sessionId: mintId('session', moment.token),
        address: `/agents/top/one/sub/leaf/${segment}`,
        runNumber: 1,
      },
      placement: { ...CHILD.placement, segment },
      ...(has ? { mailbox: { messages: mail, last: 7 } } : {}),
      task: { ...CHILD.task, number: fresh ? 3 : 4, firstRun: 1 },
      state: { is: 'working' },
    };
    expect(now, what).toEqual(isDue ? anew : before.children.get(CHILD.childId));
    expect(runIdOf(CHILD), what).toBe(childRunId(CHILD.sessionId, 4));
  }
});
