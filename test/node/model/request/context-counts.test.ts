/** Requests whose tokens are many for their bytes: Chinese text and files, at a provider that counts and refuses. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import type { Json } from '../../../../src/protocol/json';
import { createTestRuntime } from '../../../../src/testing';
import type { WorldRun } from '../../../../src/testing/handle';
import { say } from '../../../providers/replies';
import { pdfOf } from '../../../providers/rules/pictures';
import { provider, type Received } from '../../../providers/server';

/** The tokens of a PDF file, whatever its bytes are. */
const PER_FILE = 12_000;

/** The tokens of a request: 1.3 for a character of Chinese, a quarter for any other, and those of its files. */
function tokensOf(text: string): number {
  const files = [...text.matchAll(/"media_type":"application\/pdf","data":"[^"]*"/g)];
  const plain = files.reduce((rest, [file]) => rest.replace(file, ''), text);
  const chinese = [...plain.matchAll(/[\u4e00-\u9fff]/g)].length;
  return Math.ceil(chinese * 1.3 + (plain.length - chinese) / 4 + files.length * PER_FILE);
}

interface Turn {
  readonly content: string;
  readonly attachments?: Json;
}

/** The requests of each turn of an agent, and how each turn ended. */
async function turns(maxTokens: number, window: number, said: readonly Turn[], { systemPrompt = 'Help.' } = {}) {
  const api = provider('anthropic', {
    replies: ({ text }) => say('So it is.', { tokens: { input: tokensOf(text) } }),
    limits: { window, tokens: tokensOf },
  });
  const model = createAnthropic({ apiKey: 'k', fetch: api.fetch })('claude-sonnet-4-5');
  const agent = defineAgent({ name: 'plain', systemPrompt, model, context: { maxTokens } });
  const runtime = createTestRuntime({ agents: [agent], report: () => undefined });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(agent, 'Go.');
  const ends = [(await run.result()).status];
  const requests: (readonly Received[])[] = [];
  for (const turn of said) {
    const before = api.requests.length;
    const call = { kind: 'verb', path: [], verb: 'send', input: { ...turn }, caller: 'person' } as const;
    await (run as unknown as WorldRun).world.object(run.address).call(call);
    ends.push((await run.result()).status);
    requests.push(api.requests.slice(before));
  }
  return { ends, requests, refused: requests.map((all) => all.filter(({ problem }) => problem).length) };
}

const completed = (count: number) => Array(count + 1).fill('completed');
const file = { mediaType: 'application/pdf', filename: 'a.pdf', base64: pdfOf(3) };

describe('tokens that are many for their bytes', () => {
  it('[CX1, CX2] of Chinese text are learned from the first count: no request is refused', async () => {
    const said = Array.from({ length: 14 }, (_, n) => ({ content: `${n} ${'字'.repeat(3_000)}` }));
    const { ends, requests, refused } = await turns(20_000, 22_000, said);
    expect(ends).toEqual(completed(14));
    expect(refused).toEqual(Array(14).fill(0));
    for (const [request] of requests) expect(tokensOf(request?.text ?? '')).toBeLessThanOrEqual(22_000);
  });

  it('[CX13] of one long Chinese text are learned from the refusal: the next request is taken', async () => {
    const { ends, refused } = await turns(24_000, 30_000, [{ content: '字'.repeat(30_000) }, { content: 'And now?' }]);
    expect(ends).toEqual(completed(2));
    expect(refused).toEqual([1, 0]);
  });

  it('[CX13, CX15] of files are learned from refusals: each turn is answered, after two at most', async () => {
    const said = Array.from({ length: 8 }, (_, n) => ({ content: `Read ${n}.`, attachments: [file] }));
    const { ends, requests, refused } = await turns(20_000, 30_000, said);
    expect(ends).toEqual(completed(8));
    expect(Math.max(...refused)).toBeLessThanOrEqual(2);
    // The newest file is shown.
    for (const all of requests) expect(all.at(-1)?.text).toContain(file.base64);
  });

  it('[CX13, CX15] of one file alone that is too much: a line replaces it, and the thread goes on', async () => {
    const said = [{ content: 'Read.', attachments: [file] }, { content: 'Well?' }];
    const { ends, requests, refused } = await turns(20_000, 10_000, said);
    expect(ends).toEqual(completed(2));
    expect(refused[0]).toBeLessThanOrEqual(2);
    expect(requests.at(-1)?.at(-1)?.text).toContain('[A file was left out: a.pdf (application/pdf)]');
  });

  it('[CX13, CX15] of a file beside a long system prompt: that stays, and the thread goes on', async () => {
    const systemPrompt = `Help. ${'Rules. '.repeat(5_000)}`;
    const said = [{ content: 'Read.', attachments: [file, file, file] }, { content: 'Well?' }];
    const { ends, refused } = await turns(40_000, 22_000, said, { systemPrompt });
    expect(ends).toEqual(completed(2));
    expect(refused[0]).toBeLessThanOrEqual(2);
  });
});
