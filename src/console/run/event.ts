/** An address that names an event opens its agent at what the event belongs to. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Chunk } from '../../client';
import { Latest } from '../data/latest';
import { server } from '../data/session';
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

/** Goes to the event that the address names, once for each; the returned function goes to another one. */
export function useEvent(root: string, { seq, point }: RunPlace): (seq: number) => void {
  const been = useRef<number>(undefined);
  const [loads] = useState(() => new Latest());
  const goTo = useCallback(
    (to: number) => {
      const found = (chunk: Chunk | undefined) => {
        been.current = to;
        if (chunk === undefined) return toast(`Event ${to} is not in the log.`, { wrong: true });
        const { address, runId, step } = chunk;
        const call = 'toolCallId' in chunk && chunk.toolCallId !== undefined ? { call: chunk.toolCallId } : {};
        point(address, { run: runId, ...(step > 0 ? { step } : {}), ...call, seq: to });
      };
      // What ends it is said by the badge of the run.
      loads.load((signal) => chunkAt(root, to, signal), found).catch(() => undefined);
    },
    [loads, root, point],
  );
  useEffect(() => {
    if (seq !== undefined && been.current !== seq) goTo(seq);
  }, [seq, goTo]);
  useEffect(() => () => loads.stop(), [loads]);
  return goTo;
}
