/** Random logs: also of orders that no agent would produce. */
import fc from 'fast-check';
import type { ChunkBody, SequencedChunk } from '../../src/protocol/chunks';
import { failure } from '../../src/protocol/errors';
import { LOG_START, STEP_USAGE } from './log';

const text = fc.constantFrom('a', 'b', '__proto__', 'é', '\u001b[2J');
/** Also none, and one that is cut. */
const statusText = fc.oneof(text, fc.constantFrom('', 'x'.repeat(1_001)));
const toolCallId = fc.constantFrom('c_1', 'c_2', '__proto__', 'constructor');
const success = fc.boolean();
const as = <Type extends ChunkBody['type']>(type: Type) => fc.constant(type);

/** Chunks of few agents, runs, steps and calls in any order, also orders that no agent would produce. */
export const anyLog: fc.Arbitrary<SequencedChunk[]> = fc
  .array(
    fc.record({
      agent: fc.integer({ min: 0, max: 3 }),
      run: fc.integer({ min: 1, max: 2 }),
      step: fc.integer({ min: 1, max: 2 }),
      attempt: fc.integer({ min: 1, max: 3 }),
      body: anyBody(),
    }),
    { maxLength: 60 },
  )
  .map((items) =>
    items.map(({ agent, run, step, attempt, body }, index) => ({
      sequence: index + 1,
      chunk: {
        agentId: `s_${agent}`,
        agentType: 'worker',
        address: `/agents/worker/${agent}`,
        runId: `r_${agent}_${run}`,
        step,
        attempt,
        timestamp: LOG_START + index,
        ...body,
      },
    })),
  );

/** Seven kinds of chunks in thirty tell of calls. */
function anyBody(): fc.Arbitrary<ChunkBody> {
  return fc.oneof({ weight: 7, arbitrary: callBody() }, { weight: 23, arbitrary: otherBody() });
}

/** Of a call. */
function callBody(): fc.Arbitrary<ChunkBody> {
  const asked = <Type extends 'tool_approval_request' | 'client_tool_request'>(type: Type) =>
    fc.record(
      { type: fc.constant(type), toolCallId, toolName: text, arguments: text, inputHash: text, expiresAt: fc.nat() },
      { requiredKeys: ['type', 'toolCallId', 'toolName', 'arguments', 'inputHash'] },
    );
  return fc.oneof(
    fc.record({ type: as('tool_arg_stream_start'), toolCallId, toolName: text }),
    fc.record({ type: as('tool_arg_stream_delta'), toolCallId, delta: text }),
    fc.record({ type: as('tool_start'), toolCallId, toolName: text, arguments: text }),
    fc.record({ type: as('tool_end'), toolCallId, success, result: text }),
    asked('tool_approval_request'),
    asked('client_tool_request'),
    fc.record(
      {
        type: as('tool_answered'),
        toolCallId,
        kind: fc.constantFrom('client-tool-result' as const, 'approval-response' as const),
        approved: success,
        actor: text,
      },
      { requiredKeys: ['type', 'toolCallId', 'kind'] },
    ),
  );
}

/** The beginning of a sub-agent, in the session of one of these. */
function beginningOfChild(child: fc.Arbitrary<string>): fc.Arbitrary<ChunkBody> {
  const generation = fc.integer({ min: 1, max: 3 });
  const [childId, task] = [fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 3 })];
  const delegation = { subAgentType: 'worker', mode: 'ephemeral', subAddress: '/x' } as const;
  const placement = fc.constantFrom('facet' as const, 'object' as const, 'remote' as const);
  return fc
    .record(
      {
        ...{ type: as('subagent_start'), subSessionId: child, callId: toolCallId, generation, childId, task },
        ...{ placement, name: text },
      },
      { requiredKeys: ['type', 'subSessionId', 'callId', 'generation', 'childId', 'task', 'placement'] },
    )
    .map((body) => ({ ...delegation, ...body }));
}

