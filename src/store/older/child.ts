/**
 * Children as rows of formats 1 to 3 hold them: the terms of a task, the setup of a session and the facts of the mailbox
 * one by one. Such a child is written in the newest shape when it changes next.
 *
 * Keeps SO3.
 */
import type { Child, ChildSetup, Mailbox, TaskTerms } from '../../core/agent/children/child';

interface OlderFacts extends TaskTerms, Pick<ChildSetup, 'workspace' | 'mayRead'> {
  readonly gives?: true;
  readonly mail?: Mailbox['messages'];
  readonly lastMail?: number;
  readonly mailTaken?: number;
}

/** A child of one of these formats. */
export type OlderChild = Omit<Child, 'terms' | 'setup' | 'mailbox'> & OlderFacts;

const isOlder = (stored: Child | OlderChild): stored is OlderChild => !('terms' in stored);

/** A child of any format, in the shape of the newest. */
export function childOf(stored: Child | OlderChild): Child {
  if (!isOlder(stored)) return stored;
  const { timeoutMs, onParentSuspend, onFailure, onIdle, budget, brings, ...facts } = stored;
  const { workspace, gives, mayRead, mail = [], lastMail, mailTaken, ...child } = facts;
  return {
    ...child,
    terms: {
      ...{ timeoutMs, onParentSuspend, onFailure },
      ...(onIdle ? { onIdle } : {}),
      ...(budget ? { budget } : {}),
      ...(brings ? { brings } : {}),
    },
    setup: {
      ...(workspace ? { workspace } : {}),
      ...(gives ? { givesFiles: gives } : {}),
      ...(mayRead ? { mayRead } : {}),
    },
    ...(lastMail === undefined
      ? {}
      : { mailbox: { messages: mail, last: lastMail, ...(mailTaken === undefined ? {} : { taken: mailTaken }) } }),
  };
}
