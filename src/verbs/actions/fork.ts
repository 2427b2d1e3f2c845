/**
 * The verb that copies an agent under another name beside it. Its row is here, as the wire is one table; the capability for
 * it has the handlers.
 *
 * Keeps CP8, CP9, CP34.
 */
import type * as z from 'zod';
import { capabilityMissing } from '../../core/agent/capability';
import type { TreeNode } from '../../core/tree/node';
import type { ObjectRuntime } from '../../engine/object/object';
import { refuseWith } from '../../protocol/errors';
import type { Control } from '../../protocol/shown/controls';
import { forkAccepted, forkInput } from '../../protocol/wire/requests';
import { byRoute, recorded } from '../routes/by-route';
import { type AgentContext, type Answer, steered, type TreeContext } from '../verb';

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
  /** Taken, or refused by the place of an agent. */
  ofPlace(node: TreeNode): Control;
}

/** The handlers, where this version has the capability for them. */
function partsIn({ ports: { capabilities } }: ObjectRuntime): ForkParts | undefined {
  const parts = capabilities.find(({ verbs }) => verbs?.[NAME])?.verbs?.[NAME];
  // The capability for the verb has these parts.
  return parts && (parts as ForkParts);
}

/** @throws OffshootError `capability_missing` */
const parts = (object: ObjectRuntime): ForkParts => partsIn(object) ?? refuseWith(capabilityMissing(NAME));

/** The control of the verb by the place of an agent. */
export const forkOfPlace = (object: ObjectRuntime, node: TreeNode): Control =>
  partsIn(object)?.ofPlace(node) ?? capabilityMissing(NAME);

/** Copies an agent. */
export const fork = steered({
  name: NAME,
  method: 'POST',
  path: 'fork',
  action: 'read',
  also: (address, input) => [{ address: beside(address, forkInput.parse(input).name), action: 'write' }],
  summary:
    'Copies a root, or a companion with a first task for the copy. Also needs the `write` permission at the copy.',
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
    handle: (context) => parts(context.object).atAgent(context),
    complete: (_context, reply: Output) => reply,
    whenQueued: ({ node, input }) => seen(node.address, input),
  },
  root: { companion: (context) => parts(context.object).ofCompanion(context) },
  steer(ways, object, call) {
    const routed = { object, call, verb: NAME } as const;
    const node = recorded(routed)?.node;
    const place = node ? forkOfPlace(object, node) : true;
    return byRoute(routed, {
      agent: async () => (place === true ? ways.agent() : { ok: false, error: place }),
      parent: () => ways.root('companion'),
    });
  },
});
