/** What must hold over every provider's wire format. Each provider's test names its dialect and runs this. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it, vi } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { present } from '../../support/present';
import type { WireReply } from '../../support/wire/reply';
import { type Answer, frame } from '../../support/wire/server';
import { ask, provider, request, SEARCH, sorted, TRANSCRIPT } from './ask';

/** How one provider speaks. */
export interface Dialect {
  readonly name: string;
  /** The model's name as a reply reports it, with `gpt-test-2026` or the like from the wire. */
  readonly model: string;
  readonly create: (baseURL: string) => LanguageModelV4;
  readonly frames: (reply: WireReply) => string[];
  /** The body of an error. */
  readonly error: (message: string, type?: string, code?: string) => string;
  /** An error in the middle of a stream, as an event. */
  readonly errorFrame: (message: string) => string;
  /** What `TRANSCRIPT` and `SEARCH` are as a body. */
  readonly sent: object;
  /** Whether the format streams thinking. */
  readonly thinks: boolean;
}

const stream = (frames: readonly string[], rest: Partial<Extract<Answer, { kind: 'stream' }>> = {}): Answer => ({
  kind: 'stream',
  frames,
  ...rest,
});

/** Registers the suite for a dialect. */
export function wireSuite(dialect: Dialect): void {
  describe(`over the wire of ${dialect.name}`, () => {
    replies(dialect);
    if (dialect.thinks) thinking(dialect);
    sent(dialect);
    failures(dialect);
    brokenStreams(dialect);
    clocks(dialect);
  });
}

function thinking({ create, frames }: Dialect): void {
  it('[M4][M8] streams thinking apart from text', async () => {
    const server = await provider(stream(frames({ thinking: ['Let me ', 'think.'], text: ['Done.'] })));
    const { deltas, reply } = await ask(modelPort(create(server.url)));
    expect(deltas).toEqual([
      { type: 'thinking', part: 0, delta: 'Let me ' },
      { type: 'thinking', part: 0, delta: 'think.' },
      { type: 'text', part: 1, delta: 'Done.' },
    ]);
    expect(reply?.content).toMatchObject([
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'Done.' },
    ]);
  });
}

