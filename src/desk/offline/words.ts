/** Words and sentences, as far as rules can tell them apart. English; other languages fall back to whole words. */
import { isStopWord, wordsOf } from '../query';
import { collapse } from '../quotes';

/** Words that a question is made with rather than about. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  `answer ask asked best better big concern concerns decide decides describe detail details document documents explain find good
  happen happened happening happens hello help hi kind kinds know large learn library list long mean meaning means need needs
  often possible question relate related report said say says show somebody someone something summarise summarize summary tell
  thank thanks thing things understand use used uses using want way ways work works working`.split(/\s+/),
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

/** The stems of all words of a text. */
export function stemsOf(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text).map(stem));
}

const LIST_ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/;
const TABLE_ROW = /^\s*\|(.*)\|\s*$/;
const TABLE_RULE = /^[\s|:-]+$/;
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|mr|mrs|dr|st)\.$/i;

/** The runs of text of a passage: paragraphs, list items and table cells' rows, without code blocks. */
function runsOf(passage: string): string[] {
  const runs: string[] = [];
  let fenced = false;
  let open = false;
  for (const line of passage.split('\n')) {
    const fence = /^\s*(```|~~~)/.test(line);
    if (fence) fenced = !fenced;
    if (fence || fenced || line.trim() === '' || TABLE_RULE.test(line)) {
      open = false;
      continue;
    }
    const row = TABLE_ROW.exec(line)?.[1];
    if (row !== undefined || LIST_ITEM.test(line) || !open) {
      runs.push(row ?? line.replace(LIST_ITEM, ''));
      open = row === undefined;
    } else runs.push(`${runs.pop() ?? ''}\n${line}`);
  }
  return runs;
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
