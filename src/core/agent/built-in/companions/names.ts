/**
 * Companions by their names: what a name may be, who has it, and what a call that names nobody is told.
 *
 * Decides: what a companion may be called; how large a message to one is.
 * Keeps CO2, CO13.
 */
import * as z from 'zod';
import { DATA_LIMITS } from '../../../../protocol/data-limits';
import { type ErrorCode, failure } from '../../../../protocol/errors';
import { mintId } from '../../../../protocol/ids';
import { byteLength } from '../../../../protocol/json';
import { isElsewhere } from '../../../definition/children/elsewhere';
import type { AgentDefinition, Companion, Relationship } from '../../../definition/definition';
import { limitsOf, MAX_TIMER_MS } from '../../../definition/limits';
import { enclose, MAX_ENCLOSED, pathSchema } from '../../calls/enclosures';
import { type Child, keyOf } from '../../children/child';
import { MAX_MAIL, untaken } from '../../children/child-messages';
import { hasLeft } from '../../children/child-retention';
import { isGivenName } from '../../children/given-name';
import type { Draft } from '../../draft';
import type { NewMessage } from '../../inbound';
import type { BuiltInCall, BuiltInPlan, Rules } from '../../rules';
import type { AwaitedTask } from '../../state';

/** A name that a companion is called by. */
export const nameSchema = z
  .string()
  .min(1)
  .max(DATA_LIMITS.maxName)
  .regex(/^[A-Za-z0-9._-]+$/, 'A name consists of letters, digits, ".", "_" and "-".')
  .regex(/[A-Za-z]/, 'A name has at least one letter.');

/** Files of the agent that go along with what it says. */
export const filesSchema = z
  .array(pathSchema)
  .min(1)
  .max(MAX_ENCLOSED)
  .describe('Paths of your files to send: it gets copies of their current content.');

/** What a companion is told, with copies of the files that go along; or why they cannot. */
export function messageFor(
  draft: Draft,
  call: BuiltInCall,
  { text, files = [] }: { readonly text: string; readonly files?: readonly string[] | undefined },
  to: Pick<Relationship, 'child' | 'workspace'> | undefined,
): { readonly message: NewMessage } | { readonly refused: BuiltInPlan } {
  const message = {
    messageId: mintId('message', call.token, call.index),
    role: 'user' as const,
    content: text,
    from: 'parent' as const,
  };
  if (files.length === 0) return { message };
  if (to && isElsewhere(to.child))
    return {
      refused: no('invalid_arguments', 'A remote agent cannot receive files: put what it needs into the message.'),
    };
  if (to?.workspace === 'inherited' || to?.workspace === 'inherited-read')
    return { refused: no('invalid_arguments', 'It works on the same files as you: name them in the message.') };
  const enclosed = enclose(draft, call, files, limitsOf(to?.child.limits ?? {}).maxFileBytes);
  return 'kind' in enclosed ? { refused: enclosed } : { message: { ...message, files: enclosed } };
}

/** A time that a call waits, in ms. */
export const timeoutSchema = z.int().positive().max(MAX_TIMER_MS);

/** A call that cannot be done, with advice that a model can follow. */
export function no(code: ErrorCode, message: string): BuiltInPlan {
  return { kind: 'refused', error: failure(code, message) };
}

/** Whether an agent has companions. */
export const hasCompanions = ({ companions }: AgentDefinition): boolean => companions.length > 0;

/** The child of a name as the draft has it, be its task open or not; nobody where it was kept for a run that has ended. */
export function childNamed(draft: Draft, { atRest }: BuiltInCall, name: string): Child | undefined {
  const open = [...draft.state.children.values()].find((child) => child.name === name);
  const read = atRest.find((child) => child.name === name);
  const child = open ?? (read && (draft.written(read.childId) ?? read));
  return child && hasLeft(child, draft.state) ? undefined : child;
}

/** Names of this form are given where there is none, so nobody else may take one that is to come. */
export function isGiven({ companions }: AgentDefinition, name: string): boolean {
  return companions.some(({ relationship: { child } }) => isGivenName(child.name, name));
}

/** A refusal of such a name. */
export function notToTake(name: string): BuiltInPlan {
  return no(
    'invalid_arguments',
    `Names like "${name}" are reserved for companions without a given name. Choose another.`,
  );
}

/** A refusal of a name that nobody has. */
export function nobody(name: string): BuiltInPlan {
  return no('not_found', nobodyNamed(name));
}

/** What is said of it. */
export function nobodyNamed(name: string): string {
  return `No child agent found with the name "${name}". companion__listChildren lists them; companion__spawnAgent begins one.`;
}

/** A refusal of a message that is too long, if it is. */
export function tooLong(message: string, { limits }: Rules): BuiltInPlan | undefined {
  const bytes = byteLength(message);
  if (bytes <= limits.maxMessageBytes) return undefined;
  return no(
    'invalid_arguments',
    `The message has ${bytes} bytes, more than ${limits.maxMessageBytes}. Shorten it, or put the rest into a file.`,
  );
}

/** What a companion of an agent may be: by the name of its agent. */
export function companionNamed(companions: readonly Companion[], agent: string): Companion | undefined {
  return companions.find(({ relationship }) => relationship.child.name === agent);
}

/** How the agent relates to a child that it has: as to its companions of that kind, else as to its sub-agents. */
export function relationshipFor(definition: AgentDefinition, { agentType }: Child): Relationship | undefined {
  const known = companionNamed(definition.companions, agentType)?.relationship;
  return known ?? definition.relationships.find(({ child }) => child.name === agentType);
}

/** Up to when a call waits. */
export function until(at: number, timeout: number | undefined): { readonly until?: number } {
  return timeout === undefined ? {} : { until: at + timeout };
}

/** The task of a child that is meant by whoever waits for it now: that which has seen what the child was told so far. */
export function awaited(child: Child): AwaitedTask {
  const { mailbox } = child;
  return { ...keyOf(child), ...(mailbox === undefined || child.state.is === 'ended' ? {} : { message: mailbox.last }) };
}

/** Whether a child takes no message more until it has read some. */
export const isFull = (child: Child): boolean => untaken(child).length >= MAX_MAIL;

/** The refusal of one. */
export function inboxFull(name: string): BuiltInPlan {
  return no(
    'inbox_full',
    `"${name}" has ${MAX_MAIL} messages that it has not read yet. Send again when it has read them.`,
  );
}
