/** Text files as people have them: other line ends, a byte order mark, both normal forms. The tools treat them alike. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Compared, comparedText } from '../../../src/engine/workspace/compared';
import { filePath, prefixRange } from '../../../src/protocol/file-rules';
import { nodeStorage } from '../../../src/testing/node-storage';
import { type Bench, benchOver } from '../../contract/workspace-support';
import { rowsOf } from '../../support/rows';

const [read, search, edit, write] = [
  'workspace_read_file',
  'workspace_search_files',
  'workspace_edit_file',
  'workspace_write_file',
] as const;

async function withBench<Result>(body: (bench: Bench) => Promise<Result>): Promise<Result> {
  const storage = nodeStorage();
  try {
    return await body(benchOver(storage, 'own'));
  } finally {
    storage.close();
  }
}

/** The bytes of a file as text, with its mark. */
async function kept({ store }: Bench, path = 'f'): Promise<string> {
  const bytes = await new Response(await store.read(path)).arrayBuffer();
  return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes);
}

/** A file whose lines end so. */
const ending = (lineEnd: string) => ['one', 'two', 'three', ''].join(lineEnd);

describe('an edit', () => {
  it.each([undefined, 'text/plain', 'text/markdown', 'text/csv; charset=utf-16', 'application/json', 'image/svg+xml'])(
    '[WS6] changes the bytes of a file of type %s, and what follows from them alone',
    (mediaType) =>
      withBench(async (bench) => {
        await bench.store.write('f', 'one two', mediaType === undefined ? {} : { mediaType });
        const before = await bench.store.stat('f');
        const edited = await bench.call(edit, { path: 'f', oldText: 'two', newText: 'and two' });
        const after = await bench.store.stat('f');
        const next = { size: 11, etag: expect.any(String), updatedAt: expect.any(Number) };
        expect([await kept(bench), after]).toEqual(['one and two', { ...before, ...next }]);
        expect(edited).toMatchObject({ path: 'f', size: 11, mediaType: before?.mediaType });
      }),
  );
});

