/** A remote agent that behaves for a while and then lies, in the middle of a run: what its parent shows, keeps and spends. */
import { describe, expect, it } from 'vitest';
import type { RemoteAnswer, RemoteBounds, RemoteEvent } from '../../../src/core/definition/remote-transport';
import type { Chunk, ChunkBody } from '../../../src/protocol/chunks';
import { failure } from '../../../src/protocol/errors';
import { isObject, type Json } from '../../../src/protocol/json';
import { isEndChunk } from '../../../src/protocol/status';
import { NO_USAGE } from '../../../src/protocol/usage';
import { command } from '../../../src/verbs/command';
import { Tree, type TreeParts } from '../../support/harness';
import { present } from '../../support/present';
import { agentOf, answer, noteTool, question, toolResults } from '../../support/trees';
import { type Between, elsewhere } from './support/elsewhere';
import { farParts, farTool, statusThere } from './support/far';

type ChunkEvent = Extract<RemoteEvent, { type: 'chunk' }>;

/** A lie, from the end of the first call of the remote agent on. */
interface Lie {
  /** In place of an event, once it lies; `again` counts its events since then, from 0. */
  event?(event: ChunkEvent, again: number): readonly RemoteEvent[];
  /** In place of an answer, once it lies. */
  answer?(verb: string, answer: RemoteAnswer): RemoteAnswer;
  readonly bounds?: Partial<RemoteBounds>;
}

const END = ['run_completed', 'run_failed', 'run_interrupted', 'run_terminated'];

async function lied({ event, answer, bounds }: Lie): Promise<Tree> {
  let lies = false;
  let again = 0;
  const between: Between = {
    event(given) {
      if (given.type !== 'chunk') return [given];
      const { type, address } = given.chunk;
      const isOwn = /^\/agents\/far\/[^/]+$/.test(address);
      if (!lies && isOwn && type === 'tool_end') {
        lies = true;
        return [given];
      }
      return lies && event ? event(given, again++) : [given];
    },
    async call(request, perform) {
      const said = await perform();
      return lies && answer ? answer(request.verb, said) : said;
    },
  };
  const tree: Tree = new Tree((it) => {
    const transport = elsewhere(it, between);
    return {
      ...farParts(it),
      env: { transport: bounds === undefined ? transport : Object.assign(transport, { bounds }) },
    };
  });
  await tree.run();
  return tree;
}

/** A tree whose remote agent asks a person. */
function asking(tree: Tree, between: Between): TreeParts {
  const pay = noteTool(tree, { name: 'pay', requireApproval: true });
  return {
    agents: [
      agentOf('top', { tools: [farTool] }),
      agentOf('far', { inputSchema: question, outputSchema: answer, tools: [pay] }),
    ],
    scripts: {
      top: [{ calls: [{ name: 'subagent__far', input: { q: 'a' } }] }, { text: 'Done.' }],
      far: [{ calls: [{ name: 'pay', input: { text: 'all' } }] }, { finish: { answer: 'far' } }],
    },
    env: { transport: elsewhere(tree, between) },
  };
}

const child = (tree: Tree): string => `${tree.address}/sub/far/1~1`;
const ofChild = (tree: Tree): Chunk[] =>
  tree.log.flatMap(({ chunk }) => (chunk.address === child(tree) ? [chunk] : []));

/** The same event with something else in its chunk. */
const changed = (event: ChunkEvent, fields: object): ChunkEvent => ({
  ...event,
  chunk: Object.assign({}, event.chunk, fields),
});

/** A chunk of the remote root. */
function said({ chunk }: ChunkEvent, body: ChunkBody): Chunk {
  const { agentId, agentType, address, runId, step, attempt, timestamp } = chunk;
  return { agentId, agentType, address: address.replace(/\/sub\/.*$/, ''), runId, step, attempt, timestamp, ...body };
}

