/**
 * Writes `docs/map.md`: which file to open to change what. It is made from SPEC.md and the headers of src, so that it says
 * what the files say of themselves. With `--check` it writes nothing, and fails when the page is not what it would write.
 *
 * A header is the comment at the top of a file. Its first sentence is the subject, on one line of the map; the promises that
 * it cites say in which sections the file stands (those after `Keeps` first), the first one where it stands with its subject;
 * `Decides:` begins what is looked up there. The numbers of a section are the limits that its files use, and the constants that
 * they hold. In the rooms below every header has a subject and a promise, and no two files have the same subject.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from './lib/fail.mjs';
import { root } from './lib/paths.mjs';

const TARGET = join(root, 'docs/map.md');
const ROOMS = ['core', 'engine', 'store', 'verbs'];
const MAX_SUBJECT = 160;

/** Who stands first in a section: who decides, then who carries it out, then who shows it or takes the question. */
const PARTS = [
  { title: 'Decided', rooms: ['core', 'access', 'protocol'] },
  { title: 'Carried out', rooms: ['engine', 'store', 'host', 'model', 'remote', 'testing', 'desk'] },
  { title: 'Asked and shown', rooms: ['verbs', 'gateway', 'sockets', 'client', 'console', 'cli'] },
];

/** Looked up more often than anything else. */
const FIRST = [
  'core/definition/limits.ts',
  'protocol/wire-limits.ts',
  'protocol/data-limits.ts',
  'protocol/errors.ts',
  'protocol/chunks.ts',
  'core/agent/events.ts',
  'core/agent/state.ts',
];

/** Where limits are written, and the object that holds them. The first are those that authors set. */
const LIMITS = [
  { path: 'core/definition/limits.ts', object: 'DEFAULT_LIMITS' },
  { path: 'protocol/wire-limits.ts', object: 'WIRE_LIMITS' },
  { path: 'protocol/data-limits.ts', object: 'DATA_LIMITS' },
  { path: 'protocol/data-limits.ts', object: 'PAGE_LIMITS' },
  { path: 'protocol/data-limits.ts', object: 'LISTED_LIMITS' },
];

/** What is promised of whole folders, or outside of src. */
const ELSEWHERE = {
  Desk: '`src/desk`: the agents and their library; `offline/` is the model that works by rules.',
  'The console': '`src/console`: a folder for each view; `data/` is what a view is made from.',
  'The command': '`src/cli`, with `scripts/ask.mjs`.',
  'A server on this machine': '`scripts/start.mjs`, with `scripts/lib/serve.mjs`.',
  'The package': '`tsdown.config.ts`, `scripts/package.mjs`, and `src/without` for what an app can leave out.',
};

/** The folders whose files are named in their section, whatever they cite: nobody looks them up by a promise. */
const NAMED = { Desk: 'desk', 'The console': 'console', 'The command': 'cli' };

/**
 * @typedef {{ title: string, level: number, ids: string[] }} Section
 * @typedef {{ path: string, room: string, subject: string, decides: string, ids: string[], limits: string[], constants: string[] }} File
 */

