/**
 * The reply of one agent, as chunks of a UI message: blocks of text and thinking, steps, calls, sources, files.
 *
 * CH1. A block is begun before it grows and ends before its step does; what a retry discards is taken out of the message.
 */
import type { Chunk } from '../../protocol/chunks';
import type { Json } from '../../protocol/json';
import { CallParts, isCallChunk } from './calls';
import type { FinishReason, UiChunk } from './ui';

type Of<Type extends Chunk['type']> = Extract<Chunk, { readonly type: Type }>;

/** Names of our data parts: an author's event of such a name is another part. */
const OWN_DATA: readonly string[] = ['agent', 'output', 'state', 'notice', 'status', 'omitted-file'];

const FINISHES: readonly string[] = ['stop', 'length', 'content-filter', 'tool-calls', 'error'];

/** The reply of an agent, in the order of the log. */
export class AgentReply {
  readonly calls = new CallParts();
  /** The blocks that are open: their chunks' ids, and whether they are text. */
  readonly #open = new Map<string, 'text' | 'reasoning'>();
  /** Calls that the provider runs, by the ids of their parts. */
  readonly #providers = new Set<string>();
  #inStep = false;
  /** True where nothing is in the step yet. */
  #isFresh = false;
  /** True where the reply of the step is whole: what follows belongs to its calls. */
  #isWhole = false;
  #finish: FinishReason = 'stop';
  #lastText = '';

  /** @param filesAt The path before the address of a file of the agent. */
  constructor(readonly filesAt: string) {}

  /** The reason of the end, by its last step. */
  get finishReason(): FinishReason {
    return this.#finish;
  }

  /** Chunks that a chunk adds to the message. `parentCallId`: the call that the agent works for. */
  after(chunk: Chunk, parentCallId?: string): UiChunk[] {
    const made = this.#after(chunk, parentCallId);
    if (made.length > 0 && chunk.type !== 'step_started' && chunk.type !== 'step_discarded') this.#isFresh = false;
    return made;
  }

