/** What the tools of a workspace do, whose files they are: one suite for Node and for a Durable Object. */
import { describe, expect, it } from 'vitest';
import { present } from '../support/present';
import { bytesFrom, bytesOf, MiB, sha256, type WithStorage } from './files-support';
import { type Bench, benchOver } from './workspace-support';

/** The whole contract over a storage. */
export function workspaceContract(what: string, withStorage: WithStorage): void {
  describe.each(['own', 'inherited'] as const)(`a workspace of %s files over ${what}`, (whose) => {
    const over = (body: (bench: Bench) => Promise<void>) => () =>
      withStorage((storage) => body(benchOver(storage, whose)));
    readSuite(over);
    bytesSuite(over);
    writeSuite(over);
    editSuite(over);
    searchSuite(over);
    pageSuite(over);
    onceSuite(over);
    passingSuite(over);
    if (whose === 'inherited') farSuite(over);
  });
}

type Over = (body: (bench: Bench) => Promise<void>) => () => Promise<void>;

const read = 'workspace_read_file';
const write = 'workspace_write_file';
const edit = 'workspace_edit_file';
const search = 'workspace_search_files';

function readSuite(over: Over): void {
  it(
    '[WS3] reads lines from any line on, as many as were asked for, and says where to go on',
    over(async ({ call, store }) => {
      const { etag } = await store.write('a.md', 'one\ntwo\nthree\n');
      const facts = { path: 'a.md', version: etag.slice(0, 16), size: 14, mediaType: 'text/plain; charset=utf-8' };
      expect(await call(read, { path: '/a.md' })).toEqual({ ...facts, text: 'one\ntwo\nthree\n', line: 1 });
      expect(await call(read, { path: 'a.md', line: 2, lines: 1 })).toEqual({
        ...facts,
        text: 'two\n',
        line: 2,
        nextLine: 3,
        nextOffset: 8,
      });
      expect(await call(read, { path: 'a.md', line: 3 })).toMatchObject({ text: 'three\n', line: 3 });
      const past = await call(read, { path: 'a.md', line: 4 });
      expect(past).toMatchObject({ code: 'invalid_arguments', error: expect.stringContaining('has 3 lines') });
      expect(await call(read, { path: 'b.md' })).toMatchObject({ code: 'not_found' });
    }),
  );

  it(
    '[WS27] names the tool that lists the files where there is none at a path',
    over(async ({ call }) => {
      const [version, missing] = ['0'.repeat(16), { code: 'not_found', error: expect.stringContaining('none.md') }];
      for (const [tool, more] of [
        [read, {}],
        ['workspace_edit_file', { oldText: 'a', newText: 'b' }],
        ['workspace_delete_file', { version }],
      ] as const) {
        const answer = await call(tool, { path: 'none.md', ...more });
        expect(answer).toMatchObject(missing);
        expect(answer.error).toContain('`workspace_list_files` lists the files.');
      }
    }),
  );

  it(
    '[WS3] gives all of a file in parts, whole characters each, by lines, by bytes and both, whatever the limit',
    over(async ({ call, store }) => {
      const plain = `ä€😀\n${'x'.repeat(9)}\n\n€€€€\nend`;
      const ends = ['\n', '\r\n', '\r'];
      const texts = [
        plain,
        `${plain}\n`,
        ...ends.map((end) => `abc${end}${end}é${end}d`),
        'a\r\r\nb\n\rc\r\n',
        '\r😀\r😀',
      ];
      for (const text of texts) {
        await store.write('f', text);
        for (const most of [1, 5, 6, 7, 10, 100])
          for (const first of [{}, { offset: 0 }, { line: 1, lines: 1 }, { line: 1, lines: 2 }]) {
            const at = JSON.stringify({ text, most, first });
            const limits = { maxWorkspaceReadBytes: most };
            let [all, reached] = ['', 0];
            for (let part = await call(read, { path: 'f', ...first }, { limits }); ; ) {
              expect(part.code, at).toBeUndefined();
              if (part.line !== undefined) expect(part.line, at).toBe(1 + (all.match(/\r\n?|\n/g)?.length ?? 0));
              all += part.text;
              expect(new TextEncoder().encode(String(part.text)).length, at).toBeLessThanOrEqual(Math.max(4, most));
              if (part.nextOffset === undefined) break;
              expect(part.nextOffset, at).toBeGreaterThan(reached);
              reached = Number(part.nextOffset);
              const next = part.nextLine === undefined ? { offset: part.nextOffset } : { line: part.nextLine };
              part = await call(read, { path: 'f', ...next }, { limits });
            }
            expect(all, at).toBe(text);
          }
      }
      // Half a character at the beginning of a file is none of a part.
      await store.write('b', Uint8Array.of(0x80, 97));
      expect(await call(read, { path: 'b', offset: 0 })).toMatchObject({ binary: true });
    }),
  );

  it(
    '[WS3] gives 64 KiB at most by default: exactly that many at once, of one more a second part',
    over(async ({ call, store }) => {
      await store.write('f', 'x'.repeat(65_536));
      const whole = await call(read, { path: 'f' });
      expect([String(whole.text).length, whole.nextOffset]).toEqual([65_536, undefined]);
      await store.write('f', 'x'.repeat(65_537));
      for (const wanted of [{}, { offset: 0 }, { offset: 0, length: 70_000 }]) {
        const part = await call(read, { path: 'f', ...wanted });
        expect([String(part.text).length, part.nextOffset]).toEqual([65_536, 65_536]);
      }
      expect(await call(read, { path: 'f', offset: 65_536 })).toMatchObject({ text: 'x', offset: 65_536 });
      expect(await call(read, { path: 'f', offset: 65_538 })).toMatchObject({ code: 'invalid_request' });
    }),
  );

  it(
    '[WS3] finds a line far into a file of several parts, and an empty file has an empty first line',
    over(async ({ call, store }) => {
      const lines = Array.from({ length: 40_000 }, (_, at) => `${at + 1} ${'x'.repeat(50)}`);
      await store.write('f', lines.join('\n'));
      expect(await call(read, { path: 'f', line: 39_999, lines: 5 })).toMatchObject({
        text: `${lines[39_998]}\n${lines[39_999]}`,
        line: 39_999,
      });
      await store.write('e', '');
      expect(await call(read, { path: 'e' })).toMatchObject({ text: '', line: 1, size: 0 });
    }),
  );
}