/** @returns {Section[]} */
function readSections() {
  /** @type {Section[]} */
  const sections = [];
  for (const line of readFileSync(join(root, 'SPEC.md'), 'utf8').split('\n')) {
    const [, marks, title] = /^(#{2,3}) (.+?)(?: \(.+\))?$/.exec(line) ?? [];
    if (marks && title) sections.push({ title, level: marks.length, ids: [] });
    const [, id] = /^- \*\*([A-Z]+\d+)\*\*/.exec(line) ?? [];
    if (id) sections.at(-1)?.ids.push(id);
  }
  return sections;
}

/**
 * A header, in paragraphs of one line each.
 * @param {string} text of a file
 */
function headerOf(text) {
  const [, header = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? [];
  const lines = header.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trimEnd());
  return lines
    .join('\n')
    .split(/\n(?=\n|Decides: |Keeps |- |[A-Z]+\d+[.,] )/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '');
}

/** The names of the limits that are written in a file, in their order. @param {{ path: string, object: string }} where */
function namesOf({ path, object }) {
  const text = readFileSync(join(root, 'src', path), 'utf8');
  const [, body = ''] = new RegExp(`const ${object}[^=]*= \\{([\\s\\S]*?)\\n?\\}`).exec(text) ?? [];
  const names = [...body.matchAll(/(?:^ {2}|^ |, )(\w+):/gm)].map(([, name = '']) => name);
  if (names.length === 0) throw new Error(`scripts/map.mjs finds no ${object} in src/${path}`);
  return names;
}

const LIMIT_NAMES = LIMITS.map((each) => ({ ...each, names: namesOf(each) }));

/**
 * The numbers by which a file goes: the limits that it reads, and its constants with a unit or a bound in their name.
 * @param {string} text of a file @param {string} path of it
 */
function numbersOf(text, path) {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  const isTheirs = LIMITS.some((each) => each.path === path);
  const limits = LIMIT_NAMES.flatMap(({ object, names }, at) => {
    // Limits of authors are read by many names, the others through their object.
    if (at === 0) return names.filter((name) => new RegExp(`(?<!_LIMITS\\.)\\b${name}\\b`).test(code));
    const used = [...code.matchAll(new RegExp(`${object}\\.\\w+|\\{[^}]*\\} = ${object}`, 'g'))].join(' ');
    return names.filter((name) => new RegExp(`\\b${name}\\b`).test(used)).map((name) => `${object}.${name}`);
  });
  const constants = [
    ...code.matchAll(
      /^(?:export )?const ((?:MAX|MIN|FEW)_\w+|\w+_(?:MS|TRIES|TURNS|TOLD)|TRIES|SENDERS|(?:\w+_)?AT_ONCE) = [[\d]/gm,
    ),
  ];
  return { limits: isTheirs ? [] : limits, constants: constants.map(([, name = '']) => name) };
}

/** @param {Set<string>} known the ids of all promises @returns {File[]} */
function readFiles(known) {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && path.includes('/'));
  return paths.sort().flatMap((path) => {
    const text = readFileSync(join(root, 'src', path), 'utf8');
    const paragraphs = headerOf(text);
    if (paragraphs[0]?.startsWith('Generated by ')) return [];
    const subject = /^.*?[.](?= |$)/.exec(paragraphs[0] ?? '')?.[0] ?? '';
    const decides = paragraphs.find((paragraph) => paragraph.startsWith('Decides: '))?.slice(9) ?? '';
    const inOrder = [...paragraphs.filter((paragraph) => paragraph.startsWith('Keeps ')), ...paragraphs];
    const ids = [...inOrder.join('\n').matchAll(/(?<![\w-])[A-Z]{1,3}\d{1,3}(?![\w-])/g)].map(([id]) => id);
    const cited = [...new Set(ids)].filter((id) => known.has(id));
    return [{ path, room: path.split('/')[0] ?? '', subject, decides, ids: cited, ...numbersOf(text, path) }];
  });
}

/** What is wrong with the headers of the rooms. @param {File[]} files @returns {string[]} */
function headerProblems(files) {
  const held = files.filter(({ room }) => ROOMS.includes(room));
  return held.flatMap(({ path, subject, ids }) => {
    const twin = held.find((other) => other.path < path && other.subject === subject);
    const problems = [
      ...(subject === '' ? ['its header has to begin with a sentence that says its subject'] : []),
      ...(subject.length > MAX_SUBJECT ? [`its subject has ${subject.length} characters, at most ${MAX_SUBJECT}`] : []),
      ...(subject !== '' && twin ? [`its subject is that of src/${twin.path}`] : []),
      ...(ids.length === 0
        ? ['its header cites no promise of SPEC.md (`Keeps A1.`), so the map has no place for it']
        : []),
    ];
    return problems.map((problem) => `src/${path}: ${problem}`);
  });
}

/** @param {File} file */
const row = ({ path, subject, decides }) =>
  `- \`${path}\`: ${decides === '' ? subject : `${subject.replace(/[.]$/, '')}. **${decides.replace(/[.]$/, '')}.**`}`;

/** @param {string} title */
const anchor = (title) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

/**
 * Where the numbers of a section are written. A limit stands where a file decides or keeps by it, not where it is described.
 * @param {File[]} files of the section
 */
function numbers(files) {
  const held = files.filter(({ room }) => !['console', 'cli', 'client', 'desk', 'testing'].includes(room));
  const limits = LIMIT_NAMES.map(({ path, object, names }, at) => ({
    path,
    names: names
      .map((name) => (at === 0 ? name : `${object}.${name}`))
      .filter((name) => held.some((file) => file.limits.includes(name))),
  }));
  const constants = held.map(({ path, constants: names }) => ({ path, names }));
  return [...limits, ...constants]
    .filter(({ names }) => names.length > 0)
    .map(({ path, names }) => `${names.map((name) => `\`${name}\``).join(', ')} in \`${path}\``)
    .join('; ');
}

