/** What a hook gives back as it was given it stays as it was: each kind of message and of part, with all its fields. */
import { expect, it } from 'vitest';
import { messagesGiven, resultGiven } from '../../src/core/definition/hooks/hook-answers';
import { ERROR_CODES, type Failure, failure, isErrorCode } from '../../src/protocol/errors';
import type { AssistantPart, CallResult, Message, UserPart } from '../../src/protocol/messages';

const providerMetadata = { openai: { itemId: 'i', more: [1, null] } };
type Whole<Part> = Part extends unknown ? Required<Part> : never;

/** Each kind of part of a reply, with each of its fields; the compiler refuses a list without one of them. */
const REPLY: { readonly [Type in AssistantPart['type']]: readonly Whole<Extract<AssistantPart, { type: Type }>>[] } = {
  text: [{ type: 'text', text: 'Hi', providerMetadata }],
  reasoning: [{ type: 'reasoning', text: 'Hm', providerMetadata }],
  'tool-call': [
    { type: 'tool-call', toolCallId: 'c', providerId: 'p', toolName: 't', input: { a: [1] }, providerMetadata },
  ],
  'provider-call': [
    { type: 'provider-call', by: 'x.web', providerId: 'p', toolName: 'web', input: null, providerMetadata },
  ],
  'provider-result': [
    {
      ...{ type: 'provider-result', by: 'x.web', providerId: 'p', toolName: 'web', result: [1], providerMetadata },
      ...{ isError: true, cut: true },
    },
  ],
  source: [
    { type: 'source', id: '1', title: 'A', sourceType: 'url', url: 'https://a.test/' },
    { type: 'source', id: '1', title: 'A', sourceType: 'document', mediaType: 'a/b', filename: 'a' },
  ],
  'reply-file': [
    { type: 'reply-file', mediaType: 'image/png', path: 'a', etag: 'e', bytes: 3, providerMetadata },
    { type: 'reply-file', mediaType: 'image/png', url: 'https://a.test/', providerMetadata },
    { type: 'reply-file', mediaType: 'image/png', omitted: 'too large', providerMetadata },
  ],
};
const USER: readonly Whole<Exclude<UserPart, { path: string }>>[] = [
  { type: 'text', text: 'Hi', providerMetadata },
  { type: 'file', mediaType: 'image/png', filename: 'a.png', data: 'AAAA' },
];

/** Failures with all their fields, and with those alone that each has. */
const failures: Failure[] = Object.keys(ERROR_CODES).flatMap((code) =>
  isErrorCode(code)
    ? [failure(code), failure(code, 'It broke.'), { ...failure(code, 'It broke.', true, { a: [1] }), retryAfterMs: 5 }]
    : [],
);
const results: CallResult[] = [
  ...failures.map((error) => ({ success: false, error }) as const),
  ...[null, 0, '', [1], { a: 1 }].map((value) => ({ success: true, value }) as const),
];

it('[HK21] messages that a hook gives back as they were are as they were, every part and field', () => {
  const calls = results.map(
    (_, at) => ({ type: 'tool-call', toolCallId: `c_${at}`, providerId: 'p', toolName: 't', input: {} }) as const,
  );
  const answer: Message = { role: 'tool', toolCallId: 'c', toolName: 't', result: { success: true, value: 1 } };
  const messages: Message[] = [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hi', from: 'offshoot' },
    { role: 'user', content: USER },
    ...Object.values(REPLY).flatMap((parts) =>
      parts.flatMap((part): Message[] => [
        { role: 'assistant', content: [part] },
        ...(part.type === 'tool-call' ? [answer] : []),
      ]),
    ),
    { role: 'assistant', content: calls },
    ...results.map((result, at): Message => ({ role: 'tool', toolCallId: `c_${at}`, toolName: 't', result })),
  ];
  expect(messagesGiven([], structuredClone(messages), { fitted: false })).toStrictEqual(messages);
});

it('[HK21, HK25] a result that a hook gives back as it was is as it was, every field of its failure', () => {
  for (const result of results) expect(resultGiven(result, structuredClone(result), 99_999)).toStrictEqual(result);
  for (const code of ['__proto__', 'constructor', 'of_tomorrow']) {
    const given = { success: false, error: { code, message: 'It broke.' } };
    expect(resultGiven({ success: true, value: 1 }, given, 999)).toEqual({
      success: false,
      error: failure('tool_failed', 'It broke.'),
    });
  }
});
