/** Agents of the SDK as agents elsewhere, by objects that say what a test has them say. */
import { describe, expect, it } from 'vitest';
import { createRemoteSubAgentTool } from '../../../../src/capabilities/remote/define';
import { AgentToolTransport } from '../../../../src/capabilities/remote/transports/agent-tool';
import type { RemoteLimits } from '../../../../src/capabilities/remote/transports/limits';
import { RemoteError, type RemoteEvent } from '../../../../src/core/definition/remote-transport';
import { question } from '../../../support/trees';

const agent = { addressClass: 'scout', name: 's1' };
const signal = new AbortController().signal;

/** An object as the SDK's parents see it; what it is asked is kept. */
class Stock {
  readonly asked: string[] = [];
  chunks: unknown = [];
  tail: unknown = new ReadableStream({ start: (controller) => controller.close() });

  constructor(public run: unknown = null) {}

  startAgentToolRun = async (input: unknown, { runId }: { runId: string }) => {
    this.asked.push(`start ${runId} ${JSON.stringify(input)}`);
    this.run ??= { runId, status: 'running', startedAt: 5 };
  };
  inspectAgentToolRun = async () => this.run;
  getAgentToolChunks = async () => this.chunks;
  tailAgentToolRun = async () => this.tail;
  cancelAgentToolRun = async (_runId: string, reason: string) => {
    this.asked.push(`cancel ${reason}`);
    this.run = { ...Object(this.run), status: 'aborted', error: reason, completedAt: 9 };
  };
}

const to = (stock: Stock, limits: Partial<RemoteLimits> = {}) =>
  new AgentToolTransport({ namespace: { getByName: () => stock }, limits });

const bodies = (...chunks: object[]) => chunks.map((chunk, sequence) => ({ sequence, body: JSON.stringify(chunk) }));
const PROTOTYPE: unknown = JSON.parse('{"__proto__":{"isAdmin":true}}');
const completed = { status: 'completed', summary: 'Found.', startedAt: 5, completedAt: 9 };

async function read(transport: AgentToolTransport, from = 1): Promise<RemoteEvent[]> {
  const events: RemoteEvent[] = [];
  for await (const event of transport.stream({ agent, from, signal })) events.push(event);
  return events;
}

const told = (events: readonly RemoteEvent[]) =>
  events.map((event) => (event.type === 'chunk' ? `${event.sequence} ${event.chunk.type}` : event.type));

