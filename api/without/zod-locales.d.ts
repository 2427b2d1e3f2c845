import * as z from "offshoot/without/zod-locales";
import { z as zod_locales_default } from "offshoot/without/zod-locales";
import * as core from "offshoot/without/zod-locales/core";
export * from "zod/v4";
/** None are in this bundle. */
export declare const locales: {};
export { core, zod_locales_default as default, z };