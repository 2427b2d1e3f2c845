/** A person's message while approvals wait: what stands before it, and what it denies where the definition says so. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { PendingMessageRule } from '../../src/core/definition/definition';
import type { Acceptances } from '../../src/protocol/wire/wire-types';
import { command } from '../../src/verbs/command';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { agentOf, question, toolResults } from '../support/trees';

type SendAccepted = Acceptances['send'];

const TEXT = 'Not that one: publish the short version.';
const empty = z.object({});
const approved = (tree: Tree, name: string) =>
  defineTool({
    name,
    description: 'Needs a person.',
    inputSchema: empty,
    requireApproval: true,
    replay: 'safe',
    execute: (_, { idempotencyKey }) => {
      tree.body(idempotencyKey);
      return 'Published.';
    },
  });
const client = defineTool({ name: 'ask', description: 'Asks.', inputSchema: empty, execute: 'client' });

/** An agent with two approvals, and a call that its client answers where `asks` says so. */
const waiting =
  (onMessageWhilePending: PendingMessageRule | undefined, asks = false) =>
  (tree: Tree): TreeParts => {
    const rule = onMessageWhilePending === undefined ? {} : { onMessageWhilePending };
    const tools = [approved(tree, 'publish'), approved(tree, 'announce'), client];
    const calls = [{ name: 'publish' }, { name: 'announce' }, ...(asks ? [{ name: 'ask' }] : [])];
    return { agents: [agentOf('top', { tools, ...rule })], scripts: { top: [{ calls }, { text: 'Done.' }] } };
  };

const say = (tree: Tree, key = 'k', content = TEXT) =>
  tree.soon(
    command(tree.world.object(tree.address), tree.address, 'send', { content }, { caller: 'ada', idempotencyKey: key }),
  );

const names = (calls: SendAccepted['behind']) => calls?.map(({ toolName, kind }) => `${toolName} ${kind}`);

/** Runs to the wait, sends the message, again under its key as often as a crash took the answer, and gives what came of it. */
async function told(make: (tree: Tree) => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree) => {
    await tree.start();
    await tree.time.until(() => tree.pending.length > 1);
    await tree.time.pass(1_000);
    const from = tree.commits.length;
    let answer: SendAccepted | undefined;
    for (let tries = 0; tries < 4 && answer === undefined; tries++) answer = await say(tree).catch(() => undefined);
    await tree.rest();
    const said = tree.transcript().flatMap((one) => (one.role === 'user' ? [one.content] : []));
    return {
      answer,
      results: toolResults(tree).map((result) => (result.success ? result.value : result.error.code)),
      reasons: toolResults(tree).flatMap((result) => (result.success ? [] : [result.error.message])),
      said,
      pending: tree.pending.length,
      outcome: tree.ended ? tree.outcome : undefined,
      bodies: tree.bodies.size,
      from,
      commits: tree.commits.length,
      problems: tree.time.problems,
    };
  });
}

describe('a message while approvals wait', () => {
  it.each([undefined, 'queue'] as const)(
    '[AN9] says what stands before it, and changes nothing of that (%s)',
    async (rule) => {
      const { answer, pending } = await told(waiting(rule));
      expect(answer?.delivery).toBe('queued');
      expect(names(answer?.behind)).toEqual(['publish approval', 'announce approval']);
      expect(answer?.behind?.every(({ address }) => address === '/agents/top/one')).toBe(true);
      expect([answer?.denied, pending]).toEqual([undefined, 2]);
    },
  );

  it('[AN8, AN9] denies them where the definition says so, and the model reads why', async () => {
    const found = await told(waiting('deny'));
    expect(names(found.answer?.denied)).toEqual(['publish approval', 'announce approval']);
    expect(found.answer?.behind).toBeUndefined();
    expect(found.results).toEqual(['approval_denied', 'approval_denied']);
    expect(found.reasons.every((reason) => reason.includes(TEXT))).toBe(true);
    expect(found.said.at(-1)).toBe(TEXT);
    expect(found).toMatchObject({ pending: 0, bodies: 0, outcome: { status: 'completed' }, problems: [] });
  });

  it('[AN8, AN9] denies approvals alone: what the client answers still stands before it', async () => {
    const found = await told(waiting('deny', true));
    expect(names(found.answer?.denied)).toEqual(['publish approval', 'announce approval']);
    expect(names(found.answer?.behind)).toEqual(['ask client-tool']);
    expect(found.pending).toBe(1);
  });

  it('[AN8] is there with the denials or not at all, wherever a crash comes', async () => {
    const make = waiting('deny');
    const calm = await told(make);
    for (let at = calm.from + 1; at <= calm.commits; at++) {
      const found = await told(make, { crashAt: new Set([at]) });
      const what = `a crash after commit ${at}`;
      expect(found.results, what).toEqual(['approval_denied', 'approval_denied']);
      expect(
        found.said.filter((one) => one === TEXT),
        what,
      ).toHaveLength(1);
      expect(names(found.answer?.denied), what).toEqual(['publish approval', 'announce approval']);
      expect(found, what).toMatchObject({ pending: 0, bodies: 0, outcome: { status: 'completed' }, problems: [] });
    }
  });

  it('[AN8] that is refused denies nothing', async () => {
    await withTree(waiting('deny'), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.pending.length > 1);
      const past = { content: TEXT, runId: 'r_of_another' };
      await expect(
        tree.soon(command(tree.world.object(tree.address), tree.address, 'send', past, { caller: 'ada' })),
      ).rejects.toMatchObject({ code: 'run_superseded' });
      await tree.rest();
      expect(tree.pending.length).toBe(2);
    });
  });
});

describe('a message to an agent whose sub-agent waits', () => {
  it('[AN9] says what stands before it there', async () => {
    const make = (tree: Tree): TreeParts => {
      const leaf = agentOf('leaf', { tools: [approved(tree, 'publish'), approved(tree, 'announce')] });
      const top = agentOf('top', { tools: [createSubAgentTool(leaf, question)], onMessageWhilePending: 'deny' });
      return {
        agents: [top, leaf],
        scripts: {
          top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'x' } }] }, { text: 'Done.' }],
          leaf: [{ calls: [{ name: 'publish' }, { name: 'announce' }] }, { text: 'Done.' }],
        },
      };
    };
    const { answer, pending } = await told(make);
    expect(names(answer?.behind)).toEqual(['publish approval', 'announce approval']);
    expect(answer?.behind?.map(({ address }) => address)).toEqual(
      Array.from({ length: 2 }, () => '/agents/top/one/sub/leaf/1~1'),
    );
    expect([answer?.denied, pending]).toEqual([undefined, 2]);
  });
});
