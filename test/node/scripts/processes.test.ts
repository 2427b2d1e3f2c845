import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputOf, processOf } from '../../../scripts/lib/processes.mjs';
import { ANY_CHARACTER } from '../../support/any-character';

/** A line of `/proc/PID/stat`: the fields are those of proc(5). */
const stat = (state: string, threads: number): string =>
  `77 (a (b) c) ${state} 12 77 77 0 -1 4227084 9 0 1 0 8 4 0 0 20 0 ${threads} 0 7713831 0 0`;

describe('a process of a server', () => {
  it('[LS5] is there until its last thread has ended, and no longer', () => {
    const there = { pid: 77, parent: 12, started: '7713831' };
    const seen = [stat('S', 1), stat('R', 8), stat('Z', 2), stat('Z', 1), stat('X', 1)].map((line) =>
      processOf(77, line),
    );
    expect(seen).toEqual([there, there, there, undefined, undefined]);
  });
});

async function printed(pieces: Iterable<string | Buffer>, most?: number): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = outputOf({ stdout, stderr }, most);
  let at = 0;
  for (const piece of pieces) {
    (at++ % 2 === 0 ? stdout : stderr).write(piece);
    await new Promise(setImmediate);
  }
  return output();
}

describe('the output of a process', () => {
  it('[PL12] is all that it prints, or the last part of it', async () => {
    const pieces = fc.array(fc.string({ maxLength: 9, unit: ANY_CHARACTER }), { maxLength: 12 });
    const law = fc.asyncProperty(pieces, fc.integer({ min: 1, max: 30 }), async (all, most) => {
      expect(await printed(all, most)).toBe(all.join('').slice(-most));
    });
    await fc.assert(law, { numRuns: 20 });
  });

  it('[PL12] is kept where a process prints more than a string can hold', async () => {
    const piece = Buffer.alloc(8_000_000, 'x');
    function* endless(): Generator<Buffer> {
      for (let size = 0; size <= 2 ** 29; size += piece.length) yield piece;
    }
    expect((await printed(endless(), 1_000)).length).toBe(1_000);
  });
});
