/**
 * The state of a remote task that is bounded: calls that wait for a person, replies that are being
 * written, and how much of its log was taken. Each has a bound.
 *
 * Keeps RM31, RM32, RM96.
 */

import { type RemoteBounds, RemoteError } from '../../../core/definition/remote-transport';
import type { WaitingCall } from '../../../core/tree/pending';
import type { Chunk } from '../../../protocol/chunks';
import { byteLength } from '../../../protocol/json';
import { isEndChunk } from '../../../protocol/status';

/** The bounded state of one task. */
export interface Held {
  readonly waiting: readonly WaitingCall[];
  /** Characters of the replies that are being written, by the address of the agent. */
  readonly replies: { readonly [address: string]: number };
  /** The log so far, in bytes of its JSON. */
  readonly logBytes: number;
}

/** Nothing yet. */
export const NOTHING_HELD: Held = { waiting: [], replies: {}, logBytes: 0 };

/** The same state without calls that wait and without open replies. */
export const nothingWaits = (held: Held): Held => ({ ...held, waiting: [], replies: {} });

/** So many agents of one task may be writing a reply at once: each is counted by itself. */
const MAX_REPLIES = 256;

const tooLarge = (what: string): never => {
  throw new RemoteError('remote_too_large', what);
};

/** A chunk that is passed over counts so many bytes at least: it costs a commit as others do. */
const PASSED_OVER_BYTES = 100;

/** The size of the log with so many bytes more. @throws RemoteError for more */
function logBytesWith(held: Held, bytes: number, { maxLogBytes }: RemoteBounds): number {
  const logBytes = held.logBytes + bytes;
  if (logBytes > maxLogBytes) tooLarge(`The log of its task has more than ${maxLogBytes} bytes.`);
  return logBytes;
}

/** The state after a chunk of an unknown type, of which its size alone is kept. @throws RemoteError for a log that is too long */
export const withPassedOver = (held: Held, bytes = 0, bounds: RemoteBounds): Held => ({
  ...held,
  logBytes: logBytesWith(held, Math.max(bytes, PASSED_OVER_BYTES), bounds),
});

/** The state after a chunk with its local ids. @throws RemoteError for one that holds too much */
export function heldAfter(held: Held, chunk: Chunk, bounds: RemoteBounds, now: number): Held {
  const logBytes = logBytesWith(held, byteLength(JSON.stringify(chunk)), bounds);
  const waiting = waitingAfter(held.waiting, chunk, now);
  if (waiting.length > bounds.maxOpenCalls)
    tooLarge(`It has more than ${bounds.maxOpenCalls} calls that wait for a person.`);
  return { waiting, replies: repliesAfter(held.replies, chunk, bounds), logBytes };
}

/** The calls that wait for a person after a chunk, at any depth below the child. A call waits since it came. */
function waitingAfter(waiting: readonly WaitingCall[], chunk: Chunk, now: number): readonly WaitingCall[] {
  switch (chunk.type) {
    case 'tool_approval_request':
    case 'client_tool_request': {
      const { toolCallId, toolName, expiresAt, address, agentType } = chunk;
      const before = waiting.find((one) => one.toolCallId === toolCallId);
      if (before && before.at?.address !== address)
        throw new RemoteError('remote_invalid', 'It opened a call with an id that another of its agents has open.');
      const asked = {
        ...{ toolCallId, toolName, stepId: chunk.step, at: { address, agentType } },
        kind: chunk.type === 'client_tool_request' ? ('client-tool' as const) : ('approval' as const),
        requestedAt: before?.requestedAt ?? now,
        ...(expiresAt === undefined ? {} : { expiresAt }),
      };
      return [...waiting.filter((one) => one !== before), asked];
    }
    case 'tool_answered':
    case 'tool_end':
      return waiting.filter(({ toolCallId, at }) => toolCallId !== chunk.toolCallId || at?.address !== chunk.address);
    default:
      return isEndChunk(chunk) ? waiting.filter(({ at }) => at?.address !== chunk.address) : waiting;
  }
}

/** The open replies after a chunk. */
function repliesAfter(replies: Held['replies'], chunk: Chunk, { maxReplyCharacters }: RemoteBounds): Held['replies'] {
  const { address } = chunk;
  if (chunk.type === 'text_delta' || chunk.type === 'thinking' || chunk.type === 'tool_arg_stream_delta') {
    const characters = (replies[address] ?? 0) + chunk.delta.length;
    if (characters > maxReplyCharacters) tooLarge(`A reply has more than ${maxReplyCharacters} characters.`);
    if (replies[address] === undefined && Object.keys(replies).length >= MAX_REPLIES)
      tooLarge(`More than ${MAX_REPLIES} of its agents are writing a reply at once.`);
    return { ...replies, [address]: characters };
  }
  const ends = chunk.type === 'step_committed' || chunk.type === 'step_discarded' || isEndChunk(chunk);
  if (!ends || replies[address] === undefined) return replies;
  const { [address]: _ended, ...others } = replies;
  return others;
}
