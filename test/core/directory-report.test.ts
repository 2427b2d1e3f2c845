/** What a root tells the directory of its tree. */
import { describe, expect, it } from 'vitest';
import { reportedText, treeReport } from '../../src/core/tree/directory-report';
import type { ChildNode } from '../../src/core/tree/node';
import { TreeIndex } from '../../src/core/tree/tree-index';
import { childNode, rootNode, STANDS } from '../support/nodes';

const call = (at: number, node = 1) => ({
  node,
  item: { toolCallId: `c${at}`, stepId: 1, kind: 'approval' as const, toolName: 'gate', input: null, requestedAt: at },
});
const failed = (at: number) => ({
  progress: {
    runId: `r${at}`,
    startedAt: 1,
    endedAt: at,
    step: 1,
    recoveries: 0,
    error: { code: 'x', message: 'No.' },
  },
});

describe('a report', () => {
  it('[A84, A85, A86, A89] has the 500 calls asked first, the 200 newest failures, the 500 children active last', () => {
    const root = rootNode();
    const kids = Array.from({ length: 501 }, (_, at) =>
      childNode(at + 2, { lifetime: 'named', lastAt: at, ...failed(at) }),
    );
    const calls = Array.from({ length: 501 }, (_, at) => call(1_000 - at));
    const found = treeReport(new TreeIndex([root, ...kids]), root, calls);
    expect([found.pendingCount, found.pending.length, found.pending[0]?.requestedAt]).toEqual([501, 500, 500]);
    expect([found.failures.length, found.failures[0]?.at, found.failures.at(-1)?.at]).toEqual([200, 500, 301]);
    expect([found.children.length, found.children.at(-1)?.lastActivity]).toEqual([500, 1]);
    expect(found.childCounts.total).toBe(501);
  });

  it('[A84, A85, A98] has how each call begins, what a failure has in common with others, and how many sub-agents failed', () => {
    const root = rootNode({ status: 'failed', ...failed(1) });
    const kids = [
      childNode(2, { status: 'failed', ...failed(2) }),
      childNode(3, { status: 'completed' }),
      childNode(4, { status: 'running', ...failed(3) }),
    ];
    const [asked] = [call(1)].map(({ node, item }) => ({ node, item: { ...item, input: { to: 'ann', text: 'Hi' } } }));
    const found = treeReport(new TreeIndex([root, ...kids]), root, asked === undefined ? [] : [asked]);
    expect(found.pending).toMatchObject([{ preview: 'to: ann, text: Hi' }]);
    expect(found.failures.map(({ pattern }) => pattern)).toEqual(['No.', 'No.', 'No.']);
    expect(found.failedCount).toBe(1);
  });

  it('[A84, RM28] has each call under whoever asks: the agent itself, or one behind it that is not in the record', () => {
    const [root, kid] = [rootNode(), childNode(2)];
    const at = { address: `${kid.address}/sub/far/1~1`, agentType: 'far' };
    const [own, behind] = [call(1, 2), call(2, 2)];
    const found = treeReport(new TreeIndex([root, kid]), root, [own, { ...behind, item: { ...behind.item, at } }]);
    const { address, agentType } = kid;
    expect(found.pending).toMatchObject([
      { toolCallId: 'c1', address, agentType },
      { toolCallId: 'c2', ...at },
    ]);
  });

  it('[A84, A85, A86, A87] is new for what is listed and each 10 s of work, and the same again from the rows', () => {
    const root = rootNode({ lastAt: 12_000 });
    const kid = childNode(2, { lifetime: 'named' });
    const text = (nodes: readonly ChildNode[], calls = [call(1)]) =>
      reportedText(new TreeIndex([root, kid, ...nodes]), root, calls);
    const before = text([]);
    expect(text([])).toBe(before);
    expect(text([{ ...kid, lastAt: 19_999 }])).toBe(before);
    expect(text([{ ...kid, lastAt: 20_000 }])).not.toBe(before);
    expect(text([], [])).not.toBe(before);
    expect(text([], [call(2)])).not.toBe(before);
    expect(text([{ ...kid, status: 'completed' }])).not.toBe(before);
    expect(text([{ ...kid, ...failed(5) }])).not.toBe(before);
    const owed = { verb: 'abort', runId: 'r', since: 3, attempts: 1, nextAt: 9 } as const;
    expect(text([{ ...kid, stopOwed: owed }])).not.toBe(before);
    expect(text([childNode(3, { schedule: STANDS.ended })])).toBe(before);
  });
});
