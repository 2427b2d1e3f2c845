/**
 * The hooks that a message passes before a step sees it (`before_create_message`, `after_create_message`).
 *
 * Keeps HK20, SAW34.
 *
 * - They are owed when a step is about to begin, and the step waits for them: so whatever way a message came, it passes.
 * - How far a message is, is kept with it: each hook ends once for each message, in whichever run.
 */

import type { MessageChanges } from '../../definition/hooks/hooked-message';
import type { AnyHookName } from '../../definition/hooks/hooks';
import { deliverInbox } from '../delivery';
import type { Draft } from '../draft';
import type { Rules } from '../rules';
import { currentStep, type OwedHook } from '../state';

/** Messages whose hooks are owed at once: the run's row holds a line for each. */
const MESSAGES_AT_ONCE = 20;

const CREATE_HOOKS = ['before_create_message', 'after_create_message'] as const satisfies readonly AnyHookName[];

/** The hooks that each message passes, in order. */
const passedBy = ({ hooks }: Rules): Pick<OwedHook, 'hook' | 'hookId'>[] =>
  CREATE_HOOKS.flatMap((hook) =>
    (hooks.get(hook) ?? []).map((hookId) => ({ hook, ...(hookId === undefined ? {} : { hookId }) })),
  );

/** Owes the hooks of messages that wait for a step and have not passed them; whether there are any. */
export function oweCreateHooks(draft: Draft, rules: Rules): boolean {
  const { run, inbox } = draft.state;
  const hooks = passedBy(rules);
  if (run?.phase !== 'active' || run.stop || hooks.length === 0) return false;
  const waiting = inbox.filter(({ hooked = 0 }) => hooked < hooks.length).slice(0, MESSAGES_AT_ONCE);
  if (waiting.length === 0) return false;
  const fresh = waiting.flatMap(({ messageId, hooked = 0 }) =>
    hooks.slice(hooked).map((one) => ({ id: `${messageId} ${one.hook} ${one.hookId ?? ''}`, ...one, messageId })),
  );
  draft.setRun({ ...run, hooks: { ...run.hooks, owed: [...(run.hooks?.owed ?? []), ...fresh] } });
  return true;
}

/** A hook of a message has ended, with what it gave in its place. */
export function createHookDone(
  draft: Draft,
  { hook, messageId }: OwedHook,
  changes: MessageChanges,
  rules: Rules,
): void {
  if (!isOfMessage({ hook, messageId })) return;
  const message = draft.state.inbox.find((one) => one.messageId === messageId);
  // It was taken back meanwhile where it is not there.
  if (message) draft.setMessage({ ...message, ...changes, hooked: (message.hooked ?? 0) + 1 });
  const { run } = draft.state;
  if (run?.phase === 'active' && !run.hooks?.owed.some(isOfMessage)) showInbox(draft, rules);
}

/** Whether a hook is one that a message passes: that of a reply is owed without. */
const isOfMessage = ({
  hook,
  messageId,
}: {
  readonly hook: string;
  readonly messageId?: string | undefined;
}): boolean => messageId !== undefined && CREATE_HOOKS.some((name) => name === hook);

/** A question that is asked again shows all that has arrived since it was asked first, once that has passed its hooks. */
export function showInbox(draft: Draft, rules: Rules): void {
  const step = currentStep(draft.state);
  if (step?.phase !== 'model' || oweCreateHooks(draft, rules)) return;
  deliverInbox(draft, step);
  draft.setStep({ ...step, messagesUpTo: draft.state.lastMessage });
}