/** @param {Section} section @param {File[]} files @returns {string} */
function chapter({ title, level, ids }, files) {
  const mine = files.filter(({ ids: [first = ''] }) => ids.includes(first));
  const also = files.filter((file) => !mine.includes(file) && file.ids.some((id) => ids.includes(id)));
  const parts = PARTS.flatMap(({ title, rooms }) => {
    const here = mine.filter(({ room }) => rooms.includes(room));
    const inOrder = [...here.filter(({ decides }) => decides !== ''), ...here.filter(({ decides }) => decides === '')];
    return here.length === 0 ? [] : [`${title}:\n\n${inOrder.map(row).join('\n')}`];
  });
  const others = also.map(
    ({ path, ids: cited }) => `\`${path}\` (${cited.filter((id) => ids.includes(id)).join(', ')})`,
  );
  const folder = NAMED[/** @type {keyof typeof NAMED} */ (title)];
  const named = files.filter((file) => file.room === folder && !mine.includes(file));
  const inNumbers = numbers(mine);
  const elsewhere = ELSEWHERE[/** @type {keyof typeof ELSEWHERE} */ (title)];
  const first =
    ids[0] === undefined ? '' : `Promises ${[...new Set(ids.map((id) => id.replace(/\d+$/, '')))].join(', ')}.`;
  return [
    `${'#'.repeat(level)} ${title}`,
    ...(first === '' ? [] : [first]),
    ...(elsewhere === undefined ? [] : [elsewhere]),
    ...parts,
    ...(named.length === 0 ? [] : [`Further files:\n\n${named.map(row).join('\n')}`]),
    ...(inNumbers === '' ? [] : [`Numbers: ${inNumbers}.`]),
    ...(others.length === 0 ? [] : [`See also ${others.join(', ')}.`]),
  ].join('\n\n');
}

/** @param {Section[]} sections @param {File[]} files */
function pageOf(sections, files) {
  const shown = sections.filter(
    ({ title, ids }, at) =>
      title in ELSEWHERE ||
      (ids.length === 0 && (sections[at + 1]?.level ?? 0) > (sections[at]?.level ?? 0)) ||
      files.some((file) => file.ids.some((id) => ids.includes(id))),
  );
  const first = FIRST.map((path) => {
    const file = files.find((each) => each.path === path);
    if (file === undefined) throw new Error(`scripts/map.mjs names src/${path}, which is not there`);
    return row(file);
  });
  return `# Map

Which file to open to change what. Find the subject, then the words in bold: they say what is decided in that file. A change begins where a thing is decided; who carries it out or shows it follows. A change of a number alone is one where "Numbers" says that it is written. Paths are below \`src/\`, the sections are those of [SPEC](../SPEC.md), and the tests of a promise name its id.

Made by \`node scripts/map.mjs\` from the headers of the files: change those.

${shown.map(({ title }) => `[${title}](#${anchor(title)})`).join(' · ')}

## Looked up most

${first.join('\n')}

${shown.map((section) => chapter(section, files)).join('\n\n')}
`;
}

await run(async () => {
  const sections = readSections();
  const files = readFiles(new Set(sections.flatMap(({ ids }) => ids)));
  const problems = headerProblems(files);
  for (const problem of problems) console.log(problem);
  const page = pageOf(sections, files);
  const current = readFileSync(TARGET, { encoding: 'utf8', flag: 'a+' });
  if (!process.argv.includes('--check') && current !== page) {
    writeFileSync(TARGET, page);
    console.log(`Wrote docs/${basename(TARGET)}: ${files.length} files.`);
  } else if (current !== page) {
    console.log('docs/map.md is not what SPEC.md and the headers of src give: run `node scripts/map.mjs`.');
    return 1;
  }
  return problems.length > 0 ? 1 : 0;
});
