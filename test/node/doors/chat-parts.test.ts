/** The reply of one agent as parts of a chat, and what a chat shows of an agent below. */
import { describe, expect, it } from 'vitest';
import { BelowAgent, type Delegated } from '../../../src/doors/chat/agents';
import { AgentReply } from '../../../src/doors/chat/reply';
import type { Chunk, ChunkBody } from '../../../src/protocol/chunks';
import { failure } from '../../../src/protocol/errors';
import type { Json } from '../../../src/protocol/json';
import { STEP_USAGE } from '../../support/log';

const BASE = { agentId: 's_1', agentType: 'top', address: '/a', runId: 'r', step: 1, attempt: 1, timestamp: 1 };
const chunk = (body: ChunkBody, more: object = {}): Chunk => ({ ...BASE, ...more, ...body }) as Chunk;

const step: ChunkBody = { type: 'step_started' };
const text = (delta: string, part = 0): ChunkBody => ({ type: 'text_delta', part, delta });
const thought = (delta: string, more: object = {}): ChunkBody => ({ type: 'thinking', part: 0, delta, ...more });
const committed = (finishReason = 'stop'): ChunkBody => ({
  ...{ type: 'step_committed', finishReason, usage: STEP_USAGE, checkpointId: 'x', model: 'm' },
});
const discarded: ChunkBody = { type: 'step_discarded', reason: 'x' };
const draft: ChunkBody = { type: 'tool_arg_stream_start', toolCallId: 'c', toolName: 'pay' };
const runs: ChunkBody = { type: 'tool_start', toolCallId: 'c', toolName: 'pay', arguments: {} };
const provider: ChunkBody = {
  type: 'provider_tool_start',
  part: 0,
  providerCallId: 'p',
  toolName: 'web',
  arguments: { q: 1 },
};
const found = (success: boolean): ChunkBody => ({
  ...{ type: 'provider_tool_end', part: 0, providerCallId: 'p', toolName: 'web', result: { n: 1 }, success },
});

