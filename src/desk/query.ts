/** From what a person or a model writes to an expression of the full-text index that cannot be anything else. */
import { beginningOf } from '../protocol/content/cut';

/** Words of English that carry no topic. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both but by
  can cannot could did do does doing done down during each either else etc ever every few for from further get gets give had has
  have having he her here hers him his how i if in into is it its itself just let like many may me might more most much must my
  no nor not now of off on once one only or other our ours out over own per please rather same shall she should so some still such
  tell than that the their theirs them then there these they this those through to too under until up upon us very was way we were
  what when where whether which while who whom whose why will with within without would you your yours`.split(/\s+/),
);

/** More terms than this are left out. */
const MAX_TERMS = 24;

/** The words of a text in lower case, in order, with repetitions. Signs and punctuation separate them. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/['’]s\b/gu, '')
      .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  );
}

/** Whether a word (in lower case) carries no topic. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word) || (word.length === 1 && /[\p{Script=Latin}]/u.test(word));
}

/** The terms to search for: distinct, without stop words unless there are no others, at most `MAX_TERMS`. */
export function searchTerms(query: string): string[] {
  const words = [...new Set(wordsOf(beginningOf(query, 10_000)))];
  const topical = words.filter((word) => !isStopWord(word));
  return (topical.length > 0 ? topical : words).slice(0, MAX_TERMS);
}

/**
 * An FTS5 expression of terms from `searchTerms`. Each is quoted and holds letters and digits alone, so no operator,
 * column filter or unbalanced quote can come from outside.
 */
export function matchExpression(terms: readonly string[], operator: 'AND' | 'OR'): string {
  return terms.map((term) => `"${term}"`).join(` ${operator} `);
}
