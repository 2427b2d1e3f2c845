import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolFiles } from '../../src/core/definition/tool-context';
import { struckFiles } from '../../src/engine/files/struck-files';
import { toolFiles } from '../../src/engine/files/tool-files';
import { ReadSecrets } from '../../src/engine/perform/read-secrets';
import { OffshootError } from '../../src/protocol/errors';
import { createFileStore } from '../../src/store/files';
import { nodeStorage } from '../../src/testing/node-storage';
import { createFileTables, MiB, refusal, streamOf } from '../contract/files-support';
import { sized } from '../support/sizes';

const utf8 = (text: string) => new TextEncoder().encode(text);

/** The files of a body that has read no secret. */
function plainFiles(): ToolFiles {
  const storage = nodeStorage();
  createFileTables(storage);
  const store = createFileStore(storage, { now: () => 1, limits: { maxFileBytes: 4 * MiB } });
  return toolFiles(store, () => 4 * MiB);
}

/** The files of a body that has read these. */
function filesAfter(read: Readonly<Record<string, string>>) {
  const secrets = new ReadSecrets();
  for (const [name, value] of Object.entries(read)) secrets.add(name, value);
  return { secrets, files: struckFiles(plainFiles(), secrets) };
}

const KEY = 'Schlüssel\n"1"';

/** A call, as a body makes it. */
const calls = fc.record({
  method: fc.constantFrom('write', 'write', 'write', 'remove', 'list', 'stat', 'read', 'readText', 'stream'),
  path: fc.constantFrom('a', `of ${KEY}/a`, `of ${KEY}/b`, KEY),
  content: fc.constantFrom('', 'plain', KEY, `${KEY}, then ${KEY}`),
  as: fc.constantFrom('text', 'bytes', 'stream'),
  mediaType: fc.constantFrom(undefined, undefined, 'text/x-log'),
  size: fc.constantFrom(undefined, undefined, 0, 1, -1),
  version: fc.constantFrom(undefined, undefined, 'now', 'before', 'none'),
  range: fc.constantFrom(undefined, {}, { offset: 2 }, { length: 3 }, { offset: 1, length: 2 }, { offset: 99 }),
});

type Call = typeof calls extends fc.Arbitrary<infer One> ? One : never;

/** What calls come to on some files, one after the other. A size is that of what is given, and so much more. */
async function outcomes(files: ToolFiles, given: readonly Call[]): Promise<unknown[]> {
  const versions = new Map<string, string[]>();
  const seen: unknown[] = [];
  for (const { method, path, content, as, mediaType, size, version, range } of given) {
    const bytes = utf8(content);
    const known = versions.get(path) ?? [];
    const named = { now: known.at(-1), before: known.at(-2), none: null }[version ?? 'now'] ?? '0'.repeat(16);
    const ifVersion = version === 'none' ? null : named;
    const METHODS: { readonly [Method in keyof ToolFiles]: () => Promise<unknown> } = {
      write: async () => {
        const { version: written, ...facts } = await files.write(
          path,
          { text: content, bytes, stream: streamOf([bytes.slice(0, 3), bytes.slice(3)]) }[as],
          {
            ...(mediaType === undefined ? {} : { mediaType }),
            ...(size === undefined ? {} : { size: Math.max(0, bytes.length + size) }),
            ...(version === undefined ? {} : { ifVersion }),
          },
        );
        versions.set(path, [...known, written]);
        return facts;
      },
      remove: () => files.remove(path, version === undefined ? undefined : { ifVersion: named }),
      list: async () => (await files.list(path)).map(({ version: _version, ...facts }) => facts),
      stat: async () => (await files.stat(path))?.size,
      read: () => files.read(path, range),
      readText: () => files.readText(path, range),
      stream: async () => new Response(await files.stream(path, range)).text(),
    };
    seen.push(
      await METHODS[method]().catch((thrown: unknown) => {
        if (thrown instanceof OffshootError) return thrown.code;
        throw thrown;
      }),
    );
  }
  return seen;
}

