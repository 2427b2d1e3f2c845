/**
 * Where the answer of a message is, while other people talk to the same agent (CH18): the run that reads it, and how far
 * back the log is looked through.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOf, newestChunk } from '../../../src/doors/chat/own-answer';
import { Thread } from '../../../src/doors/thread';
import { SESSION_STATUSES, type SessionStatus } from '../../../src/protocol/status';
import type { Document } from '../../../src/protocol/wire/wire-types';

const at = '/agents/top/x';

/** An agent whose runs begin at 10, 20, …; the message was read in the first one, where `controls` does not say that it waits. */
function agentWith(asked: string[], controls?: object, address = at): Thread {
  const chunks = [10, 20].flatMap((first, index) => [
    { sequence: first, chunk: { type: 'run_started', address: at, chainTurn: index + 1 } },
    { sequence: first + 1, chunk: { type: 'message_delivered', address: at, messageId: `m_${index + 1}` } },
  ]);
  const bodyOf = (verb: string, input: { types?: string; before?: number; cursor?: string }): object => {
    const { types = '', before = 0, cursor } = input;
    if (verb === 'messages') return { items: [{ messageId: 'm_1', role: 'user', ...(controls ? { controls } : {}) }] };
    if (verb === 'runs') return { items: [{ chainStartSequence: (Number(cursor) + 1) * 10 }] };
    return { items: chunks.filter(({ sequence, chunk }) => sequence < before && types.includes(chunk.type)) };
  };
  return new Thread(
    {
      allow: async (asks) =>
        asks.map(({ verb, input }) => ({
          async ask() {
            asked.push(verb);
            return { ok: true, body: JSON.parse(JSON.stringify(bodyOf(verb, input as object))) };
          },
        })),
    },
    address,
  );
}

const statusWith = (status: string, turn: number, chainTurn: number = turn) =>
  ({
    ...{ status, childCounts: { running: 0, queued: 0 }, lastSequence: turn * 10 + 5 },
    run: { runId: `r_${turn}`, turn, chainTurn, startSequence: turn * 10, chainStartSequence: chainTurn * 10 },
  }) as Document<'status'>;

const sent = { messageId: 'm_1', isAgain: false } as const;

describe('the answer of a new message', () => {
  it.each([
    ['began a conversation', undefined],
    ['was read by a run that worked', statusWith('running', 1)],
  ])('[CH18] is its own where it %s, and that of another person has begun since', async (_, before) => {
    const found = await answerOf(agentWith([]), sent, statusWith('running', 2), before);
    expect(found).toMatchObject({ start: 10, from: { kind: 'message', messageId: 'm_1' } });
  });

  it('[CH18] is the newest one while the message waits', async () => {
    const thread = agentWith([], { cancelMessage: true });
    const found = await answerOf(thread, sent, statusWith('running', 2), statusWith('running', 1));
    expect(found).toMatchObject({ start: 20, from: { run: 'r_2' } });
  });

  it.each([
    ['begun', statusWith('running', 1), undefined],
    ['continued', statusWith('running', 2, 1), statusWith('interrupted', 1)],
    ['followed by the next one', statusWith('running', 2), statusWith('completed', 1)],
    ['at work', statusWith('running', 1), statusWith('running', 1)],
  ])('[CH18] is not looked for in an agent that has %s', async (_, now, before) => {
    const asked: string[] = [];
    const found = await answerOf(agentWith(asked), sent, now, before);
    expect([found?.start, asked]).toEqual([now.run?.chainStartSequence, []]);
  });
});

describe('the answer of a message that is sent again', () => {
  it('[CH18] is found where the message was read after the agent was asked', async () => {
    const found = await answerOf(
      agentWith([]),
      { ...sent, isAgain: true },
      {
        ...statusWith('running', 1),
        lastSequence: 9,
      },
    );
    expect(found?.start).toBe(10);
  });
});

