/** What stops lead to: cases that hold of a Worker and of a test runtime alike. */

import { expect } from 'vitest';
import type { Document } from '../../src/protocol/wire/wire-types';
import { calls, openGate } from './puppet';
import { noted, told } from './told';

/** What a person does. */
export type StopAct = 'interrupt' | 'abort' | 'terminate' | 'resume' | 'retry';

/** A tree whose root was started. `at` is what follows the root's address. */
export interface StoppedTree {
  /** `ok`, or the code of the refusal. */
  act(verb: StopAct, at: string, text: string): Promise<string>;
  status(at: string): Promise<Pick<Document<'status'>, 'status' | 'run'>>;
  /** Resolves once an agent stands so. */
  stands(at: string, status: string): Promise<void>;
  /** The codes of the root's calls in order: `ok` for a success, `open` for one without a result. */
  results(): Promise<string[]>;
}

/** What is done; `at` is the sub-agent unless it says otherwise. */
interface Act {
  readonly verb: StopAct;
  readonly at?: '';
  /** `ok` unless it says otherwise. */
  readonly answer?: string;
  /** How agents stand before the next act, by what follows the root's address. */
  readonly next?: { readonly [at: string]: string };
}

interface StopCase {
  readonly title: string;
  /** `tiny` lets two work at once. */
  readonly agent: 'top' | 'tiny';
  readonly message: string;
  /** The sub-agent that the case is about. */
  readonly child: string;
  readonly before: { readonly [at: string]: string };
  readonly acts: readonly Act[];
  /** How the latest runs ended: `status`, and with it the code of the error or the reason. */
  readonly ends: { readonly root: readonly string[]; readonly child: readonly string[] };
  readonly results: readonly string[];
  /** How the sub-agent stands at the end, where its run does not say it. */
  readonly status?: string;
}

const GATE = 'the gate of this case';
const FIRST = '/sub/leaf/1~1';
const THIRD = '/sub/leaf/3~1';
const REASON = 'No more of this.';
const gated = [noted('begun'), { gate: GATE, text: 'let go' }];
const fails = { fail: { code: 'model_refused' as const, message: 'No.' } };

const failed = {
  agent: 'top',
  message: told(calls('careful', [fails]), { text: 'done' }),
  child: FIRST,
  before: { '': 'suspended_awaiting_children', [FIRST]: 'failed' },
} as const;
const working = {
  agent: 'top',
  message: told(calls('leaf', gated), { text: 'done' }),
  child: FIRST,
  before: { [FIRST]: 'running' },
} as const;
const queued = {
  agent: 'tiny',
  message: told(calls('leaf', gated, gated, gated), { text: 'done' }),
  child: THIRD,
  before: { [THIRD]: 'queued' },
} as const;