function bytesSuite(over: Over): void {
  it(
    '[WS3, WS4] says the same of a file, however it is read',
    over(async ({ call, store }) => {
      await store.write('f', 'one\ntwo\n', { mediaType: 'text/x-log' });
      const { items } = await call('workspace_list_files', {});
      const [{ updatedAt: _updatedAt, ...facts } = {}] = Array.isArray(items) ? items : [];
      expect(facts).toMatchObject({ path: 'f', size: 8, mediaType: 'text/x-log' });
      const ways = [{}, { line: 2 }, { line: 1, lines: 1 }, { offset: 0 }, { offset: 4 }, { offset: 1, length: 2 }];
      for (const way of [...ways, { encoding: 'base64' }, { encoding: 'base64', offset: 3 }])
        expect(await call(read, { path: 'f', ...way }), JSON.stringify(way)).toMatchObject(facts);
    }),
  );

  it(
    '[WS4] describes what is no text, and reads it as base64 in ranges',
    over(async ({ call, store }) => {
      const bytes = bytesOf(10_000);
      await store.write('b.bin', bytes);
      for (const wanted of [{}, { offset: 0 }])
        expect(await call(read, { path: 'b.bin', ...wanted })).toMatchObject({
          path: 'b.bin',
          size: 10_000,
          mediaType: 'application/octet-stream',
          binary: true,
          note: expect.stringContaining('base64'),
        });
      const whole = await call(read, { path: 'b.bin', encoding: 'base64' });
      expect(whole.base64).toBe(Buffer.from(bytes).toString('base64'));
      expect(whole.nextOffset).toBeUndefined();
      const part = await call(read, { path: 'b.bin', encoding: 'base64', offset: 5, length: 3 });
      expect(part).toMatchObject({
        base64: Buffer.from(bytes.slice(5, 8)).toString('base64'),
        offset: 5,
        nextOffset: 8,
      });
      const most = await call(
        read,
        { path: 'b.bin', encoding: 'base64' },
        { limits: { maxWorkspaceReadBytes: 9_999 } },
      );
      expect(most.nextOffset).toBe(9_999);
    }),
  );

  it(
    '[WS5] writes bytes from base64, and refuses what is none, and half a surrogate pair',
    over(async ({ call, store }) => {
      const bytes = bytesOf(999);
      const content = Buffer.from(bytes).toString('base64');
      const written = await call(write, { path: 'b', content, encoding: 'base64', mediaType: 'image/png' });
      expect(written).toMatchObject({ path: 'b', size: 999, mediaType: 'image/png' });
      expect(Buffer.from(await new Response(await store.read('b')).arrayBuffer()).equals(Buffer.from(bytes))).toBe(
        true,
      );
      for (const wrong of [
        { path: 'c', content: 'no base64!', encoding: 'base64' },
        { path: 'c', content: '\ud800' },
      ])
        expect(await call(write, wrong)).toMatchObject({ code: 'invalid_arguments' });
      expect(await store.stat('c')).toBeUndefined();
    }),
  );
}

