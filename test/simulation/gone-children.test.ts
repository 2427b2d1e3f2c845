/** A child that is not there, and one whose parent has lost the tool for it with a release: neither leaves a call open. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { agentOf, hangTool, noteTool, question, toolResults } from '../support/trees';

/** How often the root looks at who is silent. */
const BEAT_MS = 5_000;

const JUDGE = '/agents/top/one/sub/judge/judge';
const companion = (tool: string, input: object) => ({ name: `companion__${tool}`, input: { name: 'judge', ...input } });

/** A parent with a companion that it tells something in its second turn. */
const talking =
  (...second: { name: string; input: object }[]) =>
  (): TreeParts => {
    const judge = agentOf('judge', {});
    const spawn = companion('spawnAgent', { agent: 'judge', initialMessage: 'one' });
    return {
      agents: [agentOf('top', { persistentAgents: [{ agent: judge, mode: 'blocking' }] }), judge],
      scripts: {
        top: ({ messages, step }) => {
          const isSecond = messages.some((one) => one.role === 'user' && one.content === 'Again');
          if (step > 1) return { text: 'Done.' };
          return { calls: JSON.parse(JSON.stringify(isSecond ? second : [spawn])) };
        },
        judge: [{ text: 'Judged.' }],
      },
    };
  };

describe('a child that is not there any more', () => {
  it('[DG7, DG26, CO4] L32: is known at once to the parent that tells it something, with the message that nobody read', () =>
    withTree(talking(companion('sendMessage', { message: 'two', wait: true })), {}, async (tree) => {
      await tree.run('First');
      tree.world.remove(JUDGE);
      const from = tree.time.now;
      await tree.run('Again');
      const results = toolResults(tree).map((result) => result.success && result.value);
      expect(results).toMatchObject([
        { name: 'judge', task: 1, status: 'completed' },
        { name: 'judge', task: 2, status: 'failed', code: 'subagent_lost', unreadMessages: 1 },
      ]);
      // No more than the requests themselves take: nothing is waited for, nor asked again.
      expect(tree.time.now - from).toBeLessThanOrEqual(1);
      expect(tree.time.problems).toEqual([]);
    }));

  it('[DG7, RT2] L32: is known by the next beat of the root, where it was at work and nobody tells it anything', () =>
    withTree(
      (tree) => {
        const kid = agentOf('kid', { tools: [hangTool(tree)] });
        return {
          agents: [agentOf('top', { tools: [createSubAgentTool(kid, question)] }), kid],
          scripts: {
            top: [{ calls: [{ name: 'subagent__kid', input: { q: 'x' } }] }, { text: 'Seen.' }],
            kid: [{ calls: [{ name: 'hang', input: {} }] }],
          },
        };
      },
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(1_000);
        tree.world.remove(`${tree.address}/sub/kid/1~1`);
        const from = tree.time.now;
        await tree.finish();
        expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'subagent_lost' } }]);
        expect(tree.time.now - from).toBeLessThanOrEqual(BEAT_MS);
        expect(tree.outcome).toMatchObject({ output: 'Seen.' });
      },
    ));
});

describe('a child whose parent has no tool for it any more', () => {
  it.each(['facet', 'object'] as const)(
    '[DG10, RC5] L34: works on after that release, and its end is the result of its call (%s)',
    async (placement) => {
      let isNewer = false;
      const changing = (tree: Tree): TreeParts => {
        const kid = agentOf('kid', { tools: [noteTool(tree)] });
        const before = agentOf('top', { tools: [createSubAgentTool(kid, question, { placement })] });
        const after = agentOf('top', {});
        const top = {
          ...before,
          get tools() {
            return (isNewer ? after : before).tools;
          },
          get relationships() {
            return (isNewer ? after : before).relationships;
          },
        };
        return {
          agents: [top, kid],
          scripts: {
            top: [{ calls: [{ name: 'subagent__kid', input: { q: 'x' } }] }, { text: 'Seen.' }],
            kid: [{ calls: [{ name: 'note', input: { text: 'n' } }] }, { text: 'Kept.' }],
          },
        };
      };
      // The next release begins as soon as the child has.
      const onCommit = (tree: Tree) => {
        const begun = ({ chunk }: SequencedChunk) => chunk.type === 'run_started' && chunk.address !== tree.address;
        if (isNewer || !tree.log.some(begun)) return;
        isNewer = true;
        tree.crash();
      };
      await withTree(changing, { onCommit }, async (tree) => {
        await tree.start();
        await tree.finish();
        expect([isNewer, tree.crashes]).toEqual([true, 1]);
        expect(toolResults(tree)).toEqual([{ success: true, value: 'Kept.' }]);
        expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Seen.' });
        expect(tree.time.problems).toEqual([]);
      });
    },
  );
});
