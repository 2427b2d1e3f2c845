/**
 * Extraction: which passages and sentences speak of a question. A word weighs the more, the fewer passages hold it; a
 * sentence is worth the share of the question's weight that it holds, and its passage lends it a part. What holds too
 * little of the question is left out, so a question that the library does not know gets nothing.
 */

import type { Json } from '../../protocol/json';
import { isObject } from '../../protocol/json';
import type { Finding } from '../schemas';
import { alikeTo, codeSpans, isStatement, sentencesOf, stem, stemsOf, topicOf, withoutCode } from './words';

/** The share of a question's weight that a sentence must hold, its passage's part included. */
const ENOUGH = 0.34;

/** The share that it must hold with its headings alone. */
const ALONE = 0.4;

/** What a word of the passage or of its heading counts, compared with one in the sentence. */
const AROUND = 0.6;
const ABOVE = 0.75;
/** The share of a synonym. */
const ALIKE = 0.85;

/** What makes a sentence the better answer, beside the words that it holds. */
const BONUS = {
  opensPassage: 0.08,
  hasNumber: 0.3,
  defines: 0.3,
  isAbout: 0.2,
  introduces: 0.25,
  headed: 0.15,
  uploaded: 0.4,
  aboutItsPage: -0.6,
  leansOnOthers: -0.2,
  long: -0.1,
  code: -0.06,
};

/** Findings of one sub-question at most, and of one passage. */
const MAX_FINDINGS = 4;
const MAX_OF_PASSAGE = 2;

/** Sentences outside these lengths say too little, or are not one sentence. Unit: characters. */
const SENTENCE = { min: 30, max: 420 };

/** A passage as a search or a read answered it. */
export interface ReadPassage {
  readonly document: string;
  /** That of the document. */
  readonly title: string;
  readonly heading: string;
  readonly passage: string;
  readonly text: string;
}

/** How much words weigh. */
export interface Weights {
  /** From 0 (in every passage) to 1 (in none). */
  weight(stem: string): number;
  passagesWith(stem: string): number | undefined;
}

const field = (value: Json, key: string): Json | undefined => (isObject(value) ? value[key] : undefined);
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** The passages in the answer of a search or a read. */
export function passagesIn(answer: Json): ReadPassage[] {
  return list(field(answer, 'passages'))
    .filter(isObject)
    .map((one) => ({
      document: String(one.document),
      title: String(one.title ?? ''),
      heading: String(one.heading),
      passage: String(one.passage),
      text: String(one.text),
    }));
}

/** What the answers of searches tell about their words. */
export function weightsFrom(answers: readonly Json[]): Weights {
  const counts = new Map<string, number>();
  let all = 1;
  for (const answer of answers) {
    all = Math.max(all, Number(field(answer, 'passagesInLibrary')) || 1);
    for (const term of list(field(answer, 'terms')).filter(isObject)) {
      const key = stem(String(term.term));
      counts.set(key, Math.max(counts.get(key) ?? 0, Number(term.passages) || 0));
    }
  }
  return {
    // The few words that no search asked for say little either way.
    weight: (key) => {
      const count = counts.get(key);
      return count === undefined ? 0.3 : Math.max(0.02, Math.log((all + 1) / (count + 1)) / Math.log(all + 1));
    },
    passagesWith: (key) => counts.get(key),
  };
}

interface Asked {
  readonly question: string;
  readonly context: string;
}

/** A text by its stems: a sentence, and what stands around and above it. */
interface Stems {
  readonly sentence: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
  readonly above: ReadonlySet<string>;
}

function shareOf(key: string, stems: Stems): number {
  const other = alikeTo(key);
  const isIn = (words: ReadonlySet<string>) => words.has(key) || other.some((one) => words.has(one));
  if (stems.sentence.has(key)) return 1;
  if (isIn(stems.sentence)) return ALIKE;
  if (isIn(stems.above)) return ABOVE;
  return isIn(stems.around) ? AROUND : 0;
}

