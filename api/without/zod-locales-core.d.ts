export * from "zod/v4/core";
/** None are in this bundle. */
export declare const locales: {};