/**
 * Whether a signed token that was shown still counts: what its root knows of it.
 *
 * Decides: what a token for one call may do.
 *
 * X34. The first token of a chain holds for all of it; the maker of a ticket holds for that.
 * TK4. One that the root does not know, or that was taken back, counts for nothing; so does one that such a one has made.
 * TK5. One for a single call shows that call, answers it.
 */
import type { GivenToken, TreeStore } from '../core/ports/tree-store';
import type { ObjectRuntime } from '../engine/object/object';
import type { TokenUse, VerbCall } from '../engine/object/object-calls';
import { type Failure, failure } from '../protocol/errors';
import { isObject } from '../protocol/json';

/** A token of a tree that counts still, with whoever made it. Chains end: a token is made by an older one. */
function isLive(store: TreeStore, token: GivenToken | undefined): boolean {
  if (token === undefined || token.revokedAt !== undefined) return false;
  return token.madeBy === undefined || isLive(store, store.token(token.madeBy));
}

/** The holder of a socket, stream or token: a caller, or the first of the tokens that led to its own. */
export function holderOf(
  { tree }: Pick<ObjectRuntime, 'tree'>,
  { caller = '', token }: { readonly caller?: string | undefined; readonly token?: TokenUse | undefined },
): string {
  let known = token && tree?.deps.store.token(token.id);
  while (known?.madeBy !== undefined) known = tree?.deps.store.token(known.madeBy);
  if (known === undefined) return caller;
  return known.ticket ? known.createdBy : `token:${known.id}`;
}

/** Why a token does not count at this root, if it does not. */
export function refusedToken({ tree }: Pick<ObjectRuntime, 'tree'>, token: TokenUse | undefined): Failure | undefined {
  if (token === undefined) return undefined;
  const known = tree?.deps.store.token(token.id);
  return tree && isLive(tree.deps.store, known)
    ? undefined
    : failure('unauthorized', 'This token was revoked, or its agent is gone. Request a new one.');
}

/** Why a call may not be made with its token, if it may not: at the root, before anything is looked at. */
export function refusedByToken(object: ObjectRuntime, { verb, input, token }: VerbCall): Failure | undefined {
  if (token === undefined || !object.isRoot) return undefined;
  const refused = refusedToken(object, token);
  if (refused || token.call === undefined) return refused;
  const isAbout = isObject(input) && input.toolCallId === token.call;
  if (verb === 'pending' || (verb === 'submit' && isAbout)) return undefined;
  return failure('forbidden', `This token may only show and answer the call ${token.call}.`);
}
