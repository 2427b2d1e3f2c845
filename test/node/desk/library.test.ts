import { describe, expect, it } from 'vitest';
import { LibraryStore, openLibrary } from '../../../src/desk/library-store';
import { LIBRARY_LIMITS } from '../../../src/desk/uploads';
import { nodeStorage } from '../../../src/testing/node-storage';
import { present } from '../../support/present';
import { document, libraryOf } from './support';

const FRUIT = document(
  'fruit',
  '# Fruit\n\n## Apples\n\nApples keep for months in a cool cellar, and some sorts are better after it.\n\n## Pears\n\nPears ripen off the tree. A pear that is left hanging too long becomes soft from the inside.\n\n## Storing\n\nApples and pears must be stored apart, because apples give off a gas that ripens pears.\n',
);
const ROOTS = document(
  'roots',
  '# Roots\n\nCarrots and beets are stored in damp sand, in a cellar that is dark and does not freeze.\n',
);
const upload = (name: string, text: string, mediaType = 'text/markdown') => ({ name, mediaType, text });
const ids = (found: { passages: readonly { passage: string }[] }) => found.passages.map(({ passage }) => passage);

describe('search', () => {
  const library = libraryOf(FRUIT, ROOTS);

  it('[D3] puts passages with all words first, then those with some, and matches by stem', () => {
    const [first, ...others] = ids(library.search({ query: 'storing a pear with an apple' }));
    expect(first).toBe('fruit#3');
    expect(others.sort()).toEqual(['fruit#1', 'fruit#2', 'roots#1']);
    expect(ids(library.search({ query: 'carrot' }))).toEqual(['roots#1']);
  });

  it('[D3] ranks a rare word above a common one, and a heading above the text', () => {
    const filler = Array.from({ length: 30 }, (_, index) =>
      document(`d${index}`, `# D\n\nThe cellar of house ${index} is cold, and nobody goes there in winter.`),
    );
    const rare = document('rare', '# R\n\nA medlar is eaten late in the year, when frost has made it soft and brown.');
    const headed = document(
      'headed',
      '# H\n\n## Medlar\n\nThis fruit is eaten late in the year, when frost has made it soft and brown.',
    );
    expect(ids(libraryOf(...filler, rare, headed).search({ query: 'cellar medlar', limit: 3 })).slice(0, 2)).toEqual([
      'headed#1',
      'rare#1',
    ]);
  });

  it('[D3] answers each passage with document, title, heading, id, text and score, at most `limit` of them', () => {
    const { passages } = library.search({ query: 'apples cellar', limit: 1 });
    expect(passages).toEqual([
      {
        document: 'fruit',
        title: 'Fruit',
        heading: 'Apples',
        passage: 'fruit#1',
        text: 'Apples keep for months in a cool cellar, and some sorts are better after it.',
        score: expect.any(Number),
      },
    ]);
    expect(present(passages[0]).score).toBeGreaterThan(0);
    expect(library.search({ query: 'cellar', limit: -5 }).passages).toHaveLength(1);
    expect(library.search({ query: 'cellar', limit: Number.NaN }).passages).toHaveLength(2);
  });

  it.each([
    '"',
    'apples"',
    'NEAR(apples pears, 2)',
    'text : apples',
    '{title text} : apples',
    'apples*',
    '^apples',
    'apples AND',
    'OR OR OR',
    '-apples',
    '(apples',
    "'; DROP TABLE passages; --",
    'apples\u0000pears',
    '\ud800apples',
    '%_?:@$',
    '',
  ])('[D4] takes the hostile query %j as words', (query) => {
    const found = library.search({ query });
    const expected = /apples/.test(query) ? 'fruit' : undefined;
    expect(found.passages[0]?.document).toBe(expected);
    expect(library.list().documents).toHaveLength(2);
  });

  it('[D4] leaves out what is more than 24 terms, whatever the length of the query', () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(' ');
    const found = library.search({ query: `apples ${words}` });
    expect(found.terms).toHaveLength(24);
    expect(ids(found)).toContain('fruit#1');
  });

  it('[D5] leaves stop words out unless there is nothing else', () => {
    expect(library.search({ query: 'What is the apple?' }).terms).toEqual([{ term: 'apple', passages: 2 }]);
    expect(library.search({ query: 'what is that' }).terms.map(({ term }) => term)).toEqual(['what', 'is', 'that']);
    expect(library.search({ query: '?!' })).toEqual({ passages: [], whole: 0, terms: [], passagesInLibrary: 4 });
  });

  it('[D10] says how many passages hold each word, 0 for a word that is nowhere', () => {
    const { terms, passagesInLibrary } = library.search({ query: 'cellar durian' });
    expect(terms).toEqual([
      { term: 'cellar', passages: 2 },
      { term: 'durian', passages: 0 },
    ]);
    expect(passagesInLibrary).toBe(4);
  });
});

