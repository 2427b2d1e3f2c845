/** The coordinator, played by rules. */

import type { Json } from '../../protocol/json';
import { isObject } from '../../protocol/json';
import { collapse } from '../quotes';
import type { Report } from '../schemas';
import { MAX_CRITIQUE_ROUNDS, reportSchema } from '../schemas';
import type { Answered } from './compose';
import { answeredBy, cut, mended, reportOf, withAnswers, withLimitsOf } from './compose';
import { CONSULT, consult, mendedDraft, roundsOf, withCritique } from './critique';
import { type Order, orderAgain, orderIn, withOrdered } from './order';
import { planQuestions } from './plan';
import { readReason } from './reason';
import type { OfflineReply } from './reply';
import { revised } from './revise';
import type { ToolUse, Turn } from './transcript';
import { parsed, settled } from './transcript';

const RESEARCHER = 'subagent__researcher';
const PUBLISH = 'publish_report';
const WITHDRAW = 'withdraw_report';

/** A report that was refused so often is not mended any more. */
const MAX_REFUSALS = 3;

/** A report is revised so often for a person; denied after that, it is withdrawn. */
const MAX_REVISIONS = 2;

/** Researchers of one turn at most. */
const MAX_RESEARCHERS = 12;

interface Asked {
  readonly question: string;
  /** What it is about, where it asks for a text; else the question. */
  readonly about: string;
  /** The text that it asks for. */
  readonly order?: Order;
  readonly depth?: string;
}

function askedIn(request: string): Asked {
  const value: Json = request.startsWith('{') ? parsed(request) : request;
  const question = isObject(value) ? value.question : undefined;
  if (!isObject(value) || typeof question !== 'string') return { question: request, ...orderIn(request) };
  const asked = { question, ...orderIn(question) };
  return typeof value.depth === 'string' ? { ...asked, depth: value.depth } : asked;
}

function publish(report: Report, text: string): OfflineReply {
  return { text, calls: [{ toolName: PUBLISH, input: { ...report } }] };
}

/** Puts a report forward once it has the text that was ordered; else has that written. */
function putForward({ turn }: Work, report: Report, order: Order | undefined, text: string): OfflineReply {
  const ordered = withOrdered(turn, report, order);
  return 'calls' in ordered ? ordered : publish(ordered, text);
}

/** Ends without a report, and says why. */
function withdraw(why: string): OfflineReply {
  const reason = cut(`I am the offline model of this research desk. ${why}`, 600);
  return { text: reason, calls: [{ toolName: WITHDRAW, input: { reason } }] };
}

/** What the desk has done in this turn. */
interface Work {
  /** The last message. */
  readonly latest: Asked;
  /** The text that was asked for last. */
  readonly order: Order | undefined;
  readonly turn: Turn;
  readonly sent: ReadonlySet<Json | undefined>;
}

function research(questions: readonly { question: string; context: string }[]): OfflineReply['calls'] {
  return questions.map((input) => ({ toolName: RESEARCHER, input }));
}

/** The reason that a person gave: what follows the first colon of a denial's text. */
const reasonIn = (failure: string): string => /^[^:]*:\s+(.+)$/s.exec(failure)?.[1]?.trim() ?? '';

function afterDenial(work: Work, report: Report, failure: string, later: readonly Answered[]): OfflineReply {
  const reason = reasonIn(failure);
  const quoted = reason === '' ? ' and gave no reason' : `: “${cut(collapse(reason), 300)}”`;
  const wish = readReason(reason);
  if (wish.stop) return withdraw(`Nothing was published: a person denied the report${quoted}.`);
  const denials = settled(work.turn, PUBLISH).filter(({ result }) => result.code === 'approval_denied').length;
  if (denials > MAX_REVISIONS) {
    return withdraw(
      `Nothing was published: a person denied the report ${denials} times, and I revise it at most ${MAX_REVISIONS} times. The last reason was${quoted}.`,
    );
  }
  const due = wish.questions.filter((question) => !work.sent.has(question));
  if (due.length > 0 && work.sent.size + due.length <= MAX_RESEARCHERS) {
    const text = `A person denied the report${quoted}. I am having that researched.`;
    // A question of its own: what the first one was about must not narrow it.
    return { text, calls: research(due.map((question) => ({ question, context: question }))) };
  }
  const next = revised(report, wish, later);
  if (next !== undefined)
    return putForward(
      work,
      withLimitsOf(report, next),
      next.text && orderAgain(work.turn, next.text, reason, wish.shorter),
      `A person denied the report${quoted}. I have revised it by rules and submit it again.`,
    );
  const why =
    later.length > 0 ? 'further research found nothing new about this' : 'none of my rules covers this reason';
  return withdraw(`Nothing was published: a person denied the report, and ${why}${quoted}.`);
}