function replies({ create, frames, model }: Dialect): void {
  it('[M4][M9][M10] streams text as it comes, however the bytes are cut', async () => {
    const server = await provider(stream(frames({ text: ['Grüße', ' aus ', '北京 🙂'] }), { bytes: 7 }));
    const { deltas, reply } = await ask(modelPort(create(server.url)));
    expect(deltas).toEqual(['Grüße', ' aus ', '北京 🙂'].map((delta) => ({ type: 'text', part: 0, delta })));
    expect(reply).toMatchObject({ finishReason: 'stop', model });
    expect(reply?.content).toMatchObject([{ type: 'text', text: 'Grüße aus 北京 🙂' }]);
    expect(reply?.usage).toEqual({
      inputTokens: 120,
      outputTokens: 30,
      cachedTokens: 100,
      reasoningTokens: 12,
      modelCalls: 1,
      toolCalls: 0,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('[M5][M6] puts parallel calls together from fragments, and hands a broken one on as malformed', async () => {
    const calls = [
      { id: 'call_a', name: 'search', args: ['{"q"', ':"o', 'ne"}'] },
      { id: 'call_b', name: 'search', args: ['{"q":', '"two"'] },
    ];
    const server = await provider(stream(frames({ text: ['Two.'], calls })));
    const { deltas, reply } = await ask(modelPort(create(server.url)), { tools: [SEARCH] });
    expect(reply?.finishReason).toBe('tool-calls');
    expect(reply?.content).toMatchObject([
      { type: 'text', text: 'Two.' },
      { type: 'tool-call', providerId: 'call_a', toolName: 'search', input: { q: 'one' } },
      { type: 'tool-call', providerId: 'call_b', toolName: 'search', input: {}, malformed: '{"q":"two"' },
    ]);
    expect(reply?.content[1]).not.toHaveProperty('malformed');
    const args = (index: number) =>
      deltas
        .flatMap((delta) => (delta.type === 'tool_arg_delta' && delta.index === index ? [delta.delta] : []))
        .join('');
    expect([args(0), args(1)]).toEqual(['{"q":"one"}', '{"q":"two"']);
    expect(deltas.filter(({ type }) => type === 'tool_arg_start')).toEqual([
      { type: 'tool_arg_start', index: 0, toolName: 'search' },
      { type: 'tool_arg_start', index: 1, toolName: 'search' },
    ]);
  });

  it('[M10] says that a reply was cut by its length', async () => {
    const server = await provider(stream(frames({ text: ['As I was'], stop: 'length' })));
    const { reply } = await ask(modelPort(create(server.url)));
    expect(reply).toMatchObject({ finishReason: 'length', content: [{ text: 'As I was' }] });
  });

  it('[M21] hands on with its tokens what a filter or the model stopped', async () => {
    const server = await provider(
      stream(frames({ text: ['I will'], stop: 'filter' })),
      stream(frames({ refusal: 'I cannot help with that.', stop: 'filter' })),
    );
    const port = modelPort(create(server.url));
    const finish = { finishReason: 'content-filter', usage: { inputTokens: 120, outputTokens: 30 } };
    expect((await ask(port)).reply).toMatchObject({ ...finish, content: [{ text: 'I will' }] });
    expect((await ask(port)).reply).toMatchObject({ ...finish, content: [{ text: 'I cannot help with that.' }] });
  });
}

function sent({ create, sent: expected }: Dialect): void {
  it('[M41] sends the trace of the run as a header', async () => {
    const server = await provider({ kind: 'body', status: 400, body: '{}' });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await ask(modelPort(create(server.url)), { traceparent });
    expect(server.requests[0]?.headers).toMatchObject({ traceparent });
  });

  it('[M8][M11][M12][M14] sends the transcript and the tools, and not who asks', async () => {
    const server = await provider({ kind: 'body', status: 400, body: '{}' });
    await ask(modelPort(create(server.url)), { messages: TRANSCRIPT, tools: [SEARCH] });
    const { body, headers } = present(server.requests[0]);
    expect(body).toMatchObject(expected);
    expect(JSON.stringify([body, headers])).not.toMatch(/offshoot|researcher|s_1|r_1|traceparent/i);
  });
}

function failures({ create, error }: Dialect): void {
  const cases = [
    { status: 400, code: 'model_error', retryable: false },
    { status: 401, code: 'model_unauthorized', retryable: false },
    { status: 403, code: 'model_unauthorized', retryable: false },
    { status: 404, code: 'model_error', retryable: false },
    { status: 408, code: 'model_unavailable', retryable: true },
    { status: 429, code: 'model_rate_limited', retryable: true },
    { status: 500, code: 'model_unavailable', retryable: true },
    { status: 503, code: 'model_overloaded', retryable: true },
    { status: 529, code: 'model_overloaded', retryable: true },
  ] as const;
  it.each(cases)(
    '[M1][M17] sorts an answer $status as $code and does not ask again',
    async ({ status, code, retryable }) => {
      const server = await provider({ kind: 'body', status, body: error('Not this time.', 'some_error') });
      const outcome = await ask(modelPort(create(server.url)));
      expect(sorted(outcome)).toEqual([code, retryable]);
      expect(outcome.failure?.message).toContain('Not this time.');
      expect(outcome.failure?.message).toContain(String(status));
      expect(server.requests).toHaveLength(1);
    },
  );

  it('[M17][M18][M38] keeps how long the provider asks to wait', async () => {
    const server = await provider({
      kind: 'body',
      status: 429,
      body: error('Slow down.'),
      headers: { 'retry-after': '7' },
    });
    const { failure } = await ask(modelPort(create(server.url)));
    expect(failure?.message).toContain('wait 7 s');
    expect(failure?.retryAfterMs).toBe(7_000);
  });

  it('[M17] takes a 5xx that is a page of HTML for a server without an answer, without the page', async () => {
    const server = await provider({ kind: 'body', status: 502, body: '<html>Bad gateway</html>', type: 'text/html' });
    const outcome = await ask(modelPort(create(server.url)));
    expect(sorted(outcome)).toEqual(['model_unavailable', true]);
    expect(outcome.failure?.message).not.toContain('<html>');
  });

  it('[M17] takes a refused connection for a server without an answer', async () => {
    const server = await provider({ kind: 'silence' });
    await server.close();
    expect(sorted(await ask(modelPort(create(server.url))))).toEqual(['model_unavailable', true]);
  });

  it('[M19] repeats no key that the provider echoes', async () => {
    const body = error('Incorrect API key provided: a-key-of-mine-12345. Authorization: Bearer zzzz-98765');
    const server = await provider({ kind: 'body', status: 401, body });
    const outcome = await ask(modelPort(() => create(server.url), { MY_API_KEY: 'a-key-of-mine-12345' }));
    expect(outcome.failure?.message).toContain('Incorrect API key provided');
    expect(outcome.failure?.message).not.toMatch(/a-key-of-mine|zzzz/);
  });
}

function brokenStreams({ create, frames, errorFrame }: Dialect): void {
  const begun = frames({ text: ['Once', ' upon', ' a time'] }).slice(0, -3);

  it('[M17] sorts an error inside a stream that began well', async () => {
    const server = await provider(stream([...begun, errorFrame('Overloaded')]));
    const outcome = await ask(modelPort(create(server.url)));
    expect(sorted(outcome)).toEqual(['model_overloaded', true]);
    expect(outcome.failure?.message).toContain('Overloaded');
    expect(outcome.deltas[0]).toEqual({ type: 'text', part: 0, delta: 'Once' });
  });

  it('[M20] fails with model_bad_reply where the stream ends before the reply', async () => {
    const server = await provider(stream(begun));
    const outcome = await ask(modelPort(create(server.url)));
    expect(sorted(outcome)).toEqual(['model_bad_reply', true]);
    expect(outcome.deltas[0]).toEqual({ type: 'text', part: 0, delta: 'Once' });
  });

  it('[M17][M20] can be repeated where the connection breaks in the middle', async () => {
    const server = await provider(stream(begun, { after: 'cut' }));
    const outcome = await ask(modelPort(create(server.url)));
    expect(sorted(outcome)).toEqual(['model_unavailable', true]);
  });

  it('[M20] fails with model_bad_reply at an event that is no JSON', async () => {
    const server = await provider(stream([...begun, frame('{"this is": broken')]));
    expect(sorted(await ask(modelPort(create(server.url))))).toEqual(['model_bad_reply', true]);
  });

  it.each([
    ['HTML', '<!doctype html><title>Sign in</title>', 'text/html'],
    ['JSON', '{"ok":true}', 'application/json'],
    ['nothing', '', 'text/event-stream'],
  ])('[M20] fails with model_bad_reply at a 200 that is %s', async (_what, body, type) => {
    const server = await provider({ kind: 'body', status: 200, body, type });
    expect(sorted(await ask(modelPort(create(server.url))))).toEqual(['model_bad_reply', true]);
  });
}

function clocks({ create, frames }: Dialect): void {
  const begun = frames({ text: ['Once', ' upon', ' a time'] }).slice(0, -3);

  it('[M32] closes the connection when it is aborted in the middle of a reply', async () => {
    const server = await provider(stream(begun, { after: 'hang' }));
    const abort = new AbortController();
    const seen: string[] = [];
    const call = modelPort(create(server.url)).call(request(), {
      signal: abort.signal,
      onDelta: (delta) => {
        if (delta.type === 'text' && seen.push(delta.delta) === 2) abort.abort();
      },
    });
    await expect(call).rejects.toMatchObject({ failure: { code: 'aborted', retryable: false } });
    await server.requests[0]?.gone;
    expect(seen).toEqual(['Once', ' upon']);
  });

  it.each([
    ['before an answer', { kind: 'silence' }],
    ['in the middle of a reply', stream(begun, { after: 'hang' })],
  ] as const)('[M34] closes the connection %s at once, also where late usage is asked for', async (_what, answer) => {
    // The time for late usage never passes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const abort = new AbortController();
      const onLateUsage = vi.fn();
      const server = await provider(() => {
        if (answer.kind === 'silence') abort.abort();
        return answer;
      });
      const call = modelPort(create(server.url)).call(request(), {
        signal: abort.signal,
        onDelta: () => abort.abort(),
        onLateUsage,
      });
      await expect(call).rejects.toMatchObject({ failure: { code: 'aborted' } });
      await server.requests[0]?.gone;
      expect(vi.getTimerCount()).toBe(0);
      expect(onLateUsage).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });

  it('[M32] closes the connection when it is aborted before an answer', async () => {
    const abort = new AbortController();
    const server = await provider(() => {
      abort.abort();
      return { kind: 'silence' };
    });
    expect(sorted(await ask(modelPort(create(server.url)), {}, abort.signal))).toEqual(['aborted', false]);
    await server.requests[0]?.gone;
  });

  it('[M33] fails with model_timeout at a stall, and closes the connection', async () => {
    const server = await provider(stream(begun, { after: 'hang' }));
    const outcome = await ask(modelPort(create(server.url)), { stallMs: 60 });
    expect(sorted(outcome)).toEqual(['model_timeout', true]);
    expect(outcome.failure?.message).toContain('60 ms');
    expect(outcome.deltas[0]).toEqual({ type: 'text', part: 0, delta: 'Once' });
    await server.requests[0]?.gone;
  });

  it('[M33] fails with model_timeout where no reply begins, with headers and without', async () => {
    const server = await provider({ kind: 'silence' }, stream([': at work\n\n'], { after: 'hang' }));
    const port = modelPort(create(server.url));
    for (const outcome of await Promise.all([1, 2].map(() => ask(port, { firstChunkMs: 250 }))))
      expect(sorted(outcome)).toEqual(['model_timeout', true]);
    expect(server.requests).toHaveLength(2);
    await Promise.all(server.requests.map(({ gone }) => gone));
  });
}
