/** A run of AG-UI from its request to its last event, against an agent whose answers are written here. */
import { describe, expect, it } from 'vitest';
import type { AguiEvent } from '../../../src/doors/agui/events';
import { newMessage, runInput } from '../../../src/doors/agui/input';
import { begin, eventsOf } from '../../../src/doors/agui/run';
import { Thread } from '../../../src/doors/thread';
import type { DoorAnswer, DoorAsk } from '../../../src/gateway/doors/door';
import type { Chunk, ChunkBody } from '../../../src/protocol/chunks';
import { type ErrorCode, failure, OffshootError } from '../../../src/protocol/errors';
import type { Json, JsonObject } from '../../../src/protocol/json';

const AT = '/agents/top/x';
const HASH = 'a'.repeat(64);

/** An answer of a verb: a body, or the code of a failure. */
type Said = object | ErrorCode;

interface Agent {
  /** Undefined: there is no such agent yet. */
  readonly status?: object | undefined;
  /** The status from the second time on that it is asked. */
  readonly later?: object | undefined;
  readonly pending?: readonly object[];
  readonly messages?: readonly object[];
  readonly state?: Said;
  readonly log?: string;
  /** By the id of the call, or by the message's id. */
  readonly trial?: Readonly<Record<string, Said>>;
  readonly does?: Readonly<Record<string, Said>>;
}

/** What was asked of an agent, and done. */
interface Books {
  readonly allowed: DoorAsk[][];
  readonly tried: string[];
  readonly done: string[];
  readonly from: unknown[];
}

const answered = (said: Said): DoorAnswer =>
  typeof said === 'string' ? { ok: false, error: failure(said) } : { ok: true, body: said as JsonObject };

function agent(facts: Agent): { thread: Thread; books: Books } {
  const books: Books = { allowed: [], tried: [], done: [], from: [] };
  const { pending = [], messages = [], state = { state: { n: 1 }, asOfSequence: 5 }, log = '' } = facts;
  let { status } = facts;
  const change = (name: string, isTrial: boolean, usual: object): DoorAnswer => {
    (isTrial ? books.tried : books.done).push(name);
    return answered((isTrial ? facts.trial : facts.does)?.[name] ?? usual);
  };
  const answer = ({ verb, input, idempotencyKey }: DoorAsk, isTrial: boolean): DoorAnswer => {
    const given = (input ?? {}) as JsonObject;
    switch (verb) {
      case 'status': {
        const now = answered(status ?? 'not_found');
        status = facts.later ?? status;
        return now;
      }
      case 'pending':
        return answered({ items: pending });
      case 'messages':
        return answered({ items: messages, asOfSequence: 7 });
      case 'state':
        return answered(state);
      case 'stream':
        books.from.push(given.from);
        return { ok: true, body: {}, bytes: new Response(log).body ?? new ReadableStream() };
      case 'submit':
        return change(String(given.toolCallId), isTrial, {});
      case 'send':
        return change(String(idempotencyKey), isTrial, { messageId: isTrial ? 'm_trial' : 'm_new' });
      default:
        throw new Error(`Nobody asks ${verb}.`);
    }
  };
  const thread = new Thread(
    {
      allow: async (asks) => {
        books.allowed.push([...asks]);
        return asks.map((ask) => ({ ask: async (how) => answer(ask, how?.isTrial ?? false) }));
      },
    },
    AT,
  );
  return { thread, books };
}

const request = (more: JsonObject = {}) => runInput({ threadId: 'x', runId: 'r', messages: [], ...more }, []);
const user = (id: string, content = 'Go') => ({ id, role: 'user', content });
const assistant = { id: 'a', role: 'assistant', content: 'Yes.' };

/** The message of a request, as an agent has it. */
function kept(id: string, content = 'Go') {
  const said = newMessage(request({ messages: [user(id, content)] }));
  return { role: 'user', at: 1, turn: 1, content, metadata: said?.input.metadata };
}

