import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { CORPUS } from '../../../src/desk/corpus/corpus';
import { extractFindings, passagesIn, weightsFrom } from '../../../src/desk/offline/extract';
import { pagePaths } from '../../support/pages';
import { libraryOf } from './support';

/** Tables and lists of links: no answer is quoted from them. */
const NO_ANSWERS = /^docs\/(?:reference\/|README\.md)/;

describe('the shipped corpus', () => {
  it('[D34] holds README.md and each page of docs/ but the reference, as they are in the repository', () => {
    const sources = pagePaths().filter((path) => !NO_ANSWERS.test(path));
    expect(CORPUS.documents.map(({ source }) => source).sort()).toEqual(sources.sort());
    for (const { source, text, title } of CORPUS.documents) {
      expect(text).toBe(readFileSync(join(root, source), 'utf8'));
      expect(text).toContain(`# ${title}\n`);
    }
  });

  const library = libraryOf(...CORPUS.documents);
  it.each([
    ['How does an interrupt reach a grandchild?', /an interrupt reaches a grandchild through its own parent/],
    ['How does a stop reach a grandchild?', /reaches a grandchild through its own parent/],
    ['What happens to a tool that was running at a crash?', /A tool that was running when the process crashed/],
    ['How many sub-agents can one parent have?', /256/],
    ['How do I resume a stream after a disconnect?', /last id that it saw|last sequence number/],
    ['What does the parent read when a sub-agent fails?', /the parent's model reads a failed result/],
    ['Who may call the API?', /only your own machine can call the API/],
    ['Which quotations may a report contain?', /Every quotation in a report/],
  ])('[D34] answers %j', (question, answer) => {
    const found = JSON.parse(JSON.stringify(library.search({ query: question, limit: 12 })));
    const findings = extractFindings({ question, context: question }, passagesIn(found), weightsFrom([found]));
    expect(
      findings
        .slice(0, 3)
        .map(({ quotation }) => quotation)
        .join('\n'),
    ).toMatch(answer);
  });
});
