import { describe, expect, it } from 'vitest';
import { retain } from '../../../src/core/tree/retention';
import { ROOT, writtenLog } from '../../support/written-log';

const turns = (...sizes: number[]) => sizes.map((size, index) => ({ turn: index + 1, first: index * 10 + 1, size }));
const begins = (turn: number) => ({ turn, first: (turn - 1) * 10 + 1 });

describe('retention', () => {
  it('[W7] keeps as many runs as it should, the one that begins included', () => {
    expect(retain(turns(1, 1), begins(3), { keepRuns: 3, keepLogBytes: 100 })).toBeUndefined();
    expect(retain(turns(1, 1, 1), begins(4), { keepRuns: 3, keepLogBytes: 100 })).toEqual({ turn: 2, first: 11 });
    expect(retain(turns(1, 1, 1), begins(4), { keepRuns: 1, keepLogBytes: 100 })).toEqual({ turn: 4, first: 31 });
    expect(retain([], begins(1), { keepRuns: 1, keepLogBytes: 1 })).toBeUndefined();
  });

  it('[W7] keeps the newest runs that have room', () => {
    expect(retain(turns(10, 60, 40), begins(4), { keepRuns: 20, keepLogBytes: 110 })).toBeUndefined();
    expect(retain(turns(11, 60, 40), begins(4), { keepRuns: 20, keepLogBytes: 110 })).toEqual({ turn: 2, first: 11 });
    expect(retain(turns(1, 1, 200), begins(4), { keepRuns: 20, keepLogBytes: 110 })).toEqual({ turn: 4, first: 31 });
  });

  it('[W7, LG1] keeps what a turn would remove that is rolled back, whatever is committed after it', () => {
    const log = writtenLog({ keepRuns: 2 });
    const read = () => ({
      ...{ first: log.root.log.first, last: log.root.log.last },
      texts: log.root.log.page(1, ROOT).chunks.map(({ chunk }) => (chunk.type === 'text_delta' ? chunk.delta : '')),
    });
    log.begin(1);
    log.say(['one'], 'completed');
    log.begin(2);
    log.say(['two'], 'completed');
    log.failToBegin(3);
    expect(read()).toEqual({ first: 1, last: 2, texts: ['one', 'two'] });
    log.say(['more'], 'completed');
    expect(read()).toEqual({ first: 1, last: 3, texts: ['one', 'two', 'more'] });
    log.begin(3);
    log.say(['three'], 'completed');
    expect(read()).toEqual({ first: 2, last: 4, texts: ['two', 'more', 'three'] });
  });

  it('[W7] removes chunks of any length with their overflow', () => {
    const log = writtenLog({ keepRuns: 1 });
    log.begin(1);
    log.say(['x'.repeat(1_500_000)], 'completed');
    log.begin(2);
    log.say(['small'], 'completed');
    expect([log.root.log.first, log.root.log.last]).toEqual([2, 2]);
    expect(log.root.log.page(1, '/agents/top/one').chunks).toMatchObject([{ sequence: 2 }]);
  });
});