const approval = (toolCallId: string) => ({
  ...{ toolCallId, kind: 'approval', toolName: 'pay', input: {}, inputHash: HASH, address: AT, agentType: 'top' },
  requestedAt: 1,
});
const clientTool = (toolCallId: string) => ({ ...approval(toolCallId), kind: 'client-tool' });
const yes = (toolCallId: string, hash = HASH) => ({
  interruptId: `${toolCallId}.${hash}`,
  status: 'resolved',
  payload: true,
});
const result = (toolCallId: string) => ({ interruptId: toolCallId, status: 'resolved', payload: { n: 1 } });
const rests = { status: 'completed', sessionId: 's_1', lastSequence: 9, run: { runId: 'r_1', startSequence: 4 } };
const idle = { ...rests, childCounts: { running: 0, queued: 0 } };

/** What a request is answered, and what it did; a refusal by its code. */
async function begun(facts: Agent, given: JsonObject) {
  const { thread, books } = agent(facts);
  try {
    const { first, seen, done } = await begin(thread, request(given));
    return { ...books, types: first.map(({ type }) => type), first, seen, result: done };
  } catch (error) {
    if (error instanceof OffshootError) return { ...books, refused: error.failure.code };
    throw error;
  }
}

describe('the answers and the message of a request', () => {
  it('[AU7] are asked for as its caller before any is tried: those that wait for such an answer, and no others', async () => {
    const facts = { status: idle, pending: [approval('c_1'), clientTool('c_2'), clientTool('c_3'), approval('c_4')] };
    const told = (toolCallId: string) => ({ id: `of ${toolCallId}`, role: 'tool', toolCallId, content: '7' });
    const { allowed, tried, done } = await begun(facts, {
      resume: [yes('c_1'), result('c_2'), yes('c_9'), { interruptId: 'wait.r_1', status: 'resolved', payload: true }],
      // Of results by messages: one of a call that the request answers already, of one that waits for approval, of none.
      messages: [...['c_2', 'c_3', 'c_4', 'c_8'].map(told), user('m')],
    });
    const inputs = [
      { kind: 'approval-response', toolCallId: 'c_1', inputHash: HASH, approved: true },
      { kind: 'client-tool-result', toolCallId: 'c_2', result: { n: 1 } },
      { kind: 'approval-response', toolCallId: 'c_9', inputHash: HASH, approved: true },
      { kind: 'client-tool-result', toolCallId: 'c_3', result: 7 },
    ];
    const message = { idempotencyKey: 'agui.m', sharesKey: true, input: { content: 'Go' } };
    expect(allowed.map((asks) => asks.map(({ verb }) => verb).join(' ')).slice(0, 4)).toEqual([
      ...['status messages pending stream', 'status', 'pending', 'submit submit submit submit send'],
    ]);
    expect(allowed[3]).toMatchObject([
      ...inputs.map((input) => ({ verb: 'submit', input })),
      { verb: 'send', ...message },
    ]);
    for (const ask of allowed.flat()) expect(ask.address).toBe(AT);
    expect(tried).toEqual(['c_1', 'c_2', 'c_9', 'c_3', 'agui.m']);
    expect(done).toEqual(tried);
  });

  it.each([
    ['an approval for a tool of the client', [yes('c_2')], 'kind_mismatch'],
    ['a result for an approval', [result('c_1')], 'kind_mismatch'],
    ['an approval of other arguments', [yes('c_1', 'b'.repeat(64))], 'input_changed'],
  ])('[AU7] %s is refused, and nothing beside it is done', async (_what, resume, refused) => {
    const facts = { status: idle, pending: [approval('c_1'), clientTool('c_2'), clientTool('c_3')] };
    expect(await begun(facts, { resume: [result('c_3'), ...resume], messages: [user('m')] })).toMatchObject({
      ...{ refused, tried: [], done: [] },
    });
  });

  it('[AU2, AU11] are tried where one refusal could come behind another change, and all are done where none is refused', async () => {
    const pending = [approval('c_1'), approval('c_2')];
    const rows: readonly (readonly [string, Agent, JsonObject, readonly string[]])[] = [
      ['one answer', { status: idle, pending }, { resume: [yes('c_1')] }, []],
      ['two answers', { status: idle, pending }, { resume: [yes('c_1'), yes('c_2')] }, ['c_1', 'c_2']],
      ['a message to a new thread', {}, { messages: [user('m')] }, []],
      ['a message', { status: idle }, { messages: [user('m')] }, ['agui.m']],
      [
        'an answer and a message',
        { status: idle, pending },
        { resume: [yes('c_1')], messages: [user('m')] },
        ['c_1', 'agui.m'],
      ],
      // It was sent before: it is neither tried nor sent.
      ['a known message', { status: idle, messages: [kept('m')] }, { messages: [user('m')] }, []],
      [
        'an answer and a known message',
        { status: idle, pending, messages: [kept('m')] },
        { resume: [yes('c_1')], messages: [user('m')] },
        [],
      ],
      [
        'two answers and a known message',
        { status: idle, pending, messages: [kept('m')] },
        { resume: [yes('c_1'), yes('c_2')], messages: [user('m')] },
        ['c_1', 'c_2'],
      ],
    ];
    for (const [name, facts, given, tried] of rows) {
      const asked = [
        ...((given.resume ?? []) as JsonObject[]).map(({ interruptId }) => String(interruptId).slice(0, 3)),
      ];
      const sends = given.messages !== undefined && facts.messages === undefined;
      const found = await begun(facts, given);
      expect([name, found.tried, found.done]).toEqual([name, tried, sends ? [...asked, 'agui.m'] : asked]);
      // The first answer that an agent would refuse stops all of it.
      if (tried.length === 0) continue;
      const last = String(tried.at(-1));
      const refusing = await begun({ ...facts, trial: { [last]: 'terminated' } }, given);
      expect([name, refusing.refused, refusing.done]).toEqual([name, 'terminated', []]);
      // What is over by itself does not.
      for (const over of ['already_answered', 'late_answer'] as const)
        expect([name, (await begun({ ...facts, trial: { [last]: over } }, given)).done]).toEqual([name, found.done]);
    }
  });

  it('[AU2] count once: an answer that was given is done, one that is refused is named where another was taken', async () => {
    const pending = [approval('c_1'), approval('c_2')];
    const both = { resume: [yes('c_1'), yes('c_2')] };
    const rows: readonly (readonly [Readonly<Record<string, Said>>, unknown])[] = [
      [{}, [['c_1', 'c_2'], []]],
      [{ c_1: 'already_answered' }, [['c_2'], []]],
      [{ c_1: 'already_answered', c_2: 'already_answered' }, [[], []]],
      [{ c_1: 'late_answer' }, [['c_2'], [['c_1', 'late_answer']]]],
      [{ c_2: 'terminated' }, [['c_1'], [['c_2', 'terminated']]]],
      [{ c_1: 'late_answer', c_2: 'terminated' }, 'late_answer'],
      [{ c_1: 'already_answered', c_2: 'terminated' }, 'terminated'],
    ];
    for (const [does, expected] of rows) {
      const found = await begun({ status: idle, pending, does }, both);
      const named = found.result?.refused.map(({ toolCallId, error: { code } }) => [toolCallId, code]);
      expect([does, found.refused ?? [found.result?.answered, named]]).toEqual([does, expected]);
      const customs = found.first?.flatMap((event) => (event.type === 'CUSTOM' ? [event] : [])) ?? [];
      expect(customs.map(({ name, value }) => [name, value])).toEqual(
        (named ?? []).map(([toolCallId, code]) => [
          'offshoot.answer_refused',
          { toolCallId, code, message: expect.stringMatching(/\.$/u) },
        ]),
      );
    }
  });

  it('[AU2, AU16, AU18] a message counts once by its id: the same words are known, other words are refused', async () => {
    const message = (content = 'Go') => ({ messages: [user('m', content)] });
    const conflict = 'idempotency_conflict' as const;
    const key = 'agui.m';
    const rows: readonly (readonly [string, Agent, string | undefined, readonly string[]])[] = [
      ['new', { status: idle }, 'm_new', [key]],
      ['in the transcript', { status: idle, messages: [kept('n'), kept('m')] }, undefined, []],
      ['in the transcript with other words', { status: idle, messages: [kept('m', 'Stop')] }, conflict, []],
      [
        'that of another door',
        { status: idle, messages: [{ ...kept('m'), metadata: { chat: kept('m').metadata } }] },
        'm_new',
        [key],
      ],
      // The key is known: a trial has the id of the message that was sent with it.
      ['under its key', { status: idle, trial: { [key]: { messageId: 'm_new' } } }, undefined, [key]],
      ['under its key with other words', { status: idle, trial: { [key]: conflict } }, conflict, []],
      ['sent by another one right now', { status: idle, does: { [key]: conflict } }, conflict, [key]],
      ['to a new thread', {}, 'm_new', [key]],
      [
        'to a new thread, sent by another one right now',
        { messages: [kept('m')], does: { [key]: conflict } },
        undefined,
        [key],
      ],
      [
        'to a new thread, other words by another one',
        { messages: [kept('m', 'Stop')], does: { [key]: conflict } },
        conflict,
        [key],
      ],
      ['to a new thread that refuses', { does: { [key]: 'terminated' } }, 'terminated', [key]],
    ];
    for (const [name, facts, expected, done] of rows) {
      const found = await begun(facts, message());
      expect([name, found.refused ?? found.result?.messageId, found.done]).toEqual([name, expected, done]);
    }
  });
});

