/** Tools that may not be repeated, under crashes: one body at most for each call, and a result that says the truth. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/core/agent/state';
import { isObject } from '../../src/protocol/json';
import { examine } from '../support/examine';
import { type Tree, type TreeOptions, withTree } from '../support/harness';
import { always, sized } from '../support/sizes';
import { unsafe } from '../support/trees';

/** The transactions that make the root: two ladders, and its session. */
const AT_START = 3;

/** The calls of the tools that may not be repeated, of the whole tree. */
function unsafeCalls(tree: Tree): Call[] {
  const calls = tree.addresses
    .flatMap((address) => tree.store(address).steps({}))
    .flatMap((step) => (step.phase === 'calls' ? step.calls : []));
  return calls.filter(({ name }) => name === 'once');
}

/** Runs the tree with crashes and checks each of these calls. */
const crashed = (crashAt: readonly number[]) => checked({ crashAt: new Set(crashAt) }, `crashes at ${crashAt}`);

async function checked(options: TreeOptions, what: string): Promise<{ unknown: number; commits: number }> {
  return withTree(unsafe, options, async (tree) => {
    await tree.run();
    examine(tree, what);
    let unknown = 0;
    for (const { callId, settled, input } of unsafeCalls(tree)) {
      const bodies = tree.bodies.get(callId) ?? 0;
      expect(bodies, what).toBeLessThanOrEqual(1);
      const told = tree.log.filter(({ chunk }) => chunk.type === 'tool_end' && chunk.toolCallId === callId);
      expect(told, what).toHaveLength(1);
      if (settled?.result.success) {
        expect(settled.result.value).toEqual({ noted: isObject(input) ? input.text : undefined });
        expect(bodies, what).toBe(1);
        continue;
      }
      expect(settled?.result, what).toMatchObject({ error: { code: 'outcome_unknown' } });
      unknown++;
    }
    expect(tree.outcome, what).toMatchObject({ status: 'completed' });
    return { unknown, commits: tree.commits.length };
  });
}

describe('tools that may not be repeated', () => {
  it('[RC3, CL2, EG1, EG2] run once without a crash, and at most once with one at any commit', async () => {
    const calm = await crashed([]);
    expect(calm.unknown).toBe(0);
    let unknown = 0;
    for (let commit = 1; commit <= calm.commits; commit++) unknown += (await crashed([commit])).unknown;
    expect(unknown).toBeGreaterThan(0);
  });

  it('[RC3, CL2, EG3] and at most once where the result cannot be written', async () => {
    let transactions = 0;
    await checked({ transaction: () => void transactions++ }, 'calm');
    let unknown = 0;
    for (let failing = AT_START + 1; failing <= transactions; failing++) {
      let begun = 0;
      const transaction = (): void => {
        if (++begun === failing) throw new Error('disk full');
      };
      unknown += (await checked({ transaction }, `transaction ${failing} fails`)).unknown;
    }
    expect(unknown).toBeGreaterThan(0);
  });

  it('[RC3, CL2] and at most once with any sequence of crashes', async () => {
    const { commits } = await crashed([]);
    const schedule = fc.array(fc.integer({ min: 1, max: commits + 10 }), { minLength: 1, maxLength: 8 });
    const holds = fc.asyncProperty(schedule, async (crashAt) => void (await crashed(crashAt)));
    await always(holds, sized(50, 500));
  });
});
