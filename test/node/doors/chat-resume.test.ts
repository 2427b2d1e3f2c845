/** Chats that are opened again while their agent waits. */
import { describe, expect, it } from 'vitest';
import { resumed } from '../../../src/doors/chat/door';
import { Thread } from '../../../src/doors/thread';

describe('a chat that is opened again', () => {
  it.each([
    ['running', 0, true],
    ['suspended_awaiting_children', 1, true],
    ['suspended_awaiting_children', 0, false],
    ['completed', 1, false],
  ])('[CH3] where its agent is %s and %i below work is told: %s', async (status, running, isTold) => {
    const body = { status, childCounts: { running, queued: 0 }, run: { startSequence: 1 } };
    const asked: string[] = [];
    const agents = {
      allow: async (asks: readonly { readonly verb: string }[]) =>
        asks.map(({ verb }) => ({
          async ask() {
            asked.push(verb);
            return { ok: true as const, status: 200, body, bytes: new Response('').body ?? new ReadableStream() };
          },
        })),
    };
    const stream = await resumed(new Thread(agents, '/agents/top/one'), 'one');
    expect([stream !== undefined, asked]).toEqual([isTold, isTold ? ['status', 'stream'] : ['status']]);
    stream?.close();
  });
});
