/**
 * The last answer of a chat, made again (CH11, CH22): each status of its agent, each way to name an answer, and each
 * refusal of the agent.
 */
import { describe, expect, it } from 'vitest';
import { madeAgain } from '../../../src/doors/chat/regenerate';
import type { Again } from '../../../src/doors/chat/request';
import { Thread } from '../../../src/doors/thread';
import type { DoorAsk } from '../../../src/gateway/doors/door';
import { ERROR_CODES, type Failure, failure, isErrorCode, OffshootError } from '../../../src/protocol/errors';
import type { JsonObject } from '../../../src/protocol/json';
import { SESSION_STATUSES, type SessionStatus } from '../../../src/protocol/status';
import { NO_USAGE } from '../../../src/protocol/usage';
import { statusDocument } from '../../../src/protocol/wire/shapes';

const at = '/agents/top/one';
const yes = { start: true, send: true, interrupt: true, abort: true, terminate: true };

const SPENT = { ...NO_USAGE, costUsd: 0 };

const statusOf = (status: SessionStatus, runId = 'r_9', running = 0) =>
  statusDocument.parse({
    ...{ sessionId: 's_1', agentType: 'top', address: at, status, tags: [], pending: [], lastSequence: 9 },
    ...{ usage: SPENT, childCounts: { running, queued: 0, waiting: 0, total: running } },
    controls: { ...yes, resume: true, retry: true, submit: true, fork: true, remove: true },
    run: {
      ...{ runId, turn: 9, chainTurn: 7, epoch: 1, chainRunId: 'r_7', resumes: 0, status: 'running', usage: SPENT },
      ...{ step: 1, attempt: 1, startSequence: 5, chainStartSequence: 3, startedAt: 1 },
    },
  });

const person = (messageId: string, chatId?: string): JsonObject => ({
  ...{ messageId, role: 'user', from: 'caller', content: 'Go' },
  ...(chatId === undefined ? {} : { metadata: { chat: { id: chatId, digest: 'x' } } }),
});
/** What no person sent, or nobody reads: it comes last everywhere. */
const OTHERS: readonly JsonObject[] = [
  { messageId: 'm_7', role: 'assistant', content: 'Done.' },
  { messageId: 'm_8', role: 'user', from: 'parent', content: 'Go' },
  { ...person('m_9', 'u_9'), silent: true },
];

interface Asked extends Pick<DoorAsk, 'verb' | 'idempotencyKey' | 'sharesKey'> {}

/** An agent with these messages; what it was asked to do is noted, and is refused so. */
function agentWith(messages: readonly JsonObject[] = [], error?: Failure) {
  const asked: Asked[] = [];
  const thread = new Thread(
    {
      allow: async (asks) =>
        asks.map(({ verb, idempotencyKey, sharesKey }) => ({
          async ask() {
            if (verb === 'messages') return { ok: true, body: { items: [...messages, ...OTHERS], asOfSequence: 9 } };
            asked.push({ verb, ...(idempotencyKey ? { idempotencyKey } : {}), ...(sharesKey ? { sharesKey } : {}) });
            return error ? { ok: false, error } : { ok: true, body: {} };
          },
        })),
    },
    at,
  );
  return { thread, asked };
}

/** What comes of it: where the stream begins, or the code of the refusal. */
const outcome = (made: ReturnType<typeof madeAgain>) =>
  made.catch((thrown: unknown) => {
    if (thrown instanceof OffshootError) return thrown.code;
    throw thrown;
  });

/** What is done for the last answer, by how its agent stands. */
const DONE: Record<SessionStatus, 'retry' | 'resume' | 'shown' | 'refused'> = {
  idle: 'refused',
  queued: 'shown',
  running: 'shown',
  suspended_client_tool: 'shown',
  suspended_awaiting_children: 'shown',
  suspended_step_partial: 'shown',
  interrupted: 'resume',
  completed: 'refused',
  failed: 'retry',
  terminated: 'resume',
};

const two = [person('m_1', 'u_1'), person('m_2', 'u_2')];
/** Ways to name an answer, and whether it is the last one. A message decides, where one is named. */
const NAMED: readonly (readonly [Again, readonly JsonObject[], boolean])[] = [
  [{}, two, true],
  [{ answerId: 's_1.7' }, two, true],
  ...['s_1.9', 's_1.6', 's_2.7', '7', ''].map((answerId) => [{ answerId }, two, false] as const),
  [{ messageId: 'u_2' }, two, true],
  [{ messageId: 'u_2', answerId: 's_1.6' }, two, true],
  ...['u_1', 'm_2', 'u_9', 'm_8'].map((messageId) => [{ messageId, answerId: 's_1.7' }, two, false] as const),
  [{ messageId: 'm_3' }, [...two, person('m_3')], true],
  [{ messageId: 'u_2' }, [...two, person('m_3')], false],
  [{ messageId: 'u_1' }, [], true],
];

describe('the last answer of a chat', () => {
  it('[CH11] is tried again, resumed, shown once more or kept by the status of its agent; no other answer is', async () => {
    for (const status of SESSION_STATUSES)
      for (const running of [0, 1])
        for (const [again, messages, isLast] of NAMED) {
          const { thread, asked } = agentWith(messages);
          const made = await outcome(madeAgain(thread, again, statusOf(status, 'r_9', running)));
          const done = isLast ? DONE[status] : 'refused';
          const key = { idempotencyKey: 'regenerate.r_9', sharesKey: true };
          const expected = {
            refused: ['invalid_request', []],
            shown: [{ kind: 'start' }, []],
            retry: [{ kind: 'start', after: 'r_9' }, [{ verb: 'retry', ...key }]],
            resume: [{ kind: 'start', after: 'r_9' }, [{ verb: 'resume', ...key }]],
          }[done];
          expect([made, asked], JSON.stringify({ status, running, again })).toEqual(expected);
        }
  });

  it('[CH11] is not there before the first run', async () => {
    const { run: _run, ...begun } = statusOf('idle');
    for (const status of [undefined, begun])
      expect(await outcome(madeAgain(agentWith().thread, {}, status))).toBe('not_found');
  });

  it('[CH11, CH22] is refused as its agent refuses, unless somebody else was faster', async () => {
    for (const code of Object.keys(ERROR_CODES).filter(isErrorCode)) {
      const { thread } = agentWith([], failure(code));
      const made = await outcome(madeAgain(thread, {}, statusOf('failed')));
      expect(made, code).toEqual(code === 'already_running' ? { kind: 'start', after: 'r_9' } : code);
    }
  });

  it('[CH11, CH22] begins one run for each run that has failed, however many ask, and whoever they are', async () => {
    const keys = new Map<string, string[]>();
    for (const runId of ['r_1', 'r_2', 'r_3', 'r_2', 'r_1'])
      for (const again of [{}, { answerId: 's_1.7' }]) {
        const { thread, asked } = agentWith();
        await madeAgain(thread, again, statusOf('failed', runId));
        keys.set(runId, [...(keys.get(runId) ?? []), ...asked.map(({ idempotencyKey = '' }) => idempotencyKey)]);
      }
    expect([...keys.values()].map((all) => [all.length, new Set(all).size])).toEqual([
      [4, 1],
      [4, 1],
      [2, 1],
    ]);
    expect(new Set([...keys.values()].flat()).size).toBe(3);
  });
});