describe('line ends', () => {
  it.each([['\r\n'], ['\r'], ['\n']])('[WS21] %j stay where a line is edited, and where lines are added', (lineEnd) =>
    withBench(async (bench) => {
      await bench.store.write('f', ending(lineEnd));
      expect(await bench.call(edit, { path: 'f', oldText: 'two', newText: 'TWO' })).not.toHaveProperty('code');
      expect(await kept(bench)).toBe(['one', 'TWO', 'three', ''].join(lineEnd));
      await bench.call(edit, { path: 'f', oldText: 'one\nTWO', newText: 'one\nhalf\nTWO' });
      await bench.call(edit, { path: 'f', oldText: 'three', newText: 'three\nfour' });
      expect(await kept(bench)).toBe(['one', 'half', 'TWO', 'three', 'four', ''].join(lineEnd));
    }),
  );

  it('[WS21] of other lines stay as they are in a file that has several', () =>
    withBench(async (bench) => {
      await bench.store.write('f', 'a\r\nb\nc\rd\r\n');
      await bench.call(edit, { path: 'f', oldText: 'a\nb\nc\nd', newText: 'a\nb\nX\nd' });
      expect(await kept(bench)).toBe('a\r\nb\nX\rd\r\n');
    }));

  it('[WS21] that are new are those of the line before, or of the first line itself, in a file that has several', () =>
    withBench(async (bench) => {
      for (const { a, b, c } of rowsOf({ a: ['\n', '\r\n'], b: ['\n', '\r\n'], c: ['\n', '\r\n'] })) {
        const ends = [a, b, c];
        const text = ['a', 'b', 'c', 'd'].map((line, at) => `${line}${ends[at] ?? ''}`);
        for (const [at, line] of text.entries()) {
          const path = `f${ends.map((end) => end.length).join('')}${at}`;
          await bench.store.write(path, text.join(''));
          const [letter = ''] = line;
          await bench.call(edit, { path, oldText: letter, newText: `${letter}\nnew` });
          const made = text.with(at, `${letter}${ends[Math.max(0, at - 1)]}new${line.slice(1)}`);
          expect(await kept(bench, path), path).toBe(made.join(''));
        }
      }
    }));

  it('[WS21, WS22] by a lone CR are ends of a file without others alone: a progress bar decides nothing', () =>
    withBench(async (bench) => {
      await bench.store.write('f', '50%\r100%\nfoo\n');
      await bench.call(edit, { path: 'f', oldText: '100%', newText: '100%\nbar' });
      expect(await kept(bench)).toBe('50%\r100%\nbar\nfoo\n');
      const { version } = await bench.call(read, { path: 'f' });
      await bench.call(write, { path: 'f', content: 'a\nb\n', version });
      expect(await kept(bench)).toBe('a\nb\n');
    }));

  it('[WS21] are not edited by half: a text that ends with a CR does not take the LF behind it', () =>
    withBench(async (bench) => {
      await bench.store.write('f', 'a\r\nb\n');
      expect(await bench.call(edit, { path: 'f', oldText: 'a\r', newText: 'a' })).toHaveProperty('code');
      expect(await kept(bench)).toBe('a\r\nb\n');
    }));

  it('[WS21] that the new text names are written so', () =>
    withBench(async (bench) => {
      await bench.store.write('f', 'a\nb\n');
      await bench.call(edit, { path: 'f', oldText: 'a\nb', newText: 'a\r\nb' });
      expect(await kept(bench)).toBe('a\r\nb\n');
    }));

  it.each([['\r\n'], ['\r'], ['\n']])('[WS20] %j end lines that are read, counted and found', (lineEnd) =>
    withBench(async (bench) => {
      await bench.store.write('f', ending(lineEnd));
      expect(await bench.call(read, { path: 'f', line: 2, lines: 1 })).toMatchObject({
        text: `two${lineEnd}`,
        line: 2,
        nextLine: 3,
      });
      expect(await bench.call(read, { path: 'f', line: 3 })).toMatchObject({ text: `three${lineEnd}` });
      expect(await bench.call(read, { path: 'f', line: 9 })).toMatchObject({ error: /has 3 lines/ });
      const { matches } = await bench.call(search, { text: 't' });
      expect(matches).toMatchObject([
        { line: 2, text: 'two' },
        { line: 3, text: 'three' },
      ]);
    }),
  );

  it('[WS20] a line end of two bytes is never read by half', () =>
    withBench(async (bench) => {
      await bench.store.write('f', 'abc\r\ndef\r\n');
      for (let length = 4; length <= 9; length++) {
        const page = await bench.call(read, { path: 'f', length });
        expect(String(page.text).endsWith('\r')).toBe(false);
      }
    }));

  it('[WS22] of a file that is replaced stay those of the file', () =>
    withBench(async (bench) => {
      await bench.store.write('f', '\ufeffone\r\ntwo\r\n');
      const { version, text } = await bench.call(read, { path: 'f' });
      expect(text).toBe('one\r\ntwo\r\n');
      await bench.call(write, { path: 'f', content: 'one\nthree\n', version });
      expect(await kept(bench)).toBe('\ufeffone\r\nthree\r\n');
    }));
});

describe('a byte order mark', () => {
  it('[WS22] is not shown, stays where its line is edited, and is no part of an offset', () =>
    withBench(async (bench) => {
      await bench.store.write('f', '\ufeffname,age\nann,7\n');
      expect(await bench.call(read, { path: 'f' })).toMatchObject({ text: 'name,age\nann,7\n' });
      expect(await bench.call(read, { path: 'f', offset: 0 })).toMatchObject({ text: 'name,age\nann,7\n', offset: 0 });
      await bench.call(edit, { path: 'f', oldText: 'name', newText: 'NAME' });
      await bench.call(edit, { path: 'f', oldText: '\ufeffNAME,age', newText: 'who,age' });
      expect(await kept(bench)).toBe('\ufeffwho,age\nann,7\n');
    }));

  it.each([
    ['with its mark', [0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x62, 0]],
    ['the other way round', [0xfe, 0xff, 0, 0x61, 0, 0x0a, 0, 0x62]],
    ['without a mark', [0x61, 0, 0x0a, 0, 0x62, 0]],
    ['of letters without zeros', [0xff, 0xfe, 0x42, 0x30, 0x44, 0x30]],
  ])('[WS22] of UTF-16 says that the file is no text: %s', (_, bytes) =>
    withBench(async (bench) => {
      await bench.store.write('f', Uint8Array.from(bytes));
      for (const line of [1, 2]) {
        const answer = await bench.call(read, { path: 'f', line });
        if (answer.code === undefined) expect(answer).toMatchObject({ binary: true });
      }
      expect(await bench.call(search, { text: 'a' })).toMatchObject({ matches: [], binaryFilesLeftOut: 1 });
      expect(await bench.call(edit, { path: 'f', oldText: 'x', newText: 'y' })).toMatchObject({
        code: 'invalid_arguments',
        error: expect.stringContaining('not UTF-8 text'),
      });
    }),
  );
});

