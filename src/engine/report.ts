/** What a root tells the directory of its class. */
import type { AgentState } from '../core/agent/state';
import type { AgentStore } from '../core/ports/agent-store';
import type { RootReport } from '../core/ports/directory';
import type { RootNode } from '../core/tree/node';
import type { TreeReport } from '../core/tree/report';
import { LISTED_LIMITS } from '../protocol/data-limits';

interface ReportingObject {
  readonly store: Pick<AgentStore, 'messages'>;
  readonly agent: { readonly state: AgentState } | undefined;
}

/** How the root stands, and what of its tree is listed. */
export function reportOf({ store, agent }: ReportingObject, self: RootNode, tree: TreeReport): RootReport {
  const session = agent?.state.session;
  if (session === undefined) throw new TypeError('A tree without its root has nothing to report.');
  const { displayName, tags, sessionId, createdAt, root } = session;
  const title = displayName ?? beginning(store);
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
  };
}

/** How its first message begins. */
function beginning(store: Pick<AgentStore, 'messages'>): string | undefined {
  const [first] = store.messages({ limit: 1 });
  if (first === undefined) return undefined;
  const { content } = first;
  const text =
    typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join(' ');
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, LISTED_LIMITS.title);
  return line === '' ? undefined : line;
}