describe('files of a body that has read a secret', () => {
  it('[VR9, FS45, FS28] are in every other way what they are without, whatever a body calls, with whatever options', async () => {
    const struck = (text: string) => text.replaceAll(KEY, '[KEY]');
    await fc.assert(
      fc.asyncProperty(fc.array(calls, { minLength: 1, maxLength: 16 }), async (given) => {
        const plain = given.map((one) => ({ ...one, path: struck(one.path), content: struck(one.content) }));
        expect(await outcomes(filesAfter({ KEY }).files, given)).toEqual(await outcomes(plainFiles(), plain));
      }),
      { numRuns: sized(20, 2_000) },
    );
  });

  it('[VR9] have its name in place of it wherever a stream is cut, and of two the longer one where one is part of the other', async () => {
    const { files } = filesAfter({ KEY, LONG: `${KEY} and more`, PART: 'Schlüssel' });
    const given = utf8(`a ${KEY} b ${KEY} and more c ${KEY} and mor Schlüssel ${JSON.stringify({ KEY })} Schlüsse`);
    const struck = 'a [KEY] b [LONG] c [KEY] and mor [PART] {"KEY":"[KEY]"} Schlüsse';
    await files.write('whole', given);
    expect(await files.readText('whole')).toBe(struck);
    for (let cut = 0; cut <= given.length; cut += 1) {
      await files.write('cut', streamOf([given.slice(0, cut), given.slice(cut)]), { size: given.length });
      expect(await files.readText('cut')).toBe(struck);
    }
    await files.write('bytewise', streamOf(Array.from(given, (byte) => Uint8Array.of(byte))));
    expect(await files.readText('bytewise')).toBe(struck);
  });

  it('[VR9] have its name in place of it wherever a stream is cut into pieces, however long it and others are', () => {
    const value = fc.string({ minLength: 6, maxLength: 9, unit: fc.constantFrom('a', 'b', 'ü', '"') });
    const given = fc.record({
      read: fc.array(value, { minLength: 1, maxLength: 3 }),
      words: fc.array(fc.tuple(fc.nat(), fc.constantFrom('', 'a', ' ', 'ab')), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(given, ({ read, words }) => {
        const secrets = new ReadSecrets();
        for (const [at, each] of read.entries()) secrets.add(`V${at}`, each);
        const bytes = utf8(words.map(([which, between]) => `${read[which % read.length]}${between}`).join(''));
        const whole = Buffer.from(secrets.bytes(bytes)).toString();
        for (const each of read) expect(whole).not.toContain(each);
        for (let cut = 0; cut <= bytes.length; cut += 1) {
          const pieces = secrets.pieces();
          const written = [bytes.slice(0, cut), bytes.slice(cut)].map((piece) => pieces.next(piece));
          expect(Buffer.concat([...written, pieces.end()]).toString()).toBe(whole);
        }
      }),
    );
  });

  it('[VR9] are as they were given where it is not in them, bytes that are no text among them', async () => {
    const { files } = filesAfter({ KEY });
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7_919) % 256);
    await files.write('bytes', bytes);
    await files.write('stream', streamOf([bytes.slice(0, 3), bytes.slice(3)]));
    for (const path of ['bytes', 'stream']) expect(Buffer.compare(await files.read(path), bytes)).toBe(0);
    expect(await files.write('text', 'plain')).toMatchObject({ mediaType: 'text/plain; charset=utf-8', size: 5 });
  });

  it('[VR9] are found under the path that they were given, by every method', async () => {
    const key = 'a-key-of-some-length';
    const { files } = filesAfter({ KEY: key });
    for (const path of [`of ${key}/a`, `of ${key}/b`]) await files.write(path, 'text');
    expect((await files.list()).map(({ path }) => path)).toEqual(['of [KEY]/a', 'of [KEY]/b']);
    const path = `of ${key}/a`;
    expect(await files.list(`of ${key}`)).toHaveLength(2);
    expect(await files.stat(path)).toMatchObject({ size: 4 });
    expect([await files.readText(path), (await files.read(path)).length]).toEqual(['text', 4]);
    expect(await new Response(await files.stream(path)).text()).toBe('text');
    await files.remove(path);
    expect((await files.list()).map((one) => one.path)).toEqual(['of [KEY]/b']);
  });

  it('[VR9] have the size that was announced of what was given, or are refused', async () => {
    const { files } = filesAfter({ KEY });
    const { length } = utf8(KEY);
    expect(await files.write('text', KEY, { size: length })).toMatchObject({ size: '[KEY]'.length });
    for (const content of [KEY, utf8(KEY), streamOf([utf8(KEY)])])
      expect(await refusal(files.write('wrong', content, { size: length - 1 }))).toBe('invalid_request');
    expect(await refusal(files.write('large', streamOf([new Uint8Array(4 * MiB + 1)])))).toBe('payload_too_large');
    // @ts-expect-error A stream of texts.
    expect(await refusal(files.write('texts', streamOf(['text'])))).toBe('invalid_request');
    expect(await files.list()).toHaveLength(1);
  });

  it('[VR9] are struck also where a stream was begun before the secret was read, and cancelled where one is refused', async () => {
    const { files, secrets } = filesAfter({});
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          secrets.add('KEY', KEY);
          controller.enqueue(utf8(`it is ${KEY}`));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    await files.write('late', stream);
    expect(await files.readText('late')).toBe('it is [KEY]');
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(MiB)),
      cancel: () => {
        cancelled = true;
      },
    });
    expect(await refusal(files.write('endless', endless))).toBe('payload_too_large');
    expect(cancelled).toBe(true);
  });
});
