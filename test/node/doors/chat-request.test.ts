/** The request of a chat, row by row: its message, the answer that it continues, and its answers to calls that wait. */
import { describe, expect, it } from 'vitest';
import { chatRequest, contentOf, partsOfCalls, saidIn } from '../../../src/doors/chat/request';
import { OffshootError } from '../../../src/protocol/errors';
import type { Json, JsonObject } from '../../../src/protocol/json';
import type { Document } from '../../../src/protocol/wire/wire-types';

type Pending = Document<'pendingItem'>;

/** What a call gives, or the code of its refusal. */
function outcome<Result>(call: () => Result): Result | string {
  try {
    return call();
  } catch (error) {
    if (error instanceof OffshootError) return error.failure.code;
    throw error;
  }
}

const text = (said: string) => ({ type: 'text', text: said });
const user = (id: string, ...parts: JsonObject[]) => ({ id, role: 'user', parts });
const answer = (id: string, ...parts: JsonObject[]) => ({ id, role: 'assistant', parts });
const posted = (messages: Json, more: JsonObject = {}) => ({
  ...{ id: 'chat', trigger: 'submit-message', messages },
  ...more,
});
const read = (messages: Json, more: JsonObject = {}) => outcome(() => chatRequest(posted(messages, more)));

describe('a request', () => {
  it('[CH8] is taken within its bounds, and refused one past each of them', () => {
    const m = user('m');
    const times = (count: number, one: Json) => Array.from({ length: count }, () => one);
    const rows: readonly (readonly [Json, boolean])[] = [
      [posted([m]), true],
      [posted([]), false],
      [posted(times(10_000, m)), true],
      [posted(times(10_001, m)), false],
      [posted([user('m', ...times(10_000, text('x')).map((part) => part as JsonObject))]), true],
      [posted([user('m', ...times(10_001, text('x')).map((part) => part as JsonObject))]), false],
      [posted([m], { id: '' }), false],
      [posted([m], { id: 'x'.repeat(512) }), true],
      [posted([m], { id: 'x'.repeat(513) }), false],
      [posted([user('')]), false],
      [posted([user('x'.repeat(256))]), true],
      [posted([user('x'.repeat(257))]), false],
      [posted([m], { trigger: 'other' }), false],
      [posted([m], { more: 1 }), true],
      [null, false],
    ];
    for (const [body, isTaken] of rows) {
      const found = outcome(() => chatRequest(body));
      expect([JSON.stringify(body).slice(0, 60), typeof found === 'string' ? found : 'taken']).toEqual([
        ...[JSON.stringify(body).slice(0, 60), isTaken ? 'taken' : 'invalid_request'],
      ]);
    }
    expect(outcome(() => chatRequest(undefined))).toBe('invalid_request');
  });

  it('[CH8, CH15, CH19] brings its last message, and the answer that it continues or whose questions it answers', () => {
    const [a, b, c] = [answer('a', text('A')), answer('b', text('B')), answer('c', text('C'), text('D'))];
    const [m, n] = [user('m'), user('n')];
    const chatId = 'chat';
    for (const [messages, messageId, expected] of [
      [[m], undefined, { message: m }],
      [[m], 'm', { message: m, isListed: true }],
      [[m, a, n], undefined, { message: n, answer: a, before: [] }],
      [[a, m, c, b, n], undefined, { message: n, answer: b, before: [text('C'), text('D'), text('A')] }],
      [[a, m, b, n], 'n', { message: n, isListed: true, answer: b, before: [text('A')] }],
      [[a, m, b, n], 'a', { message: n, isListed: true, continues: true, answer: a, before: [text('B')] }],
      // That is an edit of an older message, or of one that is not there.
      [[m, a, n], 'm', 'invalid_request'],
      [[m, a, n], 'other', 'invalid_request'],
      [[m, a], undefined, { answer: a, before: [] }],
      [[m, a, b], undefined, { answer: b, before: [text('A')] }],
      [[m, a, b], 'a', { answer: a, before: [text('B')] }],
      [[m, a], 'm', 'invalid_request'],
      [[m, a], 'other', 'invalid_request'],
      [[m, { ...a, role: 'system' }], undefined, 'invalid_request'],
    ] as const) {
      const found = read(messages as unknown as Json, messageId === undefined ? {} : { messageId });
      expect([messages.map(({ id }) => id).join(), messageId, found]).toEqual([
        ...[messages.map(({ id }) => id).join(), messageId],
        typeof expected === 'string' ? expected : { chatId, ...expected },
      ]);
    }
  });

  it('[CH11] to make an answer again names it, or the message before it, or neither', () => {
    const again = (messages: Json, messageId?: string) => {
      const found = read(messages, {
        trigger: 'regenerate-message',
        ...(messageId === undefined ? {} : { messageId }),
      });
      return typeof found === 'string' ? found : found.again;
    };
    expect(again([user('m')])).toEqual({ messageId: 'm' });
    expect(again([user('m')], 'm')).toEqual({ messageId: 'm' });
    expect(again([user('m')], 'a')).toEqual({ messageId: 'm', answerId: 'a' });
    expect(again([answer('a')])).toEqual({});
    expect(again([answer('a')], 'a')).toEqual({});
    expect(again([answer('a')], 'b')).toEqual({ answerId: 'b' });
  });
});

