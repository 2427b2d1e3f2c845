/** Agents elsewhere, as another root of the same world: a transport whose network a test decides. */
import {
  type RemoteAgentTransport,
  type RemoteAnswer,
  type RemoteCall,
  RemoteError,
  type RemoteEvent,
} from '../../../../src/core/definition/remote-transport';
import { pause } from '../../../../src/engine/environment';
import { LogReader } from '../../../../src/engine/log-reader';
import { ERROR_CODES } from '../../../../src/protocol/errors';
import { jsonSchema } from '../../../../src/protocol/wire/schemas';
import { verbNamed } from '../../../../src/verbs/table';
import type { Tree } from '../../../support/harness';

/** What stands between: it performs a call, or loses it or its answer by throwing; and cuts streams after some events. */
export interface Between {
  call?(request: RemoteCall, perform: () => Promise<RemoteAnswer>): Promise<RemoteAnswer>;
  /** After how many events a stream is cut, by the number of the stream from 1; never where it says nothing. */
  cutsAfter?(stream: number): number | undefined;
  /** Whether the other side is away: nobody answers, and streams are cut. */
  isAway?(): boolean;
  /** Whether a stream stays open and gives nothing. */
  beats?(stream: number): boolean;
  /** What takes the place of an event. */
  event?(event: RemoteEvent, stream: number): readonly RemoteEvent[];
}

/** No answer to a call in so long, in ms, is none. */
const PATIENCE_MS = 10_000;

/** The way from a tree to other roots of its world. */
export function elsewhere(tree: Tree, between: Between = {}): RemoteAgentTransport & { readonly calls: string[] } {
  const now = () => tree.time.environment;
  const calls: string[] = [];
  let streams = 0;
  const rootOf = (addressClass: string, name: string) => tree.world.object(`/agents/${addressClass}/${name}`);
  return {
    label: 'another root of this world',
    calls,
    async call(request) {
      calls.push(request.verb);
      const { agent, verb, body = {}, idempotencyKey, caller } = request;
      const perform = async (): Promise<RemoteAnswer> => {
        if (between.isAway?.()) throw new RemoteError('remote_unreachable', 'Nobody is there.');
        const given = {
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          caller: caller?.subject ?? 'remote',
        };
        const asked = rootOf(agent.addressClass, agent.name).call({
          kind: 'verb',
          path: [],
          verb,
          // As it is given in: JSON, and checked.
          input: jsonSchema.parse(verbNamed(verb)?.input.parse(body)),
          ...given,
        });
        const late = pause(now(), PATIENCE_MS).then(() => {
          throw new RemoteError('remote_timed_out', 'No answer came.');
        });
        const answer = await Promise.race([asked, late]);
        if (answer.ok) return { ok: true, body: JSON.parse(JSON.stringify(answer.body)) };
        const { code, message, details } = answer.error;
        const { title, status } = ERROR_CODES[code];
        return { ok: false, code, title, detail: message, status, ...(details === undefined ? {} : { details }) };
      };
      return between.call?.(request, perform) ?? perform();
    },
    async *stream({ agent, from, signal }) {
      const stream = ++streams;
      if (between.isAway?.()) throw new RemoteError('remote_unreachable', 'Nobody is there.');
      const root = rootOf(agent.addressClass, agent.name);
      if (root.tree === undefined) throw new RemoteError('remote_unreachable', 'Nobody is there.');
      const reader = new LogReader(root.tree, `/agents/${agent.addressClass}/${agent.name}`, from);
      let left = between.cutsAfter?.(stream) ?? Number.POSITIVE_INFINITY;
      while (!signal.aborted) {
        // What was lost from memory tells nothing more, and neither does what is away.
        if (between.isAway?.() || rootOf(agent.addressClass, agent.name) !== root)
          throw new RemoteError('remote_unreachable', 'The stream was cut.');
        if (between.beats?.(stream)) {
          await pause(now(), 1_000, signal);
          continue;
        }
        const reading = reader.read();
        if (reading.kind === 'reset') yield { type: 'reset', from: reading.from };
        else if (reading.kind === 'chunks') {
          for (const { sequence, chunk } of reading.chunks) {
            if (left-- <= 0) throw new RemoteError('remote_unreachable', 'The stream was cut.');
            const event: RemoteEvent = { type: 'chunk', sequence, chunk };
            yield* between.event?.(event, stream) ?? [event];
          }
        } else if (reader.ended) {
          yield { type: 'end', status: reader.ended.status };
          return;
        } else await pause(now(), 20, signal);
      }
    },
  };
}
