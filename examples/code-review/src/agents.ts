import { createSubAgentTool, defineAgent, defineTool, modelFromEnv } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';
import { z } from 'zod';
import { offline } from './offline';

const model = modelFromEnv([anthropic], { otherwise: offline });

const change = z.object({ path: z.string(), text: z.string() });
const finding = z.object({ path: z.string(), problem: z.string() });

const changes = defineTool({
  name: 'changes',
  description: 'The changed files of a pull request.',
  inputSchema: z.object({}),
  replay: 'safe',
  // Replaces a request to your Git host: 30 files, one in ten has a fault.
  execute: () =>
    Array.from({ length: 30 }, (_, at) => ({
      path: `src/part-${at + 1}.ts`,
      text: at % 10 === 4 ? 'console.log(total);' : 'export const total = 1;',
    })),
});

export const checker = defineAgent({
  name: 'checker',
  description: 'Reviews one file.',
  systemPrompt: 'Report each problem of the file. Report nothing where there is none.',
  model,
  inputSchema: change,
  outputSchema: z.object({ findings: z.array(finding) }),
});

export const review = defineAgent({
  name: 'review',
  systemPrompt: 'List the changes, have one checker check each file, all in one step, and collect.',
  model,
  tools: [changes, createSubAgentTool(checker)],
  outputSchema: z.object({ files: z.number(), findings: z.array(finding) }),
});