/** What reads a message that no step has read: the run at work, the one behind it, or one that only a parent begins. */
const READS: Record<SessionStatus, 'this run' | 'the next run' | 'a run by its parent'> = {
  queued: 'the next run',
  running: 'this run',
  suspended_client_tool: 'this run',
  suspended_awaiting_children: 'this run',
  suspended_step_partial: 'this run',
  idle: 'a run by its parent',
  interrupted: 'a run by its parent',
  completed: 'a run by its parent',
  failed: 'a run by its parent',
  terminated: 'a run by its parent',
};

describe('a message that waits', () => {
  it('[CH18] is awaited in the run that reads it; at rest none is, unless a parent has just been given it to pass on', async () => {
    for (const status of SESSION_STATUSES)
      for (const address of [at, `${at}/sub/leaf/1`])
        for (const isAgain of [false, true])
          for (const isQueued of [undefined, false, true])
            for (const runId of ['r_2', undefined]) {
              const { run, ...rest } = statusWith(status, 2);
              const now = runId === undefined || run === undefined ? rest : { ...rest, run };
              const thread = agentWith([], { cancelMessage: true }, address);
              const given = { messageId: 'm_1', isAgain, ...(isQueued === undefined ? {} : { isQueued }) };
              const found = await answerOf(thread, given, now);
              // An old word of a queue says nothing of what waits now.
              const isPassedOn = address !== at && isQueued === true && !isAgain;
              const next = { after: runId ?? '' };
              const awaited = {
                'this run': runId === undefined ? {} : { run: runId },
                'the next run': next,
                'a run by its parent': isPassedOn ? next : {},
              }[READS[status]];
              expect([status, address, isAgain, isQueued, found]).toEqual([
                ...[status, address, isAgain, isQueued],
                { from: { kind: 'message', messageId: 'm_1', ...awaited }, start: runId === undefined ? 1 : 20 },
              ]);
            }
  });
});

describe('the newest chunk of a log', () => {
  /** Sequences of a page. */
  const PAGE = 3;

  it('[CH18] that is meant is found within twenty pages, each asked for once, and none is behind them', async () => {
    const log = fc.record({
      pages: fc.integer({ min: 1, max: 30 }),
      // Which sequences the log has of these types, and which of them are meant.
      has: fc.array(fc.boolean(), { minLength: 90, maxLength: 90 }),
      every: fc.integer({ min: 1, max: 200 }),
      newer: fc.nat({ max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(log, async ({ pages, has, every, newer }) => {
        const end = pages * PAGE;
        const before = end + 1 - Math.min(newer, pages - 1) * PAGE;
        const items = Array.from({ length: end }, (_, index) => index + 1).filter((sequence) => has[sequence - 1]);
        const asked: unknown[] = [];
        const agents = {
          allow: async (asks: readonly { readonly verb: string; readonly input?: unknown }[]) =>
            asks.map(({ verb, input }) => ({
              async ask() {
                const { before: upTo, ...more } = JSON.parse(JSON.stringify(input));
                asked.push([verb, more, upTo]);
                const previous = upTo - PAGE;
                const page = items.filter((sequence) => sequence >= previous && sequence < upTo);
                const chunks = page.map((sequence) => ({ sequence, chunk: { type: 'run_started', address: at } }));
                return { ok: true as const, body: { items: chunks, ...(previous > 1 ? { previous } : {}) } };
              },
            })),
        };
        const isMeant = ({ sequence }: { readonly sequence: number }) => sequence % every === 0;
        const found = await newestChunk(new Thread(agents, at), 'run_started', before, isMeant);
        const last = before - 20 * PAGE;
        const meant = items.filter((one) => one < before && one >= last && one % every === 0);
        expect(found?.sequence).toBe(meant.at(-1));
        const least = meant.at(-1) ?? Math.max(1, last);
        const upTos = Array.from({ length: 30 }, (_, index) => before - index * PAGE).filter((upTo) => upTo > least);
        expect(asked).toEqual(upTos.map((upTo) => ['chunks', { types: 'run_started', limit: 500 }, upTo]));
      }),
      { numRuns: 50 },
    );
  });
});