function writeSuite(over: Over): void {
  it(
    '[WS5, WS11] writes a new file, and replaces one only for who names the version that is there',
    over(async ({ call, store }) => {
      const one = await call(write, { path: 'a/b.md', content: 'one' });
      expect(one).toEqual({
        path: 'a/b.md',
        version: expect.stringMatching(/^[0-9a-f]{16}$/),
        size: 3,
        mediaType: 'text/plain; charset=utf-8',
      });
      expect(await call(write, { path: 'a/b.md', content: 'two' })).toMatchObject({
        code: 'file_changed',
        error: expect.stringContaining('Read it, and give its `version`'),
      });
      const two = await call(write, { path: 'a/b.md', content: 'two', version: one.version });
      expect(two).toMatchObject({ size: 3 });
      expect(await call(write, { path: 'a/b.md', content: 'three', version: one.version })).toMatchObject({
        code: 'file_changed',
        error: expect.stringContaining(`it is now ${String(two.version)}`),
      });
      await store.remove('a/b.md');
      expect(await call(write, { path: 'a/b.md', content: 'x', version: two.version })).toMatchObject({
        code: 'file_changed',
        error: expect.stringContaining('was deleted'),
      });
      expect(await store.stat('a/b.md')).toBeUndefined();
    }),
  );

  it(
    '[WS11] of two writers at once of the same version one wins, and the other is told',
    over(async ({ call, store }) => {
      const { version } = await call(write, { path: 'f', content: 'old' });
      const both = await Promise.all(['one', 'two'].map((content) => call(write, { path: 'f', content, version })));
      expect(both.map(({ code }) => code).sort()).toEqual(['file_changed', undefined]);
      const fresh = await Promise.all(['one', 'two'].map((content) => call(write, { path: 'new', content })));
      expect(fresh.map(({ code }) => code).sort()).toEqual(['file_changed', undefined]);
      expect((await store.list()).items.map(({ path }) => path)).toEqual(['f', 'new']);
    }),
  );

  it(
    '[WS7] deletes a file only for who names the version that is there',
    over(async ({ call, store }) => {
      const { version } = await call(write, { path: 'f', content: 'x' });
      const other = '0'.repeat(16);
      expect(await call('workspace_delete_file', { path: 'f', version: other })).toMatchObject({
        code: 'file_changed',
      });
      expect(await call('workspace_delete_file', { path: 'f', version })).toEqual({ deleted: true });
      expect(await call('workspace_delete_file', { path: 'f', version })).toMatchObject({ code: 'not_found' });
      expect(await store.list()).toEqual({ items: [] });
    }),
  );

  it(
    '[WS5] refuses what the files refuse, as they say it',
    over(async ({ call }) => {
      expect(await call(write, { path: '../x', content: '' })).toMatchObject({ code: 'invalid_request' });
      expect(await call(write, { path: 'x', content: '', mediaType: 'no' })).toMatchObject({ code: 'invalid_request' });
      expect(await call('workspace_list_files', { cursor: '' })).toMatchObject({ code: 'invalid_cursor' });
    }),
  );
}

