/** What the compiler holds of the table of chunks: nothing in it is left undecided. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complaints } from '../support/compiler';

const TABLE = join('src', 'protocol', 'chunks.ts');
const ROW = '  run_recovered: loud({ reason: text }),';
const BEFORE = "const AWAITED_STATUSES = ['working', 'waiting', 'failed'] as const;";

/** Rows and fields that leave something undecided, or say what cannot be. */
const WRONG = [
  'export const noQuiet: ChunkRow<Fields> = { fields: { reason: text } };',
  'export const noSize = loud({ reason: { schema: z.string() } });',
  "export const shortJson = field(jsonSchema, 'short');",
  "export const shortFailure = field(failureSchema, 'short');",
  "export const shortList = field(z.array(jsonSchema).readonly(), 'short');",
  "export const longNumber = field(z.number(), 'json');",
];

describe('the table of chunks', () => {
  it('[W26] takes no row that is undecided, and no further type before the reduction has decided about it', () => {
    const wrong = [BEFORE, `${BEFORE}\n${WRONG.join('\n')}`] as const;
    const further = [ROW, `${ROW}\n  another: quiet({ at: whole }),`] as const;
    const names = WRONG.map((row) => /const (\w+)/.exec(row)?.[1]);
    expect(complaints(TABLE, [wrong, further])).toEqual(
      [...names.map((name) => `protocol/chunks.ts ${name}`), 'protocol/reduce.ts agentAfter'].sort(),
    );
  });
});
