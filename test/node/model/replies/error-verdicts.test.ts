/** Which failure of a provider is which: every status, every word, every place, and which of two counts. */
import { expect, it } from 'vitest';
import { modelError } from '../../../../src/model/model-error';
import { OffshootError } from '../../../../src/protocol/errors';

const context = { model: 'm', secrets: [], now: 0 };
const failureOf = (thrown: unknown) => modelError(thrown, context).failure;
const verdict = (thrown: unknown) => [failureOf(thrown).code, failureOf(thrown).retryable];

/** The meaning of a status where nothing else is said. */
function byStatus(status: number, isOverloaded: boolean): string {
  if (status < 400) return isOverloaded ? 'model_overloaded' : 'model_error';
  if (status === 401 || status === 403) return 'model_unauthorized';
  if (status === 402 || status === 429) return 'model_rate_limited';
  if (status === 413) return 'context_too_large';
  if ([503, 529].includes(status) || (status >= 500 && isOverloaded)) return 'model_overloaded';
  return status >= 500 || [408, 409, 425].includes(status) ? 'model_unavailable' : 'model_error';
}

it('[M17, M76] each status is sorted, and the word of the SDK on it counts where a second try is open', () => {
  for (let status = 199; status <= 600; status += 1)
    for (const isOverloaded of [false, true]) {
      const message = isOverloaded ? 'The model is OVERLOADED.' : 'No.';
      const code = byStatus(status, isOverloaded);
      const plain = new OffshootError(code as never, '').failure.retryable && status !== 402;
      expect([status, ...verdict({ status, message })]).toEqual([status, code, plain]);
      for (const isRetryable of [false, true]) {
        const isFixed = status < 400 || ['model_unauthorized', 'context_too_large'].includes(code) || status === 402;
        const now = status < 400 && isRetryable && !isOverloaded ? 'model_unavailable' : code;
        const own = new OffshootError(now as never, '').failure.retryable;
        const expected = isFixed ? (now === code ? plain : own) : isRetryable;
        expect([status, ...verdict({ statusCode: status, message, isRetryable })]).toEqual([status, now, expected]);
      }
      const answered = failureOf({ status, message }).message.includes(`(HTTP ${status})`);
      expect([status, answered]).toEqual([status, status >= 400]);
    }
});

/** The words of providers with what each means, the strongest first. */
const WORDS: readonly (readonly [code: string, retryable: boolean, words: string])[] = [
  ['model_refused', false, 'content_filter content_policy_violation responsibleaipolicyviolation safety_violation'],
  [
    ...(['model_unauthorized', false] as const),
    'authentication_error permission_error invalid_api_key permission_denied unauthorized ai_loadapikeyerror ai_loadsettingerror',
  ],
  ['model_rate_limited', false, 'insufficient_quota billing_error billing_not_active billing_hard_limit_reached'],
  ['model_rate_limited', true, 'rate_limit_error rate_limit_exceeded rate_limited too_many_requests'],
  [
    ...(['context_too_large', false] as const),
    'context_length_exceeded request_too_large context_window_exceeded model_context_window_exceeded',
  ],
  ['model_bad_reply', true, 'tool_use_failed'],
  ['model_timeout', true, 'timeouterror'],
  [
    ...(['model_unavailable', true] as const),
    'aborterror econnreset econnrefused econnaborted enotfound etimedout epipe eai_again enetunreach ehostunreach und_err_socket ' +
      'und_err_connect_timeout und_err_headers_timeout und_err_body_timeout connectionrefused connectionclosed failedtoopensocket',
  ],
  [
    ...(['model_bad_reply', true] as const),
    'ai_jsonparseerror ai_typevalidationerror ai_emptyresponsebodyerror ai_invalidresponsedataerror ai_nocontentgeneratederror',
  ],
  ['model_overloaded', true, 'overloaded_error server_is_overloaded engine_overloaded service_unavailable'],
  ['model_unavailable', true, 'server_error internal_server_error'],
];
/** The words behind which a status counts. */
const BEHIND_A_STATUS = 6;

it('[M17] each word of a provider is sorted, wherever it is written and however deep', () => {
  for (const [code, retryable, words] of WORDS)
    for (const word of words.split(' ')) {
      expect([word, ...verdict({ message: '', code: word })]).toEqual([word, code, retryable]);
      expect([word, ...verdict({ message: '', name: word.toUpperCase() })]).toEqual([word, code, retryable]);
    }
  const expected = ['model_refused', false];
  for (const field of ['type', 'code', 'name', 'error_type'])
    for (const inside of ['error', 'data', 'response', 'cause', 'lastError', 'metadata']) {
      const layer = { [field]: 'content_filter' };
      expect([inside, field, ...verdict({ [inside]: layer })]).toEqual([inside, field, ...expected]);
      expect(verdict({ [inside]: { [inside]: layer } })).toEqual(expected);
    }
  expect(verdict({ content: { code: 'content_filter' } })).toEqual(['model_error', false]);
});

