/** What is said on top of every view while the server does not answer. */
import { CloudOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { tryNow, useAway } from '../data/away';
import { secondsTo } from '../data/reconnect';
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
  const away = useAway();
  const now = useSeconds(away !== undefined);
  if (away === undefined) return null;
  const { heardAt, problem, nextAt } = away;
  return (
    <div className="away-banner">
      <CloudOff size={16} aria-hidden />
      <p>
        <strong role="alert">
          {navigator.onLine ? 'The server does not answer.' : 'This device is offline.'} What you see may be old.
        </strong>{' '}
        <span title={problem}>
          Last heard {span(Math.max(1_000, Math.floor((now - heardAt) / 1_000) * 1_000)).replace('.0', '')} ago, at{' '}
          <Time at={heardAt} />. It is asked again{' '}
          {nextAt === undefined ? 'every few seconds' : <NextTry nextAt={nextAt} />}.
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
