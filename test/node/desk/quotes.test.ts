import { describe, expect, it } from 'vitest';
import { checkCitation } from '../../../src/desk/citations';
import { locateQuotation } from '../../../src/desk/quotes';
import { document, libraryOf } from './support';

const SOURCE = 'The **root** owns the only alarm — it keeps a list.\nA child “never” sets an alarm; `maxSteps` is 50.';

describe('a quotation', () => {
  it.each([
    ['The **root** owns the only alarm', 'The **root** owns the only alarm'],
    ['The root owns the only alarm', 'The **root** owns the only alarm'],
    ['it keeps a list. A child', 'it keeps a list. A child'],
    ['it   keeps\n\ta list.', 'it keeps a list.'],
    ['alarm - it keeps', 'alarm — it keeps'],
    ['A child "never" sets', 'A child “never” sets'],
    ['"it keeps a list."', 'it keeps a list.'],
    ['maxSteps is 50.', '`maxSteps` is 50.'],
    ['root owns the', '**root** owns the'],
  ])('[D11] %j is found, and the source’s own words are kept', (quotation, kept) => {
    expect(locateQuotation(SOURCE, quotation)).toBe(kept);
  });

  it.each([
    'The root owns the only clock',
    'the root owns the only alarm',
    'The root … the only alarm',
    'The root owns alarm',
    'A child sets an alarm',
    'alarm',
    '        ',
    '********',
    '',
  ])('[D12] %j is not found', (quotation) => {
    expect(locateQuotation(SOURCE, quotation)).toBeUndefined();
  });
});

describe('a citation', () => {
  const library = libraryOf(
    document('a', `# A\n\n${SOURCE}\n\n## Other\n\nThe root merges the chunks of its tree into one log, in one order.`),
  );

  it('[D11] is answered with the source’s words, its heading and its passage', async () => {
    const checked = await checkCitation(library, { document: 'a', passage: 'a#2', quotation: 'merges  the chunks' });
    expect(checked).toMatchObject({
      found: true,
      heading: 'Other',
      citation: { document: 'a', passage: 'a#2', quotation: 'merges the chunks' },
    });
  });

  it('[D13] in the wrong passage is refused, and the right one is named', async () => {
    const checked = await checkCitation(library, {
      document: 'a',
      passage: 'a#1',
      quotation: 'merges the chunks of its tree',
    });
    expect(checked).toMatchObject({ found: false, elsewhere: 'a#2' });
  });

  it.each([
    [{ document: 'a', passage: 'a#1', quotation: 'words that are nowhere' }, /does not contain/],
    [{ document: 'a', passage: 'a#9', quotation: 'merges the chunks' }, /a#1 to a#2/],
    [{ document: 'b', passage: 'b#1', quotation: 'merges the chunks' }, /no document "b"/],
    [{ document: 'a', passage: 'b#1', quotation: 'merges the chunks' }, /no passage "b#1"/],
    [{ document: 'a', passage: 'a#1', quotation: 'The' }, /shorter/],
  ])('[D12] %j is refused with the reason', async (citation, reason) => {
    expect(await checkCitation(library, citation)).toMatchObject({
      found: false,
      reason: expect.stringMatching(reason),
    });
  });
});
