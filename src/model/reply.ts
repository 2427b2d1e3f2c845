/**
 * Assembles a reply from the parts of a provider's stream.
 * - parts of the content stand in the order in which they began, and a delta names its own by that number; the index
 *   of a call is its place among the calls.
 * - a delta is handed on before the part that it belongs to is complete, and never after `finish`.
 *
 * Keeps M5, M6, M40, M107, RP1, JS3, JS9, JS10.
 */
import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { MadeFile, ModelDelta, ModelReply, ProviderToolSpec, ReplyCall } from '../core/definition/model-port';
import { MAX_PARTS_OF_A_REPLY, ROW_CHARACTERS, tooLong, tooManyParts } from '../core/definition/reply-size';
import { DATA_LIMITS } from '../protocol/data-limits';
import { OffshootError } from '../protocol/errors';
import { isObject, type JsonObject, toJson } from '../protocol/json';
import type { FurtherPart } from '../protocol/messages';
import type { Usage } from '../protocol/usage';
import { calledName, readArguments } from './call/said';
import { fileOf, inputOf, keptResult, PART_LIMITS, pictureIn, short, sourceOf } from './further';

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

/** A part that comes whole. */
interface WholeSlot {
  readonly kind: 'whole';
  readonly part: FurtherPart | MadeFile;
}

/** An id of a reply with more characters is none that a provider would find again: it is left out. */
const MAX_RESPONSE_ID = 256;

/** What stands for arguments of which nothing came before the reply ended. */
const NO_ARGUMENTS = '(the arguments never came)';

/** Takes the parts of one stream in order; `finish` makes the reply. */
export class ReplyBuilder {
  readonly #slots: (TextSlot | CallSlot | WholeSlot)[] = [];
  readonly #texts = new Map<string, TextSlot>();
  /** Calls by the provider's id. A provider may use one id for several: then they end in the order they began. */
  readonly #calls = new Map<string, CallSlot[]>();
  /** Calls that the provider runs itself, by its ids, with their names: they are none of the agent's. */
  readonly #foreign = new Map<string, string>();
  /** Those of them that are kept: a call counts once. */
  readonly #ran = new Set<string>();
  #sources = 0;
  #files = 0;
  #fileCharacters = 0;
  readonly #onDelta: (delta: ModelDelta) => void;
  readonly #provider: string;
  #begun = false;
  #count = 0;
  /** Characters so far, and a part counts one at least: a stream that never ends is left behind. */
  #size = 0;
  /** Parts so far, also of what a provider runs itself. */
  #parts = 0;
  /** The block or call that the last piece belongs to. */
  #last = '';
  #model: string;
  #responseId?: string;

  /**
   * @param model its provider: what follows the first dot of it names an interface, not a company
   * @param tools those that a provider runs itself
   * @param own the names of the agent's tools
   */
  constructor(
    model: { provider: string; modelId: string },
    onDelta: (delta: ModelDelta) => void,
    readonly tools: readonly ProviderToolSpec[] = [],
    readonly own: ReadonlySet<string> = new Set(),
  ) {
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
   * Takes a part other than `finish` and `error`. Kinds of parts that a reply does not hold are passed over: files of the
   * model's thinking, content of a provider's own kind, and requests to approve what a provider would run.
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
        if (part.providerExecuted || this.#foreign.has(part.toolCallId)) this.#providerCall(part);
        else this.#callDone(part);
        break;
      case 'tool-result':
        this.#providerResult(part);
        break;
      case 'source':
        this.#source(part);
        break;
      case 'file':
        this.#file(fileOf(part.data, part.mediaType, this.#metadata(part.providerMetadata)));
        break;
      case 'response-metadata':
        if (part.modelId) this.#model = modelName(this.#provider, short(part.modelId, PART_LIMITS.maxName));
        if (part.id && part.id.length <= MAX_RESPONSE_ID) this.#responseId = part.id;
    }
  }