describe('both normal forms', () => {
  const [composed, decomposed] = ['Zoë sagt: déjà vu, 각, が', 'Zoë sagt: déjà vu, 각, が'.normalize('NFD')];

  it.each([
    [composed, decomposed],
    [decomposed, composed],
  ])('[WS20, WS21] are one text where it is found and edited: %#', (stands, sought) =>
    withBench(async (bench) => {
      await bench.store.write('f', `a\n${stands}!\n`);
      for (const word of ['Zoë', 'déjà', '각', 'が', 'vu'])
        for (const form of ['NFC', 'NFD'])
          expect(await bench.call(search, { text: word.normalize(form) })).toMatchObject({
            matches: [
              {
                line: 2,
                offset:
                  2 +
                  Buffer.byteLength(
                    stands.split(word.normalize('NFC'))[0] === stands
                      ? (stands.split(word.normalize('NFD'))[0] ?? '')
                      : (stands.split(word.normalize('NFC'))[0] ?? ''),
                  ),
              },
            ],
          });
      await bench.call(edit, { path: 'f', oldText: sought, newText: sought.replace('sagt', 'says') });
      expect(await kept(bench)).toBe(`a\n${stands.replace('sagt', 'says')}!\n`);
    }),
  );

  it('[WS20] a letter is not found in the same letter with a mark, in either form', () =>
    withBench(async (bench) => {
      await bench.store.write('c', 'café');
      await bench.store.write('d', 'café'.normalize('NFD'));
      expect(await bench.call(search, { text: 'cafe' })).toMatchObject({ matches: [] });
      expect(await bench.call(search, { text: 'caf' })).toMatchObject({ matches: [{ path: 'c' }, { path: 'd' }] });
    }));

  it('[WS21] a letter is not taken out of its marks', () =>
    withBench(async (bench) => {
      await bench.store.write('f', 'caf\u0065\u0301');
      expect(await bench.call(edit, { path: 'f', oldText: 'e', newText: 'a' })).toHaveProperty('code');
      expect(await kept(bench)).toBe('caf\u0065\u0301');
    }));

  it('[WS20, WS21] of a letter with two marks: found with the first of them in either form, edited as a whole alone', () =>
    withBench(async (bench) => {
      for (const form of ['NFC', 'NFD']) await bench.store.write(form, 'a ẹ\u0301 z'.normalize(form));
      expect(await bench.call(search, { text: 'ẹ' })).toMatchObject({
        matches: [
          { path: 'NFC', offset: 2 },
          { path: 'NFD', offset: 2 },
        ],
      });
      const half = await bench.call(edit, { path: 'NFD', oldText: 'ẹ', newText: 'i' });
      expect(half).toMatchObject({ code: 'invalid_arguments' });
      expect(await bench.call(edit, { path: 'NFD', oldText: 'ẹ\u0301', newText: 'i' })).not.toHaveProperty('code');
      expect(await kept(bench, 'NFD')).toBe('a i z');
    }));

  it('[WS21] a text that stands once byte for byte is edited, where it stands in another form as well', () =>
    withBench(async (bench) => {
      await bench.store.write('f', `é ${'é'.normalize('NFD')}`);
      await bench.call(edit, { path: 'f', oldText: 'é'.normalize('NFD'), newText: 'e' });
      expect(await kept(bench)).toBe('é e');
    }));

  it('[FS50] of a name are one file: written, read, listed and removed under either', () =>
    withBench(async ({ store }) => {
      const [c, d] = ['Müller/é.md'.normalize('NFC'), 'Müller/é.md'.normalize('NFD')];
      await store.write(d, 'one');
      await store.write(c, 'two');
      expect((await store.list()).items.map(({ path }) => path)).toEqual([c]);
      expect((await store.list({ prefix: 'Mü'.normalize('NFD') })).items).toHaveLength(1);
      expect(await store.stat(d)).toMatchObject({ path: c, size: 3 });
      expect(filePath(d)).toBe(filePath(`/${c}`));
      expect(prefixRange('é'.normalize('NFD'))).toEqual(prefixRange('é'));
      await store.remove(d);
      expect((await store.list()).items).toEqual([]);
    }));
});

/** Text of letters that have two forms, joined ones, line ends, and others. */
const texts = fc.string({
  unit: fc.constantFrom(
    'a',
    'e',
    'b',
    ' ',
    'é',
    'é'.normalize('NFD'),
    '\u0301',
    'が',
    '\u3099',
    '각',
    '\u1161',
    '\u11a8',
    '漢',
    '🙂',
    '\ufeff',
    'Å',
    '\n',
    '\r',
    '\r\n',
  ),
  maxLength: 30,
});