/** The share of a question's weight that a sentence and its surroundings hold, from 0 to 1. */
function coverage(question: string, stems: Stems, weights: Weights): number {
  let whole = 0;
  let held = 0;
  for (const key of topicOf(question).keys()) {
    whole += weights.weight(key);
    held += weights.weight(key) * shareOf(key, stems);
  }
  return whole === 0 ? 0 : held / whole;
}

function surroundings(passage: ReadPassage): Omit<Stems, 'sentence'> {
  return { around: stemsOf(passage.text), above: stemsOf(`${passage.document} ${passage.title} ${passage.heading}`) };
}

/** The passages that speak of a question, each once, best first. */
export function rankPassages(asked: Asked, passages: readonly ReadPassage[], weights: Weights): ReadPassage[] {
  const distinct = [...new Map(passages.map((passage) => [passage.passage, passage])).values()];
  return distinct
    .map((passage, place) => {
      const around = surroundings(passage);
      const stems = { ...around, sentence: around.around };
      const own = coverage(asked.question, stems, weights);
      const context = coverage(asked.context, stems, weights);
      return { passage, enough: Math.min(own, context) >= ENOUGH, score: own + 0.5 * context - place / 1_000 };
    })
    .filter(({ enough }) => enough)
    .sort((a, b) => b.score - a.score)
    .map(({ passage }) => passage);
}

const ASKS_FOR_A_NUMBER =
  /\b(?:how (?:big|deep|fast|large|long|many|much|often)|deadline|default|limits?|maximum|minimum|port|price|time-?outs?)\b/i;
const LEANS =
  /^(?:and|but|it|its|or|otherwise|so|such|that|then|therefore|these|they|this|those)\b|^[A-Z][a-z]+ (?:it|one|them|this)\b/i;

const ASKS_WHAT_IT_IS = /^what(?:'s|’s| is| are| does)\b|^how (?:do|does) .* work\b/i;

/** Whether a sentence says what something is: `A run is …` for a question about runs. */
function defines(topic: ReadonlyMap<string, string>, sentence: string): boolean {
  const subject = /^(?:(?:an?|the)\s+)?([\p{L}\p{N}-]+)\s+(?:is|are)\s/iu.exec(sentence)?.[1];
  return subject !== undefined && [...stemsOf(subject)].every((key) => topic.has(key));
}

/** True if a sentence has a number that is neither in code nor a status of HTTP. */
const hasAmount = (sentence: string): boolean => /(?<![\w-])(?![45]\d\d\b)\d/.test(withoutCode(sentence));

/** True if a sentence begins with what a question is about: `Offshoot runs …`. */
function isAbout(topic: ReadonlyMap<string, string>, sentence: string): boolean {
  const subject = /^(?:(?:[Aa]n?|[Tt]he)\s+)?([\p{L}\p{N}-]+)\s+(?:are|can|have|may|must|will|\p{Ll}+s)\b/u.exec(
    sentence,
  )?.[1];
  return subject !== undefined && [...stemsOf(subject)].every((key) => topic.has(key));
}

/** A sentence that says what a page is for, and so answers nothing itself. */
const ABOUT_ITS_PAGE = /^After this page\b|^\[[^\]]+\]\([^)]*\) (?:describes|explains|has|lists|says)\b/i;

/** Sentences with more are hard to read alone: characters, and spans of code. */
const EASY = { length: 200, code: 2 };

const NONE: ReadonlySet<string> = new Set();

/** A sentence that a reader cannot take in at once is worth less. */
function burden(sentence: string): number {
  const long = sentence.length > EASY.length ? BONUS.long : 0;
  return long + BONUS.code * Math.min(4, Math.max(0, codeSpans(sentence) - EASY.code));
}

/** True if a document came with the question: names of shipped ones have no extension. */
const isUploaded = ({ document }: ReadPassage): boolean => document.includes('.');

/** True if a passage begins a page on what is asked, by all words of its title: it says what the page is for. */
function introduces(topic: readonly string[], { passage, title }: ReadPassage): boolean {
  const about = [...topicOf(title).keys()];
  return passage.endsWith('#1') && about.length > 0 && about.every((key) => topic.includes(key));
}

