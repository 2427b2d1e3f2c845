/**
 * Where a memory is cut that goes on behind a checkpoint, read from its store.
 *
 * Keeps CP7.
 */

import { customAt } from '../../core/agent/custom-state';
import { handingIn } from '../../core/agent/handoff';
import type { AgentState, Session } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import type { Failure } from '../../protocol/errors';
import { type Cut, cutAt } from './memory';

/** The cut behind a step of a session; or why there is none. */
export function cutIn(store: AgentStore, session: Session, wanted: number): Cut | Failure {
  const active = activeAfter(store, session, wanted);
  const cut = cutOf(store, session, wanted);
  return 'code' in cut || active === undefined ? cut : { ...cut, active };
}

/** Who worked for a session behind a step: the next handoff says who had it before. */
function activeAfter(store: AgentStore, { active }: Session, wanted: number): string | undefined {
  if (active === undefined) return undefined;
  for (let after = wanted; ; ) {
    const steps = store.steps({ after, limit: PAGE });
    const handing = steps.map(handingIn).find((plan) => plan !== undefined);
    if (handing) return handing.handsOver?.from;
    const last = steps.at(-1);
    if (last === undefined || steps.length < PAGE) return active;
    after = last.id;
  }
}

/** Steps that are read at once. */
const PAGE = 100;

function cutOf(store: AgentStore, session: Session, wanted: number): Cut | Failure {
  const [step, next] = store.steps({ after: wanted - 1, limit: 2 });
  const [before] = store.customBefore({ after: wanted, limit: 1 });
  return cutAt(wanted, {
    session,
    ...(step ? { step } : {}),
    ...(next ? { next } : {}),
    ...(before ? { before } : {}),
  });
}

/** The custom state at a cut, with the step of its last change; undefined where it is not known any more. */
export function stateAt(store: AgentStore, { session, custom }: AgentState, { step }: Cut): Cut['state'] {
  const [before] = store.customBefore({ after: step, limit: 1 });
  const state = customAt(session, step, before);
  return state === 'as_now' ? { custom, changed: session.customStep ?? 0 } : state;
}