function editSuite(over: Over): void {
  it(
    '[WS6] replaces a text that stands there once, by anything, and keeps the rest and the media type',
    over(async ({ call, store }) => {
      await store.write('f', 'ab\r\nab c\n', { mediaType: 'text/x-log' });
      const edited = await call(edit, { path: 'f', oldText: 'ab c', newText: '' });
      expect(edited).toMatchObject({ size: 5, mediaType: 'text/x-log' });
      expect(await call(read, { path: 'f' })).toMatchObject({ text: 'ab\r\n\n', version: edited.version });
      await call(edit, { path: 'f', oldText: '\r\n\n', newText: '€' });
      expect(await call(read, { path: 'f' })).toMatchObject({ text: 'ab€' });
    }),
  );

  it(
    '[WS6] changes nothing where the text is not there, or more than once, and says on which lines',
    over(async ({ call, store }) => {
      const { etag } = await store.write('f', 'aaa\nb\naa\nab\nb\nab\nb');
      const refused = (oldText: string) => call(edit, { path: 'f', oldText, newText: 'x' });
      expect(await refused('c')).toMatchObject({
        code: 'invalid_arguments',
        error: expect.stringContaining('match the file exactly'),
      });
      expect((await refused('aa')).error).toContain('3 times (lines 1, 1, 3)');
      expect((await refused('ab\nb')).error).toContain('2 times (lines 4, 6)');
      expect((await store.stat('f'))?.etag).toBe(etag);
      const many = await store.write('many', 'x\n'.repeat(11));
      expect((await call(edit, { path: 'many', oldText: 'x', newText: 'y' })).error).toContain('9, 10, …)');
      const other = { path: 'many', oldText: 'x', newText: 'y', version: '0'.repeat(16) };
      expect(await call(edit, other)).toMatchObject({ code: 'file_changed' });
      expect((await store.stat('many'))?.etag).toBe(many.etag);
    }),
  );

  it(
    '[WS6] writes line ends as the file has them, and as they were given where it has none',
    over(async ({ call, store }) => {
      for (const [lineEnd, before, after] of [
        ['\n', 'a\n', '\nb'],
        ['\r\n', 'a\r\n', '\r\nb'],
        ['\r', 'a\r', '\rb'],
        ['\n', '', ''],
      ] as const) {
        await store.write('f', `${before}here${after}`);
        await call(edit, { path: 'f', oldText: 'here', newText: 'x\ny' });
        const text = await new Response(await store.read('f')).text();
        expect([before, text]).toEqual([before, `${before}x${lineEnd}y${after}`]);
      }
    }),
  );

  it(
    '[WS6] of edits of different places at once all count; one whose text is gone is told',
    over(async ({ call }) => {
      await call(write, { path: 'f', content: '1 2 3' });
      const all = ['1', '2', '3'].map((oldText) => call(edit, { path: 'f', oldText, newText: `<${oldText}>` }));
      expect((await Promise.all(all)).map(({ code }) => code)).toEqual([undefined, undefined, undefined]);
      expect(await call(read, { path: 'f' })).toMatchObject({ text: '<1> <2> <3>' });
      const same = ['<1>', '<1>'].map((oldText, at) => call(edit, { path: 'f', oldText, newText: `${at}` }));
      expect((await Promise.all(same)).map(({ code }) => code).sort()).toEqual(['invalid_arguments', undefined]);
    }),
  );

  it(
    '[WS6] edits a file of several parts, also across the end of one',
    over(async ({ call, store }) => {
      const before = 'x'.repeat(1_048_570);
      await store.write('f', `${before}across the edge${before}`);
      const edited = await call(edit, { path: 'f', oldText: 'across the edge', newText: 'ACROSS' });
      expect(edited).toMatchObject({ size: 2 * before.length + 6 });
      expect(await new Response(await store.read('f')).text()).toBe(`${before}ACROSS${before}`);
    }),
  );
}

