/**
 * `companion__listChildren` and `companion__getChildStatus`: who there is, and how one of them stands. How much one has
 * done and what it waits for is in the root's record, so the engine performs them; what they tell is made here.
 *
 * Decides: the size of a page of companions.
 * Keeps CO14, CO20.
 */
import { z } from 'zod';
import { beginningOf } from '../../../../protocol/content/cut';
import type { JsonObject } from '../../../../protocol/json';
import { toldFiles } from '../../calls/enclosures';
import type { Child } from '../../children/child';
import { untaken } from '../../children/child-messages';
import { retentionOf } from '../../children/child-retention';
import type { Look } from '../../children/child-standing';
import type { BuiltInTool } from '../../rules';
import { hasCompanions, nameSchema } from './names';
import { beingStopped, endFacts, seenStatus } from './told-to-model';

/** Companions of a page, where no other number is asked for, and at most. */
const PAGE = { size: 50, most: 200 } as const;

/** Of a text that says what a companion does, a list tells so many characters; its status tells all of it. */
const MAX_LISTED_TEXT = 200;

/** What the arguments of `companion__listChildren` must fit. */
export const listInput = z.strictObject({
  after: z.int().min(0).optional().describe('`next` of the previous page.'),
  limit: z.int().positive().max(PAGE.most).default(PAGE.size).describe('The largest number of entries.'),
});

/** What the arguments of `companion__getChildStatus` must fit. */
export const statusInput = z.strictObject({ name: nameSchema.describe('Whom.') });

/** What its parent's rows tell of a companion, with its status by the root's record. */
function rowOf(child: Child, look: Look | undefined): JsonObject {
  // What the framework wished it is no message of its parent.
  const unread = untaken(child).filter(({ message }) => message.from !== 'offshoot').length;
  return {
    name: child.name ?? '',
    agent: child.agentType,
    status: seenStatus(child, look),
    ...beingStopped(child),
    task: child.task.number,
    ...(unread > 0 ? { unreadMessages: unread } : {}),
    ...(child.ofRun === undefined ? {} : { retention: retentionOf(child) }),
  };
}

/** How much it has done by the root's record, and when it did something last; nothing before it has begun. */
export function doneBy(look: Look | undefined): JsonObject {
  if (look === undefined) return {};
  const { usage, lastAt } = look;
  return {
    steps: usage.modelCalls,
    ...(lastAt === undefined ? {} : { lastActivity: new Date(lastAt).toISOString() }),
  };
}

const progress = (text: string): JsonObject => (text === '' ? {} : { progress: text });

/** A line of the list. */
export function lineOf(child: Child, look: Look | undefined): JsonObject {
  const { statusText = '', pendingCount = 0 } = look ?? {};
  return {
    ...rowOf(child, look),
    ...doneBy(look),
    ...progress(beginningOf(statusText, MAX_LISTED_TEXT)),
    ...(pendingCount === 0 ? {} : { pendingCalls: pendingCount }),
  };
}

/** How one of them stands. */
export function standing(child: Child, look: Look | undefined): JsonObject {
  const { state } = child;
  return {
    ...rowOf(child, look),
    address: child.address,
    ...doneBy(look),
    ...(look ? { ...progress(look.statusText), usage: { ...look.usage }, ...waitsFor(look) } : {}),
    ...(state.is === 'ended' ? { ...endFacts(state.result, 'lastOutput'), ...toldFiles(state.brought) } : {}),
  };
}

/** What it waits for a person with. */
function waitsFor({ pending, pendingCount }: Look): JsonObject {
  if (pendingCount === 0) return {};
  const pendingCalls = pending.map(({ requestedAt, expiresAt, ...call }) => ({
    ...call,
    requestedAt: new Date(requestedAt).toISOString(),
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  }));
  return { pendingCalls, ...(pendingCount > pending.length ? { pendingCount } : {}) };
}

const looks = { performed: true, replay: 'safe', requireApproval: false } as const;

/** The row of `companion__getChildStatus`. */
export const getChildStatus: BuiltInTool = {
  name: 'companion__getChildStatus',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      ...looks,
      description:
        'Returns the status of one of your companions: its task, what it does and has spent, its last activity, its calls that wait for a person, and its last output once its task has ended.',
      inputSchema: statusInput,
    };
  },
};

/** The row of `companion__listChildren`. */
export const listChildren: BuiltInTool = {
  name: 'companion__listChildren',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      ...looks,
      description:
        'Lists your companions in the order in which they began, each with name, kind, status, task, steps, last activity and current work.',
      inputSchema: listInput,
    };
  },
};