describe('read', () => {
  const library = libraryOf(FRUIT, ROOTS);

  it('[D2] answers exactly the passage of an id, or a number, and its neighbours on request', () => {
    const read = library.read('fruit', 'fruit#2');
    expect(read).toMatchObject({ ok: true, truncated: false, passages: [{ passage: 'fruit#2', heading: 'Pears' }] });
    expect(library.read('fruit', '2')).toEqual(read);
    const around = library.read('fruit', 'fruit#2', 99);
    expect(around.ok && around.passages.map(({ passage }) => passage)).toEqual(['fruit#1', 'fruit#2', 'fruit#3']);
  });

  it.each(['fruit#4', 'fruit#0', 'roots#1', 'fruit#2x', '#', 'x', '-1', 'fruit#99999999999'])(
    '[D2] answers `not_found` with what there is for %j',
    (passage) => {
      const read = library.read('fruit', passage);
      expect(read).toMatchObject({ ok: false, error: { code: 'not_found' } });
      expect(!read.ok && read.error.message).toContain('fruit#1 to fruit#3');
    },
  );

  it('[D2] answers `not_found` for an unknown document, and cuts a long one where it says so', () => {
    expect(library.read('nuts')).toMatchObject({ ok: false, error: { code: 'not_found' } });
    const long = Array.from({ length: 60 }, (_, index) => `Paragraph ${index} ${'goes on and on '.repeat(6)}`).join(
      '\n\n',
    );
    library.add(upload('long.md', long));
    const read = library.read('long.md');
    expect(read.ok && [read.passages.length, read.truncated]).toEqual([LIBRARY_LIMITS.maxReadPassages, true]);
  });
});

describe('seed', () => {
  it('[D6] does nothing for the version that it has, and replaces everything seeded for another', () => {
    const library = libraryOf(FRUIT, ROOTS);
    expect(library.seed('test', [])).toMatchObject({ seeded: false });
    expect(library.list().documents).toHaveLength(2);
    expect(library.seed('next', [ROOTS])).toMatchObject({ seeded: true, documents: 1 });
    expect(library.list().documents.map(({ name }) => name)).toEqual(['roots']);
    expect(library.search({ query: 'apples' }).passages).toEqual([]);
  });

  it('[D6] keeps uploads', () => {
    const library = libraryOf(FRUIT);
    library.add(upload('notes.md', 'Plums are dried on racks.'));
    library.seed('next', [ROOTS]);
    expect(library.list().documents.map(({ name }) => name)).toEqual(['roots', 'notes.md']);
    expect(ids(library.search({ query: 'plums' }))).toEqual(['notes.md#1']);
  });

  it('[D6] changes nothing when one document cannot be taken', () => {
    const library = libraryOf(FRUIT);
    expect(() => library.seed('next', [ROOTS, document('No good', '# x')])).toThrow(/lower-case/);
    expect(() => library.seed('next', [ROOTS, ROOTS])).toThrow(/once/);
    expect(library.version).toBe('test');
    expect(library.list().documents.map(({ name }) => name)).toEqual(['fruit']);
  });

  it('[D6] keeps an old corpus up to date when it is opened, but not one of another choice', () => {
    const storage = nodeStorage();
    openLibrary(storage, { version: 'shipped-1', documents: [FRUIT] });
    expect(openLibrary(storage, { version: 'shipped-2', documents: [ROOTS] }).version).toBe('shipped-2');
    const own = openLibrary(storage, { version: 'shipped-2', documents: [ROOTS] });
    own.seed('mine', [FRUIT]);
    expect(openLibrary(storage, { version: 'shipped-3', documents: [ROOTS] }).list().documents).toMatchObject([
      { name: 'fruit' },
    ]);
  });
});

