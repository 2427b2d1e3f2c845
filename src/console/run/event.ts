/** An address that names an event opens its agent at what the event belongs to. */
import { useCallback } from 'react';
import type { Chunk } from '../../client';
import { server } from '../data/session';
import { useDestination } from '../data/shown/destination';
import { toast } from '../data/toasts';
import type { RunPlace } from './place';

/** The first chunk of a log from a sequence on; undefined where none is there. */
async function chunkAt(root: string, seq: number, signal: AbortSignal): Promise<Chunk | undefined> {
  for await (const event of server().follow(root, { from: seq, stay: true, signal })) {
    if (event.type === 'chunk') return event.entry.chunk;
    if (event.type === 'reset' || event.type === 'up-to-date') return undefined;
  }
  return undefined;
}

/** Goes to the event that the place at an address names, once for each; the returned function goes to another one. */
export function useEvent(root: string, address: string, { seq, point }: RunPlace): (seq: number) => void {
  const load = useCallback((to: number, signal: AbortSignal) => chunkAt(root, to, signal), [root]);
  const arrive = useCallback(
    (chunk: Chunk | undefined, to: number) => {
      if (chunk === undefined) return toast(`Event ${to} is not in the log.`, { wrong: true });
      const { runId, step } = chunk;
      const call = 'toolCallId' in chunk && chunk.toolCallId !== undefined ? { call: chunk.toolCallId } : {};
      point(chunk.address, { run: runId, ...(step > 0 ? { step } : {}), ...call, seq: to });
    },
    [point],
  );
  return useDestination({ wanted: seq, place: address, load, arrive });
}
