/** What became of a press that has no answer: that it was not sent, why, and what to do. */
import { Refused, Unreachable } from '../../client';
import type { Pressed } from '../data/press';
import { Trouble } from './trouble';

/** `what`: the button's word. Nothing while it is on its way, or was answered. */
export function Unsent({ what, press: { lost, error } }: { what: string; press: Pressed }) {
  if (lost !== undefined)
    return (
      <p className="trouble" role="alert">
        <strong>{what} was not sent:</strong> {lost}. It is tried again by itself; press again to try at once.
      </p>
    );
  if (error === null) return null;
  if (error instanceof Refused || !(error instanceof Unreachable)) return <Trouble error={error} />;
  return (
    <p className="trouble" role="alert">
      <strong>{what} was not sent:</strong> the server has not answered for a minute. Look whether it runs and this
      device is online, and press again: it counts once.
    </p>
  );
}
