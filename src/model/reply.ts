/**
 * Assembles a reply from the parts of a provider's stream.
 * - parts of the content stand in the order in which they began, and a delta names its own by that number; the index
 *   of a call is its place among the calls.
 * - a delta is handed on before the part that it belongs to is complete, and never after `finish`.
 *
 * Keeps M5, M6, M7, M40.
 */
import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { ModelDelta, ModelReply, ReplyCall } from '../core/definition/model-port';
import { tooLong } from '../core/definition/reply-size';
import { exactJson } from '../protocol/content/exact-json';
import { DATA_LIMITS } from '../protocol/data-limits';
import { OffshootError } from '../protocol/errors';
import { isObject, type JsonObject, toJson } from '../protocol/json';
import type { Usage } from '../protocol/usage';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>;
type TextKind = 'text' | 'reasoning';

interface TextSlot {
  readonly kind: TextKind;
  /** Its place among all blocks of the reply. */
  readonly part: number;
  text: string;
  metadata?: SharedV4ProviderMetadata;
}

interface CallSlot {
  readonly kind: 'call';
  readonly index: number;
  readonly providerId: string;
  readonly toolName: string;
  /** The arguments as far as they have come. */
  text: string;
  done?: ReplyCall;
}

/** An id of a reply with more characters is none that a provider would find again: it is left out. */
const MAX_RESPONSE_ID = 256;

/** What stands for arguments of which nothing came before the reply ended. */
const NO_ARGUMENTS = '(the arguments never came)';

/** Takes the parts of one stream in order; `finish` makes the reply. */
export class ReplyBuilder {
  readonly #slots: (TextSlot | CallSlot)[] = [];
  readonly #texts = new Map<string, TextSlot>();
  /** Calls by the provider's id. A provider may use one id for several: then they end in the order they began. */
  readonly #calls = new Map<string, CallSlot[]>();
  /** Calls that the provider runs itself: their results are in its answer, and they are none of ours. */
  readonly #foreign = new Set<string>();
  readonly #onDelta: (delta: ModelDelta) => void;
  readonly #provider: string;
  #begun = false;
  #count = 0;
  /** Characters so far, and a part counts one at least: a stream that never ends is left behind. */
  #size = 0;
  #model: string;
  #responseId?: string;

  /** @param provider the model's provider; what follows its first dot names an interface, not a company. */
  constructor(model: { provider: string; modelId: string }, onDelta: (delta: ModelDelta) => void) {
    this.#model = modelName(model.provider, model.modelId);
    this.#provider = model.provider;
    this.#onDelta = onDelta;
  }

  /** `provider/model`, as far as it is known by now. */
  get model(): string {
    return this.#model;
  }

  /** Whether anything of the reply itself has come: an opened block alone may be a thought that is never shown. */
  get begun(): boolean {
    return this.#begun;
  }

