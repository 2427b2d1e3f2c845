/** Laws of the events of AG-UI, held against a plain reading of any log, also of orders that no agent would produce. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AguiEvent, Interrupt } from '../../../src/doors/agui/events';
import { type Seen, safeTitle, Translation } from '../../../src/doors/agui/translate';
import type { Chunk, ChunkBody, SequencedChunk } from '../../../src/protocol/chunks';
import { failure } from '../../../src/protocol/errors';
import { isObject, type Json } from '../../../src/protocol/json';
import { anyLog } from '../../support/any-log';
import { STEP_USAGE } from '../../support/log';

const ROOT = '/agents/worker/0';
const NOTHING: Seen = { root: 0, below: 0, state: 0 };

type Of<Type extends AguiEvent['type']> = Extract<AguiEvent, { type: Type }>;
const of = <Type extends AguiEvent['type']>(events: readonly AguiEvent[], ...types: Type[]) =>
  events.filter((event): event is Of<Type> => types.some((type) => type === event.type));

/** The events of each chunk, and what follows at the end. */
function translated(log: readonly SequencedChunk[], seen: Seen = NOTHING, interrupts: readonly Interrupt[] = []) {
  const translation = new Translation(ROOT, seen);
  const each = log.map(({ sequence, chunk }) => translation.push(sequence, chunk));
  return { each, end: translation.finish(interrupts), usage: translation.usage, rootEnd: translation.end };
}

/** Where an agent is seen first: its task, the call that it works for, and who called. */
interface Member {
  readonly tag: string | undefined;
  readonly name: string;
  readonly callId?: string;
  readonly parent?: Member | undefined;
}

/** Who each chunk of a log is of, by a plain reading; `all`: who there was, in order; `begins`: chunks of a new task. */
function membersIn(log: readonly SequencedChunk[]): {
  readonly by: readonly Member[];
  readonly all: readonly Member[];
  readonly begins: ReadonlySet<number>;
} {
  const now = new Map<string, Member>();
  const all: Member[] = [];
  const begins = new Set<number>();
  const add = (sessionId: string, member: Member): Member => {
    now.set(sessionId, member);
    all.push(member);
    return member;
  };
  const by = log.map(({ chunk }, at) => {
    const { agentId, agentType: name, address } = chunk;
    const own = now.get(agentId) ?? add(agentId, { tag: address === ROOT ? undefined : agentId, name });
    if (chunk.type === 'subagent_start') {
      const { subSessionId, task, callId, name: called, subAgentType } = chunk;
      const tag = task > 1 ? `${subSessionId}.${task}` : subSessionId;
      const before = now.get(subSessionId);
      const isRoot = before !== undefined && before.tag === undefined;
      if (!isRoot && !all.some((one) => one.tag === tag)) {
        add(subSessionId, { tag, name: called ?? subAgentType, callId, parent: own });
        begins.add(at);
      }
    }
    return own;
  });
  return { by, all, begins };
}

const owner = (event: AguiEvent): string | undefined => ('subagentRunId' in event ? event.subagentRunId : undefined);

const property = (holds: (log: readonly SequencedChunk[]) => void, numRuns = 120) =>
  fc.assert(fc.property(anyLog, holds), { numRuns });