describe('the answers in a request', () => {
  const HASH = 'a'.repeat(64);
  const waits = (toolCallId: string, kind: Pending['kind'] = 'approval'): Pending => ({
    ...{ toolCallId, kind, toolName: 'pay', input: {}, inputHash: HASH, address: '/a', agentType: 'top' },
    requestedAt: 1,
  });
  const part = (toolCallId: string, state: string, more: JsonObject = {}) => ({
    ...{ type: 'dynamic-tool', toolCallId, state },
    ...more,
  });
  const decided = (toolCallId: string, approved: Json, more: JsonObject = {}) =>
    part(toolCallId, 'approval-responded', {
      approval: { id: toolCallId, approved, descriptor: { inputHash: HASH }, ...more },
    });
  const yes = (toolCallId: string) => ({ kind: 'approval-response', toolCallId, approved: true, inputHash: HASH });
  const result = (toolCallId: string, more: JsonObject) => ({ kind: 'client-tool-result', toolCallId, ...more });
  const said = (pending: readonly Pending[], parts: readonly JsonObject[], before: readonly JsonObject[] = []) =>
    outcome(() => saidIn({ chatId: 'chat', answer: answer('a', ...parts) as never, before: before as never }, pending));

  it('[CH8] are those to calls that wait, each as its part says it', () => {
    const [own, asks] = [waits('c', 'client-tool'), waits('c')];
    for (const [pending, one, expected] of [
      [asks, decided('c', true), yes('c')],
      [asks, decided('c', false), { ...yes('c'), approved: false }],
      [asks, decided('c', false, { reason: 'No.' }), { ...yes('c'), approved: false, reason: 'No.' }],
      [asks, decided('c', true, { reason: '' }), yes('c')],
      [asks, { ...decided('c', true), type: 'tool-pay' }, yes('c')],
      ...[null, 'yes', 1].map((approved) => [asks, decided('c', approved), 'invalid_request'] as const),
      [asks, decided('c', true, { id: 'd' }), 'invalid_request'],
      [asks, decided('c', true, { descriptor: null }), 'invalid_request'],
      [asks, decided('c', true, { descriptor: { inputHash: 7 } }), 'invalid_request'],
      [asks, part('c', 'approval-responded'), 'invalid_request'],
      [asks, decided('c', true, { descriptor: { inputHash: 'b'.repeat(64) } }), 'input_changed'],
      [own, decided('c', true), 'kind_mismatch'],
      // No part of a call, or of another state, answers nothing.
      [asks, { ...decided('c', true), type: 'text' }, undefined],
      [asks, { ...decided('c', true), toolCallId: 7 }, undefined],
      [asks, part('c', 'approval-requested'), undefined],
      [asks, part('c', 'output-available', { output: 1 }), undefined],
      [asks, part('c', 'output-error', { errorText: 'No.' }), undefined],
      [own, part('c', 'output-available', { output: { n: 1 } }), result('c', { result: { n: 1 } })],
      [own, part('c', 'output-available'), result('c', { result: null })],
      [own, part('c', 'output-available', { output: 1, preliminary: true }), undefined],
      [own, part('c', 'output-error', { errorText: 'No.' }), result('c', { error: 'No.' })],
      [own, part('c', 'output-error', { errorText: '' }), result('c', { error: 'It failed.' })],
      [own, part('c', 'output-error'), undefined],
      [own, part('c', 'input-available', { output: 1 }), undefined],
    ] as const) {
      const found = said([pending], [one]);
      const submits = expected === undefined ? [] : [expected];
      expect([one, found]).toEqual([one, typeof expected === 'string' ? expected : { submits, others: [] }]);
    }
  });

  it('[CH16, CH19] count once, the newest one first, and not where a newer message asks again', () => {
    const asks = [waits('c'), waits('d')];
    const no = decided('c', false);
    const again = part('c', 'approval-requested');
    for (const [parts, before, expected] of [
      [[decided('c', true)], [], [yes('c')]],
      [[decided('c', true)], [no], [yes('c')]],
      [[], [decided('c', true)], [yes('c')]],
      [[], [decided('c', true), no], [yes('c')]],
      [[again], [decided('c', true)], []],
      [[again], [decided('d', true)], [yes('d')]],
      [[], [again, decided('c', true)], []],
      [[], [decided('c', true), again], [yes('c')]],
      [[decided('d', true), decided('c', true)], [], [yes('d'), yes('c')]],
    ] as const)
      expect([parts, before, said(asks, parts, before)]).toEqual([parts, before, { submits: expected, others: [] }]);
  });

  it('[CH8, CH14] to calls that do not wait are named, those of the continued answer alone', () => {
    const parts = [
      decided('c', true),
      decided('d', false),
      part('e', 'output-available'),
      { ...decided('f', true), type: 'text' },
    ];
    expect(said([waits('c')], parts, [decided('g', true)])).toEqual({ submits: [yes('c')], others: ['d'] });
    expect(saidIn({ chatId: 'chat' }, [waits('c')])).toEqual({ submits: [], others: [] });
  });

  it('[CH2] are in parts of calls, and whoever continues has to know which a client has', () => {
    const approval = { approval: { id: 'c' } };
    const parts = [part('c', 'x', approval), part('d', 'x'), { ...part('e', 'x', approval), type: 'tool-pay' }];
    const none = [{ ...part('f', 'x'), type: 'text' }, { type: 'dynamic-tool' }, { type: 'tool-pay', toolCallId: 1 }];
    const found = partsOfCalls(answer('a', ...parts, ...none) as never);
    expect([...found]).toEqual([
      ['c', true],
      ['d', false],
      ['e', true],
    ]);
    expect(partsOfCalls(undefined).size).toBe(0);
  });
});