describe('the beginning of a run', () => {
  const snapshots = ['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'STATE_SNAPSHOT'];
  const joins = { types: snapshots, seen: { root: 7, below: 0, state: 5 } };
  const follows = { types: ['RUN_STARTED'], seen: { root: 9, below: 9, state: 9 } };
  const message = { messages: [user('m')] };

  it.each([
    ['has nothing and asks nothing of an agent', { status: idle }, {}, joins],
    ['has nothing and says something', { status: idle }, message, joins],
    ['shows the agent and says something', { status: idle }, { messages: [assistant, user('m')] }, follows],
    [
      'shows the agent and answers',
      { status: idle, pending: [approval('c_1')] },
      { messages: [assistant], resume: [yes('c_1')] },
      follows,
    ],
    ['answers with nothing shown', { status: idle, pending: [approval('c_1')] }, { resume: [yes('c_1')] }, joins],
    // What counts already is nothing new: it may have missed what came of it.
    [
      'shows the agent and says nothing new',
      { status: idle, messages: [kept('m')] },
      { messages: [assistant, user('m')] },
      joins,
    ],
    ['shows the agent and asks nothing', { status: idle }, { messages: [assistant] }, joins],
    [
      'begins a thread',
      {},
      message,
      { types: ['RUN_STARTED', 'STATE_SNAPSHOT'], seen: { root: 0, below: 0, state: 5 } },
    ],
    ['looks at a thread that is not there', {}, {}, joins],
    [
      'joins one whose state is refused',
      { status: idle, state: 'unavailable' as const },
      {},
      { types: snapshots.slice(0, 2), seen: { root: 7, below: 0, state: 0 } },
    ],
  ] as const)('[AU6] of a client that %s', async (_who, facts: Agent, given: JsonObject, { types, seen }) => {
    expect(await begun(facts, given)).toMatchObject({ types, seen });
  });

  it('[AU6, AU12] reads the log from the first event of the run, or from the first that was not seen before it', async () => {
    const from = async (startSequence: number | undefined, given: JsonObject, lastSequence = 9) => {
      const run = startSequence === undefined ? {} : { run: { runId: 'r_1', startSequence } };
      const { run: _run, ...rest } = idle;
      return (await begun({ status: { ...rest, ...run, lastSequence } }, given)).from;
    };
    const shows = { messages: [assistant, user('m')] };
    expect(await from(4, shows)).toEqual([4]);
    expect(await from(12, shows)).toEqual([10]);
    expect(await from(undefined, shows)).toEqual([1]);
    // The transcript of one that joins has everything up to 7.
    expect(await from(8, {})).toEqual([8]);
    expect(await from(9, {})).toEqual([8]);
    expect((await begun({}, message)).from).toEqual([1]);
  });

  it('[AU1] names the run, its thread and the run that it belongs to', async () => {
    const { first } = await begun({ status: idle }, { parentRunId: 'p' });
    expect(first?.[0]).toEqual({
      type: 'RUN_STARTED',
      threadId: 'x',
      runId: 'r',
      parentRunId: 'p',
      protocolVersion: '1.0',
    });
    const plain = await begun({ status: idle }, { parentRunId: null });
    expect(plain.first?.[0]).toEqual({ type: 'RUN_STARTED', threadId: 'x', runId: 'r', protocolVersion: '1.0' });
  });
});

/** The log of a stream. */
const BASE = { agentId: 's_1', agentType: 'top', address: AT, runId: 'r_1', step: 1, attempt: 1, timestamp: 1 };
const END = 'event: end\ndata: {"status":"x"}\n\n';
const chunk = (body: ChunkBody, more: Partial<Chunk> = {}, sequence = 1): string =>
  `id: ${sequence}\ndata: ${JSON.stringify({ ...BASE, ...more, ...body })}\n\n`;

/** The events of a run whose own changes are these. */
async function events(
  facts: Agent & { readonly done?: { readonly answered?: readonly string[]; readonly messageId?: string } },
): Promise<AguiEvent[]> {
  const { thread } = agent(facts);
  const { answered = [], messageId } = facts.done ?? {};
  const bytes = new Response(facts.log ?? '').body ?? new ReadableStream();
  const seen = { root: 0, below: 0, state: 0 };
  const all = eventsOf({
    ...{ thread, run: request(), done: { answered, messageId, refused: [] }, seen, first: [], bytes },
  });
  return (await Array.fromAsync(all)).filter((event) => event !== undefined);
}

const counts = (running: number, queued: number) => ({ childCounts: { running, queued } });
const standing = (status: string, run: object = {}, more: object = counts(0, 0)) => ({
  ...{ status, sessionId: 's_1', lastSequence: 9, run: { runId: 'r_1', startSequence: 4, ...run }, ...more },
});
const finished = (outcome: Json, more: object = {}) => ({
  type: 'RUN_FINISHED',
  threadId: 'x',
  runId: 'r',
  outcome,
  ...more,
});

describe('the end of a run', () => {
  const success = { type: 'success' };
  const wait = { id: 'wait.r_1', reason: 'offshoot.waits', message: expect.any(String) };

  it.each([
    ['completed', standing('completed', { output: { n: 1 } }), finished(success, { result: { n: 1 } })],
    ['completed without an output', standing('completed'), finished(success, { result: null })],
    ['idle', standing('idle'), finished(success, { result: null })],
    ['interrupted', standing('interrupted'), finished({ type: 'cancelled' })],
    ['terminated', standing('terminated'), finished({ type: 'cancelled' })],
    [
      'failed',
      standing('failed', { error: { code: 'model_timeout', message: 'SECRET' } }),
      { type: 'RUN_ERROR', code: 'model_timeout', message: expect.not.stringContaining('SECRET') },
    ],
    [
      'failed for no known reason',
      standing('failed'),
      { type: 'RUN_ERROR', code: 'internal', message: expect.any(String) },
    ],
    [
      'waiting for what no answer ends',
      standing('suspended_awaiting_children'),
      finished({ type: 'interrupt', interrupts: [wait] }),
    ],
  ])('[AU8] of an agent that is %s, where its log does not say it', async (_how, status, last) => {
    expect(await events({ status, log: END })).toEqual([last]);
  });

  it('[AU7, AU8] has each call that waits, of the agent that made it', async () => {
    const below = `${AT}/sub/kid/1~1`;
    const pending = [approval('c_1'), { ...clientTool('c_2'), address: below }];
    const status = standing('suspended_client_tool');
    const log = chunk({ type: 'text_delta', part: 0, delta: 'Hm.' }, { agentId: 's_2', address: below }) + END;
    const all = await events({ status, pending, log });
    const interrupts = [{ id: `c_1.${HASH}` }, { id: 'c_2', subagentRunId: 's_2' }];
    expect(all.at(-1)).toMatchObject(finished({ type: 'interrupt', interrupts }));
    expect(all.at(-2)).toEqual({
      ...{ type: 'SUBAGENT_FINISHED', subagentRunId: 's_2', outcome: { type: 'suspended', interruptIds: ['c_2'] } },
    });
    const most = Array.from({ length: 501 }, (_one, at) => approval(`c_${at}`));
    const last = (await events({ status, pending: most, log: END })).at(-1);
    expect(last?.type === 'RUN_FINISHED' && last.outcome.type === 'interrupt' && last.outcome.interrupts.length).toBe(
      500,
    );
  });

  it('[AU8] is what the log of the root says, with its output, whatever its status is by then', async () => {
    const usage = {
      inputTokens: 1,
      outputTokens: 2,
      cachedTokens: 3,
      reasoningTokens: 4,
      cacheWriteTokens: 5,
      costMicroUsd: 6,
    };
    const committed = { type: 'step_committed', finishReason: 'stop', usage, checkpointId: 'x', model: 'm' } as const;
    const status = standing('idle', { output: 'of the document' });
    const counted = { usage: [expect.objectContaining({ model: 'm', totalTokens: 3 })] };
    const of = async (...bodies: ChunkBody[]) =>
      (await events({ status, log: bodies.map((body, at) => chunk(body, {}, at + 1)).join('') + END })).at(-1);
    expect(await of(committed as ChunkBody, { type: 'run_completed', output: 'of the log' } as ChunkBody)).toEqual(
      finished(success, { result: 'of the log', ...counted }),
    );
    const stopped = { type: 'run_interrupted', reason: 'x' } as unknown as ChunkBody;
    expect(await of(stopped)).toEqual(finished({ type: 'cancelled' }));
    expect(await of(stopped, { type: 'run_started', turn: 2, chainTurn: 1 })).toEqual(
      finished(success, { result: 'of the document' }),
    );
    expect(await of({ type: 'run_failed', error: failure('run_timeout') } as unknown as ChunkBody)).toMatchObject({
      type: 'RUN_ERROR',
      code: 'run_timeout',
    });
  });

  it('[AU8] waits while something in the tree works, and for its own changes in the log', async () => {
    const answered = (toolCallId: string) =>
      chunk({ type: 'tool_answered', toolCallId, kind: 'approval-response' } as ChunkBody);
    const queued = (messageId: string) => chunk({ type: 'message_queued', messageId, from: 'caller' } as ChunkBody);
    const other = chunk({ type: 'text_delta', part: 0, delta: 'x' });
    const both = { answered: ['c_1'], messageId: 'm_1' };
    const suspended = 'suspended_client_tool';
    // The tree; its own changes; its log before its end; and whether the run ends there.
    const rows: readonly (readonly [object, { answered?: string[]; messageId?: string }, string, boolean])[] = [
      [standing('running'), {}, '', false],
      [standing('queued'), {}, '', false],
      [standing('completed'), {}, '', true],
      [standing('completed', {}, counts(1, 0)), {}, '', true],
      [standing(suspended), {}, '', true],
      [standing(suspended, {}, counts(1, 0)), {}, '', false],
      [standing(suspended, {}, counts(0, 1)), {}, '', false],
      [standing('completed'), both, '', false],
      [standing('completed'), both, answered('c_1'), false],
      [standing('completed'), both, queued('m_1'), false],
      [standing('completed'), both, answered('c_1') + queued('m_1'), true],
      [standing('completed'), both, answered('c_2') + queued('m_2'), false],
      [standing('completed'), both, other, false],
      // Behind a question its message is read once that is answered.
      [standing(suspended), { messageId: 'm_1' }, '', true],
      [standing(suspended), both, '', false],
      // The log begins later now: its own changes may be in what is gone.
      [standing('completed'), both, 'event: reset\ndata: {"from":90}\n\n', true],
    ];
    for (const [status, done, log, ends] of rows) {
      const last = (await events({ status, done, pending: [approval('c_9')], log: log + END })).at(-1);
      const broken = { type: 'RUN_ERROR', code: 'unavailable' };
      expect([status, done, log, last]).toEqual([
        ...[
          status,
          done,
          log,
          ends ? expect.objectContaining({ type: 'RUN_FINISHED' }) : expect.objectContaining(broken),
        ],
      ]);
    }
    // What comes after an end takes it back; a sign of life after it asks again.
    expect((await events({ status: standing('completed'), log: other })).at(-1)).toMatchObject({ type: 'RUN_ERROR' });
    const again = { status: standing('running'), later: standing('completed') };
    expect((await events({ ...again, log: `${END}: still here\n\n${END}` })).at(-1)?.type).toBe('RUN_FINISHED');
  });

  it('[AU1, AU4] that is refused ends what is open, with the sentence of the refusal', async () => {
    const problem = { code: 'unauthorized', title: 'Your token has expired.', detail: 'SECRET' };
    const log = `${chunk({ type: 'text_delta', part: 0, delta: 'x' })}event: refused\ndata: ${JSON.stringify(problem)}\n\n`;
    const all = await events({ status: standing('running'), log });
    expect(all.slice(2)).toEqual([
      { type: 'TEXT_MESSAGE_END', messageId: expect.any(String) },
      { type: 'RUN_ERROR', message: problem.title, code: problem.code },
    ]);
  });
});
