/**
 * `subagent_terminate`: ends a sub-agent for good, at work or at rest; what it said stays readable.
 *
 * Keeps SA64, SAW27.
 */
import * as z from 'zod';
import { keyOf } from '../../children/child';
import { stopTask } from '../../children/delegation';
import { taskOpened } from '../../children/task';
import type { Draft } from '../../draft';
import type { BuiltInCall, BuiltInPlan, BuiltInTool, Rules } from '../../rules';
import { ENDED_BY_PARENT, markedTerminated, terminating } from '../../runs/terminate-child';
import { entriesOf } from '../../standard-agents/subagent-call';
import { isTerminated, type RegisteredChild } from '../../standard-agents/subagent-registry';
import { childOfReference, nobodyOf, referenceSchema } from './references';

const inputSchema = z.strictObject({ referenceId: referenceSchema.describe('The reference of the sub-agent.') });

/** Ends a child for good; what is waited for is the end of its task. */
export function endChild(draft: Draft, child: RegisteredChild, call: BuiltInCall, rules: Rules): BuiltInPlan {
  const marked = markedTerminated(child, call.at);
  const { at, token } = call;
  if (child.state.is === 'ended') {
    const last = terminating(marked, call);
    draft.setChild(last);
    taskOpened(draft, last);
    return { kind: 'wait', tasks: [keyOf(last)], need: 1 };
  }
  draft.setChild(marked);
  stopTask(draft, marked, { verb: 'terminate', error: ENDED_BY_PARENT, at, token }, rules);
  return { kind: 'wait', tasks: [keyOf(child)], need: 1 };
}

const ended = (reference: string) => ({ success: true, value: { reference, status: 'terminated' } }) as const;

/** The row of `subagent_terminate`. */
export const terminateSubagent: BuiltInTool = {
  name: 'subagent_terminate',
  of(definition, { inherits }) {
    if (entriesOf(definition).lasting.length === 0 && !inherits?.lasting) return undefined;
    return {
      description:
        'Terminates one of your sub-agents at once, by its reference. It then takes no messages, and makes room for another one.',
      endsRun: false,
      offered: (registry) => registry.some((child) => child.registered.resumable && !isTerminated(child)),
      inputSchema,
      needs: (args) => ({ names: [inputSchema.parse(args).referenceId] }),
      apply(draft, call, rules) {
        const { referenceId } = inputSchema.parse(call.args);
        const child = childOfReference(draft, call, referenceId);
        if (child === undefined) return nobodyOf(referenceId);
        if (isTerminated(child)) return { kind: 'immediate', result: ended(referenceId) };
        return endChild(draft, child, call, rules);
      },
      tell(_ended, { input }) {
        const args = inputSchema.safeParse(input);
        return ended(args.success ? args.data.referenceId : '');
      },
    };
  },
};
