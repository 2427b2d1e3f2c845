/** Words and sentences, as far as rules can tell them apart. English; other languages fall back to whole words. */
import { isStopWord, wordsOf } from '../query';
import { collapse } from '../quotes';

/** Words that a question is made with rather than about. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  `answer ask asked best better big concern concerns decide decides describe detail details difference document documents explain find good
  happen happened happening happens hello help hi kind kinds know large learn library list long mean meaning means middle need needs
  often possible put question relate related report said say says show somebody someone something summarise summarize summary tell
  thank thanks thing things understand use used uses using want way ways whole entire work works working`.split(/\s+/),
);

const IRREGULAR: Readonly<Record<string, string>> = {
  children: 'child',
  grandchildren: 'grandchild',
  men: 'man',
  women: 'woman',
  people: 'person',
};

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** Longer runs of letters are no words. Unit: characters. */
const MAX_WORD = 64;

/** The stem of a word in lower case: enough to see that `crashed` and `crashes` speak of one thing. */
export function stem(word: string): string {
  const known = IRREGULAR[word];
  if (known !== undefined) return known;
  if (word.length <= 3 || word.length > MAX_WORD || !/^[a-z]+$/.test(word)) return word;
  let base = singular(word);
  const cut = /^(.*[aeiouy].*?)(ing|ed|ly)$/.exec(base)?.[1];
  if (cut !== undefined && cut.length >= 3) base = /([b-df-hj-kmnp-rtv-xz])\1$/.test(cut) ? cut.slice(0, -1) : cut;
  if (/[st]ion$/.test(base) && base.length > 5) base = base.slice(0, -3);
  // `approval` is about what is approved, and `deployment` about what is deployed.
  else if (/[vs]al$/.test(base) && base.length > 6) base = base.replace(/al$/, '');
  else if (base.length > 7) base = base.replace(/ment$/, '');
  if (base.endsWith('e') && base.length > 3) base = base.slice(0, -1);
  return base.endsWith('y') && base.length > 3 ? `${base.slice(0, -1)}i` : base;
}

const isTopical = (word: string): boolean => !isStopWord(word) && !QUESTION_WORDS.has(word);

/**
 * The topic of a text: its content words by stem, in order of first mention, each in lower case as it was first written
 * (irregular plurals in the singular, which the library's own stems do not know).
 */
export function topicOf(text: string): ReadonlyMap<string, string> {
  const topic = new Map<string, string>();
  for (const word of wordsOf(text).filter(isTopical)) {
    const key = stem(word);
    if (!topic.has(key)) topic.set(key, IRREGULAR[word] ?? word);
  }
  return topic;
}

/** The content words of a text as people would name them: `sub-agent` stays one. Distinct by stem, in order. */
export function topicWords(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:-[\p{L}\p{N}\p{M}]+)*/gu) ?? [];
  const named = new Map<string, string>();
  for (const word of words.filter((one) => one.split('-').some(isTopical))) {
    const key = word.split('-').map(stem).join('-');
    if (!named.has(key)) named.set(key, IRREGULAR[word] ?? word);
  }
  return [...named.values()];
}

/** Particles that form one word with the verb before them: what times out has a timeout. */
const PARTICLES = ['out', 'up', 'down', 'back', 'off', 'over'] as const;

/** Forms that a verb may have before a particle, as the joined word has it. */
const verbsOf = (word: string): string[] => {
  const base = word.replace(/(?:ed|ing)$/, '');
  return [
    ...new Set([word, word.replace(/s$/, ''), word.replace(/d$/, ''), base, `${base}e`, base.replace(/(.)\1$/, '$1')]),
  ];
};

/** The stems of all words of a text, and of the words that a verb and its particle make together. */
export function stemsOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text);
  const joined = words.flatMap((word, at) => {
    const particle = PARTICLES.find((one) => one === words[at + 1]);
    return particle === undefined ? [] : verbsOf(word).map((verb) => stem(verb + particle));
  });
  return new Set([...words.map(stem), ...joined]);
}

/** Words of everyday language that ask for the same. */
const ALIKE: readonly (readonly string[])[] = [
  ['stop', 'interrupt', 'abort', 'cancel'],
  ['crash', 'die'],
  ['cost', 'price', 'money'],
  ['delete', 'remove'],
  ['server', 'process'],
];

