import { APICallError, InvalidResponseDataError, JSONParseError, LoadAPIKeyError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { modelError } from '../../../src/model/model-error';
import { secretsOf } from '../../../src/model/redact';
import { MAX_ERROR_TEXT, OffshootError } from '../../../src/protocol/errors';

const NOW = Date.parse('Wed, 21 Oct 2026 07:27:30 GMT');
const context = { model: 'fake/model-1', secrets: [], now: NOW };
const sort = (thrown: unknown) => {
  const { code, retryable } = modelError(thrown, context).failure;
  return [code, retryable];
};
const api = (statusCode: number | undefined, own: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
  new APICallError({
    message: 'No.',
    url: 'https://api.example.com',
    requestBodyValues: {},
    ...(statusCode ? { statusCode } : {}),
    ...own,
  });
const coded = (code: string, message = 'It broke.') => Object.assign(new Error(message), { code });

describe('what is thrown, sorted by what to do next', () => {
  it('[M17] leaves a failure of ours as it is', () => {
    const error = new OffshootError('model_timeout', 'Too slow.');
    expect(modelError(error, context)).toBe(error);
  });

  it.each([
    [
      'a full account (429)',
      api(429, { data: { error: { code: 'insufficient_quota' } } }),
      'model_rate_limited',
      false,
    ],
    ['a limit by its code alone', { type: 'rate_limit_error', message: 'Slow.' }, 'model_rate_limited', true],
    ['a filter (400)', api(400, { data: { error: { code: 'content_filter' } } }), 'model_refused', false],
    [
      'a wrong key in a stream',
      { type: 'error', error: { type: 'authentication_error', message: 'No.' } },
      'model_unauthorized',
      false,
    ],
    ['a missing key', new LoadAPIKeyError({ message: 'OpenAI API key is missing.' }), 'model_unauthorized', false],
    ['overload in a stream', { type: 'overloaded_error', message: 'Overloaded' }, 'model_overloaded', true],
    [
      'a failed response',
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'Oops.' } } },
      'model_unavailable',
      true,
    ],
    ['a status that the SDK calls final', api(503, { isRetryable: false }), 'model_overloaded', false],
    ['a status that the SDK would repeat', api(400, { isRetryable: true }), 'model_error', true],
    ['a conflict (409)', api(409), 'model_unavailable', true],
    ['a broken connection by its code', new Error('x', { cause: coded('ECONNRESET') }), 'model_unavailable', true],
    ['a broken connection in workerd', new Error('Network connection lost.'), 'model_unavailable', true],
    [
      'a broken connection behind a good status',
      api(200, { cause: new TypeError('terminated') }),
      'model_unavailable',
      true,
    ],
    ['an unknown host', new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), 'model_unavailable', true],
    ['a time limit of the provider', new DOMException('Too late.', 'TimeoutError'), 'model_timeout', true],
    ['an abort that is not ours', new DOMException('Aborted.', 'AbortError'), 'model_unavailable', true],
    ['an answer that is no JSON', new JSONParseError({ text: '<', cause: undefined }), 'model_bad_reply', true],
    ['an answer without sense', new InvalidResponseDataError({ data: {} }), 'model_bad_reply', true],
    ['anything else', new Error('What?'), 'model_error', false],
    ['a text', 'What?', 'model_error', false],
    ['nothing', undefined, 'model_error', false],
  ])('[M17, M76] sorts %s', (_what, thrown, code, retryable) => {
    expect(sort(thrown)).toEqual([code, retryable]);
  });

  it('[CX13, M17] a request is too long by the words for it where no status says otherwise, and by its own status', () => {
    const words = 'prompt is too long: 212000 tokens > 200000 maximum';
    const codes = (message: string) =>
      [undefined, 200, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503].map((status) => [
        status,
        sort(api(status, { message }))[0],
      ]);
    expect(codes(words)).toEqual([
      [undefined, 'context_too_large'],
      [200, 'context_too_large'],
      [400, 'context_too_large'],
      [401, 'model_unauthorized'],
      [403, 'model_unauthorized'],
      [404, 'model_error'],
      [409, 'model_unavailable'],
      [413, 'context_too_large'],
      [422, 'context_too_large'],
      [429, 'model_rate_limited'],
      [500, 'model_unavailable'],
      [503, 'model_overloaded'],
    ]);
    const others = codes('No.').filter(([, code]) => code === 'context_too_large');
    expect(others).toEqual([[413, 'context_too_large']]);
  });

  it('[M17] says why an answer with a good status could not be read', () => {
    const thrown = api(200, { message: 'Failed to process successful response', cause: new TypeError('terminated') });
    expect(modelError(thrown, context).message).toBe('fake/model-1: terminated');
  });

  it('[M17] survives an error that holds itself', () => {
    const round: { message: string; cause?: unknown } = { message: 'Round.' };
    round.cause = round;
    expect(modelError(round, context).message).toBe('fake/model-1: Round.');
  });

  it.each([
    [{ 'retry-after': '12' }, 'wait 12 s'],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 'wait 250 ms'],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, 'wait until Wed, 21 Oct 2026 07:28:00 GMT'],
  ])('[M18] keeps %j in the message', (responseHeaders, said) => {
    expect(modelError(api(429, { responseHeaders }), context).message).toContain(said);
  });

  const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '12' }, 12_000],
    [{ 'Retry-After': ' 1.5 ' }, 1_500],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '1' }, 1_000],
    [{ 'retry-after': date }, 30_000],
    [{ 'retry-after': date, date: 'Wed, 21 Oct 2026 07:27:55 GMT' }, 5_000],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:00:00 GMT' }, 0],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '9'.repeat(20) }, 8.64e15],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '2026' + 'x' }, undefined],
    [{ 'retry-after': 'tomorrow' }, undefined],
    [{}, undefined],
  ])('[M38] reads the wait of %j: %s ms', (responseHeaders, ms) => {
    for (const status of [429, 503])
      expect(modelError(api(status, { responseHeaders }), context).failure.retryAfterMs).toBe(ms);
  });

  it('[M38] reads it where SDK packages and the platform put it', () => {
    const retryAfterMs = 7_000;
    const responseHeaders = { 'retry-after': '7' };
    const wrapped = { name: 'AI_RetryError', message: 'x', lastError: api(429, { responseHeaders }) };
    expect(modelError(wrapped, context).failure).toMatchObject({ retryAfterMs, code: 'model_rate_limited' });
    const response = new Response('', { status: 503, headers: { 'Retry-After': '7' } });
    expect(modelError({ message: 'x', status: 503, response }, context).failure).toMatchObject({ retryAfterMs });
  });

  it('[M18] keeps no header but that', () => {
    const responseHeaders = { 'set-cookie': 'session=hush', 'x-request-id': 'req_1', 'retry-after': 'x'.repeat(99) };
    expect(modelError(api(429, { responseHeaders }), context).message).toBe('fake/model-1: No. (HTTP 429)');
  });

  it.each([
    'Incorrect API key provided: sk-proj-abc123def456.',
    'Bad header Authorization: Bearer eyJhbGciOi.abc.def',
    '{"api_key":"hush-hush-hush"}',
    'x-api-key: hush-hush-hush',
    'connect to https://user:hush-hush@proxy.example failed',
    'the account of my-own-value-1 is closed',
  ])('[M19] takes the credential out of "%s"', (message) => {
    const { message: said } = modelError(new Error(message), {
      model: 'fake/model-1',
      secrets: ['my-own-value-1'],
      now: NOW,
    });
    expect(said).toContain('[redacted]');
    expect(said).not.toMatch(/abc123|eyJ|hush|my-own/);
  });

  it('[M39] takes a secret out in every encoding that it may come in', () => {
    const secret = 'my/own+värde=1';
    const bytes = Buffer.from(secret);
    const around = ['', 'u', 'us', 'use'].flatMap((before) =>
      ['', 'x', 'xy'].map((after) => Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])),
    );
    const texts = [
      ...around.map((all) => all.toString('base64')),
      ...around.map((all) => all.toString('base64url')),
      bytes.toString('hex'),
      encodeURIComponent(secret),
    ];
    for (const text of texts) {
      const { message } = modelError(new Error(`refused (${text}) today`), {
        model: 'fake/m',
        secrets: [secret],
        now: 0,
      });
      expect(message).toContain('[redacted]');
      expect(message).toMatch(/^fake\/m: refused \(.{0,8}\[redacted\].{0,8}\) today/);
    }
    const short = modelError(new Error('The word YWJj is kept.'), {
      model: 'fake/m',
      secrets: ['abcdef'],
      now: 0,
    }).message;
    expect(short).toContain('YWJj');
  });

  it('[M17] takes a number or three digits for a status, and nothing else', () => {
    const coded = (code: unknown) => sort(Object.assign(new Error('It broke.'), { code }));
    for (const status of [429, '429']) expect(coded(status)).toEqual(['model_rate_limited', true]);
    for (const none of [Symbol('no'), [429], '4.29e2', ' 429', 429.5, 4_290, 10n])
      expect(coded(none), typeof none).toEqual(coded('nothing'));
  });

  it('[M19] hides what the code of an error throws that cannot be read', () => {
    const trap = (): never => {
      throw new Error('sk-12345678 of the trap');
    };
    const errors = [new Proxy({}, { get: trap }), Object.defineProperty(new Error('No.'), 'cause', { get: trap })];
    expect(errors.map((error) => modelError(error, context).failure.message)).toEqual([
      'fake/model-1: The model failed.',
      'fake/model-1: No.',
    ]);
  });

  it('[M19] keeps ordinary words, and nothing of the request', () => {
    const message = 'The key idea: tokens are counted for each request of sk models.';
    const thrown = api(400, { message, requestBodyValues: { messages: ['my diary'] }, responseBody: 'raw' });
    const error = modelError(thrown, context);
    expect(error.message).toBe(`fake/model-1: ${message} (HTTP 400)`);
    expect(error.cause).toBeUndefined();
  });

  it('[M19] knows the secrets of an environment by their names', () => {
    const env = {
      OPENAI_API_KEY: ' abcdefgh ',
      A_TOKEN: 'x'.repeat(20),
      DB_PASSWORD: 'short',
      NAME: 'plain-value',
      AI: {},
    };
    expect(secretsOf(env)).toEqual(['x'.repeat(20), 'abcdefgh']);
    expect(secretsOf(undefined)).toEqual([]);
  });

  it('[M19] cuts what a provider says at 1,000 characters', () => {
    const { message } = modelError(new Error('y'.repeat(MAX_ERROR_TEXT)), context);
    expect(message).toHaveLength('fake/model-1: '.length + 1_000 + ' …'.length);
    expect(modelError(new Error('y'.repeat(1_000)), context).message).not.toContain('…');
  });
});
