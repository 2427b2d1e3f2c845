/**
 * Whose files a session works on: what a child is given when its session begins, and who may work on another's files.
 *
 * Decides: who may work on the files of another agent.
 * Keeps WS10, WS13, WS26.
 */
import type { WorkspaceOptions } from '../../definition/definition';
import type { AgentState, ParentLink, Run, Session, SessionWorkspace } from '../state';
import type { Child } from './child';

type Inherited = Extract<SessionWorkspace, { is: 'inherited' }>;

/** What the session of a child works on, as it is told when it begins. `rules` are those of its parent's own workspace. */
export function workspaceOfChild(
  { setup: { workspace } }: Pick<Child, 'setup'>,
  parent: Session,
  rules: WorkspaceOptions = {},
): SessionWorkspace | undefined {
  if (workspace === undefined) return undefined;
  switch (workspace) {
    case 'per-invocation':
      return { is: 'per-invocation' };
    case 'inherited':
    case 'inherited-read': {
      const { sessionId, address } = parent;
      const shared: Inherited =
        parent.workspace?.is === 'inherited'
          ? parent.workspace
          : { is: 'inherited', owner: { sessionId, address }, rules };
      return workspace === 'inherited' ? shared : { ...shared, rules: { ...shared.rules, readOnly: true } };
    }
  }
}

/** Whether a session begins a further task with what changes its run, and its files are to go with the task before. */
export function losesFiles({ workspace }: Session, before: Run | undefined, after: Run | undefined): boolean {
  if (workspace?.is !== 'per-invocation' || before?.task === undefined || after?.task === undefined) return false;
  return before.task.task !== after.task.task || before.task.childId !== after.task.childId;
}

/**
 * Whether somebody may work on the files of a session: who is at or below a child that has a task of it. What a child does
 * whose task has ended, or whose place another one has, is too late.
 */
export function mayWorkOn({ children }: Pick<AgentState, 'children'>, asker: ParentLink): boolean {
  return [...children.values()].some(
    ({ sessionId, address }) => sessionId === asker.sessionId || asker.address.startsWith(`${address}/`),
  );
}
