/** What the agents of the desk give each other. The descriptions are read by models. */
import * as z from 'zod';
import { MAX_QUOTATION, MIN_QUOTATION } from './quotes';

const line = (max: number) => z.string().trim().min(1).max(max);

const documentName = line(120).describe('Name of a document of the library, like `guarantees`.');
const passageId = line(140).describe('Id of a passage, like `guarantees#3`.');
const quotation = z
  .string()
  .min(MIN_QUOTATION)
  .max(MAX_QUOTATION)
  .describe('Words of that passage, copied exactly: nothing added, changed or left out.');

/** A quotation with its place. */
export const citationSchema = z.object({ document: documentName, passage: passageId, quotation });

/** So often a reviewer sees a draft of one text. After that it approves it or refuses the text. */
export const MAX_REVIEWS = 4;

/** So often a draft goes to the critic for one question. After that it is put before a person with what stays open. */
export const MAX_CRITIQUE_ROUNDS = 3;

const critiquePointSchema = z.object({
  kind: z
    .enum(['uncited', 'misquoted', 'unanswered', 'no_sentence', 'off_topic', 'repeated', 'too_long', 'limits', 'other'])
    .describe(
      '`uncited`: a statement without a citation; `misquoted`: a quotation that its passage does not contain; `unanswered`: a sub-question that is neither answered nor listed as open; `no_sentence`: a row of a table, a heading or a link as a statement; `off_topic`: a statement that has nothing to do with the question; `limits`: the summary does not say how far the report goes.',
    ),
  sentence: line(1_000).describe(
    'The sentence of the draft that it is about, word for word; the sub-question of `unanswered`.',
  ),
  problem: line(400).describe('What is wrong, and how to fix it.'),
});
/** One thing to mend. */
export type CritiquePoint = z.output<typeof critiquePointSchema>;

/** What a critic hands back. */
export const critiqueSchema = z.object({
  verdict: z.enum(['pass', 'fix']).describe('`pass` when there is nothing to fix, and only then.'),
  points: z.array(critiquePointSchema).max(24).describe('What to fix, the worst first; empty with `pass`.'),
  note: line(600).describe(
    'The judgement in a sentence or two; from the second round on, also what became of the earlier points.',
  ),
});
/** What a critic hands back. */
export type Critique = z.output<typeof critiqueSchema>;

/** How the critique of a report ended, as the report tells it. */
const critiqueEndSchema = z
  .object({
    verdict: z.enum(['pass', 'fix']).describe("The critic's last verdict."),
    rounds: z.int().min(1).max(MAX_CRITIQUE_ROUNDS).describe('How often the critic was asked.'),
    open: z.array(line(400)).max(24).describe('What it still asked for and was not fixed; empty with `pass`.'),
  })
  .describe('How the critique ended; left out only when no critic answered.');

/** What a text may be. */
const TEXT_KINDS = ['letter', 'email', 'notice', 'announcement', 'memo', 'summary'] as const;

/** Sources of one text at most; a mark `[1]` in it is the first. */
export const MAX_TEXT_SOURCES = 24;

/** A text may be given so many words at least. */
export const MIN_WORDS = 40;

/** A text may be given so many words at most. */
export const MAX_WORDS = 1_000;

const textKind = z.enum(TEXT_KINDS);
/** What a text is. */
export type TextKind = z.output<typeof textKind>;
const audience = line(200).describe('Whom the text is for, as the question names them.');
const textBody = line(10_000).describe(
  'The text in Markdown. After each statement the number of its source: [1], [2] …',
);

/** What a writer and its reviewer are asked. */
export const textRequestSchema = z.object({
  kind: textKind,
  request: line(8_000).describe("The user's whole question."),
  audience: audience.exactOptional(),
  maxWords: z.int().min(MIN_WORDS).max(MAX_WORDS).describe('The most words that the text may have.'),
  wishes: line(1_000).exactOptional().describe('What a person has asked for since: word for word.'),
  sources: z
    .array(
      z.object({ part: line(200).describe('What it answers: the heading of its section.'), ...citationSchema.shape }),
    )
    .max(MAX_TEXT_SOURCES)
    .describe('All that the text may state. The first is [1] in it.'),
  open: z.array(line(400)).max(12).describe('What stays unanswered.'),
});
/** What a writer and its reviewer are asked. */
export type TextRequest = z.output<typeof textRequestSchema>;

/** What a writer hands to its reviewer. */
export const draftSchema = z.object({ draft: textBody });
/** What ends the work on a text well. */
export const approvedSchema = z.object({ text: textBody.describe('The draft, word for word as you approve it.') });
/** What ends the work on a text without one. */
export const refusedSchema = z.object({ reason: line(600).describe('Why no text can be written.') });

