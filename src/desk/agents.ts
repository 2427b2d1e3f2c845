/**
 * The agents of the research desk: a coordinator, its researchers with a fact-checker under each of them, its critic, and
 * a writer with its reviewer, which are the two sides of one agent.
 */

import { createSubAgentTool } from '../core/definition/children/relationship';
import { defineAgent } from '../core/definition/define-agent';
import type { AgentDefinition, Price } from '../core/definition/definition';
import { defineDualAgent } from '../core/definition/dual-agent';
import { definePrompt } from '../core/definition/prompt';
import { documentsOf } from './documents';
import {
  COORDINATOR_PROMPT,
  CRITIC_PROMPT,
  FACT_CHECKER_PROMPT,
  RESEARCHER_PROMPT,
  REVIEWER_PROMPT,
  WRITER_PROMPT,
} from './prompts';
import {
  checkRequestSchema,
  checkResultSchema,
  critiqueSchema,
  deliveredSchema,
  MAX_REVIEWS,
  questionSchema,
  researchRequestSchema,
  researchResultSchema,
  textRequestSchema,
} from './schemas';
import {
  addToLibrary,
  approveText,
  checkQuotation,
  handInDraft,
  publishReport,
  readPassage,
  refuseText,
  searchLibrary,
  withdrawReport,
} from './tools';

/** Questions to begin with: the library answers each. */
const EXAMPLES = [
  'What survives a crash in the middle of a step?',
  'How does an approval reach an agent three levels down?',
  'How do budgets stop a tree?',
];

/** A researcher's whole run with its fact-checker, in ms (8 minutes). */
const RESEARCHER_TIMEOUT_MS = 480_000;

/** A fact-checker's whole run, in ms (3 minutes). */
const FACT_CHECKER_TIMEOUT_MS = 180_000;

/** One round of the critic, in ms (3 minutes). */
const CRITIC_TIMEOUT_MS = 180_000;

/** A text with all its reviews, in ms (5 minutes). */
const WRITER_TIMEOUT_MS = 300_000;

/** Steps of a text: a draft and a review each, and some for calls that were refused. */
const WRITER_STEPS = 2 * MAX_REVIEWS + 4;

/** The offline model costs nothing; what another one costs depends on its provider, and is not known here. */
const price = (model: string): Price | undefined =>
  model === 'offshoot/offline' ? { input: 0, output: 0 } : undefined;

/** The definitions of the desk. */
interface Desk {
  readonly coordinator: AgentDefinition;
  readonly critic: AgentDefinition;
  readonly researcher: AgentDefinition;
  readonly factChecker: AgentDefinition;
  readonly writer: AgentDefinition;
}

/** A writer that drafts a text, and a reviewer that has it mended until it approves or refuses it. */
function defineWriter(model: AgentDefinition['model']): AgentDefinition {
  return defineDualAgent({
    name: 'writer',
    description:
      'Writes a text (a letter, a notice, a summary for somebody …) from cited passages. A reviewer asks for changes until it approves the draft. Returns the text.',
    sideA: {
      label: 'Writer',
      prompt: definePrompt({ name: 'drafting', prompt: WRITER_PROMPT, model, tools: [handInDraft] }),
      stopTool: 'hand_in_draft',
      stopToolResponseProperty: 'draft',
    },
    sideB: {
      label: 'Reviewer',
      prompt: definePrompt({ name: 'reviewing', prompt: REVIEWER_PROMPT, model, tools: [approveText, refuseText] }),
      sessionStop: { name: 'approve_text', messageProperty: 'text' },
      sessionFail: { name: 'refuse_text', messageProperty: 'reason' },
    },
    inputSchema: textRequestSchema,
    price,
    // Without a cap of turns: a text that nobody approved is not handed out when they are used up.
    maxSteps: WRITER_STEPS,
  });
}

/**
 * Defines the desk over a model; all use the same. Export a class of each as `Coordinator`, `Researcher`,
 * `FactChecker`, `Critic` and `Writer`, and bind the class `Library` as `LIBRARY`.
 *
 * The coordinator ends with one of two tools: `publish_report`, which checks every quotation and asks a person, or
 * `withdraw_report`, which publishes nothing.
 */
export function defineDesk(options: { model: AgentDefinition['model'] }): Desk {
  const { model } = options;
  const factChecker = defineAgent({
    name: 'fact-checker',
    description:
      'Verifies that quotations exist in the passages that they cite and support their claims; returns a verdict for each.',
    systemPrompt: FACT_CHECKER_PROMPT,
    model,
    price,
    tools: [checkQuotation],
    inputSchema: checkRequestSchema,
    outputSchema: checkResultSchema,
    maxSteps: 8,
  });
  const researcher = defineAgent({
    name: 'researcher',
    description: 'Answers one sub-question from the library, with findings whose quotations were checked.',
    systemPrompt: RESEARCHER_PROMPT,
    model,
    price,
    tools: [searchLibrary, readPassage, createSubAgentTool(factChecker, { timeoutMs: FACT_CHECKER_TIMEOUT_MS })],
    inputSchema: researchRequestSchema,
    outputSchema: researchResultSchema,
    maxSteps: 16,
  });
  const critic = defineAgent({
    name: 'critic',
    description:
      'Judges the draft of a report: `pass`, or `fix` with the points to fix. Always use the name `critic`: it then remembers earlier drafts.',
    systemPrompt: CRITIC_PROMPT,
    model,
    price,
    tools: [checkQuotation],
    outputSchema: critiqueSchema,
    maxSteps: 6,
  });
  const writer = defineWriter(model);
  const coordinator = defineAgent({
    name: 'coordinator',
    description:
      'Answers a question from the document library: splits it, sends researchers out in parallel, writes a report with checked citations, revises it until its critic passes it, and publishes it once a person has approved it. If the question asks for a text, such as a letter, a writer and a reviewer produce that text.',
    systemPrompt: COORDINATOR_PROMPT,
    model,
    price,
    tools: [
      addToLibrary,
      createSubAgentTool(researcher, { timeoutMs: RESEARCHER_TIMEOUT_MS }),
      createSubAgentTool(writer, { timeoutMs: WRITER_TIMEOUT_MS }),
      publishReport,
      withdrawReport,
    ],
    persistentAgents: [{ agent: critic, mode: 'blocking', timeoutMs: CRITIC_TIMEOUT_MS }],
    inputSchema: questionSchema,
    outputSchema: deliveredSchema,
    maxSteps: 24,
    documents: documentsOf,
    examples: EXAMPLES,
  });
  return { coordinator, critic, researcher, factChecker, writer };
}
