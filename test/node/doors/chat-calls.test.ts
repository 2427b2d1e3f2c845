/** The part of one call in a chat: every chunk about it, in every state that the part can be in. */
import { describe, expect, it } from 'vitest';
import { type CallChunk, CallParts } from '../../../src/doors/chat/calls';
import type { UiChunk } from '../../../src/doors/chat/ui';
import { failure, titleOf } from '../../../src/protocol/errors';
import { FINISH_TOOL } from '../../../src/protocol/messages';

const BASE = { agentId: 's_1', agentType: 'top', address: '/a', runId: 'r', step: 1, attempt: 1, timestamp: 1 };
const call = { toolCallId: 'c', toolName: 'pay' };
const asks = { ...call, arguments: { euros: 1 }, inputHash: 'h' };

/** Every chunk about a call, with those of its ends. */
const CHUNKS = {
  start: { type: 'tool_arg_stream_start', ...call },
  delta: { type: 'tool_arg_stream_delta', toolCallId: 'c', delta: '{' },
  runs: { type: 'tool_start', ...call, arguments: { euros: 1 } },
  asks: { type: 'tool_approval_request', ...asks, expiresAt: 9 },
  client: { type: 'client_tool_request', ...asks },
  yes: { type: 'tool_answered', toolCallId: 'c', kind: 'approval-response', approved: true },
  no: { type: 'tool_answered', toolCallId: 'c', kind: 'approval-response' },
  gives: { type: 'tool_answered', toolCallId: 'c', kind: 'client-tool-result' },
  ends: { type: 'tool_end', toolCallId: 'c', success: true, result: { n: 1 } },
  empty: { type: 'tool_end', toolCallId: 'c', success: true },
  fails: {
    type: 'tool_end',
    toolCallId: 'c',
    success: false,
    error: { ...failure('tool_timeout'), ...titleOf('tool_timeout') },
  },
} as const;

type Name = keyof typeof CHUNKS;

const chunkOf = (name: Name): CallChunk => ({ ...BASE, ...CHUNKS[name] }) as CallChunk;

/** Parts after these chunks. */
function partsAfter(...names: readonly Name[]): CallParts {
  const parts = new CallParts();
  for (const name of names) parts.after(chunkOf(name), 'top', 'c_above');
  return parts;
}

const part = (isClients = false) => ({
  ...{ toolCallId: 'c', toolName: 'pay', dynamic: true, providerExecuted: !isClients },
  toolMetadata: { address: '/a', agentType: 'top', parentCallId: 'c_above' },
});
const drafted = { type: 'tool-input-start', ...part() };
const available = { type: 'tool-input-available', ...part(), input: { euros: 1 } };
const clients = { type: 'tool-input-available', ...part(true), input: { euros: 1 } };
const approvalDescriptor = { inputHash: 'h', address: '/a', agentType: 'top', expiresAt: 9 };
const request = { type: 'tool-approval-request', approvalId: 'c', toolCallId: 'c', approvalDescriptor };
const said = (approved: boolean) => ({ type: 'tool-approval-response', approvalId: 'c', approved });
const output = (given: unknown) => ({ type: 'tool-output-available', toolCallId: 'c', output: given });
const failed = (errorText: string) => ({ type: 'tool-output-error', toolCallId: 'c', errorText });
const denied = { type: 'tool-output-denied', toolCallId: 'c' };
const noAnswer = (reason: string) => [{ ...said(false), reason }, denied];
const LATE = 'The tool took too long.';
const settles = { ends: [output({ n: 1 })], empty: [output(null)], fails: [failed(LATE)] };

