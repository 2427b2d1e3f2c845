// Finds where something is decided, carried out, shown, numbered, promised and tested: what `npm run where` prints.
//
// A file is found by the words of its path, header, exports and numbers, of the section of SPEC.md that it belongs to, and
// of the promises that it cites. Each word counts by how rare it is, and by the best place where it stands.

/**
 * @typedef {import('./headers.mjs').House} House
 * @typedef {import('./headers.mjs').File} File
 * @typedef {import('./headers.mjs').Promised} Promised
 * @typedef {import('./headers.mjs').Test} Test
 * @typedef {{ path: string, line: number, name: string, value: string, doc: string }} Named
 * @typedef {{ decided: File[], carriedOut: File[], shown: File[], declared: Named[], numbers: Named[],
 *   promises: Promised[], tests: Test[], missed: string[] }} Found `missed`: words of the question that the best match lacks
 */

/** Rooms that decide. A file elsewhere decides where its header says so. */
const DECIDING = /^src\/(?:core|access|protocol|capabilities)\//;
const SHOWING = /^src\/(?:verbs|gateway|sockets|client|console|cli)\//;

/** Words that say nothing of a subject. */
const SMALL = new Set(
  'a after an and any are as at be before by can do does for from has have how i in is it its long many may much must my not of on one or our out so that the their them then there these they this to up was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** What a match in one place of a file is worth. */
const WORTH = {
  file: 9,
  subject: 7,
  decides: 8,
  number: 5,
  symbol: 4,
  section: 5,
  about: 2,
  header: 3,
  promise: 2,
  read: 2,
};
/** A further place where the word stands counts by this share. */
const AGAIN = 0.25;
/** What only begins with the word counts by this share. */
const BEGINS = 0.5;
/** Another word for the same counts by this share. */
const OTHER = 0.9;
/** A declaration that is called exactly so. */
const EXACT = 40;
/** Code that uses what is called exactly so. */
const USED = 3;
/** The whole question in the name of a file or of a number, or in what its header says first, counts so many times. */
const TOGETHER = { called: 2, name: 1.6, header: 1.4, number: 1.35, apart: 1 };
/** Who decides counts more than who is told; of scripts somebody asks rarely. */
const ROOM = { decides: 1.25, script: 0.5 };
/** So many promises, the best, lead to their tests. */
const TOP = 5;
/** Files below this share of the best score are left out. */
const NEAR = 0.3;

/** Usual words, with those that the source has for the same. */
const ALIKE = new Map(
  Object.entries({
    abort: ['stop'],
    cancel: ['stop', 'abort'],
    cap: ['max', 'limit'],
    delete: ['remove', 'removal'],
    idempotency: ['receipt'],
    interrupt: ['stop'],
    lease: ['expires', 'age'],
    lifetime: ['expires', 'age', 'kept'],
    live: ['expires', 'age', 'kept', 'counts'],
    maximum: ['max', 'limit', 'most'],
    pause: ['suspend', 'interrupt'],
    permission: ['rights', 'access', 'authorize'],
    retry: ['try'],
    secret: ['variable', 'vault'],
    subagent: ['child'],
    terminate: ['stop'],
    timeout: ['time', 'timeout'],
    webhook: ['hook'],
  }).map(([word, others]) => [stem(word), others.map(stem)]),
);

/** A word without its ending, so that tries and tried, or stops and stopped are one. @param {string} word */
export function stem(word) {
  const bare = word
    .replace(/'s?$/, '')
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/([^aeiou])\1(?:ing|ed)$/, '$1')
    .replace(/(?<=..)(?:ing|ed|es|s)$/, '');
  return bare.replace(/(?<=..)e$/, '');
}

/** The words of a text, those of joined names apart. @param {string} text @returns {string[]} */
function wordsOf(text) {
  return (text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z][A-Za-z0-9']*|\d+/g) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !SMALL.has(word))
    .map(stem);
}

/** How well a text has a word: 1 for the word, less for one that begins with it. @param {Set<string>} words @param {string} word */
function has(words, word) {
  if (words.has(word)) return 1;
  if (ALIKE.get(word)?.some((each) => words.has(each))) return OTHER;
  return word.length >= 4 && [...words].some((each) => each.startsWith(word)) ? BEGINS : 0;
}

/** The words of texts that were looked at, for further questions. @type {Map<string, Set<string>>} */
const looked = new Map();

/** @param {string[]} texts @returns {Set<string>} */
function setOf(...texts) {
  const text = texts.join('\n');
  const words = looked.get(text) ?? new Set(wordsOf(text));
  looked.set(text, words);
  return words;
}

/**
 * What is searched of a file: the words of each place, with what they are worth, and those that say most.
 * @param {File} file @param {House} house @param {readonly string[]} numbers the names of all in src
 */
function indexed(file, { sections, promises }, numbers) {
  const [first = ''] = file.ids;
  const section = sections.find(({ ids }) => ids.includes(first));
  const name = setOf(file.path.replace(/^.*\/|\.\w+$/g, ''));
  const cited = promises.filter(({ id }) => file.ids.includes(id)).map(({ text }) => text);
  const read = numbers.filter((each) => file.names.has(each.toLowerCase()));
  const places = [
    { words: name, worth: WORTH.file },
    { words: setOf(file.subject), worth: WORTH.subject },
    { words: setOf(file.decides), worth: WORTH.decides },
    { words: setOf(section?.title ?? ''), worth: WORTH.section },
    { words: setOf(...file.numbers.map((each) => each.name)), worth: WORTH.number },
    { words: setOf(...file.symbols.map((each) => each.name)), worth: WORTH.symbol },
    { words: setOf(...read), worth: WORTH.read },
    { words: setOf(file.rest, file.path), worth: WORTH.header },
    { words: setOf(...[...file.symbols, ...file.numbers].map(({ doc }) => doc)), worth: WORTH.about },
    { words: setOf(...cited), worth: WORTH.promise },
  ];
  return { file, places, name, header: setOf(file.subject, file.decides, file.path) };
}

/** @type {WeakMap<House, ReturnType<typeof indexed>[]>} */
const indexes = new WeakMap();

/** All files of a project, made once. @param {House} house */
function indexOf(house) {
  const sources = house.files.filter(({ path }) => path.startsWith('src/'));
  const numbers = sources.flatMap((file) => file.numbers.map(({ name }) => name));
  const index = indexes.get(house) ?? house.files.map((file) => indexed(file, house, numbers));
  indexes.set(house, index);
  return index;
}

/** A word at a file: the best place, and a share of the others. @param {{ words: Set<string>, worth: number }[]} places @param {string} word */
function worthOf(places, word) {
  const all = places.map(({ words, worth }) => worth * has(words, word)).sort((a, b) => b - a);
  return all.reduce((sum, each, at) => sum + (at === 0 ? each : each * AGAIN), 0);
}

/** A file, or a name of the code: no word of the language. @param {string} question */
const isName = (question) => /^\S*(?:[a-z0-9][A-Z]|[./_])\S*$/.test(question);

/** What a name is worth at a file: it is called so, declares it, or uses it. @param {File} file @param {string} name in lower case */
function exactOf(file, name) {
  const path = `/${file.path.toLowerCase()}`;
  if (path.endsWith(`/${name}`) || path.includes(`/${name}.`)) return EXACT;
  if ([...file.symbols, ...file.numbers].some((each) => each.name.toLowerCase() === name)) return EXACT;
  return file.path.startsWith('src/') && file.names.has(name) ? USED : 0;
}

/** @param {File} file */
const decides = ({ path, decides: what }) => DECIDING.test(path) || what !== '';

/** How much more a file counts that has the question together, or decides. @param {ReturnType<typeof indexed>} index @param {string[]} asked */
function factorOf({ file, name, header }, asked) {
  const inAll = (/** @type {Set<string>} */ words) => asked.every((word) => has(words, word) > 0);
  const inNumber = asked.length > 1 && file.numbers.some((each) => inAll(setOf(each.name)));
  const together = Math.max(
    inAll(name) ? (name.size === asked.length ? TOGETHER.called : TOGETHER.name) : TOGETHER.apart,
    inAll(header) ? TOGETHER.header : TOGETHER.apart,
    inNumber ? TOGETHER.number : TOGETHER.apart,
  );
  const room = file.path.startsWith('scripts/') ? ROOM.script : decides(file) ? ROOM.decides : 1;
  return together * room;
}

/**
 * The files that a question is about, the best first. Of a name these are the files that declare or use it, where there
 * are any.
 * @param {House} house @param {string[]} asked its words @param {string | undefined} name
 * @returns {{ files: File[], missed: string[] }}
 */
function rankFiles(house, asked, name) {
  const all = indexOf(house).map((index) => {
    const exact = name === undefined ? 0 : exactOf(index.file, name);
    return { index, worth: asked.map((word) => worthOf(index.places, word)), exact };
  });
  const rarity = asked.map((_, at) => Math.log(1 + all.length / (1 + all.filter(({ worth }) => worth[at]).length)));
  const isExact = all.some(({ exact }) => exact >= EXACT);
  const scored = all.map(({ index, worth, exact }) => ({
    file: index.file,
    lacks: isExact ? [] : asked.filter((_, at) => worth[at] === 0),
    score:
      (isExact ? exact * EXACT : 1) *
      (1 + factorOf(index, asked) * worth.reduce((sum, each, at) => sum + each * (rarity[at] ?? 0), 0)),
  }));
  const fewest = Math.min(...scored.map(({ lacks }) => lacks.length));
  const matching = scored
    .filter(({ lacks, score }) => lacks.length === fewest && score > 1)
    .sort((a, b) => b.score - a.score || a.file.path.localeCompare(b.file.path));
  const [best] = matching;
  const near = isExact ? matching : matching.filter(({ score }) => score >= (best?.score ?? 0) * NEAR);
  return { files: near.map(({ file }) => file), missed: best?.lacks ?? [] };
}

/** How many words of a question a text has. @param {string[]} asked @param {string[]} texts */
function shareOf(asked, ...texts) {
  const words = setOf(...texts);
  return asked.length === 0 ? 0 : asked.reduce((sum, word) => sum + has(words, word), 0) / asked.length;
}

/** @template Item @param {readonly Item[]} items @param {(item: Item) => number} score @param {number} [least] @returns {Item[]} */
function ranked(items, score, least = 0) {
  return items
    .map((item) => ({ item, score: score(item) }))
    .filter((each) => each.score > least)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/**
 * Numbers and exports that are called so; else the numbers that have the words in their name and comment.
 * @param {readonly File[]} files @param {string[]} asked @param {string | undefined} name
 */
function rankNames(files, asked, name) {
  const sources = files.filter(({ path }) => path.startsWith('src/'));
  const at = (/** @type {'numbers' | 'symbols'} */ kind) =>
    sources.flatMap((file) => file[kind].map((each) => ({ value: '', ...each, path: file.path })));
  /** @param {{ name: string }} each */
  const isIt = (each) => each.name.toLowerCase() === name;
  const numbers = at('numbers');
  const exact = numbers.filter(isIt);
  const words = ranked(numbers, ({ name: its, doc }) => shareOf(asked, its, doc) + shareOf(asked, its) / 2, 0.99);
  // Of overloads the first one is explained.
  const declared = at('symbols')
    .filter(isIt)
    .filter(({ path }, index, all) => all.findIndex((other) => other.path === path) === index);
  return { declared, numbers: exact.length > 0 ? exact : words };
}

/** The section whose promises have these letters. @param {House} house @param {string} letters */
const sectionOf = ({ sections }, letters) =>
  sections.find(({ ids }) => ids.some((id) => id.replace(/\d+$/, '') === letters));

/** The files that cite a promise, those first that cite it first. @param {House} house @param {readonly string[]} ids @returns {File[]} */
const citing = ({ files }, ids) =>
  ranked(files, (file) => {
    const at = file.ids.findIndex((id) => ids.includes(id));
    return at < 0 ? 0 : (decides(file) && file.decides !== '' ? 2 : 1) / (1 + at);
  });

/**
 * The promises that a question is about.
 * @param {House} house @param {string} question @param {string[]} asked @param {readonly File[]} files that it is about
 */
function rankPromises({ promises }, question, asked, files) {
  const file = isName(question) ? files.find(({ path }) => `/${path}`.endsWith(`/${question}`)) : undefined;
  if (file !== undefined) return promises.filter(({ id }) => file.ids.includes(id));
  return ranked(promises, ({ text, section }) => shareOf(asked, text) + shareOf(asked, section) / 2, 0.99);
}

/**
 * Finds what a question is about.
 * @param {House} house
 * @param {string} given words, all of which are to match; or an id of a promise or its letters, a file, a name of the code
 * @returns {Found}
 */
export function find(house, given) {
  const question = given.trim();
  const promised = house.promises.filter(({ id }) => id === question.toUpperCase());
  const section = sectionOf(house, question);
  const known = promised.length > 0 ? promised : house.promises.filter(({ id }) => section?.ids.includes(id));
  const asked = [...new Set(wordsOf(question))];
  const name = isName(question) ? question.toLowerCase() : undefined;
  const ranks = rankFiles(house, asked, name);
  const cited = citing(
    house,
    known.map(({ id }) => id),
  );
  const files = known.length > 0 ? cited : ranks.files;
  const missed = known.length > 0 ? [] : ranks.missed;
  const promises = known.length > 0 ? known : rankPromises(house, question, asked, files);
  const top = new Set(promises.slice(0, TOP).map(({ id }) => id));
  /** @param {Test} test */
  const testScore = ({ ids, title, path }) =>
    (ids.some((id) => top.has(id)) ? 1 : 0) + (known.length > 0 ? 0 : shareOf(asked, title, path));
  return {
    decided: files.filter(decides),
    carriedOut: files.filter((file) => !decides(file) && !SHOWING.test(file.path)),
    shown: files.filter((file) => !decides(file) && SHOWING.test(file.path)),
    ...(known.length > 0 ? { declared: [], numbers: [] } : rankNames(house.files, asked, name)),
    promises,
    tests: ranked(house.tests, testScore, 0.99),
    missed,
  };
}
