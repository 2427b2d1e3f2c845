/** Runs whose logs are kept in test/fixtures/recorded: they are what the engine writes today. One of them is copied. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { CHUNKS } from '../../../src/protocol/chunks';
import { withTree } from '../../support/harness';
import { logAt, RECORDED_TREES } from '../../support/recorded-trees';

const fileOf = (name: string) => join(root, 'test', 'fixtures', 'recorded', `${name}.ndjson`);
const isKept = process.env.OFFSHOOT_RECORD === 'again';

describe('a recorded run', () => {
  const types = new Set<string>();

  it.each(RECORDED_TREES)('[CH1, AU4] F157: $name is what the engine writes', async ({ name, parts, play }) => {
    const log = await withTree(parts, {}, async (tree) => logAt(tree, await play(tree)));
    const lines = log.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    if (isKept) writeFileSync(fileOf(name), lines);
    expect(lines).toBe(readFileSync(fileOf(name), 'utf8'));
    for (const { chunk } of log) types.add(chunk.type);
  });

  it('[CH1, AU4] check 1: together they have every type of chunk', () => {
    expect([...types].toSorted()).toEqual(Object.keys(CHUNKS).toSorted());
  });
});