  /**
   * The reply. One that a filter or the model itself stopped is a reply as well: its tokens are spent.
   * @throws OffshootError `model_bad_reply` where it broke off or holds nothing at all.
   */
  finish(part: Part<'finish'>): ModelReply {
    const content = this.#slots.flatMap((slot) => this.#partsOf(slot));
    const usage = toUsage(part.usage);
    const { unified, raw } = reasonOf(part.finishReason);
    if (unified === 'error' || unified === 'interrupted') {
      throw new OffshootError('model_bad_reply', `${this.#model}: the reply broke off${raw ? ` (${raw})` : ''}.`);
    }
    const nothing = content.length === 0 && usage.inputTokens + usage.outputTokens === 0;
    if (nothing && unified !== 'content-filter') {
      throw new OffshootError('model_bad_reply', `${this.#model}: the reply is empty.`);
    }
    const response = this.#responseId === undefined ? {} : { responseId: this.#responseId };
    // Only Anthropic pauses: it has run tools for long, and continues with the next request.
    const finishReason = raw === 'pause_turn' ? ('paused' as const) : unified;
    return { content, finishReason, usage, model: this.#model, ...response };
  }

  #partsOf(slot: TextSlot | CallSlot | WholeSlot): ModelReply['content'] {
    switch (slot.kind) {
      case 'call':
        return [callOf(slot)];
      case 'whole':
        return [slot.part];
      default: {
        const { kind: type, text } = slot;
        const metadata = this.#metadataOf({ providerMetadata: slot.metadata });
        return text === '' && metadata.providerMetadata === undefined ? [] : [{ type, text, ...metadata }];
      }
    }
  }