const ALIKE_BY_STEM: ReadonlyMap<string, readonly string[]> = new Map(
  ALIKE.flatMap((group) =>
    group.map((word) => [stem(word), group.filter((other) => other !== word).map(stem)] as const),
  ),
);

/** The stems of words that ask for the same as one. */
export const alikeTo = (key: string): readonly string[] => ALIKE_BY_STEM.get(key) ?? [];

/** Further words to search for: a search knows whole words alone, and those of the question. */
export function furtherWords(words: Iterable<string>): string[] {
  const given = [...words];
  const alike = ALIKE.flatMap((group) =>
    given.some((word) => group.some((one) => stem(one) === stem(word))) ? group : [],
  );
  return [...new Set([...splitVerbs(given), ...alike])].filter((word) => !given.includes(word));
}

/** The verbs of such words, for a search that knows whole words alone. */
function splitVerbs(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const particle = PARTICLES.find((one) => word.endsWith(one) && word.length >= one.length + 3);
    return particle === undefined ? [] : [word.slice(0, word.length - particle.length)];
  });
}

const LIST_ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
/** A line that is a heading: by its signs, or because it is bold as a whole. */
const HEADING = /^\s*(?:#{1,6}\s|\*\*[^*]{1,200}\*\*:?\s*$|__[^_]{1,200}__:?\s*$)/;
/** The line below a heading. */
const UNDERLINE = /^\s*(?:={3,}|-{3,})\s*$/;
const TABLE_RULE = /^[\s|:-]+$/;
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|mr|mrs|dr|st)\.$/i;

/** The runs of text of a passage: paragraphs and list items, without code blocks, headings and tables. */
function runsOf(passage: string): string[] {
  const runs: string[] = [];
  let fenced = false;
  let open = false;
  for (const line of passage.split('\n')) {
    const fence = /^\s*(```|~~~)/.test(line);
    if (fence) fenced = !fenced;
    if (open && UNDERLINE.test(line) && !runs.at(-1)?.includes('\n')) runs.pop();
    if (fence || fenced || line.trim() === '' || [TABLE_RULE, TABLE_ROW, HEADING].some((one) => one.test(line))) {
      open = false;
      continue;
    }
    if (LIST_ITEM.test(line) || !open) {
      runs.push(line.replace(LIST_ITEM, ''));
      open = true;
    } else runs.push(`${runs.pop() ?? ''}\n${line}`);
  }
  return runs;
}

const LINK = /!?\[([^[\]]{0,300})\]\([^()\s]{0,500}\)/g;

/** A text with the words of its links in place of them. */
export const withoutLinks = (text: string): string => text.replaceAll(LINK, '$1');

const CODE = /`[^`]*`/g;

/** A text without its spans of code. */
export const withoutCode = (text: string): string => text.replaceAll(CODE, ' ');

/** Spans of code in a text. */
export const codeSpans = (text: string): number => text.match(CODE)?.length ?? 0;

/** True if a text says something: three words, numbers and names in code, beside its links; no row of a table, no heading. */
export function isStatement(text: string): boolean {
  const plain = text.replaceAll(LINK, ' ').replaceAll(/\bhttps?:\/\/\S+/g, ' ');
  const plainText = plain.replaceAll(CODE, ' 0 ');
  if (/(?:^|\s)\|(?:\s|$)|[;{}]$/.test(plainText) || HEADING.test(text)) return false;
  const words =
    plainText.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{L}[\p{L}\p{M}'’-]*|\p{N}+/gu) ?? [];
  return words.length >= 3 && words.some((word) => !/^\p{N}/u.test(word));
}

/** The sentences of a passage in order, each word for word with blanks made one. */
export function sentencesOf(passage: string): string[] {
  const sentences: string[] = [];
  for (const run of runsOf(passage)) {
    let held = '';
    for (const part of run.split(/(?=\s)(?<=[.!?…。！？]["”'’)\]`*]*)\s+(?=["“'‘([*]*[\p{Lu}\p{Lo}\p{N}]|`)/u)) {
      held = held === '' ? part : `${held} ${part}`;
      if (ABBREVIATION.test(part)) continue;
      sentences.push(collapse(held));
      held = '';
    }
    if (held !== '') sentences.push(collapse(held));
  }
  return sentences.filter((sentence) => sentence !== '');
}
