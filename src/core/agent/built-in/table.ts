/** The tools of the framework, one row each. A further one is a file beside this and a line here. */
import type { BuiltInTool } from '../rules';
import { finish } from './finish';

/** All of them. */
export const BUILT_IN_TOOLS: readonly BuiltInTool[] = [finish];