  #metadataOf(part: { providerMetadata?: SharedV4ProviderMetadata | undefined }): { providerMetadata?: JsonObject } {
    const providerMetadata = this.#metadata(part.providerMetadata);
    return providerMetadata === undefined ? {} : { providerMetadata };
  }

  /** Metadata as they are kept. They count as what a reply says does. */
  #metadata(given: SharedV4ProviderMetadata | undefined): JsonObject | undefined {
    if (given === undefined) return undefined;
    const read = toJson(given, DATA_LIMITS.maxReplyCharacters);
    if (!read.ok || !isObject(read.json)) {
      const problem = read.ok ? 'they are not an object' : read.problem;
      const message = `The metadata of the reply cannot be kept: ${problem}.`;
      throw new OffshootError('model_bad_reply', message, { retryable: false });
    }
    this.#grow(read.text.length);
    return read.json;
  }

  #text(
    kind: TextKind,
    part: { type: string; id: string; delta?: string; providerMetadata?: SharedV4ProviderMetadata },
  ): void {
    const key = `${kind}:${part.id}`;
    let slot = part.type.endsWith('-start') ? undefined : this.#texts.get(key);
    if (slot === undefined) {
      this.#opened(part.id);
      slot = { kind, part: this.#slots.length, text: '' };
      this.#texts.set(key, slot);
      this.#slots.push(slot);
    }
    if (part.providerMetadata !== undefined) slot.metadata = part.providerMetadata;
    if (!part.delta) return;
    slot.text += part.delta;
    this.#emit({ type: kind === 'text' ? 'text' : 'thinking', part: slot.part, delta: part.delta });
  }

  #providerCall(part: Part<'tool-call'>): void {
    if (this.#ran.has(part.toolCallId)) return;
    this.#ran.add(part.toolCallId);
    const providerId = short(part.toolCallId, PART_LIMITS.maxName);
    const toolName = short(part.toolName, PART_LIMITS.maxName);
    this.#foreign.set(part.toolCallId, toolName);
    const input = inputOf(part.input);
    this.#grow(part.toolCallId.length + part.input.length);
    const by = this.#toolId(part.toolName);
    const at = this.#whole({ type: 'provider-call', by, providerId, toolName, input, ...this.#metadataOf(part) });
    this.#emit({ type: 'provider_call', part: at, id: providerId, toolName, input });
  }

  /** The result of what the provider ran. A picture in it becomes a file; a preliminary one is followed by another. */
  #providerResult(part: Part<'tool-result'>): void {
    if (part.preliminary) return;
    const providerId = short(part.toolCallId, PART_LIMITS.maxName);
    const toolName = short(part.toolName, PART_LIMITS.maxName);
    const picture = pictureIn(part.result);
    const kept = keptResult(picture ? { mediaType: picture.mediaType } : part.result);
    this.#grow(JSON.stringify(kept.result).length);
    const failed = part.isError ? { isError: true as const } : {};
    const more = { ...kept, ...failed, ...this.#metadataOf(part) };
    const by = this.#toolId(part.toolName);
    const at = this.#whole({ type: 'provider-result', by, providerId, toolName, ...more });
    const success = part.isError !== true;
    this.#emit({ type: 'provider_result', part: at, id: providerId, toolName, result: kept.result, success });
    if (picture) this.#file(fileOf(picture.data, picture.mediaType, undefined));
  }

  /** The provider's id of a tool that it ran, also of one that nobody asked for. */
  #toolId(name: string): string {
    const known = this.tools.find((tool) => tool.name === name);
    return known?.id ?? short(`${companyOf(this.#provider)}.${name}`, PART_LIMITS.maxName);
  }

  #source(part: Part<'source'>): void {
    const source = sourceOf(part);
    if (source === undefined || this.#sources >= PART_LIMITS.maxSources) return;
    this.#sources += 1;
    this.#emit({ type: 'source', part: this.#whole(source), source });
  }

  #file(made: ReturnType<typeof fileOf>): void {
    if (this.#files >= PART_LIMITS.maxFiles) return;
    this.#files += 1;
    this.#begun = true;
    const characters = 'data' in made ? made.data.length : 0;
    if (this.#fileCharacters + characters <= PART_LIMITS.maxFileCharacters) {
      this.#fileCharacters += characters;
      this.#whole(made);
      return;
    }
    this.#whole({ type: 'reply-file', mediaType: made.mediaType, omitted: 'the files of the reply are too large' });
  }

  /** Keeps a part that came whole; returns its place. */
  #whole(part: FurtherPart | MadeFile): number {
    this.#opened();
    return this.#slots.push({ kind: 'whole', part }) - 1;
  }

  #grow(characters: number): void {
    this.#size += characters;
    if (this.#size > DATA_LIMITS.maxReplyCharacters) throw tooLong(this.#size);
  }

  /** Counts a part that is kept from now on, with its names. */
  #opened(...names: readonly string[]): void {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS_OF_A_REPLY) throw tooManyParts();
    // A package may leave out the id of a block.
    for (const name of names) this.#grow(String(name).length);
  }

  #emit(delta: ModelDelta): void {
    const own = `${delta.type} ${'part' in delta ? delta.part : delta.index}`;
    if (own !== this.#last) this.#grow(ROW_CHARACTERS);
    this.#last = own;
    this.#begun = true;
    this.#onDelta(delta);
  }

  #callStart(part: Part<'tool-input-start'>): void {
    if (!part.providerExecuted) return void this.#begin(part.id, part.toolName);
    this.#opened(part.id, part.toolName);
    this.#foreign.set(part.id, part.toolName);
  }

  #begin(id: string, given: string): CallSlot {
    this.#opened(id, given);
    const toolName = short(calledName(given, this.own), PART_LIMITS.maxName);
    const providerId = short(id, PART_LIMITS.maxName);
    const slot: CallSlot = { kind: 'call', index: this.#count, providerId, toolName, text: '' };
    this.#count += 1;
    this.#slots.push(slot);
    const same = this.#calls.get(id);
    if (same) same.push(slot);
    else this.#calls.set(id, [slot]);
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
    let slot = this.#calls.get(part.toolCallId)?.find((call) => call.done === undefined);
    if (slot === undefined) {
      slot = this.#begin(part.toolCallId, part.toolName);
      this.#grow(part.input.length);
      this.#append(slot, part.input);
    }
    // What streamed has been counted.
    this.#grow(Math.max(0, part.input.length - slot.text.length));
    const metadata = this.#metadata(part.providerMetadata);
    slot.done = {
      type: 'tool-call',
      providerId: slot.providerId,
      toolName: short(calledName(part.toolName, this.own), PART_LIMITS.maxName),
      ...readArguments(part.input),
      ...(metadata === undefined ? {} : { providerMetadata: metadata }),
    };
  }
}

