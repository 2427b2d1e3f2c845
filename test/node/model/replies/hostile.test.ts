/** Replies that break the interface of the AI SDK, are larger than any reply, or come to nothing although they are paid for. */
import { describe, expect, it, vi } from 'vitest';
import { modelPort } from '../../../../src/model/adapter';
import { chunkSchema } from '../../../../src/protocol/chunks';
import { ask, request } from '../ask';
import { anyStream, FINISH, fakeModel, textParts } from '../fake-model';

/** The outcome of a reply of these parts, and what is reported as spent although it failed. */
async function replyTo(...parts: readonly unknown[]) {
  const onLateUsage = vi.fn();
  const { model } = fakeModel(() => Reflect.apply(anyStream, undefined, [parts]));
  const port = modelPort(model);
  const asked = await ask({
    call: (given, options) => port.call(given, { ...options, onLateUsage }),
  });
  return { ...asked, spent: onLateUsage.mock.calls.map(([usage]) => [usage.inputTokens, usage.outputTokens]) };
}

const finish = (more: object) => ({ ...FINISH, ...more });
const text = textParts('Hi.');
const sourceChunk = (url: string) => ({
  ...{ type: 'reply_source', part: 0, sourceId: 's', sourceType: 'url', url },
  ...{ agentId: 's_1', address: '/agents/a/b', agentType: 'a', runId: 'r_1', step: 1, attempt: 1, turn: 1 },
  ...{ sequence: 1, timestamp: 1, at: 1 },
});
const long = 'x'.repeat(1_000_000);

describe('a reply that comes to nothing', () => {
  it('[US5] was paid for: it broke off, or cannot be kept', async () => {
    const broke = finish({ finishReason: { unified: 'error', raw: 'cut' } });
    expect((await replyTo(...text, broke)).spent).toEqual([[3, 2]]);
    const metadata = { fake: { deep: 1n } };
    const odd = [{ type: 'text-start', id: 't', providerMetadata: metadata }, FINISH];
    expect(await replyTo(...odd)).toMatchObject({ failure: { code: 'model_bad_reply' }, spent: [[3, 2]] });
  });

  it('[US5] was paid for where its stream reports an error before it says so', async () => {
    const onLateUsage = vi.fn();
    const spent = new Promise<unknown>((resolve) => onLateUsage.mockImplementation(resolve));
    const error = { type: 'error', error: Object.assign(new Error('busy'), { statusCode: 503 }) };
    const { model } = fakeModel(() => anyStream([...text, error, FINISH]));
    const options = { signal: new AbortController().signal, onDelta: () => undefined, onLateUsage };
    const call = modelPort(model).call(request(), options);
    await expect(call).rejects.toMatchObject({ failure: { code: 'model_overloaded' } });
    expect(await spent).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  });

  it.each([
    ['nothing in place of a part', null],
    ['arguments that are no text', { type: 'tool-call', toolCallId: 'a', toolName: 'b', input: { n: 1 } }],
    ['a file without data', { type: 'file', mediaType: 'image/png' }],
  ])('[M88] fails once, and says which package is wrong: %s', async (_, part) => {
    const { failure } = await replyTo(part, FINISH);
    expect(failure).toMatchObject({ code: 'model_bad_reply', retryable: false });
    expect(failure?.message).toMatch(/^fake\/model-1: a part of the reply breaks the interface of the AI SDK/);
  });
});

describe('the end of a reply', () => {
  it('[M89] is read with a usage that is missing, or a total alone', async () => {
    const usageOf = async (usage: unknown) => (await replyTo(...text, finish({ usage }))).reply?.usage;
    expect(await usageOf(undefined)).toMatchObject({ inputTokens: 0, outputTokens: 0, modelCalls: 1 });
    expect(await usageOf({ inputTokens: 5, outputTokens: 7 })).toMatchObject({ inputTokens: 5, outputTokens: 7 });
    expect(await usageOf({ inputTokens: null })).toMatchObject({ inputTokens: 0 });
  });

  it('[M89] is read with a reason that is a text; an unknown one is another reason', async () => {
    const reasonOf = async (finishReason: unknown) =>
      (await replyTo(...text, finish({ finishReason }))).reply?.finishReason;
    expect(await reasonOf('length')).toBe('length');
    expect(await reasonOf('content-filter')).toBe('content-filter');
    expect(await reasonOf({ unified: 'toString', raw: 'x' })).toBe('other');
    expect(await reasonOf(undefined)).toBe('other');
  });
});

describe('what is kept of a reply', () => {
  it('[M90] is at most 256 characters of each name and id', async () => {
    const call = { type: 'tool-call', toolCallId: long, toolName: long, input: '{}' };
    const { reply } = await replyTo({ type: 'response-metadata', modelId: long }, call, FINISH);
    expect(reply?.model).toBe(`fake/${'x'.repeat(256)}`);
    expect(reply?.content).toMatchObject([{ providerId: 'x'.repeat(256), toolName: 'x'.repeat(256) }]);
  });

  it('[M90] still tells apart two calls whose long ids differ at their end', async () => {
    const call = (id: string, n: number) => ({ type: 'tool-call', toolCallId: id, toolName: 'a', input: `{"n":${n}}` });
    const start = (id: string) => ({ type: 'tool-input-start', id, toolName: 'a' });
    const [one, two] = [`${long}1`, `${long}2`];
    const { reply } = await replyTo(start(one), start(two), call(two, 2), call(one, 1), FINISH);
    expect(reply?.content).toMatchObject([{ input: { n: 1 } }, { input: { n: 2 } }]);
  });

  it('[JS3] counts the metadata of its parts as it counts its texts', async () => {
    const block = (id: string) => ({ type: 'text-start', id, providerMetadata: { fake: { seal: long } } });
    const few = await replyTo(block('1'), block('2'), block('3'), FINISH);
    expect(few.reply?.content).toHaveLength(3);
    const many = await replyTo(...['1', '2', '3', '4'].map(block), FINISH);
    expect(many).toMatchObject({ failure: { code: 'model_bad_reply', retryable: false }, spent: [[3, 2]] });
  });

  it('[RP14] links to the web alone', async () => {
    const source = (url: string) => ({ type: 'source', sourceType: 'url', id: 's', url });
    const file = (url: string) => ({ type: 'file', mediaType: 'image/png', data: { type: 'url', url } });
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'blob:https://a.test/1', ' https:x']) {
      const { reply } = await replyTo(source(url), file(url), ...text, FINISH);
      expect(reply?.content).toEqual([
        { type: 'reply-file', mediaType: 'image/png', omitted: 'its address is not a web address' },
        { type: 'text', text: 'Hi.' },
      ]);
      expect(chunkSchema.safeParse(sourceChunk(url)).success).toBe(false);
    }
    expect(chunkSchema.safeParse(sourceChunk('https://a.test')).success).toBe(true);
    const { reply } = await replyTo(source('HTTPS://a.test'), file('http://a.test/x'), FINISH);
    expect(reply?.content).toMatchObject([{ url: 'HTTPS://a.test' }, { url: 'http://a.test/x' }]);
  });
});
