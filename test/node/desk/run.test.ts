/** The whole desk in Node: the offline model, the real engine and the shipped library. */
import { expect, it } from 'vitest';
import type { AgentDefinition, ToolDefinition } from '../../../src/core/definition';
import { OffshootError } from '../../../src/core/errors';
import type { Json } from '../../../src/core/json';
import { CORPUS } from '../../../src/desk/corpus';
import { LibraryStore } from '../../../src/desk/library-store';
import { deliveredSchema } from '../../../src/desk/schemas';
import { createTestRuntime } from '../../../src/testing';
import { nodeStorage } from '../../../src/testing/node-storage';
import { denialOf, desk, envOf } from './support';

/** The coordinator with a person who denies its report for one reason after the other, and then approves it. */
function judgedFor(...reasons: string[]): AgentDefinition {
  const left = [...reasons];
  const tools = desk.coordinator.tools.map((tool): ToolDefinition => {
    if (tool.name !== 'publish_report') return tool;
    const execute: ToolDefinition['execute'] = (input, context) => {
      const reason = left.shift();
      if (reason === undefined) return tool.execute?.(input, context);
      throw new OffshootError('approval_denied', denialOf(reason));
    };
    return { ...tool, requireApproval: false as const, execute };
  });
  return { ...desk.coordinator, tools };
}

/** The output of a run of the desk, which is what the schema says. */
async function outputOf(coordinator: AgentDefinition, question: string): Promise<Json> {
  const library = new LibraryStore(nodeStorage());
  library.seed(CORPUS.version, CORPUS.documents);
  const problems: unknown[] = [];
  const runtime = createTestRuntime({
    agents: [coordinator, desk.researcher, desk.factChecker],
    env: envOf(library),
    report: (...problem) => problems.push(problem),
  });
  try {
    const run = await runtime.execute(coordinator, question);
    const { status, output = null } = await run.result();
    expect({ status, problems }).toEqual({ status: 'completed', problems: [] });
    expect(deliveredSchema.parse(output)).toEqual(output);
    return output;
  } finally {
    runtime.close();
  }
}

it('[D42] a run that is asked nothing ends with the output of withdraw_report', async () => {
  expect(await outputOf(judgedFor(), 'Hello!')).toMatchObject({
    published: false,
    markdown: expect.stringMatching(/^# Nothing was published\n\nI am the offline model.*please ask a question\.\n$/),
  });
});

it('[D43] a run revises its report for two reasons, with new research, and publishes what is then approved', async () => {
  const coordinator = judgedFor('shorter', 'How deep may a tree be?');
  const output = deliveredSchema.parse(await outputOf(coordinator, 'How is a crashed tool repeated?'));
  if (!output.published) throw new Error(output.reason);
  expect(output.sections.at(-1)).toMatchObject({
    heading: 'How deep may a tree be?',
    text: expect.stringContaining('4 levels'),
  });
  expect(output.sections.length).toBeGreaterThan(1);
});

it('[D44] a run ends without a report when it is denied for good', async () => {
  expect(await outputOf(judgedFor('without section 1', 'no'), 'How is a crashed tool repeated?')).toMatchObject({
    published: false,
    reason: expect.stringContaining('a person denied the report: “no”'),
  });
});
