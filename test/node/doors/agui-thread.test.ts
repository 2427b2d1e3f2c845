/** An agent with long lists, as the doors of AG-UI and of chats ask it. */
import { describe, expect, it } from 'vitest';
import { begin, eventsOf, JOINED_MESSAGES } from '../../../src/doors/agui/run';
import { messagesIn } from '../../../src/doors/agui/transcript';
import { transcriptOf } from '../../../src/doors/chat/transcript';
import { Thread } from '../../../src/doors/thread';
import type { DoorAgents } from '../../../src/gateway/doors/door';
import { isObject } from '../../../src/protocol/json';
import { FINISH_TOOL } from '../../../src/protocol/messages';
import type { Transcript } from '../../../src/protocol/wire/wire-types';

type Entry = Transcript['items'][number];

/** Agents that have a list of so many items, in pages of what is asked for; each page is noted. */
function agentsWith(total: number, pages: unknown[] = [], status: object = {}): DoorAgents {
  return {
    allow: async (asks) =>
      asks.map(({ input }) => ({
        ask: async () => {
          pages.push(input);
          const { cursor, limit, last } = isObject(input ?? null)
            ? (input as { cursor?: string; limit: string; last?: number })
            : { limit: '1' };
          const from = Number(cursor ?? (last === undefined ? 0 : Math.max(0, total - last)));
          const to = Math.min(total, from + Number(limit));
          const items = Array.from({ length: to - from }, (_, index) => ({
            ...{ at: from + index, turn: from + index, role: 'user', messageId: `m_${from + index}` },
          }));
          const body = { ...status, items, asOfSequence: total, ...(to < total ? { cursor: String(to) } : {}) };
          return { ok: true, body, bytes: new Response('').body ?? new ReadableStream() };
        },
      })),
  };
}

describe('a long chat', () => {
  it('[CH4, A120] reads the newest 5,000 messages and the runs that they belong to, and no others', async () => {
    const pages: unknown[] = [];
    await transcriptOf(new Thread(agentsWith(123_456, pages), '/agents/top/x'));
    expect(pages.length).toBeLessThanOrEqual(1 + 2 * 11);
    expect(pages).toContainEqual({ limit: 500, cursor: '118455' });
  });
});

describe('a long thread', () => {
  it('[AU6] is shown by its newest messages, of which none is missing', async () => {
    const pages: unknown[] = [];
    const { items, asOfSequence } = await new Thread(agentsWith(123_456, pages), '/agents/top/x').transcript();
    expect(pages.length).toBeLessThanOrEqual(21);
    expect(asOfSequence).toBe(123_456);
    expect(items.at(-1)).toMatchObject({ at: 123_455 });
    expect(items.length).toBeGreaterThan(9_500);
    expect(items.length).toBeLessThanOrEqual(10_000);
  });

  it('[AU12] is joined by as many asks, with as many messages, however long it is', async () => {
    const joined = async (total: number) => {
      const pages: unknown[] = [];
      const run = { startSequence: total - 7 };
      const { first } = await begin(
        new Thread(agentsWith(total, pages, { sessionId: 's_1', lastSequence: total, run }), '/agents/top/x'),
        { threadId: 'x', runId: 'r', messages: [] },
      );
      const shown = first.flatMap((event) => (event.type === 'MESSAGES_SNAPSHOT' ? event.messages : []));
      expect(pages.at(-1)).toEqual({ from: total - 7, follow: true });
      return [pages.length, shown.length];
    };
    const short = await joined(JOINED_MESSAGES);
    expect(short[1]).toBe(JOINED_MESSAGES);
    expect(await joined(1_234_567)).toEqual(short);
  });

  it('[AU7] lists the oldest of many questions', async () => {
    const items = await new Thread(agentsWith(12_345), '/agents/top/x').pending();
    expect([items[0], items.length]).toMatchObject([{ at: 0 }, 10_000]);
  });
});

describe('a run whose own change was compacted', () => {
  /** The events of such a run, whose log says no more than this. */
  const eventsIn = async (log: string) => {
    const bytes = new Response(log).body;
    const status = { status: 'completed', run: { runId: 'r_1' }, childCounts: { running: 0, queued: 0 }, pending: [] };
    const ask = async () => ({ ok: true as const, body: status });
    const thread = new Thread({ allow: async (asks) => asks.map(() => ({ ask })) }, '/agents/top/x');
    const begun = {
      ...{ thread, first: [], run: { threadId: 'x', runId: 'r' }, seen: { root: 0, below: 0, state: 0 }, bytes },
      done: { answered: ['c_1'], messageId: 'm_1', refused: [] },
    } as unknown as Parameters<typeof eventsOf>[0];
    return Array.fromAsync(eventsOf(begun));
  };
  const log = 'event: reset\ndata: {"from":90}\n\nevent: up-to-date\ndata: {}\n\n';

  it('[AU8] ends where its agent rests', async () => {
    const events = await eventsIn(`${log}event: end\ndata: {"status":"completed"}\n\n`);
    expect(events.at(-1)?.type).toBe('RUN_FINISHED');
  });

  it('[AU17] ends as unavailable where the log breaks off', async () => {
    expect((await eventsIn(log)).at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'unavailable' });
  });
});

describe('a transcript', () => {
  it('[AU6] has no call for the end of a run, as the events have none', () => {
    const call = (toolCallId: string, toolName: string) => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: { a: 1 },
    });
    const entries: Entry[] = [
      {
        role: 'assistant',
        at: 0,
        turn: 1,
        step: 1,
        content: [{ type: 'text', text: 'So.' }, call('c_1', FINISH_TOOL)],
      },
      { role: 'assistant', at: 0, turn: 1, step: 2, content: [call('c_2', FINISH_TOOL)] },
      { role: 'tool', at: 0, toolCallId: 'c_2', toolName: FINISH_TOOL, result: { success: true, value: {} } },
    ];
    expect(messagesIn(entries, 's_1')).toEqual([{ id: 's_1.1.1', role: 'assistant', content: 'So.' }]);
  });
});
