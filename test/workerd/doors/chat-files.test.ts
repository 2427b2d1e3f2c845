/** Files and sources of a chat, from a page to the model and back, by the official client. */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { safeValidateUIMessages, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { chat as chatDoor } from '../../../src/chat';
import { defineAgent } from '../../../src/index';
import { createWorker } from '../../../src/worker';
import { png } from '../../providers/rules/pictures';
import { address, HOST } from '../../support/api';
import { served } from '../../support/bindings';
import { talk } from '../../support/chats';

const PICTURE = png(3, 2);
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** What the model of the painter was shown last. */
const shown: LanguageModelV4CallOptions[] = [];

const REPLY: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Here.' },
  { type: 'text-end', id: '1' },
  { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.test/page', title: 'A page' },
  { type: 'source', sourceType: 'document', id: 's2', mediaType: 'application/pdf', title: 'A book' },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PICTURE } },
  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
];

const model: LanguageModelV4 = {
  ...{ specificationVersion: 'v4', provider: 'test', modelId: 'painter', supportedUrls: {} },
  doGenerate: () => Promise.reject(new Error('It streams.')),
  async doStream(options) {
    shown.push(options);
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      start(controller) {
        for (const part of REPLY) controller.enqueue(part);
        controller.close();
      },
    });
    return { stream };
  },
};
const painter = defineAgent({ name: 'painter-of-chats', systemPrompt: 'Paint.', model });

const worker = createWorker({ agents: [painter], doors: [chatDoor()] });
const ask = (path: string, init?: RequestInit) =>
  worker.fetch(new Request(`${HOST}${path}`, init), {}, { exports: served });

describe('a chat with files', () => {
  // https://github.com/tale-project/tale/pull/3403
  it.each(['data:;base64,', 'data:application/octet-stream;base64,'])(
    '[CH12, M100] takes a text whose type its browser does not know: %s',
    async (prefix) => {
      const { chat } = talk(address('painter-of-chats'), {}, ask);
      const url = `${prefix}${btoa('- a list')}`;
      await chat.sendMessage({ files: [{ type: 'file', mediaType: '', filename: 'notes.md', url }] });
      expect([chat.status, JSON.stringify(shown.at(-1)?.prompt)]).toEqual([
        'ready',
        expect.stringContaining('- a list'),
      ]);
    },
  );

  it('[CH1, CH4, CH8] shows a file of the page to the model, and files and sources of the model to the page', async () => {
    const at = address('painter-of-chats');
    const one = talk(at, {}, ask);
    const file = {
      type: 'file' as const,
      mediaType: 'image/png',
      filename: 'a.png',
      url: `data:image/png;base64,${PICTURE}`,
    };
    await one.chat.sendMessage({ text: 'Like this.', files: [file] });
    expect([one.chat.status, one.chat.error]).toEqual(['ready', undefined]);
    const said = shown.at(-1)?.prompt.findLast(({ role }) => role === 'user');
    expect(said?.content).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'file', mediaType: 'image/png' }),
        expect.objectContaining({ type: 'text', text: expect.stringContaining('Like this.') }),
      ]),
    );
    const parts = one.chat.messages.at(-1)?.parts ?? [];
    expect(parts.map(({ type }) => type)).toEqual(['step-start', 'text', 'source-url', 'source-document', 'file']);
    const made = parts.find(({ type }) => type === 'file') as unknown as { url: string };
    const answer = await ask(made.url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(PICTURE);
    const { messages } = await (await ask(`${at}/chat`)).json<{ messages: UIMessage[] }>();
    expect((await safeValidateUIMessages({ messages })).success).toBe(true);
    expect(messages.at(-1)?.parts.map(({ type }) => type)).toEqual(parts.map(({ type }) => type));
    // What the page sent is listed for a page that is opened later.
    const sent = messages[0]?.parts.find(({ type }) => type === 'file') as unknown as { url: string };
    expect(messages[0]?.id).toBe(one.chat.messages[0]?.id);
    expect(sent).toMatchObject({ url: file.url, filename: 'a.png' });
    // A path of the agent serves as a file of a message.
    await one.chat.sendMessage({ text: 'This one.', files: [{ type: 'file', mediaType: 'image/png', url: made.url }] });
    expect(one.chat.status).toBe('ready');
    const again = shown.at(-1)?.prompt.findLast(({ role }) => role === 'user');
    expect(again?.content).toContainEqual(expect.objectContaining({ type: 'file', mediaType: 'image/png' }));
  });
});
