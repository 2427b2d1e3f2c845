/** What the offline desk says to a reader: sentences on the question, and a critic that takes nothing else. */
import { describe, expect, it } from 'vitest';
import { CORPUS } from '../../../src/desk/corpus/corpus';
import { asStatement } from '../../../src/desk/offline/compose';
import { playCritic } from '../../../src/desk/offline/critic';
import { extractFindings, passagesIn, weightsFrom } from '../../../src/desk/offline/extract';
import { furtherWords, isStatement, sentencesOf, stemsOf } from '../../../src/desk/offline/words';
import { type Critique, critiqueSchema } from '../../../src/desk/schemas';
import type { Json } from '../../../src/protocol/json';
import { document, libraryOf } from './support';

const library = libraryOf(...CORPUS.documents);

/** The statements of an answer, best first. */
function answerOf(question: string, store = library): string[] {
  const queries = [question, furtherWords(question.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ')].filter(Boolean);
  const found: Json[] = queries.map((query) => JSON.parse(JSON.stringify(store.search({ query, limit: 20 }))));
  const asked = { question, context: question };
  return extractFindings(asked, found.flatMap(passagesIn), weightsFrom(found)).map(({ claim }) => asStatement(claim));
}

describe('an answer of the offline desk', () => {
  it.each([
    ['What is Offshoot?', /^Offshoot runs durable trees of AI agents/],
    ['What is a companion?', /^A companion is a sub-agent that stays/],
    ['How do I deploy it to Cloudflare?', /^After this page you can deploy your own agents to Cloudflare/],
    ['Which language models can I use?', /language model of (?:the AI SDK|an agent)/],
    ['How do I test my own agents?', /^After this page you can test your own agents in plain Node/],
    ['What happens if the server crashes in the middle of a run?', /crash/],
  ])('[D34] to a reader who has never seen the project: %s', (question, best) => {
    expect(answerOf(question)[0]).toMatch(best);
  });

  it.each([
    'What is Offshoot?',
    'How do I test my own agents?',
    'Which options has a companion?',
    'What is in the table of Standard Agents?',
    'Where are the files of this repository?',
  ])('[D73] has sentences alone, and no link among them: %s', (question) => {
    for (const statement of answerOf(question)) {
      expect(isStatement(statement)).toBe(true);
      expect(statement).not.toMatch(/\]\(|^\||\s\|\s/);
    }
  });

  it('[D74] finds what times out in a note of a user, and puts it first', () => {
    const notes = libraryOf(...CORPUS.documents);
    notes.add({
      name: 'note.txt',
      mediaType: 'text/plain',
      text: 'Notes of the meeting.\n\nThe payment gateway times out after 25 seconds. Ann looks at it on Monday.',
    });
    expect(answerOf('What is the timeout?', notes)[0]).toBe('The payment gateway times out after 25 seconds.');
  });

  it('[D74] says a thing once', () => {
    const twice = libraryOf(
      document('one', '# One\n\nThe blue whale is the largest animal that lives in the sea today.'),
      document('two', '# Two\n\nThe blue whale is the largest animal that ever lives in the sea today.'),
    );
    expect(answerOf('What is a blue whale?', twice)).toHaveLength(1);
  });
});

describe('words', () => {
  it.each([
    ['The call times out.', 'timeout'],
    ['It timed out.', 'timeout'],
    ['They are logging out.', 'logout'],
    ['We set up a server.', 'setup'],
    ['He rolled back the change.', 'rollback'],
  ])('[D74] a verb and its particle are one word: %s', (text, word) => {
    expect(stemsOf(text)).toContain(word);
  });

  it('[D73] rows, headings and lines under headings are no sentences', () => {
    const passage =
      'Setext\n------\n\n**Bold**\n\n# Sharp\n\n| a | b |\n|---|---|\n| c | d |\n\nOne sentence stands here.';
    expect(sentencesOf(passage)).toEqual(['One sentence stands here.']);
  });
});

const passage = 'Bees live on honey in winter. A smoker calms them.';
const citation = (quotation: string) => ({ document: 'notes', passage: 'notes#1', quotation });

/** The verdict on statements that stand in their passage word for word. */
function judged(statements: readonly string[], text = passage): Critique {
  const question = 'What do bees live on in winter?';
  const report = {
    title: question,
    summary: 'Honey. Limits: this rests on 1 document.',
    sections: [
      {
        heading: question,
        text: statements.map((one, at) => `- ${one} [${at + 1}]`).join('\n'),
        citations: statements.map(citation),
      },
    ],
    openQuestions: [],
  };
  const message = JSON.stringify({ question, subQuestions: [question], round: 1, report });
  const uses = statements.map((quotation, at) => ({
    id: `c${at}`,
    toolName: 'check_quotation',
    input: citation(quotation),
    result: { value: { found: true, quotation, text } },
  }));
  const { calls } = playCritic({ requests: [message], said: [message], uses, before: [] });
  return critiqueSchema.parse(calls[0]?.input);
}

describe('the offline critic', () => {
  it('[D75] takes sentences on the question', () => {
    expect(judged(['Bees live on honey in winter.'])).toMatchObject({ verdict: 'pass', points: [] });
  });

  it.each([
    ['a row of a table', 'honey | winter | bees'],
    ['a heading', '**Bees in winter and in spring**'],
    ['a link', '[Bees in winter](bees.md)'],
  ])('[D75] refuses %s', (_, statement) => {
    expect(judged([statement])).toMatchObject({
      verdict: 'fix',
      points: [{ kind: 'no_sentence', sentence: statement }],
    });
  });

  it('[D75] refuses what has nothing to do with the question', () => {
    const statement = 'The parliament met on Tuesday afternoon.';
    expect(judged([statement], 'The parliament met on Tuesday afternoon. It was cold.')).toMatchObject({
      verdict: 'fix',
      points: [{ kind: 'off_topic', sentence: statement }],
    });
  });
});
