/**
 * A verb that is performed by its route (`core/tree/verbs/route`), at the root.
 *
 * Keeps A82.
 */
import { hasBegun, isLive, type TreeNode } from '../../core/tree/node';
import { type Refused, type Route, type RoutedVerb, restsUnderParent, routeOf } from '../../core/tree/verbs/route';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbAnswer, VerbCall } from '../../engine/object/object-calls';
import type { RootRuntime } from '../../engine/root/root';
import { type Failure, failure } from '../../protocol/errors';
import { locate } from '../locate';

type MaybePromise<Value> = Promise<Value> | Value;

type ToParent = Extract<Route, { to: 'parent' }>;
type ToRecord = Extract<Route, { to: 'record' }>;

/** What a verb does at each of those whom its route may lead to. */
export interface Takers {
  agent(): Promise<VerbAnswer>;
  parent?(route: ToParent): MaybePromise<VerbAnswer>;
  record?(route: ToRecord): MaybePromise<VerbAnswer>;
}

/** A call of a routed verb, at the root. */
interface RoutedCall {
  readonly object: ObjectRuntime;
  readonly call: VerbCall;
  readonly verb: RoutedVerb;
}

/** How long the parent and the record of an agent may take to hear of its end, in ms. */
const HEARD_MS = 2_000;

interface Found {
  readonly tree: RootRuntime;
  readonly node: TreeNode;
}

/** The agent of a call in the record; undefined where it is not there. */
export function recorded({ object, call }: Pick<RoutedCall, 'object' | 'call'>): Found | undefined {
  const found = locate(object, call.path);
  return found.at === 'record' ? found : undefined;
}

const no = (error: Failure): VerbAnswer => ({ ok: false, error });

/** Performs a verb. What the record does not hold is asked itself: it is further down, or nobody is there. */
export async function byRoute(routed: RoutedCall, takers: Takers): Promise<VerbAnswer> {
  const found = recorded(routed);
  if (found === undefined) return takers.agent();
  const route = routeOf(found.tree.tree, found.node, routed.verb);
  if (route.to !== 'agent') return taken(routed, takers, route);
  const reply = await takers.agent();
  if (!reply.ok) return refused(routed, takers, { why: reply.error, before: found.node.lastChunk });
  const rest = route.next && routeNow(routed, route.next);
  return rest ? taken(routed, takers, rest) : reply;
}

/** Performs a verb that was passed on to the parent before: the agent itself is not asked again. */
export async function againByParent(routed: RoutedCall, takers: Takers): Promise<VerbAnswer> {
  const found = recorded(routed);
  if (found === undefined) return takers.agent();
  const why = failure('owned_by_parent');
  return taken(routed, takers, routeOf(found.tree.tree, found.node, routed.verb, { why, isReported: true }));
}

/** The rest of the route of a verb that the agent has refused. */
async function refused(
  routed: RoutedCall,
  takers: Takers,
  { why, before }: { readonly why: Failure; readonly before: number },
): Promise<VerbAnswer> {
  const found = recorded(routed);
  if (found === undefined) return no(why);
  const isNow: Refused = {
    why,
    isReported: isReported(routed, found, before),
    continues: found.node.lastChunk > before,
  };
  const route = routeOf(found.tree.tree, found.node, routed.verb, isNow);
  if (route.to !== 'report') return taken(routed, takers, route);
  await found.tree.until(() => {
    const now = recorded(routed);
    return now === undefined || isReported(routed, now, before);
  }, HEARD_MS);
  const now = recorded(routed);
  if (now === undefined) return no(why);
  const later: Refused = { why, isReported: true, continues: now.node.lastChunk > before };
  return taken(routed, takers, routeOf(now.tree.tree, now.node, routed.verb, later));
}

/** Whether the record, and for a message the parent as well, has heard of the end of an agent that refuses a verb. */
function isReported({ verb }: RoutedCall, { tree, node }: Found, before: number): boolean {
  if (verb === 'resume') return restsUnderParent(node) || node.lastChunk > before;
  return !hasBegun(node) || (!isLive(node) && tree.hasHandedOn(node.sessionId));
}

/** The rest of a route, unless the record forbids it by now. */
function routeNow(routed: RoutedCall, rest: Route): Route {
  const found = recorded(routed);
  const now = found && routeOf(found.tree.tree, found.node, routed.verb);
  return now?.to === 'nobody' ? now : rest;
}

async function taken(routed: RoutedCall, takers: Takers, route: Route): Promise<VerbAnswer> {
  switch (route.to) {
    case 'nobody':
      return no(route.why);
    case 'record':
      return takers.record?.(route) ?? takers.agent();
    case 'parent': {
      const said = await (takers.parent?.(route) ?? takers.agent());
      const isOver = route.ask === 'giveUp' && !said.ok && said.error.code === 'superseded';
      return route.next && (said.ok || isOver) ? taken(routed, takers, route.next) : said;
    }
    case 'agent':
    case 'report':
      return takers.agent();
  }
}
