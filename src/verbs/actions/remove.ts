/**
 * Deleting an agent with everything below it.
 *
 * Keeps A16, A17.
 */

import { asChild } from '../../core/tree/node';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbCall } from '../../engine/object/object-calls';
import { removeAgent, removeTree } from '../../engine/root/removal';
import { OffshootError } from '../../protocol/errors';
import * as shape from '../../protocol/wire/shapes';
import { locate } from '../locate';
import { special } from '../verb';

/** What a deletion is remembered by in the directory, which outlives the root. */
function deletionKey(caller: string, idempotencyKey: string): string {
  return JSON.stringify([caller, idempotencyKey]);
}

/** Whether a deletion under this key has removed another session from here already. */
async function removedBefore(object: ObjectRuntime, key: string | undefined): Promise<boolean> {
  const { ports, tree, environment } = object;
  if (key === undefined || ports.topLevel === undefined || !object.isRoot) return false;
  if (tree?.self()?.top?.removing) return false;
  try {
    return (await ports.directory?.()?.wasDeleted(ports.topLevel.name, key)) ?? false;
  } catch (error) {
    environment.report('The directory could not be asked about a deletion.', error);
    throw new OffshootError(
      'unavailable',
      'It is currently unknown whether this key was used before. Try again with the same key.',
    );
  }
}

async function removeRoot(object: ObjectRuntime, call: VerbCall): Promise<void> {
  if (object.tree?.self() === undefined || object.agent === undefined) throw new OffshootError('not_found');
  const key = call.idempotencyKey === undefined ? undefined : deletionKey(call.caller ?? '', call.idempotencyKey);
  // What is here now came after that deletion.
  if (await removedBefore(object, key)) return;
  const { removing } = object.tree.self()?.top ?? {};
  if (removing && (key === undefined || removing.key !== key)) throw new OffshootError('not_found');
  await removeTree(object, key);
}

/** Deletes an agent. */
export const remove = special({
  name: 'remove',
  method: 'DELETE',
  path: '',
  action: 'admin',
  summary: 'Stops the agent and all agents below it, then deletes them.',
  status: 204,
  errors: ['idempotency_conflict', 'unavailable'],
  directoryKey: deletionKey,
  input: shape.nothing,
  output: shape.nothing,
  async handle({ object, call, request }) {
    if (call.path.length === 0) {
      await removeRoot(object, call);
      return { body: {} };
    }
    if (request.known?.ok === false) throw new OffshootError(request.known.error.code, request.known.error.message);
    if (request.known) return { body: {} };
    const found = locate(object, call.path);
    if (found.at === 'nowhere') throw new OffshootError(found.error.code, found.error.message);
    if (found.at === 'below') throw new OffshootError('not_found');
    await removeAgent(object, asChild(found.node), () => request.remember(204, {}));
    return { body: {} };
  },
});
