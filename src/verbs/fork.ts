/**
 * The verb that copies an agent under another name beside it. Its row is here, as the wire is one table; the capability for
 * it has the handlers.
 *
 * Keeps CP8, CP9.
 */
import type * as z from 'zod';
import { capabilityMissing } from '../core/agent/capability';
import type { ObjectRuntime } from '../engine/object';
import { refuseWith } from '../protocol/errors';
import { forkAccepted, forkInput } from '../protocol/requests';
import { byRoute } from './routes/by-route';
import { type AgentContext, type Answer, steered, type TreeContext } from './verb';

const NAME = 'fork';

/** The input of the verb. */
export type ForkInput = z.output<typeof forkInput>;

type Input = ForkInput;

/** The output of the verb. */
export type ForkOutput = z.output<typeof forkAccepted>;

type Output = ForkOutput;

/** The address of an agent beside another one. */
const beside = (address: string, name: string): string => `${address.slice(0, address.lastIndexOf('/'))}/${name}`;

/** The answer: the address of the copy, and its stream. */
export function seen(original: string, { name }: Input, from = 1): Output {
  const address = beside(original, name);
  return { address, streamUrl: `${address}/stream?from=${from}` };
}

/** The handlers of this verb, which the capability for it has. */
export interface ForkParts {
  /** At the agent itself: a root is copied; any other agent says whether it can be. */
  atAgent(context: AgentContext<Input>): Promise<Answer<Output>>;
  /** At the root: its parent copies a companion. */
  ofCompanion(context: TreeContext<Input>): Promise<Answer<Output>>;
}

/** The handlers. @throws OffshootError `capability_missing` */
function partsIn({ ports: { capabilities } }: ObjectRuntime): ForkParts {
  const parts = capabilities.find(({ verbs }) => verbs?.[NAME])?.verbs?.[NAME];
  // The capability for the verb has these parts.
  return parts ? (parts as ForkParts) : refuseWith(capabilityMissing(NAME));
}

/** Copies an agent. */
export const fork = steered({
  name: NAME,
  method: 'POST',
  path: 'fork',
  action: 'read',
  also: (address, input) => [{ address: beside(address, forkInput.parse(input).name), action: 'write' }],
  summary:
    'Copies a root, or a companion with a first task for the copy. The right to write to the copy is needed too.',
  status: 202,
  errors: [
    'invalid_input',
    'terminated',
    'already_running',
    'max_children',
    'max_tree_children',
    'payload_too_large',
    'subagent_lost',
    'not_resumable',
    'too_many_roots',
    'name_taken',
    'not_copyable',
    'idempotency_conflict',
    'unavailable',
  ],
  input: forkInput,
  output: forkAccepted,
  http: { links: ['streamUrl'] },
  agent: {
    handle: (context) => partsIn(context.object).atAgent(context),
    complete: (_context, reply: Output) => reply,
    whenQueued: ({ node, input }) => seen(node.address, input),
  },
  root: { companion: (context) => partsIn(context.object).ofCompanion(context) },
  steer: (ways, object, call) =>
    byRoute({ object, call, verb: NAME }, { agent: () => ways.agent(), parent: () => ways.root('companion') }),
});