/** Further chunks behind an event of that type. */
const behind =
  (types: readonly string[], ...bodies: readonly ((event: ChunkEvent) => ChunkBody)[]) =>
  (event: ChunkEvent): readonly RemoteEvent[] => {
    const isRoot = !event.chunk.address.includes('/sub/');
    if (!types.includes(event.chunk.type) || !isRoot) return [event];
    const more = bodies.map(
      (body, at): RemoteEvent => ({
        type: 'chunk',
        sequence: event.sequence + at + 1,
        chunk: said(event, body(event)),
      }),
    );
    return [event, ...more];
  };

const asks = (toolCallId: string): ChunkBody => ({
  type: 'tool_approval_request',
  ...{ toolCallId, toolName: 'pay', arguments: {}, inputHash: 'x' },
});

/** A call to `usage` answered with that. */
const usage =
  (total: object) =>
  (verb: string, answer: RemoteAnswer): RemoteAnswer =>
    verb === 'usage' && answer.ok ? { ok: true, body: { total: { ...total }, byAgent: {} } as Json } : answer;

/** In place of the first event, that chunk. */
const first =
  (make: (event: ChunkEvent) => Chunk) =>
  (event: ChunkEvent, again: number): readonly RemoteEvent[] => [
    again === 0 ? { ...event, chunk: make(event) } : event,
  ];

const running = ({ run: before }: { [name: string]: Json }): object => {
  if (!isObject(before)) return {};
  const { output: _output, ...rest } = before;
  return { run: { ...rest, status: 'running' } };
};

const status = (change: (document: { [name: string]: Json }) => object) => (verb: string, answer: RemoteAnswer) =>
  verb === 'status' && answer.ok && isObject(answer.body)
    ? { ok: true as const, body: { ...answer.body, ...change({ ...answer.body }) } as Json }
    : answer;

const failedThere = { error: failure('internal', 'No.'), failureReason: 'internal' } as const;
const NOTHING_SPENT = { ...NO_USAGE };

/** The same answer to `status`, with another run. */
const run = (change: object) =>
  status(({ run: before }) => ({ run: isObject(before) ? { ...before, ...change } : change }));

const isRootsEnd = ({ chunk }: ChunkEvent): boolean =>
  chunk.type === 'run_completed' && !chunk.address.includes('/sub/');

/** What the call of the child comes to: its output, or the code of its failure with that of the remote fault. */
type Outcome = 'its output' | readonly [code: string, remote?: string];

const INVALID: Outcome = ['subagent_failed', 'remote_invalid'];
const SILENT: Outcome = ['subagent_lost', 'remote_unreachable'];
const TOO_LARGE: Outcome = ['subagent_failed', 'remote_too_large'];

