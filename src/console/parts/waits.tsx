/** Where something is awaited: nothing for a moment, then a sign that it comes. */
import { useEffect, useState } from 'react';

/** What is there sooner shows no sign, in ms. */
const LATE_MS = 200;

/** As tall as so many rows of what is awaited. */
export function Waits({ rows = 6 }: { rows?: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="waits" role="status" aria-label={late ? 'Loading' : undefined}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={late ? 'bone' : 'bone clear'} />
      ))}
    </div>
  );
}