function afterRefusal(work: Work, report: Report, failure: string, later: readonly Answered[]): OfflineReply {
  const refusals = settled(work.turn, PUBLISH).filter(({ result }) => result.code !== 'approval_denied').length;
  if (refusals >= MAX_REFUSALS || !/^- (?:section \d+|the text)\b/m.test(failure)) {
    return withdraw(`The report could not be published: ${cut(collapse(failure), 400)}`);
  }
  const kept = mended(report, failure);
  // Places that are none of its own: a person has edited what was refused.
  const own = kept !== report;
  return putForward(
    work,
    withLimitsOf(report, withAnswers(kept, later)),
    kept.text && orderAgain(work.turn, kept.text, '', false),
    own ? 'I remove what could not be verified.' : 'The edited report was refused; I submit mine again.',
  );
}

/** What follows a report that was not published. `later` is what researchers have answered since. */
function afterPublishing(work: Work, last: Required<ToolUse>, later: readonly Answered[]): OfflineReply {
  const { failure = '', code } = last.result;
  const expired = code === 'approval_expired';
  const stopped = code === 'approval_denied' && readReason(reasonIn(failure)).stop;
  if ((expired || stopped) && later.length > 0) {
    const { latest } = work;
    return putForward(
      work,
      reportOf(latest.question, later),
      latest.order,
      'I withdraw that report, and report on the later questions instead.',
    );
  }
  if (expired) return withdraw('Nothing was published: nobody approved the report in time.');
  const report = reportSchema.safeParse(last.input);
  if (!report.success) return withdraw(`The report could not be published: ${cut(collapse(failure), 400)}`);
  return code === 'approval_denied'
    ? afterDenial(work, report.data, failure, later)
    : afterRefusal(work, report.data, failure, later);
}

/** What follows the researchers' answers: the critic's rounds, then the report. */
function propose(work: Work, question: string): OfflineReply {
  const { turn, sent, order } = work;
  const subQuestions = [...sent].filter((one) => typeof one === 'string');
  const rounds = roundsOf(turn);
  const last = rounds.at(-1);
  const asked = turn.uses.findLastIndex(({ toolName }) => toolName === CONSULT);
  const isNewer = turn.uses.slice(asked + 1).some(({ toolName }) => toolName === RESEARCHER);
  if (last === undefined || isNewer) {
    const draft = reportOf(question, settled(turn, RESEARCHER).map(answeredBy));
    if (rounds.length < MAX_CRITIQUE_ROUNDS) return consult(question, subQuestions, draft, rounds.length + 1);
    return putForward(work, draft, order, 'I submit the report for approval; the critic has no rounds left.');
  }
  const { draft, critique } = last;
  const count = rounds.length;
  if (critique === undefined)
    return putForward(work, draft, order, 'The critic could not answer; I submit the report without it.');
  if (critique.verdict === 'pass')
    return putForward(
      work,
      withCritique(draft, critique, count),
      order,
      'The critic has passed the draft; I submit it for approval.',
    );
  const next = count < MAX_CRITIQUE_ROUNDS ? mendedDraft(draft, critique) : undefined;
  if (next !== undefined) return consult(question, subQuestions, next, count + 1);
  return putForward(
    work,
    withCritique(draft, critique, count),
    order,
    'I cannot fix everything that the critic asks for; I submit the report, and say so in it.',
  );
}

/** The coordinator's next reply. */
export function playCoordinator(turn: Turn): OfflineReply {
  const asked = turn.requests.map(askedIn);
  const plans = asked.map(({ about, depth }) => ({ question: about, parts: planQuestions(about, depth) }));
  if (plans.every(({ parts }) => parts.length === 0)) {
    return withdraw('I found no word in your message that I could search the library for: please ask a question.');
  }
  if (!turn.uses.some(({ toolName }) => toolName === 'add_to_library')) {
    return { text: 'First, I check what the library contains.', calls: [{ toolName: 'add_to_library', input: {} }] };
  }
  const sent = new Set(turn.uses.filter(({ toolName }) => toolName === RESEARCHER).map(({ input }) => input.question));
  const due = new Map(
    plans.flatMap(({ question, parts }) => parts.map((part) => [part, cut(question, 8_000)] as const)),
  );
  const unsent = [...due]
    .map(([part, context]) => ({ question: part, context }))
    .filter(({ question }) => !sent.has(question));
  if (unsent.length > 0 && sent.size < MAX_RESEARCHERS) {
    const split =
      unsent.length === 1
        ? 'I send out a researcher for this question'
        : `I split the question into ${unsent.length} sub-questions and send out a researcher for each`;
    const text = `${split}:\n${unsent.map(({ question }) => `- ${question}`).join('\n')}`;
    return { text, calls: research(unsent) };
  }
  const latest = asked.at(-1) ?? { question: '', about: '' };
  const order = asked.findLast((one) => one.order !== undefined)?.order;
  const work = { latest, order, turn, sent };
  const last = settled(turn, PUBLISH).at(-1);
  if (last === undefined) {
    return propose(work, asked.map((one) => one.question).join(' '));
  }
  const since = { uses: turn.uses.slice(turn.uses.indexOf(last) + 1) };
  return afterPublishing(work, last, settled(since, RESEARCHER).map(answeredBy));
}
