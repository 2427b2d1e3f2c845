/** Further parts of replies as the chunks of an AI SDK UI message. */
import { expect, it } from 'vitest';
import { UiChunks } from '../../../../src/capabilities/remote/host/write-ui-chunks';
import { searchLog } from '../../../support/search-log';

it('[RP5, AT4] sources are chunks of the AI SDK, a file where a client can load it', () => {
  const ui = new UiChunks('/agents/seeker/one');
  const types = searchLog().entries.flatMap(({ chunk }) => ui.of(chunk).map(({ type }) => type));
  expect(types.slice(types.indexOf('finish-step') + 1)).toEqual([
    ...['tool-input-available', 'tool-output-available', 'tool-output-error', 'text-start', 'text-delta', 'text-end'],
    ...['source-url', 'source-url', 'source-document', 'file'],
  ]);
});
