/** Files as a message gives them and as a model is shown them, and what a model call costs: each rule with all of its rows. */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/core/definition/define-agent';
import type { Price } from '../../../src/core/definition/definition';
import { ONE_CALL } from '../../../src/core/tree/lease';
import { contentGiven, filesIn, NO_FILES, NO_SESSION } from '../../../src/engine/files/given-content';
import { withFiles } from '../../../src/engine/files/shown-files';
import { HeldLease } from '../../../src/engine/held-lease';
import { HeldTurns } from '../../../src/engine/models/held-turns';
import { covered, priced } from '../../../src/engine/perform/model-cost';
import type { ModelAgent } from '../../../src/engine/perform/performer';
import { failure, OffshootError } from '../../../src/protocol/errors';
import type { FileReference, Message, UserPart } from '../../../src/protocol/messages';
import { NO_USAGE } from '../../../src/protocol/usage';
import { WIRE_LIMITS } from '../../../src/protocol/wire/wire-limits';
import { noModel } from '../../support/no-model';

const text = (bytes: string) => new TextEncoder().encode(bytes);
const streamOf = (bytes: Uint8Array) => new Response(bytes).body as ReadableStream<Uint8Array>;
/** A file of a folder; a reader can tell whether its body was left. */
function folder(held: { readonly [path: string]: { readonly etag: string; readonly content: string } }) {
  const opened: string[] = [];
  const left: string[] = [];
  const open = async (path: string) => {
    opened.push(path);
    const found = held[path];
    if (found === undefined) throw new OffshootError('not_found', 'None.');
    const bytes = text(found.content);
    const body = new ReadableStream<Uint8Array>(
      {
        pull(to) {
          to.enqueue(bytes);
          to.close();
        },
        cancel: () => void left.push(path),
      },
      { highWaterMark: 0 },
    );
    return {
      file: { path, size: bytes.length, mediaType: 'text/plain', etag: found.etag, updatedAt: 1 },
      offset: 0,
      length: bytes.length,
      body,
    };
  };
  return { opened, left, open };
}

describe('files of a request to a model', () => {
  const reference = (path: string, more: Partial<FileReference> = {}): FileReference => ({
    type: 'file',
    mediaType: 'text/plain',
    path,
    size: 1,
    etag: 'e',
    ...more,
  });
  const said = (...content: UserPart[]): Message => ({ role: 'user', content }) as Message;
  const words: UserPart = { type: 'text', text: 'Look.' };

  it('[M91] each file that is as it was has its bytes, read once for its message; any other stays a reference', async () => {
    const files = folder({ a: { etag: 'e', content: 'A' }, b: { etag: 'new', content: 'B' } });
    const given: UserPart = { type: 'file', mediaType: 'text/plain', data: 'AAAA' };
    const whole = said(words, reference('a', { filename: 'n' }), given, reference('a'));
    const changed = said(reference('b'), words);
    const gone = said(reference('c'), reference('a'));
    const others: Message[] = [
      { role: 'user', content: 'Go.' } as Message,
      said(words),
      { role: 'assistant', content: [] } as unknown as Message,
    ];
    const messages = [whole, changed, gone, ...others];
    const bytes = { type: 'file', mediaType: 'text/plain', data: btoa('A') };
    const expected = [
      said(words, { ...bytes, filename: 'n' } as UserPart, given, bytes as UserPart),
      changed,
      said(reference('c'), bytes as UserPart),
      ...others,
    ];
    const first = await withFiles(messages, files, () => undefined);
    expect(first).toEqual(expected);
    expect(first.slice(3).every((message, at) => message === others[at])).toBe(true);
    expect(files.left).toEqual(['b']);
    expect(files.opened.toSorted()).toEqual(['a', 'a', 'a', 'b', 'c']);
    // What is complete is held; what is not is looked for again.
    files.opened.length = 0;
    const again = await withFiles(messages, files, () => undefined);
    expect(again[0]).toBe(first[0]);
    expect(files.opened.toSorted()).toEqual(['a', 'b', 'c']);
    expect(await withFiles(others, files, () => undefined)).toBe(others);
  });

  it('[M91] the oldest files beyond 16 MiB are left out with a line each, which is reported once', async () => {
    const MOST = 16 * 1_048_576;
    const files = folder({ a: { etag: 'e', content: 'A' } });
    const half = (more: Partial<FileReference> = {}) => reference('a', { size: MOST / 2, ...more });
    const old = half({ filename: 'cat.png', mediaType: 'image/png' });
    const messages = [said(old, words), said(half()), said(half())];
    const reports: string[] = [];
    const shown = await withFiles(messages, files, (problem) => void reports.push(problem));
    expect(JSON.stringify(shown[0])).toContain('[The file cat.png (image/png) was left out: ');
    expect(shown[0]).toMatchObject({ content: [{ type: 'text' }, words] });
    // The oldest go until half of the room is free (M94).
    expect([files.opened, reports.length]).toEqual([['a'], 2]);
    await withFiles(messages, files, (problem) => void reports.push(problem));
    expect(reports).toHaveLength(2);
    // A message that was complete before it was too old is shown as it is now.
    const [first] = await withFiles(messages.slice(0, 1), files, () => undefined);
    expect(JSON.stringify(first)).toContain(btoa('A'));
    expect(JSON.stringify((await withFiles(messages, files, () => undefined))[0])).toContain('was left out');
    const unnamed = said(half());
    const line = JSON.stringify((await withFiles([unnamed, ...messages.slice(1)], files, () => undefined))[0]);
    expect(line).toContain('[The file text/plain was left out: ');
  });
});

