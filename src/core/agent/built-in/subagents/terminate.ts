/** `subagent_terminate`: ends a sub-agent for good, at work or at rest; what it said stays readable. */
import * as z from 'zod';
import { type Failure, failure } from '../../../../protocol/errors';
import { type Child, keyOf } from '../../child';
import { stopTask } from '../../delegation';
import type { Draft } from '../../draft';
import { isTerminated } from '../../registry';
import type { BuiltInCall, BuiltInPlan, BuiltInTool, Rules } from '../../rules';
import { entriesOf } from '../../subagent-call';
import { taskOpened } from '../../task';
import { childOfReference, nobodyOf, referenceSchema } from './shared';

const inputSchema = z.strictObject({ referenceId: referenceSchema.describe('Whom, by its reference.') });

/** One at rest is given a task that is stopped before it begins: so its own session knows that it was ended. */
function closing(child: Child, { callId, stepId }: BuiltInCall, error: Failure): Child {
  const { mail: _mail, mailTaken: _taken, ...rest } = child;
  const runNumber = child.runNumber + 1;
  const task = { number: child.task.number + 1, firstRun: runNumber, callId, stepId, told: true } as const;
  return {
    ...rest,
    task: { ...task, await: 'notice', deliver: 'result' },
    runNumber,
    state: { is: 'stopping', verb: 'terminate', error },
  };
}

function end(draft: Draft, child: Child, call: BuiltInCall, rules: Rules): BuiltInPlan {
  const error = failure('terminated', 'Its parent has ended it.');
  if (child.state.is !== 'ended') {
    stopTask(draft, child, { verb: 'terminate', error, at: call.at, token: call.token }, rules);
    return { kind: 'wait', tasks: [keyOf(child)], need: 1 };
  }
  const last = closing(child, call, error);
  draft.setChild(last);
  taskOpened(draft, last);
  return { kind: 'wait', tasks: [keyOf(last)], need: 1 };
}

const ended = (reference: string) => ({ success: true, value: { reference, status: 'terminated' } }) as const;

/** The row of `subagent_terminate`. */
export const terminateSubagent: BuiltInTool = {
  name: 'subagent_terminate',
  of(definition) {
    if (entriesOf(definition).lasting.length === 0) return undefined;
    return {
      description:
        'Ends one of your sub-agents for good, at once, by its reference. It takes no message any more, and another one may be begun in its place.',
      endsRun: false,
      offered: (registry) => registry.some((child) => child.registered.resumable && !isTerminated(child)),
      inputSchema,
      needs: (args) => ({ names: [inputSchema.parse(args).referenceId] }),
      apply(draft, call, rules) {
        const { referenceId } = inputSchema.parse(call.args);
        const child = childOfReference(draft, call, referenceId);
        if (child === undefined) return nobodyOf(referenceId);
        if (isTerminated(child)) return { kind: 'immediate', result: ended(referenceId) };
        return end(draft, child, call, rules);
      },
      tell(_ended, { input }) {
        const args = inputSchema.safeParse(input);
        return ended(args.success ? args.data.referenceId : '');
      },
    };
  },
};
