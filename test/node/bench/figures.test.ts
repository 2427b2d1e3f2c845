/** Figures of the benchmark: what two checkouts say of each other, and the page that quotes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench } from '../../../bench/lib/bench.mjs';
import { BESIDE, HERE, Samples } from '../../../bench/lib/samples.mjs';
import { SECTIONS } from '../../../bench/sections.mjs';
import { root } from '../../../scripts/lib/paths.mjs';

const TIME = { name: 'time', unit: 'ms' };
const checkout = { root: '', commit: '' };

/** Samples of `time`: side, pair of servers, round and value of each. */
function samplesOf(...all: readonly (readonly [number, number, number, number])[]): Samples {
  const samples = new Samples();
  for (const [side, server, round, value] of all) samples.add(TIME, { side, server, round, value });
  return samples;
}

describe('a paired run', () => {
  it('[B9] divides each sample by that of the same round and the same pair of servers', () => {
    const samples = samplesOf(
      [HERE, 0, 1, 10],
      [BESIDE, 0, 2, 40],
      [BESIDE, 0, 1, 20],
      [HERE, 0, 2, 30],
      [HERE, 1, 1, 90],
      [BESIDE, 1, 1, 100],
    );
    expect(samples.compared('time')).toEqual({ ratio: 0.75, least: 0.5, most: 0.9, servers: [0.625, 0.9] });
  });

  it('[B9] leaves out a round that only one side has, and says nothing where there is no pair', () => {
    const samples = samplesOf([HERE, 0, 1, 10], [HERE, 0, 2, 50], [BESIDE, 0, 2, 100], [BESIDE, 1, 1, 1]);
    expect(samples.compared('time')).toEqual({ ratio: 0.5, least: 0.5, most: 0.5, servers: [0.5] });
    expect(samplesOf([HERE, 0, 1, 10], [BESIDE, 0, 2, 10]).compared('time')).toBeUndefined();
  });

  it('[B9] refuses a second sample of the same round', () => {
    const samples = samplesOf([HERE, 0, 1, 10]);
    expect(() => samples.add(TIME, { side: HERE, server: 0, round: 1, value: 11 })).toThrow('has a sample of round 1');
  });

  it('[B9] spreads its rounds over pairs of servers, and the sides take turns in who comes first', () => {
    const alone = new Bench([checkout], 10);
    expect([alone.pairs, alone.rounds(4)]).toEqual([1, 10]);
    const paired = new Bench([checkout, checkout], undefined);
    expect([paired.pairs, paired.rounds(10)]).toEqual([3, 4]);
    expect([1, 2].map((round) => paired.inTurn([HERE, BESIDE], round)[0])).toEqual([BESIDE, HERE]);
    paired.server = 1;
    expect([1, 2].map((round) => paired.inTurn([HERE, BESIDE], round)[0])).toEqual([HERE, BESIDE]);
    expect(new Bench([checkout, checkout], 2).pairs).toBe(2);
  });
});

describe('docs/reference/performance.md', () => {
  const page = readFileSync(join(root, 'docs', 'reference', 'performance.md'), 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const [, name = '', ...cells] = line.split('|').map((cell) => cell.trim());
    const section = /^`npm run bench -- ([a-z]+)`$/.exec(cells.find((cell) => cell.startsWith('`npm')) ?? '')?.[1];
    return section === undefined ? [] : [{ name, section }];
  });

  it('[B8] quotes figures under the names that the command beside them prints', () => {
    expect(rows.length).toBeGreaterThan(30);
    const printed = (section: string): string[] => SECTIONS[section]?.figures.map(({ name }) => name) ?? [];
    expect(rows.filter(({ name, section }) => !printed(section).includes(name))).toEqual([]);
  });

  it('[B8] has each figure once, and no section prints one of another', () => {
    const all = Object.values(SECTIONS).flatMap(({ figures }) => figures.map(({ name }) => name));
    expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
    const quoted = rows.map(({ name }) => name);
    expect(quoted.filter((name, at) => quoted.indexOf(name) !== at)).toEqual([]);
  });

  it('[B8] each floor is a figure of the same section', () => {
    const lacking = Object.values(SECTIONS).flatMap(({ figures }) =>
      figures.filter(({ floor }) => floor !== undefined && !figures.some(({ name }) => name === floor)),
    );
    expect(lacking).toEqual([]);
  });
});
