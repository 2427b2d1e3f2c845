/** A stop of the root after each commit of a scenario in turn, alone and with a crash soon after. */
import { describe, expect, it } from 'vitest';
import { hasBegun } from '../../src/core/tree/node';
import { isEndChunk } from '../../src/protocol/status';
import { type Make, SCENARIOS, tellRuns, totals } from '../support/crashes';
import { examine } from '../support/examine';
import { withTree } from '../support/harness';
import { moments, NIGHTLY, onceEach } from '../support/sizes';

/** How many commits after the stop the process is lost, 0 for never. */
const CRASHES = NIGHTLY ? [0, 1, 2, 3, 5, 8, 13, 25] : [0, 1, 5];
/** So many commits of a scenario are stopped after with `npm test`, for each of these. */
const MOST = 5;

tellRuns('a stop after each commit');

/** The kinds of the commits of a run that is not stopped. */
const kindsOf = onceEach((make: Make) => withTree(make, {}, async (tree) => (await tree.run()).kinds));

describe.each(SCENARIOS)('a stop: $name', ({ make }) => {
  it.for(CRASHES)(
    '[SP8, SP9, DG10, TR2, RN4, RC6, OB5, RT4] ends the whole tree after any commit (and a crash %i commits later)',
    async (later) => {
      const kinds = await kindsOf(make);
      for (const at of moments(kinds.slice(0, -1), MOST, later)) {
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
          totals.runs++;
          totals.crashes += tree.crashes;
          examine(tree, `stop after ${at}, crash after ${[...crashAt]}`);
          if (!stopped) return;
          expect(tree.outcome, `stop after ${at}`).toMatchObject({ status: 'failed', error: { code: 'aborted' } });
          expect(tree.log.filter(({ chunk }) => isEndChunk(chunk)).length).toBe(tree.nodes.filter(hasBegun).length);
        });
      }
    },
  );
});
