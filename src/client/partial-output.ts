/**
 * The output of a run while its model writes it: the arguments of `__finish__`, and at the end the output itself.
 *
 * Keeps J10, J11.
 */
import { isObject, type Json } from '../protocol/json';
import { FINISH_TOOL } from '../protocol/messages';
import type { Client, ClientFollowOptions, Watched } from './client';
import type { FollowEvent } from './follow';
import { PartialJson } from './partial-json';

/** A partial value: strings and lists may grow, and properties may be missing. */
export type DeepPartial<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly DeepPartial<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> }
      : Value;

/** The output of one agent's newest run, as far as it is known. */
export class PartialOutput {
  #written: { readonly callId: string; readonly key: string | undefined; readonly json: PartialJson } | undefined;
  #output: Json | undefined;
  /** The attempt that was discarded last: what still comes of it counts no more. */
  #discarded = '';

  constructor(readonly address: string) {}

  /** The output so far; undefined before any of it is known. */
  get value(): Json | undefined {
    if (this.#output !== undefined || this.#written === undefined) return this.#output;
    const { key, json } = this.#written;
    const { value } = json;
    return key === undefined || value === undefined ? value : isObject(value) ? value[key] : undefined;
  }

  /** Takes the next event of the log. */
  take(event: FollowEvent): void {
    if (event.type === 'reset') this.#begin();
    if (event.type !== 'chunk' || event.entry.chunk.address !== this.address) return;
    const { chunk } = event.entry;
    const attempt = `${chunk.runId} ${chunk.step} ${chunk.attempt}`;
    switch (chunk.type) {
      case 'tool_arg_stream_start':
        if (chunk.toolName === FINISH_TOOL && this.#written === undefined && attempt !== this.#discarded)
          this.#written = { callId: chunk.toolCallId, key: chunk.outputKey, json: new PartialJson() };
        break;
      case 'tool_arg_stream_delta':
        if (chunk.toolCallId === this.#written?.callId) this.#written.json.push(chunk.delta);
        break;
      case 'output':
      case 'run_completed':
        this.#output = chunk.output;
        break;
      case 'tool_end':
        if (!chunk.success && chunk.toolCallId === this.#written?.callId) this.#begin();
        break;
      case 'step_discarded':
        this.#discarded = attempt;
        this.#begin();
        break;
      case 'run_started':
      case 'step_started':
      case 'run_failed':
      case 'run_interrupted':
      case 'run_terminated':
        this.#begin();
    }
  }

  #begin(): void {
    this.#written = this.#output = undefined;
  }
}

/** An event, the view after it, and the output so far. */
export interface WatchedOutput<Output = Json> extends Watched {
  /**
   * The typed output so far; complete once the run has completed. It is undefined at first and, without `deltas`, until
   * the end. A value that you have read does not change.
   */
  readonly partialOutput: DeepPartial<Output> | undefined;
}

/**
 * Follows an agent like the client's `watch`, with its typed output while the model writes it.
 * @example
 * const titles = async (offshoot: Client, address: string) => {
 *   for await (const { partialOutput } of watchOutput<{ title: string }>(offshoot, address))
 *     console.log(partialOutput?.title ?? '');
 * };
 */
export async function* watchOutput<Output = Json>(
  client: Pick<Client, 'watch'>,
  address: string,
  options: ClientFollowOptions = {},
): AsyncGenerator<WatchedOutput<Output>, void, void> {
  const output = new PartialOutput(address);
  for await (const watched of client.watch(address, options)) {
    output.take(watched.event);
    yield {
      ...watched,
      // Read where it is asked for: nobody else pays for it.
      get partialOutput() {
        return output.value as DeepPartial<Output> | undefined;
      },
    };
  }
}
