import { describe, expect, it } from 'vitest';
import { processOf } from '../../../scripts/lib/processes.mjs';

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
