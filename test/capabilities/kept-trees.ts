/** The trees of capabilities whose stores are kept for each format. */
import type { KeptTree } from '../support/kept-formats';
import { companions } from './copies/support/kept-tree';
import { apart } from './remote/support/kept-tree';

export const TREES_OF_CAPABILITIES: readonly KeptTree[] = [companions, apart];
