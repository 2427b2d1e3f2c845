/**
 * What a root tells the directory of its class.
 *
 * Keeps A28, A98.
 */

import type { InboundMessage } from '../../core/agent/inbound';
import { askedWith, lastStepBefore } from '../../core/agent/runs/asked';
import type { AgentState } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import type { RootReport } from '../../core/ports/directory';
import type { TreeReport } from '../../core/tree/directory-report';
import type { RootNode } from '../../core/tree/node';
import { beginningOf } from '../../protocol/content/cut';
import { LISTED_LIMITS } from '../../protocol/data-limits';

interface ReportingObject {
  readonly store: Pick<AgentStore, 'messages' | 'steps'>;
  readonly agent: { readonly state: AgentState } | undefined;
}

/** How the root stands, and what of its tree is listed. */
export function reportOf({ store, agent }: ReportingObject, self: RootNode, tree: TreeReport): RootReport {
  if (agent === undefined) throw new TypeError('A tree without its root has nothing to report.');
  const { displayName, tags, sessionId, createdAt, root } = agent.state.session;
  const title = displayName ?? beginning(store.messages({ limit: 1 })[0]);
  const preview = beginning(newestAsked(store, agent.state));
  return {
    ...tree,
    name: root.name,
    sessionId,
    createdAt,
    lastActivity: Math.max(createdAt, tree.lastActivity),
    status: self.status,
    tags,
    ...(displayName === undefined ? {} : { displayName }),
    ...(title === undefined ? {} : { title }),
    ...(preview === undefined ? {} : { preview }),
    ...(self.progress === undefined ? {} : { steps: self.progress.step }),
  };
}

/** Messages that are looked through for the one that a turn was asked with. */
const LOOKED_THROUGH = 20;

/** The message that the newest turn was asked with. */
function newestAsked(store: ReportingObject['store'], state: AgentState): InboundMessage | undefined {
  const before = lastStepBefore(state);
  const [last] = before === 0 ? [] : store.steps({ after: before - 1, limit: 1 });
  return askedWith(store.messages({ after: last?.messagesUpTo ?? 0, limit: LOOKED_THROUGH }));
}

/** How a message begins, in one line. */
export function beginning(message: InboundMessage | undefined): string | undefined {
  if (message === undefined) return undefined;
  const { content } = message;
  const text =
    typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join(' ');
  const line = beginningOf(text.replaceAll(/\s+/g, ' ').trim(), LISTED_LIMITS.title);
  return line === '' ? undefined : line;
}