/** The cases. */
export const STOP_CASES: readonly StopCase[] = [
  {
    ...failed,
    title: 'an abort gives up a sub-agent that failed and is waited for',
    acts: [
      { verb: 'interrupt' },
      { verb: 'abort', next: { '': 'completed' } },
      { verb: 'retry', answer: 'owned_by_parent' },
    ],
    ends: { root: ['completed'], child: ['failed', 'model_refused'] },
    results: ['model_refused'],
  },
  {
    ...failed,
    title: 'a terminate gives it up, and ends its session',
    acts: [
      { verb: 'terminate', next: { '': 'completed' } },
      { verb: 'retry', answer: 'not_retryable' },
    ],
    status: 'terminated',
    ends: { root: ['completed'], child: ['failed', 'model_refused'] },
    results: ['model_refused'],
  },
  {
    ...failed,
    title: 'an abort of the root ends both',
    acts: [{ verb: 'abort', at: '', next: { '': 'failed' } }],
    ends: { root: ['failed', 'aborted', REASON], child: ['failed', 'model_refused'] },
    results: ['model_refused'],
  },
  {
    ...working,
    title: 'an interrupt of a sub-agent at work keeps its parent waiting until it is resumed',
    acts: [
      { verb: 'retry', answer: 'owned_by_parent' },
      { verb: 'interrupt', next: { '': 'suspended_awaiting_children', [FIRST]: 'interrupted' } },
      { verb: 'interrupt' },
      { verb: 'resume', at: '', next: { [FIRST]: 'running' } },
      { verb: 'resume', answer: 'already_running' },
    ],
    ends: { root: ['completed'], child: ['completed'] },
    results: ['ok'],
  },
  ...(['abort', 'terminate'] as const).map((verb) => ({
    ...working,
    title: `${verb} of a sub-agent at work is the result of its call`,
    acts: [{ verb, next: { '': 'completed' } }, { verb }],
    ends: {
      root: ['completed'],
      child: verb === 'abort' ? ['failed', 'aborted', REASON] : ['terminated', REASON],
    },
    results: [verb === 'abort' ? 'aborted' : 'terminated'],
  })),
  {
    ...working,
    title: 'an interrupt of the root reaches below it, and a stronger stop goes over it',
    acts: [
      { verb: 'interrupt', at: '', next: { '': 'interrupted', [FIRST]: 'interrupted' } },
      { verb: 'resume', answer: 'owned_by_parent' },
      { verb: 'terminate', at: '', next: { '': 'terminated' } },
      { verb: 'resume', at: '', answer: 'terminated' },
      { verb: 'interrupt', at: '' },
    ],
    ends: { root: ['terminated', REASON], child: ['terminated'] },
    results: ['terminated'],
  },
  ...(['abort', 'terminate'] as const).map((verb) => ({
    ...queued,
    title: `${verb} of a sub-agent in the queue takes it out`,
    acts: [{ verb }, { verb }],
    ends: { root: ['completed'], child: [] },
    results: ['ok', 'ok', verb === 'abort' ? 'aborted' : 'terminated'],
  })),
  {
    ...queued,
    title: 'an interrupt of a sub-agent in the queue keeps it for a resume',
    acts: [{ verb: 'interrupt' }, { verb: 'resume' }],
    ends: { root: ['completed'], child: ['completed'] },
    results: ['ok', 'ok', 'ok'],
  },
  {
    ...working,
    title: 'what is no agent is not stopped',
    child: '/sub/leaf/9~1',
    acts: (['interrupt', 'abort', 'terminate', 'resume', 'retry'] as const).map((verb) => ({
      verb,
      answer: 'not_found',
    })),
    ends: { root: ['completed'], child: [] },
    results: ['ok'],
  },
];

/** How the latest run of a status document ended: the texts that it and its error hold. */
function endOf({ run }: Pick<Document<'status'>, 'run'>): unknown[] {
  return [run?.status, run?.reason, ...(run?.error ? [run.error.code, run.error.message] : [])];
}

/** The message of a case whose gate has that name. */
export const messageOf = ({ message }: StopCase, gate: string): string => message.replaceAll(`"${GATE}"`, `"${gate}"`);

/** Tries a case at a tree that was started with its message. */
export async function tryStops(one: StopCase, tree: StoppedTree, gate: string): Promise<void> {
  const all = async (standing: Act['next'] = {}) => {
    for (const [at, status] of Object.entries(standing)) await tree.stands(at, status);
  };
  await all(one.before);
  const answers: string[] = [];
  for (const { verb, at = one.child, next } of one.acts) {
    answers.push(await tree.act(verb, at, REASON));
    await all(next);
  }
  expect(answers).toEqual(one.acts.map(({ answer = 'ok' }) => answer));
  openGate(gate);
  const [end = ''] = one.ends.root;
  await tree.stands('', end);
  expect(endOf(await tree.status(''))).toEqual(expect.arrayContaining([...one.ends.root]));
  if (one.ends.child.length > 0)
    expect(endOf(await tree.status(one.child))).toEqual(expect.arrayContaining([...one.ends.child]));
  if (one.status !== undefined) expect((await tree.status(one.child)).status).toBe(one.status);
  expect(await tree.results()).toEqual(one.results);
}