describe('runs', () => {
  it('[WS20] are the compared text, whatever pieces the bytes come in, and lie in the file without a gap', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 }), (text, sizes) => {
        const bytes = new TextEncoder().encode(text);
        const compared = new Compared();
        const runs = [];
        let at = 0;
        for (const size of [...sizes, bytes.length]) {
          runs.push(...compared.take(bytes.subarray(at, at + size)));
          at = Math.min(bytes.length, at + size);
        }
        runs.push(...compared.end());
        expect(Buffer.concat(runs.map((run) => run.bytes)).toString()).toBe(comparedText(text));
        let next = 0;
        for (const { at: begins, size, bytes: of } of runs) {
          expect(begins).toBe(next);
          next += size ?? of.length;
        }
        expect(next).toBe(bytes.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[WS20] of bytes that are no text are those bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const compared = new Compared();
        const size = [...compared.take(bytes), ...compared.end()].reduce(
          (sum, run) => sum + (run.size ?? run.bytes.length),
          0,
        );
        expect(size).toBe(bytes.length);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A plain text of some lines, and how a file has it. */
const lines = fc.array(fc.string({ unit: fc.constantFrom('x', 'y', 'é', 'が', ' '), maxLength: 5 }), {
  minLength: 1,
  maxLength: 6,
});
const dresses = fc.record({
  end: fc.constantFrom('\n', '\r\n', '\r'),
  form: fc.constantFrom('NFC', 'NFD'),
  mark: fc.constantFrom('', '\ufeff'),
});

describe('the law', () => {
  it('[WS20, WS21, WS22] an edit of a file in any form is the edit of its plain text, in that form', async () => {
    await fc.assert(
      fc.asyncProperty(
        lines,
        dresses,
        fc.nat(),
        fc.constantFrom('NFC', 'NFD'),
        async (given, { end, form, mark }, n, said) =>
          withBench(async (bench) => {
            // Each line has a number, so that it is there once.
            const plain = given.map((line, at) => `${at}:${line}`);
            const dress = (all: readonly string[]) => mark + all.join(end).normalize(form);
            await bench.store.write('f', dress(plain));
            const at = n % plain.length;
            const oldText = plain
              .slice(at, at + 2)
              .join('\n')
              .normalize(said);
            const answer = await bench.call(edit, { path: 'f', oldText, newText: `new\nlines` });
            expect(answer.code).toBeUndefined();
            const isFirstOfOne = plain.length === 1;
            const made = [...plain.slice(0, at), 'new', 'lines', ...plain.slice(at + 2)];
            expect(await kept(bench)).toBe(isFirstOfOne ? `${mark}new\nlines` : dress(made));
          }),
      ),
      { numRuns: 150 },
    );
  });

  it('[WS20] a search of a file in any form finds what it finds in the plain text, however little one call looks through', async () => {
    await fc.assert(
      fc.asyncProperty(
        lines,
        dresses,
        fc.constantFrom('é', 'が', 'x', 'éx'),
        fc.integer({ min: 1, max: 40 }),
        async (given, { end, form, mark }, sought, most) =>
          withBench(async (bench) => {
            await bench.store.write('f', mark + given.join(end).normalize(form));
            const found: unknown[] = [];
            let cursor: unknown;
            do {
              const page = await bench.call(
                search,
                { text: sought.normalize('NFD'), ...(cursor ? { cursor } : {}) },
                { limits: { maxWorkspaceSearchBytes: most } },
              );
              expect(page.code).toBeUndefined();
              expect(page.cursor).not.toBe(cursor ?? null);
              if (Array.isArray(page.matches)) found.push(...page.matches.map(({ line }) => line));
              ({ cursor } = page);
            } while (cursor !== undefined);
            expect(found).toEqual(given.flatMap((line, at) => (line.includes(sought) ? [at + 1] : [])));
          }),
      ),
      { numRuns: 200 },
    );
  });

  it('[WS20] reading line by line gives the whole file, in its form', async () => {
    await fc.assert(
      fc.asyncProperty(lines, dresses, fc.integer({ min: 1, max: 3 }), async (given, { end, form, mark }, many) =>
        withBench(async (bench) => {
          const text = given.join(end).normalize(form);
          await bench.store.write('f', mark + text);
          let [whole, line] = ['', 1];
          for (let next: unknown = 1; next !== undefined; ) {
            const page = await bench.call(read, { path: 'f', line, lines: many });
            expect(page.code).toBeUndefined();
            whole += String(page.text);
            next = page.nextLine;
            line += many;
            if (next !== undefined) expect(next).toBe(line);
          }
          expect(whole).toBe(text);
        }),
      ),
      { numRuns: 150 },
    );
  });
});
