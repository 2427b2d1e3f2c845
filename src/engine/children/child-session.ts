/**
 * The session that a child begins with.
 *
 * Keeps DG12.
 */
import type { Child } from '../../core/agent/children/child';
import { levelsBelow } from '../../core/agent/children/placement';
import { workspaceOfChild } from '../../core/agent/children/workspace-owner';
import type { ParentAgent } from '../perform/performer';
import type { AssignMessage } from '../tree-messages';

/** The session that a child begins with. */
export function sessionOf({ state: { session }, seat }: ParentAgent, child: Child): AssignMessage['session'] {
  const { sessionId, address, root } = session;
  const { workspace: _rule, ...rights } = child.setup;
  const workspace = workspaceOfChild(child, session, seat.workspace);
  return {
    sessionId: child.sessionId,
    agentType: child.agentType,
    address: child.address,
    root,
    ...levelsBelow(session, child.placement.via),
    parent: { sessionId, address },
    ...(workspace ? { workspace } : {}),
    ...namesOf(child),
    ...rights,
  };
}

/** What the session of a child is called, where its parent's model has called it something. */
function namesOf({ registered }: Child): Pick<AssignMessage['session'], 'tags' | 'displayName'> {
  const { threadName } = registered ?? {};
  return threadName === undefined ? { tags: [] } : { displayName: threadName, tags: [`name:${threadName}`] };
}
