// Texts for coding agents, made from the docs: dist/llms.txt and dist/skill/SKILL.md.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appFiles } from '../app.mjs';
import { root } from '../paths.mjs';

/** Pages that suffice to write an app, in the order of reading; one that does not exist is left out. */
const ESSENTIAL = [
  'docs/start/first-app.md',
  'docs/guides/tools-and-approvals.md',
  'docs/guides/sub-agents-and-companions.md',
  'docs/guides/input-output-state.md',
  'docs/guides/models.md',
  'docs/guides/test.md',
  'docs/guides/deploy.md',
  'docs/guides/follow-and-answer.md',
  'docs/guides/scheduled-start.md',
  'docs/guides/troubleshooting.md',
  'docs/reference/options.md',
  'docs/reference/limits.md',
  'docs/reference/configuration.md',
  'docs/reference/errors.md',
];

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), 'utf8').trim();

/** @param {string} text */
const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1] ?? '';

/** The first sentence below the title. @param {string} text */
const summaryOf = (text) => /^# .+\n\n([^\n]*?[.:])(?:\s|$)/m.exec(text)?.[1] ?? '';

function index() {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort();
  return pages.map((path) => `- ${path}: ${titleOf(read(path))}. ${summaryOf(read(path))}`).join('\n');
}

/** The text of `llms.txt`: a complete app, the essential pages and an index of all. */
export function llmsText() {
  const app = [...appFiles()].map(([path, text]) => `${path}:\n\n\`\`\`\n${text.trim()}\n\`\`\``);
  const pages = ESSENTIAL.filter((path) => existsSync(join(root, path))).map(
    (path) => `<!-- ${path} -->\n\n${read(path)}`,
  );
  return `# Offshoot

> Durable trees of AI agents on Cloudflare Durable Objects, in TypeScript.

Define agents with \`defineAgent\` and tools with \`defineTool\` of \`offshoot\`. Use a sub-agent with \`createSubAgentTool\`. Serve all of them with \`serve([...])\` of \`offshoot/worker\`, and export \`OffshootAgent\` and \`OffshootDirectory\` from the same file. Test with \`createTestRuntime\` of \`offshoot/testing\`, in Node, without a key.

Install: \`npm install offshoot agents zod wrangler\`, and the package of your model provider. Check an app with \`npx offshoot check\`.

## A complete app

${app.join('\n\n')}

## Pages

${pages.join('\n\n')}

## Index

${index()}
`;
}

/** The skill for coding agents; it names `llms.txt` for everything else. */
export function skillText() {
  return `---
name: offshoot
description: Writes, tests and debugs agents with the package offshoot (durable trees of AI agents on Cloudflare Workers). Use it when code imports offshoot or offshoot/worker, or when the user asks for an agent, a sub-agent or an approval in such an app.
---

# Offshoot

1. Read \`node_modules/offshoot/dist/llms.txt\` before you write code: it has a complete app, every option and every error.
2. Keep definitions (\`src/agents.ts\`) apart from the Worker (\`src/index.ts\`). Tests import the definitions alone.
3. List every agent in \`serve([...])\`, sub-agents too, and export \`OffshootAgent\` and \`OffshootDirectory\`.
4. Give a sub-agent an \`inputSchema\`. Import zod as \`import { z } from 'zod'\`; version 4 is required.
5. Set \`requireApproval: true\` on a tool that spends money or cannot be undone. Set \`replay: 'safe'\` only if it may run twice.
6. Write a test with \`createTestRuntime\` and \`scriptedModel\` for each agent.
7. Run \`npx tsc --noEmit\`, the tests and \`npx offshoot check\`.
`;
}

/** Writes both texts into a folder of the built package. @param {string} dist */
export function writeAgentTexts(dist) {
  mkdirSync(join(dist, 'skill'), { recursive: true });
  writeFileSync(join(dist, 'llms.txt'), llmsText());
  writeFileSync(join(dist, 'skill', 'SKILL.md'), skillText());
}
