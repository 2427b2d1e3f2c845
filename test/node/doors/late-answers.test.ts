/** Answers to questions that do not wait any more (CH2, CH8): the answer that a chat is shown for them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chat } from '../../../src/doors/chat/door';
import type { DoorAgents } from '../../../src/gateway/doors/door';
import { OffshootError } from '../../../src/protocol/errors';
import type { JsonObject } from '../../../src/protocol/json';
import { doorRequest } from '../../support/door-request';

const at = '/agents/top/one';
const CALLS = ['c_1', 'c_2', 'c_3'];
const ASKS = ['tool_approval_request', 'client_tool_request', 'tool_answered'];

/** A log: runs that begin an answer or go on with it, and what is said of calls, also of agents below. */
const anyLog = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: fc.record({ type: fc.constant('run_started'), goesOn: fc.boolean() }) },
      {
        weight: 3,
        arbitrary: fc.record({
          type: fc.constantFrom(...ASKS, 'tool_start'),
          toolCallId: fc.constantFrom(...CALLS),
          address: fc.constantFrom(at, `${at}/sub/leaf/1`),
        }),
      },
    ),
    { maxLength: 20 },
  )
  .map((given) => {
    let [turn, chainTurn, chainStart] = [0, 0, 0];
    return [{ type: 'run_started' as const, goesOn: false }, ...given].map((one, index) => {
      const sequence = index + 1;
      if ('toolCallId' in one) return { sequence, chunk: one, chainStart };
      turn += 1;
      if (!one.goesOn) [chainTurn, chainStart] = [turn, sequence];
      return { sequence, chunk: { type: one.type, address: at, chainTurn }, chainStart };
    });
  });

/** An agent with this log, of which nothing waits; where its streams began is noted. */
function agentWith(log: typeof anyLog extends fc.Arbitrary<infer Log> ? Log : never, streams: unknown[]): DoorAgents {
  const bodyOf = (
    verb: string,
    input: { types?: string; before?: number; cursor?: string; from?: number },
  ): JsonObject => {
    const { types = '', before = 0, cursor, from } = input;
    if (verb === 'pending') return { items: [] };
    if (verb === 'status') return { status: 'running', sessionId: 's', run: { chainStartSequence: 1_000 } };
    if (verb === 'stream') streams.push(from);
    if (verb === 'runs')
      return {
        items: log
          .flatMap(({ chunk, chainStart }) =>
            'chainTurn' in chunk && chunk.chainTurn === Number(cursor) + 1 ? [{ chainStartSequence: chainStart }] : [],
          )
          .slice(0, 1),
      };
    const items = log.filter(({ sequence, chunk }) => sequence < before && types.split(',').includes(chunk.type));
    return { items: items.map(({ sequence, chunk }) => ({ sequence, chunk: { ...chunk } })) };
  };
  return {
    allow: async (asks) =>
      asks.map(({ verb, input }) => ({
        ask: async () => ({
          ok: true,
          body: verb === 'stream' && input === undefined ? {} : bodyOf(verb, JSON.parse(JSON.stringify(input ?? {}))),
          bytes: new Response('').body ?? new ReadableStream(),
        }),
      })),
  };
}

it('[CH2, CH8] show the answer in which the newest of their calls was asked about, and are refused for a call nobody asked about', async () => {
  await fc.assert(
    fc.asyncProperty(anyLog, fc.subarray(CALLS), async (log, calls) => {
      const parts = calls.map((toolCallId) => ({
        ...{ type: 'dynamic-tool', toolCallId, state: 'approval-responded' },
        approval: { id: toolCallId, approved: true },
      }));
      const body = { id: 'one', trigger: 'submit-message', messages: [{ id: 'a', role: 'assistant', parts }] };
      const streams: unknown[] = [];
      const request = doorRequest(new Request('https://a.test/chat', { method: 'POST' }), {});
      const given = { ...request, agents: agentWith(log, streams), json: async () => body };
      const answered = chat().answer(given, at, []);
      const code = await answered.then(
        (response) => response?.body?.cancel().then(() => undefined),
        (error: unknown) => (error instanceof OffshootError ? error.code : error),
      );
      const asked = (toolCallId: string) =>
        log.findLast(
          ({ chunk }) => 'toolCallId' in chunk && chunk.toolCallId === toolCallId && ASKS.includes(chunk.type),
        );
      const found = calls.map(asked);
      const newest = Math.max(...found.map((one) => one?.sequence ?? 0));
      const start = calls.length === 0 ? 1_000 : log[newest - 1]?.chainStart;
      expect([code, streams]).toEqual(found.includes(undefined) ? ['unknown_tool_call', []] : [undefined, [start]]);
    }),
  );
});
