/** The offline coordinator when a person decides about its report. */

import { describe, expect, it } from 'vitest';
import { readReason } from '../../../src/desk/offline/reason';
import { WRITTEN_BY_RULES } from '../../../src/desk/offline/reply';
import { type Report, reportSchema, withdrawalSchema } from '../../../src/desk/schemas';
import { publishReport, withdrawReport } from '../../../src/desk/tools';
import type { Json } from '../../../src/protocol/json';
import { present } from '../../support/present';
import {
  asksForApproval,
  Conversation,
  contextOf,
  denied,
  desk,
  document,
  envOf,
  failed,
  libraryOf,
  passed,
  runTool,
} from './support';

const CLUSTER = 'In winter the bees form a cluster around the queen.';
const HONEY = 'They live on the honey that they stored in summer.';
const SWARM = 'A swarm leaves the hive when the queen has too little room to lay.';
const OLD = 'The old queen goes with the swarm.';
const WARM = 'The keeper measures about 25 degrees in the cluster.';
const { context } = contextOf(
  envOf(
    libraryOf(document('bees', `# Bees\n\n## Swarms\n\n${SWARM} ${OLD}\n\n## Winter\n\n${CLUSTER} ${HONEY} ${WARM}\n`)),
  ),
);
const QUESTION = 'When does a swarm leave the hive, and what do the bees live on in winter?';
const findingsOf = (passage: string, ...sentences: string[]): Json => ({
  answer: sentences[0] ?? 'Nothing.',
  findings: sentences.map((sentence) => ({ claim: sentence, document: 'bees', passage, quotation: sentence })),
  gaps: [],
});
const NOTHING = findingsOf('bees#1');

type Reply = ReturnType<Conversation['reply']>;
const names = (reply: Reply) => reply.calls.map(({ toolName }) => toolName);
const input = (reply: Reply): Json => present(reply.calls[0]).input;

/** A conversation up to a report of two sections with two statements each, which waits for a person. */
function proposed(): { talk: Conversation; reply: Reply } {
  const talk = new Conversation(desk.coordinator, QUESTION);
  talk.add(talk.reply(), { added: [], skipped: [], documents: [] });
  const split = talk.reply();
  const answers = [findingsOf('bees#1', SWARM, OLD), findingsOf('bees#2', HONEY, CLUSTER)];
  talk.add(split, ...split.calls.map((_, index) => answers[index] ?? NOTHING));
  talk.add(talk.reply(), passed());
  return { talk, reply: talk.reply() };
}

/** What follows when a person denies a reply's report. */
function deniedFor(talk: Conversation, reply: Reply, reason: string): Reply {
  talk.add(reply, denied(reason));
  return talk.reply();
}

/** The report that a reply puts before a person; the check accepts it. */
async function putForward(reply: Reply): Promise<Report> {
  expect(names(reply)).toEqual(['publish_report']);
  const report = reportSchema.parse(input(reply));
  expect(await asksForApproval(publishReport, report, context)).toBe(true);
  return report;
}

const textsOf = (report: Report) => report.sections.map(({ text }) => text);
const FIRST = `- ${SWARM} [1]\n- ${OLD} [2]`;
const SECOND = `- ${HONEY} [1]\n- ${CLUSTER} [2]`;

/** The reason of a reply that withdraws. */
function withdrawn(reply: Reply): string {
  expect(names(reply)).toEqual(['withdraw_report']);
  return withdrawalSchema.parse(input(reply)).reason;
}

