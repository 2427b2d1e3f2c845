/** The pictures that a model made, as it is shown them again. */
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { madeFiles } from '../../../../src/model/request/made-files';
import { profileOf } from '../../../../src/model/request/profiles';
import { toRequest } from '../../../../src/model/request/request';
import type { Message, ReplyFilePart } from '../../../../src/protocol/messages';
import { png } from '../../../providers/rules/pictures';
import { always } from '../../../support/sizes';
import { call, reply, result, user } from './asked';

const MiB = 1_048_576;
const MOST = 12 * MiB;
const PICTURE = Buffer.from(png(2, 3), 'base64');
const KINDS = ['picture', 'too large', 'no picture', 'changed', 'other type', 'address', 'omitted'] as const;

/** Replies that each have such files, and calls between them. */
const repliesOf = (replies: readonly (readonly ReplyFilePart[])[]): Message[] =>
  replies.flatMap((parts, at) => [user(), reply('Here.', ...parts, call(`c_${at}`)), result(`c_${at}`)]);

it('[RP8] are the newest eight as they are now, newest first; what is no picture takes no place of one', async () => {
  const kind = fc.oneof({ weight: 3, arbitrary: fc.constant('picture' as const) }, fc.constantFrom(...KINDS));
  const isTold = fc.asyncProperty(fc.array(fc.array(kind, { maxLength: 4 }), { maxLength: 12 }), async (replies) => {
    const made: { readonly path: string; readonly kind: (typeof KINDS)[number] }[] = [];
    const messages = repliesOf(
      replies.map((kinds) =>
        kinds.map((kind): ReplyFilePart => {
          const path = `generated/${made.length}`;
          made.push({ path, kind });
          const file = {
            type: 'reply-file',
            mediaType: kind === 'other type' ? 'application/pdf' : 'image/png',
          } as const;
          if (kind === 'address') return { ...file, url: `https://a.test/${path}` };
          if (kind === 'omitted') return { ...file, omitted: 'It is too large.' };
          return { ...file, path, etag: path, bytes: kind === 'too large' ? MOST + 1 : PICTURE.length };
        }),
      ),
    );
    const read = async (path: string, etag: string): Promise<Uint8Array | undefined> => {
      const known = made.find((one) => one.path === path && path === etag);
      if (known?.kind === 'changed') return undefined;
      return known?.kind === 'no picture' ? Buffer.from('%PDF-1.4') : PICTURE;
    };
    const files = made.filter(({ kind }) => !['other type', 'address', 'omitted'].includes(kind));
    const shown = files.slice(-8).filter(({ kind }) => kind === 'picture');
    const expected = shown.reverse().map(({ path }) => [path, PICTURE.toString('base64')]);
    expect([...(await madeFiles(messages, read))]).toEqual(expected);
  });
  await always(isTold, 100);
});

it('[RP8] have 12 MiB together: the newest that have room', async () => {
  // That of Node takes seconds for 12 MiB.
  vi.stubGlobal('btoa', (text: string) => String(text.length));
  onTestFinished(() => void vi.unstubAllGlobals());
  const sizes = [PICTURE.length, 1, 10 * MiB + 1, 2 * MiB].map((size) => Math.max(size, PICTURE.length));
  const messages = repliesOf(
    sizes.map((bytes, at) => [{ type: 'reply-file', mediaType: 'image/png', path: `${at}`, etag: 'e', bytes }]),
  );
  const read = async (path: string): Promise<Uint8Array> => Buffer.concat([PICTURE], sizes[Number(path)] ?? 0);
  expect([...(await madeFiles(messages, read)).keys()]).toEqual(['3', '1', '0']);
});

it('[RP8, M8] go back to Google as pictures with the metadata that they came with, where their bytes are there; else as a line', () => {
  const { metadata: _any, ...profile } = profileOf('google.generative-ai', 'gemini-3-pro');
  const made = { type: 'reply-file', mediaType: 'image/png', etag: 'e', bytes: 3 } as const;
  const options = { google: { thoughtSignature: 'S' } };
  const messages = [user(), reply({ ...made, path: 'a' }, { ...made, path: 'b', providerMetadata: options }), user()];
  const said = { system: '', tools: [], messages };
  const partsOf = (files: ReadonlyMap<string, string>) =>
    toRequest(said, { ...profile, metadata: 'any' }, files).prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content : [],
    );
  const file = (data: string) => ({ type: 'file', mediaType: 'image/png', data: { type: 'data', data } });
  expect(
    partsOf(
      new Map([
        ['a', 'AA'],
        ['b', 'BB'],
      ]),
    ),
  ).toEqual([file('AA'), { ...file('BB'), providerOptions: options }]);
  expect(partsOf(new Map([['b', 'BB']]))).toEqual([
    { type: 'text', text: expect.any(String) },
    { ...file('BB'), providerOptions: options },
  ]);
});
