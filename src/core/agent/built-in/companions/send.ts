/**
 * `companion__sendMessage`: tells a companion something. One at work reads it before its next step; one whose task has
 * ended gets it as its next task; one that was interrupted goes on with it.
 *
 * Keeps CO4, CO10.
 */
import * as z from 'zod';
import type { AgentDefinition } from '../../../definition/definition';
import { plannedTask } from '../../calls/call-plan';
import { resumed } from '../../children/cascade';
import { type Child, isPaused, keyOf } from '../../children/child';
import { posted } from '../../children/child-messages';
import { retentionOf } from '../../children/child-retention';
import type { Draft } from '../../draft';
import type { NewMessage } from '../../inbound';
import type { BuiltInCall, BuiltInPlan, BuiltInTool } from '../../rules';
import { isResumable } from '../../runs/stop-verb';
import {
  awaited,
  childNamed,
  filesSchema,
  hasCompanions,
  inboxFull,
  isFull,
  messageFor,
  nameSchema,
  no,
  nobody,
  relationshipFor,
  timeoutSchema,
  tooLong,
  until,
} from './names';
import { committedStatus, companionStatus, oneEnd } from './told-to-model';

const inputSchema = z.strictObject({
  name: nameSchema.describe('Whom.'),
  message: z.string().min(1).describe('The message.'),
  wait: z.boolean().optional().describe('Wait for the end of its task, and return its output. false by default.'),
  files: filesSchema.optional(),
  timeout: timeoutSchema.optional().describe('With wait: the longest wait, in ms; the companion keeps working.'),
});

type Args = z.output<typeof inputSchema>;

/** Why a companion takes no message now, if it does not. */
function notActive(child: Child): BuiltInPlan | undefined {
  const { name = '', state } = child;
  const again = `Begin it again with companion__spawnAgent under the same name`;
  if (isFull(child)) return inboxFull(name);
  if (state.is === 'stopping' && !isResumable(state.verb))
    return no('terminated', `"${name}" is not active: it is being stopped.`);
  if (state.is !== 'ended' || state.result.success || state.session === 'interrupted') return undefined;
  if (state.gone) return no('subagent_lost', `"${name}" is not active: it is gone, and so is its memory. ${again}.`);
  switch (state.session) {
    case 'terminated':
      return no('terminated', `"${name}" is not active: it was terminated. ${again}; it begins without memory.`);
    case 'failed':
      return no(
        'subagent_failed',
        `"${name}" is not active: its last task failed (${state.result.error.message}). ${again}, with keepMemory if it is to keep its memory.`,
      );
    default:
      return undefined;
  }
}

/** The next task of a companion whose last one has ended. */
function nextTask(definition: AgentDefinition, child: Child, message: NewMessage, args: Args, at: number): BuiltInPlan {
  const relationship = relationshipFor(definition, child);
  if (relationship === undefined)
    return no('unknown_tool', `This agent no longer has companions of the kind "${child.agentType}".`);
  return {
    ...plannedTask(relationship, null),
    lifetime: 'named',
    await: 'notice',
    deliver: 'notice',
    retention: retentionOf(child),
    childName: args.name,
    message,
    ...(args.wait ? { waits: until(at, args.timeout) } : {}),
  };
}

/** Posts a message to a child whose task is open; gives it as it stands then: one that was stopped goes on. */
export function told(draft: Draft, child: Child, message: NewMessage, call: BuiltInCall): Child {
  const has = posted(child, message, call.callId);
  const { state } = has;
  const goesOn = isPaused(has);
  const next = goesOn && state.is === 'interrupted' ? resumed(has) : has;
  draft.setChild(goesOn && state.is === 'stopping' ? { ...has, state: { ...state, goesOn: true } } : next);
  draft.emit({
    type: 'subagent_message',
    subAgentType: child.agentType,
    subSessionId: child.sessionId,
    callId: call.callId,
    messageId: message.messageId,
    ...keyOf(child),
  });
  return next;
}

/** A message for the task that is open. */
function toOpenTask(draft: Draft, child: Child, message: NewMessage, args: Args, call: BuiltInCall): BuiltInPlan {
  const next = told(draft, child, message, call);
  if (args.wait) return { kind: 'wait', tasks: [awaited(next)], need: 1, ...until(call.at, args.timeout) };
  const value = { delivered: true, name: args.name, task: next.task.number, status: companionStatus(next) };
  return { kind: 'immediate', result: { success: true, value } };
}

/** The row of `companion__sendMessage`. */
export const sendMessage: BuiltInTool = {
  name: 'companion__sendMessage',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      description:
        'Sends a message to one of your companions. A working companion reads it before its next step. A companion whose task has ended takes it as its next task, with its memory. An interrupted companion resumes. The message is never lost.',
      endsRun: false,
      inputSchema,
      needs: (args) => {
        const { name, files = [] } = inputSchema.parse(args);
        return { names: [name], files };
      },
      apply(draft, call, rules) {
        const args = inputSchema.parse(call.args);
        const child = childNamed(draft, call, args.name);
        if (child === undefined) return nobody(args.name);
        const refused = tooLong(args.message, rules) ?? notActive(child);
        if (refused) return refused;
        const relationship = relationshipFor(definition, child);
        const to = relationship && {
          child: relationship.child,
          workspace: child.setup.workspace ?? ('session' as const),
        };
        const text = { text: args.message, files: args.files };
        const told = call.said ? { message: call.said } : messageFor(draft, call, text, to);
        if ('refused' in told) return told.refused;
        const { message } = told;
        return child.state.is === 'ended'
          ? nextTask(definition, child, message, args, call.at)
          : toOpenTask(draft, child, message, args, call);
      },
      began: (child) => ({
        success: true,
        value: { delivered: true, name: child.name ?? '', task: child.task.number, status: committedStatus(child) },
      }),
      tell: (ended, { open }) => oneEnd(ended, open, 'result', { delivered: true }),
    };
  },
};
