/** Where a memory is cut that goes on behind a checkpoint, read from its store. */
import { type Cut, cutAt } from '../core/agent/copy';
import type { Session } from '../core/agent/state';
import type { AgentStore } from '../core/ports/agent-store';
import type { Failure } from '../protocol/errors';

/** The cut behind a step of a session; or why there is none. */
export function cutIn(store: AgentStore, session: Session, wanted: number): Cut | Failure {
  const [step, next] = store.steps({ after: wanted - 1, limit: 2 });
  const [before] = store.customBefore({ after: wanted, limit: 1 });
  return cutAt(wanted, {
    session,
    ...(step ? { step } : {}),
    ...(next ? { next } : {}),
    ...(before ? { before } : {}),
  });
}
