/** Where a chat's transport makes an answer again, over logs of any shape. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createClient } from '../../../src/client';
import { agentTransport } from '../../../src/react/chat-transport';

const ROOT = '/agents/planner/one';
const BELOW = `${ROOT}/sub/clerk/1~1`;

/** A log of committed steps: its first sequence, that of the last answer, and the steps with their agents. */
const logs = fc.record({
  first: fc.constantFrom(1, 4),
  answerAt: fc.integer({ min: 1, max: 12 }),
  steps: fc.uniqueArray(fc.record({ sequence: fc.integer({ min: 1, max: 12 }), isOwn: fc.boolean() }), {
    maxLength: 8,
    selector: ({ sequence }) => sequence,
  }),
  page: fc.integer({ min: 1, max: 3 }),
});

it('[RH13] a copy ends at the last own step before the answer, begins anew before the first, and is not made where the log does not say', () =>
  fc.assert(
    fc.asyncProperty(logs, async ({ first, answerAt, steps, page }) => {
      const kept = steps
        .filter(({ sequence }) => sequence >= first)
        .sort((one, other) => one.sequence - other.sequence);
      const forks: string[] = [];
      const answer = (path: string, query: URLSearchParams, body: string): object => {
        if (path.endsWith('/status'))
          return { status: 'completed', sessionId: 's', run: { chainStartSequence: answerAt, chainTurn: 1 } };
        if (path.endsWith('/fork')) {
          forks.push(JSON.parse(body).checkpoint);
          return { address: `/agents/planner/${JSON.parse(body).name}` };
        }
        const before = Math.max(Number(query.get('before')), first);
        const from = Math.max(before - page, first);
        const items = kept
          .filter(({ sequence }) => sequence >= from && sequence < before)
          .map(({ sequence, isOwn }) => ({
            sequence,
            chunk: { type: 'step_committed', address: isOwn ? ROOT : BELOW, checkpointId: `at ${sequence}` },
          }));
        return { items, first, ...(from > first ? { previous: from } : {}) };
      };
      const client = createClient({
        baseUrl: 'https://agents.example',
        fetch: async (url, init) => {
          const { pathname, searchParams } = new URL(String(url));
          if (pathname.endsWith('/chat')) return new Response(null, { status: 204 });
          return Response.json(answer(pathname, searchParams, String(init?.body)));
        },
      });
      const copies: string[] = [];
      const transport = agentTransport(client, ROOT, { onFork: (copy) => copies.push(copy) });
      const given = { messages: [], messageId: undefined, abortSignal: undefined };
      await transport.sendMessages({ chatId: 'one', trigger: 'regenerate-message', ...given }).catch(() => undefined);
      const last = kept.findLast(({ sequence, isOwn }) => isOwn && sequence < answerAt);
      expect(forks).toEqual(last ? [`at ${last.sequence}`] : []);
      expect(copies.length).toBe(last || first === 1 || answerAt === 1 ? 1 : 0);
    }),
    { numRuns: 150 },
  ));

it('[RH13] no copy is made where the step before the answer is more than twenty pages back', async () => {
  for (const [pages, copied] of [
    [20, 1],
    [21, 0],
  ] as const) {
    let asked = 0;
    const client = createClient({
      baseUrl: 'https://agents.example',
      fetch: async (url) => {
        const { pathname } = new URL(String(url));
        if (pathname.endsWith('/chat')) return new Response(null, { status: 204 });
        if (pathname.endsWith('/status'))
          return Response.json({ status: 'completed', sessionId: 's', run: { chainStartSequence: 100, chainTurn: 1 } });
        if (pathname.endsWith('/fork')) return Response.json({ address: `${ROOT}-again` });
        asked += 1;
        const step = { sequence: 1, chunk: { type: 'step_committed', address: ROOT, checkpointId: 'k' } };
        return Response.json(
          asked === pages ? { items: [step], first: 1 } : { items: [], first: 1, previous: 100 - asked },
        );
      },
    });
    const copies: string[] = [];
    const transport = agentTransport(client, ROOT, { onFork: (copy) => copies.push(copy) });
    const given = { messages: [], messageId: undefined, abortSignal: undefined };
    await transport.sendMessages({ chatId: 'one', trigger: 'regenerate-message', ...given }).catch(() => undefined);
    expect(copies.length).toBe(copied);
  }
});