  /**
   * Takes a part other than `finish` and `error`; kinds of parts that a reply cannot hold are passed over.
   * @throws OffshootError `model_bad_reply` for more than is kept of a reply, or metadata that cannot be
   */
  take(part: LanguageModelV4StreamPart): void {
    this.#grow(1 + ('delta' in part ? part.delta.length : 0));
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#text('text', part);
        break;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#text('reasoning', part);
        break;
      case 'tool-input-start':
        this.#callStart(part);
        break;
      case 'tool-input-delta':
        this.#callDelta(part);
        break;
      case 'tool-call':
        this.#callDone(part);
        break;
      case 'response-metadata':
        if (part.modelId) this.#model = modelName(this.#provider, part.modelId);
        if (part.id && part.id.length <= MAX_RESPONSE_ID) this.#responseId = part.id;
    }
  }

  /**
   * The reply. One that a filter or the model itself stopped is a reply as well: its tokens are spent.
   * @throws OffshootError `model_bad_reply` where it broke off or holds nothing at all.
   */
  finish(part: Part<'finish'>): ModelReply {
    const content = this.#slots.flatMap((slot) => (slot.kind === 'call' ? [callOf(slot)] : textOf(slot)));
    const usage = toUsage(part.usage);
    const { unified, raw } = part.finishReason;
    if (unified === 'error' || unified === 'interrupted') {
      throw new OffshootError('model_bad_reply', `${this.#model}: the reply broke off${raw ? ` (${raw})` : ''}.`);
    }
    const nothing = content.length === 0 && usage.inputTokens + usage.outputTokens === 0;
    if (nothing && unified !== 'content-filter') {
      throw new OffshootError('model_bad_reply', `${this.#model}: the reply is empty.`);
    }
    const response = this.#responseId === undefined ? {} : { responseId: this.#responseId };
    return { content, finishReason: unified, usage, model: this.#model, ...response };
  }

  #text(
    kind: TextKind,
    part: { type: string; id: string; delta?: string; providerMetadata?: SharedV4ProviderMetadata },
  ): void {
    const key = `${kind}:${part.id}`;
    let slot = part.type.endsWith('-start') ? undefined : this.#texts.get(key);
    if (slot === undefined) {
      slot = { kind, part: this.#slots.length, text: '' };
      this.#texts.set(key, slot);
      this.#slots.push(slot);
    }
    if (part.providerMetadata !== undefined) slot.metadata = part.providerMetadata;
    if (!part.delta) return;
    slot.text += part.delta;
    this.#emit({ type: kind === 'text' ? 'text' : 'thinking', part: slot.part, delta: part.delta });
  }

  #grow(characters: number): void {
    this.#size += characters;
    if (this.#size > DATA_LIMITS.maxReplyCharacters) throw tooLong(this.#size);
  }

  #emit(delta: ModelDelta): void {
    this.#begun = true;
    this.#onDelta(delta);
  }

  #callStart(part: Part<'tool-input-start'>): void {
    if (part.providerExecuted) this.#foreign.add(part.id);
    else this.#begin(part.id, part.toolName);
  }

  #begin(providerId: string, toolName: string): CallSlot {
    const slot: CallSlot = { kind: 'call', index: this.#count, providerId, toolName, text: '' };
    this.#count += 1;
    this.#slots.push(slot);
    const same = this.#calls.get(providerId);
    if (same) same.push(slot);
    else this.#calls.set(providerId, [slot]);
    this.#emit({ type: 'tool_arg_start', index: slot.index, toolName });
    return slot;
  }

  #callDelta(part: Part<'tool-input-delta'>): void {
    const slot = this.#calls.get(part.id)?.findLast((call) => call.done === undefined);
    if (slot) this.#append(slot, part.delta);
  }

  #append(slot: CallSlot, delta: string): void {
    if (delta === '') return;
    slot.text += delta;
    this.#emit({ type: 'tool_arg_delta', index: slot.index, delta });
  }

  #callDone(part: Part<'tool-call'>): void {
    if (part.providerExecuted || this.#foreign.has(part.toolCallId)) return;
    let slot = this.#calls.get(part.toolCallId)?.find((call) => call.done === undefined);
    if (slot === undefined) {
      slot = this.#begin(part.toolCallId, part.toolName);
      this.#grow(part.input.length);
      this.#append(slot, part.input);
    }
    // What streamed has been counted.
    this.#grow(Math.max(0, part.input.length - slot.text.length));
    const metadata = toMetadata(part.providerMetadata);
    slot.done = {
      type: 'tool-call',
      providerId: part.toolCallId,
      toolName: part.toolName,
      ...readArguments(part.input),
      ...(metadata === undefined ? {} : { providerMetadata: metadata }),
    };
  }
}

/** `provider/model` for people and price lists. */
export function modelName(provider: string, modelId: string): string {
  return `${provider.split('.', 1)[0]}/${modelId}`;
}

function textOf(slot: TextSlot): ModelReply['content'] {
  const metadata = toMetadata(slot.metadata);
  if (slot.text === '' && metadata === undefined) return [];
  return [{ type: slot.kind, text: slot.text, ...(metadata === undefined ? {} : { providerMetadata: metadata }) }];
}

/** A call that the provider never completed is no call to run, even where its text happens to be JSON. */
function callOf(slot: CallSlot): ReplyCall {
  const { providerId, toolName } = slot;
  return slot.done ?? { type: 'tool-call', providerId, toolName, input: {}, malformed: slot.text || NO_ARGUMENTS };
}

/** Blank arguments are those of a tool without any. */
function readArguments(text: string): Pick<ReplyCall, 'input' | 'malformed'> {
  if (text.trim() === '') return { input: {} };
  const read = exactJson(text);
  return read.ok ? { input: read.json } : { input: {}, malformed: text };
}

function toMetadata(metadata: SharedV4ProviderMetadata | undefined): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const read = toJson(metadata, DATA_LIMITS.maxReplyCharacters);
  if (read.ok && isObject(read.json)) return read.json;
  const message = `The metadata of the reply cannot be kept: ${read.ok ? 'they are no object' : read.problem}.`;
  throw new OffshootError('model_bad_reply', message, { retryable: false });
}

/** The usage of one model call; what is unknown or no count is 0. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const { noCache, cacheRead, cacheWrite } = inputTokens;
  const { text, reasoning } = outputTokens;
  return {
    inputTokens: count(inputTokens.total ?? count(noCache) + count(cacheRead) + count(cacheWrite)),
    outputTokens: count(outputTokens.total ?? count(text) + count(reasoning)),
    cachedTokens: count(cacheRead),
    ...(count(cacheWrite) > 0 ? { cacheWriteTokens: count(cacheWrite) } : {}),
    reasoningTokens: count(reasoning),
    modelCalls: 1,
    toolCalls: 0,
  };
}

function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : 0;
}
