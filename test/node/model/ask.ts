/** Asks a port one question, as the host does. */
import { onTestFinished } from 'vitest';
import type {
  ModelDelta,
  ModelPort,
  ModelReply,
  ModelRequest,
  ToolSpec,
} from '../../../src/core/definition/model-port';
import type { ErrorCode, Failure } from '../../../src/protocol/errors';
import { OffshootError } from '../../../src/protocol/errors';
import type { AssistantPart, Message } from '../../../src/protocol/messages';
import { type Answer, startWireServer, type WireRequest, type WireServer } from '../../support/wire/server';

/** A question with generous limits. */
export function request(own: Partial<ModelRequest> = {}): ModelRequest {
  return {
    agentType: 'researcher',
    sessionId: 's_1',
    runId: 'r_1',
    step: 1,
    attempt: 1,
    system: 'You answer.',
    messages: [{ role: 'user', content: 'Hello?' }],
    tools: [],
    firstChunkMs: 20_000,
    stallMs: 20_000,
    ...own,
  };
}

/** A tool with one text argument. */
export const SEARCH: ToolSpec = {
  name: 'search',
  description: 'Searches.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
};

/** What came of a question. */
export interface Outcome {
  readonly deltas: readonly ModelDelta[];
  readonly reply?: ModelReply;
  readonly failure?: Failure;
  readonly error?: unknown;
}

/** Asks, and waits for the outcome. */
export async function ask(port: ModelPort, own: Partial<ModelRequest> = {}, signal?: AbortSignal): Promise<Outcome> {
  const deltas: ModelDelta[] = [];
  const options = {
    signal: signal ?? new AbortController().signal,
    onDelta: (delta: ModelDelta) => deltas.push(delta),
  };
  try {
    return { deltas, reply: await port.call(request(own), options) };
  } catch (error) {
    return { deltas, error, ...(error instanceof OffshootError ? { failure: error.failure } : {}) };
  }
}

/** The code and the retryability of a failed outcome. */
export function sorted(outcome: Outcome): [ErrorCode | undefined, boolean | undefined] {
  return [outcome.failure?.code, outcome.failure?.retryable];
}

/** The transcript of a step with two calls of one id, a success and a failure, and a question after it. */
export const TRANSCRIPT: readonly Message[] = [
  { role: 'user', content: 'Find both.' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Looking.' },
      { type: 'tool-call', toolCallId: 'c_1', providerId: 'call_a', toolName: 'search', input: { q: 'one' } },
      { type: 'tool-call', toolCallId: 'c_2', providerId: 'call_b', toolName: 'search', input: { q: 'two' } },
    ],
  },
  { role: 'tool', toolCallId: 'c_1', toolName: 'search', result: { success: true, value: { hits: ['first'] } } },
  {
    role: 'tool',
    toolCallId: 'c_2',
    toolName: 'search',
    result: {
      success: false,
      error: { code: 'tool_failed', category: 'tool', message: 'No index.', retryable: false },
    },
  },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c_3', providerId: 'call_a', toolName: 'search', input: { q: 'one' } }],
  },
  { role: 'tool', toolCallId: 'c_3', toolName: 'search', result: { success: true, value: 'plain text' } },
  { role: 'user', content: 'And now?' },
];

/** The transcript after a reply to `request()`, with `"done"` as the result of each call. */
export function afterwards({ reply }: Outcome): Message[] {
  const content = reply?.content ?? [];
  const calls = content.filter((part) => part.type === 'tool-call');
  return [
    ...request().messages,
    {
      role: 'assistant',
      content: content.map((part): AssistantPart => {
        if (part.type === 'made-file')
          return { type: 'reply-file', mediaType: part.mediaType, omitted: 'none is kept' };
        return part.type === 'tool-call' ? { ...part, toolCallId: `c_${part.providerId}` } : part;
      }),
    },
    ...calls.map(
      ({ providerId, toolName }): Message => ({
        role: 'tool',
        toolCallId: `c_${providerId}`,
        toolName,
        result: { success: true, value: '"done"' },
      }),
    ),
  ];
}

/** A provider that answers its requests in order and repeats the last answer; it ends with the test that started it. */
export async function provider(
  ...answers: readonly (Answer | ((request: WireRequest) => Answer))[]
): Promise<WireServer> {
  let next = 0;
  const server = await startWireServer((wire) => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    return typeof answer === 'function' ? answer(wire) : answer;
  });
  onTestFinished(() => server.close());
  return server;
}
