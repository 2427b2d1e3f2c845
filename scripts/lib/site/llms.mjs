// Texts for coding agents, made from the docs: dist/llms.txt and dist/skill/SKILL.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fenced } from '../app.mjs';
import { root } from '../paths.mjs';
import { docsSections } from './pages.mjs';

/**
 * Pages that suffice to write an app, in the order of reading; of some only the named sections.
 * @type {[path: string, ...sections: string[]][]}
 */
const ESSENTIAL = [
  ['docs/guides/tools-and-approvals.md'],
  [
    'docs/guides/sub-agents-and-companions.md',
    ...['Which one to use', 'A sub-agent', 'A companion', 'The tools of the parent', 'Options', 'Patterns'],
  ],
  ['docs/guides/input-output-state.md'],
  ['docs/guides/models.md', 'Which models you can use', 'Settings', 'When a model fails'],
  ['docs/guides/test.md', 'Read what a run did', 'Stop, answer and crash a run', 'In the Workers runtime'],
  ['docs/guides/http-api.md', 'Start a run', 'Send a message', 'Answer pending calls'],
  ['docs/guides/follow-and-answer.md'],
  ['docs/guides/scheduled-start.md'],
  ['docs/guides/react.md', 'A complete page'],
  ['docs/guides/deploy.md', 'Give an agent its own class', 'The types', 'Who may call the API', 'The model'],
  ['docs/guides/troubleshooting.md'],
  ['docs/reference/options.md'],
  // Without the fixed limits of the wire, which an app rarely meets.
  ['docs/reference/limits.md', 'Limits that you set'],
  ['docs/reference/configuration.md'],
  ['docs/reference/errors.md'],
];

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), 'utf8').trim();

/** A page without the targets of its links to other pages: in one long text, no relative path leads anywhere. @param {string} page */
const withoutPaths = (page) => page.replace(/\[([^\]\n]*)\]\((?!https?:)[^)\n]*\)/g, '$1');

/**
 * A page, or its beginning and the named sections.
 * @param {string} path @param {string[]} sections
 */
