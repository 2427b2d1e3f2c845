/**
 * The statements of a top-level object's store. Bindings go in the order of the placeholders.
 *
 * Keeps SO4.
 */
import { and, asc, desc, eq, gte, like, lt, lte, max, or, type SQL, sql, sum } from 'drizzle-orm';
import { log, pending, tokens, tree, turns } from './schema/root';
import { bound, build, excluded, text } from './statements';

const bind = (name: string): SQL => sql`${bound(name)}`;

/** id, data */
export const PUT_NODE = text(
  build
    .insert(tree)
    .values({ id: bound('id'), data: bound('data') })
    .onConflictDoUpdate({ target: tree.id, set: { data: excluded('data') } }),
);
/** All, in order. */
export const NODES = text(build.select({ data: tree.data }).from(tree).orderBy(asc(tree.id)));
/** id */
export const DROP_NODE = text(build.delete(tree).where(eq(tree.id, bind('id'))));

/** id, data */
export const PUT_TOKEN = text(
  build
    .insert(tokens)
    .values({ id: bound('id'), data: bound('data') })
    .onConflictDoUpdate({ target: tokens.id, set: { data: excluded('data') } }),
);
/** id */
export const GET_TOKEN = text(
  build
    .select({ data: tokens.data })
    .from(tokens)
    .where(eq(tokens.id, bind('id'))),
);
/** All, in order. */
export const TOKENS = text(build.select({ data: tokens.data }).from(tokens).orderBy(asc(tokens.id)));
/** id */
export const DROP_TOKEN = text(build.delete(tokens).where(eq(tokens.id, bind('id'))));

/** first, count, node, number, size, data */
export const APPEND = text(
  build.insert(log).values({
    first: bound('first'),
    count: bound('count'),
    node: bound('node'),
    number: bound('number'),
    size: bound('size'),
    data: bound('data'),
  }),
);
/** sequence */
export const ROW_OF = text(
  build
    .select({ first: sql<number>`${max(log.first)}`.as('first') })
    .from(log)
    .where(lte(log.first, bind('sequence'))),
);
/** first, limit */
export const ROWS = text(
  build
    .select()
    .from(log)
    .where(gte(log.first, bind('first')))
    .orderBy(asc(log.first))
    .limit(bound('limit')),
);
/** node, number, limit */
export const ROW_OF_NUMBER = text(
  build
    .select({ first: log.first, number: log.number, count: log.count })
    .from(log)
    .where(and(eq(log.node, bind('node')), lte(log.number, bind('number'))))
    .orderBy(desc(log.first))
    .limit(bound('limit')),
);
/** node, first, begins, long: the rows of an agent that may tell of the beginning of a run; the longest are not in one row. */
export const BEGINNINGS = text(
  build
    .select({ first: log.first, node: log.node, number: log.number, data: log.data })
    .from(log)
    .where(
      and(
        eq(log.node, bind('node')),
        gte(log.first, bind('first')),
        or(like(log.data, bind('begins')), like(log.data, bind('long'))),
      ),
    )
    .orderBy(asc(log.first)),
);
/** limit */
export const OLDEST = text(
  build.select({ first: log.first, count: log.count }).from(log).orderBy(asc(log.first)).limit(bound('limit')),
);
/** limit */
export const NEWEST = text(
  build.select({ first: log.first, count: log.count }).from(log).orderBy(desc(log.first)).limit(bound('limit')),
);
/** first, limit */
export const SIZES = text(
  build
    .select({ first: log.first, size: log.size })
    .from(log)
    .where(gte(log.first, bind('first')))
    .orderBy(asc(log.first))
    .limit(bound('limit')),
);
/** from, to */
export const SIZE_BETWEEN = text(
  build
    .select({ size: sql<number>`${sum(log.size)}`.as('size') })
    .from(log)
    .where(and(gte(log.first, bind('from')), lt(log.first, bind('to')))),
);
/** node, before, limit */
export const ROWS_OF_NODE_BEFORE = text(
  build
    .select()
    .from(log)
    .where(and(eq(log.node, bind('node')), lt(log.first, bind('before'))))
    .orderBy(desc(log.first))
    .limit(bound('limit')),
);
/** before, size */
export const LONG_ROWS_BEFORE = text(
  build
    .select({ first: log.first })
    .from(log)
    .where(and(lt(log.first, bind('before')), gte(log.size, bind('size')))),
);
/** first */
export const DROP_ROWS = text(build.delete(log).where(lt(log.first, bind('first'))));

/** call_id, node, open, data */
export const PUT_PENDING = text(
  build
    .insert(pending)
    .values({ callId: bound('callId'), node: bound('node'), open: bind('open'), data: bound('data') })
    .onConflictDoUpdate({
      target: [pending.callId, pending.node],
      set: { open: excluded('open'), data: excluded('data') },
    }),
);
/** open */
export const OPEN_PENDING = text(
  build
    .select()
    .from(pending)
    .where(eq(pending.open, bind('open'))),
);
/** call_id */
export const GET_PENDING = text(
  build
    .select()
    .from(pending)
    .where(eq(pending.callId, bind('callId'))),
);
/** node */
export const DROP_PENDING = text(build.delete(pending).where(eq(pending.node, bind('node'))));

/** turn, first */
export const PUT_TURN = text(
  build
    .insert(turns)
    .values({ turn: bound('turn'), first: bound('first') })
    .onConflictDoNothing(),
);
/** All, in order. */
export const TURNS = text(build.select().from(turns).orderBy(asc(turns.turn)));
/** turn */
export const DROP_TURNS = text(build.delete(turns).where(lt(turns.turn, bind('turn'))));
