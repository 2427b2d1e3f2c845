/** Further parts of replies in a log: as views hold them, and as the console, `ask` and clients of the SDK show them. */
import { describe, expect, it } from 'vitest';
import { outcomeOf, reportLines } from '../../src/cli/drawing/report';
import { paint } from '../../src/cli/terminal/style';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { stepSources } from '../../src/protocol/replies/sources';
import { reduceAll } from '../../src/protocol/view/reduce';
import { currentStep, topAgents } from '../../src/protocol/view/view';
import { itemsOf, searchedOf } from '../../src/react/transcript-items';
import { present } from '../support/present';
import { searchLog } from '../support/search-log';

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
    const items = itemsOf(agent, [], undefined);
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
});
