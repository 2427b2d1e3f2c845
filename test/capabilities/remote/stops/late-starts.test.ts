/** A start elsewhere that comes late, of which nobody there knew before the parent of its child had ended. */
import { describe, expect, it } from 'vitest';
import type { StopVerb } from '../../../../src/core/agent/runs/stop-verb';
import { RemoteError } from '../../../../src/core/definition/remote-transport';
import { removeTree } from '../../../../src/engine/root/removal';
import { type Tree, type TreeParts, withTree } from '../../../support/harness';
import { present } from '../../../support/present';
import { sample } from '../../../support/sizes';
import { agentOf, answer, noteTool, question } from '../../../support/trees';
import { type Between, elsewhere } from '../support/elsewhere';
import { farTool, remotes } from '../support/far';

/** Transactions that a sweep of `npm test` tries; a night tries all. */
const MOST = 10;

type Above = 'root' | 'facet' | 'object';

const FAR = { calls: [{ name: 'subagent__far', input: { q: 'a' } }] };
const SPAWN = { name: 'companion__spawnAgent', input: { agent: 'keeper', name: 'kim', initialMessage: 'Go' } };

/** An agent elsewhere, which works for ever, below the root or below its companion. */
function parts(above: Above, between: Between) {
  return (tree: Tree): TreeParts => {
    const far = agentOf('far', { inputSchema: question, outputSchema: answer, tools: [noteTool(tree)] });
    const env = { transport: elsewhere(tree, between) };
    const hangs = () => ({ hang: true }) as const;
    if (above === 'root') {
      const top = agentOf('top', { tools: [farTool] });
      return { agents: [top, far], scripts: { top: [FAR, { text: 'Done.' }], far: hangs }, env };
    }
    const keeper = agentOf('keeper', { tools: [farTool], outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: keeper, placement: above }] });
    return {
      agents: [top, keeper, far],
      scripts: {
        top: ({ step }) => (step === 1 ? { calls: [SPAWN] } : { text: 'Done.' }),
        keeper: [FAR, { finish: { answer: 'kept' } }],
        far: hangs,
      },
      env,
    };
  };
}

/**
 * No start comes there, then nobody is there for so long, in ms, when its parent is stopped; once the first stop has come
 * there, everything is lost, and the start comes. Everything is lost once more right after that commit, counted from when
 * somebody is there again.
 */
async function comesLate(above: Above, verb: StopVerb, away: number, crashAt = 0): Promise<number> {
  const late: (() => Promise<unknown>)[] = [];
  const what = `after transaction ${crashAt}`;
  let [isAway, stops, transactions, counts] = [false, 0, 0, false];
  let crash = (): void => undefined;
  const transaction = (): void => {
    if (counts && ++transactions === crashAt) crash();
  };
  const between: Between = {
    async call({ verb: asked }, perform) {
      if (asked === 'start') {
        late.push(perform);
        throw new RemoteError('remote_timed_out', 'No answer came.');
      }
      if (isAway) throw new RemoteError('remote_unreachable', 'Nobody is there.');
      if (asked === verb) stops++;
      return perform();
    },
  };
  return withTree(parts(above, between), { transaction }, async (tree) => {
    crash = () => tree.crash();
    await tree.start();
    await tree.time.until(() => late.length > 1);
    isAway = true;
    const from = tree.time.now;
    tree.stopSurely(verb);
    await tree.time.until(() => tree.time.now >= from + away || tree.time.pending === 0);
    [isAway, counts] = [false, true];
    // The first stop that comes there finds nobody.
    await tree.time.until(() => stops > 0 && tree.ended);
    const { environment } = tree.time;
    await tree.soon(new Promise<void>((resolve) => environment.timer(50, resolve)));
    counts = false;
    tree.crash();
    await tree.soon(present(late[0])());
    await tree.time.until(() => tree.port.working > 0);
    const came = tree.time.now;
    await tree.time.until(() => tree.port.working === 0 || tree.time.pending === 0);
    expect(tree.time.now - came, what).toBeLessThan(310_000);
    await tree.rest();
    expect(tree.port.working, what).toBe(0);
    // A start that came before the stop was known to be taken is the child's own, and goes with that.
    if (remotes(tree).length > 0 && crashAt > 0) {
      await tree.soon(removeTree(tree.world.object(tree.address)));
      await tree.rest();
    }
    expect(remotes(tree), what).toEqual([]);
    return transactions;
  });
}

describe.each<Above>(['root', 'facet', 'object'])('a start elsewhere that comes late (below: %s)', (above) => {
  it.each([
    ['abort', 3_000],
    ['abort', 40_000],
    ['abort', 600_000],
    ['interrupt', 3_000],
    ['interrupt', 600_000],
    ['terminate', 600_000],
  ] as const)(
    '[RM22] is stopped and removed, by an alarm alone, also where its parent had ended before: %s, away for %d ms',
    async (verb, away) => {
      await comesLate(above, verb, away);
    },
  );

  it('[RM22, RM63] is stopped and removed whatever transaction everything is lost after', async () => {
    const length = await comesLate(above, 'abort', 600_000);
    expect(length).toBeGreaterThan(1);
    for (const transaction of sample(length, MOST)) await comesLate(above, 'abort', 600_000, transaction);
  });
});
