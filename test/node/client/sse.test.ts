import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SseEvent, SseParser, SseTooLong } from '../../../src/protocol/wire/sse';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function parse(bytes: Uint8Array, cuts: readonly number[] = []): SseEvent[] {
  const parser = new SseParser();
  const events: SseEvent[] = [];
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    events.push(...parser.push(bytes.subarray(at, cut)));
    at = cut;
  }
  return events;
}

const STREAM = [
  '\ufeff: a comment\n\n',
  'id: 1\ndata: {"a":"é日👍"}\n\n',
  'event: up-to-date\r\ndata\r\n\r\n',
  'data: one\rdata:two\rdata:  three\r\r',
  'id: 7\nid: 8\0\nretry: 50\nunknown: x\nevent: end\ndata: last\n\n',
  'event: nothing\n\n',
  'data:no own event\n\n',
  'data: never closed\n',
].join('');

const EVENTS: SseEvent[] = [
  { event: 'message', data: '{"a":"é日👍"}', id: '1' },
  { event: 'up-to-date', data: '', id: '1' },
  { event: 'message', data: 'one\ntwo\n three', id: '1' },
  { event: 'end', data: 'last', id: '7' },
  { event: 'message', data: 'no own event', id: '7' },
];

describe('server-sent events', () => {
  it('[K7] reads fields, comments, all line ends, ids and a leading mark as the specification says', () => {
    expect(parse(bytesOf(STREAM))).toEqual(EVENTS);
  });

  it('[K7] reads the same, wherever the bytes are cut', () => {
    const bytes = bytesOf(STREAM);
    for (let cut = 0; cut <= bytes.length; cut += 1) expect([cut, parse(bytes, [cut])]).toEqual([cut, EVENTS]);
    expect(parse(bytes, Array.from(bytes.keys()))).toEqual(EVENTS);
    const cuts = fc.uniqueArray(fc.nat(bytes.length)).map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(cuts, (all) => {
        expect(parse(bytes, all)).toEqual(EVENTS);
      }),
    );
  });

  it('[K7] replaces bytes that are no UTF-8 and reads on', () => {
    const bytes = Uint8Array.of(...bytesOf('data: a'), 0xff, 0xc3, ...bytesOf('\n\ndata: b\n\n'));
    expect(parse(bytes).map((event) => event.data)).toEqual(['a\ufffd\ufffd', 'b']);
  });

  it('[K7] refuses a line and an event beyond the limit, and takes one at the limit', () => {
    const piece = (length: number) => bytesOf('x'.repeat(length));
    const atLimit = new SseParser(16);
    expect(atLimit.push(bytesOf(`data:${'x'.repeat(11)}\n\n`))).toHaveLength(1);
    expect(atLimit.push(bytesOf(`data:${'y'.repeat(11)}\n\n`))).toHaveLength(1);
    const longLine = new SseParser(16);
    longLine.push(piece(16));
    expect(() => longLine.push(piece(1))).toThrow(SseTooLong);
    const longEvent = new SseParser(16);
    longEvent.push(bytesOf('data:12345678\n'));
    expect(() => longEvent.push(bytesOf('data:12345678\n'))).toThrow(SseTooLong);
    const event = (last: string) => new SseParser(16).push(bytesOf(`data:1234567\ndata:${last}\n\n`));
    expect(event('1234567')).toHaveLength(1);
    expect(() => event('12345678')).toThrow(SseTooLong);
  });

  it('[K7] a line that comes in many pieces costs no more than its length', () => {
    const parser = new SseParser();
    const piece = bytesOf('x'.repeat(64));
    parser.push(bytesOf('data:'));
    for (let sent = 0; sent < 100_000; sent += 1) parser.push(piece);
    const [event] = parser.push(bytesOf('\n\n'));
    expect(event?.data).toHaveLength(6_400_000);
  });
});