describe('the events of any log', () => {
  it('[AU5] announce each sub-agent once, by its name, for its call, after who called it and before its work', () =>
    property((log) => {
      const { each, end } = translated(log);
      const { by, all } = membersIn(log);
      const begun: string[] = [];
      const over = new Set<string>();
      for (const [at, events] of [...each, end].entries())
        for (const event of events) {
          const said = owner(event);
          if (event.type === 'SUBAGENT_STARTED') {
            const member = all.find(({ tag }) => tag === event.subagentRunId);
            const above = member?.parent?.tag;
            expect(begun).not.toContain(event.subagentRunId);
            expect(event).toEqual({
              ...{ type: 'SUBAGENT_STARTED', subagentRunId: member?.tag, name: member?.name },
              ...(member?.callId === undefined ? {} : { parentToolCallId: member.callId }),
              ...(above !== undefined && begun.includes(above) && !over.has(above)
                ? { parentSubagentRunId: above }
                : {}),
            });
            begun.push(event.subagentRunId);
          } else if (event.type === 'SUBAGENT_FINISHED' || event.type === 'SUBAGENT_ERROR') {
            expect(begun).toContain(event.subagentRunId);
            expect(over).not.toContain(event.subagentRunId);
            over.add(event.subagentRunId);
          } else if (said !== undefined) {
            // Work of an agent is said under its own task: as it is read, or ended with it.
            if (event.type !== 'CUSTOM' && !event.type.endsWith('_END') && event.type !== 'STEP_FINISHED')
              expect(said).toBe(by[at]?.tag);
          }
        }
      expect([...over].toSorted()).toEqual(begun.toSorted());
    }));

  it('[AU4] have one text or thought open at a time, none beside a new call or behind a step, and end all of it', () =>
    property((log) => {
      const { each, end } = translated(log);
      const open = new Map<string, { step?: string; block?: string; calls: Set<string> }>();
      for (const event of [...each.flat(), ...end]) {
        const name = owner(event) ?? '';
        const lane = open.get(name) ?? { calls: new Set<string>() };
        open.set(name, lane);
        const { block } = lane;
        switch (event.type) {
          case 'STEP_STARTED':
            expect([lane.step, block, lane.calls.size]).toEqual([undefined, undefined, 0]);
            lane.step = event.stepName;
            break;
          case 'STEP_FINISHED':
            expect([lane.step, block, lane.calls.size]).toEqual([event.stepName, undefined, 0]);
            delete lane.step;
            break;
          case 'TEXT_MESSAGE_START':
          case 'REASONING_START':
            expect(block).toBeUndefined();
            lane.block = `${event.type.slice(0, 4)} ${event.messageId}`;
            break;
          case 'TEXT_MESSAGE_CONTENT':
          case 'REASONING_MESSAGE_CONTENT':
            expect(block).toBe(`${event.type.slice(0, 4)} ${event.messageId}`);
            expect(event.delta).not.toBe('');
            break;
          case 'TEXT_MESSAGE_END':
          case 'REASONING_END':
            expect(block).toBe(`${event.type.slice(0, 4)} ${event.messageId}`);
            delete lane.block;
            break;
          case 'TOOL_CALL_START':
            expect(block).toBeUndefined();
            lane.calls.add(event.toolCallId);
            break;
          case 'TOOL_CALL_ARGS':
            expect(lane.calls).toContain(event.toolCallId);
            break;
          case 'TOOL_CALL_END':
            expect(lane.calls.delete(event.toolCallId)).toBe(true);
            break;
          default:
        }
      }
      for (const [name, { step, block, calls }] of open)
        expect([name, step, block, [...calls]]).toEqual([name, undefined, undefined, []]);
    }));

  it('[AU4, AU10] hold every piece of text and thought, of their agent, and what a discarded attempt had shown', () =>
    property((log) => {
      const { each } = translated(log);
      const turns = new Map<string, number>();
      for (const [at, { chunk }] of log.entries()) {
        const contents = of(each[at] ?? [], 'TEXT_MESSAGE_CONTENT', 'REASONING_MESSAGE_CONTENT');
        const isText = chunk.type === 'text_delta' || chunk.type === 'thinking';
        expect(contents.map(({ delta }) => delta)).toEqual(isText && chunk.delta !== '' ? [chunk.delta] : []);
        // Ids are the same in every run that shows them: of the turn, where one has begun, the step and the attempt.
        if (chunk.type === 'run_started') turns.set(chunk.agentId, chunk.turn);
        const { agentId, runId, step, attempt } = chunk;
        const id = `${agentId}.${turns.get(agentId) ?? runId}.${step}${attempt > 1 ? `.${attempt}` : ''}`;
        const ofText = chunk.type === 'text_delta' ? [id, `${id}.${chunk.part}`] : [];
        const ofThought = chunk.type === 'thinking' ? [`${id}.thinking.${chunk.part}`] : [];
        for (const { messageId } of contents) expect([...ofText, ...ofThought]).toContain(messageId);
        for (const { parentMessageId } of of(each[at] ?? [], 'TOOL_CALL_START')) expect(parentMessageId).toBe(id);
      }
      // Within the steps of one agent that end without a commit: what it has said since the last step is named.
      const shown = new Map<string, Set<string>>();
      const ends = new Set([
        'step_committed',
        'run_completed',
        'run_failed',
        'run_interrupted',
        'run_terminated',
        'suspended',
      ]);
      const { by, all, begins } = membersIn(log);
      for (const [at, { chunk }] of log.entries()) {
        const events = each[at] ?? [];
        const lane = by[at]?.tag ?? '';
        const named = of(events, 'CUSTOM').find(({ name }) => name === 'offshoot.discarded');
        if (['step_started', 'step_discarded', 'run_recovered'].includes(chunk.type)) {
          const value = named?.value as { messageIds: string[]; toolCallIds: string[]; reason: string } | undefined;
          const had = [...(shown.get(lane) ?? [])].toSorted();
          expect([...(value?.messageIds ?? []), ...(value?.toolCallIds ?? [])].toSorted()).toEqual(had);
          if (value) expect(value.reason).toBe('reason' in chunk ? chunk.reason : 'attempt_ended');
          shown.delete(lane);
        } else expect(named).toBeUndefined();
        if (ends.has(chunk.type)) shown.delete(lane);
        const written = shown.get(lane) ?? new Set();
        for (const event of events) {
          if (event.type === 'TEXT_MESSAGE_START' || event.type === 'REASONING_START') written.add(event.messageId);
          if (event.type === 'TOOL_CALL_START') written.add(event.toolCallId);
        }
        if (written.size > 0) shown.set(lane, written);
        // Who begins a further task, or ends one, has no step any more; a start that is said again begins none.
        if (chunk.type === 'subagent_end' || (chunk.type === 'subagent_start' && begins.has(at)))
          for (const { tag } of all) if (tag?.split('.')[0] === chunk.subSessionId) shown.delete(tag);
      }
    }));

  it('[AU6] are the same for a client that has a part of them, from where it has that', () =>
    fc.assert(
      fc.property(anyLog, fc.nat({ max: 60 }), fc.nat({ max: 60 }), (log, root, below) => {
        const kinds = [
          'TEXT_MESSAGE_CONTENT',
          'REASONING_MESSAGE_CONTENT',
          'TOOL_CALL_RESULT',
          'CUSTOM',
          'STATE_DELTA',
        ] as const;
        const [whole, rest] = [translated(log), translated(log, { root, below, state: root })];
        const { by } = membersIn(log);
        for (const [at, { sequence }] of log.entries()) {
          const known = by[at]?.tag === undefined ? root : below;
          expect([sequence, of(rest.each[at] ?? [], ...kinds)]).toEqual([
            ...[sequence, sequence > known ? of(whole.each[at] ?? [], ...kinds) : []],
          ]);
        }
        expect(rest.rootEnd).toEqual(whole.rootEnd);
      }),
      { numRuns: 120 },
    ));

  it('[AU1, AU5] have the body of each chunk that is no event of its own, of its agent, and of a failure what is safe', () =>
    property((log) => {
      const { each } = translated(log);
      const { by } = membersIn(log);
      const base = ['type', 'agentId', 'agentType', 'address', 'runId', 'step', 'attempt', 'timestamp'];
      for (const [at, { chunk }] of log.entries())
        for (const { name, value, ...more } of of(each[at] ?? [], 'CUSTOM')) {
          const tag = by[at]?.tag;
          if (name === 'offshoot.discarded') continue;
          expect(more).toEqual({ type: 'CUSTOM', ...(tag === undefined ? {} : { subagentRunId: tag }) });
          if (chunk.type === 'custom') {
            expect([name, value]).toEqual([chunk.name, chunk.data]);
            continue;
          }
          expect(name).toBe(`offshoot.${chunk.type}`);
          const fields: [string, Json][] = Object.entries(chunk as unknown as { [key: string]: Json });
          const body = fields.filter(([key]) => !base.includes(key));
          expect(value).toEqual(
            Object.fromEntries(
              body.map(([key, one]) => {
                const isFailure = key === 'error' && isObject(one) && typeof one.code === 'string';
                return [key, isFailure ? { code: one.code, message: safeTitle(String(one.code)) } : one];
              }),
            ),
          );
        }
    }));
});

