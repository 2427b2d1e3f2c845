/**
 * Claims of new roots: who began a root, counted where new roots are limited. Without that option nothing is asked.
 *
 * A65. A root is claimed right before a root is created, its claim held once it is, and given back when the root is deleted.
 */
import type { RootClaim, Session } from '../../core/agent/state';
import type { RootClaimsPort } from '../../core/ports/directory';
import { OffshootError } from '../../protocol/errors';
import type { Environment } from '../environment';
import type { VerbCall } from '../object/object-calls';

/** The object of a root, as far as its claim goes. */
export interface ClaimedObject {
  readonly agent: { readonly state: { readonly session: Pick<Session, 'claim'> } } | undefined;
  readonly environment: Pick<Environment, 'token' | 'report'>;
  readonly ports: { rootClaims?(caller: string): RootClaimsPort | undefined };
}

/** Claims that are on their way, by object and caller: requests that come together for one new root share theirs. */
const claims = new WeakMap<ClaimedObject, Map<string, Promise<RootClaim>>>();

/**
 * The claim of the root that a request would create; undefined where the root is there, or nothing is limited.
 * @throws OffshootError `too_many_roots`, `unavailable` where it cannot be counted
 */
export async function claimRoot(
  object: ClaimedObject,
  call: Pick<VerbCall, 'newRoots' | 'caller'>,
): Promise<RootClaim | undefined> {
  if (call.newRoots === undefined || object.agent !== undefined) return undefined;
  const own = claims.get(object) ?? new Map<string, Promise<RootClaim>>();
  claims.set(object, own);
  const { caller = '' } = call;
  const claim = own.get(caller) ?? claimed(object, caller, call.newRoots);
  own.set(caller, claim);
  try {
    return await claim;
  } finally {
    own.delete(caller);
  }
}

async function claimed(
  { ports, environment }: ClaimedObject,
  caller: string,
  limits: NonNullable<VerbCall['newRoots']>,
): Promise<RootClaim> {
  const key = environment.token();
  const answer = await ports
    .rootClaims?.(caller)
    ?.claim(key, limits)
    .catch((error: unknown) => {
      environment.report('A new root could not be counted.', error);
      return undefined;
    });
  if (answer === undefined)
    throw new OffshootError('unavailable', 'New roots cannot be counted now. Try again with the same key.');
  if (answer.ok) return { caller, key };
  const { message, retryAfterMs } = answer;
  throw new OffshootError('too_many_roots', message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** Tells that the root was created, so that its claim is not taken for one that came to nothing. */
export async function holdClaim({ agent, ports }: ClaimedObject): Promise<void> {
  const claim = agent?.state.session.claim;
  if (claim) await ports.rootClaims?.(claim.caller)?.hold(claim.key);
}

/** Gives the claim of a root back that is deleted. */
export async function giveBackClaim({ agent, ports }: ClaimedObject): Promise<void> {
  const claim = agent?.state.session.claim;
  if (claim) await ports.rootClaims?.(claim.caller)?.giveBack(claim.key);
}
