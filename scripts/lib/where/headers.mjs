// Reads what the project says of itself: the promises of SPEC.md, the headers, exports and numbers of the source, the
// titles of the tests. `npm run where` searches it, scripts/checks/headers.mjs checks the headers.
//
// A header is the comment at the top of a file. Its first sentence is the subject, `Decides:` begins what is decided in
// that file, and the promises that it cites (those after `Keeps` first) say where the file belongs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisePages } from '../house/folders.mjs';
import { root } from '../paths.mjs';

/**
 * @typedef {{ title: string, line: number, ids: string[] }} Section of SPEC.md
 * @typedef {{ id: string, text: string, path: string, line: number, section: string }} Promised
 * @typedef {{ name: string, doc: string, line: number, value?: string }} Symbol an export, or a number
 * @typedef {{ path: string, subject: string, decides: string, rest: string, ids: string[], symbols: Symbol[],
 *   numbers: Symbol[], names: ReadonlySet<string> }} File `names`: every identifier of its code
 * @typedef {{ path: string, line: number, title: string, ids: string[] }} Test
 * @typedef {{ sections: Section[], promises: Promised[], files: File[], tests: Test[] }} House
 */

/** Rooms of src whose files all have a subject of their own and cite a promise. */
const ROOMS = ['core', 'engine', 'store', 'verbs', 'capabilities'];
const MAX_SUBJECT = 160;

const ID = /(?<![\w-])[A-Z]{1,3}\d{1,3}(?![\w-])/g;

/** A number has one of these before it, where it is a member of an object of limits or a constant. */
const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]+) = (\d[\d_ *./+()]*|\[[\d_, ]+\])(?: as const)?;/;
const LIMITS = /^export const [A-Z_]*LIMITS\b[^{]*\{/;
const MEMBER = /(?:^|\{|,)\s*(\w+): (\d[\w *./+()]*?)(?=,?\s*(?:$|\}|,\s*\w+:))/g;
const EXPORT =
  /^export (?:declare |abstract |async |default )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/;

const TITLE = /(['"`])\[([A-Z]+\d+(?:, [A-Z]+\d+)*)\] ((?:\\.|(?!\1).)*)/;

/** @param {string} folder @param {RegExp} name @returns {string[]} the paths of files, from the project's root */
function pathsIn(folder, name) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => name.test(path) && !/node_modules|\.wrangler/.test(path))
    .sort();
}

/** @param {string} path @returns {string} */
const textOf = (path) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** @param {string} text of a page @param {string} [path] of that page @returns {Pick<House, 'sections' | 'promises'>} */
export function readPromises(text, path = 'design/SPEC.md') {
  /** @type {Section[]} */
  const sections = [];
  /** @type {Promised[]} */
  const promises = [];
  for (const [index, line] of text.split('\n').entries()) {
    const title = /^#{1,3} (.+)$/.exec(line)?.[1];
    if (title !== undefined) sections.push({ title: title.replaceAll('`', ''), line: index + 1, ids: [] });
    const [, id, said = ''] = /^- \*\*([A-Z]+\d+)\*\* (.*)$/.exec(line) ?? [];
    const section = sections.at(-1);
    if (id === undefined || section === undefined) continue;
    section.ids.push(id);
    promises.push({ id, text: said, path, line: index + 1, section: section.title });
  }
  return { sections, promises };
}

/** A header in paragraphs of one line each. @param {string} text of a file @returns {string[]} */
function headerOf(text) {
  const block = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1];
  const lines = block === undefined ? (/^(?:\/\/.*\n)+/.exec(text)?.[0] ?? '') : block;
  return lines
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\*|\/\/)? ?/, '').trimEnd())
    .join('\n')
    .split(/\n(?=\n|Decides: |Keeps |- |[A-Z]+\d+[.,] )/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '');
}

/**
 * The exports of a file and the numbers that it holds, each with the comment before it.
 * @param {string} text @returns {Pick<File, 'symbols' | 'numbers'>}
 */