/** Attempts to discard, each with what a client that has read it has to forget. */
const DISCARDED: readonly (readonly [ChunkBody, readonly string[], readonly string[]])[] = [
  [{ type: 'text_delta', part: 0, delta: 'x' }, ['s_0.r_0.1'], []],
  [{ type: 'thinking', part: 2, delta: 'x' }, ['s_0.r_0.1.thinking.2'], []],
  [{ type: 'tool_arg_stream_start', toolCallId: 'c_1', toolName: 'pay' }, [], ['c_1']],
  [
    { type: 'provider_tool_start', part: 0, providerCallId: 'p', toolName: 'search', arguments: {} },
    [],
    ['s_0.r_0.1.p'],
  ],
  [{ type: 'tool_start', toolCallId: 'c_1', toolName: 'pay', arguments: {} }, [], ['c_1']],
];

/** A log of chunks, each of an agent by its number. */
const logOf = (...bodies: (ChunkBody & { agent?: number } & Partial<Pick<Chunk, 'attempt' | 'step'>>)[]) =>
  bodies.map(
    ({ agent = 0, attempt = 1, step = 1, ...body }, index): SequencedChunk => ({
      sequence: index + 1,
      chunk: {
        ...{ agentId: `s_${agent}`, agentType: 'worker', address: `/agents/worker/${agent}`, runId: `r_${agent}` },
        ...{ step, attempt, timestamp: index },
        ...(body as ChunkBody),
      },
    }),
  );

