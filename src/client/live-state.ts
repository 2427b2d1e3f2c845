/**
 * The custom state of an agent, live: read once, then changed by the patches of the log.
 *
 * Keeps J14, J16.
 */
import type { Chunk } from '../protocol/chunks';
import type { Json } from '../protocol/json';
import { patched } from '../protocol/view/patched';
import { type AgentView, agentAt, type StatePatchView, type TreeView } from '../protocol/view/view';
import type { Document } from '../protocol/wire/wire-types';
import { backoffOf, realClock } from './again';
import type { Client, ClientFollowOptions, Watched } from './client';
import { Refused, Unreachable } from './errors';

/** A state that was read, with the patches that came after it. */
export class LiveState {
  #value: Json;
  #taken = 0;
  /** The sequence of a patch that has no place in the state: one before it is missing. */
  brokenAt: number | undefined;

  constructor(readonly read: Document<'state'>) {
    this.#value = read.state;
  }

  /** The state after these patches, of which those that it had before come first. */
  after(patches: readonly StatePatchView[]): Json {
    while (this.brokenAt === undefined && this.#taken < patches.length) {
      const { sequence = 0, patch = [] } = patches[this.#taken] ?? {};
      const next = sequence > this.read.asOfSequence ? patched(this.#value, patch) : this.#value;
      if (next === undefined) this.brokenAt = sequence;
      else [this.#value, this.#taken] = [next, this.#taken + 1];
    }
    return this.#value;
  }
}

/** Chunks that come many times a second. */
const PIECES: ReadonlySet<string> = new Set<Chunk['type']>([
  'text_delta',
  'thinking',
  'tool_arg_stream_delta',
  'custom',
]);

/** True if an agent has a state that can be read: not before it begins. */
export const hasState = ({ status, runs }: AgentView): boolean => status !== 'queued' || runs.length > 0;

/** The part of a log that patches continue without a gap: a state that was read for another one is read again. */
export const stretchOf = ({ agentId }: AgentView, { completeFrom }: TreeView): string => `${agentId} ${completeFrom}`;

/** An event, the view after it, and the custom state. */
export interface WatchedState<State = Json> extends Watched {
  /** The custom state; undefined until the agent has begun and its state was read. */
  readonly state: State | undefined;
}

/**
 * Follows an agent like the client's `watch`, with its custom state. Reads the state once, and again only where the log
 * has a gap or a reading failed.
 * @throws {Refused} also where the state may not be read
 * @example
 * const show = async (offshoot: Client, address: string) => {
 *   for await (const { state } of watchState<{ todos: string[] }>(offshoot, address)) console.log(state?.todos);
 * };
 */
export async function* watchState<State = Json>(
  client: Pick<Client, 'watch' | 'state'>,
  address: string,
  options: ClientFollowOptions = {},
): AsyncGenerator<WatchedState<State>, void, void> {
  const { signal, clock = realClock } = options;
  let live: LiveState | undefined;
  let of: string | undefined;
  let [failures, dueAt] = [0, 0];
  for await (const watched of client.watch(address, options)) {
    const { event, view } = watched;
    const agent = agentAt(view, address);
    if (agent !== undefined && hasState(agent)) {
      const isCurrent = of === stretchOf(agent, view);
      if (isCurrent) live?.after(agent.statePatches);
      const isNeeded = !isCurrent || live?.brokenAt !== undefined;
      // Pieces wait for the backoff after a failure. The other events are few, and may be the last for long.
      const waits = event.type === 'chunk' && PIECES.has(event.entry.chunk.type);
      if (isNeeded && (!waits || clock.now() >= dueAt)) {
        const read = await client.state(address, signal && { signal }).catch(passing);
        if (read !== undefined) {
          [live, of] = [new LiveState(read), stretchOf(agent, view)];
          live.after(agent.statePatches);
        }
        const isRead = read !== undefined && live?.brokenAt === undefined;
        dueAt = isRead ? 0 : clock.now() + backoffOf(failures);
        failures = isRead ? 0 : failures + 1;
      }
    }
    // The agent's schema has checked it.
    yield { ...watched, state: live?.after([]) as State | undefined };
  }
}

/** Nothing where the same request may succeed later, or there will never be a state. @throws any other error */
function passing(error: unknown): undefined {
  const passes =
    error instanceof Unreachable || (error instanceof Refused && (error.retryable || error.code === 'never_began'));
  if (!passes) throw error;
}
