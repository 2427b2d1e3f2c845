/** The log as events of AG-UI, held against the schemas and the verifier of its official packages. */
import { type BaseEvent, verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import fc from 'fast-check';
import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { AguiEvent, Interrupt } from '../../../src/doors/agui/events';
import { interruptOf, submitOf } from '../../../src/doors/agui/interrupts';
import { type Seen, Translation } from '../../../src/doors/agui/translate';
import { CHUNKS, type ChunkBody, type SequencedChunk } from '../../../src/protocol/chunks';
import { failure } from '../../../src/protocol/errors';
import { anyLog } from '../../support/any-log';
import { STEP_USAGE as USAGE } from '../../support/log';

const ROOT = '/agents/worker/0';
const NOTHING: Seen = { root: 0, below: 0, state: 0 };
const asked: Interrupt = { id: 'c_1', reason: 'tool_call', message: 'asks', subagentRunId: 's_1' };

function eventsOf(log: readonly SequencedChunk[], seen: Seen = NOTHING): AguiEvent[] {
  const translation = new Translation(ROOT, seen);
  const said = log.flatMap(({ sequence, chunk }) => translation.push(sequence, chunk));
  return [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r', protocolVersion: '1.0' },
    ...said,
    ...translation.finish([asked]),
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'interrupt', interrupts: [asked] } },
  ];
}

/** Reads events as the official client does; it throws where it would. */
async function verified(events: readonly AguiEvent[]): Promise<void> {
  for (const event of events) expect(EventSchemas.safeParse(event).error, JSON.stringify(event)).toBeUndefined();
  await lastValueFrom(from(events as unknown as BaseEvent[]).pipe(verifyEvents(), toArray()));
}

/** The same with a patch that is one: random logs have anything in its place. */
const patched = ({ sequence, chunk }: SequencedChunk): SequencedChunk => ({
  sequence,
  chunk: chunk.type === 'state_patch' ? { ...chunk, patch: [{ op: 'add', path: '/a', value: 1 }] } : chunk,
});

/** A log of one agent's chunks. */
const logOf = (...bodies: (ChunkBody & { agent?: number; attempt?: number })[]): SequencedChunk[] =>
  bodies.map(({ agent = 0, attempt = 1, ...body }, index) => ({
    sequence: index + 1,
    chunk: {
      ...{ agentId: `s_${agent}`, agentType: 'worker', address: `/agents/worker/${agent}`, runId: `r_${agent}` },
      ...{ step: 1, attempt, timestamp: index },
      ...(body as ChunkBody),
    },
  }));
/** The same with ids of calls that no other agent has, as they are made. */
const owned = ({ sequence, chunk }: SequencedChunk): SequencedChunk => {
  const own = (id: string) => `${chunk.agentId}.${id}`;
  const call = 'toolCallId' in chunk && chunk.toolCallId !== undefined ? { toolCallId: own(chunk.toolCallId) } : {};
  const delegation = 'callId' in chunk ? { callId: own(chunk.callId) } : {};
  return { sequence, chunk: { ...chunk, ...call, ...delegation } };
};
const types = (events: readonly AguiEvent[]) => events.map(({ type }) => type);

