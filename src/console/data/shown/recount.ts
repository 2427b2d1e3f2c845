/** Times at which a value that changes often is read again. */
import { useEffect, useRef } from 'react';

/**
 * Calls `recount` for a version that is newer than the one it was read with, once in so many ms at most.
 * A change in between is read when that time is over.
 */
export function useRecount(version: number, recount: () => void, everyMs: number): void {
  const read = useRef({ version, at: Date.now() });
  const newest = useRef(recount);
  useEffect(() => {
    newest.current = recount;
  });
  useEffect(() => {
    if (version === read.current.version) return undefined;
    const wait = Math.max(0, read.current.at + everyMs - Date.now());
    const timer = setTimeout(() => {
      read.current = { version, at: Date.now() };
      newest.current();
    }, wait);
    return () => clearTimeout(timer);
  }, [version, everyMs]);
}
