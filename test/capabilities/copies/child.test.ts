/** Which named children come along with a copy, and what of their parent's record does. */
import { expect, it } from 'vitest';
import { type CopiedParent, copiedChild, workspaceAlong } from '../../../src/capabilities/copies/child';
import type { Child } from '../../../src/core/agent/children/child';
import type { Session } from '../../../src/core/agent/state';

const root = { className: 'Top', addressClass: 'top', name: 'one' };
const original: Session = {
  sessionId: 's_old',
  agentType: 'scout',
  address: '/agents/top/one/sub/scout/ada',
  root,
  depth: 2,
  tags: [],
  createdAt: 1,
};
const session = { ...original, sessionId: 's_new', address: '/agents/top/one/sub/scout/bob' };
const at = (step?: number): CopiedParent => ({
  original,
  session,
  ...(step === undefined ? {} : { cut: { step, turn: 1, message: 1, inRun: false } }),
});

const child = (more: Partial<Child> = {}): Child => ({
  childId: 3,
  sessionId: 's_old_child',
  agentType: 'leaf',
  address: `${original.address}/sub/leaf/own`,
  lifetime: 'named',
  name: 'own',
  placement: { via: 'facet', className: 'Leaf', segment: 'own' },
  terms: { timeoutMs: 1_000, onParentSuspend: 'continue', onFailure: 'result' },
  setup: {},
  task: { number: 2, callId: 'c_old', stepId: 4, await: 'notice', deliver: 'notice', firstRun: 2, told: true },
  runNumber: 2,
  state: { is: 'ended', result: { success: true, value: 'x' }, session: 'completed' },
  ...more,
});

it('[CP12, CP3] a child comes along with its name, task and run numbers, and with no id, message or variable of the original', () => {
  const message = { messageId: 'm_old', role: 'user', content: 'x', from: 'parent' } as const;
  const messages = [{ number: 5, message, callId: 'c_old' }];
  const registered = { reference: 'r-1', prompt: 'p', description: 'd', resumable: true, blocking: false };
  const copy = copiedChild(
    child({
      mailbox: { messages, last: 5 },
      variables: { key: 'sealed_s_old' },
      registered: { ...registered, spawnGroupId: 's_old.4', createdAt: 1 },
    }),
    at(),
  );
  expect(copy).toMatchObject({
    sessionId: 's_new_n3',
    address: `${session.address}/sub/leaf/own`,
    name: 'own',
    mailbox: { messages: [], last: 5 },
    runNumber: 2,
    task: { number: 2, firstRun: 2 },
    registered: { reference: 'r-1', spawnGroupId: 's_new.4' },
  });
  expect(JSON.stringify(copy)).not.toMatch(/[scm]_old|sealed/);
});

it('[CP12] one that is at work is at rest in the copy, where that task has ended as interrupted', () => {
  expect(copiedChild(child({ state: { is: 'working' } }), at())?.state).toMatchObject({
    is: 'ended',
    session: 'interrupted',
    result: { success: false, error: { code: 'interrupted' } },
  });
});

it('[CP42] one for a call, one that is gone or ended for good, and one that lives elsewhere stay with the original', () => {
  const ended = { is: 'ended', result: { success: true, value: 'x' } } as const;
  const remote = { via: 'remote', className: 'Leaf', segment: '1~1', way: 't' } as const;
  for (const more of [
    { lifetime: 'call' },
    { state: { ...ended, gone: true } },
    { state: { ...ended, session: 'terminated' } },
    { state: { is: 'respawning' } },
    { placement: remote },
  ] satisfies Partial<Child>[])
    expect(copiedChild(child(more), at()), JSON.stringify(more)).toBeUndefined();
});

it('[CP63] one that is kept with a run of its parent stays with the original', () => {
  expect(copiedChild(child({ ofRun: 1 }), at())).toBeUndefined();
});

it('[CP7, CP43] at a checkpoint those come along whose last task is of that step or an earlier one, and has ended', () => {
  expect(copiedChild(child(), at(4))).toBeDefined();
  expect(copiedChild(child(), at(3))).toBeUndefined();
  expect(copiedChild(child({ state: { is: 'working' } }), at(4))).toBeUndefined();
  // A person gave it: no step of the parent knows of it.
  expect(copiedChild(child({ task: { ...child().task, stepId: 0 } }), at(4))).toBeUndefined();
});

it('[WS26, CP12] a child that may only read the files of its parent may only read those of the copy', () => {
  const owner = (sessionId: string) => ({ sessionId, address: `/agents/top/${sessionId}` });
  const inherits = (sessionId: string, readOnly: boolean) =>
    ({ is: 'inherited', owner: owner(sessionId), rules: { readOnly } }) as const;
  const reads: Session = { ...original, workspace: inherits('s_root', true) };
  const passed = inherits('s_root_copy', false);
  expect(workspaceAlong(reads, owner('s_new'), { was: 's_old', workspace: passed })).toEqual(
    inherits('s_root_copy', true),
  );
  expect(workspaceAlong(reads, owner('s_new'), { was: 's_root', workspace: passed })).toEqual(inherits('s_new', true));
});
