/**
 * The fields of a copy, compared by reflection with those of what it was made of. Each list names the fields that may
 * differ. A field that is added to a type does not compile here until it has a value, and fails until it is copied or named.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { copiedChild, sessionAlong } from '../../../src/capabilities/copies/child';
import { type CopyFacts, copiedMessage, copiedRun, copiedStep } from '../../../src/capabilities/copies/memory';
import type { Child, ChildState, Task } from '../../../src/core/agent/children/child';
import type { InboundMessage } from '../../../src/core/agent/inbound';
import type { Lineage } from '../../../src/core/agent/runs/lineage';
import type { ActiveRun, Call, RepliedStep, Run, Session, Settlement, Step } from '../../../src/core/agent/state';
import { failure } from '../../../src/protocol/errors';
import { childRunId, mintId } from '../../../src/protocol/ids';
import { NO_USAGE } from '../../../src/protocol/usage';

type Whole<Of> = { readonly [Field in keyof Of]-?: Of[Field] };
type EndedRun = Extract<Run, { phase: 'ended' }>;
type OpenStep = Extract<Step, { phase: 'model' }>;

/** The fields in which two records differ, those that one of them lacks included. */
function differing(one: object, other: object): string[] {
  const [a, b] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  const fields = new Set([...a.keys(), ...b.keys()]);
  return [...fields].filter((field) => !isDeepStrictEqual(a.get(field), b.get(field))).sort();
}

/** Expects that a copy differs in all of these fields and in no other, also where the original lacks one of the rest. */
function differsIn<Of extends object>(
  whole: Of,
  copy: (of: Of) => object,
  fields: readonly (keyof Of & string)[],
): void {
  expect(differing(whole, copy(whole))).toEqual([...fields].sort());
  for (const field of Object.keys(whole)) {
    // Without these a record has no type.
    if (field === 'phase' || field === 'is') continue;
    const { [field]: _without, ...rest } = whole as Record<string, unknown>;
    let made: object;
    try {
      made = copy(rest as Of);
    } catch {
      // No record of this type lacks this field.
      continue;
    }
    const found = differing(rest, made).filter((one) => one !== field);
    expect(
      found.filter((one) => !fields.some((named) => named === one)),
      `without ${field}`,
    ).toEqual([]);
  }
}

const OLD = 's_original';
const ROOT = { className: 'Top', name: 'one' };
const USAGE = { ...NO_USAGE, modelCalls: 7, inputTokens: 70 };
const FAILURE = failure('aborted');
const FILE = { from: { path: 'a.txt', etag: 'e' }, path: 'a.txt' };

const session: Whole<Session> = {
  sessionId: OLD,
  agentType: 'scout',
  address: '/agents/top/one/sub/scout/ada',
  root: ROOT,
  depth: 2,
  objectLevel: 1,
  parent: { sessionId: 's_top', address: '/agents/top/one' },
  workspace: { is: 'per-invocation' },
  givesFiles: true,
  mayRead: true,
  createdAt: 9,
  displayName: 'Ada',
  tags: ['name:ada'],
  metadata: { a: 1 },
  claim: { caller: 'me', key: 'k' },
  active: 'writer',
  activated: ['prompt'],
  customStep: 3,
  terminated: { at: 1, reason: 'x' },
};
const copied: Session = { ...session, sessionId: 's_copy', address: '/agents/top/one/sub/scout/bob' };
const facts: CopyFacts = { session: copied, original: OLD, token: 'fresh', at: 99 };

const lineage: Whole<Lineage> = {
  chainTurn: 3,
  chainRunId: childRunId(OLD, 3),
  resumedFrom: childRunId(OLD, 4),
  usageAtChainStart: USAGE,
  usageAtStart: USAGE,
  askedAfter: 11,
  firstTry: { turn: 2, replies: 6 },
};

const base = {
  runId: childRunId(OLD, 5),
  epoch: 3,
  turn: 4,
  startedAt: 1,
  caller: { actor: 'ann', traceparent: '00-1-1-01' },
  task: { childId: 1, task: 4 },
  lineage,
  mailTaken: 5,
  gives: [],
  endsBy: 'c_1',
  closing: { step: 8, done: ['committed', 'deferred', 'handed_over'] },
  sides: { acting: 'side_b', turns: 3, steps: 1 },
  madeSince: [{ callId: 'c_1' }],
} as const;

