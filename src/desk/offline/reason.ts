/**
 * What a person's reason for a denial asks for, as far as rules can tell. English. Rules do not understand a reason:
 * what none of them takes is left undone, and the coordinator says so.
 */

import { beginningOf } from '../../protocol/content/cut';
import { trimEndOf } from '../../protocol/content/lines';
import { collapse } from '../quotes';
import { cut } from './compose';
import { asQuestion } from './plan';
import { topicOf } from './words';

/** What to leave out: sections by number (`LAST` is the last), what speaks of some words, or the open questions. */
export type Unwanted =
  | { readonly kind: 'sections'; readonly numbers: readonly number[] }
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'open_questions' };

/** What a reason asks for. Nothing of it at all: there is no rule for the reason. */
export interface Wish {
  /** Not to publish at all. */
  readonly stop: boolean;
  readonly shorter: boolean;
  readonly unwanted: readonly Unwanted[];
  /** What needs another look. */
  readonly questions: readonly string[];
}

/** The number of the last section. */
export const LAST = -1;

/** Sub-questions that one reason gives at most. */
const MAX_QUESTIONS = 2;

const BARE_NO =
  /^(?:no|nope|never|stop|cancel(?:led)?|abort|withdraw|discard|reject(?:ed)?|denied|don['’]t|do not|not (?:now|yet|at all)|forget it)?(?:[\s,]*\b(?:it|this|that|please|thanks?|you|way|now|mind))*[\s.!]*$/i;
const STOP_FIRST = /^(?:no[,.:;]?\s+)?(?:please\s+)?(?:stop|cancel|abort|withdraw)\b(?!.*\bsections?\b)/is;
const DO_NOT_PUBLISH =
  /\b(?:do not|don['’]t|never|not to|must not|should not|shouldn['’]t|can(?:no|['’])t|no need to|not(?: to)? be)\s+(?:be\s+)?publish(?:ed)?\b(?!\s+(?:the\s+)?(?:\w+\s+)?sections?\b)/i;

const SHORTER =
  /\b(?:make it\s+)?(?:(?:much|a bit|a lot|far|way)\s+)?(?:shorter|shorten(?:\s+it)?|too long|briefer|more concise|condense(?:\s+it)?|cut it down|too (?:many|much) (?:statements|text|words|details?))\b/gi;

const LEAVE_OUT =
  "\\b(?:without|drop|remove|delete|omit|skip|strike|leave out|take out|(?:do not|don['’]t) publish)\\s+(?:the\\s+)?";
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const NUMBERED = new RegExp(`${LEAVE_OUT}sections?\\s+(\\d+(?:(?:\\s*(?:,|and|&))+\\s*(?:section\\s+)?\\d+)*)`, 'gi');
const ORDINAL = new RegExp(`${LEAVE_OUT}(last|${ORDINALS.slice(1).join('|')})\\s+section\\b`, 'gi');
const OPEN_QUESTIONS = new RegExp(`${LEAVE_OUT}open questions?\\b`, 'gi');
const NAMED = new RegExp(
  `${LEAVE_OUT}([^.;,!?]+?)(?=\\s*[.;,!?]|\\s+(?:but|and)\\s+(?:add|also|drop|explain|include|keep|leave|make|mention|remove|say|shorten|show|tell)\\b|\\s*$)`,
  'gi',
);
/** Words that name a part of a report, not what it is about. */
const PARTS = /\b(?:everything|parts?|sections?|statements?|sentences?|paragraphs?|points?|bits?|all)\b/gi;

const FILLER =
  /^(?:and|but|no|so|also|please|then|yes|you (?:should|must|could|need to|forgot to|did not|didn['’]t)|(?:it|the report) (?:should|must|could|does not|doesn['’]t)|(?:can|could|would|will) you|(?:can|could|should) (?:it|this) be)\b[\s,:]*/i;
const ASKS =
  /^(?:i (?:also )?(?:want|need|miss|would like)(?: to (?:know|see|read))?|add|mention|include|cover|explain|tell(?: me| us)?|say(?: something about)?|show|look (?:again )?(?:at|into|up|for)|check|research|find out|more (?:about|on)|(?:what is )?missing(?: is)?)\b[\s,:]*/i;
const EDIT_FIRST =
  /^(?:without|drop|remove|delete|omit|skip|strike|leave|take|make it|(?:(?:much|a bit|a lot|far) )?shorter|shorten|briefer|more concise|condense|cut it down)\b/i;
const MISSING = /^(.+?)\s+(?:is|are) missing$/i;

const withoutFillers = (text: string): string => {
  const rest = text.replace(FILLER, '').replace(/^[\s,:–-]+/, '');
  return rest === text ? text : withoutFillers(rest);
};

/** The question that is left of a sentence of a reason, if it asks one. */
function questionIn(rest: string): string | undefined {
  const text = trimEndOf(withoutFillers(rest), ' .!,;');
  const asked = text.endsWith('?')
    ? text
    : (MISSING.exec(text)?.[1] ?? (ASKS.test(text) ? text.replace(ASKS, '') : ''));
  return topicOf(asked).size === 0 ? undefined : cut(asQuestion(asked), 2_000);
}

/**
 * Reads what to leave out of a sentence; `rest` is what else it says. In one that asks, words like `without` belong to
 * the question, so that only sections and open questions are left out by it.
 */
function unwantedIn(sentence: string, asks: boolean): { unwanted: Unwanted[]; rest: string } {
  const unwanted: Unwanted[] = [];
  const take = (one: Unwanted): string => {
    unwanted.push(one);
    return '';
  };
  const rest = sentence
    .replace(/\b(leave|take)\s+(.{1,120}?)\s+out\b/gi, '$1 out $2')
    .replace(NUMBERED, (_, list: string) => take({ kind: 'sections', numbers: (list.match(/\d+/g) ?? []).map(Number) }))
    .replace(ORDINAL, (_, name: string) =>
      take({
        kind: 'sections',
        numbers: [name.toLowerCase() === 'last' ? LAST : ORDINALS.indexOf(name.toLowerCase())],
      }),
    )
    .replace(OPEN_QUESTIONS, () => take({ kind: 'open_questions' }));
  if (asks) return { unwanted, rest };
  return {
    unwanted,
    rest: rest.replace(NAMED, (_, words: string) => take({ kind: 'words', words: words.replace(PARTS, ' ') })),
  };
}

/** Reads the reason of a denial. */
export function readReason(reason: string): Wish {
  const text = beginningOf(reason.trim(), 4_000);
  const stop = BARE_NO.test(text) || STOP_FIRST.test(text) || DO_NOT_PUBLISH.test(text);
  const unwanted: Unwanted[] = [];
  const questions: string[] = [];
  let shorter = false;
  for (const part of text.split(/(?<=[.!?;])\s+|\n+/)) {
    const sentence = withoutFillers(collapse(part));
    const asks = ASKS.test(sentence) || (sentence.endsWith('?') && !EDIT_FIRST.test(sentence));
    const edits = unwantedIn(sentence, asks);
    unwanted.push(...edits.unwanted);
    const rest = asks ? edits.rest : edits.rest.replace(SHORTER, '');
    shorter ||= rest !== edits.rest;
    const question = questionIn(rest);
    if (question !== undefined) questions.push(question);
  }
  return { stop, shorter, unwanted, questions: [...new Set(questions)].slice(0, MAX_QUESTIONS) };
}