describe('the log as events of AG-UI', () => {
  it('[AU4] [AU5] is taken by the official verifier, whatever the log is and whatever was seen of it', () =>
    fc.assert(
      fc.asyncProperty(anyLog, fc.nat({ max: 60 }), fc.nat({ max: 60 }), async (log, root, below) =>
        verified(eventsOf(log.map(patched).map(owned), { root, below, state: root })),
      ),
      { numRuns: 300 },
    ));

  it('[AU4] has events for every type of chunk, or none on purpose', () => {
    const silent = ['run_started', 'unsuspended', 'output', 'suspended', 'run_completed', 'run_failed'];
    silent.push('run_interrupted', 'run_terminated', 'step_committed', 'step_discarded', 'tool_arg_stream_delta');
    const seen = new Map<string, number>();
    const rare = logOf(
      { type: 'hook_failed', hook: 'before_step', error: failure('hook_failed'), failsRun: false },
      {
        ...{ type: 'subagent_message', subAgentType: 'worker', subSessionId: 's_1', callId: 'c_1' },
        ...{ childId: 1, task: 1, messageId: 'm_1' },
      },
      { type: 'session_copied', fromAddress: ROOT, fromSessionId: 's_9', status: 'idle' },
      { type: 'context_compacted', by: 'digest', tokensBefore: 2, tokensAfter: 1, summaryBytes: 1 },
    );
    for (const log of [...fc.sample(anyLog, { numRuns: 400, seed: 7 }), rare])
      for (const { sequence, chunk } of log) {
        const one = new Translation(ROOT, NOTHING).push(sequence, chunk);
        const own = one.filter(({ type }) => type !== 'SUBAGENT_STARTED').length;
        seen.set(chunk.type, Math.max(seen.get(chunk.type) ?? 0, own));
      }
    for (const [type, most] of seen)
      if (!type.startsWith('subagent_')) expect(most > 0, type).toBe(!silent.includes(type));
    expect([...seen.keys()].toSorted()).toEqual(Object.keys(CHUNKS).toSorted());
  });

  it('[AU5] announces each task of a sub-agent that is told more than one, and ends each', async () => {
    const child = { subSessionId: 's_1', subAgentType: 'worker', subAddress: '/agents/worker/1', name: 'ada' } as const;
    const start = (task: number) =>
      ({
        type: 'subagent_start',
        ...child,
        ...{ callId: `c_${task}`, generation: 1, childId: 1, task },
        mode: 'persistent',
        placement: 'facet',
      }) as const;
    const end = (task: number) =>
      ({
        type: 'subagent_end',
        ...{ subSessionId: 's_1', subAgentType: 'worker', callId: `c_${task}`, generation: 1 },
        ...{ childId: 1, task, success: true, usage: USAGE, result: `did ${task}` },
      }) as const;
    const works = (task: number) =>
      ({ type: 'text_delta', part: 0, delta: `task ${task}`, agent: 1, runId: `r_1_${task}` }) as const;
    const events = eventsOf(logOf(...[1, 2, 3].flatMap((task) => [start(task), works(task), end(task)])));
    await verified(events);
    const started = events.flatMap((event) => (event.type === 'SUBAGENT_STARTED' ? [event.subagentRunId] : []));
    expect(started).toEqual(['s_1', 's_1.2', 's_1.3']);
    expect(
      events.flatMap((event) => (event.type === 'SUBAGENT_FINISHED' ? [[event.subagentRunId, event.result]] : [])),
    ).toEqual(started.map((id, at) => [id, `did ${at + 1}`]));
    // What it says belongs to the task that it says it in.
    expect(
      events.flatMap((event) => (event.type === 'TEXT_MESSAGE_CONTENT' ? [[event.subagentRunId, event.delta]] : [])),
    ).toEqual(started.map((id, at) => [id, `task ${at + 1}`]));
  });

  it('[AU4] ends a text before a call, and a call before the next text', async () => {
    const events = eventsOf(
      logOf(
        { type: 'text_delta', part: 0, delta: 'Let me see.' },
        { type: 'tool_arg_stream_start', toolCallId: 'c_1', toolName: 'note' },
        { type: 'tool_arg_stream_delta', toolCallId: 'c_1', delta: '{}' },
        { type: 'step_committed', finishReason: 'tool-calls', usage: USAGE, checkpointId: 'x', model: 'm' },
        { type: 'tool_start', toolCallId: 'c_1', toolName: 'note', arguments: {} },
        { type: 'tool_end', toolCallId: 'c_1', success: true, result: false },
      ),
    );
    await verified(events);
    expect(types(events).slice(1, -1)).toEqual([
      ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
      ...['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'TOOL_CALL_RESULT'],
    ]);
    expect(events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({ content: 'false' });
  });

  it('[AU4] says nothing of the call by which an agent ends', async () => {
    const toolName = '__finish__';
    const events = eventsOf(
      logOf(
        { type: 'tool_arg_stream_start', toolCallId: 'c_1', toolName },
        { type: 'tool_arg_stream_delta', toolCallId: 'c_1', delta: '{}' },
        { type: 'tool_start', toolCallId: 'c_1', toolName, arguments: {} },
        { type: 'tool_end', toolCallId: 'c_1', success: false, error: failure('tool_failed', 'It does not fit.') },
      ),
    );
    expect(types(events)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  });

  it('[AU10] ends what a discarded attempt wrote, names it, and begins the next one under other ids', async () => {
    const events = eventsOf(
      logOf(
        { type: 'step_started' },
        { type: 'text_delta', part: 0, delta: 'half' },
        { type: 'tool_arg_stream_start', toolCallId: 'c_1', toolName: 'note' },
        { type: 'step_discarded', reason: 'model_unavailable' },
        { type: 'step_started', attempt: 2 },
        { type: 'text_delta', part: 0, delta: 'whole', attempt: 2 },
      ),
    );
    await verified(events);
    expect(types(events).slice(1, -1)).toEqual([
      ...['STEP_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
      ...['TOOL_CALL_START', 'TOOL_CALL_END', 'STEP_FINISHED', 'CUSTOM'],
      ...['STEP_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'STEP_FINISHED'],
    ]);
    expect(events.find(({ type }) => type === 'CUSTOM')).toMatchObject({
      name: 'offshoot.discarded',
      value: { messageIds: ['s_0.r_0.1'], toolCallIds: ['c_1'], reason: 'model_unavailable' },
    });
  });

  it('[AU10] names what an earlier request has shown of a discarded attempt, and nothing of attempts before it', async () => {
    const log = logOf(
      { type: 'step_started' },
      { type: 'text_delta', part: 0, delta: 'first' },
      { type: 'step_discarded', reason: 'model_unavailable' },
      { type: 'step_started', attempt: 2 },
      { type: 'thinking', part: 0, delta: 'Hm.', attempt: 2 },
      { type: 'text_delta', part: 1, delta: 'half', attempt: 2 },
      { type: 'tool_arg_stream_start', toolCallId: 'c_1', toolName: 'note', attempt: 2 },
      { type: 'tool_arg_stream_start', toolCallId: 'c_2', toolName: '__finish__', attempt: 2 },
      { type: 'text_delta', part: 1, delta: ' more', attempt: 2 },
      { type: 'step_discarded', reason: 'model_unavailable', attempt: 2 },
    );
    for (const last of [8, 9]) {
      const events = eventsOf(log, { root: last, below: last, state: last });
      await verified(events);
      const discarded = events.flatMap((event) => (event.type === 'CUSTOM' ? [event] : []));
      const messageIds = ['s_0.r_0.1.2.thinking.0', 's_0.r_0.1.2'];
      expect(discarded).toMatchObject([{ name: 'offshoot.discarded', value: { messageIds, toolCallIds: ['c_1'] } }]);
    }
  });

  it('[AU6] keeps the patches of sub-agents from the state of the root, and those that a snapshot has', () => {
    const patch = [{ op: 'add', path: '/a', value: 1 }];
    const log = logOf(
      { type: 'state_patch', patch },
      { type: 'state_patch', patch },
      { type: 'state_patch', patch, agent: 1 },
    );
    const deltas = (seen: Seen) => types(eventsOf(log, seen)).filter((type) => type === 'STATE_DELTA').length;
    expect(deltas(NOTHING)).toBe(2);
    expect(deltas({ ...NOTHING, state: 1 })).toBe(1);
  });

  it('[AU7] reads back from the id of an interrupt the call and the hash of what was shown', () => {
    const inputHash = 'a'.repeat(64);
    const item = {
      ...{ toolCallId: 'c_1.2', toolName: 'publish', input: {}, inputHash, address: ROOT, agentType: 'worker' },
      requestedAt: 0,
    };
    const shown = interruptOf({ ...item, kind: 'approval', expiresAt: 86_400_000 }, 's_1');
    expect(shown).toMatchObject({ expiresAt: '1970-01-02T00:00:00.000Z', subagentRunId: 's_1' });
    const base = { kind: 'approval-response', toolCallId: 'c_1.2', inputHash };
    const answer = (payload: unknown) =>
      submitOf({ interruptId: shown.id, status: 'resolved', payload: payload as never });
    expect(answer(true)).toEqual({ ...base, approved: true });
    expect(answer(false)).toEqual({ ...base, approved: false });
    expect(answer({ approved: true, reason: 'ok', input: { n: 0 } })).toEqual({
      ...base,
      ...{ approved: true, reason: 'ok', input: { n: 0 } },
    });
    for (const payload of [undefined, null, 0, 'yes', {}]) expect(() => answer(payload)).toThrow('The payload');
    const own = interruptOf({ ...item, kind: 'client-tool' }, undefined);
    expect(submitOf({ interruptId: own.id, status: 'resolved', payload: 0 })).toMatchObject({
      toolCallId: 'c_1.2',
      result: 0,
    });
    expect(submitOf({ interruptId: own.id, status: 'cancelled' })).toMatchObject({ error: expect.any(String) });
  });
});
