/**
 * The statements of an agent's store. Bindings go in the order of the placeholders.
 *
 * Keeps SO4.
 */
import { and, asc, desc, eq, gt, gte, isNotNull, lt, lte, max, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as table from './schema/agent';
import { bound, build, excluded, text } from './statements';

const bind = (name: string): SQL => sql`${bound(name)}`;
const within = (column: SQLiteColumn) => and(gt(column, bind('after')), lte(column, bind('upTo')));
const {
  session,
  runs,
  steps,
  settlements,
  queued,
  audit,
  messages,
  children,
  outbox,
  receipts,
  variables,
  overflow,
  slices,
} = table;

/** id, data, custom */
export const PUT_SESSION = text(
  build.insert(session).values({ id: bound('id'), data: bound('data'), custom: bound('custom') }),
);
/** The one row. */
export const GET_SESSION = text(build.select({ data: session.data, custom: session.custom }).from(session));
/** data */
export const SET_SESSION = text(build.update(session).set({ data: bind('data') }));
/** custom */
export const SET_CUSTOM = text(build.update(session).set({ custom: bind('custom') }));

/** turn, data */
export const PUT_RUN = text(
  build
    .insert(runs)
    .values({ turn: bound('turn'), data: bound('data') })
    .onConflictDoUpdate({ target: runs.turn, set: { data: excluded('data') } }),
);
/** limit */
export const LAST_RUNS = text(
  build.select({ data: runs.data }).from(runs).orderBy(desc(runs.turn)).limit(bound('limit')),
);
/** after, upTo, limit */
export const RUNS = text(
  build.select({ data: runs.data }).from(runs).where(within(runs.turn)).orderBy(asc(runs.turn)).limit(bound('limit')),
);

/** id, data */
export const PUT_QUEUED = text(
  build
    .insert(queued)
    .values({ id: bound('id'), data: bound('data') })
    .onConflictDoUpdate({ target: queued.id, set: { data: excluded('data') } }),
);
/** id */
export const DROP_MESSAGE = text(build.delete(messages).where(eq(messages.id, bind('id'))));
/** id */
export const DROP_QUEUED = text(build.delete(queued).where(eq(queued.id, bind('id'))));
/** All, in order. */
export const QUEUED = text(build.select({ data: queued.data }).from(queued).orderBy(asc(queued.id)));

/** capability, id, data */
export const PUT_ROW = text(
  build
    .insert(slices)
    .values({ capability: bound('capability'), id: bound('id'), data: bound('data') })
    .onConflictDoUpdate({ target: [slices.capability, slices.id], set: { data: excluded('data') } }),
);
/** capability, id */
export const DROP_ROW = text(
  build.delete(slices).where(and(eq(slices.capability, bind('capability')), eq(slices.id, bind('id')))),
);
/** All, in order. */
export const ROWS = text(
  build
    .select({ capability: slices.capability, data: slices.data })
    .from(slices)
    .orderBy(asc(slices.capability), asc(slices.id)),
);

/** data */
export const PUT_AUDIT = 'insert into "audit" ("data") values (?)';
/** keep */
export const TRIM_AUDIT = 'delete from "audit" where "id" <= (select max("id") from "audit") - ?';
/** after, upTo, limit */
export const AUDIT = text(
  build
    .select({ id: audit.id, data: audit.data })
    .from(audit)
    .where(within(audit.id))
    .orderBy(asc(audit.id))
    .limit(bound('limit')),
);

/** id, turn, data */
export const PUT_STEP = text(
  build
    .insert(steps)
    .values({ id: bound('id'), turn: bound('turn'), data: bound('data') })
    .onConflictDoUpdate({ target: steps.id, set: { turn: excluded('turn'), data: excluded('data') } }),
);
/** limit */
export const LAST_STEPS = text(
  build.select({ data: steps.data }).from(steps).orderBy(desc(steps.id)).limit(bound('limit')),
);
/** after, upTo, limit */
export const STEPS = text(
  build.select({ data: steps.data }).from(steps).where(within(steps.id)).orderBy(asc(steps.id)).limit(bound('limit')),
);

/** key, data */
export const PUT_SETTLEMENT = text(
  build
    .insert(settlements)
    .values({ key: bound('key'), data: bound('data') })
    .onConflictDoUpdate({ target: settlements.key, set: { data: excluded('data') } }),
);
/** after, upTo */
export const SETTLEMENTS = text(build.select().from(settlements).where(within(settlements.key)));

/** from, downTo, limit: those behind a step have lower keys. */
export const CUSTOM_BEFORE = text(
  build
    .select({ data: settlements.data })
    .from(settlements)
    .where(and(lt(settlements.key, bind('from')), gte(settlements.key, bind('downTo'))))
    .orderBy(desc(settlements.key))
    .limit(bound('limit')),
);

/** id, data */
export const PUT_MESSAGE = text(
  build
    .insert(messages)
    .values({ id: bound('id'), data: bound('data') })
    .onConflictDoUpdate({ target: messages.id, set: { data: excluded('data') } }),
);
/** after, upTo, limit */
export const MESSAGES = text(
  build
    .select({ data: messages.data })
    .from(messages)
    .where(within(messages.id))
    .orderBy(asc(messages.id))
    .limit(bound('limit')),
);

/** data, id */
export const SET_MESSAGE = text(
  build
    .update(messages)
    .set({ data: bind('data') })
    .where(eq(messages.id, bind('id'))),
);

/** Rows that a session with an inherited memory does not keep. */
export const DROP_PASSING: readonly string[] = [queued, slices, children, outbox, receipts, audit, variables].map(
  (each) => text(build.delete(each)),
);
function sizeOf(of: SQLiteTable, column: SQLiteColumn): string {
  return text(build.select({ bytes: sql`coalesce(sum(length(cast(${column} as blob))), 0)`.as('bytes') }).from(of));
}

/** All that a memory is made of, and its children. */
export const CLEAR: readonly string[] = [runs, steps, settlements, messages, overflow, children].map((each) =>
  text(build.delete(each)),
);
/** The sizes of what a memory is made of, in bytes. */
export const SIZES: readonly string[] = [
  ...[runs, steps, settlements, messages].map((each) => sizeOf(each, each.data)),
  sizeOf(overflow, overflow.text),
];
/** Each removes the rows behind a key. */
export const DROP_BEHIND = {
  step: text(build.delete(steps).where(gt(steps.id, bind('id')))),
  settlement: text(build.delete(settlements).where(gt(settlements.key, bind('key')))),
  before: text(build.delete(settlements).where(lt(settlements.key, sql`-${bind('step')}`))),
  run: text(build.delete(runs).where(gt(runs.turn, bind('turn')))),
  message: text(build.delete(messages).where(gt(messages.id, bind('id')))),
};
/** Who has texts that go on in the overflow table. */
export const LONG_OWNERS = text(build.selectDistinct({ owner: overflow.owner }).from(overflow));

/** id, class_name, slot, generation, name, step, free, data */
export const PUT_CHILD = text(
  build
    .insert(children)
    .values({
      id: bound('id'),
      className: bound('className'),
      slot: bound('slot'),
      generation: bound('generation'),
      name: bound('name'),
      step: bound('step'),
      free: bound('free'),
      data: bound('data'),
    })
    .onConflictDoUpdate({
      target: children.id,
      set: { generation: excluded('generation'), step: excluded('step'), data: excluded('data') },
    }),
);
/** class_name, slot, free */
export const DROP_SLOT = text(
  build
    .delete(children)
    .where(
      and(eq(children.className, bind('className')), eq(children.slot, bind('slot')), eq(children.free, bind('free'))),
    ),
);
/** id, free */
export const GET_CHILD = text(
  build
    .select({ data: children.data })
    .from(children)
    .where(and(eq(children.id, bind('id')), eq(children.free, bind('free')))),
);
/** name */
export const NAMED_CHILD = text(
  build
    .select({ data: children.data })
    .from(children)
    .where(eq(children.name, bind('name'))),
);
/** after, free, limit */
export const LASTING_CHILDREN = text(
  build
    .select({ data: children.data })
    .from(children)
    .where(and(gt(children.id, bind('after')), isNotNull(children.name), eq(children.free, bind('free'))))
    .orderBy(asc(children.id))
    .limit(bound('limit')),
);
/** Of a record that may be kept with a run: its text is looked at, so that the others need not be parsed. */
const ofRun = sql<boolean>`(instr(${children.data}, '"ofRun":') > 0 or ${children.data} like '@%')`;
/** free */
export const COUNT_LASTING = text(
  build
    .select({ count: sql<number>`count(*)`.as('count') })
    .from(children)
    .where(and(isNotNull(children.name), eq(children.free, bind('free')))),
);
/** id, free */
export const LASTING_CHILD = text(
  build
    .select({ data: children.data })
    .from(children)
    .where(and(eq(children.id, bind('id')), isNotNull(children.name), eq(children.free, bind('free')))),
);
/** Of a record that may say that its child was terminated. */
const ended = sql<boolean>`(instr(${children.data}, '"terminated') > 0 or instr(${children.data}, '"gone":true') > 0 or ${children.data} like '@%')`;
/** free */
export const LASTING_ENDED = text(
  build
    .select({ data: children.data })
    .from(children)
    .where(and(isNotNull(children.name), eq(children.free, bind('free')), ended)),
);
/** The first by its name that is not kept with a run, and lives. free, limit */
export const LASTING_EXAMPLE = text(
  build
    .select({ name: children.name })
    .from(children)
    .where(and(isNotNull(children.name), eq(children.free, bind('free')), sql`not ${ofRun}`, sql`not ${ended}`))
    .orderBy(asc(children.name))
    .limit(bound('limit')),
);
/** free */
export const LASTING_OF_RUN = text(
  build
    .select({ data: children.data })
    .from(children)
    .where(and(isNotNull(children.name), eq(children.free, bind('free')), ofRun))
    .orderBy(asc(children.id)),
);
/** Names that end in a number which is not that of their child. */
export const NAMES_AHEAD = text(
  build
    .select({ name: children.name })
    .from(children)
    .where(and(sql`${children.name} glob '*-[0-9]*'`, sql`${children.name} not like '%-' || ${children.id}`)),
);
/** free, step */
export const OPEN_CHILDREN = text(
  build
    .select({ data: children.data })
    .from(children)
    .where(and(eq(children.free, bind('free')), or(eq(children.step, bind('step')), sql`${children.step} = 0`))),
);
/** free */
export const CHILDREN = text(
  build
    .select({ data: children.data })
    .from(children)
    .where(eq(children.free, bind('free'))),
);
/** The highest id of a child. */
export const LAST_CHILD = text(build.select({ id: sql<number>`${max(children.id)}`.as('id') }).from(children));
/** class_name, slot */
export const GET_SLOT = text(
  build
    .select({ id: children.id, generation: children.generation, free: children.free })
    .from(children)
    .where(and(eq(children.className, bind('className')), eq(children.slot, bind('slot')))),
);
/** class_name */
export const TOP_SLOT = text(
  build
    .select({ slot: sql<number>`${max(children.slot)}`.as('slot') })
    .from(children)
    .where(eq(children.className, bind('className'))),
);
/** class_name, free */
export const FREE_SLOTS = text(
  build
    .select({ slot: children.slot, generation: children.generation })
    .from(children)
    .where(and(eq(children.className, bind('className')), eq(children.free, bind('free'))))
    .orderBy(asc(children.slot)),
);
/** free, data, id */
export const FREE_CHILD = text(
  build
    .update(children)
    .set({ free: bind('free'), name: sql`null`, step: sql`null`, data: bind('data') })
    .where(eq(children.id, bind('id'))),
);

/** position, first, data */
export const PUT_BATCH = text(
  build
    .insert(outbox)
    .values({ position: bound('position'), first: bound('first'), data: bound('data') })
    .onConflictDoUpdate({ target: outbox.position, set: { first: excluded('first'), data: excluded('data') } }),
);
/** All, in order. */
export const BATCHES = text(build.select().from(outbox).orderBy(asc(outbox.first)));

/** key, body, answer, expires_at */
export const PUT_RECEIPT = text(
  build
    .insert(receipts)
    .values({ key: bound('key'), body: bound('body'), answer: bound('answer'), expiresAt: bound('expiresAt') })
    .onConflictDoUpdate({
      target: receipts.key,
      set: { body: excluded('body'), answer: excluded('answer'), expiresAt: excluded('expires_at') },
    }),
);
/** key, now */
export const GET_RECEIPT = text(
  build
    .select({ body: receipts.body, answer: receipts.answer })
    .from(receipts)
    .where(and(eq(receipts.key, bind('key')), gt(receipts.expiresAt, bind('now')))),
);
/** now */
export const RECEIPT_KEYS = text(
  build
    .select({ key: receipts.key })
    .from(receipts)
    .where(gt(receipts.expiresAt, bind('now'))),
);
/** name, data */
export const PUT_VARIABLE = text(
  build
    .insert(variables)
    .values({ name: bound('name'), data: bound('data') })
    .onConflictDoUpdate({ target: variables.name, set: { data: excluded('data') } }),
);
/** name */
export const GET_VARIABLE = text(
  build
    .select({ data: variables.data })
    .from(variables)
    .where(eq(variables.name, bind('name'))),
);
/** All, by name. */
export const VARIABLE_NAMES = text(build.select({ name: variables.name }).from(variables).orderBy(asc(variables.name)));
/** name */
export const DROP_VARIABLE = text(build.delete(variables).where(eq(variables.name, bind('name'))));

/** from, to, now */
export const RECEIPTS_BETWEEN =
  'select "answer" from "receipts" where "key" >= ? and "key" < ? and "expires_at" > ? order by "key"';
/** key */
export const DROP_RECEIPT = text(build.delete(receipts).where(eq(receipts.key, bind('key'))));
/** now */
export const DROP_RECEIPTS = text(build.delete(receipts).where(lt(receipts.expiresAt, bind('now'))));