describe('uploads', () => {
  it('[D7] keeps the same text under the same name once', () => {
    const library = libraryOf(FRUIT);
    const first = library.add(upload('uploads/My notes.md', '# Plums\n\nPlums are dried on racks.'));
    expect(first).toMatchObject({
      ok: true,
      status: 'added',
      document: { name: 'My-notes.md', title: 'Plums', passages: 1 },
    });
    expect(library.add(upload('uploads/My notes.md', '# Plums\n\nPlums are dried on racks.'))).toMatchObject({
      status: 'unchanged',
    });
    expect(library.list().documents).toHaveLength(2);
  });

  it('[D7] gives another text under a taken name the next free name, and replaces only on request', () => {
    const library = libraryOf();
    for (const text of ['Plums.', 'Cherries.', 'Quinces.']) library.add(upload('n.md', text));
    expect(library.list().documents.map(({ name }) => name)).toEqual(['n-2.md', 'n-3.md', 'n.md']);
    expect(library.add(upload('n.md', 'Cherries.'))).toMatchObject({
      status: 'unchanged',
      document: { name: 'n-2.md' },
    });
    expect(library.add({ ...upload('n.md', 'Medlars.'), replace: true })).toMatchObject({
      status: 'replaced',
      document: { name: 'n.md' },
    });
    expect(library.search({ query: 'plums' }).passages).toEqual([]);
    expect(ids(library.search({ query: 'medlars' }))).toEqual(['n.md#1']);
  });

  it.each([
    ['fruit', 'fruit.txt'],
    ['../../etc/passwd', 'passwd.txt'],
    ['a\\b\\c.csv', 'c.csv'],
    ['Größe (neu).md', 'Größe-neu-.md'],
    ['###', 'document.txt'],
    [`${'x'.repeat(500)}.md`, `${'x'.repeat(85)}.md`],
  ])('[D7] names the upload %j %j, which no shipped name can be', (name, kept) => {
    expect(libraryOf(FRUIT).add(upload(name, 'text of some length', 'text/plain'))).toMatchObject({
      document: { name: kept },
    });
  });

  it.each([
    [upload('a.png', 'x', 'image/png'), 'unsupported_media_type'],
    [upload('a.bin', 'x', 'application/octet-stream'), 'unsupported_media_type'],
    [upload('a.txt', '', 'text/plain'), 'invalid_request'],
    [upload('a.txt', ' \n ', 'text/plain'), 'invalid_request'],
    [upload('a.txt', 'a\u0000b', 'text/plain'), 'invalid_request'],
    [upload('', 'x', 'text/plain'), 'invalid_request'],
    [{ name: 'a.txt', mediaType: 'text/plain', text: 7 as never }, 'invalid_request'],
  ])('[D8] refuses %j with a typed error as data', (file, code) => {
    const library = libraryOf();
    expect(library.add(file)).toMatchObject({ ok: false, error: { code } });
    expect(library.list().documents).toEqual([]);
  });

  it('[D8] takes a document of 2 MB and refuses one byte more', () => {
    const library = libraryOf();
    const line = `${'word '.repeat(290)}\n\n`;
    const text = line
      .repeat(Math.ceil(LIBRARY_LIMITS.maxDocumentBytes / line.length))
      .slice(0, LIBRARY_LIMITS.maxDocumentBytes);
    expect(library.add(upload('big.txt', `${text}x`, 'text/plain'))).toMatchObject({
      error: { code: 'payload_too_large' },
    });
    expect(library.add(upload('big.txt', text, 'text/plain'))).toMatchObject({
      ok: true,
      document: { bytes: 2_097_152 },
    });
    expect(library.add(upload('wide.txt', 'ß'.repeat(1_048_577), 'text/plain'))).toMatchObject({
      error: { code: 'payload_too_large' },
    });
  });

  it('[D8] takes 4,000 passages in a document and refuses one more', () => {
    const library = libraryOf();
    const text = (count: number) => Array.from({ length: count }, (_, index) => `## h${index}\nPassage`).join('\n');
    expect(library.add(upload('many.md', text(4_001)))).toMatchObject({ error: { code: 'payload_too_large' } });
    expect(library.add(upload('many.md', text(4_000)))).toMatchObject({ ok: true, document: { passages: 4_000 } });
  });

  it('[D53] takes 100 documents of a root, and refuses one more unless it replaces one', () => {
    const library = libraryOf(FRUIT);
    for (let index = 0; index < 100; index++)
      expect(library.add(upload(`${index}.md`, 'text'))).toMatchObject({ ok: true });
    expect(library.add(upload('one-more.md', 'text'))).toMatchObject({
      ok: false,
      error: { code: 'payload_too_large', message: expect.stringMatching(/100 documents.*Remove some/) },
    });
    expect(library.add({ ...upload('7.md', 'other'), replace: true })).toMatchObject({ ok: true, status: 'replaced' });
    expect(library.list().documents).toHaveLength(101);
  });

  it('[D53] holds so many bytes and passages and no more, and what is shipped counts nothing', () => {
    const text = 'one two three four five';
    const room = { maxDocuments: 9, maxBytes: 2 * text.length, maxPassages: 2 };
    const library = new LibraryStore(nodeStorage(), room);
    library.seed('test', [FRUIT, ROOTS]);
    expect(library.add(upload('bytes.md', `${text}${text}!`))).toMatchObject({ error: { code: 'payload_too_large' } });
    expect(library.add(upload('passages.md', '# t\n## a\nb\n## c\nd\n## e\nf'))).toMatchObject({ ok: false });
    expect(library.add(upload('one.md', text))).toMatchObject({ ok: true });
    expect(library.add(upload('two.md', `${text.slice(1)}!`))).toMatchObject({ ok: true });
    expect(library.add(upload('three.md', '!'))).toMatchObject({ error: { code: 'payload_too_large' } });
    expect([LIBRARY_LIMITS.own, LIBRARY_LIMITS.shared]).toEqual([
      { maxDocuments: 100, maxBytes: 16_777_216, maxPassages: 20_000 },
      { maxDocuments: 500, maxBytes: 33_554_432, maxPassages: 20_000 },
    ]);
  });

  it('[D54] is added in bounded portions: until the last nothing of it is found, and what is given up leaves nothing', () => {
    const storage = nodeStorage();
    const library = new LibraryStore(storage);
    const many = upload('many.md', Array.from({ length: 950 }, (_, index) => `## h${index}\nPlums`).join('\n'));
    const rows = () => Number(storage.sql.exec('SELECT count(*) AS n FROM passages').toArray()[0]?.n);
    const work = library.adding(many);
    let turns = 0;
    for (let before = 0; !work.next().done; turns++) {
      expect(rows() - before).toBeLessThanOrEqual(100);
      before = rows();
      expect(library.list().documents).toEqual([]);
      expect(library.search({ query: 'plums' })).toMatchObject({ passages: [], terms: [{ passages: 0 }] });
      if (before === 500) expect(library.remove('many.md').ok).toBe(false);
    }
    expect(turns).toBeGreaterThan(9);
    expect(library.search({ query: 'plums' }).terms).toEqual([{ term: 'plums', passages: 950 }]);

    const given = library.adding(upload('given-up.md', many.text));
    while (rows() < 1_200) given.next();
    expect(new LibraryStore(storage).list().documents).toHaveLength(1);
    expect(rows()).toBe(950);
    expect(library.add(upload('next.md', 'Plums again.'))).toMatchObject({ ok: true });
    expect(library.search({ query: 'plums' }).terms).toEqual([{ term: 'plums', passages: 951 }]);
  });

  it('[D9] removes an upload with its passages, and nothing that was seeded', () => {
    const library = libraryOf(FRUIT);
    library.add(upload('notes.md', 'Plums are dried on racks.'));
    expect(library.remove('notes.md')).toEqual({ ok: true, removed: 'notes.md' });
    expect(library.search({ query: 'plums' }).passages).toEqual([]);
    expect(library.remove('notes.md')).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(library.remove('fruit')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });
});
