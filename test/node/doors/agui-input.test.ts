/** The request of a client of AG-UI, and the questions and answers in it, row by row. */
import { describe, expect, it } from 'vitest';
import { AGUI_LIMITS, givenResults, hasHistory, newMessage, runInput } from '../../../src/doors/agui/input';
import { interruptOf, resultInput, submitOf, waitOf } from '../../../src/doors/agui/interrupts';
import { OffshootError } from '../../../src/protocol/errors';
import type { Json, JsonObject } from '../../../src/protocol/json';

const plain = { threadId: 't', runId: 'r', messages: [] };
const run = (more: JsonObject, tools: readonly string[] = ['pick']) => runInput({ ...plain, ...more }, tools);

/** The result of a call, or that it is refused as a request that is none. */
function outcome<Result>(call: () => Result): Result | string {
  try {
    return call();
  } catch (error) {
    if (error instanceof OffshootError) return error.failure.code;
    throw error;
  }
}

const user = (id: string, content: Json = 'Go') => ({ id, role: 'user', content });
const tool = (id: string, toolCallId: string, content: Json) => ({ id, role: 'tool', toolCallId, content });
const of = (role: string) => ({ id: `of ${role}`, role, content: 'x' });

describe('a request', () => {
  it('[AU3] is taken within its bounds, and refused one past each of them', () => {
    const { maxId, maxResume, maxContext } = AGUI_LIMITS;
    const answer = (at: number) => ({ interruptId: `c_${at}`, status: 'resolved' });
    const times = <Item>(count: number, item: (at: number) => Item) =>
      Array.from({ length: count }, (_one, at) => item(at));
    const rows: readonly (readonly [JsonObject, boolean])[] = [
      [{}, true],
      [{ threadId: '' }, false],
      [{ threadId: 'x'.repeat(128) }, true],
      [{ threadId: 'x'.repeat(129) }, false],
      [{ runId: 'x'.repeat(maxId) }, true],
      [{ runId: 'x'.repeat(maxId + 1) }, false],
      [{ parentRunId: null, protocolVersion: null, tools: null, context: null, resume: null }, true],
      [{ context: times(maxContext, () => ({ description: 'd', value: 'v' })) }, true],
      [{ context: times(maxContext + 1, () => ({ description: 'd', value: 'v' })) }, false],
      [{ resume: times(maxResume, answer) }, true],
      [{ resume: times(maxResume + 1, answer) }, false],
      [{ resume: [answer(1), answer(2)] }, true],
      [{ resume: [answer(1), answer(1)] }, false],
      ...['1', '1.0', '1.9.2'].map((protocolVersion) => [{ protocolVersion }, true] as const),
      ...['2', '10', '0.1', 'v1', '1x'].map((protocolVersion) => [{ protocolVersion }, false] as const),
      [{ tools: [{ name: 'pick' }] }, true],
      [{ tools: [{ name: 'pick' }, { name: 'other' }] }, false],
      // Of other roles no content is read.
      [{ messages: [{ id: 'a', role: 'activity', content: { any: 1 } }] }, true],
      [{ messages: [{ id: 'a', role: 'user', content: { any: 1 } }] }, false],
      [{ messages: [{ id: 'a', role: 'tool', content: { any: 1 } }] }, false],
    ];
    for (const [more, isTaken] of rows) {
      const found = outcome(() => typeof run(more));
      expect([JSON.stringify(more).slice(0, 80), found]).toEqual([
        ...[JSON.stringify(more).slice(0, 80), isTaken ? 'object' : 'invalid_request'],
      ]);
    }
    expect(outcome(() => runInput(undefined, []))).toBe('invalid_request');
  });

  it('[AU3] has results of tools behind the last word of the agent alone, as JSON where they are that', () => {
    const results = (...messages: Json[]) => Object.fromEntries(givenResults(run({ messages })));
    const [a, b] = [tool('1', 'c_1', '{"n":1}'), tool('2', 'c_2', 'plain')];
    expect(results(a, b)).toEqual({ c_1: { n: 1 }, c_2: 'plain' });
    expect(results(a, of('assistant'), b)).toEqual({ c_2: 'plain' });
    expect(results(a, of('reasoning'), b)).toEqual({ c_2: 'plain' });
    expect(results(a, user('3'), of('system'), b)).toEqual({ c_1: { n: 1 }, c_2: 'plain' });
    expect(results(a, tool('3', 'c_1', '2'))).toEqual({ c_1: 2 });
    expect(results({ ...user('3'), toolCallId: 'c_3' }, { id: '4', role: 'tool', content: 'x' })).toEqual({});
    const parts = [{ type: 'text', text: '[1,' }, { type: 'text', text: '2]' }, { type: 'image' }];
    expect(results(tool('1', 'c_1', parts))).toEqual({ c_1: [1, 2] });
    expect(results(tool('1', 'c_1', '{"a":1,"a":2}'))).toEqual({ c_1: '{"a":1,"a":2}' });
    expect(results(tool('1', 'c_1', ''), tool('2', 'c_2', null))).toEqual({ c_1: '', c_2: '' });
    const seen = ['assistant', 'tool', 'reasoning'];
    for (const role of [...seen, 'user', 'system', 'developer', 'activity'])
      expect([role, hasHistory(run({ messages: [of(role)] }))]).toEqual([role, seen.includes(role)]);
  });

  it('[AU3] has a message where the last word is that of a person, beside what pages add', () => {
    const said = (messages: Json[], more: JsonObject = {}) => outcome(() => newMessage(run({ messages, ...more })));
    const idIn = (messages: Json[]) => {
      const found = said(messages);
      return typeof found === 'object' ? found.id : found;
    };
    expect(idIn([])).toBeUndefined();
    expect(idIn([user('a'), user('b')])).toBe('b');
    for (const role of ['system', 'developer', 'activity']) expect(idIn([user('a'), of(role)])).toBe('a');
    for (const role of ['assistant', 'reasoning', 'tool', 'other']) expect(idIn([user('a'), of(role)])).toBeUndefined();
    for (const nothing of ['', [], null]) expect(idIn([user('a', nothing)])).toBeUndefined();
    expect(idIn([user('x'.repeat(AGUI_LIMITS.maxMessageId))])).toHaveLength(AGUI_LIMITS.maxMessageId);
    expect(idIn([user('x'.repeat(AGUI_LIMITS.maxMessageId + 1))])).toBe('invalid_request');
    const content = (given: Json, more: JsonObject = {}) => {
      const found = said([user('a', given)], more);
      return typeof found === 'object' ? [found.input.content, (found.input.metadata as JsonObject).agui] : found;
    };
    const kept = { id: 'a', digest: expect.any(String) };
    const context = {
      context: [
        { description: 'd', value: 'v' },
        { description: 'e', value: 'w' },
      ],
    };
    const about = { type: 'text', text: 'Context:\nd: v\ne: w' };
    expect(content('Go')).toEqual(['Go', kept]);
    expect(content('Go', context)).toEqual([[{ type: 'text', text: 'Go' }, about], kept]);
    expect(content([{ type: 'text', text: 'Go' }])).toEqual(['Go', kept]);
    const picture = { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } };
    const file = { type: 'document', source: { type: 'data', value: 'AAAA' } };
    expect(content([{ type: 'text' }, picture, file])).toEqual([
      [
        { type: 'text', text: '' },
        { type: 'image', base64: 'AAAA', mediaType: 'image/png' },
        { type: 'file', base64: 'AAAA' },
      ],
      kept,
    ]);
    expect(content([{ type: 'image', source: { type: 'url', value: 'https://a.test' } }])).toBe('invalid_request');
    expect(content([{ type: 'image' }])).toBe('invalid_request');
    // The context is none of what the person said: the same message is known by the same digest.
    const digest = (given: Json, more: JsonObject = {}) => Object(said([user('a', given)], more)).digest;
    expect(digest('Go', context)).toBe(digest('Go'));
    expect(digest('Stop')).not.toBe(digest('Go'));
  });
});

