/**
 * People and services that Cloudflare Access has let in: its JWT is verified with the keys of the team.
 *
 * Decides: which tokens of Cloudflare Access are believed, and who they are about.
 * Keeps X35, X36.
 */
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTPayload, jwtVerify } from 'jose';
import { OffshootError } from '../protocol/errors';
import { type AccessQuestion, type Authorize, type Grant, MAX_SUBJECT, type Refusal } from './authorize';
import { KeyFetches } from './key-fetches';

/** A person or a service that Cloudflare Access has admitted. */
export interface AccessIdentity {
  /** The e-mail address in lower case, or `service:` and the id of the service token. */
  readonly subject: string;
  /** Absent for a service. */
  readonly email?: string;
  /** The client id of a service token; absent for a person. */
  readonly service?: string;
  /** All claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The application of Cloudflare Access that protects this Worker. */
export interface CloudflareAccessOptions {
  /** The name of the team: `acme` of `https://acme.cloudflareaccess.com`. */
  readonly team: string;
  /** The Application Audience (AUD) Tag of the application; several if several applications protect this Worker. */
  readonly audience: string | readonly string[];
  /**
   * The actions that an identity may take, and where. Default: everyone admitted by the Access policies may do
   * everything.
   */
  readonly allow?: (identity: AccessIdentity, question: AccessQuestion) => boolean | Promise<boolean>;
  /** Fetches the keys of the team. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** The header in which Cloudflare Access sends the token to the Worker. */
const HEADER = 'cf-access-jwt-assertion';
/** The cookie in which a browser keeps it. */
const COOKIE = 'CF_Authorization';
/** Clocks may differ by so many seconds. */
const CLOCK_SKEW_S = 60;
/** Keys are used for so long before they are fetched again, in ms. The platform announces new keys days before. */
const KEYS_FRESH_MS = 600_000;
/** An unknown key causes a fetch only where the last one is so long ago, in ms. */
const UNKNOWN_KEY_MS = 30_000;
/** The keys arrive in so many ms, or the request is refused. */
const FETCH_MS = 5_000;

/**
 * An `authorize` for a Worker behind Cloudflare Access. It accepts a request with a valid token of the application:
 * signed by an RSA key of the team, for this audience, from this issuer, and not expired.
 *
 * A request without one is `unauthorized`. If the keys cannot be fetched, the request is refused with `unavailable`,
 * and the caller may retry.
 * @throws TypeError for a team or an audience that is missing or misspelt
 * @example
 * const authorize = cloudflareAccess({ team: 'acme', audience: 'f1c2…' });
 */
export function cloudflareAccess(options: CloudflareAccessOptions): Authorize {
  const { team, allow } = options;
  if (typeof team !== 'string' || !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(team))
    throw new TypeError(`cloudflareAccess: the team is "acme" of https://acme.cloudflareaccess.com; not "${team}".`);
  const audience = [options.audience].flat();
  if (audience.length === 0 || audience.some((tag) => typeof tag !== 'string' || tag === ''))
    throw new TypeError('cloudflareAccess: the audience is the Application Audience (AUD) Tag of the application.');
  const issuer = `https://${team}.cloudflareaccess.com`;
  const fetches = new KeyFetches(options.fetch ?? ((url, init) => fetch(url, init)));
  const keys = createRemoteJWKSet(new URL(`${issuer}/cdn-cgi/access/certs`), {
    cacheMaxAge: KEYS_FRESH_MS,
    cooldownDuration: UNKNOWN_KEY_MS,
    timeoutDuration: FETCH_MS,
    [customFetch]: ((url, init) => fetches.fetch(url, { ...init })) satisfies FetchImplementation,
  });
  const decide: Authorize = async (request, question) => {
    const token = tokenOf(request);
    if (token === undefined) return refusal('This request did not pass Cloudflare Access: it has no Access token.');
    const verified = await jwtVerify(token, keys, {
      ...{ issuer, audience, algorithms: ['RS256'], clockTolerance: CLOCK_SKEW_S, requiredClaims: ['exp'] },
    }).catch((error: unknown) => refusedToken(error));
    if ('refused' in verified) return verified;
    const identity = identityOf(verified.payload);
    if ('refused' in identity) return identity;
    if (allow && !(await allow(identity, question))) return { refused: 'forbidden' };
    return { subject: identity.subject } satisfies Grant;
  };
  // The header comes from Access, and no page sends it.
  return Object.assign(decide, { reads: ['cookie'] });
}

const refusal = (detail: string): Refusal => ({ refused: 'unauthorized', detail });

/** The token of a request. The header comes from Access itself, so a cookie beside it does not count. */
function tokenOf(request: Request): string | undefined {
  const header = request.headers.get(HEADER);
  if (header !== null) return header;
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [name = '', ...value] = pair.trim().split('=');
    if (name === COOKIE) return value.join('=');
  }
  return undefined;
}

/** Faults of the token itself; all others are of the keys. */
const TOKEN_FAULTS = [
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

/** @throws OffshootError `unavailable` where no key could be had: then nothing is known of the token */
function refusedToken(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return refusal('The token of Cloudflare Access has expired. Sign in again.');
  if (TOKEN_FAULTS.some((fault) => error instanceof fault))
    return refusal('The token of Cloudflare Access is not valid for this application.');
  if (error instanceof OffshootError) throw error;
  throw KeyFetches.unavailable(error);
}

/** Names that people see as they are: without control characters, marks of text direction and halves of a character. */
const NAME = /^[^\p{C}]+$/u;
const EMAIL = /^[^\s:@\p{C}]+@[^\s:\p{C}]+$/u;

/** The identity that a token is about: a service has a common name, a person an e-mail address. */
function identityOf(claims: JWTPayload): AccessIdentity | Refusal {
  const { email, common_name: service } = claims;
  // A colon separates the kinds of subjects, so no e-mail address is taken for a service or a signed token.
  if (typeof email === 'string' && EMAIL.test(email)) {
    const subject = email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    return checked({ subject, email, claims });
  }
  if (typeof service === 'string' && NAME.test(service) && email === undefined)
    return checked({ subject: `service:${service}`, service, claims });
  return {
    refused: 'forbidden',
    detail: 'The token of Cloudflare Access has neither an e-mail address nor a common name.',
  };
}

function checked(identity: AccessIdentity): AccessIdentity | Refusal {
  if (identity.subject.length <= MAX_SUBJECT) return identity;
  return { refused: 'forbidden', detail: `A subject has at most ${MAX_SUBJECT} characters.` };
}
