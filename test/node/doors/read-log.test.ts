/** How a door reads the log. */
import { describe, expect, it } from 'vitest';
import { readLog } from '../../../src/doors/read-log';

const text = [
  ': offshoot\n\n',
  'id: 3\ndata: {"type":"unsuspended"}\n\n',
  'id: 6\nevent: reset\ndata: {"from":7}\n\n',
  'event: up-to-date\ndata: {"sequence":9}\n\nevent: news\ndata: 1\n\n',
  'event: end\ndata: {"status":"completed"}\n\n',
  'event: refused\ndata: {"code":"gone","title":"It is gone"}\n\n',
];

function streamed(pieces: readonly string[]) {
  const seen = { pulls: 0, cancelled: false };
  const bytes = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[seen.pulls];
        seen.pulls += 1;
        if (piece === undefined) controller.close();
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
