import { i as Refusal, n as Authorize, r as Grant, t as AccessQuestion } from "./shared/authorize.js";
import { n as Action } from "./shared/actions.js";
/** A person or a service that Cloudflare Access has admitted. */
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
  /**
   * The actions that an identity may take, and where. Default: everyone admitted by the Access policies may do
   * everything.
   */
  readonly allow?: (identity: AccessIdentity, question: AccessQuestion) => boolean | Promise<boolean>;
  /** Fetches the keys of the team. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}
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
export declare function cloudflareAccess(options: CloudflareAccessOptions): Authorize;
/**
 * The name of the root that belongs to a subject: an e-mail address, an identity provider's id, or any other string.
 *
 * - Valid: every string except the empty one has a name.
 * - Stable: the name depends only on the string, and stays the same in later releases.
 * - Injective: two strings never share a name. Strings are compared exactly, so `Ann` and `ann` get different names, as
 *   do the two normal forms of `Zoë`. Names have no capitals, so they stay distinct in a system that ignores case.
 *
 * Letters from a to z, digits, `.` and `-` stay; each byte of the UTF-8 of other characters becomes `_` and two hex
 * digits. A name that would be longer than 128 characters is `_-` and the SHA-256 of the subject.
 * @throws OffshootError `invalid_request` for an empty string, and for half of a surrogate pair
 * @example
 * const name = rootNameOf('ann@example.com'); // 'ann_40example.com'
 */
export declare function rootNameOf(subject: string): string;
export type { AccessIdentity, AccessQuestion, Action, Authorize, CloudflareAccessOptions, Grant, Refusal };