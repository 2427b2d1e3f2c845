import { expect, it } from 'vitest';
import * as z from 'zod';
import { CHUNKS, type Chunk, type ChunkBody, type ChunkType, isDelta, isQuiet } from '../../src/protocol/chunks';
import { failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import { reduceAll } from '../../src/protocol/view/reduce';
import { STEP_USAGE } from '../support/log';
import { present } from '../support/present';

/** Where a view has the value of a field, from the agent that writes it; undefined where a view does not have it. */
type Place = string | undefined;
/** `none`: what a view has there without the field, if it has anything. */
interface Shown {
  readonly before?: readonly ChunkBody[];
  readonly fields: { readonly [name: string]: readonly [value: Json, place: Place, none?: Json] };
}

const STEP = 'runs.0.steps.0';
const error = { ...failure('tool_failed'), message: 'It broke.' };
const draft: ChunkBody = { type: 'tool_arg_stream_start', toolCallId: 'c_9', toolName: 'paint' };
const start: ChunkBody = { type: 'tool_start', toolCallId: 'c_9', toolName: 'paint', arguments: 'args' };
const delegated: ChunkBody = {
  ...{ type: 'subagent_start', subAgentType: 'scout', subSessionId: 's_sub', subAddress: '/agents/sub', name: 'ann' },
  ...{ mode: 'persistent', placement: 'remote', callId: 'c_9', generation: 6, childId: 4, task: 3 },
};
const child = { subAgentType: ['scout', undefined], subSessionId: ['s_sub', undefined] } as const;
const request = {
  toolCallId: ['c_9', 'calls.0.toolCallId'],
  toolName: ['paint', 'calls.0.toolName'],
  arguments: ['args', 'calls.0.arguments'],
  expiresAt: [9_999, 'calls.0.expiresAt'],
} as const;
const block = { part: [5, `${STEP}.further.0.part`] } as const;
const runEnd = (name: string, value: Json) => ({ [name]: [value, `runs.0.end.${name}`] }) as const;

/** Each type of chunk, where it has all of its fields: once, or in each of its forms. */
const SHOWN: { readonly [Type in ChunkType]: Shown | readonly Shown[] } = {
  run_started: {
    fields: {
      turn: [7, 'runs.0.turn'],
      chainTurn: [5, 'runs.0.chainTurn'],
      input: ['asked', 'runs.0.input'],
      resumedFrom: ['r_0', 'runs.0.resumedFrom'],
      traceparent: ['00-ab', 'runs.0.traceparent'],
    },
  },
  run_recovered: { fields: { reason: ['crash', 'runs.0.recoveries.0.reason'] } },
  session_copied: {
    fields: {
      fromAddress: ['/agents/a', undefined],
      fromSessionId: ['s_from', undefined],
      checkpointId: ['s_from.3', undefined],
      status: ['interrupted', 'status'],
    },
  },
  text_delta: { fields: { part: [5, `${STEP}.parts.0.part`], delta: ['Hi', `${STEP}.parts.0.text`] } },
  thinking: {
    fields: { part: [5, `${STEP}.parts.0.part`], delta: ['Hm', `${STEP}.parts.0.text`], isComplete: [true, undefined] },
  },
  provider_tool_start: {
    fields: {
      ...block,
      providerCallId: ['p_1', `${STEP}.further.0.providerCallId`],
      toolName: ['web', `${STEP}.further.0.toolName`],
      arguments: ['given', `${STEP}.further.0.arguments`],
    },
  },
  provider_tool_end: {
    fields: {
      ...block,
      providerCallId: ['p_1', `${STEP}.further.0.providerCallId`],
      toolName: ['web', `${STEP}.further.0.toolName`],
      result: ['found', `${STEP}.further.0.outcome.result`],
      success: [true, `${STEP}.further.0.outcome.success`],
    },
  },
  reply_source: [
    {
      fields: {
        ...block,
        sourceId: ['1', undefined],
        sourceType: ['url', `${STEP}.further.0.sourceType`],
        url: ['https://a.test/', `${STEP}.further.0.url`, ''],
        title: ['A', `${STEP}.further.0.title`],
      },
    },
    {
      fields: {
        ...block,
        sourceId: ['1', undefined],
        sourceType: ['document', `${STEP}.further.0.sourceType`],
        title: ['A', `${STEP}.further.0.title`],
        mediaType: ['text/a', `${STEP}.further.0.mediaType`, ''],
        filename: ['a.txt', `${STEP}.further.0.filename`],
      },
    },
  ],
  reply_file: [
    {
      fields: {
        ...block,
        mediaType: ['image/a', `${STEP}.further.0.mediaType`],
        path: ['a.png', `${STEP}.further.0.path`],
        etag: ['e1', `${STEP}.further.0.etag`, ''],
        bytes: [77, `${STEP}.further.0.bytes`, 0],
      },
    },
    {
      fields: {
        ...block,
        mediaType: ['image/a', `${STEP}.further.0.mediaType`],
        url: ['https://a.test/a.png', `${STEP}.further.0.url`],
      },
    },
    {
      fields: {
        ...block,
        mediaType: ['image/a', `${STEP}.further.0.mediaType`],
        omitted: ['too large', `${STEP}.further.0.omitted`, ''],
      },
    },
  ],
  tool_arg_stream_start: {
    fields: {
      toolCallId: ['c_9', 'calls.0.toolCallId'],
      toolName: ['paint', 'calls.0.toolName'],
      outputKey: ['report', undefined],
    },
  },
  tool_arg_stream_delta: {
    before: [draft],
    fields: { toolCallId: ['c_9', 'calls.0.toolCallId'], delta: ['{"a', 'calls.0.argumentText'] },
  },
  tool_start: {
    before: [draft],
    fields: {
      toolCallId: ['c_9', 'calls.0.toolCallId'],
      toolName: ['paint', 'calls.0.toolName'],
      arguments: ['args', 'calls.0.arguments'],
    },
  },
  tool_end: [
    {
      before: [start],
      fields: {
        toolCallId: ['c_9', 'calls.0.toolCallId'],
        success: [true, undefined],
        result: [1, 'calls.0.result', null],
      },
    },
    {
      before: [start],
      fields: {
        toolCallId: ['c_9', 'calls.0.toolCallId'],
        success: [false, undefined],
        result: [1, 'calls.0.result'],
        error: [error, 'calls.0.error'],
      },
    },
  ],
  tool_approval_request: { fields: { ...request, inputHash: ['hash', 'calls.0.inputHash'] } },
  client_tool_request: { fields: request },
  tool_answered: {
    before: [start],
    fields: {
      toolCallId: ['c_9', 'calls.0.toolCallId'],
      kind: ['approval-response', 'calls.0.answer.kind'],
      approved: [false, 'calls.0.answer.approved'],
      actor: ['ann', 'calls.0.answer.actor'],
    },
  },
  subagent_start: {
    fields: {
      subAgentType: ['scout', 'delegations.0.agentType'],
      subSessionId: ['s_sub', 'delegations.0.agentId'],
      subAddress: ['/agents/sub', 'delegations.0.address'],
      name: ['ann', 'delegations.0.name'],
      mode: ['persistent', 'delegations.0.mode'],
      placement: ['remote', 'delegations.0.placement'],
      callId: ['c_9', 'delegations.0.callId'],
      generation: [6, 'delegations.0.generation'],
      childId: [4, 'delegations.0.childId'],
      task: [3, 'delegations.0.task'],
    },
  },
  subagent_message: {
    before: [delegated],
    fields: {
      ...child,
      callId: ['c_10', undefined],
      childId: [4, undefined],
      task: [3, undefined],
      messageId: ['m_1', 'delegations.0.told.0'],
    },
  },
  subagent_status: {
    before: [delegated],
    fields: {
      subSessionId: ['s_sub', 'agents.1.agentId'],
      status: ['running', 'agents.1.status'],
      statusText: ['Reading', 'agents.1.statusText'],
    },
  },
  subagent_end: [
    {
      before: [delegated],
      fields: {
        ...child,
        callId: ['c_9', undefined],
        generation: [6, undefined],
        childId: [4, undefined],
        task: [3, undefined],
        success: [true, undefined],
        result: ['done', 'delegations.0.outcome.result', null],
        usage: [STEP_USAGE, 'delegations.0.outcome.usage'],
      },
    },
    {
      before: [delegated],
      fields: {
        ...child,
        callId: ['c_9', undefined],
        generation: [6, undefined],
        childId: [4, undefined],
        task: [3, undefined],
        success: [false, undefined],
        result: ['partly', 'delegations.0.outcome.result'],
        error: [error, 'delegations.0.outcome.error'],
        usage: [STEP_USAGE, 'delegations.0.outcome.usage'],
      },
    },
  ],
  message_queued: { fields: { messageId: ['m_1', 'messages.0.messageId'], from: ['ann', 'messages.0.from'] } },
  message_delivered: {
    before: [{ type: 'message_queued', messageId: 'm_1', from: 'bob' }],
    fields: {
      messageId: ['m_1', 'messages.0.messageId'],
      from: ['ann', 'messages.0.from'],
      role: ['system', 'messages.0.role'],
      text: ['Hello', 'messages.0.text'],
      attachments: [['a.png'], 'messages.0.attachments', []],
      cut: [true, 'messages.0.cut', false],
    },
  },
  message_cancelled: { fields: { messageId: ['m_1', undefined] } },
  step_started: { fields: { side: ['side_b', `${STEP}.side`], speaker: ['critic', `${STEP}.speaker`] } },
  step_committed: {
    fields: {
      finishReason: ['length', `${STEP}.finishReason`],
      usage: [STEP_USAGE, `${STEP}.usage`],
      checkpointId: ['s_1.1', `${STEP}.checkpointId`],
      model: ['test/m', `${STEP}.model`],
      responseId: ['resp_1', `${STEP}.responseId`],
      passedOver: [[{ code: 'model_error', message: 'No.' }], `${STEP}.passedOver`],
    },
  },
  step_discarded: {
    fields: {
      reason: ['late', `${STEP}.discarded.0.reason`],
      retryAt: [0, `${STEP}.discarded.0.retryAt`],
      nextModel: [0, `${STEP}.discarded.0.nextModel`],
    },
  },
  context_compacted: {
    fields: {
      from: ['s_1.1', undefined],
      to: ['s_1.2', undefined],
      by: ['model', undefined],
      tokensBefore: [9, undefined],
      tokensAfter: [8, undefined],
      summaryBytes: [7, undefined],
      cutBytes: [6, undefined],
      error: [error, undefined],
    },
  },
  state_patch: { fields: { patch: [[{ op: 'remove', path: '/a' }], 'statePatches.0.patch'] } },
  custom: { fields: { name: ['news', 'customs.0.name'], data: [{ a: 1 }, 'customs.0.data'] } },
  hook_failed: {
    fields: {
      hook: ['before_model', undefined],
      hookId: ['h_1', undefined],
      toolCallId: ['c_9', undefined],
      error: [error, undefined],
      failsRun: [true, undefined],
    },
  },
  output: { fields: { output: ['# Report', 'runs.0.output'] } },
  suspended: {
    fields: {
      status: ['suspended_client_tool', 'status'],
      pending: [[{ toolCallId: 'c_9', toolName: 'paint', kind: 'approval' }], undefined],
      children: [[], undefined],
    },
  },
  unsuspended: { fields: {} },
  run_completed: { fields: runEnd('output', '# Report') },
  run_failed: { fields: { ...runEnd('error', error), ...runEnd('failureReason', 'hook') } },
  run_interrupted: { fields: runEnd('reason', 'user') },
  run_terminated: { fields: runEnd('reason', 'user') },
};

const cases = Object.entries(SHOWN).flatMap(([type, shown]) =>
  [shown].flat().map((one: Shown, form) => ({ type, form, ...one })),
);

const BASE = { agentId: 's_1', agentType: 'worker', address: '/agents/worker/1', runId: 'r_1', step: 1, attempt: 1 };

/** What a view has at a place, after some chunks of an agent. */
function shownOf(bodies: readonly ChunkBody[]): (place: string) => unknown {
  const log = bodies.map((body, at) => ({ sequence: at + 1, chunk: { ...BASE, timestamp: at, ...body } as Chunk }));
  const { agents } = reduceAll(log);
  return (place) =>
    place
      .split('.')
      .reduce<unknown>((value, key) => (value === undefined ? undefined : Reflect.get(Object(value), key)), {
        agents,
        ...present(agents[0]),
      });
}

const bodyOf = (type: string, fields: readonly (readonly [string, Json])[]) =>
  ({ type, ...Object.fromEntries(fields) }) as ChunkBody;

it('[R1, R7, R9] the tables of this file name every field of every chunk', () => {
  for (const [type, { fields }] of Object.entries(CHUNKS)) {
    const named = cases.filter((one) => one.type === type).flatMap((one) => Object.keys(one.fields));
    expect(new Set(named), type).toEqual(new Set(Object.keys(fields)));
  }
});

it.each(cases)('[R1, R7, R9] a view has each field of $type ($form) at its place, with its value', (one) => {
  const fields = Object.entries(one.fields).map(([name, [value]]) => [name, value] as const);
  const at = shownOf([...(one.before ?? []), bodyOf(one.type, fields)]);
  for (const [name, [value, place]] of Object.entries(one.fields))
    if (place !== undefined) expect(at(place), name).toEqual(value);
});

it.each(cases)('[R1, R7, R9] a field that $type ($form) may leave out is not in the view without it', (one) => {
  const known = Object.entries(CHUNKS[one.type as ChunkType].fields);
  for (const [name, { schema }] of known) {
    const place = one.fields[name]?.[1];
    if (place === undefined || !z.object({ [name]: schema }).safeParse({}).success) continue;
    const fields = Object.entries(one.fields).flatMap(([each, [value]]) =>
      each === name ? [] : [[each, value] as const],
    );
    const found = shownOf([...(one.before ?? []), bodyOf(one.type, fields)])(place);
    expect(found, name).toEqual(one.fields[name]?.[2]);
  }
});

it('[W26, W31] only pieces of a reply, and state that has its own reading, leave the status document as it was', () => {
  const quiet = Object.keys(CHUNKS).filter(isQuiet);
  expect(quiet).toEqual([
    ...['text_delta', 'thinking', 'provider_tool_start', 'provider_tool_end', 'reply_source', 'reply_file'],
    ...['tool_arg_stream_start', 'tool_arg_stream_delta', 'state_patch'],
  ]);
  // Of these, a reader without deltas hears of what the reply has made, and of the state.
  expect(Object.keys(CHUNKS).filter(isDelta)).toEqual(
    quiet.filter((type) => type !== 'reply_file' && type !== 'state_patch'),
  );
  for (const type of ['__proto__', 'constructor', 'of_tomorrow'])
    expect([isQuiet(type), isDelta(type)]).toEqual([false, false]);
});
