/** Where the answer of a message is, while other people talk to the same agent. */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../src/doors/chat/own-answer';
import { Thread } from '../../../src/doors/thread';
import type { Document } from '../../../src/protocol/wire/wire-types';

const at = '/agents/top/x';

/** An agent whose runs begin at 10, 20, …; the message was read in the first one, where `controls` does not say that it waits. */
function agentWith(asked: string[], controls?: object): Thread {
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
    at,
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
