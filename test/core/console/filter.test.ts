/** Filters of a run's tree: each key against each field, and words in each text that a row shows. */
import { expect, it } from 'vitest';
import { filterOf, presetsOf } from '../../../src/console/data/tree/filter';
import type { Row } from '../../../src/console/data/tree/outline';
import { KNOWN_STATUSES, said } from '../../../src/console/parts/words';
import { isEnded } from '../../../src/protocol/status';
import { NO_USAGE } from '../../../src/protocol/usage';

const plain: Row = {
  ...{
    agentId: 'id',
    agentType: 'type',
    address: '/address',
    status: 'odd',
    from: 0,
    last: 1,
    step: 1,
    usage: NO_USAGE,
  },
  ...{
    unpriced: false,
    waiting: 0,
    recoveries: 0,
    discarded: 0,
    activity: 'activity',
    task: 'Task',
    tools: [],
    rounds: 1,
  },
};
const finds = (text: string, more: Partial<Row> = {}) => filterOf(text)?.({ ...plain, ...more });

it('[CN12] words are found in each text of a row, whatever their case, and in nothing else', () => {
  expect(['', ' ', '\t\n'].map((text) => filterOf(text))).toEqual([undefined, undefined, undefined]);
  const texts = ['agentType', 'address', 'task', 'activity', 'status', 'name'] as const;
  for (const field of texts) {
    expect([field, finds('NEEDLE', { [field]: 'a Needle b' })]).toEqual([field, true]);
    expect(finds('needle more', { [field]: 'needle' })).toBe(false);
  }
  expect(finds('needle', { tools: ['x', 'a_needle'] })).toBe(true);
  for (const field of ['agentId', 'error', 'statusText', 'parentId'] as const)
    expect(finds('needle', { [field]: 'needle' })).toBe(false);
  expect(finds('task activity')).toBe(true);
  expect(finds('task other')).toBe(false);
  // A key that there is not is a word.
  expect([finds('other:type'), finds('other:x', { task: 'other:x' })]).toEqual([false, true]);
});

it('[CN12] `type:` and `tool:` look at those alone, `status:` at the status and at its words', () => {
  expect([finds('type:typ'), finds('type:task'), finds('type:x', { tools: ['x'] })]).toEqual([true, false, false]);
  expect([finds('tool:b', { tools: ['a', 'aBc'] }), finds('tool:type'), finds('tool:')]).toEqual([true, false, false]);
  for (const status of KNOWN_STATUSES) {
    const word = said(status).says.toLowerCase().split(' ').at(-1) ?? '';
    for (const value of [status, status.toUpperCase(), word]) expect(finds(`status:${value}`, { status })).toBe(true);
    expect(finds('status:task', { status })).toBe(false);
  }
});

it('[CN12, CN116] `is:waiting` finds who waits and has not ended, `has:error` who has one or failed', () => {
  for (const status of [...KNOWN_STATUSES, 'odd'])
    for (const waiting of [0, 1, 2])
      for (const error of [undefined, 'E']) {
        const row = { status, waiting, ...(error === undefined ? {} : { error }) };
        expect([row, finds('is:waiting', row)]).toEqual([row, waiting > 0 && !isEnded(status)]);
        expect([row, finds('has:error', row)]).toEqual([row, error !== undefined || status === 'failed']);
        expect([row, finds('is:interrupted', row)]).toEqual([row, status === 'interrupted']);
        expect(finds('has:errors', row)).toBe(false);
      }
});

it('[CN116] each preset has the count of what its filter finds', () => {
  const rows = [{}, { waiting: 1 }, { error: 'E' }, { status: 'failed' }, { status: 'interrupted' }].map((more) => ({
    ...plain,
    ...more,
  }));
  expect(presetsOf(rows).map(({ says, text, count }) => [says, text, count])).toEqual([
    ['All', '', 5],
    ['Waiting', 'is:waiting', 1],
    ['Failed', 'has:error', 2],
    ['Interrupted', 'is:interrupted', 1],
  ]);
});
