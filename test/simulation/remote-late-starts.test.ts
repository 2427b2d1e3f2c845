/** A start elsewhere that comes late, of which nobody there knew before the parent of its child had ended. */
import { describe, expect, it } from 'vitest';
import { RemoteError } from '../../src/core/definition/remote-transport';
import { type Between, elsewhere } from '../support/elsewhere';
import { farTool, remotes } from '../support/far';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { agentOf, answer, noteTool, question } from '../support/trees';

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

describe.each<Above>(['root', 'facet', 'object'])('a start elsewhere that comes late (below: %s)', (above) => {
  it.each([
    ['abort', 3_000],
    ['abort', 40_000],
    ['abort', 600_000],
    ['interrupt', 3_000],
    ['interrupt', 600_000],
    ['terminate', 600_000],
  ] as const)(
    '[RM22] is stopped and removed, by an alarm alone, also where its parent had ended before nobody was there: %s, away for %d ms',
    async (verb, away) => {
      const late: (() => Promise<unknown>)[] = [];
      let isAway = false;
      let stops = 0;
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
      await withTree(parts(above, between), {}, async (tree) => {
        await tree.start();
        await tree.time.until(() => late.length > 1);
        isAway = true;
        const from = tree.time.now;
        tree.stopSurely(verb);
        await tree.time.until(() => tree.time.now >= from + away || tree.time.pending === 0);
        isAway = false;
        // The first stop that comes there finds nobody.
        await tree.time.until(() => stops > 0 && tree.ended);
        const { environment } = tree.time;
        await tree.soon(new Promise<void>((resolve) => environment.timer(50, resolve)));
        tree.crash();
        await tree.soon(present(late[0])());
        await tree.time.until(() => tree.port.working > 0);
        const came = tree.time.now;
        await tree.time.until(() => tree.port.working === 0 || tree.time.pending === 0);
        expect(tree.time.now - came).toBeLessThan(310_000);
        await tree.rest();
        expect(tree.port.working).toBe(0);
        expect(remotes(tree)).toEqual([]);
      });
    },
  );
});