it('[M17] of two words the stronger counts, and a status before those that say nothing of the request', () => {
  const rows = WORDS.map(([code, retryable, words]) => ({ code, retryable, word: words.split(' ')[0] }));
  for (const [at, strong] of rows.entries()) {
    for (const weak of rows.slice(at + 1))
      for (const error of [
        { type: strong.word, code: weak.word },
        { type: weak.word, code: strong.word },
      ])
        expect([error, ...verdict(error)]).toEqual([error, strong.code, strong.retryable]);
    const [code, retryable] = verdict({ code: strong.word, status: 404 });
    const expected = at < BEHIND_A_STATUS ? [strong.code, strong.retryable] : ['model_error', false];
    expect([strong.word, code, retryable]).toEqual([strong.word, ...expected]);
  }
});

it.each([
  ['Your credit balance is too low.', 'model_rate_limited'],
  ['Insufficient balance', 'model_rate_limited'],
  ['insufficient account funds', 'model_rate_limited'],
  ['insufficient credit', 'model_rate_limited'],
  ['insufficient creditworthiness', 'model_error'],
])('[M17] an empty account is known by its words, where the request is refused: %s', (message, code) => {
  const of = (status: number | undefined) => failureOf({ message, ...(status === undefined ? {} : { status }) }).code;
  expect([400, 499].map(of)).toEqual([code, code]);
  expect([500, 200, undefined].map(of)).toEqual(['model_unavailable', 'model_error', 'model_error']);
});

it.each([
  ...[
    'fetch failed',
    'x\nterminated\ny',
    'socket hang up',
    'Connection lost',
    'connection reset',
    'connection refused',
  ],
  ...['connection closed', 'Cannot connect to host', 'other side closed'],
])('[M76] a broken connection is known by its words: %s', (message) => {
  expect(verdict(message)).toEqual(['model_unavailable', true]);
  expect(verdict({ message: 'x', cause: new Error(message) })).toEqual(['model_unavailable', true]);
  expect(verdict('It was terminated.')).toEqual(['model_error', false]);
});

it('[CX13] a request that is too long has the tokens and the limit, where the provider says two windows', () => {
  const details = (message: string, code = 'context_length_exceeded') => failureOf({ message, code }).details;
  const counts = { tokens: 212_000, limit: 200_000 };
  expect(details('212000 tokens > 200000 maximum')).toEqual(counts);
  expect(details('At most 200,000 tokens (you sent 212,000, 12 more).')).toEqual(counts);
  expect(details('500 are taken, not 501')).toEqual({ tokens: 501, limit: 500 });
  for (const none of ['499 are taken, not 501', '200000 and 200000', '200000', ''])
    expect(details(none)).toBeUndefined();
  expect(details('212000 tokens > 200000 maximum', 'rate_limited')).toBeUndefined();
});

it('[M17] a status as a code is one of three digits from 400 to 599, behind that of the answer itself', () => {
  const code = (error: object) =>
    failureOf({ message: 'x', ...error })
      .message.slice('m: x'.length)
      .trim();
  const http = (status: number) => `(HTTP ${status})`;
  for (const [error, said] of [
    [{ code: 399 }, ''],
    [{ code: 400 }, http(400)],
    [{ code: '599' }, http(599)],
    [{ code: 600 }, ''],
    [{ code: '0404' }, ''],
    [{ code: 'x', status_code: 404 }, http(404)],
    [{ code: 404, status_code: 500 }, http(404)],
    [{ status: 200, code: 404 }, http(404)],
    [{ status: 500, code: 404 }, http(500)],
    [{ statusCode: 404, status: 500 }, http(404)],
    [{ status: '404' }, ''],
    [{ status: 200, cause: { status: 404 } }, ''],
  ] as const)
    expect([error, code(error)]).toEqual([error, said]);
});

it('[M17] what is said is the outermost text of a refusal, the innermost behind a good status, and else the title', () => {
  const said = (error: unknown) => failureOf(error).message;
  const chain = { message: ' ', cause: { message: ' outer ', cause: { message: 'inner' } } };
  expect(said(chain)).toBe('m: outer');
  expect(said({ ...chain, status: 400 })).toBe('m: outer (HTTP 400)');
  expect(said({ ...chain, status: 200 })).toBe('m: inner');
  expect([said({}), said({ message: 7 })]).toEqual(Array(2).fill('m: The model failed.'));
  // Twelve layers are read.
  const deep = (levels: number): object => (levels === 1 ? { code: 'content_filter' } : { cause: deep(levels - 1) });
  expect([12, 13].map((levels) => verdict(deep(levels))[0])).toEqual(['model_refused', 'model_error']);
});
