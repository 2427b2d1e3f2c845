/**
 * `offshoot/without/zod-locales`: stands for `zod` in the bundle of an app: all of it but `locales`, its messages in 60
 * languages. The SDK imports `{ z }`, for which bundlers take the whole package; an `alias` in wrangler.jsonc leaves
 * these out. What zod says in English stays.
 */

/** All of this module, by itself: what bundlers do not take apart. */
export * as z from 'offshoot/without/zod-locales';
export { z as default } from 'offshoot/without/zod-locales';
/** zod's core, without its `locales`. */
export * as core from 'offshoot/without/zod-locales/core';
export * from 'zod/v4';
/** None are in this bundle. */
export const locales = {};