/** A text that the question asked for, beside the report that it rests on. */
const reportTextSchema = z
  .object({
    kind: textKind,
    audience: audience.exactOptional(),
    body: textBody,
    citations: z.array(citationSchema).min(1).max(MAX_TEXT_SOURCES).describe('The sources of the text, in order.'),
  })
  .describe('The text that the question asks for, as its reviewer approved it; left out where it asks for none.');
/** A text with its sources. */
export type ReportText = z.output<typeof reportTextSchema>;

/** The report: the coordinator's output. `text` refers to its citations as `[1]`, `[2]` … */
export const reportSchema = z.object({
  title: line(200).describe('A short title.'),
  summary: line(2_000).describe(
    'The answer in at most five sentences. Says so when the library does not answer the question.',
  ),
  sections: z
    .array(
      z.object({
        heading: line(200),
        text: line(6_000).describe(
          'Markdown. After each statement the number of its citation in this section: [1], [2] …',
        ),
        citations: z.array(citationSchema).min(1).max(12),
      }),
    )
    .max(8)
    .describe('Empty when nothing was found.'),
  openQuestions: z.array(line(400)).max(12).describe('What stays unanswered, and what failed.'),
  critique: critiqueEndSchema.exactOptional(),
  text: reportTextSchema.exactOptional(),
});

/** What a critic is asked, as JSON in a message. */
export const critiqueRequestSchema = z.object({
  question: line(8_000).describe("The user's whole question."),
  subQuestions: z.array(line(2_000)).max(24),
  round: z.int().min(1).max(MAX_CRITIQUE_ROUNDS),
  report: reportSchema,
});

/** A published report, and the same as Markdown with its citations numbered through. */
export const publishedSchema = reportSchema.extend({ published: z.literal(true), markdown: z.string() });

/** The end of a run that published nothing: why, and the same as Markdown. What was not approved is not in it. */
export const withdrawnSchema = z.object({ published: z.literal(false), reason: z.string(), markdown: z.string() });

/** What a run of the coordinator answers. */
export const deliveredSchema = z.discriminatedUnion('published', [publishedSchema, withdrawnSchema]);

/** Why a run ends without a report. Short: an answer belongs into a report, whose quotations are checked. */
export const withdrawalSchema = z.object({
  reason: line(600).describe('For the person who asked, in a few sentences: why nothing was published.'),
});

/** A report with its citations. */
export type Report = z.output<typeof reportSchema>;
/** A quotation with its place. */
export type Citation = z.output<typeof citationSchema>;

/** What the coordinator takes besides a plain message. */
export const questionSchema = z.object({
  question: line(8_000),
  depth: z
    .enum(['quick', 'standard', 'thorough'])
    .optional()
    .describe('2, 3 or 4 sub-questions; if omitted, the question decides.'),
});

/** What a researcher is asked. */
export const researchRequestSchema = z.object({
  question: line(2_000).describe('One sub-question that can be answered on its own.'),
  context: line(8_000).optional().describe("The user's whole question."),
});

/** A statement with the quotation that supports it. */
const findingSchema = z.object({
  claim: line(800).describe('One statement, in your own words, that the quotation supports.'),
  ...citationSchema.shape,
});
/** A statement with its quotation. */
export type Finding = z.output<typeof findingSchema>;

/** What a researcher hands back. */
export const researchResultSchema = z.object({
  answer: line(2_000).describe('The answer to the sub-question in a few sentences, or that nothing was found.'),
  findings: z
    .array(findingSchema)
    .max(8)
    .describe('Checked findings only, most important first. Empty when nothing was found.'),
  gaps: z.array(line(400)).max(8).describe('What the library does not say, and what failed.'),
});
/** What a researcher hands back. */
export type ResearchResult = z.output<typeof researchResultSchema>;

/** What a fact-checker is asked. */
export const checkRequestSchema = z.object({
  findings: z
    .array(z.object({ id: line(40).describe('Your own id of the finding, like `f1`.'), ...findingSchema.shape }))
    .min(1)
    .max(8),
});
/** What a fact-checker is asked. */
export type CheckRequest = z.output<typeof checkRequestSchema>;

/** What a fact-checker hands back: one verdict for each finding. */
export const checkResultSchema = z.object({
  verdicts: z
    .array(
      z.object({
        id: line(40),
        verdict: z
          .enum(['confirmed', 'misplaced', 'not_found', 'unsupported'])
          .describe(
            '`misplaced`: it is in another passage (see `passage`); `unsupported`: it exists but does not support the claim.',
          ),
        passage: passageId.exactOptional().describe('The passage that contains the quotation.'),
        note: line(400).exactOptional(),
      }),
    )
    .max(8),
});
/** What a fact-checker hands back. */
export type CheckResult = z.output<typeof checkResultSchema>;
