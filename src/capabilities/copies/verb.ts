/**
 * The handlers of the verb `fork`.
 *
 * CP8. The copy of a companion is made by its parent, as if its model had asked for it; the agent itself says first whether
 *      it can be copied from where it is asked for.
 * CP9, CP33. That of a root is made by the root. The receipt stays at both: a crash may come before the answer.
 */
import { asChild, type TreeNode } from '../../core/tree/node';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbCall } from '../../engine/object/object-calls';
import { receiptKey } from '../../engine/receipt-key';
import { checkRootName } from '../../protocol/address';
import { failure, refuse, refuseWith } from '../../protocol/errors';
import type { Control } from '../../protocol/shown/controls';
import { forkAccepted } from '../../protocol/wire/requests';
import { type ForkParts, type ForkInput as Input, type ForkOutput as Output, seen } from '../../verbs/actions/fork';
import { digestOf } from '../../verbs/content-hash';
import { actorOf } from '../../verbs/receipts';
import type { AgentContext, Answer, TreeContext } from '../../verbs/verb';
import { type Cut, checkpointOf } from './memory';
import { ofCopies } from './messages';
import { copyRoot } from './root';
import { canGoOn, cutIn } from './rows';

/** Where the memory is cut, if it is. */
function cutFor({ agent, object, input: { checkpoint } }: AgentContext<Input>): Cut | undefined {
  const { session } = agent.state;
  if (checkpoint === undefined) return undefined;
  const step = checkpointOf(session, checkpoint);
  if (step === undefined) refuse('not_found', `"${checkpoint}" is not a current checkpoint of this agent.`);
  const cut = cutIn(object.store, session, step);
  if (!('code' in cut)) return cut;
  refuseWith(cut.code === 'invalid_arguments' ? failure('invalid_request', cut.message) : cut);
}

/** At the agent itself: a root is copied; of any other one it is looked whether it can be. */
async function atAgent(context: AgentContext<Input>): Promise<Answer<Output>> {
  const { agent, object, input } = context;
  const cut = cutFor(context);
  return object.isRoot ? ofRoot(context, cut) : { body: seen(agent.state.session.address, input) };
}

async function ofRoot({ agent, object, call, input, request }: AgentContext<Input>, cut: Cut | undefined) {
  const { name, message, resume = false } = input;
  const { caller = '', idempotencyKey, newRoots } = call;
  checkRootName(name);
  if (message !== undefined)
    refuse('invalid_request', 'The copy of a root is idle: send it the message, or a start, once it exists.');
  if (resume && !canGoOn(object.store, agent.state, cut))
    refuse('not_resumable', 'Its run has ended at that step. Copy it without `resume`, and send the copy a message.');
  const key = idempotencyKey === undefined ? undefined : { caller, below: '', verb: call.verb, idempotencyKey };
  const made = await copyRoot(object, {
    name,
    resume,
    facts: cut ? { cut } : {},
    by: {
      caller: actorOf(call),
      ...(key
        ? { receipt: { key: receiptKey(key), body: digestOf([object.ports.topLevel?.name ?? '', call.input]) } }
        : {}),
      ...(newRoots ? { newRoots } : {}),
    },
  });
  if (!made.ok) refuseWith(made.error);
  const body = forkAccepted.parse(made.body);
  object.store.transaction(() => request.remember(202, body, { detail: { copy: body.address } }));
  return { status: 202, body };
}

/** Identifies a request at the parent: with a key the same caller, agent and body have the same text. */
function askedBy({ environment }: ObjectRuntime, { caller = '', idempotencyKey, path, input }: VerbCall): string {
  if (idempotencyKey === undefined) return environment.token();
  return digestOf([caller, idempotencyKey, path.map(({ name }) => name), input]);
}

/** At the root: its parent makes the copy. */
async function ofCompanion({ tree, node, object, call, input, request }: TreeContext<Input>): Promise<Answer<Output>> {
  const { name: newName, message, checkpoint, resume } = input;
  const { address: original } = node;
  const name = original.slice(original.lastIndexOf('/') + 1);
  if (message === undefined) refuse('invalid_request', 'Give the `message` that is the first task of the copy.');
  if (resume)
    refuse(
      'invalid_request',
      'The copy of a companion continues with its `message`; only the copy of a root takes `resume`.',
    );
  const from = tree.log.last + 1;
  const parent = tree.tree.parentOf(asChild(node))?.address ?? '';
  const asked = {
    name,
    newName,
    message,
    asked: askedBy(object, call),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
  const reply = await object.send(parent, ofCopies({ type: 'fork', ...asked }));
  if (reply.answer === 'absent') refuse('unavailable', 'The parent of this agent could not be reached. Try again.');
  if (reply.answer === 'refused') {
    const { error } = reply;
    refuseWith(error.code === 'invalid_arguments' ? failure('invalid_request', error.message) : error);
  }
  const body = seen(original, input, from);
  object.store.transaction(() => request.remember(202, body, { detail: { copy: body.address } }));
  return { status: 202, body };
}

/** A sub-agent that lives for one call alone is not copied by a person. */
function ofPlace(node: TreeNode): Control {
  if (node.kind === 'root' || node.lifetime === 'named') return true;
  return failure('invalid_request', 'Only a root or a companion can be copied: this agent exists for one call.');
}

/** The handlers of `fork`. */
export const forkParts: ForkParts = { atAgent, ofCompanion, ofPlace };
