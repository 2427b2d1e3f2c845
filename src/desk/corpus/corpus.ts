/** The documents that every library holds to begin with: the pages of this repository that are for users. */
import { createHash } from 'node:crypto';
import access from '../../../docs/access.md';
import agui from '../../../docs/agui.md';
import api from '../../../docs/api.md';
import ask from '../../../docs/ask.md';
import chatPage from '../../../docs/chat.md';
import companions from '../../../docs/companions.md';
import concepts from '../../../docs/concepts.md';
import consolePages from '../../../docs/console.md';
import context from '../../../docs/context.md';
import deploy from '../../../docs/deploy.md';
import effects from '../../../docs/effects.md';
import examples from '../../../docs/examples.md';
import fork from '../../../docs/fork.md';
import guarantees from '../../../docs/guarantees.md';
import hooks from '../../../docs/hooks.md';
import models from '../../../docs/models.md';
import react from '../../../docs/react.md';
import remote from '../../../docs/remote.md';
import sdk from '../../../docs/sdk.md';
import standardAgents from '../../../docs/standard-agents.md';
import testing from '../../../docs/testing.md';
import workspaces from '../../../docs/workspaces.md';
import readme from '../../../README.md';
import type { Corpus } from '../library-store';
import type { LibraryDocument } from '../library-types';

/** The text of each page, by its path. Pages that only help to change Offshoot itself are not shipped: no answer may rest on them. */
const PAGES = {
  'docs/access.md': access,
  'docs/agui.md': agui,
  'docs/api.md': api,
  'docs/ask.md': ask,
  'docs/companions.md': companions,
  'docs/concepts.md': concepts,
  'docs/chat.md': chatPage,
  'docs/console.md': consolePages,
  'docs/context.md': context,
  'docs/deploy.md': deploy,
  'docs/examples.md': examples,
  'docs/effects.md': effects,
  'docs/fork.md': fork,
  'docs/guarantees.md': guarantees,
  'docs/hooks.md': hooks,
  'docs/models.md': models,
  'docs/react.md': react,
  'docs/remote.md': remote,
  'docs/sdk.md': sdk,
  'docs/standard-agents.md': standardAgents,
  'docs/testing.md': testing,
  'docs/workspaces.md': workspaces,
  'README.md': readme,
};

function documentOf([source, page]: [string, string]): LibraryDocument {
  const text = page.replaceAll('\r\n', '\n');
  const name = source
    .replace(/^.*\/|\.md$/g, '')
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
