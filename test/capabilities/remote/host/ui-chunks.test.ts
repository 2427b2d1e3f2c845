/** The log of an agent as the chunks of an AI SDK UI message (AT4): each type of chunk, and further parts of replies. */
import { expect, it } from 'vitest';
import { UiChunks } from '../../../../src/capabilities/remote/host/write-ui-chunks';
import type { ChunkBody } from '../../../../src/protocol/chunks';
import { failure, titleOf } from '../../../../src/protocol/errors';
import type { JsonObject } from '../../../../src/protocol/json';
import { searchLog } from '../../../support/search-log';
import { checkUiChunk } from '../../../support/ui-chunks';

it('[RP5, AT4] sources are chunks of the AI SDK, a file where a client can load it', () => {
  const ui = new UiChunks('/agents/seeker/one');
  const types = searchLog().entries.flatMap(({ chunk }) => ui.of(chunk).map(({ type }) => type));
  expect(types.slice(types.indexOf('finish-step') + 1)).toEqual([
    ...['tool-input-available', 'tool-output-available', 'tool-output-error', 'text-start', 'text-delta', 'text-end'],
    ...['source-url', 'source-url', 'source-document', 'file'],
  ]);
});

const AT = { agentId: 's_1', agentType: 'top', address: '/a', runId: 'r', step: 1, attempt: 1, timestamp: 1 };
const call = { toolCallId: 'c', toolName: 'pay' };
const shown = { toolCallId: 'c', dynamic: true };
const ran = { dynamic: true, providerExecuted: true };
const error = failure('tool_failed', 'It broke.');

const { title: TIMEOUT = '' } = titleOf('run_timeout');

/** Chunks of a run, and what each of them adds. */
const TABLE: readonly (readonly [ChunkBody, readonly JsonObject[]])[] = [
  [{ type: 'run_started', turn: 1, chainTurn: 1 }, [{ type: 'start', messageId: 'r' }]],
  [{ type: 'step_started' }, [{ type: 'start-step' }]],
  [
    { type: 'thinking', part: 0, delta: 'Hm' },
    [
      { type: 'reasoning-start', id: '1.1.0' },
      { type: 'reasoning-delta', id: '1.1.0', delta: 'Hm' },
    ],
  ],
  [{ type: 'thinking', part: 0, delta: '.' }, [{ type: 'reasoning-delta', id: '1.1.0', delta: '.' }]],
  [
    { type: 'text_delta', part: 0, delta: 'a' },
    [
      { type: 'reasoning-end', id: '1.1.0' },
      { type: 'text-start', id: '1.1.0' },
      { type: 'text-delta', id: '1.1.0', delta: 'a' },
    ],
  ],
  [
    { type: 'text_delta', part: 1, delta: 'b' },
    [
      { type: 'text-end', id: '1.1.0' },
      { type: 'text-start', id: '1.1.1' },
      { type: 'text-delta', id: '1.1.1', delta: 'b' },
    ],
  ],
  [
    { type: 'tool_arg_stream_start', ...call },
    [
      { type: 'text-end', id: '1.1.1' },
      { type: 'tool-input-start', ...call, dynamic: true },
    ],
  ],
  [
    { type: 'tool_arg_stream_delta', toolCallId: 'c', delta: '{' },
    [{ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' }],
  ],
  [{ type: 'step_discarded', reason: 'x' }, [{ type: 'finish-step' }]],
  [
    { type: 'tool_start', ...call, arguments: { n: 1 } },
    [{ type: 'tool-input-available', ...call, input: { n: 1 }, dynamic: true }],
  ],
  [
    { type: 'tool_end', toolCallId: 'c', success: true, result: { n: 2 } },
    [{ type: 'tool-output-available', ...shown, output: { n: 2 } }],
  ],
  [{ type: 'tool_end', toolCallId: 'c', success: true }, [{ type: 'tool-output-available', ...shown, output: null }]],
  [
    { type: 'tool_end', toolCallId: 'c', success: false, error },
    [{ type: 'tool-output-error', ...shown, errorText: 'It broke.' }],
  ],
  [
    { type: 'tool_end', toolCallId: 'c', success: false },
    [{ type: 'tool-output-error', ...shown, errorText: 'It failed.' }],
  ],
  [
    { type: 'provider_tool_start', part: 0, providerCallId: 'c', toolName: 'pay', arguments: { n: 1 } },
    [{ type: 'tool-input-available', ...call, input: { n: 1 }, ...ran }],
  ],
  [
    { type: 'provider_tool_end', part: 0, providerCallId: 'c', toolName: 'pay', success: true, result: [2] },
    [{ type: 'tool-output-available', toolCallId: 'c', output: [2], ...ran }],
  ],
  [
    { type: 'provider_tool_end', part: 0, providerCallId: 'c', toolName: 'pay', success: false, result: { n: 3 } },
    [{ type: 'tool-output-error', toolCallId: 'c', errorText: '{"n":3}', ...ran }],
  ],
  [{ type: 'custom', name: 'mine', data: 1 }, []],
  [{ type: 'run_completed', output: 'x' }, [{ type: 'finish' }]],
  [{ type: 'run_failed', error: failure('run_timeout', 'SECRET') }, [{ type: 'error', errorText: TIMEOUT }]],
  [{ type: 'run_interrupted', reason: 'Enough.' }, [{ type: 'abort', reason: 'Enough.' }]],
  [{ type: 'run_terminated', reason: 'Gone.' }, [{ type: 'abort', reason: 'Gone.' }]],
];

it('[AT4] each chunk of the root adds its chunks of a message, the same at each reading; those of others add none', () => {
  for (let reading = 0; reading < 2; reading++) {
    const ui = new UiChunks('/a');
    for (const [body, made] of TABLE) {
      expect(ui.of({ ...AT, ...body, address: '/a/sub/kid/1~1' })).toEqual([]);
      expect([body, ui.of({ ...AT, ...body })]).toEqual([body, made]);
    }
  }
});

it('[AT4] chunks of tools and of ends are of the protocol of the AI SDK', async () => {
  const ui = new UiChunks('/a');
  for (const [body] of TABLE) for (const chunk of ui.of({ ...AT, ...body })) await checkUiChunk(chunk);
});
