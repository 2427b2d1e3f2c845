/** Until when an answer is taken: by the minute, and by the second in the last ten minutes. */
import { useEffect, useState } from 'react';
import { span } from '../parts/words';

/** Below this, in ms, seconds are counted. */
const SOON = 600_000;
/** What is left when it is said aloud, in ms, the least first. */
const SAID: readonly (readonly [left: number, says: string])[] = [
  [0, 'The deadline has passed: the call counts as denied.'],
  [60_000, 'One minute left to answer.'],
  [300_000, 'Five minutes left to answer.'],
];

/** The time, each second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** How long is left, short. */
export function leftOf(at: number, now: number): string {
  if (at <= now) return 'no time';
  return at - now > SOON ? `${Math.ceil((at - now) / 60_000)}m` : span(at - now);
}

/** The countdown in words; without an end it says so. */
export function Expiry({ at, now }: { at: number | undefined; now: number }) {
  if (at === undefined) return <>no expiry</>;
  const said = SAID.find(([left]) => at - now <= left)?.[1];
  return (
    <>
      {at <= now ? <strong>expired: counts as denied</strong> : <>expires in {leftOf(at, now)}</>}
      <span className="unseen" role="status">
        {said}
      </span>
    </>
  );
}
