/**
 * The list of capabilities: each is a folder here and a line below.
 *
 * Keeps CB1, CB5.
 */
import type { Capability } from '../engine/capability';
import { copies } from './copies';
import { effects } from './effects';

/** The capabilities of this version. */
export const CAPABILITIES: readonly Capability[] = [effects, copies];
