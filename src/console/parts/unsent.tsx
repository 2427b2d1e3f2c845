/** What became of a press that has no answer: whether it was sent, as far as that is known, why, and what to do. */
import { Refused, Unreachable } from '../../client';
import type { Pressed } from '../data/press';
import { Trouble } from './trouble';

/** Nothing while it is on its way, or was answered. */
export function Unsent({ press: { what, lost, unsent = false, error } }: { press: Pressed }) {
  const how = unsent ? 'was not sent' : 'has no answer yet';
  const known = unsent ? '' : 'It may or may not have arrived. ';
  if (lost !== undefined)
    return (
      <p className="trouble" role="alert">
        <strong>
          {what} {how}:
        </strong>{' '}
        {lost}. {known}It is retried automatically and takes effect once; press again to retry now.
      </p>
    );
  if (error === null) return null;
  if (error instanceof Refused || !(error instanceof Unreachable)) return <Trouble error={error} />;
  return (
    <p className="trouble" role="alert">
      <strong>
        {what} {how}:
      </strong>{' '}
      the server has not answered for a minute. {known}Check the server and your connection, then press again; the
      action takes effect once.
    </p>
  );
}
