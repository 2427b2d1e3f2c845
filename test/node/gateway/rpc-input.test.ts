/** The bytes that an RPC brings, before anything is asked. */
import { describe, expect, it } from 'vitest';
import { bytesOf, callerOf } from '../../../src/gateway/rpc-input';

const refused = (code: string) => expect.objectContaining({ code });

describe('the content of a file over RPC', () => {
  it.each([
    ['a text'],
    [7],
    [true],
    [null],
    [undefined],
    [{}],
    [{ byteLength: 1 }],
    [[1]],
    [() => 1],
    [new Blob(['x'])],
  ])('[Y7] is refused where it is %o', (given) => {
    expect(() => bytesOf(given)).toThrow(refused('invalid_request'));
  });

  const words = new Uint16Array([0x6161, 0x6262, 0x6363]);
  it.each([
    ['a buffer', words.buffer, 'aabbcc'],
    ['a part of one', words.subarray(1, 2), 'bb'],
    ['a view', new DataView(words.buffer, 4), 'cc'],
    ['nothing', new ArrayBuffer(0), ''],
  ])('[Y7] is %s with its own bytes alone, and their number', async (_what, given, text) => {
    const { bytes, size } = bytesOf(given);
    expect([await new Response(bytes).text(), size]).toEqual([text, text.length]);
  });

  it('[Y7] is a stream as it is, of a size that nobody knows', () => {
    const stream = new ReadableStream<Uint8Array>();
    expect(bytesOf(stream)).toEqual({ bytes: stream });
  });
});

describe('a caller over RPC', () => {
  it.each([
    [999, true],
    [1_000, true],
    [1_001, false],
  ])('[Y6] with the deadline %i at 1,000 is refused: %s', (deadline, isLate) => {
    const ask = () => callerOf({ subject: 'ann', deadline }, 1_000);
    if (isLate) expect(ask).toThrow(refused('deadline_exceeded'));
    else expect(ask()).toEqual({ subject: 'ann', deadline });
  });
});
