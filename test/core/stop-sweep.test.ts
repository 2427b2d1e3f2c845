/** A stop of the root after each commit of a scenario in turn, alone and with a crash soon after. */
import { describe, expect, it } from 'vitest';
import { isEndChunk } from '../../src/core/chunks';
import { NIGHTLY, SCENARIOS } from '../support/crashes';
import { examine } from '../support/examine';
import { withTree } from '../support/harness';

/** How many commits after the stop the process is lost, 0 for never. */
const CRASHES = NIGHTLY ? [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 25] : [0, 1, 5];
/** From one commit that is stopped after to the next; each number of crashes begins elsewhere. */
const STRIDE = NIGHTLY ? 1 : CRASHES.length;

describe.each(SCENARIOS)('a stop: $name', ({ make }) => {
  it.for(CRASHES)(
    '[SP8, SP9, DG10, TR2, RN4, RC6, OB5, RT4] ends the whole tree after any commit (and a crash %i commits later)',
    { timeout: 900_000 },
    async (later) => {
      const commits = await withTree(make, {}, async (tree) => (await tree.run()).commits.length);
      for (let at = 1 + (later % STRIDE); at < commits; at += STRIDE) {
        const crashAt = new Set(later === 0 ? [] : [at + later]);
        let stopped = false;
        const options = {
          crashAt,
          onCommit: (tree: { stopSurely(): boolean }, commit: number) => {
            if (commit !== at) return;
            queueMicrotask(() => {
              stopped = tree.stopSurely();
            });
          },
        };
        await withTree(make, options, async (tree) => {
          await tree.run();
          examine(tree, `stop after ${at}, crash after ${[...crashAt]}`);
          if (!stopped) return;
          expect(tree.outcome, `stop after ${at}`).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
          expect(tree.log.filter(({ chunk }) => isEndChunk(chunk)).length).toBe(
            tree.nodes.filter(({ number }) => number > 0).length,
          );
        });
      }
    },
  );
});
