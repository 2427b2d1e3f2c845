/** What is said on top of a view while the server does not answer, or the log that it shows does not come. */
import { CloudOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { tryNow, useAway } from '../data/away';
import { secondsTo } from '../data/reconnect';
import { useStill } from './still';
import { Time } from './time';
import { span } from './words';

/** The time, each second, while it is looked at. */
function useSeconds(runs: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!runs) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

/** How long until the next try, counted down. */
export function NextTry({ nextAt }: { nextAt: number }) {
  const now = useSeconds(nextAt > 0);
  const seconds = secondsTo(nextAt, now);
  return <>{seconds === 0 ? 'now' : `in ${seconds}s`}</>;
}

/** `onTry`: asks anew what this page shows. */
export function AwayBanner({ onTry }: { onTry: () => void }) {
  const away = useStill(useAway());
  const now = useSeconds(away !== undefined);
  if (away === undefined) return null;
  const { what, heardAt, problem, nextAt } = away;
  const says =
    what === 'log'
      ? "The server is reachable, but this run's event stream is not."
      : navigator.onLine
        ? 'The server is not responding.'
        : 'This device is offline.';
  return (
    <div className={`away-banner of-${what}`}>
      <CloudOff size={16} aria-hidden />
      <p>
        <strong role="alert">{says} This page may be out of date.</strong>{' '}
        <span title={problem}>
          Last heard {span(Math.max(1_000, Math.floor((now - heardAt) / 1_000) * 1_000)).replace('.0', '')} ago, at{' '}
          <Time at={heardAt} />.{' '}
          {nextAt === undefined ? (
            'Retries every few seconds'
          ) : (
            <>
              Next retry <NextTry nextAt={nextAt} />
            </>
          )}
          .
        </span>
      </p>
      <button
        type="button"
        onClick={() => {
          tryNow();
          onTry();
        }}
      >
        Try now
      </button>
    </div>
  );
}
