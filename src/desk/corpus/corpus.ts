/** The documents that every library holds to begin with: the pages of this repository that are for users. */
import { createHash } from 'node:crypto';
import concepts from '../../../docs/concepts/agent.md';
import examples from '../../../docs/examples.md';
import guarantees from '../../../docs/guarantees.md';
import agui from '../../../docs/guides/ag-ui.md';
import remote from '../../../docs/guides/agents-in-other-workers.md';
import api from '../../../docs/guides/api.md';
import backup from '../../../docs/guides/backup.md';
import chatPage from '../../../docs/guides/chat-front-ends.md';
import consolePages from '../../../docs/guides/console.md';
import costs from '../../../docs/guides/costs.md';
import deploy from '../../../docs/guides/deploy.md';
import workspaces from '../../../docs/guides/files-and-workspaces.md';
import followAndAnswer from '../../../docs/guides/follow-and-answer.md';
import fork from '../../../docs/guides/fork.md';
import hooks from '../../../docs/guides/hooks.md';
import context from '../../../docs/guides/long-conversations.md';
import models from '../../../docs/guides/models.md';
import react from '../../../docs/guides/react.md';
import scheduledStart from '../../../docs/guides/scheduled-start.md';
import effects from '../../../docs/guides/schedules.md';
import sdk from '../../../docs/guides/sdk.md';
import access from '../../../docs/guides/secure.md';
import standardAgents from '../../../docs/guides/standard-agents.md';
import companions from '../../../docs/guides/sub-agents-and-companions.md';
import testing from '../../../docs/guides/test.md';
import troubleshooting from '../../../docs/guides/troubleshooting.md';
import upgrade from '../../../docs/guides/upgrade.md';
import ask from '../../../docs/start/try-it.md';
import readme from '../../../README.md';
import type { Corpus } from '../library-store';
import type { LibraryDocument } from '../library-types';

/** The text of each page, by its path. Pages that only help to change Offshoot itself are not shipped: no answer may rest on them. */
const PAGES = {
  'docs/guides/secure.md': access,
  'docs/guides/ag-ui.md': agui,
  'docs/guides/api.md': api,
  'docs/start/try-it.md': ask,
  'docs/guides/sub-agents-and-companions.md': companions,
  'docs/concepts/agent.md': concepts,
  'docs/guides/chat-front-ends.md': chatPage,
  'docs/guides/console.md': consolePages,
  'docs/guides/long-conversations.md': context,
  'docs/guides/deploy.md': deploy,
  'docs/examples.md': examples,
  'docs/guides/schedules.md': effects,
  'docs/guides/fork.md': fork,
  'docs/guarantees.md': guarantees,
  'docs/guides/hooks.md': hooks,
  'docs/guides/models.md': models,
  'docs/guides/react.md': react,
  'docs/guides/agents-in-other-workers.md': remote,
  'docs/guides/sdk.md': sdk,
  'docs/guides/standard-agents.md': standardAgents,
  'docs/guides/test.md': testing,
  'docs/guides/files-and-workspaces.md': workspaces,
  'docs/guides/follow-and-answer.md': followAndAnswer,
  'docs/guides/scheduled-start.md': scheduledStart,
  'docs/guides/costs.md': costs,
  'docs/guides/backup.md': backup,
  'docs/guides/troubleshooting.md': troubleshooting,
  'docs/guides/upgrade.md': upgrade,
  'README.md': readme,
};

function documentOf([source, page]: [string, string]): LibraryDocument {
  const text = page.replaceAll('\r\n', '\n');
  const name = source
    .replace(/^docs\/(?:\w+\/)?|\.md$/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, source, text };
}

const documents = Object.entries(PAGES).map(documentOf);

/** The shipped documents. Their version changes with any of them. */
export const CORPUS: Corpus = {
  version: `shipped-${createHash('sha256').update(JSON.stringify(documents)).digest('hex').slice(0, 16)}`,
  documents,
};
