import { describe, expect, it } from 'vitest';
import { planQuestions } from '../../../src/desk/offline/plan';
import { sentencesOf, stem, topicOf, topicWords } from '../../../src/desk/offline/words';

const QUESTIONS = [
  'How does an interrupt reach a grandchild?',
  'What happens to a tool that was running at a crash?',
  'Compare bees with wasps',
  'photosynthesis',
  'Why is the sea salty and who measured it first?',
  'List the limits; which of them can be raised? And how much does a retry cost?',
];

describe('a plan', () => {
  it.each(QUESTIONS)('[D22] of %j has 2 to 4 different sub-questions, always the same', (question) => {
    const plan = planQuestions(question);
    expect(plan.length).toBeGreaterThanOrEqual(2);
    expect(plan.length).toBeLessThanOrEqual(4);
    expect(new Set(plan).size).toBe(plan.length);
    expect(planQuestions(question)).toEqual(plan);
  });

  it('[D22] differs from question to question', () => {
    const all = QUESTIONS.flatMap((question) => planQuestions(question));
    expect(new Set(all).size).toBe(all.length);
  });

  it('[D22] follows the wish for depth and the clauses of the question', () => {
    const question = 'How does a crash of the root affect its children and timers?';
    expect(['quick', 'standard', 'thorough'].map((depth) => planQuestions(question, depth).length)).toEqual([2, 3, 4]);
    expect(planQuestions('Why is the sea salty and who measured it first?').slice(0, 2)).toEqual([
      'Why is the sea salty?',
      'Who measured it first?',
    ]);
    expect(planQuestions('How do I tell a sub-agent to stop?')[1]).toBe('What is said about “sub-agent”?');
  });

  it.each(['', '???', 'hello', 'what is it about?', '¿…?'])(
    '[D22] of %j, which has no content word, is empty',
    (question) => {
      expect(planQuestions(question)).toEqual([]);
    },
  );
});

describe('words', () => {
  it('[D22] are told apart by their topic and brought to one stem', () => {
    expect([...topicOf('What happens when the children of a crashed parent are retried?').values()]).toEqual([
      'child',
      'crashed',
      'parent',
      'retried',
    ]);
    for (const group of [
      'crash crashes crashed crashing',
      'retry retries retried',
      'delegate delegation delegated',
      'run running runs',
      'stop stopped stopping',
    ]) {
      expect(new Set(group.split(' ').map(stem)).size).toBe(1);
    }
    expect(topicWords('Can Sub-Agents wait for a sub-agent?')).toEqual(['sub-agents', 'wait']);
  });
});

describe('sentences', () => {
  it('[D28] are cut from a passage word for word, without code blocks and list marks', () => {
    const passage =
      'It ends, e.g. by a limit. `maxSteps` is 50!\nIt goes\non (see below). The rest:\n\n- One item. Two.\n2. Third\n\n```ts\nconst x = 1. Two\n```\n\n| a | b |\n|---|---|\n| c | d |';
    expect(sentencesOf(passage)).toEqual([
      'It ends, e.g. by a limit.',
      '`maxSteps` is 50!',
      'It goes on (see below).',
      'The rest:',
      'One item.',
      'Two.',
      'Third',
    ]);
  });
});