/** What a sentence is worth beside its words; `index` is its place in the passage. */
function bonus(question: string, sentence: string, index: number): number {
  const number = ASKS_FOR_A_NUMBER.test(question) && hasAmount(sentence) ? BONUS.hasNumber : 0;
  const place = LEANS.test(sentence) ? BONUS.leansOnOthers : index === 0 ? BONUS.opensPassage : 0;
  const topic = topicOf(question);
  const isAsked = ASKS_WHAT_IT_IS.test(question);
  const definition = isAsked && defines(topic, sentence) ? BONUS.defines : 0;
  const about = isAsked && definition === 0 && isAbout(topic, sentence) ? BONUS.isAbout : 0;
  const page = ABOUT_ITS_PAGE.test(sentence) ? BONUS.aboutItsPage : 0;
  return number + definition + about + page + place + burden(sentence) - index * 0.005;
}

/** True if the heading of a passage names all that is asked for. */
function isHeaded(topic: readonly string[], { heading }: ReadPassage): boolean {
  const above = stemsOf(heading);
  return topic.length > 0 && topic.every((key) => above.has(key));
}

interface Candidate {
  readonly finding: Finding;
  readonly score: number;
}

function candidatesOf(asked: Asked, passage: ReadPassage, place: number, weights: Weights): Candidate[] {
  const around = surroundings(passage);
  const topic = [...topicOf(asked.question).keys()];
  return sentencesOf(passage.text).flatMap((sentence, index) => {
    if (sentence.length < SENTENCE.min || sentence.length > SENTENCE.max || /[:?]$/.test(sentence)) return [];
    if (!isStatement(sentence)) return [];
    const stems = { ...around, sentence: stemsOf(sentence) };
    const own = coverage(asked.question, stems, weights);
    const context = coverage(asked.context, stems, weights);
    const speaks = topic.some((key) => stems.sentence.has(key) || stems.above.has(key));
    const bare = { ...stems, around: NONE };
    const alone = Math.max(...[asked.question, asked.context].map((text) => coverage(text, bare, weights)));
    if (!speaks || Math.min(own, context) < ENOUGH || alone < ALONE) return [];
    const { document, passage: id } = passage;
    const finding = { claim: sentence, document, passage: id, quotation: sentence };
    const upload = isUploaded(passage) ? BONUS.uploaded : introduces(topic, passage) ? BONUS.introduces : 0;
    const beside = bonus(asked.question, sentence, index) + upload + (isHeaded(topic, passage) ? BONUS.headed : 0);
    return [{ finding, score: own + 0.5 * context + beside - place * 0.02 }];
  });
}

/** The share of the words of the shorter one that makes two sentences one for a reader. */
const SAME = 0.8;

function isMuchTheSame(one: string, other: string): boolean {
  const [small, large] = [stemsOf(one), stemsOf(other)].sort((a, b) => a.size - b.size);
  const shared = [...(small ?? [])].filter((key) => large?.has(key)).length;
  return shared >= SAME * (small?.size ?? 0);
}

/** The sentences that answer a question best, word for word, best first: at most 4, at most 2 of one passage. */
export function extractFindings(asked: Asked, passages: readonly ReadPassage[], weights: Weights): Finding[] {
  const ranked = rankPassages(asked, passages, weights);
  const candidates = ranked
    .flatMap((passage, place) => candidatesOf(asked, passage, place, weights))
    .sort((a, b) => b.score - a.score);
  const findings: Finding[] = [];
  const perPassage = new Map<string, number>();
  const best = candidates[0]?.score ?? 0;
  for (const { finding, score } of candidates) {
    const taken = perPassage.get(finding.passage) ?? 0;
    const known = findings.some(({ quotation }) => isMuchTheSame(quotation, finding.quotation));
    if (findings.length === MAX_FINDINGS || known || taken === MAX_OF_PASSAGE || score < 0.7 * best) continue;
    perPassage.set(finding.passage, taken + 1);
    findings.push(finding);
  }
  return findings;
}