  /** Begins a step that continues an answer. */
  begin(): UiChunk[] {
    if (this.#inStep && this.#isFresh) return [];
    const ends = this.close();
    this.#inStep = true;
    this.#isFresh = true;
    this.#isWhole = false;
    return [...ends, { type: 'start-step' }];
  }

  /** Ends what is open. */
  close(): UiChunk[] {
    const ended: UiChunk[] = [...this.#closeBlocks(), ...(this.#inStep ? [{ type: 'finish-step' as const }] : [])];
    this.#inStep = false;
    return ended;
  }

  /**
   * Continues for a client that has none of the open blocks: in the step that it has where the reply of that is whole,
   * because it looks for questions in the last step alone.
   */
  again(): UiChunk[] {
    this.#open.clear();
    this.#inStep = false;
    return this.#isWhole ? [] : this.begin();
  }

  /** Continues in another message. */
  anew(): UiChunk[] {
    this.#open.clear();
    this.#inStep = false;
    return this.begin();
  }

  #after(chunk: Chunk, parentCallId: string | undefined): UiChunk[] {
    if (isCallChunk(chunk)) {
      // The calls of a step begin when its reply is whole.
      if (!chunk.type.startsWith('tool_arg')) this.#isWhole = true;
      const made = this.calls.after(chunk, chunk.agentType, parentCallId);
      return made.length > 0 && !chunk.type.startsWith('tool_arg') ? [...this.#closeBlocks(), ...made] : made;
    }
    switch (chunk.type) {
      case 'step_started':
        this.#lastText = '';
        return this.begin();
      case 'text_delta':
        this.#lastText += chunk.delta;
        return this.#grow('text', chunk);
      case 'thinking':
        return chunk.isComplete && chunk.delta === ''
          ? this.#end(blockOf('reasoning', chunk))
          : [...this.#grow('reasoning', chunk), ...(chunk.isComplete ? this.#end(blockOf('reasoning', chunk)) : [])];
      case 'step_committed':
        this.#isWhole = true;
        this.#finish = finishOf(chunk.finishReason);
        return this.#closeBlocks();
      case 'step_discarded':
        return this.#discarded();
      case 'output':
        return chunk.output === this.#lastText || typeof chunk.output === 'string'
          ? []
          : [{ type: 'data-output', id: 'output', data: chunk.output }];
      case 'custom':
        return [ownEvent(chunk)];
      case 'state_patch':
        return [{ type: 'data-state', data: { patch: chunk.patch }, transient: true }];
      case 'run_recovered':
        return [{ type: 'data-notice', data: { kind: 'recovered' }, transient: true }];
      default:
        return this.#further(chunk);
    }
  }

  #further(chunk: Chunk): UiChunk[] {
    switch (chunk.type) {
      case 'provider_tool_start':
        this.#providers.add(providersId(chunk));
        return [providersCall(chunk, chunk.arguments)];
      case 'provider_tool_end': {
        const toolCallId = providersId(chunk);
        const announced = providersCall(chunk, null);
        // Its beginning may lie in a step that was discarded.
        const before = this.#providers.has(toolCallId) ? [] : [announced];
        this.#providers.delete(toolCallId);
        return chunk.success
          ? [...before, { type: 'tool-output-available', toolCallId, output: chunk.result }]
          : [...before, { type: 'tool-output-error', toolCallId, errorText: 'The tool of the provider failed.' }];
      }
      case 'reply_source':
        return [sourceOf(chunk)];
      case 'reply_file':
        return [this.#file(chunk)];
      default:
        return [];
    }
  }

  #grow(kind: 'text' | 'reasoning', chunk: Of<'text_delta' | 'thinking'>): UiChunk[] {
    const id = blockOf(kind, chunk);
    const begun: UiChunk[] = this.#open.has(id) ? [] : [{ type: `${kind}-start`, id }];
    this.#open.set(id, kind);
    return [...begun, { type: `${kind}-delta`, id, delta: chunk.delta }];
  }

  #end(id: string): UiChunk[] {
    const kind = this.#open.get(id);
    this.#open.delete(id);
    return kind ? [{ type: `${kind}-end`, id }] : [];
  }

  #closeBlocks(): UiChunk[] {
    return [...this.#open.keys()].flatMap((id) => this.#end(id));
  }

  #discarded(): UiChunk[] {
    this.#open.clear();
    this.#providers.clear();
    this.#lastText = '';
    this.calls.discard();
    if (!this.#inStep) return [];
    this.#isFresh = true;
    return [{ type: 'reset-step' }];
  }

  #file(chunk: Of<'reply_file'>): UiChunk {
    const { address, mediaType, path, url, omitted } = chunk;
    if (path !== undefined)
      return { type: 'file', mediaType, url: `${this.filesAt}${address}/files/${encodeURIComponent(path)}` };
    if (url !== undefined) return { type: 'file', mediaType, url };
    return { type: 'data-omitted-file', data: { mediaType, reason: omitted ?? '' } };
  }
}

const blockOf = (kind: 'text' | 'reasoning', { step, attempt, part }: Of<'text_delta' | 'thinking'>): string =>
  `${kind}-${step}.${attempt}.${part}`;

/** A provider may use one id twice in one conversation. */
const providersId = ({ agentId, step, attempt, providerCallId }: Of<'provider_tool_start' | 'provider_tool_end'>) =>
  `${agentId}.${step}.${attempt}.${providerCallId}`;

function providersCall(chunk: Of<'provider_tool_start' | 'provider_tool_end'>, input: Json): UiChunk {
  const { toolName, address, agentType } = chunk;
  return {
    type: 'tool-input-available',
    ...{ toolCallId: providersId(chunk), toolName, input, dynamic: true, providerExecuted: true },
    toolMetadata: { address, agentType },
  };
}

function sourceOf({ sourceId, sourceType, url, title, mediaType, filename }: Of<'reply_source'>): UiChunk {
  if (sourceType === 'url' && url !== undefined)
    return { type: 'source-url', sourceId, url, ...(title === undefined ? {} : { title }) };
  return {
    type: 'source-document',
    ...{ sourceId, mediaType: mediaType ?? 'application/octet-stream', title: title ?? filename ?? url ?? sourceId },
    ...(filename === undefined ? {} : { filename }),
  };
}

/** An event of the author. Of several with one name the last counts; words about how far the agent is are not kept. */
function ownEvent({ name, data }: Of<'custom'>): UiChunk {
  if (name === 'status') return { type: 'data-status', data, transient: true };
  return { type: `data-${OWN_DATA.includes(name) ? `custom-${name}` : name}`, id: name, data };
}

const finishOf = (reason: string): FinishReason => (FINISHES.includes(reason) ? (reason as FinishReason) : 'other');