describe('the offline coordinator, denied for a reason that it can act on,', () => {
  it.each<[string, string[]]>([
    ['shorter', [`- ${SWARM} [1]`, `- ${HONEY} [1]`]],
    ['No, make it shorter, and without section 2', [`- ${SWARM} [1]`]],
    ['without section 2', [FIRST]],
    ['Can you drop the first section?', [SECOND]],
    ['leave the last section out', [FIRST]],
    ['Do not publish section 1.', [SECOND]],
    ['drop the part about winter', [FIRST]],
    ['drop the cluster', [FIRST, `- ${HONEY} [1]`]],
    ['Leave out the old queen but keep the rest.', [`- ${SWARM} [1]`, SECOND]],
  ])('[D43] revises its report and puts it forward again: %s', async (reason, texts) => {
    const { talk, reply } = proposed();
    expect(textsOf(await putForward(reply))).toEqual([FIRST, SECOND]);
    const revision = deniedFor(talk, reply, reason);
    expect(revision.text).toContain(`“${reason}”`);
    const report = await putForward(revision);
    expect(textsOf(report)).toEqual(texts);
    const stated = texts.join('\n');
    for (const sentence of [SWARM, OLD, CLUSTER, HONEY])
      if (!stated.includes(sentence)) expect(report.summary).not.toContain(sentence);
    expect(report.summary).toContain(WRITTEN_BY_RULES);
  });

  it('[D43] leaves the open questions out, or shortens a report of single statements by its sections', async () => {
    const { talk, reply } = proposed();
    const open = deniedFor(talk, reply, 'remove the open questions');
    expect(await putForward(open)).toMatchObject({ openQuestions: [] });
    const once = deniedFor(talk, open, 'shorter');
    expect(textsOf(await putForward(once))).toHaveLength(2);
    const again = proposed();
    const single = deniedFor(again.talk, again.reply, 'shorter');
    const least = await putForward(deniedFor(again.talk, single, 'still too long'));
    expect(textsOf(least)).toEqual([`- ${SWARM} [1]`]);
    expect(least.summary).toBe(`${SWARM} (${WRITTEN_BY_RULES})`);
  });

  it.each([
    ['How many degrees has the cluster?', 'How many degrees has the cluster?'],
    ['You should also say how many degrees it has.', 'How many degrees it has?'],
    ['The number of degrees is missing.', 'The number of degrees?'],
  ])('[D43] sends a researcher out for what is missing, and adds what it found: %s', async (reason, question) => {
    const { talk, reply } = proposed();
    const look = deniedFor(talk, reply, reason);
    expect(names(look)).toEqual(['subagent__researcher']);
    expect(input(look)).toEqual({ question, context: question });
    talk.add(look, findingsOf('bees#2', WARM, HONEY));
    const report = await putForward(talk.reply());
    expect(textsOf(report)).toEqual([FIRST, SECOND, `- ${WARM} [1]`]);
    expect(present(report.sections[2]).heading).toBe(question);
  });

  it('[D43] changes the report and looks again where a reason asks for both', async () => {
    const { talk, reply } = proposed();
    const look = deniedFor(talk, reply, 'Drop section 1. How many degrees has the cluster?');
    expect(names(look)).toEqual(['subagent__researcher']);
    talk.add(look, findingsOf('bees#2', WARM));
    expect(textsOf(await putForward(talk.reply()))).toEqual([SECOND, `- ${WARM} [1]`]);
  });

  it('[D43] names in the open questions what the second look did not find', async () => {
    const { talk, reply } = proposed();
    const look = deniedFor(talk, reply, 'What does honey cost?');
    talk.add(look, NOTHING);
    const report = await putForward(talk.reply());
    expect(textsOf(report)).toEqual([FIRST, SECOND]);
    expect(report.openQuestions).toContain('What does honey cost? (nothing found in the library)');
  });

  it('[D43] also adds what a message asked while the report was waiting', async () => {
    const { talk, reply } = proposed();
    talk.add(reply, denied('without section 1'));
    talk.say('What does the keeper measure?');
    const more = talk.reply();
    expect(new Set(names(more))).toEqual(new Set(['subagent__researcher']));
    talk.add(more, findingsOf('bees#2', WARM), ...more.calls.slice(1).map(() => NOTHING));
    expect(textsOf(await putForward(talk.reply()))).toEqual([SECOND, `- ${WARM} [1]`]);
  });
});

describe('the offline coordinator withdraws', () => {
  it.each([
    'no',
    'No.',
    'stop',
    'Stop, this was a mistake',
    'do not publish',
    'Please don’t publish this!',
    'never mind',
    '',
  ])('[D44] at once when the reason is %j', async (reason) => {
    const { talk, reply } = proposed();
    const why = withdrawn(deniedFor(talk, reply, reason));
    expect(why).toContain(reason === '' ? 'gave no reason' : `“${reason}”`);
    expect(await runTool(withdrawReport, { reason: why }, context)).toMatchObject({ published: false });
  });

  it.each(['this is wrong', 'I do not like it', 'drop the unicorns', 'drop section 7', 'drop sections 1 and 2'])(
    '[D44] for a reason that none of its rules can act on, and says so: %s',
    (reason) => {
      const { talk, reply } = proposed();
      expect(withdrawn(deniedFor(talk, reply, reason))).toMatch(/none of my rules covers this reason: “/);
    },
  );

  it('[D44] when another look brings nothing new', () => {
    const { talk, reply } = proposed();
    const look = deniedFor(talk, reply, 'When do they swarm?');
    talk.add(look, findingsOf('bees#1', SWARM));
    expect(withdrawn(talk.reply())).toMatch(/further research found nothing new about this: “When do they swarm\?”/);
  });

  it('[D44] after the third denial, whatever its reason', async () => {
    const { talk, reply } = proposed();
    const second = deniedFor(talk, reply, 'without section 2');
    const third = deniedFor(talk, second, 'shorter');
    expect(textsOf(await putForward(third))).toEqual([`- ${SWARM} [1]`]);
    expect(withdrawn(deniedFor(talk, third, 'How many degrees has the cluster?'))).toMatch(/denied the report 3 times/);
  });

  it('[D44] when nobody decides in time', () => {
    const { talk, reply } = proposed();
    talk.add(
      reply,
      failed('The call of "publish_report" was not approved in time, so it did not run.', 'approval_expired'),
    );
    expect(withdrawn(talk.reply())).toMatch(/nobody approved the report in time/);
  });

  it('[D44] but reports alone on what was asked after a report that nobody wants', async () => {
    const { talk, reply } = proposed();
    talk.add(reply, denied('no'));
    talk.say('What does the keeper measure?');
    const more = talk.reply();
    talk.add(more, findingsOf('bees#2', WARM), ...more.calls.slice(1).map(() => NOTHING));
    const report = await putForward(talk.reply());
    expect(report.title).toBe('What does the keeper measure?');
    expect(textsOf(report)).toEqual([`- ${WARM} [1]`]);
  });
});

describe('a reason', () => {
  it('[D43] that asks takes no words of its question for something to leave out', () => {
    for (const reason of ['What happens without a queen?', 'Add what happens without a queen']) {
      expect(readReason(reason)).toMatchObject({ unwanted: [], questions: ['What happens without a queen?'] });
    }
    expect(readReason('How long is too long?')).toMatchObject({ shorter: false });
  });

  it('[D43] gives at most two sub-questions, and is read in a moment however long it is', () => {
    expect(readReason('What is a hive? What is a swarm? What is honey?').questions).toHaveLength(2);
    const long = ['without ', ' ', 'drop section 1, ', 'no ', 'add and '].map((unit) => unit.repeat(200_000));
    const started = process.cpuUsage();
    for (const text of long) readReason(text);
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(2_000_000);
  });
});