function searchSuite(over: Over): void {
  it(
    '[WS9] finds each line once that holds the text, in the order of paths and lines, and where',
    over(async ({ call, store }) => {
      await store.write('b', 'no\nyes yes\nyes');
      await store.write('a/1', 'Yes');
      await store.write('c', 'nothing');
      const found = await call(search, { text: 'yes' });
      expect(found).toEqual({
        matches: [
          { path: 'b', line: 2, offset: 3, text: 'yes yes' },
          { path: 'b', line: 3, offset: 11, text: 'yes' },
        ],
        looked: { files: 3, bytes: 24 },
      });
      expect(await call(search, { text: 'yes', ignoreCase: true, prefix: 'a/' })).toMatchObject({
        matches: [{ path: 'a/1', line: 1, offset: 0, text: 'Yes' }],
      });
    }),
  );

  it(
    '[WS9] takes the text as it is, finds it where it begins anew within itself, and leaves out what is no text',
    over(async ({ call, store }) => {
      await store.write('f', 'a.b\naXb\naab aaab\nÄ€');
      await store.write('g', Uint8Array.of(97, 97, 98, 0));
      expect(await call(search, { text: 'a.b' })).toMatchObject({ matches: [{ line: 1 }], binaryFilesLeftOut: 1 });
      expect(await call(search, { text: 'aaab' })).toMatchObject({ matches: [{ line: 3, offset: 12 }] });
      expect(await call(search, { text: '€' })).toMatchObject({ matches: [{ line: 4, text: 'Ä€' }] });
    }),
  );

  it(
    '[WS9] shows the part of a long line that holds the text',
    over(async ({ call, store }) => {
      await store.write('f', `${'€'.repeat(500)}needle${'€'.repeat(500)}\n`);
      const { matches } = await call(search, { text: 'needle' });
      expect(matches).toEqual([
        { path: 'f', line: 1, offset: 1_500, text: `${'€'.repeat(33)}needle${'€'.repeat(50)}` },
      ]);
    }),
  );

  it(
    '[WS9] goes on from its cursor: with any limits each line is found once, also across the end of what one call looks through',
    over(async ({ call, store }) => {
      const lines = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? `aab${at}` : 'aaa'));
      await store.write('a', lines.join('\n'));
      await store.write('b', 'aab');
      await store.write('c', '');
      await store.write('d', 'xaab');
      for (const limits of [{ maxWorkspaceSearchBytes: 1 }, { maxWorkspaceSearchBytes: 5 }, {}]) {
        for (const limit of [1, 3, 200]) {
          const found: unknown[] = [];
          let cursor: unknown;
          do {
            const page = await call(search, { text: 'aab', limit, ...(cursor ? { cursor } : {}) }, { limits });
            expect(page.code).toBeUndefined();
            if (Array.isArray(page.matches)) found.push(...page.matches);
            ({ cursor } = page);
          } while (cursor !== undefined);
          const offsetOf = (at: number) => lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0);
          const inA = lines.flatMap((line, at) =>
            line.startsWith('aab') ? [{ path: 'a', line: at + 1, offset: offsetOf(at) }] : [],
          );
          const others = [
            { path: 'b', line: 1, offset: 0 },
            { path: 'd', line: 1, offset: 1 },
          ];
          expect(found).toMatchObject([...inA, ...others]);
          expect(found).toHaveLength(inA.length + 2);
        }
      }
    }),
  );

  it(
    '[WS9] a line that holds the text more than once is found once, wherever in it a call ends',
    over(async ({ call, store }) => {
      const lines = ['aabaab', '', 'xaab€aab aab\r', 'aaaab'.repeat(9), 'b', 'aab'];
      await store.write('f', lines.join('\n'));
      const expected = lines.flatMap((line, at) => (line.includes('aab') ? [at + 1] : []));
      for (let most = 1; most <= 60; most++) {
        const found: unknown[] = [];
        let cursor: unknown;
        do {
          const limits = { maxWorkspaceSearchBytes: most };
          const page = await call(search, { text: 'aab', ...(cursor ? { cursor } : {}) }, { limits });
          if (Array.isArray(page.matches)) found.push(...page.matches.map(({ line }) => line));
          ({ cursor } = page);
        } while (cursor !== undefined);
        expect(found, `${most} bytes a call`).toEqual(expected);
      }
    }),
  );

  it(
    '[WS9] looks through exactly as many bytes as it may, and as many files, and then says that there is more',
    over(async ({ call, store }) => {
      await store.write('f', 'x'.repeat(100));
      const through = async (maxWorkspaceSearchBytes: number) =>
        call(search, { text: 'needle' }, { limits: { maxWorkspaceSearchBytes } });
      expect(await through(100)).toEqual({ matches: [], looked: { files: 1, bytes: 100 } });
      expect(await through(99)).toMatchObject({ looked: { files: 1, bytes: 99 }, cursor: expect.any(String) });
      store.clear();
      for (let at = 0; at < 1_000; at++) store.put(`${at}`, new Uint8Array(1).fill(120));
      expect(await call(search, { text: 'y' })).toEqual({ matches: [], looked: { files: 1_000, bytes: 1_000 } });
      store.put('x', new Uint8Array(1).fill(121));
      const page = await call(search, { text: 'y' });
      expect(page).toMatchObject({ matches: [], looked: { files: 1_000 } });
      expect(await call(search, { text: 'y', cursor: page.cursor })).toEqual({
        matches: [{ path: 'x', line: 1, offset: 0, text: 'y' }],
        looked: { files: 1, bytes: 1 },
      });
    }),
  );

  it(
    '[WS9] looks through a changed file again, goes on after one that is gone, and refuses a cursor that is none',
    over(async ({ call, store }) => {
      await store.write('a', 'x\nx');
      await store.write('b', 'x');
      const { cursor } = await call(search, { text: 'x', limit: 1 });
      await store.write('a', 'x\ny');
      expect(await call(search, { text: 'x', cursor })).toMatchObject({
        matches: [{ path: 'a', line: 1 }, { path: 'b' }],
      });
      await store.remove('a');
      expect(await call(search, { text: 'x', cursor })).toMatchObject({ matches: [{ path: 'b' }] });
      for (const wrong of ['', 'x', '1.0.0000000000000000.a', '1.1.0000000000000000.../a'])
        expect(await call(search, { text: 'x', cursor: wrong })).toMatchObject({ code: 'invalid_cursor' });
    }),
  );
}

