/**
 * `companion__terminateChild` and `companion__stopChild`: end a companion for good, or stop what it does now.
 *
 * Keeps CO11, CO12.
 */
import * as z from 'zod';
import { failure } from '../../../../protocol/errors';
import { mintId } from '../../../../protocol/ids';
import { isSameTask } from '../../children/await';
import { type Child, keyOf } from '../../children/child';
import { posted } from '../../children/child-messages';
import { stopTask } from '../../children/delegation';
import type { BuiltInCall, BuiltInPlan, BuiltInTool } from '../../rules';
import { childNamed, hasCompanions, inboxFull, isFull, nameSchema, no, nobody } from './names';
import { beingStopped, companionStatus, endOf } from './told-to-model';

const nameInput = z.strictObject({ name: nameSchema.describe('Whom.') });

const atOnce = (value: { [key: string]: string | boolean }): BuiltInPlan => ({
  kind: 'immediate',
  result: { success: true, value },
});

/** The row of `companion__terminateChild`. */
export const terminateChild: BuiltInTool = {
  name: 'companion__terminateChild',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      description:
        'Terminates a working companion at once, and returns what it had done. Its name is free again for a new one. A companion whose task has ended is not changed.',
      endsRun: false,
      inputSchema: nameInput,
      needs: (args) => ({ names: [nameInput.parse(args).name] }),
      apply(draft, call, rules) {
        const { name } = nameInput.parse(call.args);
        const child = childNamed(draft, call, name);
        if (child === undefined) return nobody(name);
        if (child.state.is === 'ended') return atOnce({ name, terminated: false, status: companionStatus(child) });
        const error = failure('terminated', 'Its parent terminated it.');
        stopTask(draft, child, { verb: 'terminate', error, at: call.at, token: call.token }, rules);
        return { kind: 'wait', tasks: [keyOf(child)], need: 1 };
      },
      tell([end]) {
        if (end === undefined) return { success: true, value: { terminated: false } };
        const terminated = !end.result.success && end.result.error.code === 'terminated';
        return { success: true, value: { ...endOf(end, 'result'), terminated } };
      },
    };
  },
};

const stopInput = z.strictObject({
  name: nameSchema.describe('Whom.'),
  how: z
    .enum(['finish', 'pause'])
    .optional()
    .describe(
      'finish (default): it is asked to end its task now, with what it has. pause: it stops, and continues when you send it a message.',
    ),
});

const FINISH_NOW =
  'Your parent asks you to end now: give your final answer with what you have, and say what is missing.';

function finishNow(child: Child, callId: string, messageId: string): Child {
  return posted(child, { messageId, role: 'user', content: FINISH_NOW, from: 'offshoot' }, callId);
}

/** Whether a call before this one in the reply waits for a child, however long that takes. */
const isWaitedFor = (child: Child, { earlier }: BuiltInCall): boolean =>
  earlier.some((plan) => {
    if (plan.kind !== 'task' || plan.awaits.until !== undefined) return false;
    return plan.awaits.tasks.some((task) => isSameTask(task, keyOf(child)));
  });

/** The row of `companion__stopChild`. */
export const stopChild: BuiltInTool = {
  name: 'companion__stopChild',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      description:
        'Stops the current work of a companion, and keeps the companion: it ends its task with what it has, or pauses until you send it a message.',
      endsRun: false,
      inputSchema: stopInput,
      needs: (args) => ({ names: [stopInput.parse(args).name] }),
      apply(draft, call, rules) {
        const { name, how = 'finish' } = stopInput.parse(call.args);
        const child = childNamed(draft, call, name);
        if (child === undefined) return nobody(name);
        const { state } = child;
        const goesOn = state.is === 'stopping' && state.goesOn === true;
        // What is about to begin anew reads what it is told when it does.
        const begins = how === 'finish' && state.is === 'respawning';
        const atWork = state.is === 'working' || state.is === 'waiting' || begins;
        if (!atWork && !goesOn)
          return atOnce({ name, stopped: false, status: companionStatus(child), ...beingStopped(child) });
        if (how === 'finish' && isFull(child)) return inboxFull(name);
        if (how === 'pause' && isWaitedFor(child, call))
          return no(
            'invalid_arguments',
            `Another call of this step waits for "${name}", and would never end. Give that call a timeout, or pause the companion in a separate step.`,
          );
        if (goesOn && how === 'pause') {
          const { goesOn: _goesOn, ...stopping } = state;
          draft.setChild({ ...child, state: stopping });
          return atOnce({ name, stopped: true, status: 'interrupted' });
        }
        if (how === 'finish') draft.setChild(finishNow(child, call.callId, mintId('message', call.token, call.index)));
        else {
          const error = failure('interrupted', 'Its parent has paused it.');
          stopTask(draft, child, { verb: 'interrupt', error, at: call.at, token: call.token }, rules);
        }
        return atOnce({ name, stopped: true, status: how === 'finish' ? companionStatus(child) : 'interrupted' });
      },
    };
  },
};
