/**
 * A place that an address names, or a person presses, and that has to be read first.
 *
 * CN123. Whoever goes to another place while it is read stays there.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { Latest } from './latest';

/** A destination, and the way to it. Both functions stay the same while the page does. */
export interface Destination<Found> {
  /** What the address names; undefined for nothing. */
  readonly wanted: number | undefined;
  /** Where the person is: another place ends the reading. */
  readonly place: string;
  readonly load: (wanted: number, signal: AbortSignal) => Promise<Found>;
  readonly arrive: (found: Found, wanted: number) => void;
}

/** Goes to what the address names, once for each; the returned function goes to another one. */
export function useDestination<Found>({ wanted, place, load, arrive }: Destination<Found>): (to: number) => void {
  const been = useRef<number>(undefined);
  const [loads] = useState(() => new Latest());
  const goTo = useCallback(
    (to: number) => {
      const found = (one: Found) => {
        been.current = to;
        arrive(one, to);
      };
      // What ends it is said by the badge of the run.
      loads.load((signal) => load(to, signal), found).catch(() => undefined);
    },
    [loads, load, arrive],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place ends what is read for this one
  useEffect(() => {
    if (wanted !== undefined && been.current !== wanted) goTo(wanted);
    return () => loads.stop();
  }, [wanted, goTo, loads, place]);
  return goTo;
}
