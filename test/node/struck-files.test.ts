import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolFileRange, ToolFiles } from '../../src/core/definition/tool-context';
import { struckFiles } from '../../src/engine/files/struck-files';
import { toolFiles } from '../../src/engine/files/tool-files';
import { ReadSecrets } from '../../src/engine/perform/read-secrets';
import { OffshootError } from '../../src/protocol/errors';
import { createFileStore } from '../../src/store/files';
import { nodeStorage } from '../../src/testing/node-storage';
import { createFileTables, MiB, refusal, streamOf } from '../contract/files-support';

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

const PATHS = ['a', `of ${KEY}/a`, KEY];

/** A call, as a body makes it. A size is that of what is given, and so much more. */
interface Call {
  readonly method: keyof ToolFiles;
  readonly path: string;
  readonly content?: string;
  readonly as?: 'text' | 'bytes' | 'stream';
  readonly more?: number | undefined;
  readonly mediaType?: string | undefined;
  readonly version?: 'now' | 'before' | 'none' | undefined;
  readonly range?: ToolFileRange | undefined;
}

const VERSIONS = [undefined, 'now', 'before', 'none'] as const;
const RANGES = [undefined, {}, { offset: 2 }, { length: 3 }, { offset: 1, length: 2 }, { offset: 99 }];
/** Every way to write, each with every other option; then every way to read and to remove what is there. */
const CALLS: readonly Call[] = [
  ...PATHS.flatMap((path) => ['', 'b'].map((content): Call => ({ method: 'write', path, content }))),
  ...['plain', `${KEY}, then ${KEY}`].flatMap((content) =>
    (['text', 'bytes', 'stream'] as const).flatMap((as) =>
      [undefined, 0, 1, -1].flatMap((more) =>
        VERSIONS.map((version, at): Call => {
          const mediaType = at % 2 === 0 ? undefined : 'text/x-log';
          return { method: 'write', path: `of ${KEY}/a`, content, as, more, version, mediaType };
        }),
      ),
    ),
  ),
  ...(['read', 'readText', 'stream'] as const).flatMap((method) =>
    RANGES.map((range): Call => ({ method, path: `of ${KEY}/a`, range })),
  ),
  ...[...PATHS, 'none'].flatMap((path) =>
    (['read', 'readText', 'stream', 'stat', 'list'] as const).map((method): Call => ({ method, path })),
  ),
  ...[...PATHS, 'none'].flatMap((path) =>
    (['none', 'before', 'now', undefined] as const).map((version): Call => ({ method: 'remove', path, version })),
  ),
];

/** What calls come to on some files, one after the other. */
async function outcomes(files: ToolFiles, calls: readonly Call[]): Promise<unknown[]> {
  const written = new Map<string, readonly string[]>();
  const seen: unknown[] = [];
  for (const { method, path, content = '', as = 'text', more, mediaType, version, range } of calls) {
    const bytes = utf8(content);
    const known = written.get(path) ?? [];
    const named = { now: known.at(-1), before: known.at(-2), none: undefined }[version ?? 'none'] ?? '0'.repeat(16);
    const METHODS: { readonly [Method in keyof ToolFiles]: () => Promise<unknown> } = {
      write: async () => {
        const pieces = { text: content, bytes, stream: streamOf([bytes.slice(0, 3), bytes.slice(3)]) };
        const { version: made, ...facts } = await files.write(path, pieces[as], {
          ...(mediaType === undefined ? {} : { mediaType }),
          ...(more === undefined ? {} : { size: bytes.length + more }),
          ...(version === undefined ? {} : { ifVersion: version === 'none' ? null : named }),
        });
        written.set(path, [...known, made]);
        return facts;
      },
      remove: () => files.remove(path, ...(version === undefined ? [] : [{ ifVersion: named }])),
      list: async () => (await files.list(path)).map(({ version: _version, ...facts }) => facts),
      stat: async () => (await files.stat(path))?.size,
      read: () => files.read(path, range),
      readText: () => files.readText(path, range),
      stream: async () => new Response(await files.stream(path, range)).text(),
    };
    const outcome = await METHODS[method]().catch((thrown: unknown) => {
      if (thrown instanceof OffshootError) return thrown.code;
      throw thrown;
    });
    seen.push({ method, version, as, more, outcome });
  }
  return seen;
}

describe('files of a body that has read a secret', () => {
  it('[VR9, FS45, FS28] are in every other way what they are without, whatever a body calls, with whatever options', async () => {
    const struck = (text: string) => text.replaceAll(KEY, '[KEY]');
    const plain = CALLS.map((one) => ({ ...one, path: struck(one.path), content: struck(one.content ?? '') }));
    const [found, expected] = [await outcomes(filesAfter({ KEY }).files, CALLS), await outcomes(plainFiles(), plain)];
    expect(found).toEqual(expected);
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
