import { expect, it } from 'vitest';
import { Refused } from '../../../src/client/errors';
import { answerOf, type Decision, decisionKey, sendDecision } from '../../../src/react/decision';

const DECISIONS: readonly (readonly [Decision, object])[] = [
  [{ kind: 'approve' }, { kind: 'approval-response', approved: true }],
  [
    { kind: 'approve', input: null },
    { kind: 'approval-response', approved: true, input: null },
  ],
  [
    { kind: 'approve', input: { a: 1 } },
    { kind: 'approval-response', approved: true, input: { a: 1 } },
  ],
  [
    { kind: 'deny', reason: '' },
    { kind: 'approval-response', approved: false },
  ],
  [
    { kind: 'deny', reason: 'No.' },
    { kind: 'approval-response', approved: false, reason: 'No.' },
  ],
  [
    { kind: 'result', result: null },
    { kind: 'client-tool-result', result: null },
  ],
  [
    { kind: 'result', result: 'x' },
    { kind: 'client-tool-result', result: 'x' },
  ],
  [
    { kind: 'error', error: 'x' },
    { kind: 'client-tool-result', error: 'x' },
  ],
];

it.each(DECISIONS)('[RH5] %j is sent as it is, bound to the arguments that were shown', (decision, answer) => {
  expect(answerOf({ toolCallId: 'c_1' }, decision)).toEqual({ ...answer, toolCallId: 'c_1' });
  const isApproval = decision.kind === 'approve' || decision.kind === 'deny';
  const bound = isApproval ? { inputHash: 'h' } : {};
  expect(answerOf({ toolCallId: 'c_1', inputHash: 'h' }, decision)).toEqual({ ...answer, toolCallId: 'c_1', ...bound });
});

it('[RH5] another decision, and one on another call, has another key; the same one has the same', () => {
  const keys = DECISIONS.flatMap(([decision]) =>
    ['c_1', 'c_2'].map((toolCallId) => decisionKey({ toolCallId }, decision)),
  );
  expect(new Set(keys).size).toBe(keys.length);
  for (const [decision] of DECISIONS)
    expect(decisionKey({ toolCallId: 'c_1', inputHash: 'h' }, structuredClone(decision))).toBe(
      decisionKey({ toolCallId: 'c_1' }, decision),
    );
});

it('[RH6] the answer of somebody else is one; any other refusal, and no answer, is an error', async () => {
  const refusal = (code: string) =>
    new Refused({
      status: 409,
      code,
      category: '',
      retryable: false,
      title: '',
      detail: '',
      details: null,
      requestId: '',
    });
  const item = { toolCallId: 'c_1', inputHash: 'h', address: '/agents/a/b' };
  const asked: unknown[] = [];
  const send = (thrown?: Error) =>
    sendDecision(
      {
        answer: (...given) => {
          asked.push(given);
          return thrown ? Promise.reject(thrown) : Promise.resolve({ status: 'accepted', relation: 'continues' });
        },
      },
      item,
      { kind: 'approve' },
      { idempotencyKey: 'k' },
    );
  expect(await send()).toBeUndefined();
  expect(asked).toEqual([['/agents/a/b', answerOf(item, { kind: 'approve' }), { idempotencyKey: 'k' }]]);
  const other = refusal('already_answered');
  expect(await send(other)).toBe(other);
  await expect(send(refusal('late_answer'))).rejects.toMatchObject({ code: 'late_answer' });
  await expect(send(new Error('Gone.'))).rejects.toThrow('Gone.');
});
