/** Where something is awaited: nothing for a moment, then a sign that it comes. */
import { useEffect, useState } from 'react';
import { Trouble } from './trouble';

/** What is there sooner shows no sign, in ms. */
const LATE_MS = 200;

/** What is not there by then is said to be missing, in ms. */
const MISSING_MS = 8_000;

/** Whether so many ms have passed since it was first drawn. */
function usePassed(ms: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return passed;
}

interface UnansweredProps {
  /** What the server was asked for, behind "has not said". */
  readonly what: string;
  readonly error: Error | null;
  readonly onRetry: () => void;
}

/** What the page cannot do without and the server does not answer: nothing at first, then so, then why. */
export function Unanswered({ what, error, onRetry }: UnansweredProps) {
  const missing = usePassed(MISSING_MS);
  if (error !== null) return <Trouble error={error} onRetry={onRetry} />;
  if (!missing) return null;
  return (
    <p className="trouble" role="alert">
      The server did not return {what}.{' '}
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

/** As tall as so many rows of what is awaited. */
export function Waits({ rows = 6 }: { rows?: number }) {
  const late = usePassed(LATE_MS);
  return (
    <div className="waits" role="status" aria-label={late ? 'Loading' : undefined}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={late ? 'bone' : 'bone clear'} />
      ))}
    </div>
  );
}
