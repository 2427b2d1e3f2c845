/** Splits a question by rules: its clauses where it has several, and how its content words are related. */

import { beginningOf } from '../../protocol/content/cut';
import { trimEndOf } from '../../protocol/content/lines';
import { topicWords } from './words';

/** How many sub-questions a wish for depth means. */
const DEPTH: Readonly<Record<string, number>> = { quick: 2, standard: 3, thorough: 4 };

const ASKING = 'how|what|why|when|where|which|who|whose|is|are|do|does|did|can|could|will|would|should';
const CLAUSE = new RegExp(`[?;\\n]|,? (?:and|or|but) (?=(?:${ASKING})\\b)`, 'i');

function clausesOf(question: string): string[] {
  return question
    .replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : ' '))
    .split(CLAUSE)
    .map((clause) => trimEndOf(clause, ' ,').replace(/^[ ,.!]+/, ''))
    .filter((clause) => topicWords(clause).length > 0);
}

/** Angles on the content words of a question, the most telling first. */
function angles(words: readonly string[]): string[] {
  const [first, second, third, fourth] = words;
  if (first === undefined) return [];
  if (second === undefined)
    return [`What is “${first}”?`, `Which limits and failures concern “${first}”?`, `Who decides about “${first}”?`];
  const pairs = [`What is said about “${first}”?`, `What is said about “${second}”?`];
  if (third === undefined) return [...pairs, `Which limits and failures concern “${first}” and “${second}”?`];
  const further = fourth === undefined ? `“${third}”` : `“${third}” and “${fourth}”`;
  return [
    `How are “${first}” and “${second}” related?`,
    `What is said about ${further}?`,
    `Which limits and failures concern “${first}”?`,
  ];
}

/** A clause as a question of its own. */
export const asQuestion = (clause: string): string =>
  `${clause.charAt(0).toUpperCase()}${trimEndOf(clause.slice(1), '.!?')}?`;

/**
 * The sub-questions of a question: 2 to 4, all different; none when it has no content words.
 * The same question always gives the same ones, so a plan needs no memory.
 */
export function planQuestions(question: string, depth?: string): string[] {
  const topic = topicWords(question);
  if (topic.length === 0) return [];
  const clauses = clausesOf(question).slice(0, 4);
  const wanted =
    (depth === undefined ? undefined : DEPTH[depth]) ?? Math.min(4, Math.max(2, topic.length, clauses.length));
  const whole =
    clauses.length > 1
      ? clauses.map(asQuestion)
      : [asQuestion(beginningOf(question.replaceAll(/\s+/g, ' ').trim(), 1_500))];
  return [...new Set([...whole, ...angles(topic)])].slice(0, wanted);
}
