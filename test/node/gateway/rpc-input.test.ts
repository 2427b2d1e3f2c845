/** What an RPC brings, before anything is asked: its bytes, its address, and on whose behalf it comes. */
import { describe, expect, it } from 'vitest';
import { addressOf, bytesOf, callerOf } from '../../../src/gateway/rpc-input';

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

describe('an address over RPC', () => {
  const below = (agent: string, name: string) => ({ agent: 'Top', name: 'x', sub: [{ agent, name }] });
  it.each([
    ['/agents/top/x', '/agents/top/x'],
    ['/agents/fact-checker/x/sub/leaf/1~1', '/agents/fact-checker/x/sub/leaf/1~1'],
    [{ agent: 'FactChecker', name: 'x' }, '/agents/fact-checker/x'],
    [{ agent: 'fact-checker', name: 'x' }, '/agents/fact-checker/x'],
    [{ agent: 'B2b', name: 'x' }, '/agents/b2b/x'],
    [below('FactChecker', '1~1'), '/agents/top/x/sub/fact-checker/1~1'],
    [below('leaf', '1~1'), '/agents/top/x/sub/leaf/1~1'],
  ])('[Y4] is a text or its parts, with classes as they are or as in addresses: %j', (given, address) => {
    expect(addressOf(given)).toMatchObject({ address, rest: [] });
  });

  it.each([
    ['/agents/top/x/status', 'invalid_address'],
    ['/agents/top/x/', 'invalid_address'],
    ['/agents/top/x/sub/leaf/1~1/status', 'invalid_address'],
    ['/agents/FactChecker/x', 'invalid_address'],
    ['top/x', 'invalid_address'],
    ['', 'invalid_address'],
    [{ agent: 'Fact_Checker', name: 'x' }, 'invalid_address'],
    [{ agent: 'factChecker', name: 'x' }, 'invalid_address'],
    [{ agent: ' FactChecker', name: 'x' }, 'invalid_address'],
    [{ agent: 'FactChecker!', name: 'x' }, 'invalid_address'],
    [{ agent: 'Top/x', name: 'x' }, 'invalid_request'],
    [{ agent: 'Top', name: 'x/status' }, 'invalid_request'],
    [{ agent: 'Top', name: 'x', verb: 'status' }, 'invalid_request'],
    [below('Leaf', '1~1/status'), 'invalid_request'],
    [below('Leaf!', '1~1'), 'invalid_address'],
    [{ name: 'x' }, 'invalid_request'],
    [undefined, 'invalid_request'],
    [7, 'invalid_request'],
  ])('[Y4] is refused that names no agent, or more than one: %j', (given, code) => {
    expect(() => addressOf(given)).toThrow(refused(code));
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