function namesIn(text) {
  /** @type {Symbol[]} */
  const symbols = [];
  /** @type {Symbol[]} */
  const numbers = [];
  let doc = '';
  let inLimits = false;
  for (const [index, code] of text.split('\n').entries()) {
    const line = index + 1;
    const comment = /^\s*(?:\/\*\*|\*(?!\/)|\/\/)\s?(.*?)(?:\s*\*\/)?$/.exec(code)?.[1];
    if (comment !== undefined) {
      doc = /^\s*(?:\/\*\*|\/\/)/.test(code) ? comment : `${doc} ${comment}`;
      continue;
    }
    const name = EXPORT.exec(code)?.[1];
    if (name !== undefined) symbols.push({ name, doc, line });
    const [, constant, value = ''] = CONSTANT.exec(code) ?? [];
    if (constant !== undefined) numbers.push({ name: constant, doc, line, value });
    inLimits = LIMITS.test(code) || (inLimits && !code.startsWith('}'));
    if (inLimits) {
      const members = [...code.replace(LIMITS, '{').matchAll(MEMBER)];
      numbers.push(...members.map(([, each = '', its = '']) => ({ name: each, doc, line, value: its.trim() })));
    }
    if (code.trim() !== '*/') doc = '';
  }
  return { symbols, numbers };
}

/** What authors may set is explained where its type is. @param {string} text @param {Symbol} number @returns {Symbol} */
function explained(text, number) {
  if (number.doc !== '') return number;
  const doc = new RegExp(`/\\*\\* ([^\\n]*?) \\*/\\n\\s*readonly ${number.name}\\??:`).exec(text)?.[1] ?? '';
  return { ...number, doc };
}

/** @param {string} path @param {string} text @param {ReadonlySet<string>} known the ids of all promises @returns {File} */
export function readFile(path, text, known) {
  const paragraphs = headerOf(text);
  const subject = /^.*?[.](?= |$)/.exec(paragraphs[0] ?? '')?.[0] ?? '';
  const decides = paragraphs.find((paragraph) => paragraph.startsWith('Decides: '))?.slice(9) ?? '';
  const inOrder = [...paragraphs.filter((paragraph) => paragraph.startsWith('Keeps ')), ...paragraphs];
  const cited = [...inOrder.join('\n').matchAll(ID)].map(([id]) => id);
  const { symbols, numbers } = namesIn(text);
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, '');
  return {
    path,
    subject,
    decides,
    rest: paragraphs.join(' '),
    // A script cites promises as examples.
    ids: path.startsWith('src/') ? [...new Set(cited)].filter((id) => known.has(id)) : [],
    symbols,
    numbers: numbers.map((number) => explained(text, number)),
    names: new Set([...code.matchAll(/\b[A-Za-z]\w{3,}/g)].map(([name]) => name.toLowerCase())),
  };
}

/** @param {string} path @param {string} text @returns {Test[]} those whose titles cite promises */
export function readTests(path, text) {
  return text.split('\n').flatMap((code, index) => {
    const [, , ids = '', title = ''] = TITLE.exec(code) ?? [];
    return ids === '' ? [] : [{ path, line: index + 1, title, ids: ids.split(', ') }];
  });
}

/** The source below src, and the scripts. @returns {Pick<House, 'sections' | 'promises' | 'files'>} */
export function readHeaders() {
  const pages = promisePages().map((path) => readPromises(textOf(path), path));
  const spec = {
    sections: pages.flatMap(({ sections }) => sections),
    promises: pages.flatMap(({ promises }) => promises),
  };
  const known = new Set(spec.promises.map(({ id }) => id));
  const paths = [...pathsIn('src', /\.tsx?$/), ...pathsIn('scripts', /\.mjs$/)];
  const files = paths.map((path) => ({ path, text: textOf(path) }));
  const written = files.filter(({ text }) => !/^\/\*\* Generated by /.test(text));
  return { ...spec, files: written.map(({ path, text }) => readFile(path, text, known)) };
}

/** All that `npm run where` searches. @returns {House} */
export function readHouse() {
  const tests = pathsIn('test', /\.tsx?$/).flatMap((path) => readTests(path, textOf(path)));
  return { ...readHeaders(), tests };
}

/** What is wrong with the headers of the rooms. @param {readonly File[]} files @returns {string[]} */
export function headerProblems(files) {
  const held = files.filter(({ path }) => ROOMS.some((room) => path.startsWith(`src/${room}/`)));
  return held.flatMap(({ path, subject, ids }) => {
    const twin = held.find((other) => other.path < path && other.subject === subject);
    const problems = [
      ...(subject === '' ? ['its header has to begin with a sentence that says its subject'] : []),
      ...(subject.length > MAX_SUBJECT ? [`its subject has ${subject.length} characters, at most ${MAX_SUBJECT}`] : []),
      ...(subject !== '' && twin ? [`its subject is that of ${twin.path}`] : []),
      ...(ids.length === 0 ? ['its header cites no promise of SPEC.md (`Keeps A1.`), by which it is found'] : []),
    ];
    return problems.map((problem) => `${path}: ${problem}`);
  });
}
