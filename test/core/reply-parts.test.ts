/** Further parts of replies in a log: as views hold them, and as the console, `ask` and clients of the SDK show them. */
import { describe, expect, it } from 'vitest';
import { UiChunks } from '../../src/capabilities/remote/host/write-ui-chunks';
import { outcomeOf, reportLines } from '../../src/cli/report';
import { paint } from '../../src/cli/style';
import type { ChunkBody, SequencedChunk } from '../../src/protocol/chunks';
import { reduceAll } from '../../src/protocol/reduce';
import { stepSources } from '../../src/protocol/replies/sources';
import { currentStep, topAgents } from '../../src/protocol/view';
import { additionsOf, itemsOf, searchedOf } from '../../src/react/transcript-items';
import { newLog } from '../support/log';
import { present } from '../support/present';

const A = { sourceType: 'url', url: 'https://a.test/' } as const;

/** A run whose first attempt searched and was thrown away, and whose second one searched again. */
function searchLog() {
  const log = newLog();
  const root = log.root('seeker', 'one').run('r_1').step(1);
  root.emit({ type: 'provider_tool_start', part: 0, providerCallId: 'w0', toolName: 'find', arguments: { q: 'old' } });
  root.emit({ type: 'step_discarded', reason: 'model_rate_limited', retryAt: 1, nextModel: 1 });
  const at = {
    agentId: 's_one',
    agentType: 'seeker',
    address: '/agents/seeker/one',
    runId: 'r_1',
    step: 1,
    attempt: 2,
  };
  const second: readonly ChunkBody[] = [
    { type: 'provider_tool_start', part: 0, providerCallId: 'w1', toolName: 'find', arguments: { q: 'a' } },
    { type: 'provider_tool_end', part: 1, providerCallId: 'w1', toolName: 'find', result: { n: 1 }, success: true },
    { type: 'provider_tool_end', part: 2, providerCallId: 'w9', toolName: 'run', result: 'Boom.', success: false },
    { type: 'text_delta', part: 3, delta: 'Found.' },
    { type: 'reply_source', part: 5, sourceId: '2', ...A, title: 'A page' },
    { type: 'reply_source', part: 4, sourceId: '1', ...A },
    { type: 'reply_source', part: 6, sourceId: '3', sourceType: 'document', mediaType: 'application/pdf', title: 'B' },
    { type: 'reply_file', part: 7, mediaType: 'image/png', path: 'generated/x.png', etag: 'e', bytes: 9 },
    { type: 'reply_file', part: 8, mediaType: 'image/png', url: 'https://a.test/x.png' },
    { type: 'reply_file', part: 9, mediaType: 'video/mp4', omitted: 'It is too large.' },
  ];
  for (const body of second)
    log.entries.push({ sequence: log.entries.length + 1, chunk: { ...at, timestamp: 5, ...body } });
  return log;
}

const agentIn = (entries: readonly SequencedChunk[]) => present(topAgents(reduceAll(entries))[0]);

describe('further parts in a view', () => {
  it('[RP5] are held by their places, a result with its call, and those of a discarded attempt are gone', () => {
    const step = present(currentStep(agentIn(searchLog().entries)));
    expect(step.discarded).toMatchObject([{ attempt: 1, nextModel: 1 }]);
    expect(step.further?.map(({ part, kind }) => [part, kind])).toEqual([
      ...[
        [0, 'provider-tool'],
        [2, 'provider-tool'],
        [4, 'source'],
        [5, 'source'],
        [6, 'source'],
      ],
      ...[
        [7, 'file'],
        [8, 'file'],
        [9, 'file'],
      ],
    ]);
    expect(step.further?.slice(0, 2)).toMatchObject([
      { arguments: { q: 'a' }, outcome: { success: true, result: { n: 1 } } },
      { arguments: null, outcome: { success: false, result: 'Boom.' } },
    ]);
    expect(step.parts).toMatchObject([{ part: 3, text: 'Found.' }]);
  });

  it('[RP13] are items of a transcript in their order, sources together and once each', () => {
    const agent = agentIn(searchLog().entries);
    const items = itemsOf(agent, additionsOf(agent, [], false), undefined);
    expect(items.map(({ kind }) => kind)).toEqual([
      ...['step', 'discarded', 'provider-tool', 'provider-tool', 'text', 'made-file', 'made-file', 'made-file'],
      'sources',
    ]);
    const found = items.find(({ kind }) => kind === 'sources');
    expect(found).toMatchObject({ sources: [{ url: 'https://a.test/', title: 'A page' }, { title: 'B' }] });
    expect(items.map(searchedOf).join('\n')).toMatch(/find \{"q":"a"\} \{"n":1\}.*generated\/x\.png.*A page/s);
    expect(stepSources([present(currentStep(agent))])).toHaveLength(2);
  });

  it('[RP13] are printed by `ask` as a list of sources behind the report', () => {
    const log = searchLog();
    const view = reduceAll(log.entries);
    const outcome = outcomeOf('completed', { run: { output: 'Found.' } }, view);
    const lines = (width: number | undefined) => reportLines(outcome, width).map((line) => paint(line, false));
    expect(lines(undefined).join('\n')).toBe('Found.\n\nSources:\n\n- A page: https://a.test/\n- B: application/pdf');
    expect(lines(60).join('\n')).toContain('A page: https://a.test/');
  });

  it('[RP5] are chunks of the AI SDK, a file where a client can load it', () => {
    const ui = new UiChunks('/agents/seeker/one');
    const types = searchLog().entries.flatMap(({ chunk }) => ui.of(chunk).map(({ type }) => type));
    expect(types.slice(types.indexOf('finish-step') + 1)).toEqual([
      ...['tool-input-available', 'tool-output-available', 'tool-output-error', 'text-start', 'text-delta', 'text-end'],
      ...['source-url', 'source-url', 'source-document', 'file'],
    ]);
  });
});
