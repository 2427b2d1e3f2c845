/** Frames of a socket, read: those that are ours, and all others. */
import { describe, expect, it, vi } from 'vitest';
import { readFrame, rpcCallId } from '../../../src/sockets/read-frame';

const call = (body: string) => `{ "type" : "offshoot.call", "id": "1", "verb": "start", "body": ${body} }`;
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a frame', () => {
  it('[W11] is ours by its type, and wrong ones of ours have an error', () => {
    const body = `{"message":"x","metadata":{"a":${deep(98)}}}`;
    expect(readFrame(call(body))).toMatchObject({ ok: true, frame: { type: 'offshoot.call', verb: 'start' } });
    for (const wrong of ['{"type":"offshoot.none"}', call('{"a":1,"a":2}'), call('{"__proto__":1}'), call(deep(101))])
      expect(readFrame(wrong), wrong.slice(0, 80)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    for (const other of [
      'offshoot.',
      '"offshoot."',
      'null',
      '{"type":"mine","to":"offshoot."}',
      '{"type":1,"a":"offshoot."}',
    ])
      expect(readFrame(other), other).toBeUndefined();
  });

  it('[JS8, W11] with too many levels or parts is never made, whoever it is for', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const parts = `[${'[],'.repeat(250_000)}1]`;
    for (const body of [deep(100_000), parts]) {
      expect(readFrame(call(body))).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
      expect(readFrame(`{"type":"mine","to":"offshoot.","body":${body}}`)).toBeUndefined();
    }
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('[JS8] has a body as deep as over HTTP, in a frame around it', () => {
    expect(readFrame(call(`{"message":"x","metadata":${deep(99)}}`))).toMatchObject({ ok: true });
    expect(readFrame(call(`{"message":"x","metadata":${deep(100)}}`))).toMatchObject({ ok: false });
  });

  it('[W11] of the SDK is a call by its type and a text as its id', () => {
    for (const [frame, id] of [
      ['{"type":"rpc","id":"7","method":"x"}', '7'],
      ['{"type":"rpc","id":7}', undefined],
      ['{"type":"rpc"}', undefined],
      ['{"type":"mine","id":"7"}', undefined],
      ['{"type":"rpc","id":"7","id":"8"}', undefined],
      ['{"type":"rpc"', undefined],
    ] as const)
      expect([frame, rpcCallId(frame)]).toEqual([frame, id]);
  });
});
