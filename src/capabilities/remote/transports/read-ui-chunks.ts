/**
 * The chunks of an AI SDK UI message, as an agent of the `agents` package keeps them, as chunks of a log here.
 *
 * Keeps AT6.
 */
import type { Chunk, ChunkBase, ChunkBody } from '../../../protocol/chunks';
import { failure } from '../../../protocol/errors';
import { isObject, type Json, type JsonObject } from '../../../protocol/json';
import { NO_USAGE } from '../../../protocol/usage';

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** One message, from its first chunk on; what is unknown here is left out. */
export class FromUiChunks {
  #step = 0;
  /** The blocks of the step that have begun, by what they are called there. */
  #parts = new Map<string, number>();
  /** The calls that have begun and not ended. */
  readonly #open = new Set<string>();
  readonly #base: Omit<ChunkBase, 'step' | 'attempt'>;

  constructor(base: Omit<ChunkBase, 'step' | 'attempt'>) {
    this.#base = base;
  }

  get step(): number {
    return this.#step;
  }

  /** The same as it would be said here, in the step that is open. */
  said(body: ChunkBody): Chunk {
    return { ...this.#base, step: this.#step, attempt: this.#step === 0 ? 0 : 1, ...body };
  }

  of(chunk: Json): readonly Chunk[] {
    return isObject(chunk) ? this.#bodies(chunk).map((body) => this.said(body)) : [];
  }

  /** What ends calls that were cut off. */
  rest(): readonly Chunk[] {
    const error = failure('tool_failed', 'The agent ended before the call did.');
    const left = [...this.#open].map((toolCallId) =>
      this.said({ type: 'tool_end', toolCallId, success: false, error }),
    );
    this.#open.clear();
    return left;
  }

  #bodies(chunk: JsonObject): readonly ChunkBody[] {
    const type = textOf(chunk.type);
    switch (type) {
      case 'start-step':
        this.#step += 1;
        this.#parts = new Map();
        return [{ type: 'step_started' }];
      case 'finish-step':
        return [this.#committed()];
      case 'text-delta':
        return [{ type: 'text_delta', part: this.#part(`text ${textOf(chunk.id)}`), delta: textOf(chunk.delta) }];
      case 'reasoning-delta':
        return [{ type: 'thinking', part: this.#part(`thought ${textOf(chunk.id)}`), delta: textOf(chunk.delta) }];
      default:
        if (!type.startsWith('data-')) return this.#call(type, chunk);
        return [{ type: 'custom', name: type.slice('data-'.length), data: chunk.data ?? null }];
    }
  }

  #call(type: string, chunk: JsonObject): readonly ChunkBody[] {
    const toolCallId = textOf(chunk.toolCallId);
    if (toolCallId === '') return [];
    const toolName = textOf(chunk.toolName);
    switch (type) {
      case 'tool-input-start':
        this.#part(`call ${toolCallId}`);
        return [{ type: 'tool_arg_stream_start', toolCallId, toolName }];
      case 'tool-input-delta':
        return [{ type: 'tool_arg_stream_delta', toolCallId, delta: textOf(chunk.inputTextDelta) }];
      case 'tool-input-available':
        this.#part(`call ${toolCallId}`);
        this.#open.add(toolCallId);
        return [{ type: 'tool_start', toolCallId, toolName, arguments: chunk.input ?? null }];
      case 'tool-output-available':
        if (chunk.preliminary === true || !this.#open.delete(toolCallId)) return [];
        return [{ type: 'tool_end', toolCallId, result: chunk.output ?? null, success: true }];
      case 'tool-output-error': {
        if (!this.#open.delete(toolCallId)) return [];
        const error = failure('tool_failed', textOf(chunk.errorText) || 'It failed.');
        return [{ type: 'tool_end', toolCallId, success: false, error }];
      }
      default:
        return [];
    }
  }

  /** What a step cost is not said there. */
  #committed(): ChunkBody {
    const unknown = { usage: NO_USAGE, checkpointId: '', model: 'unknown' };
    return { type: 'step_committed', finishReason: 'unknown', ...unknown };
  }

  #part(name: string): number {
    const place = this.#parts.get(name) ?? this.#parts.size;
    this.#parts.set(name, place);
    return place;
  }
}
