/**
 * A message made of its chunks, as the client makes it: for the messages that are asked for whole, and for those of
 * sub-agents within it.
 *
 * CH4. A message that is asked for whole is the one that its stream makes.
 */
import type { JsonObject } from '../../protocol/json';
import type { DataChunk, UiChunk, UiMessage, UiPart } from './ui';

/** A part that is being made. */
type Open = { -readonly [Key in keyof UiPart]: UiPart[Key] } & { type: string };

type ToolChunk = Extract<UiChunk, { readonly toolCallId: string }>;

const STEP: UiPart = { type: 'step-start' };

const isData = (chunk: UiChunk): chunk is DataChunk => chunk.type.startsWith('data-');

/** The message so far. */
export class MessageFold {
  #parts: Open[] = [];
  /** Blocks that still grow, by their ids. */
  readonly #growing = new Map<string, Open>();

  #id: string | undefined;
  #metadata: JsonObject | undefined;

  /** The message; undefined where it has not begun. */
  get message(): UiMessage | undefined {
    if (this.#id === undefined) return undefined;
    const metadata = this.#metadata ? { metadata: this.#metadata } : {};
    return { id: this.#id, role: 'assistant', ...metadata, parts: this.parts };
  }

  /** The parts; they change no more. */
  get parts(): readonly UiPart[] {
    return this.#parts.map((part) => ({ ...part }));
  }

  /** Takes a chunk into the message. */
  push(chunk: UiChunk): void {
    if (isData(chunk)) return this.#data(chunk);
    if ('toolCallId' in chunk) return this.#tool(chunk);
    switch (chunk.type) {
      case 'start':
      case 'message-metadata':
        if (chunk.type === 'start') this.#id = chunk.messageId ?? this.#id;
        if (chunk.messageMetadata) this.#metadata = { ...this.#metadata, ...chunk.messageMetadata };
        return;
      case 'start-step':
        this.#parts.push({ ...STEP });
        return;
      case 'reset-step':
        this.#growing.clear();
        this.#parts = this.#parts.slice(0, this.#parts.findLastIndex(({ type }) => type === 'step-start') + 1);
        return;
      case 'text-start':
      case 'reasoning-start':
        return this.#begin(chunk.type === 'text-start' ? 'text' : 'reasoning', chunk.id);
      case 'text-delta':
      case 'reasoning-delta': {
        const part = this.#growing.get(chunk.id);
        if (part) part.text = `${part.text}${chunk.delta}`;
        return;
      }
      case 'text-end':
      case 'reasoning-end': {
        const part = this.#growing.get(chunk.id);
        if (part) part.state = 'done';
        this.#growing.delete(chunk.id);
        return;
      }
      case 'tool-approval-response':
        return this.#answered(chunk);
      case 'source-url':
      case 'source-document':
      case 'file':
        this.#parts.push({ ...chunk });
        return;
      case 'steering-message':
        this.#parts.push({ type: chunk.type, id: chunk.id, parts: chunk.parts.map((part) => ({ ...part })) });
        return;
      default:
        return;
    }
  }

  #begin(type: 'text' | 'reasoning', id: string): void {
    const part: Open = { type, ...(type === 'reasoning' ? { id } : {}), text: '', state: 'streaming' };
    this.#growing.set(id, part);
    this.#parts.push(part);
  }

  #data({ type, id, data, transient }: DataChunk): void {
    if (transient) return;
    const known = id === undefined ? undefined : this.#parts.find((part) => part.type === type && part.id === id);
    if (known) known.data = data;
    else this.#parts.push({ type, ...(id === undefined ? {} : { id }), data });
  }

  #answered({ approvalId, approved, reason }: Extract<UiChunk, { type: 'tool-approval-response' }>): void {
    const part = this.#parts.findLast((one) => (one.approval as JsonObject | undefined)?.id === approvalId);
    if (part === undefined) return;
    part.state = 'approval-responded';
    part.approval = { ...(part.approval as JsonObject), approved, ...(reason === undefined ? {} : { reason }) };
  }

  #tool(chunk: ToolChunk): void {
    const { toolCallId } = chunk;
    const at = this.#parts.findLastIndex((part) => part.toolCallId === toolCallId);
    const known = this.#parts[at];
    switch (chunk.type) {
      case 'tool-input-start':
      case 'tool-input-available': {
        const { toolName, providerExecuted, toolMetadata } = chunk;
        const part: Open = {
          ...known,
          ...{ type: 'dynamic-tool', toolName, toolCallId },
          ...(chunk.type === 'tool-input-start'
            ? { state: 'input-streaming' }
            : { state: 'input-available', input: chunk.input }),
          ...(providerExecuted === undefined ? {} : { providerExecuted }),
          ...(toolMetadata === undefined ? {} : { toolMetadata }),
        };
        if (known) this.#parts[at] = part;
        else this.#parts.push(part);
        return;
      }
      case 'tool-approval-request':
        if (known)
          Object.assign(known, {
            state: 'approval-requested',
            approval: { id: chunk.approvalId, descriptor: chunk.approvalDescriptor },
          });
        return;
      case 'tool-output-available': {
        if (known === undefined) return;
        delete known.preliminary;
        const { output, preliminary } = chunk;
        Object.assign(known, { state: 'output-available', output, ...(preliminary ? { preliminary } : {}) });
        return;
      }
      case 'tool-output-error':
        if (known) Object.assign(known, { state: 'output-error', errorText: chunk.errorText });
        return;
      case 'tool-output-denied':
        if (known) known.state = 'output-denied';
        return;
      default:
        return;
    }
  }
}
