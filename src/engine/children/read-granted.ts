/**
 * What a child reads of its parent, and of others whom that keeps. The child asks by way of the root, and the parent,
 * whose record of the child says whom its task lets it read, asks the verb that anybody reads with.
 *
 * Keeps RG2, RG3.
 */
import { allowsToRead, type Reading, readInput, verbFor } from '../../core/agent/built-in/read';
import type { Child } from '../../core/agent/children/child';
import { hasLeft } from '../../core/agent/children/child-retention';
import type { AgentState } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import { parseAddress } from '../../protocol/address';
import { failure, OffshootError, refuseWith } from '../../protocol/errors';
import { isObject, type JsonObject, toJson } from '../../protocol/json';
import type { ThreadAnswer, VerbAnswer, VerbCall } from '../object/object-calls';
import type { BodyAgent } from '../perform/performer';
import { segmentOf } from '../tree-messages';

/** The body of `__read__`. */
export async function readGranted(input: unknown, { state, deps }: BodyAgent): Promise<JsonObject> {
  const reads = readInput.parse(input);
  const { parent, root, sessionId: asker } = state.session;
  if (parent === undefined) throw new OffshootError('forbidden', 'No agent gave you this task.');
  const path = parseAddress(parent.address).below.map(segmentOf);
  const answer = await deps.askThread(root, { kind: 'thread', path, owner: parent.sessionId, asker, reads });
  if (!answer.ok) return refuseWith(answer.error);
  const read = toJson(answer.read);
  return { of: reads.of ?? 'parent', what: reads.what, read: read.ok ? read.json : null };
}

/** The object of the parent. */
export interface GrantingObject {
  readonly store: Pick<AgentStore, 'named'>;
  call(call: VerbCall): Promise<VerbAnswer>;
}

/** At the parent: reads what a child asks for, where the task of that is open and allows it. */
export async function answerReading(
  object: GrantingObject,
  state: AgentState,
  childId: number,
  reads: Reading,
): Promise<Pick<Extract<ThreadAnswer, { ok: true }>, 'read'>> {
  const child = state.children.get(childId);
  if (child === undefined || !allowsToRead(child, reads.of))
    return refuseWith(failure('forbidden', whyNot(reads, child)));
  const other = reads.of === undefined ? undefined : object.store.named(reads.of);
  // Who was kept for a run that has ended is nobody any more, also before the object is removed.
  if (reads.of !== undefined && (other === undefined || hasLeft(other, state)))
    return refuseWith(failure('not_found', `"${reads.of}" no longer exists.`));
  const { verb, input } = verbFor(reads);
  const path = other ? parseAddress(other.address).below.slice(-1).map(segmentOf) : [];
  const answer = await object.call({ kind: 'verb', path, verb, input, caller: child.address });
  if (!answer.ok) return refuseWith(answer.error);
  if (answer.bytes === undefined) return { read: answer.body };
  return { read: { ...(isObject(answer.body) ? answer.body : {}), text: await textOf(answer.bytes) } };
}

function whyNot({ of }: Reading, child: Child | undefined): string {
  const { parent = false, names = [] } = child?.task.reads ?? {};
  const may = [...(parent ? ['who gave you the task (without `of`)'] : []), ...names.map((name) => `"${name}"`)];
  const whom = of === undefined ? 'who gave you the task' : `"${of}"`;
  return `Your task does not let you read ${whom}. You may read: ${may.join(', ') || 'no other agent'}.`;
}

/** @throws OffshootError `invalid_arguments` for bytes that are no text */
async function textOf(bytes: ReadableStream<Uint8Array>): Promise<string> {
  const text = await new Response(bytes).text();
  if (text.includes('\0')) throw new OffshootError('invalid_arguments', 'This file is not text.');
  return text;
}