const ended: Whole<EndedRun> = {
  ...base,
  phase: 'ended',
  endedAt: 4,
  unbegun: true,
  steps: 8,
  outcome: { status: 'failed', error: FAILURE },
  acknowledged: false,
};

/** What a run has of the tree, the parent and the trace of its original. */
const OF_ORIGINAL = ['task', 'mailTaken', 'caller', 'gives', 'endsBy', 'madeSince'] as const;
/** What is named or counted anew. */
const ANEW = ['runId', 'lineage', 'epoch'] as const;

it('[CP27, CP3] the lineage of a run differs in its ids and its usage', () => {
  const anew = ['chainRunId', 'resumedFrom', 'usageAtChainStart', 'usageAtStart'] as const;
  differsIn(lineage, (one) => copiedRun({ ...ended, lineage: one }, facts).lineage, anew);
});

it('[CP27] of the caller of a run a copy has the name, and not the trace', () => {
  expect(copiedRun(ended, facts).caller).toEqual({ actor: 'ann' });
});

it('[CP27, CP3, CP4] a run that ended differs in its ids, its epoch, its usage, and what concerns the parent alone', () => {
  differsIn(ended, (run) => copiedRun(run, facts), [...OF_ORIGINAL, ...ANEW, 'acknowledged', 'unbegun']);
});

it('[CP3] a run at work is one that was interrupted, with whose turn it was and the steps that it has closed', () => {
  const active: Whole<ActiveRun> = {
    ...base,
    phase: 'active',
    stop: { verb: 'abort', reason: 'x', at: 1, bodies: [] },
    knownToParent: 'working',
    word: { number: 1, text: 'Soon.' },
    hooks: { owed: [] },
  };
  const ofWork = ['phase', 'stop', 'knownToParent', 'word', 'hooks'] as const;
  const end = ['endedAt', 'outcome', 'acknowledged'] as unknown as (keyof ActiveRun)[];
  differsIn(active, (run) => copiedRun(run, facts), [...OF_ORIGINAL, ...ANEW, ...ofWork, ...end]);
});

const settled: Whole<Settlement> = {
  result: { success: true, value: 1 },
  at: 3,
  startedAt: 2,
  usage: USAGE,
  answer: { kind: 'approval-response', at: 3, actor: 'ann', approved: true, reason: 'ok', input: { a: 2 }, order: 1 },
  unrun: true,
  lateAt: 4,
};

const call: Whole<Call> = {
  callId: mintId('call', 'old', 0),
  providerId: 'p0',
  name: 'x',
  input: { a: 1 },
  index: 0,
  plan: { kind: 'tool', replay: 'safe', finishWith: true, timeoutMs: 7, approval: { inputHash: 'h', expiresAt: 5 } },
  bodies: 2,
  state: { is: 'cut_off' },
  answer: settled.answer,
  settled,
};

const stepBase = {
  id: 8,
  turn: 4,
  number: 2,
  attempt: 2,
  recoveries: 1,
  token: 'old',
  side: 'side_a',
  messagesUpTo: 6,
  startedAt: 1,
  failures: [FAILURE],
  hookFailures: [{ hook: 'onStepStart', at: 1, error: FAILURE }],
  spent: USAGE,
  compactedAt: 3,
  failedRow: ['k', 'k'],
  fallback: { passedOver: { scout: [FAILURE] }, failures: 1 },
} as const;

const replied: Omit<Whole<RepliedStep>, 'compaction'> & RepliedStep = {
  ...stepBase,
  phase: 'calls',
  reply: [{ type: 'text', text: 'Hm.' }],
  model: 'm',
  responseId: 'resp',
  finishReason: 'tool-calls',
  notes: ['n'],
  usage: USAGE,
  repliedAt: 2,
  calls: [call],
};

it('[CP27, CP4] a step differs in its token and its calls, and has spent nothing; its own usage stays to be shown', () => {
  differsIn(replied, (step) => copiedStep(step, facts), ['calls', 'spent', 'token']);
  const open: Omit<Whole<OpenStep>, 'compaction'> & OpenStep = {
    ...stepBase,
    phase: 'model',
    notBefore: 5,
    unasked: true,
    refusals: { limited: 1 } as unknown as NonNullable<OpenStep['refusals']>,
  };
  differsIn(open, (step) => copiedStep(step, facts), ['spent', 'token']);
});