describe('the content of a message', () => {
  const FILES = '/v1/agents/top/one/files/';
  const content = (...parts: JsonObject[]) => outcome(() => contentOf({ parts: parts as never }, FILES));
  const file = (url: Json, more: JsonObject = {}) => ({ type: 'file', url, ...more });

  it('[CH8, CH12] is its texts and files, in order: bytes by a data URL, or a file of the agent', () => {
    expect(content(text('a'), file('data:text/plain;base64,QQ=='), text(''))).toEqual([
      text('a'),
      { type: 'file', mediaType: 'text/plain', base64: 'QQ==' },
      text(''),
    ]);
    const unknown = 'application/octet-stream';
    for (const [one, expected] of [
      [file('data:;base64,QQ=='), { mediaType: unknown, base64: 'QQ==' }],
      [file('data:text/plain;base64,'), { mediaType: 'text/plain', base64: '' }],
      [file('data:text/plain;charset=utf-8;base64,QQ=='), { mediaType: 'text/plain', base64: 'QQ==' }],
      [file('data:text/plain;base64,QQ==', { mediaType: 'image/png' }), { mediaType: 'image/png', base64: 'QQ==' }],
      [file('data:text/plain;base64,QQ==', { mediaType: '' }), { mediaType: 'text/plain', base64: 'QQ==' }],
      [file('data:;base64,QQ==', { mediaType: 7 }), { mediaType: unknown, base64: 'QQ==' }],
      [file('data:;base64,QQ==', { filename: 'a.txt' }), { mediaType: unknown, filename: 'a.txt', base64: 'QQ==' }],
      [file('data:;base64,QQ==', { filename: '' }), { mediaType: unknown, base64: 'QQ==' }],
      [file(`${FILES}a%20b%2Fc`), { path: 'a b/c' }],
      [
        file(`${FILES}a`, { mediaType: 'image/png', filename: 'b' }),
        { mediaType: 'image/png', filename: 'b', path: 'a' },
      ],
    ] as const)
      expect([one, content(one)]).toEqual([one, [{ type: 'file', ...expected }]]);
    for (const wrong of [
      file('https://evil.test/a'),
      file('data:text/plain,QQ=='),
      file('/agents/top/one/files/a'),
      file(`${FILES}%E0%A4%A`),
      file(7),
      { type: 'text' },
      { type: 'image', url: 'data:;base64,QQ==' },
    ])
      expect([wrong, content(text('a'), wrong)]).toEqual([wrong, 'invalid_request']);
  });
});