describe('the reply of an agent', () => {
  /** What the last of some chunks adds. */
  const last = (...bodies: readonly ChunkBody[]) => {
    const reply = new AgentReply('/v1');
    return bodies.map((body) => reply.after(chunk(body))).at(-1);
  };
  const types = (...bodies: readonly ChunkBody[]) => last(...bodies)?.map(({ type }) => type);

  it('[CH1] begins and ends each block and step once', () => {
    for (const [bodies, expected] of [
      [[step], ['start-step']],
      // Nothing is in it yet.
      [[step, step], []],
      [
        [step, text('x'), step],
        ['text-end', 'finish-step', 'start-step'],
      ],
      [
        [step, text('x')],
        ['text-start', 'text-delta'],
      ],
      [[step, text('x'), text('y')], ['text-delta']],
      [
        [step, text('x'), text('y', 1)],
        ['text-start', 'text-delta'],
      ],
      [
        [step, text('x'), thought('y')],
        ['reasoning-start', 'reasoning-delta'],
      ],
      [
        [step, thought('x', { isComplete: true })],
        ['reasoning-start', 'reasoning-delta', 'reasoning-end'],
      ],
      [[step, thought('x'), thought('', { isComplete: true })], ['reasoning-end']],
      [[step, thought('', { isComplete: true })], []],
      [
        [step, text('x'), text('y', 1), committed()],
        ['text-end', 'text-end'],
      ],
      [[step, committed()], []],
      // What adds nothing is nothing in it.
      [[step, committed(), step], []],
      [[step, thought('', { isComplete: true }), step], []],
      [[step, { type: 'output', output: 'x' }, step], []],
      [[step, text('x'), draft], ['tool-input-start']],
      [
        [step, text('x'), runs],
        ['text-end', 'tool-input-available'],
      ],
      [[step, text('x'), discarded], ['reset-step']],
      [[step, text('x'), discarded, step], []],
      [
        [step, text('x'), discarded, text('y')],
        ['text-start', 'text-delta'],
      ],
      [[step, draft, discarded, draft], ['tool-input-start']],
      [[discarded], []],
    ] as const)
      expect([bodies, types(...bodies)]).toEqual([bodies, expected]);
  });

  it('[CH2, CH14] continues in the step that its client has where the reply of that is whole, else in another', () => {
    for (const [bodies, again] of [
      [[step], ['start-step']],
      [[step, text('x')], ['start-step']],
      [[step, draft], ['start-step']],
      [[step, text('x'), committed()], []],
      [[step, text('x'), runs], []],
      [[step, text('x'), committed(), step], ['start-step']],
    ] as const) {
      const reply = () => {
        const made = new AgentReply('/v1');
        for (const body of bodies) made.after(chunk(body));
        return made;
      };
      const [one, other] = [reply(), reply()];
      expect([bodies, one.again().map(({ type }) => type)]).toEqual([bodies, again]);
      expect([bodies, other.anew().map(({ type }) => type)]).toEqual([bodies, ['start-step']]);
      // None of the blocks that were open is ended there: its client does not have them.
      const ends = again.length > 0 ? ['finish-step'] : [];
      expect([bodies, one.close().map(({ type }) => type)]).toEqual([bodies, ends]);
      expect([bodies, other.close().map(({ type }) => type)]).toEqual([bodies, ['finish-step']]);
      expect([bodies, other.close()]).toEqual([bodies, []]);
    }
  });

  it('[CH1] has the calls of a provider, each announced once, also where its step was discarded', () => {
    const toolCallId = 's_1.1.1.p';
    const called = (input: Json) => ({
      ...{ type: 'tool-input-available', toolCallId, toolName: 'web', input, dynamic: true, providerExecuted: true },
      toolMetadata: { address: '/a', agentType: 'top' },
    });
    const output = { type: 'tool-output-available', toolCallId, output: { n: 1 } };
    const error = { type: 'tool-output-error', toolCallId, errorText: 'The tool of the provider failed.' };
    expect(last(step, provider)).toEqual([called({ q: 1 })]);
    expect(last(step, provider, found(true))).toEqual([output]);
    expect(last(step, provider, found(false))).toEqual([error]);
    for (const [success, end] of [
      [true, output],
      [false, error],
    ] as const)
      for (const lost of [[step], [step, provider, discarded], [step, provider, found(true)]])
        expect(last(...lost, found(success))).toEqual([called(null), end]);
  });

  it("[CH1, CH4] has its output, its sources, its files and its author's events", () => {
    const source = (more: object): ChunkBody =>
      ({ type: 'reply_source', part: 0, sourceId: 's', ...more }) as ChunkBody;
    const file = (more: object): ChunkBody => ({ type: 'reply_file', part: 0, mediaType: 'm', ...more }) as ChunkBody;
    const custom = (name: string): ChunkBody => ({ type: 'custom', name, data: { n: 1 } });
    const document = { type: 'source-document', sourceId: 's', mediaType: 'application/octet-stream', title: 's' };
    for (const [bodies, expected] of [
      [[{ type: 'output', output: { n: 1 } }], [{ type: 'data-output', id: 'output', data: { n: 1 } }]],
      [[{ type: 'output', output: 'x' }], []],
      [[{ type: 'state_patch', patch: [1] }], [{ type: 'data-state', data: { patch: [1] }, transient: true }]],
      [
        [{ type: 'run_recovered', reason: 'x' }],
        [{ type: 'data-notice', data: { kind: 'recovered' }, transient: true }],
      ],
      [[custom('mine')], [{ type: 'data-mine', id: 'mine', data: { n: 1 } }]],
      [[custom('status')], [{ type: 'data-status', data: { n: 1 }, transient: true }]],
      ...['agent', 'output', 'state', 'notice', 'omitted-file'].map(
        (name) => [[custom(name)], [{ type: `data-custom-${name}`, id: name, data: { n: 1 } }]] as const,
      ),
      [[source({ sourceType: 'url', url: 'u' })], [{ type: 'source-url', sourceId: 's', url: 'u' }]],
      [
        [source({ sourceType: 'url', url: 'u', title: 't' })],
        [{ type: 'source-url', sourceId: 's', url: 'u', title: 't' }],
      ],
      [[source({ sourceType: 'url' })], [document]],
      [[source({ sourceType: 'document', url: 'u' })], [{ ...document, title: 'u' }]],
      [[source({ sourceType: 'document', url: 'u', filename: 'f' })], [{ ...document, title: 'f', filename: 'f' }]],
      [[source({ sourceType: 'document', title: 't', mediaType: 'm' })], [{ ...document, title: 't', mediaType: 'm' }]],
      [[file({ path: 'a b', url: 'u' })], [{ type: 'file', mediaType: 'm', url: '/v1/a/files/a%20b' }]],
      [[file({ url: 'u' })], [{ type: 'file', mediaType: 'm', url: 'u' }]],
      [
        [file({ omitted: 'too large' })],
        [{ type: 'data-omitted-file', data: { mediaType: 'm', reason: 'too large' } }],
      ],
    ] as const)
      expect([bodies, last(...(bodies as readonly ChunkBody[]))]).toEqual([bodies, expected]);
    for (const [reason, expected] of [
      ...['stop', 'length', 'content-filter', 'tool-calls', 'error'].map((one) => [one, one] as const),
      ['new', 'other'],
    ] as const) {
      const reply = new AgentReply('');
      expect(reply.finishReason).toBe('stop');
      reply.after(chunk(committed(reason)));
      expect(reply.finishReason).toBe(expected);
    }
  });
});

