/** What the offline desk says to a reader: sentences on the question, and a critic that takes nothing else. */
import { describe, expect, it } from 'vitest';
import { CORPUS } from '../../../src/desk/corpus/corpus';
import { asStatement } from '../../../src/desk/offline/compose';
import { playCritic } from '../../../src/desk/offline/critic';
import { extractFindings, passagesIn, weightsFrom } from '../../../src/desk/offline/extract';
import { furtherWords, isStatement, sentencesOf, stemsOf, topicOf } from '../../../src/desk/offline/words';
import { type Critique, critiqueSchema } from '../../../src/desk/schemas';
import type { Json } from '../../../src/protocol/json';
import { document, libraryOf } from './support';

const library = libraryOf(...CORPUS.documents);

/** The statements of an answer, best first; the library is searched for the words that the researcher searches for. */
function answerOf(question: string, store = library): string[] {
  const words = [...topicOf(question).values()].join(' ');
  const queries = [words, furtherWords(question.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ')].filter(Boolean);
  const found: Json[] = queries.map((query) => JSON.parse(JSON.stringify(store.search({ query, limit: 20 }))));
  const asked = { question, context: question };
  return extractFindings(asked, found.flatMap(passagesIn), weightsFrom(found)).map(({ claim }) => asStatement(claim));
}

describe('an answer of the offline desk', () => {
  it.each([
    ['What is Offshoot?', /^Offshoot runs durable trees of AI agents/],
    ['What is a companion?', /^A companion is a sub-agent that persists/],
    ['How do I deploy it to Cloudflare?', /^To deploy an app to your Cloudflare account, run/],
    ['Which language models can I use?', /language model of (?:the AI SDK|an agent)/],
    ['How do I test my own agents?', /^To test an agent without a real model, run it with `createTestRuntime`/],
    ['What happens if the server crashes in the middle of a run?', /crash/],
    [
      'What does it cost to run on Cloudflare?',
      /^Cloudflare charges for the run's requests, for the rows it writes, and for the time/,
    ],
    ['How do I deploy this to my own Cloudflare account?', /^To deploy an app to your Cloudflare account, run/],
    ['How do I write a test for my agent without calling a real model?', /scripted model/],
    ['How can I stop a run that hangs?', /^To stop a run that hangs, send `POST A\/interrupt`/],
    ['Where do I put my API key?', /^Put the API key of your provider into the `.dev.vars` file/],
    ['How many sub-agents can one agent have?', /at most 256 live sub-agents/],
    ['Which models can I use?', /^You can use models from Anthropic, OpenAI and Workers AI/],
    ["How do I show the agent's answer in a React app?", /call the `useRun\(address\)` hook/],
    ['I have agents in LangGraph, how do I move them here?', /^To move an agent from LangGraph, write it/],
    ['Why should I not just use Temporal?', /^Temporal is older, general-purpose, and proven at large scale/],
    ['Is there a limit on how long an agent can wait for approval?', /no time limit by default/],
    ['How do I keep my secrets out of the prompt?', /so secrets stay out of the prompt\.$/],
    ['How do I upgrade without losing running agents?', /^An upgrade loses no running agent/],
    ['Does it work with MCP servers?', /^Offshoot works with MCP servers/],
    ['Can I run it on AWS?', /not on AWS/],
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

  it('[D76] prefers an answer to a sentence on what its page is for', () => {
    const about = libraryOf(
      document('hive', '# Hives\n\nAfter this page you can build a hive for your bees. Use it for bees in a hive.'),
      document('wood', '# Wood\n\nBuild a hive for bees of dry larch boards and steel screws.'),
      document('more', '# More\n\n[Hives](hive.md) explains how to build a hive for bees in your garden.'),
    );
    expect(answerOf('How do I build a hive for bees?', about)[0]).toMatch(/^Build a hive for bees of dry larch/);
  });

  it('[D76] prefers a sentence that stands alone to one that needs the sentence before', () => {
    const leaning = libraryOf(
      document('one', '# One\n\nSet it beside a hive for bees in winter.'),
      document('two', '# Two\n\nA wall of straw beside a hive keeps bees warm in winter.'),
    );
    expect(answerOf('How do bees of a hive get through winter?', leaning)[0]).toMatch(/^A wall of straw/);
  });

  it('[D76] takes an amount for the answer to how many, no status of HTTP and no number in code', () => {
    const amounts = libraryOf(
      document('one', '# One\n\nA hive without bees answers 404 to each keeper of bees.'),
      document('two', '# Two\n\nBees of a hive are listed by `hive/7~1` in the order of bees.'),
      document('three', '# Three\n\nIn the summer up to 40,000 bees share one common hive.'),
    );
    expect(answerOf('How many bees are in a hive?', amounts)[0]).toMatch(/40,000/);
  });

  it('[D73] takes the line of a program that a passage was cut in for no sentence', () => {
    expect(isStatement('export const hive = ( <Hive bees={bees} /> );')).toBe(false);
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