const callOf = (one: Call): Call => {
  const step = copiedStep({ ...replied, calls: [one] }, facts);
  const [copy] = step.phase === 'calls' ? step.calls : [];
  if (copy === undefined) throw new Error('It has no calls any more.');
  return copy;
};

it('[CP27, CP4] a call differs in its id and what it stood at; its result in what it cost alone', () => {
  differsIn(call, callOf, ['callId', 'settled', 'state']);
  differsIn(settled, (one) => callOf({ ...call, settled: one }).settled ?? {}, ['usage']);
});

it('[CP27] a message differs in its id alone', () => {
  const message: Whole<InboundMessage> = {
    id: 3,
    messageId: 'm_old',
    role: 'user',
    content: 'x',
    from: 'parent',
    at: 1,
    metadata: { a: 1 },
    to: 'side_b',
    wakes: true,
    silent: true,
    files: [FILE] as unknown as NonNullable<InboundMessage['files']>,
    hooked: 2,
  };
  differsIn(message, (one) => copiedMessage(one, facts), ['messageId']);
});

const task: Whole<Task> = {
  number: 2,
  callId: 'c_old',
  stepId: 4,
  await: 'notice',
  deliver: 'notice',
  firstRun: 2,
  input: { a: 1 },
  by: { actor: 'ann' },
  told: true,
  reads: { names: ['bob'] },
  unreached: 2,
};

type Rested = Extract<ChildState, { is: 'ended' }>;
const rested: Omit<Whole<Rested>, 'gone'> & Rested = {
  is: 'ended',
  result: { success: true, value: 'x' },
  session: 'completed',
  notice: 'm_notice',
  unread: 1,
  brought: { files: [] } as unknown as NonNullable<Rested['brought']>,
};

const child: Omit<Whole<Child>, 'ofRun'> & Child = {
  childId: 3,
  sessionId: 's_old_child',
  agentType: 'leaf',
  address: `${session.address}/sub/leaf/own`,
  lifetime: 'named',
  name: 'own',
  registered: {
    reference: 'r-1',
    prompt: 'p',
    description: 'd',
    resumable: true,
    blocking: false,
    threadName: 'Own',
    spawnGroupId: `${OLD}.4`,
    createdAt: 1,
  },
  variables: { key: 'sealed' },
  placement: { via: 'facet', className: 'Leaf', segment: 'own' },
  terms: {
    timeoutMs: 1_000,
    onParentSuspend: 'continue',
    onFailure: 'wait',
    onIdle: 'wake',
    budget: { maxTokens: 100 },
    brings: true,
  },
  setup: { workspace: 'per-invocation', givesFiles: true, mayRead: true },
  task,
  begun: true,
  runNumber: 2,
  mailbox: { messages: [], last: 5, taken: 4 },
  spentBefore: USAGE,
  state: rested,
};

const along = (one: Child): Child => {
  const copy = copiedChild(one, { original: session, session: copied });
  if (copy === undefined) throw new Error('It stays with the original.');
  return copy;
};

it('[CP12, CP41, CP3, CP4] a child that comes along differs in its ids, and lacks what is on its way or was asked by a request', () => {
  const anew = ['sessionId', 'address', 'registered', 'task', 'state'] as const;
  differsIn(child, along, [...anew, 'variables', 'mailbox', 'spentBefore']);
  differsIn(child.registered ?? {}, (registered) => along({ ...child, registered } as Child).registered ?? {}, [
    'spawnGroupId',
  ] as never[]);
  differsIn(task, (one) => along({ ...child, task: one }).task, ['callId', 'input', 'by', 'reads', 'unreached']);
  differsIn(rested, (state) => along({ ...child, state }).state, ['notice', 'unread']);
});

it('[CP12] the session of a child that comes along has the names, rights and levels of what its parent has of it', () => {
  const copy = along(child);
  expect(sessionAlong(copy, child, copied)).toEqual({
    sessionId: copy.sessionId,
    agentType: 'leaf',
    address: copy.address,
    root: ROOT,
    depth: 3,
    objectLevel: 2,
    parent: { sessionId: copied.sessionId, address: copied.address },
    tags: ['name:Own'],
    displayName: 'Own',
    givesFiles: true,
    mayRead: true,
    copyOf: { sessionId: child.sessionId, address: child.address },
  });
});
