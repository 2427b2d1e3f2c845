import { defineAgent, defineTool, modelFromEnv, type ToolContext } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';
import { z } from 'zod';
import { offline } from './offline';

const model = modelFromEnv([anthropic], { otherwise: offline });

const writeChapter = defineTool({
  name: 'write_chapter',
  description: 'Writes one chapter into a file.',
  inputSchema: z.object({ title: z.string(), text: z.string() }),
  execute: async ({ title, text }, { files, getState, updateState }: ToolContext<{ written: string[] }>) => {
    await files.write(`chapters/${getState().written.length + 1}.md`, `## ${title}\n\n${text}\n`);
    updateState(({ written }) => ({ written: [...written, title] }));
    return { title };
  },
});

/** A person answers. Until then the run waits, for days if need be, and nothing runs. */
const askReader = defineTool({
  name: 'ask_reader',
  description: 'Asks the reader a question.',
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.string(),
  execute: 'client',
});

const bind = defineTool({
  name: 'bind',
  description: 'Binds all chapters into report.md.',
  inputSchema: z.object({ title: z.string() }),
  replay: 'safe',
  execute: async ({ title }, { files, getState }: ToolContext<{ written: string[] }>) => {
    const chapters = getState().written.map((_, at) => files.readText(`chapters/${at + 1}.md`));
    await files.write('report.md', [`# ${title}\n`, ...(await Promise.all(chapters))].join('\n'));
    return { path: 'report.md' };
  },
});

export const reporter = defineAgent({
  name: 'reporter',
  systemPrompt: 'Write three chapters, one for each step. Ask the reader for a title, then bind the report.',
  model,
  tools: [writeChapter, askReader, bind],
  stateSchema: z.object({ written: z.array(z.string()).default([]) }),
});
