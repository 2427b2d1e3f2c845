/**
 * What is said to agents below an object goes down one level at a time; nothing is created by asking.
 *
 * Keeps A21.
 */
import type { Child } from '../core/agent/children/child';
import { type Failure, failure } from '../protocol/errors';
import type { childAt } from './children/own-children';
import type { Segment } from './tree-messages';

/** An object, as far as calls go through it. */
export interface PassingObject {
  childAt(segment: Segment): ReturnType<typeof childAt>;
}

/** Passes a call down one level, by `send`: its first segment must mean a child that the agent has. */
export async function passDown<Call extends { readonly path: readonly Segment[] }, Answer>(
  object: PassingObject,
  call: Call,
  send: (child: Child, call: Call) => Promise<Answer>,
): Promise<Answer | { readonly ok: false; readonly error: Failure }> {
  const [segment, ...path] = call.path;
  if (segment === undefined) return { ok: false, error: failure('not_found') };
  const known = object.childAt(segment);
  return known.ok ? send(known.child, { ...call, path }) : known;
}
