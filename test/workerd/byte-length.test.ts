/** Bytes of a text as workerd encodes it, which is no part of Node. */
import { expect, it } from 'vitest';
import { byteLength } from '../../src/protocol/json';

it('[JS1] bytes are those of UTF-8, whatever the characters and wherever a long text is cut to be counted', () => {
  const encoder = new TextEncoder();
  for (const piece of ['x', 'ü', '€', '😀', '\ud83d', '\ude00', '\ude00\ud83d', 'x\ud83d€😀ü'])
    for (const before of ['', 'x', 'xx', 'xxx'])
      for (const times of [1, 31, 9_000]) {
        const text = before + piece.repeat(times) + before;
        expect(byteLength(text), `${JSON.stringify(piece)} ${times} times`).toBe(encoder.encode(text).length);
      }
});
