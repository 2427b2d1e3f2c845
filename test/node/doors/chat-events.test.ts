/** The stream of a chat as events of HTTP (CH3, CH20): each list of chunks, a sign of life, and one end. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventsOf } from '../../../src/doors/chat/stream';
import type { UiChunk } from '../../../src/doors/chat/ui';

const delta = fc.string().map((text): UiChunk => ({ type: 'text-delta', id: 't', delta: text }));

it('[CH3, CH20] events of a chat are its chunks and signs of life in their order, and one end; a stream that breaks has none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(delta, { maxLength: 3 }), { maxLength: 6 }),
      fc.boolean(),
      fc.nat({ max: 7 }),
      async (lists, breaks, reads) => {
        const closed: string[] = [];
        const broken = new Error('It broke.');
        async function* chunks() {
          for (const list of lists) yield list;
          if (breaks) throw broken;
        }
        const { body, headers } = eventsOf({ chunks: chunks(), close: () => closed.push('closed') }, 'req_1');
        expect([headers.get('content-type'), headers.get('x-request-id')]).toEqual(['text/event-stream', 'req_1']);
        const reader = body?.getReader();
        const decoder = new TextDecoder();
        const told: string[] = [];
        const texts = lists.map((list) =>
          list.length === 0 ? ': still here\n\n' : list.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''),
        );
        const expected = [...texts, breaks ? broken.message : 'data: [DONE]\n\n', 'end'].slice(0, reads);
        while (told.length < expected.length && told.at(-1) !== broken.message) {
          const read = await reader?.read().catch((error: Error) => error.message);
          told.push(typeof read === 'string' ? read : read?.done ? 'end' : decoder.decode(read?.value));
        }
        expect(told).toEqual(breaks ? expected.filter((one) => one !== 'end') : expected);
        await reader?.cancel().catch(() => undefined);
        // Whoever leaves before the end closes what it was read from.
        expect(closed).toEqual(reads > lists.length ? [] : ['closed']);
      },
    ),
  );
});
