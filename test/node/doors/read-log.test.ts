/** How a door reads the log. */
import { describe, expect, it } from 'vitest';
import { transcriptOf } from '../../../src/doors/chat/transcript';
import { readLog } from '../../../src/doors/read-log';
import { Thread } from '../../../src/doors/thread';
import { failure } from '../../../src/protocol/errors';
import type { JsonObject } from '../../../src/protocol/json';

const text = [
  ': offshoot\n\n',
  'id: 3\ndata: {"type":"unsuspended"}\n\n',
  'id: 6\nevent: reset\ndata: {"from":7}\n\n',
  'event: up-to-date\ndata: {"sequence":9}\n\nevent: news\ndata: 1\n\n',
  'event: end\ndata: {"status":"completed"}\n\n',
  'event: refused\ndata: {"code":"gone","title":"It is gone"}\n\n',
];

function streamed(pieces: readonly string[], lost?: Error) {
  const seen = { pulls: 0, cancelled: false };
  const bytes = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[seen.pulls];
        seen.pulls += 1;
        if (piece === undefined && lost) controller.error(lost);
        else if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { bytes, seen };
}

describe('a log that a door reads', () => {
  it('[OC10] has chunks, resets, ends and refusals in order, wherever the bytes are cut', async () => {
    const expected = [
      { kind: 'chunk', sequence: 3, chunk: { type: 'unsuspended' } },
      { kind: 'reset', from: 7 },
      { kind: 'up-to-date' },
      { kind: 'end', status: 'completed' },
      { kind: 'refused', problem: { code: 'gone', title: 'It is gone' } },
      { kind: 'broken' },
    ];
    for (const pieces of [text, [text.join('')], [...text.join('')]]) {
      const found = await Array.fromAsync(readLog(streamed(pieces).bytes));
      expect(found.filter(({ kind }) => kind !== 'alive')).toEqual(expected);
    }
  });

  it('[OC10] is read as it is asked for, and let go by who stops', async () => {
    const { bytes, seen } = streamed(text);
    const log = readLog(bytes);
    await log.next();
    expect(seen).toEqual({ pulls: 1, cancelled: false });
    await log.return();
    expect(seen).toEqual({ pulls: 1, cancelled: true });
  });
});

describe('a log that breaks off', () => {
  const chunk = (sequence: number, more: JsonObject) =>
    `id: ${sequence}\ndata: ${JSON.stringify({ address: '/agents/top/x', runId: 'r_1', step: 1, attempt: 1, ...more })}\n\n`;
  const begun = [
    chunk(1, { type: 'run_started', turn: 1, chainTurn: 1 }),
    chunk(2, { type: 'step_started' }),
    chunk(3, { type: 'text_delta', part: 0, delta: 'Half an ans' }),
  ];
  const bodies: Readonly<Record<string, object>> = {
    status: {
      sessionId: 's_1',
      agentType: 'top',
      lastSequence: 9,
      run: { turn: 1, chainTurn: 1, chainStartSequence: 1 },
    },
    messages: { items: [], asOfSequence: 9 },
  };
  const threadOf = (bytes?: () => ReadableStream<Uint8Array>) =>
    new Thread(
      {
        allow: async (asks) =>
          asks.map(({ verb }) => ({
            ask: async () => {
              if (verb === 'stream' && bytes === undefined) return { ok: false, error: failure('too_many_streams') };
              const body = JSON.parse(JSON.stringify(bodies[verb] ?? { items: [] }));
              return verb === 'stream' && bytes ? { ok: true, body, bytes: bytes() } : { ok: true, body };
            },
          })),
      },
      '/agents/top/x',
    );

  it.each([undefined, new Error('Network connection lost.')])('[CH20] makes no list of a chat: %s', async (lost) => {
    const broken = transcriptOf(threadOf(() => streamed(begun, lost).bytes));
    await expect(broken).rejects.toMatchObject({ failure: { code: 'unavailable' } });
    const refused = transcriptOf(threadOf(() => streamed([...begun, text[5] ?? '']).bytes));
    await expect(refused).rejects.toMatchObject({ failure: { code: 'gone' } });
    await expect(transcriptOf(threadOf())).rejects.toMatchObject({ failure: { code: 'too_many_streams' } });
    const detail = { detail: 'It was deleted.', details: { by: 'ann' } };
    const withDetail = `event: refused\ndata: ${JSON.stringify({ code: 'gone', title: 'It is gone', ...detail })}\n\n`;
    await expect(transcriptOf(threadOf(() => streamed([...begun, withDetail]).bytes))).rejects.toMatchObject({
      failure: { code: 'gone', message: detail.detail, details: detail.details },
    });
    const { messages } = await transcriptOf(threadOf(() => streamed([...begun, text[3] ?? '']).bytes));
    expect(messages).toMatchObject([{ parts: [{ type: 'step-start' }, { type: 'text', text: 'Half an ans' }] }]);
  });
});
