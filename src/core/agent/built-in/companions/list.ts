/** `companion__listChildren` and `companion__getChildStatus`: who there is, and how one of them stands. */
import * as z from 'zod';
import type { Json, JsonObject } from '../../../../protocol/json';
import type { Child } from '../../child';
import type { BuiltInTool } from '../../rules';
import { childNamed, hasCompanions, nameSchema, nobody } from './named';
import { companionStatus, endFacts } from './told';

/** Companions of a page, where no other number is asked for, and at most. */
const PAGE = { size: 50, most: 200 } as const;

const listInput = z.object({
  after: z.int().min(0).optional().describe('The `next` of the page before.'),
  limit: z.int().positive().max(PAGE.most).optional().describe(`At most so many; ${PAGE.size} by default.`),
});

/** A line of the list. */
function lineOf(child: Child): JsonObject {
  return {
    name: child.name ?? '',
    agent: child.agentType,
    status: companionStatus(child),
    task: child.task.number,
    ...(child.mail ? { unreadMessages: child.mail.length } : {}),
  };
}

const nameInput = z.object({ name: nameSchema.describe('Whom.') });

function standing(child: Child): JsonObject {
  const { state } = child;
  return {
    ...lineOf(child),
    address: child.address,
    ...(state.is === 'ended' ? endFacts(state.result, 'lastOutput') : {}),
  };
}

/** The row of `companion__getChildStatus`. */
export const getChildStatus: BuiltInTool = {
  name: 'companion__getChildStatus',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      description:
        'Tells how one of your companions stands: its status, its task, and its last output once that has ended.',
      endsRun: false,
      inputSchema: nameInput,
      needs: (args) => ({ names: [nameInput.parse(args).name] }),
      apply(draft, call) {
        const { name } = nameInput.parse(call.args);
        const child = childNamed(draft, call, name);
        if (child === undefined) return nobody(name);
        return { kind: 'immediate', result: { success: true, value: standing(child) } };
      },
    };
  },
};

/** The row of `companion__listChildren`. */
export const listChildren: BuiltInTool = {
  name: 'companion__listChildren',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      description: 'Lists your companions with their names, kinds and statuses, in the order in which they began.',
      endsRun: false,
      inputSchema: listInput,
      needs(args) {
        const { after = 0, limit = PAGE.size } = listInput.parse(args);
        return { page: { after, limit: limit + 1 } };
      },
      apply(draft, call) {
        const { after = 0, limit = PAGE.size } = listInput.parse(call.args);
        // Other calls of the reply may have asked for others.
        const page = call.atRest
          .filter(({ childId }) => childId > after)
          .sort((one, other) => one.childId - other.childId)
          .map((read) => draft.state.children.get(read.childId) ?? draft.written(read.childId) ?? read);
        const children: Json = page.slice(0, limit).map(lineOf);
        const last = page[limit - 1];
        const next = page.length > limit && last ? { next: last.childId } : {};
        return {
          kind: 'immediate',
          result: { success: true, value: { children, total: call.lasting.count, ...next } },
        };
      },
    };
  },
};
