/** What became of a press that has no answer: whether it was sent, as far as that is known, why, and what to do. */
import { Refused, Unreachable } from '../../client';
import type { Pressed } from '../data/press';
import { Trouble } from './trouble';

/** Nothing while it is on its way, or was answered. */
export function Unsent({ press: { what, lost, unsent = false, error } }: { press: Pressed }) {
  const how = unsent ? 'was not sent' : 'has no answer yet';
  const known = unsent ? '' : 'It is not known whether it arrived. ';
  if (lost !== undefined)
    return (
      <p className="trouble" role="alert">
        <strong>
          {what} {how}:
        </strong>{' '}
        {lost}. {known}It is asked again by itself, and counts once; press again to try at once.
      </p>
    );
  if (error === null) return null;
  if (error instanceof Refused || !(error instanceof Unreachable)) return <Trouble error={error} />;
  return (
    <p className="trouble" role="alert">
      <strong>
        {what} {how}:
      </strong>{' '}
      the server has not answered for a minute. {known}Look whether it runs and this device is online, and press again:
      it counts once.
    </p>
  );
}
