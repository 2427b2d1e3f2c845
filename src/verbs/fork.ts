/**
 * A copy of an agent under another name beside it.
 *
 * CP8. That of a companion is made by its parent, as if its model had asked for it; the agent itself says first whether it
 *      can be copied from where it is asked for.
 */
import type * as z from 'zod';
import { checkpointOf, cutAt } from '../core/agent/copy';
import { asChild } from '../core/tree/node';
import type { ObjectRuntime } from '../engine/object';
import type { VerbCall } from '../engine/object-calls';
import { parseSlot } from '../protocol/address';
import { failure, refuse, refuseWith } from '../protocol/errors';
import { forkAccepted, forkInput } from '../protocol/requests';
import { digestOf } from './digest';
import { type AgentContext, type Answer, steered, type TreeContext } from './verb';

type Input = z.output<typeof forkInput>;

type Output = z.output<typeof forkAccepted>;

/** The address of an agent beside another one. */
const beside = (address: string, name: string): string => `${address.slice(0, address.lastIndexOf('/'))}/${name}`;

/** Where the copy will be. */
function seen(original: string, { name }: Input, from = 1): Output {
  const address = beside(original, name);
  return { address, streamUrl: `${address}/stream?from=${from}` };
}

/** At the agent itself: whether there is a memory to be copied. */
function looked({ agent, object, input }: AgentContext<Input>): Answer<Output> {
  const { checkpoint } = input;
  const { session } = agent.state;
  if (checkpoint !== undefined) {
    const step = checkpointOf(session, checkpoint);
    if (step === undefined) refuse('not_found', `"${checkpoint}" is no checkpoint of this agent as it is now.`);
    const [found, next] = object.store.steps({ after: step - 1, limit: 2 });
    const cut = cutAt(step, { session, ...(found ? { step: found } : {}), ...(next ? { next } : {}) });
    if ('code' in cut) refuseWith(cut.code === 'invalid_arguments' ? failure('invalid_request', cut.message) : cut);
  }
  return { body: seen(session.address, input) };
}

/** The same request has the same text, where it came with a key. */
function askedBy({ environment }: ObjectRuntime, { caller = '', idempotencyKey, path }: VerbCall): string {
  if (idempotencyKey === undefined) return environment.token();
  return digestOf([caller, idempotencyKey, path.map(({ name }) => name)]);
}

/** At the root: its parent makes the copy. */
async function ofCompanion({ tree, node, object, call, input, request }: TreeContext<Input>): Promise<Answer<Output>> {
  const { name: newName, message, checkpoint } = input;
  const { address: original } = node;
  const name = original.slice(original.lastIndexOf('/') + 1);
  if (parseSlot(name))
    refuse('invalid_request', 'Only a companion can be copied, or a root: this one works for one call.');
  if (message === undefined) refuse('invalid_request', 'Give the `message` that is the first task of the copy.');
  const from = tree.log.last + 1;
  const parent = tree.tree.parentOf(asChild(node))?.address ?? '';
  const asked = {
    name,
    newName,
    message,
    asked: askedBy(object, call),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
  const reply = await object.send(parent, { type: 'fork', ...asked });
  if (reply.answer === 'absent')
    refuse('unavailable', 'The agent that asked for this one could not be told. Try again.');
  if (reply.answer === 'refused') {
    const { error } = reply;
    refuseWith(error.code === 'invalid_arguments' ? failure('invalid_request', error.message) : error);
  }
  const body = seen(original, input, from);
  object.store.transaction(() => request.remember(202, body, { detail: { copy: body.address } }));
  return { status: 202, body };
}

/** Copies an agent. */
export const fork = steered({
  name: 'fork',
  method: 'POST',
  path: 'fork',
  action: 'read',
  also: (address, input) => ({ address: beside(address, forkInput.parse(input).name), action: 'write' }),
  summary:
    'Copies a companion with its memory, and gives the copy its first task. The right to write to the copy is needed too.',
  status: 202,
  errors: ['terminated', 'already_running', 'max_children', 'subagent_lost', 'idempotency_conflict', 'unavailable'],
  input: forkInput,
  output: forkAccepted,
  http: { links: ['streamUrl'] },
  agent: {
    handle: looked,
    complete: (_context, reply: Output) => reply,
    whenQueued: ({ node, input }) => seen(node.address, input),
  },
  root: { companion: ofCompanion },
  async steer(ways, _object, { path }) {
    if (path.length === 0) return { ok: false, error: failure('invalid_request', 'A root cannot be copied.') };
    const reply = await ways.agent();
    return reply.ok ? ways.root('companion') : reply;
  },
});