async function fault(asked: Promise<unknown>): Promise<string | undefined> {
  const error = await asked.then(
    (given) => new Error(`It was taken: ${JSON.stringify(given)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RemoteError) return error.fault;
  throw error;
}

describe('an agent of the SDK', () => {
  it('[AT5] is begun once by its name, and its output is its output or its text', async () => {
    const stock = new Stock();
    const transport = to(stock);
    const body = { input: { q: 'x' } };
    expect(await transport.call({ verb: 'status', agent, signal })).toMatchObject({ ok: false, status: 404 });
    expect(await transport.call({ verb: 'start', agent, body, signal })).toMatchObject({
      ok: true,
      body: { runId: 's1', status: 'running', address: '/agents/scout/s1' },
    });
    expect(stock.asked).toEqual(['start s1 {"q":"x"}']);
    stock.run = completed;
    const run = { status: 'completed', output: 'Found.', startedAt: 5, endedAt: 9 };
    expect(await transport.call({ verb: 'status', agent, signal })).toMatchObject({ ok: true, body: { run } });
    stock.run = { ...completed, output: { found: 1 } };
    expect(await transport.call({ verb: 'status', agent, signal })).toMatchObject({
      body: { run: { output: { found: 1 } }, lastSequence: 2 },
    });
  });

  it('[AT6] tells what it said when it has ended, in order, from any sequence, each call with one end', async () => {
    const stock = new Stock(completed);
    stock.chunks = bodies(
      { type: 'start' },
      { type: 'start-step' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'I look.' },
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'look' },
      { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{}' },
      { type: 'tool-input-available', toolCallId: 'a', toolName: 'look', input: {} },
      { type: 'tool-output-available', toolCallId: 'a', output: 1, preliminary: true },
      { type: 'tool-output-available', toolCallId: 'a', output: 2 },
      { type: 'tool-output-available', toolCallId: 'a', output: 3 },
      { type: 'tool-input-available', toolCallId: 'b', toolName: 'look', input: {} },
      { type: 'tool-output-error', toolCallId: 'b', errorText: 'No.' },
      { type: 'tool-input-available', toolCallId: 'cut', toolName: 'look', input: {} },
      { type: 'data-agent-progress', data: { phase: 'x' } },
      { type: 'later', what: 'a newer release says' },
      { type: 'finish-step' },
      { type: 'finish' },
    );
    const whole = await read(to(stock));
    const types = [
      ...['run_started', 'step_started', 'thinking', 'text_delta', 'tool_arg_stream_start', 'tool_arg_stream_delta'],
      ...['tool_start', 'tool_end', 'tool_start', 'tool_end', 'tool_start', 'custom', 'step_committed', 'tool_end'],
      'run_completed',
    ];
    expect(told(whole)).toEqual([...types.map((type, at) => `${at + 1} ${type}`), 'up_to_date', 'end']);
    for (let from = 2; from <= types.length; from++) expect(await read(to(stock), from)).toEqual(whole.slice(from - 1));
    expect(whole[7]).toMatchObject({ chunk: { result: 2, success: true } });
    expect(whole[9]).toMatchObject({ chunk: { success: false, error: { message: 'No.' } } });
  });

  it('[AT6] is told to have begun while it works; a tail that ends before it is a cut', async () => {
    const stock = new Stock({ status: 'running', startedAt: 5 });
    const events: RemoteEvent[] = [];
    const reading = (async () => {
      for await (const event of to(stock).stream({ agent, from: 1, signal })) events.push(event);
    })();
    expect(await fault(reading)).toBe('cut');
    expect(told(events)).toEqual(['1 run_started']);
  });

  it('[AT6, AT13] is no companion, and takes no message, answer or resume', async () => {
    const stock = new Stock({ status: 'running', startedAt: 5 });
    const refusals = [
      ['start', { message: 'x' }, 'invalid_request'],
      ['send', { content: 'x' }, 'lives_elsewhere'],
      ['submit', {}, 'lives_elsewhere'],
      ['resume', {}, 'lives_elsewhere'],
      ['interrupt', { runId: 'another' }, 'run_superseded'],
    ] as const;
    for (const [verb, body, code] of refusals)
      expect(await to(stock).call({ verb, agent, body, signal }), verb).toMatchObject({ ok: false, code });
    expect(stock.asked).toEqual([]);
  });

  it.each([
    ['interrupt', 'interrupted', 'run_interrupted'],
    ['abort', 'failed', 'run_failed'],
    ['terminate', 'terminated', 'run_terminated'],
  ])('[AT7] %s stops it once, and it ends as that says', async (verb, status, chunk) => {
    const stock = new Stock({ status: 'running', startedAt: 5 });
    const stop = () => to(stock).call({ verb, agent, body: { reason: 'Enough.\nReally.' }, signal });
    expect(await stop()).toMatchObject({ ok: true, body: { status } });
    expect(await stop()).toMatchObject({ ok: true, body: { status } });
    expect(stock.asked).toEqual([`cancel ${verb}: Enough.\nReally.`]);
    const last = (await read(to(stock))).at(-3);
    expect(last).toMatchObject({ chunk: { type: chunk } });
    expect(JSON.stringify(last)).toContain('Really.');
  });

  it('[AT7] one that others stopped was interrupted, and one that failed says why', async () => {
    const stopped = { status: 'aborted', error: 'by hand', startedAt: 5, completedAt: 9 };
    expect((await read(to(new Stock(stopped)))).at(-3)).toMatchObject({ chunk: { reason: 'by hand' } });
    const failed = { status: 'error', error: 'It broke.', startedAt: 5, completedAt: 9 };
    expect((await read(to(new Stock(failed)))).at(-3)).toMatchObject({
      chunk: { type: 'run_failed', error: { code: 'subagent_failed', message: 'It broke.' } },
    });
  });

  it.each<[string, Partial<Pick<Stock, 'run' | 'chunks' | 'tail'>>, Partial<RemoteLimits>, string]>([
    ['an unknown status', { run: { ...completed, status: 'victorious' } }, {}, 'unknown_status'],
    ['a run that is none', { run: 7 }, {}, 'shape'],
    ['chunks that are none', { chunks: 'x' }, {}, 'shape'],
    ['a chunk that is no JSON', { chunks: [{ body: '{' }] }, {}, 'not_json'],
    ['a deep one', { chunks: [{ body: '['.repeat(200) + ']'.repeat(200) }] }, { maxDepth: 50 }, 'too_deep'],
    ['a long one', { chunks: bodies({ x: 1 }) }, { maxEventCharacters: 3 }, 'event_too_large'],
    ['one with a key for the prototype', { chunks: [{ body: '{"\\u005f_proto__":1}' }] }, {}, 'shape'],
    [
      'one with a name that is a book',
      { chunks: bodies({ type: 'tool-input-available', toolCallId: 'a', toolName: 'x'.repeat(1_025) }) },
      {},
      'bad_chunk',
    ],
    ['an id that is a book', { chunks: bodies({ type: 'data-x'.repeat(200), data: 1 }) }, {}, 'bad_chunk'],
    ['an output with a key for the prototype', { run: { ...completed, output: PROTOTYPE } }, {}, 'shape'],
    ['many of them', { chunks: bodies({}, {}, {}) }, { maxStreamBytes: 5 }, 'stream_too_large'],
    [
      'an output that is too large',
      { run: { ...completed, summary: 'x'.repeat(100) } },
      { maxAnswerBytes: 50 },
      'body_too_large',
    ],
    ['an output that is no JSON', { run: { ...completed, output: new Map() } }, {}, 'shape'],
    ['a tail that is none', { run: { status: 'running', startedAt: 5 }, tail: 'x' }, {}, 'shape'],
    [
      'a tail that never begins',
      { run: { status: 'running', startedAt: 5 }, tail: new Promise(() => undefined) },
      { openMs: 20 },
      'silent',
    ],
    [
      'a tail that goes on for longer than it may',
      { run: { status: 'running', startedAt: 5 }, tail: new ReadableStream() },
      { streamMs: 20 },
      'too_slow',
    ],
  ])('[AT7, AT14, AE29] %s is a typed failure', async (_what, lie, limits, expected) => {
    const stock = Object.assign(new Stock(completed), lie);
    expect(await fault(read(to(stock, limits)))).toBe(expected);
  });

  it('[AT7] a missing namespace and options that are none are refused when it is made', () => {
    expect(() => new AgentToolTransport({ namespace: undefined })).toThrow('missing');
    expect(() => to(new Stock(), { openMs: 0 })).toThrow('openMs');
    const transport = to(new Stock());
    expect(
      createRemoteSubAgentTool('scout', {
        description: 'Scouts.',
        inputSchema: question,
        transport,
        remoteAgentType: 'scout',
      }).name,
    ).toBe('subagent__scout');
  });
});
