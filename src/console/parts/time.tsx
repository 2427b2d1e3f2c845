/** A time, in the zone that is chosen for all of them. */
import { memo } from 'react';
import { usePreferences } from '../data/preferences';
import { clock, iso } from './words';

/** A time in ms since 1970; the whole of it with its offset when it is pointed at. `fine`: with what is beyond its seconds. */
export const Time = memo(function Time({ at, fine = false }: { at: number; fine?: boolean }) {
  const { zone } = usePreferences();
  const whole = iso(at, zone);
  return (
    <time dateTime={whole} title={whole}>
      {clock(at, { zone })}
      {fine && String((at % 1_000) / 1_000).slice(1)}
    </time>
  );
});
