/**
 * `subagent_message`: tells a sub-agent something. One at work reads it before its next step; one whose session has
 * ended, or failed, begins the next with it, and remembers; one that was stopped goes on.
 *
 * Keeps SA12, SA28, SAW19.
 */

import * as z from 'zod';
import { againTo } from '../../calls/call-plan';
import { pathsIn } from '../../calls/enclosures';
import { toSide } from '../../children/child-plan';
import type { Draft } from '../../draft';
import type { NewMessage } from '../../inbound';
import type { BuiltInCall, BuiltInPlan, BuiltInTool } from '../../rules';
import { isResumable } from '../../runs/stop-verb';
import { entriesOf } from '../../standard-agents/subagent-call';
import { isTerminated, type RegisteredChild, standingOf, switchedOff } from '../../standard-agents/subagent-registry';
import { awaited, inboxFull, isFull, messageFor, no, tooLong } from '../companions/names';
import { told } from '../companions/send';
import { attachmentsSchema, childOfReference, nobodyOf, referenceSchema } from './references';

const inputSchema = z.strictObject({
  referenceId: referenceSchema.describe('The reference of the sub-agent.'),
  message: z.string().min(1).describe('The message.'),
  attachments: attachmentsSchema,
});

/** The paths that are named, each once. */
function pathsOf(attachments: readonly string[] = []): readonly string[] {
  const named = pathsIn([...attachments]);
  return 'problem' in named ? [] : named.paths;
}

/** Why a sub-agent takes no message now, if it does not. */
function unheard(child: RegisteredChild, { disabled = [] }: BuiltInCall): BuiltInPlan | undefined {
  const { state } = child;
  const { reference } = child.registered;
  if (isTerminated(child))
    return no('terminated', `The sub-agent ${reference} was terminated. Begin another one with subagent_create.`);
  if (disabled.includes(child.agentType)) return { kind: 'refused', error: switchedOff(child.agentType) };
  if (isFull(child)) return inboxFull(reference);
  if (state.is === 'stopping' && !isResumable(state.verb))
    return no('terminated', `The sub-agent ${reference} is being stopped.`);
  return undefined;
}

/** The next session of one at rest: with its memory, also where the last one failed. */
function next(child: RegisteredChild, message: NewMessage, { waits }: Waiting): BuiltInPlan {
  return { ...againTo(child), message, keepsMemory: true, ...(waits ? { waits: {} } : {}) };
}

function tell(
  draft: Draft,
  child: RegisteredChild,
  message: NewMessage,
  call: BuiltInCall,
  { waits }: Waiting,
): BuiltInPlan {
  const now = { ...told(draft, child, message, call), registered: child.registered };
  if (waits) return { kind: 'wait', tasks: [awaited(now)], need: 1 };
  // One that was stopped says so, and goes on with this.
  const wasStopped = child.state.is === 'interrupted' ? { resumed: true } : {};
  return { kind: 'immediate', result: { success: true, value: { ...standingOf(now), ...wasStopped } } };
}

/** Whether whoever tells a sub-agent something waits for the end of its session. */
interface Waiting {
  readonly waits: boolean;
}

/** What it is to tell a sub-agent something: at work or stopped it has it at once, at rest it is its next session. */
export function messageChild(
  draft: Draft,
  child: RegisteredChild,
  message: NewMessage,
  call: BuiltInCall,
  waiting: Waiting,
): BuiltInPlan {
  const refused = unheard(child, call);
  if (refused) return refused;
  return child.state.is === 'ended' ? next(child, message, waiting) : tell(draft, child, message, call, waiting);
}

/** The row of `subagent_message`. */
export const messageSubagent: BuiltInTool = {
  name: 'subagent_message',
  of(definition, { inherits }) {
    if (entriesOf(definition).lasting.length === 0 && !inherits?.lasting) return undefined;
    return {
      description:
        'Sends a message to one of your sub-agents, by its reference. A working sub-agent reads it before its next step. An idle one begins a new session with it, and remembers the earlier ones.',
      endsRun: false,
      offered: (registry) => registry.some((child) => child.registered.resumable && !isTerminated(child)),
      inputSchema,
      needs: (args) => {
        const { referenceId, attachments } = inputSchema.parse(args);
        return { names: [referenceId], files: pathsOf(attachments) };
      },
      apply(draft, call, rules) {
        const { referenceId, message: text, attachments } = inputSchema.parse(call.args);
        const child = childOfReference(draft, call, referenceId);
        if (child === undefined) return nobodyOf(referenceId);
        const refused = tooLong(text, rules);
        if (refused) return refused;
        const entry = definition.subagents.find(({ name }) => name === child.agentType);
        const given = messageFor(draft, call, { text, files: pathsOf(attachments) }, entry?.relationship);
        if ('refused' in given) return given.refused;
        const message = { ...toSide(child.registered), ...given.message, ...call.said };
        return messageChild(draft, child, message, call, { waits: child.registered.blocking });
      },
    };
  },
};
