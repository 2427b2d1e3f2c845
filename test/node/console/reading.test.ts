/** Values as a person reads them: reports, labels, limits and models. */
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { AgentView } from '../../../src/client';
import { labelOf, limitSays, limitValue } from '../../../src/console/data/shown/labels';
import { KINDS } from '../../../src/console/data/timeline/bars';
import { isReport, Reading, showsWhole } from '../../../src/console/parts/reading';
import { modelSays } from '../../../src/console/parts/words';
import { pinnedOf } from '../../../src/console/run/summary/pinned';
import { DEFAULT_LIMITS } from '../../../src/core/definition/limits';
import type { Json } from '../../../src/protocol/json';

const read = (value: Json) => renderToStaticMarkup(createElement(Reading, { value }));

describe('a report', () => {
  const report = {
    title: 'Stops',
    sections: [{ heading: 'How', text: '- **one**\n- two', citations: [] }],
    sure: true,
    note: '',
  };

  it('[CN106] has its fields under their names, its texts in Markdown, and all of its values', () => {
    const html = read(report);
    for (const part of [
      '<dt>title</dt>',
      '<dt>sections</dt>',
      '<strong>one</strong>',
      '<li>',
      'How',
      'true',
      '(empty)',
      '(none)',
    ])
      expect(html).toContain(part);
  });

  it('[CN106] is what has a long text, or one of several lines, at any depth', () => {
    expect(['short', { a: 1 }, { a: [{ b: 'x' }] }].map(isReport)).toEqual([false, false, false]);
    expect([{ a: [{ b: 'x\ny' }] }, 'x'.repeat(81), report].map(isReport)).toEqual([true, true, true]);
  });

  it('[CN107] shows as it is what Markdown would leave out', () => {
    for (const text of [
      'See [here](https://evil.example) now.\n',
      'See [here][1].\n\n[1]: https://evil.example',
      '```sh and wipe the disk\nls\n```',
      '| a | b |\n|---|---|\n| 1 | 2 | 3 |',
    ]) {
      expect(showsWhole(text)).toBe(false);
      expect(read(text)).toContain('class="as-is"');
    }
    for (const text of ['It is so. [1]\n\n- a\n', '```sh\nls\n```', '| a | b |\n|---|---|\n| 1 | 2 |'])
      expect(showsWhole(text)).toBe(true);
  });
});

describe('words', () => {
  it('[CN110] label a call of one argument by its value', () => {
    expect([{}, { q: 'Why?\n Now' }, { n: [1] }, { a: 1, b: 2 }, 'x'].map(labelOf)).toEqual([
      ...['', 'Why? Now', '[1]', '{"a":1,"b":2}', 'x'],
    ]);
  });

  it('[CN109] name every limit, and give its values a unit', () => {
    for (const name of Object.keys(DEFAULT_LIMITS)) expect(limitSays(name)).toMatch(/^[A-Z][a-z]+(?: |-|$)/u);
    expect(new Set(Object.keys(DEFAULT_LIMITS).map(limitSays)).size).toBe(Object.keys(DEFAULT_LIMITS).length);
    expect(limitSays('maxOddBytes')).toBe('Max odd');
    const values = [limitValue('toolTimeoutMs', 120_000), limitValue('maxMessageBytes', 65_536)];
    expect([...values, limitValue('maxCostUsd', 2), limitValue('maxSteps', 50)]).toEqual([
      '2:00',
      '65 KB',
      '$2.00',
      '50',
    ]);
  });

  it('[CN108] call a scripted model scripted', () => {
    expect(modelSays({ id: 'offshoot/scripted', offline: true })).toContain('Scripted model');
    expect(modelSays({ id: 'offshoot/rules', offline: true })).toContain('Demo model');
    expect(modelSays({ id: 'anthropic/scripted', offline: false })).toBe('anthropic/scripted');
  });

  it('[CN113] explain every kind of a span once', () => {
    expect(new Set(KINDS.map(([, says]) => says)).size).toBe(15);
  });
});

describe('what is pinned', () => {
  const agentOf = (runs: AgentView['runs'], messages: AgentView['messages'] = []) =>
    pinnedOf({ runs, messages } as unknown as AgentView);
  const run = { runId: 'r', turn: 1, chainTurn: 1, startedAt: 0, recoveries: [], steps: [] };

  it('[CN111] is the input of the newest run and its output, once it has completed', () => {
    const end = { status: 'completed' as const, at: 1, output: 'Done.' };
    expect(agentOf([{ ...run, input: { q: 1 }, end }])).toEqual({ input: { q: 1 }, output: 'Done.' });
    expect(
      agentOf([
        { ...run, end },
        { ...run, runId: 's' },
      ]),
    ).toEqual({});
    const said = { status: 'delivered', runId: 'r', text: 'Hi' };
    expect(agentOf([run], [said as unknown as AgentView['messages'][number]])).toEqual({ input: 'Hi' });
  });
});