const started = (child: number, more: object = {}) =>
  ({
    ...{ type: 'subagent_start', subSessionId: `s_${child}`, subAgentType: 'worker', callId: `c_${child}` },
    ...{ subAddress: `/agents/worker/${child}`, generation: 1, childId: child, task: 1, mode: 'ephemeral' },
    ...{ placement: 'facet', ...more },
  }) as unknown as ChunkBody & { agent?: number };

it.each(DISCARDED)(
  '[AU10] names what is discarded, whichever request has shown it: %j',
  (body, messageIds, toolCallIds) => {
    const log = logOf(body, { type: 'step_discarded', reason: 'model_unavailable' });
    for (const seen of [0, 1]) {
      const events = translated(log, { root: seen, below: seen, state: seen }).each[1] ?? [];
      expect(of(events, 'CUSTOM').map(({ value }) => value)).toEqual([
        { messageIds, toolCallIds, reason: 'model_unavailable' },
      ]);
    }
    // A reply that is whole, or an attempt that was discarded before, is not named again.
    const usage = STEP_USAGE;
    for (const end of [
      { type: 'step_committed', finishReason: 'stop', checkpointId: 'x', model: 'm', usage },
      { type: 'step_discarded', reason: 'x' },
      { type: 'suspended', status: 'suspended_client_tool', pending: [], children: [] },
    ] as const satisfies readonly ChunkBody[]) {
      const later = logOf(body, end, { type: 'step_discarded', reason: 'x' });
      for (const seen of [0, 1, 2])
        expect(of(translated(later, { root: seen, below: seen, state: seen }).each[2] ?? [], 'CUSTOM')).toEqual([]);
    }
  },
);