const ROWS: readonly (readonly [what: string, outcome: Outcome, lie: Lie])[] = [
  ['text behind its end', INVALID, { event: behind(END, () => ({ type: 'text_delta', part: 0, delta: 'more' })) }],
  ['an approval behind its end', INVALID, { event: behind(END, () => asks('c_9')) }],
  ['a second end', INVALID, { event: behind(END, () => ({ type: 'run_failed', ...failedThere })) }],
  [
    'a wait behind its end',
    INVALID,
    { event: behind(END, () => ({ type: 'suspended', status: 'suspended_step_partial', pending: [], children: [] })) },
  ],
  ['sequences that go back', SILENT, { event: (event) => [{ ...event, sequence: Math.max(1, event.sequence - 3) }] }],
  [
    'a sequence that jumps to 2^53 − 1',
    'its output',
    { event: (event, again) => [again === 0 ? { ...event, sequence: Number.MAX_SAFE_INTEGER } : event] },
  ],
  ['sequences that stay at 2^53 − 1', SILENT, { event: (event) => [{ ...event, sequence: Number.MAX_SAFE_INTEGER }] }],
  [
    'beginnings of steps as chunks of a newer version',
    'its output',
    {
      event: (event) =>
        event.chunk.type === 'step_started' ? [{ type: 'passed_over', sequence: event.sequence }] : [event],
    },
  ],
  [
    'a chunk of a newer version that comes twice',
    'its output',
    {
      event: ({ sequence, ...event }, again) => [
        ...(again === 0 ? [{ type: 'passed_over', sequence: sequence - 1 } as const] : []),
        { sequence, ...event },
      ],
    },
  ],
  [
    'a chunk of a newer version that leaves others out',
    'its output',
    {
      event: (event, again) => [again === 0 ? { type: 'passed_over', sequence: Number.MAX_SAFE_INTEGER } : event],
    },
  ],
  ['times of 1970', 'its output', { event: (event) => [changed(event, { timestamp: 1 })] }],
  ['times of 9999', 'its output', { event: (event) => [changed(event, { timestamp: 253_402_300_799_000 })] }],
  ['a time below nothing', INVALID, { event: (event) => [changed(event, { timestamp: -1 })] }],
  ['a usage that is none', INVALID, { answer: usage({ ...NOTHING_SPENT, inputTokens: -1 }) }],
  ['a usage that falls to nothing', 'its output', { answer: usage(NOTHING_SPENT) }],
  ['another agent', INVALID, { event: (event) => [changed(event, { address: '/agents/top/one' })] }],
  ['another session', 'its output', { event: (event) => [changed(event, { agentId: 's_other', runId: 'r_other' })] }],
  ['another type of agent', 'its output', { event: (event) => [changed(event, { agentType: 'top' })] }],
  ['a status of another run', 'its output', { answer: run({ runId: 'r_x', chainRunId: 'r_x' }) }],
  ['a status of another session', ['subagent_lost'], { answer: status(() => ({ sessionId: 's_x' })) }],
  [
    'a status that failed, where its log completed',
    INVALID,
    { answer: run({ status: 'failed', output: undefined, error: failure('internal', 'No.') }) },
  ],
  [
    'a status that completed, where its log failed',
    INVALID,
    {
      event: (event) => [
        isRootsEnd(event) ? { ...event, chunk: said(event, { type: 'run_failed', ...failedThere }) } : event,
      ],
    },
  ],
  [
    'a status that works, where its log ended',
    SILENT,
    { answer: status((document) => ({ ...running(document), status: 'running' })) },
  ],
  ['a status behind its log', ['subagent_lost'], { answer: status(() => ({ lastSequence: 1 })) }],
  ['a status ahead of its log', SILENT, { answer: status(() => ({ lastSequence: 1_000_000 })) }],
  [
    'the answer to a verb that nobody asked',
    INVALID,
    {
      answer: (verb, answer) =>
        verb === 'status'
          ? { ok: true, body: { sessionId: 's', runId: 'r', messageId: 'm', status: 'running' } }
          : answer,
    },
  ],
  ['nothing more of its log', SILENT, { event: () => [] }],
  [
    'ten megabytes of text',
    TOO_LARGE,
    { event: first((event) => said(event, { type: 'text_delta', part: 0, delta: 'x'.repeat(10_000_000) })) },
  ],
  [
    'chunks without an end',
    TOO_LARGE,
    {
      bounds: { maxLogBytes: 200_000 },
      event: (event) =>
        Array.from(
          { length: 3_000 },
          (_, at): RemoteEvent => ({
            type: 'chunk',
            sequence: event.sequence + at,
            chunk: said(event, { type: 'text_delta', part: 0, delta: 'x' }),
          }),
        ),
    },
  ],
  [
    'chunks of unknown types without an end',
    TOO_LARGE,
    {
      bounds: { maxLogBytes: 200_000 },
      event: (event) =>
        Array.from({ length: 3_000 }, (_, at): RemoteEvent => ({ type: 'passed_over', sequence: event.sequence + at })),
    },
  ],
  [
    'an end without its result',
    ['output_invalid'],
    {
      event: (event) => [isRootsEnd(event) ? changed(event, { output: null }) : event],
      answer: run({ output: null }),
    },
  ],
  ['an approval for a call that is closed', 'its output', { event: first((event) => said(event, asks('c_1'))) }],
  [
    'a call that ends twice',
    'its output',
    { event: first((event) => said(event, { type: 'tool_end', toolCallId: 'c_1', success: true })) },
  ],
];

