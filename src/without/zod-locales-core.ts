/** `offshoot/without/zod-locales/core`: the `core` of `offshoot/without/zod-locales`. */
export * from 'zod/v4/core';
/** None are in this bundle. */
export const locales = {};
