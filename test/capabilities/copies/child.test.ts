/** Which named children come along with a copy, and what of their parent's record does. */
import { expect, it } from 'vitest';
import { type CopiedParent, copiedChild, sessionAlong, workspaceAlong } from '../../../src/capabilities/copies/child';
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

/** A child with every field that one can have. */
const WHOLE: Required<Child> = {
  ...(child() as Required<Child>),
  registered: {
    ...{
      reference: 'r-1',
      prompt: 'p',
      title: 't',
      description: 'd',
      resumable: true,
      receives: 'side_b',
      blocking: true,
    },
    ...{ threadName: 'Ada', spawnGroupId: 's_old.4', createdAt: 1, terminatedAt: 2 },
  },
  variables: { key: 'sealed' },
  terms: {
    ...{ timeoutMs: 1_000, onParentSuspend: 'continue', onFailure: 'result', onIdle: 'wake', brings: true },
    budget: { maxModelCalls: 7 },
  },
  setup: { givesFiles: true, mayRead: true, workspace: { is: 'none' } } as unknown as Child['setup'],
  task: {
    ...{ number: 2, callId: 'c_old', stepId: 4, await: 'step', deliver: 'notice', firstRun: 2, input: { a: 1 } },
    ...{ by: { actor: 'ann' }, told: true, reads: { parent: true, names: ['b'] }, unreached: 2 },
  },
  begun: true,
  mailbox: { messages: [{ number: 5 } as never], last: 5 },
  state: {
    ...{ is: 'ended', result: { success: true, value: 'x' }, session: 'failed', notice: 'm_old', unread: 3 },
    brought: { files: [] } as never,
  },
};
/** What is of its parent's run, or of the session that it had: no copy has it. */
const STAYS = ['ofRun', 'variables', 'spentBefore'] as const satisfies readonly (keyof Child)[];

it('[CP12] a child comes along whole: field by field as it was, but for what names the original', () => {
  const { ofRun: _run, ...kept } = WHOLE;
  const { notice: _notice, unread: _unread, ...state } = WHOLE.state as Extract<Child['state'], { is: 'ended' }>;
  const { input: _input, by: _by, reads: _reads, unreached: _unreached, ...task } = WHOLE.task;
  const expected: Partial<Child> = {
    ...kept,
    sessionId: 's_new_n3',
    address: `${session.address}/sub/leaf/own`,
    registered: { ...WHOLE.registered, spawnGroupId: 's_new.4' },
    task: { ...task, callId: 'c_new_n3' },
    mailbox: { messages: [], last: 5 },
    state,
  };
  for (const field of STAYS) delete (expected as Record<string, unknown>)[field];
  expect(copiedChild(kept, at())).toEqual(expected);
  // One field less of the child is one field less of its copy.
  for (const field of ['name', 'registered', 'mailbox'] as const) {
    const { [field]: _gone, ...rest } = kept;
    const { [field]: _other, ...copy } = expected;
    expect([field, copiedChild(rest, at())]).toEqual([field, copy]);
  }
  const { told: _told, ...untold } = kept.task;
  expect(copiedChild({ ...kept, task: untold }, at())?.task).not.toHaveProperty('told');
  const { spawnGroupId: _group, ...alone } = kept.registered;
  expect(copiedChild({ ...kept, registered: alone }, at())?.registered).toEqual(alone);
  expect(copiedChild({ ...kept, registered: { ...alone, terminated: true } }, at())).toBeUndefined();
  // It has begun in the copy, whatever its parent knew of it.
  const { begun: _begun, ...unknown } = kept;
  expect(copiedChild(unknown, at())?.begun).toBe(true);
});

it('[CP12, CP43] a child that is not at rest has ended as interrupted in the copy, and is in none from a checkpoint', () => {
  const error = { code: 'interrupted' } as never;
  for (const state of [
    { is: 'working' },
    { is: 'waiting' },
    { is: 'stopping', verb: 'abort', error, cause: 'stop' },
    { is: 'interrupted', cause: 'stop' },
    { is: 'failed', error },
  ] as const satisfies readonly Child['state'][]) {
    const copy = copiedChild(child({ state }), at());
    expect(copy?.state).toEqual({
      ...{ is: 'ended', session: 'interrupted' },
      result: { success: false, error: expect.objectContaining({ code: 'interrupted' }) },
    });
    expect(copiedChild(child({ state }), at(9))).toBeUndefined();
  }
  for (const [stepId, comes] of [
    [0, false],
    [1, true],
    [9, true],
    [10, false],
  ] as const)
    expect([stepId, copiedChild(child({ task: { ...child().task, stepId } }), at(9)) !== undefined]).toEqual([
      ...[stepId, comes],
    ]);
});

it('[CP12] the session of one that comes along has its place, its rights and its origin, and nothing else of the original', () => {
  const along = {
    ...{ sessionId: 's_new_n3', agentType: 'leaf', address: `${session.address}/sub/leaf/own`, root, depth: 3 },
    parent: { sessionId: 's_new', address: session.address },
    ...{ tags: ['name:Ada'], displayName: 'Ada', givesFiles: true, mayRead: true },
    copyOf: { sessionId: 's_old_child', address: WHOLE.address },
  };
  const { ofRun: _run, ...kept } = WHOLE;
  const copy = copiedChild(kept, at()) as Child;
  expect(sessionAlong(copy, WHOLE, session)).toEqual(along);
  const { registered: _registered, ...unnamed } = copy;
  const { displayName: _name, ...plain } = along;
  expect(sessionAlong(unnamed, WHOLE, session)).toEqual({ ...plain, tags: [] });
  // One in an object is at the first level of that, however deep it is.
  const placement = { via: 'object', className: 'Leaf', segment: 'own' } as unknown as Child['placement'];
  expect(sessionAlong({ ...copy, placement }, WHOLE, session)).toEqual({ ...along, objectLevel: 1 });
});

it('[WS26, CP12] files of a session that comes along are its own, those of the copy, or those that were passed on to that', () => {
  const owner = (sessionId: string) => ({ sessionId, address: `/agents/top/${sessionId}` });
  const rules = { readOnly: true };
  const own = { is: 'own' } as unknown as NonNullable<Session['workspace']>;
  const inherits = (sessionId: string, more: object = {}) =>
    ({ is: 'inherited', owner: owner(sessionId), rules, ...more }) as const;
  const along = (workspace: Session['workspace'], was: string, passed?: Session['workspace']) =>
    workspaceAlong({ ...original, ...(workspace ? { workspace } : {}) }, owner('s_new'), {
      was,
      ...(passed ? { workspace: passed } : {}),
    });
  expect(along(undefined, 's_old')).toBeUndefined();
  expect(along(own, 's_old', inherits('s_x'))).toBe(own);
  expect(along(inherits('s_old'), 's_old')).toEqual(inherits('s_new'));
  expect(along(inherits('s_top'), 's_old', inherits('s_top_copy', { rules: {} }))).toEqual(inherits('s_top_copy'));
  expect(along(inherits('s_top'), 's_old', own)).toBe(own);
  expect(along(inherits('s_top'), 's_old')).toEqual(inherits('s_top'));
});