describe('the end of a run', () => {
  it('[AU7, AU8] suspends who is still at work, the deepest first, each with its own interrupts', () => {
    const interrupts = [
      { id: 'i_2', reason: 'x', message: 'x', subagentRunId: 's_2' },
      { id: 'i_3', reason: 'x', message: 'x', subagentRunId: 's_3' },
      { id: 'i_2b', reason: 'x', message: 'x', subagentRunId: 's_2' },
      { id: 'i_0', reason: 'x', message: 'x' },
    ];
    const ended = { type: 'subagent_end', subSessionId: 's_4', success: true, result: 'r' } as unknown as ChunkBody;
    const log = logOf(started(1), started(4), ended, { ...started(2), agent: 1 }, { ...started(3), agent: 2 });
    const suspended = (tag: string, ...interruptIds: string[]) => ({
      ...{ type: 'SUBAGENT_FINISHED', subagentRunId: tag, outcome: { type: 'suspended', interruptIds } },
    });
    const { end } = translated(log, NOTHING, interrupts);
    expect(end).toEqual([suspended('s_3', 'i_3'), suspended('s_2', 'i_2', 'i_2b'), suspended('s_1')]);
    // To a client that has all of the log who asks is announced first, with those above.
    const later = translated(log, { root: 9, below: 9, state: 9 }, interrupts).end;
    expect(later.map((event) => [event.type, owner(event)])).toEqual([
      ...['s_1', 's_2', 's_3'].map((tag) => ['SUBAGENT_STARTED', tag]),
      ...['s_3', 's_2', 's_1'].map((tag) => ['SUBAGENT_FINISHED', tag]),
    ]);
    const again = new Translation(ROOT, NOTHING);
    for (const { sequence, chunk } of log) again.push(sequence, chunk);
    again.finish([]);
    expect(again.finish([])).toEqual([]);
  });

  it('[AU5] of a sub-agent has its result, or its failure as everyone may read it', () => {
    const end = (more: object) => ({ type: 'subagent_end', subSessionId: 's_1', ...more }) as unknown as ChunkBody;
    const events = (more: object) => translated(logOf(started(1), end(more))).each[1];
    const finished = { type: 'SUBAGENT_FINISHED', subagentRunId: 's_1', outcome: { type: 'success' } };
    expect(events({ success: true, result: { n: 1 } })).toEqual([{ ...finished, result: { n: 1 } }]);
    expect(events({ success: true })).toEqual([finished]);
    const failed = (code: string) => ({ type: 'SUBAGENT_ERROR', subagentRunId: 's_1', code, message: safeTitle(code) });
    expect(events({ success: false, error: failure('run_timeout', 'SECRET') })).toEqual([failed('run_timeout')]);
    expect(events({ success: false })).toEqual([failed('subagent_failed')]);
    // A further task ends the one before it, whose end was not read.
    const further = translated(logOf(started(1), started(1, { task: 2, callId: 'c_9' }))).each[1];
    expect(further).toEqual([
      finished,
      { type: 'SUBAGENT_STARTED', subagentRunId: 's_1.2', name: 'worker', parentToolCallId: 'c_9' },
    ]);
  });

  it('[AU8] counts the tokens of all agents, each model by itself', () => {
    const committed = (model: string, usage: object, agent = 0) =>
      ({
        type: 'step_committed',
        finishReason: 'stop',
        checkpointId: 'x',
        model,
        usage,
        agent,
      }) as unknown as ChunkBody;
    const usage = {
      inputTokens: 1,
      outputTokens: 20,
      reasoningTokens: 300,
      cachedTokens: 4_000,
      cacheWriteTokens: 50_000,
    };
    const { cacheWriteTokens: _written, ...plain } = { ...usage, ...STEP_USAGE, ...usage };
    const log = logOf(committed('a', usage), committed('b', plain), committed('a', usage, 1));
    expect(translated(log).usage).toEqual([
      {
        ...{ model: 'a', inputTokens: 2, outputTokens: 40, totalTokens: 42, reasoningTokens: 600 },
        ...{ cachedInputTokens: 8_000, cacheWriteInputTokens: 100_000 },
      },
      {
        ...{ model: 'b', inputTokens: 1, outputTokens: 20, totalTokens: 21, reasoningTokens: 300 },
        ...{ cachedInputTokens: 4_000, cacheWriteInputTokens: 0 },
      },
    ]);
  });
});
