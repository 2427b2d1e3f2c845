import { i as Refusal, n as Authorize, r as Grant, t as AccessQuestion } from "./shared/authorize.js";
import { n as Action } from "./shared/actions.js";
/** A person or a service that Cloudflare Access has let in. */
interface AccessIdentity {
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
interface CloudflareAccessOptions {
  /** The name of the team: `acme` of `https://acme.cloudflareaccess.com`. */
  readonly team: string;
  /** The Application Audience (AUD) Tag of the application; several if several applications protect this Worker. */
  readonly audience: string | readonly string[];
  /** Which actions an identity may take, and where. Default: each one that the policies of Access let in may do everything. */
  readonly allow?: (identity: AccessIdentity, question: AccessQuestion) => boolean | Promise<boolean>;
  /** Fetches the keys of the team. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}
/**
 * An `authorize` for a Worker behind Cloudflare Access. It believes a request that has a valid token of the application:
 * signed by an RSA key of the team, for this audience, from this issuer, within its time.
 *
 * A request that has none is `unauthorized`. Where the keys cannot be fetched the request is refused with `unavailable`,
 * which may be repeated.
 * @throws TypeError for a team or an audience that is missing or misspelt
 * @example
 * const authorize = cloudflareAccess({ team: 'acme', audience: 'f1c2…' });
 */
export declare function cloudflareAccess(options: CloudflareAccessOptions): Authorize;
/**
 * The name of the root that belongs to a subject: an e-mail address, the id of an identity provider, or any other text.
 *
 * - Valid: every text but the empty one has a name.
 * - Stable: the name depends on the text alone, and stays the same in later releases.
 * - Injective: two texts never share a name. Texts are compared exactly, so `Ann` and `ann` have two names, and so have
 *   the two normal forms of `Zoë`. A name has no capitals, so no comparison without case takes two names for one.
 *
 * Letters from a to z, digits, `.` and `-` stay; each byte of the UTF-8 of other characters becomes `_` and two hex
 * digits. A name that would be longer than 128 characters is `_-` and the SHA-256 of the subject.
 * @throws OffshootError `invalid_request` for an empty text, and for half of a surrogate pair
 * @example
 * const name = rootNameOf('ann@example.com'); // 'ann_40example.com'
 */
export declare function rootNameOf(subject: string): string;
export type { AccessIdentity, AccessQuestion, Action, Authorize, CloudflareAccessOptions, Grant, Refusal };