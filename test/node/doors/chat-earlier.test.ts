/** Earlier answers of a chat, made again from a log whose pages end early. */
import { describe, expect, it } from 'vitest';
import { earlierAnswers } from '../../../src/doors/chat/earlier';
import { Thread } from '../../../src/doors/thread';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import type { Document } from '../../../src/protocol/wire/wire-types';
import { newLog } from '../../support/log';
import { present } from '../../support/present';

const TURNS = 14;

/** A log of so many turns, and its runs. */
function written() {
  const log = newLog();
  const top = log.root('top', 'one');
  const runs: Document<'run'>[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const chainStartSequence = log.entries.length + 1;
    top.run(`r_${turn}`).emit({ type: 'run_started', turn, chainTurn: turn });
    top.step(1).text(`Text ${turn}.`).commit().completed('done');
    runs.push({ turn, chainTurn: turn, chainStartSequence } as Document<'run'>);
  }
  const isExtra = ({ chunk }: SequencedChunk, index: number) =>
    chunk.type === 'run_started' && log.entries[index + 1]?.chunk.type === 'run_started';
  return { entries: log.entries.filter((one, index) => !isExtra(one, index)), runs };
}

/** An agent whose pages of the log have one turn each. */
function agentWith(entries: readonly SequencedChunk[], runs: readonly Document<'run'>[], pages: number[]): Thread {
  return new Thread(
    {
      allow: async (asks) =>
        asks.map(({ input }) => ({
          async ask() {
            const { before } = input as { before: number };
            pages.push(before);
            const start = present(runs.findLast((run) => (run.chainStartSequence ?? 0) < before)?.chainStartSequence);
            const items = entries.filter(({ sequence }) => sequence >= start && sequence < before);
            const body = { items, ...(start > 1 ? { previous: start } : {}) };
            return { ok: true as const, body: JSON.parse(JSON.stringify(body)) };
          },
        })),
    },
    '/agents/top/one',
  );
}

describe('earlier answers', () => {
  it('[CH13] come from ten pages of the log, however early these end, and from no more', async () => {
    const { entries, runs } = written();
    const pages: number[] = [];
    const last = present(entries.at(-1)).sequence + 1;
    const made = await earlierAnswers(agentWith(entries, runs, pages), last, { entries: [], runs });
    expect([pages.length, made.size]).toEqual([10, 10]);
    expect([...made.keys()].map((id) => Number(id.split('.').at(-1))).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 10 }, (_, index) => TURNS - 9 + index),
    );
  });
});