describe('a question', () => {
  const HASH = 'a'.repeat(64);
  const item = {
    ...{ toolCallId: 'c_1', toolName: 'send', input: { to: 'ann' }, inputHash: HASH, address: '/a', agentType: 'top' },
    requestedAt: 1,
  };

  it('[AU7] says what is asked, of whom and until when', () => {
    const metadata = { toolName: 'send', arguments: { to: 'ann' }, inputHash: HASH, address: '/a', agentType: 'top' };
    const asks = { toolCallId: 'c_1', metadata };
    const result = { ...asks, id: 'c_1', reason: 'client_tool', message: 'top waits for the result of send.' };
    const approval = { ...asks, id: `c_1.${HASH}`, reason: 'tool_call', message: 'top asks to run send.' };
    const responseSchema = expect.objectContaining({ required: ['approved'] });
    expect(interruptOf({ ...item, kind: 'client-tool' }, undefined)).toEqual(result);
    expect(interruptOf({ ...item, kind: 'client-tool', expiresAt: 1_000 }, 's')).toEqual({
      ...{ ...result, expiresAt: '1970-01-01T00:00:01.000Z', subagentRunId: 's' },
    });
    expect(interruptOf({ ...item, kind: 'approval' }, undefined)).toEqual({ ...approval, responseSchema });
  });

  it('[AU7] is answered by its id: a decision for what was shown, a result, or that nobody answers', () => {
    const id = `c.1.${HASH}`;
    const decided = { kind: 'approval-response', toolCallId: 'c.1', inputHash: HASH };
    const [yes, no] = [
      { ...decided, approved: true },
      { ...decided, approved: false },
    ];
    const given = (interruptId: string, payload?: Json, status: 'resolved' | 'cancelled' = 'resolved') =>
      outcome(() => submitOf({ interruptId, status, ...(payload === undefined ? {} : { payload }) }));
    const cancelled = 'The person cancelled it.';
    for (const [found, expected] of [
      [given(id, true), yes],
      [given(id, false), no],
      [given(id, { approved: true }), yes],
      [given(id, { approved: true, reason: '', other: 1 }), yes],
      [given(id, { approved: true, input: null }), { ...yes, input: null }],
      [given(id, { approved: false, reason: 'No.', input: { a: 1 } }), { ...no, reason: 'No.', input: { a: 1 } }],
      [given(id, { approved: false, reason: 7 }), no],
      ...[undefined, null, 'true', {}, { approved: 'yes' }, []].map((payload) => [
        given(id, payload),
        'invalid_request',
      ]),
      [given(id, undefined, 'cancelled'), { ...no, reason: cancelled }],
      [given(id, { approved: true, reason: 'Later.' }, 'cancelled'), { ...no, reason: 'Later.' }],
      ...[`c.1.${HASH}0`, `c.1.${HASH.toUpperCase()}`, HASH, 'c_1'].map((other) => [
        given(other, { a: 1 }),
        resultInput(other, { a: 1 }),
      ]),
      [given('c_1'), resultInput('c_1', null)],
      [given('c_1', undefined, 'cancelled'), { kind: 'client-tool-result', toolCallId: 'c_1', error: cancelled }],
      [given('c_1', { reason: 'No.' }, 'cancelled'), { kind: 'client-tool-result', toolCallId: 'c_1', error: 'No.' }],
      [given(waitOf('r').id, true), undefined],
      [given(waitOf('r').id, true, 'cancelled'), undefined],
    ] as const)
      expect(found).toEqual(expected);
  });
});
