/** What the schemas of the wire keep of what they read. */
import { describe, expect, it } from 'vitest';
import { chunkSchema } from '../../src/protocol/chunks';
import type { ShownFailure } from '../../src/protocol/errors';
import { NO_USAGE } from '../../src/protocol/usage';
import { failureSchema } from '../../src/protocol/wire/schemas';

/** A failure with every field that one may have: a further field of the type does not compile without it. */
const error: Required<ShownFailure> = {
  code: 'model_overloaded',
  category: 'model',
  message: 'It has too much to do.',
  retryable: true,
  retryAfterMs: 1_500,
  details: { decision: [1, 'two', null] },
  title: 'The model is busy.',
};

const base = {
  agentId: 's_1',
  agentType: 'top',
  address: '/agents/top/one',
  runId: 'r_1',
  step: 1,
  attempt: 1,
  timestamp: 1,
};

describe('the schema of a failure', () => {
  it('[W25] has each of its fields, and no other', () => {
    expect(failureSchema.parse({ ...error, further: 1 })).toEqual(error);
  });

  it.each([
    { type: 'tool_end', toolCallId: 'c_1', success: false, error },
    {
      type: 'subagent_end',
      subAgentType: 'kid',
      subSessionId: 's_2',
      callId: 'c_1',
      generation: 1,
      childId: 1,
      task: 1,
      success: false,
      error,
      usage: { ...NO_USAGE, costUsd: 0.5 },
    },
    { type: 'hook_failed', hook: 'afterTool', toolCallId: 'c_1', error, failsRun: true },
    { type: 'run_failed', error, failureReason: 'aborted' },
  ])('[W25] in a chunk of type $type is read whole', (body) => {
    const chunk = { ...base, ...body };
    expect(chunkSchema.parse(chunk)).toEqual(chunk);
  });
});
