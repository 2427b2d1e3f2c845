/**
 * The end of children that are kept with a run of their parent, once they have left (child-retention.ts). Their objects are removed by the root, when it
 * hears of the end (`core/tree/retention.ts`); for the parent they are nobody from that end on.
 *
 * CR2. The run is a chain: one that was interrupted has not ended, unless another one began in its place.
 * CR3. One that is at work then is ended for good.
 */
import { failure } from '../../../protocol/errors';
import type { Draft } from '../draft';
import type { Rules } from '../rules';
import { endsSession } from '../runs/stop-verb';
import { hasLeft } from './child-retention';
import { stopTask } from './delegation';

/** Ends for good what works on for a run that has ended. Its end wakes nobody. */
export function endLeft(
  draft: Draft,
  { at, token }: { readonly at: number; readonly token: string },
  rules: Rules,
): void {
  for (const child of draft.state.children.values()) {
    if (!hasLeft(child, draft.state)) continue;
    const { onIdle, ...terms } = child.terms;
    const isEnding = child.state.is === 'stopping' && endsSession(child.state.verb);
    if (isEnding && onIdle === undefined) continue;
    const quiet = { ...child, terms };
    draft.setChild(quiet);
    const error = failure('terminated', 'It was kept for one run of its parent, which has ended.');
    stopTask(draft, quiet, { verb: 'terminate', error, at, token }, rules);
  }
}