/** By the chunks that lead to a state: what each chunk adds in it; nothing for those that are not here. */
const STATES: readonly (readonly [readonly Name[], Partial<Record<Name, readonly object[]>>])[] = [
  [[], { start: [drafted], runs: [available], asks: [available, request], client: [clients] }],
  [
    ['start'],
    {
      delta: [{ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' }],
      runs: [available],
      asks: [available, request],
      client: [clients],
    },
  ],
  // A call that runs already may be asked about: by its own code.
  [['runs'], { asks: [request], client: [clients], ...settles }],
  [['client'], settles],
  [
    ['asks'],
    {
      yes: [said(true)],
      no: [said(false)],
      ends: noAnswer('The tool failed.'),
      empty: noAnswer('The tool failed.'),
      fails: noAnswer(LATE),
    },
  ],
  // An answer to other arguments is asked for anew.
  [['asks', 'yes'], { asks: [request], ...settles }],
  [['asks', 'no'], { asks: [request], ends: [denied], empty: [denied], fails: [denied] }],
  ...(['ends', 'fails'] as const).map((end) => [['runs', end], {}] as const),
  [['asks', 'yes', 'ends'], {}],
];

describe('the part of a call', () => {
  it.each(STATES)('[CH6] after %j says what each chunk adds, and nothing twice', (before, expected) => {
    for (const name of Object.keys(CHUNKS) as Name[]) {
      const made = partsAfter(...before).after(chunkOf(name), 'top', 'c_above');
      expect([name, made]).toEqual([name, expected[name] ?? []]);
    }
  });

  it('[CH6] is open from its first chunk to its end', () => {
    for (const [before] of STATES) {
      const parts = partsAfter(...before);
      const isSettled = before.some((name) => name === 'ends' || name === 'fails');
      expect([before, parts.has('c'), parts.open]).toEqual([
        ...[before, before.length > 0, before.length > 0 && !isSettled ? ['c'] : []],
      ]);
      parts.discard();
      // What was only drafted goes with its attempt.
      expect([before, parts.has('c')]).toEqual([before, before.length > 0 && before.at(-1) !== 'start']);
    }
  });

  it('[CH2] is announced again as it is now', () => {
    for (const [before, expected] of [
      [[], []],
      [['start'], [drafted]],
      [['runs'], [available]],
      [['client'], [clients]],
      [['asks'], [available, request]],
      [
        ['asks', 'yes'],
        [available, request, said(true)],
      ],
      [
        ['asks', 'no'],
        [available, request, said(false)],
      ],
      [
        ['runs', 'ends'],
        [available, output({ n: 1 })],
      ],
      [
        ['client', 'fails'],
        [clients, failed(LATE)],
      ],
      [
        ['asks', 'yes', 'ends'],
        [available, request, said(true), output({ n: 1 })],
      ],
      [
        ['asks', 'no', 'fails'],
        [available, request, said(false), denied],
      ],
      [
        ['asks', 'fails'],
        [available, request, ...noAnswer(LATE)],
      ],
    ] as const satisfies readonly (readonly [readonly Name[], readonly object[]])[])
      expect([before, partsAfter(...before).again('c')]).toEqual([before, expected]);
  });

  it('[CH5, CH7] is settled by others where nobody will, once', () => {
    const nobody = 'It is no longer pending.';
    const rows: readonly (readonly [readonly Name[], readonly object[], readonly object[]])[] = [
      [[], [], []],
      [['start'], [failed(nobody)], []],
      [['runs'], [failed(nobody)], [output('x')]],
      [['client'], [failed(nobody)], [output('x')]],
      [['asks'], noAnswer(nobody), [output('x')]],
      [['asks', 'yes'], [failed(nobody)], [output('x')]],
      [['asks', 'no'], [denied], [output('x')]],
      [['runs', 'ends'], [], []],
    ];
    for (const [before, givenUp, settled] of rows)
      for (const [end, expected] of [
        [(parts: CallParts): UiChunk[] => parts.giveUp('c'), givenUp],
        [(parts: CallParts): UiChunk[] => parts.settle('c', 'x'), settled],
      ] as const) {
        const parts = partsAfter(...before);
        expect([before, end(parts)]).toEqual([before, expected]);
        if (expected.length > 0) expect([before, end(parts), parts.open]).toEqual([before, [], []]);
      }
  });

  it('[CH6] is none of the call by which an agent ends', () => {
    const parts = new CallParts();
    for (const name of ['start', 'runs', 'ends'] as const)
      expect(parts.after({ ...chunkOf(name), toolName: FINISH_TOOL } as CallChunk, 'top')).toEqual([]);
    expect(parts.has('c')).toBe(false);
  });
});
