/**
 * The events of copies in an agent's machine.
 *
 * Decides: which chunk a copied root begins its log with.
 * Keeps CP8, CP17.
 */
import type { CapabilityMachine } from '../../core/agent/capability';
import type { Transition } from '../../core/agent/changes';
import type { Draft } from '../../core/agent/draft';
import type { AgentEvent } from '../../core/agent/events';
import { statusOf } from '../../core/agent/status';
import { onFork } from './by-person';
import { forkChild } from './fork-tool';
import { keepChild } from './keep-tool';
import type { ForkEvent } from './messages';
import { COPIES, copyRows, UNCONFIRMED } from './source';

/** The events of copies. */
export type CopyEvent =
  /** A root begins with the memory of another one; `upTo` is the step that it remembers last. */
  | {
      readonly type: 'copied';
      readonly from: { readonly address: string; readonly sessionId: string };
      readonly upTo?: number;
    }
  | ForkEvent
  /** The tree knows of the session. */
  | { readonly type: 'confirmed' };

/** An event of copies, as the agent's machine takes it. `at` is in ms since 1970. */
export function copyEvent(at: number, event: CopyEvent, token?: string): AgentEvent {
  return { type: 'capability', capability: COPIES, at, event, ...(token === undefined ? {} : { token }) };
}

/** The shortest task. */
const WORD = '.';

/** The machine of copies. */
export const copiesMachine: CapabilityMachine = {
  name: COPIES,
  tools: [forkChild, keepChild],
  on(draft, event: CopyEvent & { readonly at: number; readonly token?: string }, { rules }) {
    switch (event.type) {
      case 'copied':
        return onCopied(draft, event);
      case 'fork':
        return onFork(draft, { ...event, token: event.token ?? '' }, rules);
      case 'confirmed':
        copyRows.drop(draft, UNCONFIRMED);
        return draft.done();
    }
  },
  tries(verb, { name, children, token }) {
    if (verb !== 'fork') return undefined;
    // A name that no child has.
    return { type: 'fork', children, name, newName: `c${token.slice(0, 64)}`, message: WORD } satisfies ForkEvent;
  },
};

/** The log of the copy begins with its original. */
function onCopied(draft: Draft, { from, upTo }: Extract<CopyEvent, { type: 'copied' }>): Transition {
  draft.emit({
    type: 'session_copied',
    fromAddress: from.address,
    fromSessionId: from.sessionId,
    ...(upTo === undefined ? {} : { checkpointId: `${from.sessionId}.${upTo}` }),
    status: statusOf(draft.state),
  });
  return draft.done();
}