/** What the call came to, as a row has it. */
function outcomeOf(tree: Tree): Outcome {
  const [result] = toolResults(tree);
  if (result?.success) {
    expect(result.value).toEqual({ answer: 'far' });
    return 'its output';
  }
  const { code = '', details } = result?.error ?? {};
  return isObject(details) && typeof details.remote === 'string' ? [code, details.remote] : [code];
}

describe('a remote agent that lies in the middle of its run', () => {
  it.each(ROWS)('[RM9, RM34, RM35] %s: %j', async (_what, outcome, lie) => {
    const tree = await lied(lie);
    expect(outcomeOf(tree)).toEqual(outcome);
    // Its parent goes on, and has said of it what its model reads.
    expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    const ends = tree.log.filter(({ chunk }) => chunk.type === 'subagent_end' && chunk.address === tree.address);
    expect(ends.map(({ chunk }) => chunk)).toMatchObject([{ success: outcome === 'its output' }]);
    // Its log has one end, behind which no word of its run comes; all is of it, and of the time of its task.
    const own = ofChild(tree);
    const at = own.findIndex(isEndChunk);
    expect(own.filter(isEndChunk)).toHaveLength(1);
    expect(own.slice(at + 1).map(({ type }) => type)).toEqual([]);
    const { sessionId } = present(tree.nodes.find(({ address }) => address === child(tree)));
    expect(own.every(({ agentId, agentType }) => agentId === sessionId && agentType === 'far')).toBe(true);
    const began = present(tree.log[0]).chunk.timestamp;
    for (const { chunk } of tree.log) expect(chunk.timestamp >= began && chunk.timestamp <= tree.time.now).toBe(true);
    // Nothing waits, nothing is owed, nothing works on, and no amount is none.
    expect([tree.pending, tree.time.pending, statusThere(tree)]).toEqual([[], 0, 'completed']);
    for (const { usage: spent } of tree.nodes)
      for (const amount of Object.values(spent)) expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
    expect(tree.time.now - began).toBeLessThan(6 * 60_000);
    tree.close();
  });

  it('[RM27] ids of a call that waits change: what is shown last is answered there, and its end closes both', async () => {
    const submitted: unknown[] = [];
    let asked = 0;
    const between: Between = {
      event(given) {
        if (given.type !== 'chunk' || given.chunk.type !== 'tool_approval_request') return [given];
        const { toolCallId } = given.chunk;
        const renamed = (id: string, more: number): RemoteEvent => ({
          ...given,
          sequence: given.sequence + more,
          chunk: Object.assign({}, given.chunk, { toolCallId: id }),
        });
        return asked++ === 0 ? [renamed('c_false', 0)] : [renamed(toolCallId, 0)];
      },
      async call(request, perform) {
        if (request.verb === 'submit') submitted.push(request.body?.toolCallId);
        return perform();
      },
    };
    const tree: Tree = new Tree((it) => asking(it, between));
    await tree.start();
    await tree.time.until(() => tree.pending.length === 1);
    const root = () => tree.world.object(tree.address);
    const [shown] = (await tree.soon(command(root(), tree.address, 'pending', {}))).items;
    const { toolCallId, address } = present(shown);
    expect(toolCallId).toMatch(/\.c_false$/);
    const approve = { kind: 'approval-response', toolCallId, approved: true } as const;
    await expect(tree.soon(command(root(), address, 'submit', approve, { caller: 'ann' }))).rejects.toMatchObject({
      failure: { code: 'unknown_tool_call' },
    });
    expect(submitted).toEqual(['c_false']);
    // Nothing of it has run, here or there; a stop ends all of it.
    expect([...tree.bodies.values()]).toEqual([]);
    tree.stopSurely();
    await tree.finish();
    expect([tree.pending, tree.time.pending]).toEqual([[], 0]);
    tree.close();
  });
});