/** Of anything else. */
function otherBody(): fc.Arbitrary<ChunkBody> {
  const child = fc.constantFrom('s_0', 's_1', 's_2', 's_3');
  const resumedFrom = fc.constantFrom('r_0_1', 'r_0_2', 'r_1_1', 'r_1_2');
  const suspended = fc.constantFrom(
    'suspended_client_tool' as const,
    'suspended_awaiting_children' as const,
    'suspended_step_partial' as const,
  );
  const part = fc.nat({ max: 3 });
  const generation = fc.integer({ min: 1, max: 3 });
  const [childId, task] = [fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 3 })];
  const error = failure('tool_failed');
  return fc.oneof(
    fc.record({ type: as('run_started'), turn: fc.constant(1), chainTurn: fc.constant(1), input: text }),
    fc.record({ type: as('run_started'), turn: fc.constant(1), chainTurn: fc.constant(1), resumedFrom }),
    fc.record({ type: as('run_recovered'), reason: text }),
    fc.record({ type: as('session_copied'), fromAddress: text, fromSessionId: text, status: text }),
    fc.record({ type: as('text_delta'), part, delta: text }),
    fc.record({ type: as('thinking'), part, delta: text }),
    fc.record({ type: as('suspended'), status: suspended, pending: fc.constant([]), children: fc.constant([]) }),
    fc.record({ type: as('unsuspended') }),
    beginningOfChild(child),
    fc.record({
      type: as('subagent_status'),
      subSessionId: child,
      status: fc.constantFrom('running', 'failed', 'interrupting', 'terminated', 'unreached', 'reached'),
      statusText,
    }),
    fc
      .record({ type: as('subagent_end'), subSessionId: child, callId: toolCallId, generation, childId, task, success })
      .map((body) => ({ subAgentType: 'worker', usage: STEP_USAGE, ...body })),
    fc.record({ type: as('message_queued'), messageId: text, from: text }),
    fc.record({ type: as('message_cancelled'), messageId: text }),
    fc.record(
      {
        type: as('message_delivered'),
        messageId: text,
        from: text,
        role: fc.constantFrom('user' as const, 'system' as const),
        text,
        attachments: fc.array(text),
        cut: fc.constant(true as const),
      },
      { requiredKeys: ['type', 'messageId', 'from', 'role', 'text'] },
    ),
    fc.record({ type: as('step_started') }),
    fc
      .record(
        {
          type: as('step_committed'),
          checkpointId: text,
          responseId: text,
          passedOver: fc.constant([{ code: 'model_error', message: 'No.' }]),
        },
        { requiredKeys: ['type', 'checkpointId'] },
      )
      .map((body) => ({ finishReason: 'stop', usage: STEP_USAGE, model: 'test/model', ...body })),
    fc.record(
      { type: as('step_discarded'), reason: text, retryAt: fc.nat(), nextModel: fc.nat({ max: 7 }) },
      { requiredKeys: ['type', 'reason'] },
    ),
    fc.record({ type: as('provider_tool_start'), part, providerCallId: text, toolName: text, arguments: text }),
    fc.record({ type: as('provider_tool_end'), part, providerCallId: text, toolName: text, result: text, success }),
    fc
      .record({ type: as('reply_source'), part, sourceId: text, title: text })
      .map((body) => ({ sourceType: 'url' as const, url: 'https://a.test/', ...body })),
    fc.record({ type: as('reply_file'), part, mediaType: text, omitted: text }),
    fc.record({ type: as('state_patch'), patch: fc.array(text) }),
    fc.record({ type: as('custom'), name: fc.oneof(text, fc.constant('status')), data: statusText }),
    fc.record({ type: as('output'), output: text }),
    fc.record({ type: as('run_completed'), output: text }),
    fc.record({ type: as('run_failed'), error: fc.constant(error) }),
    fc.record({ type: as('run_interrupted'), reason: text }),
    fc.record({ type: as('run_terminated'), reason: text }),
  );
}
