import { createSubAgentTool, defineAgent, defineTool, modelFromEnv } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';
import { z } from 'zod';
import { offline } from './offline';

const model = modelFromEnv([anthropic], { otherwise: offline });

const NOTES = [
  'Bees swarm in May.',
  'A swarm leaves with the old queen.',
  'Bees make honey from nectar.',
  'A colony needs 15 kg of honey for the winter.',
];

const searchNotes = defineTool({
  name: 'search_notes',
  description: 'Finds the notes that contain a word.',
  inputSchema: z.object({ word: z.string() }),
  replay: 'safe',
  execute: ({ word }) => NOTES.filter((note) => note.toLowerCase().includes(word.toLowerCase())),
});

const publish = defineTool({
  name: 'publish',
  description: 'Publishes the report.',
  inputSchema: z.object({ title: z.string(), text: z.string() }),
  requireApproval: true,
  execute: async ({ title, text }, { files }) => {
    await files.write('report.md', `# ${title}\n\n${text}\n`);
    return { published: 'report.md' };
  },
});

export const searcher = defineAgent({
  name: 'searcher',
  description: 'Collects what the notes say about one word.',
  systemPrompt: 'Search the notes for the word. Return each fact once.',
  model,
  tools: [searchNotes],
  inputSchema: z.object({ word: z.string() }),
  outputSchema: z.object({ facts: z.array(z.string()) }),
});

export const editor = defineAgent({
  name: 'editor',
  systemPrompt: 'Split the question into words, send one searcher for each, then publish a report of the facts.',
  model,
  tools: [createSubAgentTool(searcher), publish],
});
