/**
 * `subagents`: who there is by the registry, and how each stands. The root's record knows that, so the engine performs
 * it.
 *
 * Keeps SA47, SAW16.
 */
import * as z from 'zod';
import type { JsonObject } from '../../../../protocol/json';
import type { Look } from '../../children/child-standing';
import type { BuiltInTool } from '../../rules';
import { entryOf, isTerminated, type RegisteredChild } from '../../standard-agents/subagent-registry';
import { doneBy } from '../companions/list';

/** Sub-agents of a page, where no other number is asked for, and at most. */
const PAGE = { size: 50, most: 200 } as const;

/** What the arguments must fit. */
export const subagentsInput = z.strictObject({
  after: z.int().min(0).optional().describe('`next` of the previous page.'),
  limit: z.int().positive().max(PAGE.most).default(PAGE.size).describe('The largest number of entries.'),
});

/** What the list tells of one. */
export function toldOf(child: RegisteredChild, look: Look | undefined): JsonObject {
  const { statusText = '', pendingCount = 0 } = look ?? {};
  // Its own word is shown as its status, and never hides that it was ended.
  const said = statusText === '' || isTerminated(child) ? {} : { status: statusText };
  return {
    ...entryOf(child),
    ...said,
    ...doneBy(look),
    ...(pendingCount === 0 ? {} : { pendingCalls: pendingCount }),
  };
}

/** The row of `subagents`. */
export const subagents: BuiltInTool = {
  name: 'subagents',
  of(definition, { inherits }) {
    if (definition.subagents.length === 0 && !inherits?.any) return undefined;
    return {
      performed: true,
      replay: 'safe',
      requireApproval: false,
      description:
        'Lists your sub-agents in the order in which they began: reference, agent, names, status, and what each has done.',
      inputSchema: subagentsInput,
    };
  },
};
