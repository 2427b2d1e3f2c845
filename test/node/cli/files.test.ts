/** Files that go with a question, as systems name them. */
import { describe, expect, it } from 'vitest';
import { readUploads } from '../../../src/cli/files';
import { linesOf } from '../../../src/console/parts/words';

describe('files of a question', () => {
  it('[FS50] of one name in two forms are two uploads, of which the second has a number', async () => {
    const bytes = new TextEncoder().encode('x');
    const uploads = await readUploads(['a/é.md'.normalize('NFC'), 'b/é.md'.normalize('NFD')], async () => bytes);
    expect(uploads.map(({ path }) => path)).toEqual(
      ['uploads/é.md', 'uploads/é-2.md'].map((path) => path.normalize('NFC')),
    );
  });
});

describe('a text on a page', () => {
  it('[WS20] has its lines whatever ends them', () => {
    expect(linesOf('a\r\nb\rc\nd')).toBe('a\nb\nc\nd');
  });
});
