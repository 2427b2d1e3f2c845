/** The statements of a top-level object's store. Bindings go in the order of the placeholders. */
import { asc, desc, eq, gte, lt, lte, max, type SQL, sql, sum } from 'drizzle-orm';
import { log, tree, turns } from './schema/root';
import { bound, build, excluded, text } from './statements';

const bind = (name: string): SQL => sql`${bound(name)}`;

/** id, data */
export const PUT_NODE = text(
  build
    .insert(tree)
    .values({ id: bound('id'), data: bound('data') })
    .onConflictDoUpdate({ target: tree.id, set: { data: excluded('data') } }),
);
export const NODES = text(build.select({ data: tree.data }).from(tree).orderBy(asc(tree.id)));
/** id */
export const DROP_NODE = text(build.delete(tree).where(eq(tree.id, bind('id'))));

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
export const ROW_OF = text(build.select({ first: sql<number>`${max(log.first)}`.as('first') }).from(log).where(lte(log.first, bind('sequence'))));
/** first, limit */
export const ROWS = text(build.select().from(log).where(gte(log.first, bind('first'))).orderBy(asc(log.first)).limit(bound('limit')));
/** node */
export const ROWS_OF_NODE = text(
  build.select({ first: log.first, number: log.number, count: log.count }).from(log).where(eq(log.node, bind('node'))).orderBy(desc(log.first)),
);
/** limit */
export const OLDEST = text(build.select({ first: log.first, count: log.count }).from(log).orderBy(asc(log.first)).limit(bound('limit')));
/** limit */
export const NEWEST = text(build.select({ first: log.first, count: log.count }).from(log).orderBy(desc(log.first)).limit(bound('limit')));
/** first */
export const SIZE = text(build.select({ size: sql<number>`${sum(log.size)}`.as('size') }).from(log).where(gte(log.first, bind('first'))));
/** first */
export const DROP_ROWS = text(build.delete(log).where(lt(log.first, bind('first'))));

/** turn, first */
export const PUT_TURN = text(build.insert(turns).values({ turn: bound('turn'), first: bound('first') }).onConflictDoNothing());
export const TURNS = text(build.select().from(turns).orderBy(asc(turns.turn)));
/** turn */
export const DROP_TURNS = text(build.delete(turns).where(lt(turns.turn, bind('turn'))));