function pageSuite(over: Over): void {
  it(
    '[WS8] lists what there is of each file, those below a prefix alone, in pages of any size',
    over(async ({ call, store }) => {
      const paths = ['a', 'b/1', 'b/2', 'b3', 'c'];
      for (const [at, path] of paths.entries())
        await store.write(path, 'x'.repeat(at), at % 2 === 0 ? {} : { mediaType: 'text/x-log' });
      const facts = [];
      for (const path of paths) {
        const { etag, ...file } = present(await store.stat(path));
        facts.push({ ...file, version: etag.slice(0, 16) });
      }
      for (const prefix of [undefined, 'b', 'b/', '/b/', 'd'])
        for (const limit of [undefined, 1, 2, 5]) {
          const meant = facts.filter(({ path }) => path.startsWith((prefix ?? '').replace(/^\//, '')));
          const pages: unknown[][] = [];
          for (let cursor: unknown; ; ) {
            const given = { ...(prefix === undefined ? {} : { prefix }), ...(limit === undefined ? {} : { limit }) };
            const page = await call('workspace_list_files', { ...given, ...(cursor === undefined ? {} : { cursor }) });
            if (Array.isArray(page.items)) pages.push(page.items);
            ({ cursor } = page);
            if (cursor === undefined) break;
          }
          expect(pages.flat(), JSON.stringify({ prefix, limit })).toEqual(meant);
          for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit ?? 100);
        }
    }),
  );

  it.each([1, 3_000, 20_000, undefined])(
    '[WS8, WS9] give all in answers that are results, however long what they tell is (%s bytes at most)',
    async (maxToolResultBytes) =>
      over(async ({ call, store }) => {
        const limits = maxToolResultBytes === undefined ? {} : { maxToolResultBytes };
        // What is largest in JSON: quotes in paths, control characters in lines.
        const count = maxToolResultBytes === undefined ? 500 : 20;
        const names = Array.from({ length: count }, (_, at) => `${'"'.repeat(1_000)}${at + 1_000}`);
        const line = `${'\u0001'.repeat(300)}q${'\u0001'.repeat(300)}\n`;
        for (const name of names) store.put(name, new TextEncoder().encode(line));
        const most = Math.max(maxToolResultBytes ?? 1_048_576, 8_192);
        const all = async (tool: 'workspace_list_files' | 'workspace_search_files', input: object) => {
          const paths: string[] = [];
          for (let cursor: unknown; ; ) {
            const page = await call(tool, { ...input, ...(cursor ? { cursor } : {}) }, { limits });
            expect(JSON.stringify(page).length).toBeLessThanOrEqual(most);
            const items = page.items ?? page.matches;
            if (Array.isArray(items)) paths.push(...items.map(({ path }) => path));
            ({ cursor } = page);
            if (cursor === undefined) return paths;
          }
        };
        expect(await all('workspace_list_files', { limit: 500 })).toEqual(names);
        expect(await all('workspace_search_files', { text: 'q', limit: 200 })).toEqual(names);
      })(),
  );

  it(
    '[WS9] finds nothing outside of its prefix, also with the cursor of another search',
    over(async ({ call, store }) => {
      for (const path of ['a', 'b/1', 'b/2']) await store.write(path, 'x\nx');
      const { cursor } = await call(search, { text: 'x', limit: 1 });
      const { matches } = await call(search, { text: 'x', prefix: '/b/', cursor });
      expect(matches).toMatchObject(['b/1', 'b/1', 'b/2', 'b/2'].map((path) => ({ path })));
    }),
  );
}

function onceSuite(over: Over): void {
  it(
    '[WS2] what is done under a key is done once: a repeated call changes nothing and gives the same',
    over(async ({ call, store, files }) => {
      const wanted = { path: 'f', content: 'one' };
      const first = await call(write, wanted, { key: 'k1' });
      const edited = { path: 'f', oldText: 'one', newText: 'one and one' };
      const second = await call(edit, edited, { key: 'k2' });
      await store.write('f', 'by another');
      expect(await call(write, wanted, { key: 'k1' })).toEqual(first);
      expect(await call(edit, edited, { key: 'k2' })).toEqual(second);
      expect(await new Response(await store.read('f')).text()).toBe('by another');
      const version = (await store.stat('f'))?.etag ?? '';
      for (let time = 0; time < 2; time++)
        expect(await call('workspace_delete_file', { path: 'f', version }, { key: 'k3' })).toEqual({ deleted: true });
      await store.write('f', 'anew');
      await call('workspace_delete_file', { path: 'f', version }, { key: 'k3' });
      expect(await store.stat('f')).toMatchObject({ size: 4 });
      expect([await files.done('k1'), await files.done('k3'), await files.done('k4')]).toMatchObject([
        { file: { size: 3 } },
        {},
        undefined,
      ]);
    }),
  );

  it(
    '[WS2] the same call twice at once is done once',
    over(async ({ call, store }) => {
      const twice = [1, 2].map(() => call(write, { path: 'f', content: 'one' }, { key: 'k' }));
      const [one, two] = await Promise.all(twice);
      expect(one).toEqual(two);
      const edits = [1, 2].map(() => call(edit, { path: 'f', oldText: 'one', newText: 'one one' }, { key: 'e' }));
      const [first, second] = await Promise.all(edits);
      expect(first).toMatchObject({ size: 7 });
      expect(first).toEqual(second);
      expect(await new Response(await store.read('f')).text()).toBe('one one');
    }),
  );
}

/** Bytes are not held: what crosses is read when it is asked for, and written part by part. */
function passingSuite(over: Over): void {
  it('[WS16, WS6] a big file passes a part at a time: what nobody reads is not read, and nothing bigger than a part is kept', () =>
    over(async (bench) => {
      const size = 12 * MiB;
      const { counts, call, files, store } = bench;
      await store.write('big', bytesOf(size));
      counts.statements = 0;
      const { body } = await files.open('big');
      const reader = body.getReader();
      await reader.read();
      expect(counts.statements).toBeLessThanOrEqual(4);
      await reader.cancel();
      const needle = { oldText: 'needle', newText: 'N' };
      const around = bytesOf(4 * MiB, 3);
      let parts = 0;
      const stream = new ReadableStream<Uint8Array>({
        pull(controller) {
          parts++;
          controller.enqueue(parts === 2 ? new TextEncoder().encode('needle') : around);
          if (parts === 3) controller.close();
        },
      });
      await files.write('b', stream, { size: 8 * MiB + 6 });
      expect(await call(edit, { path: 'b', ...needle })).toMatchObject({ size: 8 * MiB + 1 });
      expect(counts.largestBlob).toBeLessThanOrEqual(MiB);
      const read = await bytesFrom((await files.open('b')).body);
      expect(sha256(read)).toBe(sha256(Buffer.concat([around, Buffer.from('N'), around])));
    })());
}

/** What only files of another agent can do: not be reached, or refuse who asks. */
function farSuite(over: Over): void {
  it(
    '[WS13] is refused once the task of who asks has ended, and where the owner is another one or gone',
    over(async (bench) => {
      const { call, children, owner } = bench;
      const list = () => call('workspace_list_files', {});
      expect(await list()).toEqual({ items: [] });
      const [[id, child] = []] = [...children];
      children.clear();
      expect(await list()).toMatchObject({
        code: 'gone',
        error: expect.stringContaining('task of this agent has ended'),
      });
      if (id === undefined || child === undefined) throw new Error('Nobody inherited the files.');
      children.set(id, { ...child, sessionId: 's_other', address: '/agents/top/one/sub/leaf/1~2' });
      expect(await list()).toMatchObject({ code: 'gone' });
      children.set(id, { ...child, sessionId: 's_between', address: '/a/sub/leaf' });
      expect(await list()).toEqual({ items: [] });
      bench.owner = undefined;
      expect(await list()).toMatchObject({ code: 'gone', error: expect.stringContaining('no longer exists') });
      if (owner) bench.owner = { state: { ...owner.state, session: { ...owner.state.session, sessionId: 's_next' } } };
      expect(await list()).toMatchObject({ code: 'gone' });
    }),
  );

  it(
    '[WS15] a change whose answer was lost is looked up by its key, and never made twice',
    over(async (bench) => {
      const { call, store, time } = bench;
      let writes = 0;
      bench.network = async (perform, { ask }) => {
        const answer = await perform();
        if (ask.op === 'write' && ++writes === 1) throw new Error('The answer was lost.');
        return answer;
      };
      expect(await call(write, { path: 'f', content: 'x' })).toMatchObject({ size: 1 });
      expect([writes, (await store.list()).items.length, time.problems.length]).toEqual([1, 1, 1]);
    }),
  );

  it(
    '[WS15] a deletion whose answer was lost was made; one that did not arrive is `unavailable`, and the file stays',
    over(async (bench) => {
      const { files, store } = bench;
      for (const arrives of [true, false])
        for (const key of ['k', undefined]) {
          const path = `f-${arrives}-${key}`;
          await store.write(path, 'x');
          bench.network = async (perform, { ask }) => {
            if (ask.op === 'remove' && !arrives) throw new Error('The call was lost.');
            const answer = await perform();
            if (ask.op === 'remove') throw new Error('The answer was lost.');
            return answer;
          };
          const options = key === undefined ? {} : { key: path };
          const code = await files.remove(path, options).then(
            () => 'deleted',
            (error) => error.code,
          );
          expect([path, code]).toEqual([path, arrives && key ? 'deleted' : 'unavailable']);
          expect((await store.stat(path)) === undefined).toBe(arrives);
        }
      bench.network = (perform) => perform();
      await expect(files.remove('none', { key: 'other' })).rejects.toMatchObject({ code: 'not_found' });
    }),
  );

  it(
    '[WS15] an owner that is not reached is asked four times, and then the call fails with `unavailable`',
    over(async (bench) => {
      const asked: string[] = [];
      bench.network = async (_perform, { ask }) => {
        asked.push(ask.op);
        throw new Error('Nobody is there.');
      };
      const listing = bench.call('workspace_list_files', {});
      await bench.time.pass(1_250);
      expect(await listing).toMatchObject({ code: 'unavailable' });
      expect(asked).toEqual(['list', 'list', 'list', 'list']);
    }),
  );
}
