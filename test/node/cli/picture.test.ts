/** The picture of the README: its words are the command's of today. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { readSources } from '../../../scripts/lib/source.mjs';

/** What the command writes in a run of the desk, as its sources have it. */
const WORDS = ['waits for an approval', 'waits for your approval', 'l detach'];

it('[K27] the picture in the README is a small one of the command as it is', () => {
  const picture = readFileSync(join(root, 'docs', 'ask.svg'), 'utf8');
  const command = readSources(['src/cli'])
    .map(({ text }) => text)
    .join('');
  for (const word of WORDS) {
    expect(command).toContain(word);
    expect(picture).toContain(word);
  }
  for (const agent of ['coordinator', 'researcher', 'fact-checker']) expect(picture).toContain(agent);
  expect(Buffer.byteLength(picture)).toBeLessThanOrEqual(100_000);
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('](docs/ask.svg)');
});
