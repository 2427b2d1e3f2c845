/** A tree with sub-agents that failed and are waited for, from the failure to its end. */

import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { asChild } from '../../src/core/tree/node';
import type { VerbAnswer } from '../../src/engine/object/object-calls';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import { decide } from '../../src/verbs/actions/failed-child';
import { answerVerb } from '../../src/verbs/table';
import { failsFirst } from '../support/control';
import { type Tree, type TreeOptions, withTree } from '../support/harness';
import { AGAIN } from '../support/people';
import { present } from '../support/present';
import { agentOf, question } from '../support/trees';

/** What is said to the parent of the leaves: how often it was told a decision, and what holds back that one has failed. */
function heldBack() {
  const kid = '/agents/top/one/sub/kid/1~1';
  const said: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const network: TreeOptions['network'] = async (to, call, perform) => {
    if (to !== kid || call.kind !== 'agent') return perform();
    said.push(call.message.type);
    if (call.message.type === 'child_settled') await held;
    return perform();
  };
  const told = (type: string) => said.filter((each) => each === type).length;
  return { leaf: `${kid}/sub/leaf/1~1`, network, told, release: () => release() };
}

describe('a decision about a child of which its parent has not heard', () => {
  it('[A70] waits until the parent has, and asks it once more', async () => {
    const { leaf, network, told, release } = heldBack();
    await withTree(failsFirst, { network }, async (tree) => {
      await tree.start();
      await tree.time.until(() => told('child_settled') > 0);
      const node = tree.nodes.find(({ address }) => address === leaf);
      expect(node?.status).toBe('failed');
      const object = tree.world.object(tree.address);
      let refused: unknown = 'nothing yet';
      const decided = decide(object, asChild(present(node)), 'give_up').then((answer) => {
        refused = answer;
      });
      await tree.time.pass(1_999);
      expect([told('child_decided'), refused]).toEqual([1, 'nothing yet']);
      release();
      await tree.time.until(() => refused !== 'nothing yet');
      await decided;
      expect([told('child_decided'), refused]).toEqual([2, undefined]);
    });
  });

  it('[A70] is refused after 2 s', async () => {
    const { leaf, network, told } = heldBack();
    await withTree(failsFirst, { network }, async (tree) => {
      await tree.start();
      await tree.time.until(() => told('child_settled') > 0);
      const node = tree.nodes.find(({ address }) => address === leaf);
      let refused: unknown;
      void decide(tree.world.object(tree.address), asChild(present(node)), 'give_up').then((answer) => {
        refused = answer;
      });
      await tree.time.pass(2_000);
      await tree.time.until(() => refused !== undefined);
      expect(refused).toMatchObject({ code: 'run_superseded' });
      expect(told('child_decided')).toBe(2);
    });
  });
});

describe('a tree', () => {
  it('[DG23, DG24] goes on with its parents when somebody decides, and what was spent counts once', async () => {
    await withTree(failsFirst, {}, async (tree) => {
      await tree.start();
      await tree.rest();
      const kid = '/agents/top/one/sub/kid/1~1';
      const [one, two] = [`${kid}/sub/leaf/1~1`, `${kid}/sub/leaf/2~1`];
      const at = () => tree.nodes.map(({ status }) => status);
      expect(at()).toEqual(['suspended_awaiting_children', 'suspended_awaiting_children', 'failed', 'failed']);
      expect(tree.pending).toEqual([]);
      expect(tree.world.object(tree.address).tree?.tree.slotsTaken()).toBe(0);
      const said = await Promise.all([tree.decide(one, 'retry', AGAIN), tree.decide(two, 'give_up')]);
      expect(said.map(({ answer }) => answer)).toEqual(['done', 'done']);
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
      expect(tree.nodes.find(({ address }) => address === one)).toMatchObject({ status: 'completed', runNumber: 2 });
      const { step } = tree.state(kid);
      expect(step?.id).toBe(2);
      const [called] = tree.store(kid).steps({});
      const usages =
        called?.phase === 'calls'
          ? called.calls.flatMap(({ plan, settled }) => (plan.kind === 'task' ? [settled?.usage?.modelCalls] : []))
          : [];
      expect(usages).toEqual([tree.state(one).spent.modelCalls, tree.state(two).spent.modelCalls]);
    });
  });

  it('[A64, DG22] is not left waiting for one that is ended for good in the moment in which it fails', async () => {
    const one = '/agents/top/one/sub/kid/1~1/sub/leaf/1~1';
    let said: Promise<VerbAnswer> | undefined;
    const onCommit = (tree: Tree, commit: number): void => {
      // The leaf has failed, and the root has not heard of it.
      if (said || tree.commits[commit - 1] !== 'model_failed') return;
      const path = parseAddress(one).below.map(segmentOf);
      Object.assign(tree.world.options, { verb: answerVerb });
      said = tree.world.object(tree.address).call({ kind: 'verb', path, verb: 'terminate', input: {}, caller: 'a' });
    };
    await withTree(failsFirst, { onCommit }, async (tree) => {
      await tree.start();
      await tree.rest();
      expect(await said).toMatchObject({ ok: true });
      const at = (address: string) => tree.nodes.find((node) => node.address === address)?.status;
      expect(at(one)).toBe('terminated');
      // Only the other leaf is waited for now.
      const two = one.replace(/1~1$/, '2~1');
      expect((await tree.decide(two, 'give_up')).answer).toBe('done');
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'completed' });
    });
  });

  it('[DG22] takes `onFailure` of the two kinds alone', () => {
    const leaf = agentOf('leaf');
    const make = (onFailure: 'wait') => createSubAgentTool(leaf, question, { onFailure });
    expect(() => make('wait')).not.toThrow();
    expect(() => make('later' as 'wait')).toThrow('`onFailure` must be one of result, wait.');
  });
});