describe('what is shown of an agent below', () => {
  const task = chunk({
    ...{
      type: 'subagent_start',
      subSessionId: 's_2',
      subAgentType: 'kid',
      callId: 'c_1',
      subAddress: '/a/sub/kid/1~1',
    },
    ...{ generation: 1, childId: 1, task: 1, mode: 'ephemeral', placement: 'facet' },
  } as ChunkBody) as Delegated;
  const kid = { agentId: 's_2', agentType: 'kid', address: '/a/sub/kid/1~1' };
  const none = () => undefined;
  const end = (more: object) =>
    chunk({
      type: 'subagent_end',
      subSessionId: 's_2',
      usage: { ...STEP_USAGE, inputTokens: 99 },
      ...more,
    } as ChunkBody) as never;
  const started = (turn: number): ChunkBody => ({ type: 'run_started', turn, chainTurn: turn });
  const working = (...bodies: readonly ChunkBody[]) => {
    const agent = new BelowAgent(task, '');
    for (const body of bodies) agent.push(chunk(body, kid));
    return agent;
  };
  const said = (one: string) => expect.objectContaining({ type: 'text', text: one });

  it('[CH7] is who it is, how it is, what it spent, and its last message as a whole', () => {
    const facts = { address: kid.address, agentType: 'kid' };
    const message = (id: string, ...parts: unknown[]) => ({ id, role: 'assistant', parts });
    expect(new BelowAgent(task, '').snapshot(none)).toMatchObject({
      ...facts,
      status: 'queued',
      message: message('s_2'),
    });
    expect(new BelowAgent({ ...task, name: 'ada' }, '').snapshot(none)).toMatchObject({ ...facts, name: 'ada' });
    expect(new BelowAgent(task, '', true).snapshot(none).truncated).toBe(true);
    const agent = working(started(1), step, text('One.'), committed(), step, text('Two.'), committed());
    expect(agent.isOver).toBe(false);
    expect(agent.snapshot(none)).toEqual({
      ...facts,
      status: 'running',
      usage: expect.objectContaining({
        inputTokens: 2 * STEP_USAGE.inputTokens,
        modelCalls: 2 * STEP_USAGE.modelCalls,
      }),
      message: message('s_2.1', { type: 'step-start' }, said('One.'), { type: 'step-start' }, said('Two.')),
    });
    // Another chain is another message; one that goes on is the same.
    agent.push(chunk(started(1), kid));
    agent.push(chunk(step, kid));
    agent.push(chunk(text('Three.'), kid));
    expect(agent.snapshot(none).message).toMatchObject({
      id: 's_2.1',
      parts: expect.arrayContaining([said('One.'), said('Three.')]),
    });
    agent.push(chunk(started(2), kid));
    agent.push(chunk(step, kid));
    agent.push(chunk(text('Four.'), kid));
    expect(agent.snapshot(none).message).toEqual(message('s_2.2', { type: 'step-start' }, said('Four.')));
  });

  it('[CH4, CH7] has its files where the routes of its Worker are, in each of its messages', () => {
    const file: ChunkBody = { type: 'reply_file', part: 0, mediaType: 'm', path: 'a b' };
    for (const base of ['', '/v1']) {
      const agent = new BelowAgent(task, base);
      for (const turn of [1, 2, 3]) {
        for (const body of [started(turn), step, file]) agent.push(chunk(body, kid));
        const shown = { type: 'file', mediaType: 'm', url: `${base}${kid.address}/files/a%20b` };
        expect(agent.snapshot(none).message).toMatchObject({
          id: `s_2.${turn}`,
          parts: [{ type: 'step-start' }, shown],
        });
      }
    }
  });

  it('[CH7] ends with its result, or with its failure as everyone may read it, and with all that it spent', () => {
    for (const [more, expected] of [
      [
        { success: true, result: { n: 1 } },
        { status: 'completed', output: { n: 1 } },
      ],
      [{ success: true }, { status: 'completed', output: null }],
      [
        { success: false, error: { ...failure('run_timeout', 'SECRET'), title: 'Title.' } },
        { status: 'failed', error: { code: 'run_timeout', title: 'Title.' } },
      ],
      [
        { success: false, error: failure('run_timeout', 'SECRET') },
        { status: 'failed', error: { code: 'run_timeout' } },
      ],
      [{ success: false }, { status: 'failed', error: { code: 'child_failed' } }],
    ] as const) {
      const agent = working(started(1), step, text('x'));
      agent.ended(end(more));
      const { status, usage, output, error } = agent.snapshot(none);
      expect([status, usage, output, error]).toEqual([
        ...[expected.status, { ...STEP_USAGE, inputTokens: 99 }],
        ...['output' in expected ? expected.output : undefined, 'error' in expected ? expected.error : undefined],
      ]);
      expect(agent.isOver).toBe(true);
    }
  });

  it('[CH7] stays within its bytes: the newest parts, an output of half of them, and a long part by its beginning', () => {
    const most = 6_000;
    const size = (shown: Json) => Buffer.byteLength(JSON.stringify(shown));
    const agent = working(started(1), step, text('o'.repeat(3_000)), text('n'.repeat(3_000), 1));
    const shown = agent.snapshot(none, most);
    expect(shown).toMatchObject({ truncated: true, message: { parts: [said('n'.repeat(3_000))] } });
    expect(size(shown)).toBeLessThanOrEqual(most);
    const long = working(started(1), step, text('ü'.repeat(9_000))).snapshot(none, most);
    expect(long).toMatchObject({ truncated: true, message: { parts: [{ type: 'text', truncated: true }] } });
    expect(size(long)).toBeLessThanOrEqual(most);
    const room = most - 2_048;
    for (const [length, isShown] of [
      [room / 2 - 2, true],
      [room / 2 - 1, false],
    ] as const) {
      const ends = working(started(1), step, text('x'));
      ends.ended(end({ success: true, result: 'r'.repeat(length) }));
      const last = ends.snapshot(none, most);
      expect([length, Object.hasOwn(last, 'output'), last.truncated ?? false]).toEqual([length, isShown, !isShown]);
      expect(size(last)).toBeLessThanOrEqual(most);
    }
  });

  it('[CH7] has what is shown of those below it in place of the results of their calls', () => {
    const call: ChunkBody = { type: 'tool_start', toolCallId: 'c_9', toolName: 'subagent__x', arguments: {} };
    const asked: unknown[] = [];
    const shown = working(started(1), step, text('x'), committed(), call).snapshot((toolCallId, bytes) => {
      asked.push([toolCallId, bytes > 1_000]);
      return { deep: 1 };
    }, 6_000);
    expect(asked).toEqual([['c_9', true]]);
    expect(shown.message).toMatchObject({
      parts: [{ type: 'step-start' }, said('x'), { toolCallId: 'c_9', state: 'output-available', output: { deep: 1 } }],
    });
  });
});
