/** A time, in the zone that is chosen for all of them. */
import { memo } from 'react';
import { usePreferences } from '../data/preferences';
import { clock, iso } from './words';

/** A time in ms since 1970; the whole of it with its offset when it is pointed at. */
export const Time = memo(function Time({ at }: { at: number }) {
  const { zone } = usePreferences();
  const whole = iso(at, zone);
  return (
    <time dateTime={whole} title={whole}>
      {clock(at, { zone })}
    </time>
  );
});
