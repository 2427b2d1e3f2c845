/** Where a chat's transport makes an answer again, over logs of any shape. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Client, createClient, Refused } from '../../../src/client';
import { useChatTransport } from '../../../src/react/chat';
import { agentTransport } from '../../../src/react/chat-transport';
import { mounted } from '../../support/react-hooks';

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

it('[RH13] the copy is given to the function of the newest render, by a transport that stays the same', async () => {
  const client = createClient({
    baseUrl: 'https://agents.example',
    fetch: async (url) => {
      const { pathname } = new URL(String(url));
      if (pathname.endsWith('/chat')) return new Response(null, { status: 204 });
      if (pathname.endsWith('/status'))
        return Response.json({ status: 'completed', sessionId: 's', run: { chainStartSequence: 1, chainTurn: 1 } });
      if (pathname.endsWith('/fork')) return Response.json({ address: `${ROOT}-again` });
      return Response.json({ items: [], first: 1 });
    },
  });
  const told: string[][] = [];
  let render = 'first';
  const page = await mounted(() => {
    const by = render;
    return useChatTransport(ROOT, { client, onFork: (copy) => told.push([by, copy]) });
  });
  const transport = page.result;
  for (const name of ['second', 'third']) {
    render = name;
    await page.render();
    expect(page.result).toBe(transport);
    const given = { messages: [], messageId: undefined, abortSignal: undefined };
    await transport.sendMessages({ chatId: 'one', trigger: 'regenerate-message', ...given }).catch(() => undefined);
    expect(told.at(-1)?.[0]).toBe(name);
  }
  expect(told).toHaveLength(2);
});

describe('what a chat sends', () => {
  const refusal = (code: string) =>
    new Refused({
      ...{ status: 404, category: 'not_found', retryable: false, code, title: code, detail: '', details: null },
      requestId: '',
    });
  const user = { id: 'm1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] };
  const answer = { id: 's.2', role: 'assistant' as const, parts: [] };
  const completed = { status: 'completed', sessionId: 's', run: { chainStartSequence: 9, chainTurn: 2 } };

  /** A client of a root, with what was sent by its chat, and the forks. */
  function chatOf(status: object, address = ROOT, onFork?: (copy: string) => void) {
    const sent: { path: string; body: Record<string, unknown> }[] = [];
    const asked: unknown[] = [];
    const chunk = { type: 'step_committed', address, checkpointId: 'k' };
    const client = {
      status: async () => {
        if (status instanceof Error) throw status;
        return status;
      },
      chunks: async (...all: unknown[]) => {
        asked.push(all);
        return { items: [{ sequence: 2, chunk }], first: 1 };
      },
      fork: async (from: string, body: { name: string }) => {
        asked.push([from, body]);
        return { address: `/agents/planner/${body.name}` };
      },
      fetch: async (path: string, init?: RequestInit) => {
        sent.push({ path, body: JSON.parse(String(init?.body ?? '{}')) });
        return new Response(null, { status: 204 });
      },
    } as unknown as Client;
    const transport = agentTransport(client, address, onFork && { onFork });
    const send = (more: object = {}) => {
      const base = { chatId: 'one', messages: [user, answer], abortSignal: undefined, messageId: undefined };
      return transport
        .sendMessages({ ...base, trigger: 'regenerate-message', body: { temperature: 1 }, ...more } as never)
        .catch((error: Error) => (error instanceof Refused ? error : undefined));
    };
    return { sent, asked, transport, send };
  }

  it.each<[why: string, copied: boolean, status: object, more: object, address?: string]>([
    ['the last answer is completed', true, completed, {}],
    ['the answer is named, and last', true, completed, { messageId: 's.2' }],
    ['the question is named', true, completed, { messages: [answer, user], messageId: 'm1' }],
    ['an answer before is named', false, completed, { messageId: 's.1', messages: [user, answer, user] }],
    ['an answer of another session is named', false, completed, { messageId: 'x.2', messages: [user] }],
    ['that of an earlier chain is not the last of the chat', true, completed, { messageId: 's.2', messages: [user] }],
    ['it is a new message', false, completed, { trigger: 'submit-message' }],
    ['it has failed', false, { ...completed, status: 'failed' }, {}],
    ['it has no run', false, { status: 'completed', sessionId: 's' }, {}],
    ['its run is older than the log', false, { ...completed, run: { chainTurn: 2 } }, {}],
    ['it is the answer of a sub-agent', false, completed, {}, BELOW],
    ['there is no agent yet', false, refusal('not_found'), {}],
  ])('[RH13] where %s: a copy is %s', async (_, copied, status, more, address = ROOT) => {
    const copies: string[] = [];
    const { sent, asked, send } = chatOf(status, address, (copy) => copies.push(copy));
    await send(more);
    const at = copies[0] ?? address;
    const given = { messageId: undefined, trigger: 'regenerate-message', messages: [user, answer], ...more };
    const { messageId, messages, trigger } = given;
    const own = { id: 'one', trigger, ...(messageId === undefined ? {} : { messageId }) };
    const facts = copied ? { id: at.split('/').at(-1), trigger: 'submit-message' } : own;
    expect(sent).toEqual([{ path: `${at}/chat`, body: { temperature: 1, messages, ...facts } }]);
    expect(copies).toEqual(copied ? [expect.stringMatching(/^\/agents\/planner\/one-again-[\da-f]{8}$/)] : []);
    if (copied) {
      const chunks = [ROOT, { types: ['step_committed'], before: 9, limit: 500 }];
      expect(asked).toEqual([chunks, [ROOT, { name: at.split('/').at(-1), checkpoint: 'k' }]]);
    } else expect(asked).toEqual([]);
  });

  it('[RH13] where nobody hears of a copy none is made, and another error than that there is no agent is the answer', async () => {
    const quiet = chatOf(completed);
    await quiet.send();
    expect([quiet.asked, quiet.sent.map(({ path }) => path)]).toEqual([[], [`${ROOT}/chat`]]);
    for (const error of [refusal('forbidden'), Object.assign(new Error('odd'), { code: 'not_found' })]) {
      const { sent, transport } = chatOf(error, ROOT, () => undefined);
      const given = { chatId: 'one', messages: [], messageId: undefined, abortSignal: undefined };
      await expect(transport.sendMessages({ trigger: 'regenerate-message', ...given })).rejects.toBe(error);
      expect(sent).toEqual([]);
    }
  });

  it('[RH13] once it goes on at a copy goes there, and a copy of a copy has the name of the first', async () => {
    const copies: string[] = [];
    const long = `/agents/planner/${'long'.repeat(40)}`;
    const { sent, transport, send } = chatOf(completed, long, (copy) => copies.push(copy));
    await transport.reconnectToStream({ chatId: 'one' });
    await send();
    await send();
    await send({ trigger: 'submit-message' });
    await transport.reconnectToStream({ chatId: 'one' });
    const [first, second] = copies.map((copy) => copy.split('/').at(-1));
    expect([first, second]).toEqual(Array(2).fill(expect.stringMatching(/^(?:long){25}-again-[\da-f]{8}$/)));
    expect(first).not.toBe(second);
    expect(sent.map(({ path, body }) => [path, body.id])).toEqual([
      [`${long}/chat/one/stream`, undefined],
      ...[first, second, second].map((name) => [`/agents/planner/${name}/chat`, name]),
      [`/agents/planner/${second}/chat/${second}/stream`, undefined],
    ]);
  });
});
