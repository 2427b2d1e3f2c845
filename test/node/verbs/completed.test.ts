/** Fields that the root adds to the answers of agents: where a stream goes on from a document, and what a message waits behind. */
import { describe, expect, it } from 'vitest';
import type { Chunk } from '../../../src/protocol/chunks';
import type { JsonObject } from '../../../src/protocol/json';
import { send } from '../../../src/verbs/actions/send';
import { messages } from '../../../src/verbs/reads/messages';
import { state } from '../../../src/verbs/reads/overview';

const completed = (verb: object, context: object, reply: object) =>
  (verb as { complete(context: never, reply: never): JsonObject }).complete(context as never, reply as never);

/** A log of two agents from a sequence on: rows with the chunks of one of them each. */
function logOf(first: number, rows: readonly (readonly [node: number, chunks: readonly Partial<Chunk>[]])[]) {
  let next = first;
  const placed = rows.map(([node, chunks]) => {
    const row = { node, first: next, chunks };
    next += chunks.length;
    return row;
  });
  /** The sequences of an agent's chunks, which it numbers from 1; the log may have lost the oldest of them. */
  const numbered = (node: number, lost: number) => [
    ...Array.from({ length: lost }, () => 0),
    ...placed.flatMap((row) => (row.node === node ? row.chunks.map((_chunk, at) => row.first + at) : [])),
  ];
  return {
    tree: (lost: number) => ({
      log: {
        ...{ first, last: next - 1 },
        store: {
          sequenceOf: (node: number, number: number) => numbered(node, lost)[number - 1] ?? 0,
          readBack: (node: number, before: number, limit: number) =>
            placed
              .filter((row) => row.node === node && row.first < before)
              .toReversed()
              .slice(0, Math.min(limit, 2)),
        },
      },
    }),
    chunks: placed.flatMap(({ node, first: from, chunks }) =>
      chunks.map((chunk, at) => ({ node, sequence: from + at, chunk })),
    ),
  };
}

const started = (runId: string, step: number) => ({ type: 'step_started', runId, step }) as Partial<Chunk>;
const other = { type: 'custom', runId: 'r_2', step: 2 } as Partial<Chunk>;

describe('a document with its place in the log', () => {
  const rows = [
    [1, [started('r_1', 2), other]],
    [2, [started('r_2', 2), other]],
    [1, [other]],
    [1, [other, started('r_2', 1), other, started('r_2', 2)]],
    [2, [other]],
    ...Array.from({ length: 5 }, () => [1, [other, other]] as const),
  ] as const;

  it('[A12] the transcript is followed by a stream from what it does not have: the step at work, or all that came since', () => {
    for (const first of [1, 8])
      for (const lost of [0, 3])
        for (let number = 0; number <= 20; number++)
          for (const open of [
            undefined,
            { runId: 'r_2', step: 2 },
            { runId: 'r_1', step: 2 },
            { runId: 'r_2', step: 1 },
            { runId: 'r_3', step: 2 },
          ]) {
            const log = logOf(first, rows);
            const own = log.chunks.filter(({ node }) => node === 1);
            const last = number > lost ? own[number - lost - 1]?.sequence : undefined;
            const begins = own.findLast(
              ({ sequence, chunk }) =>
                chunk.type === 'step_started' &&
                chunk.runId === open?.runId &&
                chunk.step === open?.step &&
                sequence <= (last ?? 0),
            );
            // An agent that has said nothing yet, or whose chunks the log has lost, is read from its beginning.
            const expected =
              last === undefined ? first - 1 : open === undefined ? last : (begins?.sequence ?? first) - 1;
            const reply = { items: [], number, ...(open ? { open } : {}) };
            const found = completed(messages, { tree: log.tree(lost), node: { id: 1 } }, reply);
            // An agent tells of a step at work only after its beginning.
            const isBehind = begins === undefined && open?.runId === 'r_2' && last !== undefined;
            if (!isBehind)
              expect([first, lost, number, open, found]).toEqual([
                first,
                lost,
                number,
                open,
                { items: [], asOfSequence: expected },
              ]);
          }
  });

  it('[A11] the state is followed by a stream from its last chunk, or from the beginning of the log', () => {
    const log = logOf(8, rows);
    for (const [number, asOfSequence] of [
      [0, 7],
      [1, 8],
      [2, 9],
      [3, 12],
      [99, 7],
    ] as const)
      expect(completed(state, { tree: log.tree(0), node: { id: 1 } }, { state: { a: 1 }, number })).toEqual({
        ...{ state: { a: 1 }, asOfSequence },
      });
  });
});

describe('a message that waits', () => {
  const item = (at: number, more: object = {}) => ({
    toolCallId: `c_${at}`,
    toolName: 't',
    kind: 'approval',
    input: {},
    ...more,
  });
  const behind = (count: number) =>
    Array.from({ length: count }, (_one, at) => ({ ...item(at), address: '/own' })).map(
      ({ input: _input, ...one }) => one,
    );
  const complete = (reply: object, below: readonly object[] = []) => {
    const own = { node: { id: 1, address: '/own' }, item: item(99) };
    const context = {
      node: { id: 1 },
      tree: { pending: () => [own, ...below.map((one) => ({ node: { id: 2, address: '/leaf' }, item: one }))] },
    };
    return completed(send, context, { messageId: 'm_1', delivery: 'queued', ...reply });
  };
  const taken = { messageId: 'm_1', delivery: 'queued' };

  it('[AN9] says behind which calls, its own first, of 20 at most; one that waits behind none says nothing of that', () => {
    expect(complete({})).toEqual(taken);
    expect(complete({}, [item(1)])).toEqual(taken);
    expect(complete({ behind: [] })).toEqual(taken);
    const shown = (at: number, address: string) => ({
      toolCallId: `c_${at}`,
      toolName: 't',
      kind: 'approval',
      address,
    });
    const far = item(7, { at: { address: '/far', agentType: 'x' } });
    expect(complete({ behind: [] }, [item(5), far])).toEqual({
      ...taken,
      behind: [shown(5, '/leaf'), shown(7, '/far')],
    });
    expect(complete({ behind: behind(1) }, [item(5)])).toEqual({
      ...taken,
      behind: [shown(0, '/own'), shown(5, '/leaf')],
    });
    for (const [own, below] of [
      [20, 0],
      [19, 1],
      [19, 2],
      [20, 3],
      [0, 21],
    ] as const) {
      const all = [...behind(own), ...Array.from({ length: below }, (_one, at) => shown(100 + at, '/leaf'))];
      const given = Array.from({ length: below }, (_one, at) => item(100 + at));
      expect(complete({ behind: behind(own) }, given)).toEqual({ ...taken, behind: all.slice(0, 20) });
    }
  });
});
