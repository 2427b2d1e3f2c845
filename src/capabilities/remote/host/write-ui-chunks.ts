/**
 * The log of one agent as the chunks of an AI SDK UI message, which clients of the `agents` package draw. The same log gives
 * the same chunks in the same order, so their numbers are lasting. Pieces of an attempt that was discarded stay: that
 * protocol takes nothing back.
 *
 * Keeps AT4.
 */
import type { Chunk } from '../../../protocol/chunks';
import { titleOf } from '../../../protocol/errors';
import type { JsonObject } from '../../../protocol/json';

/** What a client is told of a sub-agent beside its message; such a chunk has no place of its own in the order. */
export const progress = (phase: string, message: string): JsonObject => ({
  type: 'data-agent-progress',
  transient: true,
  data: { phase, message },
});

/** One log, from its first chunk on. */
export class UiChunks {
  /** The block of text or thinking that is open. */
  #block: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined;

  /** @param address of the agent whose message it is: what those below it say is left out */
  constructor(readonly address: string) {}

  of(chunk: Chunk): readonly JsonObject[] {
    if (chunk.address !== this.address) return [];
    switch (chunk.type) {
      case 'run_started':
        return [{ type: 'start', messageId: chunk.runId }];
      case 'step_started':
        return [{ type: 'start-step' }];
      case 'text_delta':
        return this.#piece('text', `${chunk.step}.${chunk.attempt}.${chunk.part}`, chunk.delta);
      case 'thinking':
        return this.#piece('reasoning', `${chunk.step}.${chunk.attempt}.${chunk.part}`, chunk.delta);
      case 'tool_arg_stream_start':
        return [
          ...this.#close(),
          { type: 'tool-input-start', toolCallId: chunk.toolCallId, toolName: chunk.toolName, dynamic: true },
        ];
      case 'tool_arg_stream_delta':
        return [{ type: 'tool-input-delta', toolCallId: chunk.toolCallId, inputTextDelta: chunk.delta }];
      case 'provider_tool_start':
      case 'provider_tool_end':
      case 'reply_source':
      case 'reply_file':
        return [...this.#close(), ...furtherOf(chunk)];
      case 'step_committed':
      case 'step_discarded':
        return [...this.#close(), { type: 'finish-step' }];
      default:
        return outside(chunk);
    }
  }

  #piece(kind: 'text' | 'reasoning', id: string, delta: string): readonly JsonObject[] {
    if (this.#block?.kind === kind && this.#block.id === id) return [{ type: `${kind}-delta`, id, delta }];
    const before = this.#close();
    this.#block = { kind, id };
    return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }];
  }

  #close(): readonly JsonObject[] {
    const block = this.#block;
    this.#block = undefined;
    return block ? [{ type: `${block.kind}-end`, id: block.id }] : [];
  }
}

type FurtherChunk = Extract<
  Chunk,
  { readonly type: 'provider_tool_start' | 'provider_tool_end' | 'reply_source' | 'reply_file' }
>;

/** A part of a reply beside text, thinking and calls. A file among the agent's own has no address that a client knows. */
function furtherOf(chunk: FurtherChunk): readonly JsonObject[] {
  const ran = { dynamic: true, providerExecuted: true };
  switch (chunk.type) {
    case 'provider_tool_start': {
      const { providerCallId: toolCallId, toolName, arguments: input } = chunk;
      return [{ type: 'tool-input-available', toolCallId, toolName, input, ...ran }];
    }
    case 'provider_tool_end': {
      const { providerCallId: toolCallId, result, success } = chunk;
      if (success) return [{ type: 'tool-output-available', toolCallId, output: result, ...ran }];
      return [{ type: 'tool-output-error', toolCallId, errorText: JSON.stringify(result), ...ran }];
    }
    case 'reply_source': {
      const { sourceId, url, title = '', mediaType = '', filename } = chunk;
      if (url !== undefined) return [{ type: 'source-url', sourceId, url, ...(title === '' ? {} : { title }) }];
      const name = filename === undefined ? {} : { filename };
      return [{ type: 'source-document', sourceId, mediaType, title, ...name }];
    }
    case 'reply_file':
      return chunk.url === undefined ? [] : [{ type: 'file', url: chunk.url, mediaType: chunk.mediaType }];
  }
}

/** What is no part of a step's reply. */
function outside(chunk: Chunk): readonly JsonObject[] {
  switch (chunk.type) {
    case 'tool_start': {
      const { toolCallId, toolName, arguments: input } = chunk;
      return [{ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }];
    }
    case 'tool_end': {
      const { toolCallId, success, result = null, error } = chunk;
      if (success) return [{ type: 'tool-output-available', toolCallId, output: result, dynamic: true }];
      return [{ type: 'tool-output-error', toolCallId, errorText: error?.message ?? 'It failed.', dynamic: true }];
    }
    case 'run_completed':
      return [{ type: 'finish' }];
    case 'run_failed':
      return [{ type: 'error', errorText: titleOf(chunk.error.code).title ?? chunk.error.message }];
    case 'run_interrupted':
    case 'run_terminated':
      return [{ type: 'abort', reason: chunk.reason }];
    default:
      return [];
  }
}
