/** Banned words, as the house finds them. */
import { describe, expect, it } from 'vitest';
import { BANNED } from '../../../scripts/lib/house/banned.mjs';
import { bannedIn, placesOfPage, placesOfSource, wordsOfName } from '../../../scripts/lib/house/words.mjs';
import { parseSource } from '../../../scripts/lib/source.mjs';

/** For each word: texts that have it, and texts in which the same letters are right. */
const PROSE: Readonly<Record<string, { has: readonly string[]; right: readonly string[] }>> = {
  tell: {
    has: ['The parent is told.', 'It tells the root.'],
    right: ['Nobody can tell the two apart.', 'An intelligent teller.'],
  },
  owe: { has: ['A stop is owed.', 'Its dues.'], right: ['Owing to a crash.', 'The power it is due.'] },
  stands: {
    has: ['It shows how they stand.', 'It stands below.'],
    right: ['A star stands for any name.', 'They understand.'],
  },
  elsewhere: { has: ['Agents elsewhere.', 'A tool of theirs.'], right: ['It was here, and there.'] },
  'goes on': {
    has: ['The run goes on.', 'It went on, and\n ended.', 'go on the run'],
    right: ['It goes on the page.', 'It goes on top.', 'It logs one.'],
  },
  'for good': { has: ['It is ended for good.'], right: ['It is refused for good reason.'] },
  brings: { has: ['It gives a list.', 'Files were brought.'], right: ['It gives up.', 'What is given.'] },
  'is none': { has: ['A name that is none.', 'Nothing is called so.'], right: ['There is none.'] },
  meanwhile: { has: ['Meanwhile it works.'], right: ['It works while it waits.'] },
  'as it was': { has: ['All stays as it was.', 'as they were before'], right: ['It is kept as it was sent.'] },
  'what … is': {
    has: [
      'It ends. What it spent is kept.',
      'It ends, and what is open is closed.',
      '- **A1** What a child owns is new.',
    ],
    right: ['It says what it is.', 'What is it that is gone?', 'It shows who asked, and what the run is worth.'],
  },
  whoever: { has: ['Whoever asks.'], right: ['Those who ask.'] },
  'of its own': { has: ['It has a limit of its own.'], right: ['It is in an object of its own.', 'Its own limit.'] },
};

const NAMES = [
  ['isToldAtRest', 'tell'],
  ['owedEffects', 'owe'],
  ['child-standing', 'stands'],
  ['stopThere', 'elsewhere'],
  ['asItWas', 'as it was'],
  ['GOES_ON', 'goes on'],
  ['LeftPlaces', 'left'],
  ['come_along', 'along'],
] as const;

const RIGHT_NAMES = ['therefore', 'scrollLeft', 'padLeft', 'standard', 'giveUp', 'always', 'email', 'lower'];

const found = (text: string, where: 'prose' | 'names') => bannedIn(text, where).map(({ word }) => word);

describe('banned words', () => {
  it('[HS5] each word and form of prose is found, and its right uses are not', () => {
    expect(Object.keys(PROSE)).toEqual(BANNED.filter(({ prose }) => prose).map(({ word }) => word));
    for (const [word, { has, right }] of Object.entries(PROSE)) {
      for (const text of has) expect(found(text, 'prose'), text).toContain(word);
      for (const text of right) expect(found(text, 'prose'), text).not.toContain(word);
    }
  });

  it('[HS5] identifiers are read word by word', () => {
    expect(wordsOfName('MAX_URLSThere2be')).toBe('max urls there2be');
    for (const [name, word] of NAMES) expect(found(wordsOfName(name), 'names'), name).toContain(word);
    for (const name of RIGHT_NAMES) expect(found(wordsOfName(name), 'names'), name).toEqual([]);
  });

  it('[HS6] a page is read without its code and links, but with the comments in its programs', () => {
    const page = [
      '# Told',
      'See `told` and [this](told.md).',
      '```ts',
      'const told = 1; // it is told',
      '```',
      'It goes',
      'on.',
    ].join('\n');
    expect(placesOfPage('docs', 'docs/a.md', page)).toEqual([
      { kind: 'docs', path: 'docs/a.md', line: 1, word: 'tell', found: 'Told' },
      { kind: 'docs', path: 'docs/a.md', line: 4, word: 'tell', found: 'told' },
      { kind: 'docs', path: 'docs/a.md', line: 6, word: 'goes on', found: 'goes on' },
    ]);
  });

  it('[HS6] a source file is read by its comments, its texts and the names that it declares', () => {
    const source = parseSource(
      'src/tell-there.tsx',
      [
        '/** It goes',
        ' * on. `told` */',
        "import { told } from './told';",
        "import { a as owed } from './a';",
        'interface A { left?: true; state: "told" | "open" }',
        'function f(brings: number, { told, here: there }: B): void { const x = { told, owed: 1 }; }',
        `const message = 'It was told ' + 'told' + \`\${told} was told\`;`,
        'const page = <p className="told of it">Told <b>{told}</b></p>;',
      ].join('\n'),
    );
    const places = placesOfSource(source).map(({ kind, line, word, found }) => [kind, line, word, found]);
    expect(places).toEqual([
      ['comments', 1, 'goes on', 'goes on'],
      ['texts', 7, 'tell', 'told'],
      ['texts', 7, 'tell', 'told'],
      ['texts', 8, 'tell', 'Told'],
      ['identifiers', 1, 'tell', 'tell-there'],
      ['identifiers', 1, 'elsewhere', 'tell-there'],
      ['identifiers', 4, 'owe', 'owed'],
      ['identifiers', 5, 'left', 'left'],
      ['identifiers', 5, 'tell', 'told'],
      ['identifiers', 6, 'brings', 'brings'],
      ['identifiers', 6, 'elsewhere', 'there'],
    ]);
  });

  it('[HS6] a form does not reach from one comment to another, and a left beside a right is a side', () => {
    const apart = parseSource('src/a.ts', '// It goes\nconst a = 1;\n// on.\n');
    expect(placesOfSource(apart)).toEqual([]);
    const together = parseSource('src/a.ts', '// It goes\n// on.\n');
    expect(placesOfSource(together)).toHaveLength(1);
    expect(placesOfSource(parseSource('src/a.ts', 'const left = 1, right = 2;'))).toEqual([]);
    expect(placesOfSource(parseSource('src/a.ts', 'const left = 1;'))).toHaveLength(1);
  });
});