const REASONS = [
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
] as const satisfies readonly FinishReason['unified'][];

/** Words of providers for the end of a reply that the AI SDK does not know: it broke off, a filter stopped it, or it was cut. */
const RAW_REASONS: ReadonlyMap<string, FinishReason['unified']> = new Map([
  ...['abort', 'aborted', 'cancelled', 'error', 'insufficient_system_resource', 'network_error'].map(
    (raw) => [raw, 'error'] as const,
  ),
  ...['guardrail_intervened', 'refusal', 'safety', 'sensitive'].map((raw) => [raw, 'content-filter'] as const),
  ...['max_output_tokens', 'max_tokens', 'model_context_window_exceeded'].map((raw) => [raw, 'length'] as const),
]);

/** The reason that a reply ended. A package may report it as a text; an unknown one is `other`. */
function reasonOf(given: Partial<FinishReason> | string | undefined): FinishReason {
  const { unified = '', raw } = typeof given === 'string' ? { unified: given, raw: given } : (given ?? {});
  const known = REASONS.find((reason) => reason === unified);
  // A package of an author may report anything.
  const word = typeof raw === 'string' ? raw : undefined;
  return { unified: known ?? RAW_REASONS.get(word?.toLowerCase() ?? '') ?? 'other', raw: word };
}

type FinishReason = Part<'finish'>['finishReason'];

/** The company of a provider, as the AI SDK names it: what follows the first dot is an interface. */
export const companyOf = (provider: string): string => provider.split('.', 1)[0] ?? provider;

/** `provider/model` for people and price lists. */
export function modelName(provider: string, modelId: string): string {
  return `${companyOf(provider)}/${modelId}`;
}

/** A call that the provider never completed is no call to run, even where its text happens to be JSON. */
function callOf(slot: CallSlot): ReplyCall {
  const { providerId, toolName } = slot;
  return slot.done ?? { type: 'tool-call', providerId, toolName, input: {}, malformed: slot.text || NO_ARGUMENTS };
}

/** The usage of one model call; what is unknown or no count is 0. A package may omit all of it, or report a total alone. */
export function toUsage(given: Partial<LanguageModelV4Usage> | undefined): Usage {
  const input = countsOf(given?.inputTokens);
  const output = countsOf(given?.outputTokens);
  const { cacheRead, cacheWrite } = input;
  return {
    inputTokens: count(input.total ?? count(input.noCache) + count(cacheRead) + count(cacheWrite)),
    outputTokens: count(output.total ?? count(output.text) + count(output.reasoning)),
    cachedTokens: count(cacheRead),
    ...(count(cacheWrite) > 0 ? { cacheWriteTokens: count(cacheWrite) } : {}),
    reasoningTokens: count(output.reasoning),
    modelCalls: 1,
    toolCalls: 0,
  };
}

/** The counts of one side of a usage, also where a package reports their total alone. */
function countsOf<Counts extends object>(given: Counts | number | undefined): Partial<Counts> {
  const counts: Partial<Counts> = {};
  return Object.assign(counts, typeof given === 'number' ? { total: given } : given);
}

function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : 0;
}