describe('files that a message gives', () => {
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const given = (part: object, find = NO_SESSION) => contentGiven([part] as never, find).then((parts) => parts[0]);
  const refusal = (part: object, find = NO_SESSION) =>
    given(part, find).then(
      () => undefined,
      (error: OffshootError) => error.message,
    );

  it('[M91] a text is as it came, and a file has the type of its bytes where that is a picture', async () => {
    expect(await contentGiven('Go.', NO_FILES)).toBe('Go.');
    const words = { type: 'text', text: 'Look.' };
    expect(await contentGiven([words, words] as never, NO_FILES)).toEqual([words, words]);
    const picture = { type: 'file', mediaType: 'image/png', data: PNG };
    expect(await given({ type: 'image', base64: PNG })).toEqual(picture);
    expect(await given({ type: 'file', base64: PNG, mediaType: 'text/plain', filename: 'a.txt' })).toEqual({
      ...picture,
      filename: 'a.txt',
    });
    const plain = btoa('hello');
    expect(await given({ type: 'file', base64: plain, mediaType: 'text/plain' })).toEqual({
      type: 'file',
      mediaType: 'text/plain',
      data: plain,
    });
    expect(await given({ type: 'file', base64: plain })).toMatchObject({ mediaType: 'application/octet-stream' });
    expect(await refusal({ type: 'image', base64: plain, filename: 'cat.png' })).toContain(
      'The file cat.png is not accepted',
    );
    expect(await refusal({ type: 'image', base64: plain, mediaType: 'image/png' })).toContain(
      'The file image/png is not accepted',
    );
    expect(await refusal({ type: 'image', base64: plain })).toContain('The file image is not accepted');
  });

  it('[M91] a file by its path is named as the workspace names it, has the version of now, and at most so many bytes', async () => {
    const at = (size: number) => async (path: string) => ({
      file: { path: path.replace(/^\//u, ''), size, etag: 'e', mediaType: 'text/plain', updatedAt: 1 },
      bytes: async () => text('hello'),
    });
    const most = WIRE_LIMITS.maxShownFileBytes;
    const file = { type: 'file', mediaType: 'text/plain', filename: 'a.txt', path: 'a.txt', size: most, etag: 'e' };
    for (const path of ['a.txt', '/a.txt']) expect(await given({ type: 'file', path }, at(most))).toEqual(file);
    expect(await given({ type: 'file', path: 'a.txt', filename: 'b.txt' }, at(most))).toEqual({
      ...file,
      filename: 'b.txt',
    });
    expect(await refusal({ type: 'file', path: 'a.txt' }, at(most + 1))).toContain(`has ${most + 1} bytes`);
    expect(await refusal({ type: 'file', path: 'a.txt' })).toContain('There is no file "a.txt"');
    await expect(contentGiven([{ type: 'file', path: 'a.txt' }] as never, NO_FILES)).rejects.toMatchObject({
      code: 'invalid_input',
    });
    // Of one that is too large nothing is read.
    const opened: string[] = [];
    const files = filesIn({
      async open(path: string) {
        if (path === 'none') throw new OffshootError('not_found', 'None.');
        if (path === 'away') throw new Error('It is away.');
        const body = new ReadableStream<Uint8Array>({ cancel: () => void opened.push(`left ${path}`) });
        const size = path === 'large' ? most + 1 : most;
        return {
          file: { path, size, etag: 'e', mediaType: 'text/plain', updatedAt: 1 },
          offset: 0,
          length: size,
          body: path === 'fits' ? streamOf(text('x')) : body,
        };
      },
    });
    expect(await files('none')).toBeUndefined();
    await expect(files('away')).rejects.toThrow('It is away.');
    await files('large');
    const fits = await files('fits');
    expect([opened, await fits?.bytes()]).toEqual([['left large'], text('x')]);
  });
});

describe('what a model call costs', () => {
  const usage = { ...NO_USAGE, modelCalls: 1, inputTokens: 1_000, outputTokens: 500 };
  const cost = (price: Price | ((model: string) => Price | undefined), more: object = {}) => {
    const reports: string[] = [];
    const definition = defineAgent({ name: 'a', systemPrompt: 'Work.', model: noModel, price });
    return {
      ...priced({ report: (problem) => void reports.push(problem) }, definition, { ...usage, ...more }, 'm'),
      reports: reports.length,
    };
  };

  it('[US1, US3, US9] each kind of token has its price, or that of the kind that it is a part of', () => {
    const all = { cachedTokens: 200, cacheWriteTokens: 100, reasoningTokens: 50 };
    const base = { input: 3, output: 7 };
    const ROWS: readonly (readonly [Price, more: object, micro: number, unpriced: number | undefined])[] = [
      [base, {}, 1_000 * 3 + 500 * 7, undefined],
      [base, all, 1_000 * 3 + 500 * 7, 1],
      [{ ...base, cached: 1 }, all, 800 * 3 + 200 * 1 + 500 * 7, 1],
      [{ ...base, cacheWrite: 5 }, all, 900 * 3 + 100 * 5 + 500 * 7, undefined],
      [{ ...base, reasoning: 11 }, { ...all, cacheWriteTokens: 0 }, 1_000 * 3 + 450 * 7 + 50 * 11, undefined],
      [{ ...base, cached: 0, cacheWrite: 5, reasoning: 11 }, all, 700 * 3 + 100 * 5 + 450 * 7 + 50 * 11, undefined],
    ];
    for (const [price, more, micro, unpriced] of ROWS) {
      const { costUsd, unpricedCalls, reports } = cost(price, more);
      expect([costUsd, unpricedCalls, reports]).toEqual([expect.closeTo(micro / 1e6, 12), unpriced, 0]);
      expect(cost(() => price, more)).toEqual(cost(price, more));
    }
  });

  it('[US11, US14] a call whose price nobody knows counts as one, and what the provider says of its cost counts', () => {
    const failing = () => {
      throw new Error('No.');
    };
    for (const price of [() => undefined, failing, () => ({ input: -1, output: 1 })])
      expect(cost(price)).toMatchObject({ unpricedCalls: 1, reports: 1 });
    expect(cost(() => undefined)).not.toHaveProperty('costUsd');
    expect(cost({ input: 1, output: 1 }, { costUsd: 7 })).toMatchObject({ costUsd: 7, reports: 0 });
    expect(cost({ input: 1, output: 1 }, { costUsd: 7 })).not.toHaveProperty('unpricedCalls');
    // Of one without counts nobody knows the cost, unless it is free.
    const uncounted = { inputTokens: 0, outputTokens: 0 };
    expect(cost({ input: 1, output: 1 }, uncounted)).toMatchObject({ unpricedCalls: 1 });
    for (const free of [
      { input: 0, output: 0 },
      { input: 0, output: 0, cached: 0 },
    ])
      expect(cost(free, uncounted)).toMatchObject({ costUsd: 0 });
    expect(cost({ input: 0, output: 1 }, uncounted)).not.toHaveProperty('costUsd');
  });

  it('[BU5, BU9, BU15] a lease is asked for where the last one is used up, and what the root says counts', async () => {
    const asked: string[] = [];
    const grant = { ok: true, lease: { ...ONE_CALL, asksFirst: ['p'] } };
    const at = (lease: HeldLease, answer: object) => {
      const modelTurns = new HeldTurns();
      const link = {
        async lease() {
          asked.push('lease');
          return answer;
        },
      };
      return { lease, modelTurns, link, state: { spent: usage } } as unknown as ModelAgent;
    };
    const going = new AbortController().signal;
    const covering = new HeldLease();
    covering.take(ONE_CALL, usage);
    await covered(at(covering, grant), going);
    expect(asked).toEqual([]);
    const agent = at(new HeldLease(), grant);
    await covered(agent, going);
    expect([asked, agent.lease.covers(usage), agent.modelTurns.asksFor('p')]).toEqual([['lease'], true, true]);
    const error = failure('max_cost', 'Over.', false, { limit: 'maxCostUsd' });
    await expect(covered(at(new HeldLease(), { ok: false, error }), going)).rejects.toMatchObject({
      code: error.code,
      message: 'Over.',
      failure: { details: { limit: 'maxCostUsd' } },
    });
    // Its run has ended meanwhile.
    for (const answer of [grant, { ok: false, error }]) {
      const over = at(new HeldLease(), answer);
      await covered(over, AbortSignal.abort());
      expect(over.lease.covers(usage)).toBe(false);
    }
    expect(new HeldLease(ONE_CALL).covers(NO_USAGE)).toBe(true);
  });
});
