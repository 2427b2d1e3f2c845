/** Messages in parts, with the real packages against strict stand-ins: the model gets the picture. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/core/definition/define-agent';
import { defineTool } from '../../../src/core/definition/define-tool';
import { withFiles } from '../../../src/engine/files/shown-files';
import type { Message } from '../../../src/protocol/messages';
import type { MessagePart } from '../../../src/protocol/wire/requests';
import { createTestRuntime, type TestInput, type TestRun } from '../../../src/testing';
import type { WorldRun } from '../../../src/testing/handle';
import { call, say } from '../../providers/replies';
import { PDF, png, SAMPLES } from '../../providers/rules/pictures';
import { type InProcess, type ProviderOptions, provider } from '../../providers/server';

type Fetch = typeof globalThis.fetch;

const MODEL = {
  anthropic: (fetch: Fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5'),
  responses: (fetch: Fetch) => createOpenAI({ apiKey: 'k', fetch })('gpt-5'),
  chat: (fetch: Fetch) => createOpenAI({ apiKey: 'k', fetch }).chat('gpt-4o'),
} as const;
type Kind = keyof typeof MODEL;
const KINDS = Object.keys(MODEL) as Kind[];

const asks = defineTool({
  name: 'asks',
  description: 'Asks.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'ok',
});

function behind(kind: Kind, replies: ProviderOptions['replies'] = () => say('Yes.'), more: object = {}) {
  const api = provider(kind, { replies });
  const agent = defineAgent({
    name: 'plain',
    systemPrompt: 'Help.',
    model: MODEL[kind](api.fetch),
    tools: [asks],
    limits: { modelRetryBaseMs: 1 },
    ...more,
  });
  const runtime = createTestRuntime({ agents: [agent] });
  onTestFinished(() => runtime.close());
  return { api, begin: (input: TestInput) => runtime.execute(agent, input) };
}

const refusals = ({ requests }: InProcess): unknown[] => requests.flatMap(({ problem }) => problem ?? []);
const last = ({ requests }: InProcess): string => requests.at(-1)?.text ?? '';
const bytes = (base64: string): Uint8Array => Buffer.from(base64, 'base64');
const write = (run: TestRun, path: string, content: Uint8Array, mediaType = 'image/png') =>
  (run as unknown as WorldRun).world.object(run.address).ports.files.write(path, content, { mediaType });

const LOOK: MessagePart = { type: 'text', text: 'Look.' };
const A = png(3, 2);
const B = png(5, 4);
const COMPLETED = { status: 'completed', output: 'Yes.' };

describe('a start in parts', () => {
  it.each(KINDS)('[A110][M13] shows the model a picture, as base64 and by its path: %s', async (kind) => {
    const { api, begin } = behind(kind);
    const run = await begin({
      message: [LOOK, { type: 'image', base64: A }, { type: 'image', path: 'up/b.png' }],
      files: [{ path: 'up/b.png', mediaType: 'image/png', content: bytes(B) }],
    });
    expect(await run.result()).toEqual(COMPLETED);
    expect(refusals(api)).toEqual([]);
    for (const one of ['Look.', A, B]) expect(last(api)).toContain(one);
    // The row has the path alone.
    expect(JSON.stringify(run.messages())).not.toContain(B);
    const first = last(api);
    await run.send('Well?');
    await run.result();
    expect(last(api)).toContain(B);
    expect(refusals(api)).toEqual([]);
    expect(first.slice(0, 40)).toBe(last(api).slice(0, 40));
  });

  it('[A110] has its parts behind the input of an agent with an `inputSchema`', async () => {
    const { api, begin } = behind('anthropic', undefined, { inputSchema: z.object({ topic: z.string() }) });
    const run = await begin({ input: { topic: 'cats' }, message: [{ type: 'image', base64: A, filename: 'cat.png' }] });
    expect(await run.result()).toEqual(COMPLETED);
    expect(last(api).indexOf('cats')).toBeLessThan(last(api).indexOf(A));
    expect(last(api)).toContain(A);
  });

  it.each([
    [[{ type: 'image', base64: A, path: 'a.png' }], 'invalid_request', 'base64'],
    [[{ type: 'file', base64: A }], 'invalid_request', 'mediaType'],
    [[{ type: 'text', text: '\n' }], 'invalid_input', 'message'],
    [[LOOK, { type: 'image', base64: btoa('\0'.repeat(64)), filename: 'zeros.png' }], 'invalid_input', 'zeros.png'],
    [[{ type: 'file', base64: btoa('no'), mediaType: 'application/pdf', filename: 'a.pdf' }], 'invalid_input', 'a.pdf'],
    [[{ type: 'image', path: 'none.png' }], 'invalid_input', 'none.png'],
    [[{ type: 'image', path: 'zeros.png' }], 'invalid_input', 'zeros.png'],
    [[{ type: 'file', path: 'large.bin' }], 'invalid_input', 'large.bin'],
    [Array.from({ length: 33 }, () => LOOK), 'invalid_request', 'message'],
    [[], 'invalid_request', 'message'],
  ] as readonly (readonly [MessagePart[], string, string])[])(
    '[A102][A103][A110] is refused, and nothing begins: %j',
    async (message, code, name) => {
      const { api, begin } = behind('anthropic');
      const files = [
        { path: 'zeros.png', mediaType: 'image/png', content: new Uint8Array(64) },
        ...(name === 'large.bin' ? [{ path: name, content: new Uint8Array(700_000) }] : []),
      ];
      const started = begin({ message, files });
      if (name === 'large.bin') {
        const run = await started;
        expect(await run.result()).toEqual(COMPLETED);
        await write(run, 'large.bin', new Uint8Array(10 * 1_048_576 + 1));
        await expect(run.send(message)).rejects.toMatchObject({ code, message: expect.stringContaining(name) });
        return;
      }
      await expect(started).rejects.toMatchObject({ code, message: expect.stringContaining(name) });
      expect(api.requests).toHaveLength(0);
    },
  );
});

describe('a resume and a message in parts', () => {
  it.each(KINDS)('[A110] show the model a picture: %s', async (kind) => {
    const { api, begin } = behind(kind);
    const run = await begin('Go.');
    await run.result();
    await write(run, 'c.pdf', bytes(PDF), 'application/pdf');
    await run.send([LOOK, { type: 'image', base64: SAMPLES['image/jpeg'] }, { type: 'file', path: 'c.pdf' }]);
    expect(await run.result()).toEqual(COMPLETED);
    expect(last(api)).toContain(PDF);
    expect(last(api)).toContain(SAMPLES['image/jpeg']);
    expect(last(api)).toContain('image/jpeg');
    expect(refusals(api)).toEqual([]);
  });

  it('[A110] go on with an interrupted run', async () => {
    const { api, begin } = behind('anthropic', [call('toolu_1', 'asks', {}), say('Yes.')]);
    const run = await begin('Go.');
    await run.settled();
    await write(run, 'a.png', bytes(A));
    await run.interrupt();
    await run.resume([LOOK, { type: 'image', path: 'a.png' }]);
    const [pending] = run.pending();
    if (pending) await run.submit({ kind: 'approval-response', toolCallId: pending.toolCallId, approved: true });
    expect(await run.result()).toEqual(COMPLETED);
    expect(last(api)).toContain(A);
    expect(refusals(api)).toEqual([]);
  });

  it('[M91] say so where the file has another content before a model sees it', async () => {
    const { api, begin } = behind('anthropic', [call('toolu_1', 'asks', {}), say('Yes.')]);
    const run = await begin('Go.');
    await run.settled();
    await write(run, 'a.png', bytes(A));
    await run.send([LOOK, { type: 'image', path: 'a.png' }]);
    await write(run, 'a.png', bytes(B));
    const [pending] = run.pending();
    await run.submit({ kind: 'approval-response', toolCallId: pending?.toolCallId ?? '', approved: true });
    expect(await run.result()).toEqual(COMPLETED);
    for (const one of [A, B]) expect(last(api)).not.toContain(one);
    expect(last(api)).toContain('[The file a.png (image/png) was left out');
    expect(refusals(api)).toEqual([]);
  });
});

describe('files that a request reads', () => {
  it('[M91] are 16 MB at most, the newest ones, each read once', async () => {
    const read: string[] = [];
    const reports: string[] = [];
    const files = {
      open: async (path: string) => {
        read.push(path);
        const file = { path, size: 1, mediaType: 'image/png', etag: path, updatedAt: 0 };
        return { file, offset: 0, length: 1, body: new Blob([path]).stream() };
      },
    };
    const messages = Array.from({ length: 4 }, (_, at): Message => {
      const file = {
        type: 'file',
        mediaType: 'image/png',
        path: `${at}.png`,
        size: 6 * 1_048_576,
        etag: `${at}.png`,
      } as const;
      return { role: 'user', content: [file] };
    });
    const shown = async (count: number) =>
      (await withFiles(messages.slice(0, count), files, (problem) => reports.push(problem))).map((message) =>
        JSON.stringify(message).includes('"data"'),
      );
    expect(await shown(2)).toEqual([true, true]);
    expect(await shown(3)).toEqual([false, false, true]);
    expect(await shown(4)).toEqual([false, false, true, true]);
    expect(read).toEqual(['0.png', '1.png', '2.png', '3.png']);
    expect(reports).toEqual([expect.stringContaining('0.png'), expect.stringContaining('1.png')]);
  });
});