function partOf(path, sections) {
  const [beginning = '', ...all] = read(path).split(/^(?=## )/m);
  if (sections.length === 0) return read(path);
  const chosen = sections.map((name) => {
    const section = all.find((text) => text.startsWith(`## ${name}\n`));
    if (section === undefined) throw new Error(`${path} has no section "${name}".`);
    return section;
  });
  return [beginning, ...chosen].join('').trim();
}

/** @param {string} page @param {string} name the file that the first line of a program names */
function programOf(page, name) {
  const text = fenced(page, 'ts').find((each) => each.startsWith(`// ${name}\n`));
  if (text === undefined) throw new Error(`${page} has no program ${name}.`);
  return text.slice(text.indexOf('\n') + 1);
}

/**
 * The app of `npm create offshoot` with the programs of docs/start/first-app.md: a sub-agent, an approval, a test.
 * @returns {[path: string, text: string][]}
 */
function completeApp() {
  const [page, template] = ['docs/start/first-app.md', 'packages/create-offshoot/template'];
  return [
    ...['package.json', 'wrangler.jsonc', 'tsconfig.json', 'src/index.ts'].map(
      (path) => /** @type {[string, string]} */ ([path, read(`${template}/${path}`)]),
    ),
    ['src/agents.ts', programOf(page, 'src/agents.ts')],
    ['src/model.ts', programOf(page, 'src/model.ts')],
    ['test/agents.test.ts', programOf(page, 'test/agents.test.ts')],
  ];
}

/**
 * Errors of the transport, which a program that calls the API hardly meets, and those after which there is nothing to do.
 * @param {string} page
 */
function withoutIdleErrors(page) {
  const isIdle = (/** @type {string} */ line) =>
    /^\| `(?:unsupported_media_type|method_not_allowed|request_timeout|length_required|range_not_satisfiable|invalid_cursor|gone|too_many_sockets|too_many_streams|too_many_tokens|too_many_roots|newer_format|no_encryption_key|signing_not_configured)` \|/.test(
      line,
    ) || /\| None\b[^|]*\|$/.test(line);
  return page
    .split('\n')
    .filter((line) => !isIdle(line))
    .join('\n');
}

/** @param {string} path @param {string[]} sections */
const chosenOf = (path, sections) =>
  path === 'docs/reference/errors.md' ? withoutIdleErrors(partOf(path, sections)) : partOf(path, sections);

/** The first sentence below the title; each line of the index is about its page, so "This page" is omitted. @param {string} text */
function summaryOf(text) {
  const sentence = /^# .+\n\n([^\n]*?[.:])(?:\s|$)/m.exec(text)?.[1] ?? '';
  return sentence.replace(/^This page (?:shows (?=how to ))?(\w)/, (_, first) => first.toUpperCase());
}

function index() {
  const paths = docsSections(join(root, 'docs')).flatMap(({ pages }) => pages.map(({ path }) => `docs/${path}.md`));
  return paths
    .map(
      (path) =>
        `- ${path.slice('docs/'.length)}: ${summaryOf(read(path)).replace(/^(?:This page (?:shows|explains|lists|describes) (?:how to )?|On this page you )/, '')}`,
    )
    .join('\n');
}

const FILES_PAGE = 'docs/guides/files-and-workspaces.md';

/** The tools of a workspace with the names of their arguments, in one line. */
function workspaceTools() {
  const rows = [...read(FILES_PAGE).matchAll(/^\| `(workspace_\w+)` \| ([^|]+) \|/gm)];
  return rows
    .map(([, name, given = '']) => `${name}(${[...given.matchAll(/`(\w+)`/g)].map(([, one]) => one).join(', ')})`)
    .join(', ');
}

/** The methods of `context.files` with their parameters, in one line. */
function fileMethods() {
  const section = /^\| Method of `context\.files` [^\n]*\n(.*?)\n\n/ms.exec(read(FILES_PAGE))?.[1] ?? '';
  const methods = [...section.matchAll(/^\| (`[^|]+) \|/gm)].map(([, names = '']) => names.replaceAll('`', ''));
  return `${methods.join(', ')}; all return promises`;
}

/** The text of `llms.txt`: a complete app, the essential pages and an index of all. */
export function llmsText() {
  const app = completeApp().map(([path, text]) => `${path}:\n\n\`\`\`\n${text.trim()}\n\`\`\``);
  const pages = ESSENTIAL.map(([path, ...sections]) => `<!-- ${path} -->\n\n${withoutPaths(chosenOf(path, sections))}`);
  return `# Offshoot

> Durable trees of AI agents on Cloudflare Durable Objects, in TypeScript.

Define agents with \`defineAgent\` and tools with \`defineTool\` from \`offshoot\`. Use a sub-agent with \`createSubAgentTool\`. Serve all of them with \`serve([...])\` from \`offshoot/worker\`, and export \`OffshootAgent\` and \`OffshootDirectory\` from the same file. Test with \`createTestRuntime\` from \`offshoot/testing\`, in Node, without a key.

\`npm create offshoot@latest my-app -- --yes\` creates the app below, without the approval. To create it by hand, write its files, then run \`npm install\`. \`npm test\` runs the tests, \`npm run check\` the compiler and \`offshoot check\`, \`npm run dev\` the app at http://localhost:8787.

Rules that are easy to miss:

- Keep definitions in \`src/agents.ts\`, apart from the Worker: tests import them, and \`offshoot/worker\` loads only in the Workers runtime.
- List every agent in \`serve([...])\` and in \`createTestRuntime({ agents })\`, including sub-agents. A sub-agent needs no line in \`wrangler.jsonc\`.
- A sub-agent's tool is called \`subagent__\` plus the agent's name. Its arguments are the sub-agent's \`inputSchema\`.
- Without \`replay: 'safe'\`, a tool runs at most once: if a crash cuts it off, its call fails with \`outcome_unknown\`.
- A tool that throws is not repeated. The model reads the error.
- Calls to sub-agents in one step run in parallel. The root's \`limits.maxConcurrentChildren\` limits how many work at once.
- While a call waits for a person, the status of its run is \`suspended_client_tool\`. Answer an approval with \`{ kind: 'approval-response', toolCallId, approved }\`.
- Tools of \`workspace: true\`: ${workspaceTools()}.
- Your tools have \`context.files\`: ${fileMethods()}.
- A scripted model has one list entry per step, with \`calls\` or the final \`text\`.

## A complete app

${app.join('\n\n')}

To use a real model, install \`@ai-sdk/anthropic\`, put \`OFFSHOOT_MODEL=anthropic/claude-sonnet-4-5\` and \`ANTHROPIC_API_KEY\` into \`.dev.vars\`, and replace src/model.ts:

\`\`\`ts
import { modelFromEnv } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';

export const model = modelFromEnv([anthropic]);
\`\`\`

## Pages

This file contains the pages that you need to write an app, some of them in part. The index lists all pages below \`docs/\` of the repository.

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
3. List every agent in \`serve([...])\`, including sub-agents, and export \`OffshootAgent\` and \`OffshootDirectory\`.
4. Give a sub-agent an \`inputSchema\`. Use zod 4.
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
