/**
 * `offshoot/access`: people with an identity provider, and the roots that belong to them. Only an app that imports it
 * carries what verifies tokens.
 */
export type { AccessQuestion, Authorize, Grant, Refusal } from './access/authorize';
export { type AccessIdentity, type CloudflareAccessOptions, cloudflareAccess } from './access/cloudflare-access';
export { rootNameOf } from './access/root-name';
export type { Action } from './protocol/shown/actions';
