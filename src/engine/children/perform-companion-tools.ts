/**
 * What the engine does for the tools that look at companions: the agent's rows say who there is, its root how they stand.
 *
 * Keeps CO14, CO20.
 */
import type { z } from 'zod';
import {
  getChildStatus,
  lineOf,
  listChildren,
  listInput,
  standing,
  statusInput,
} from '../../core/agent/built-in/companions/list';
import { nobodyNamed } from '../../core/agent/built-in/companions/names';
import { readOthers } from '../../core/agent/built-in/read';
import { subagents, subagentsInput, toldOf } from '../../core/agent/built-in/subagents/list';
import type { Child } from '../../core/agent/children/child';
import { hasLeft, stillKept } from '../../core/agent/children/child-retention';
import { registryOf } from '../../core/agent/standard-agents/subagent-registry';
import type { AgentState } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import { OffshootError } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import type { BodyAgent } from '../perform/performer';
import { lookAt } from './ask-child-standings';
import { namedChildren } from './prompt-subagents';
import { readGranted } from './read-granted';

/** A body: its arguments are read by the schema of its tool. */
type CompanionBody = (input: unknown, agent: BodyAgent) => Promise<JsonObject>;

const body =
  <Schema extends z.ZodType>(
    schema: Schema,
    run: (input: z.output<Schema>, agent: BodyAgent) => Promise<JsonObject>,
  ): CompanionBody =>
  (input, agent) =>
    run(schema.parse(input), agent);

/** The companions of a page in the order of their beginning, and how many there are. Who has left is neither told nor counted. */
export function pageOfCompanions(
  store: Pick<AgentStore, 'countLasting' | 'lastingChildren'>,
  state: Pick<AgentState, 'run'>,
  { after = 0, limit }: { readonly after?: number | undefined; readonly limit: number },
): { readonly page: readonly Child[]; readonly total: number; readonly next?: number } {
  const lasting = store.countLasting();
  const { count: total } = stillKept(lasting, state);
  // What was kept for an earlier run is about to be removed: the page is as long without it.
  const rows = store.lastingChildren({ after, limit: limit + 1 + lasting.count - total });
  const found = rows.filter((child) => !hasLeft(child, state));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, total, ...(found.length > limit && last ? { next: last.childId } : {}) };
}

/** A page is as long for many companions as for few: two reads of the store, and one question. */
const list = body(listInput, async (input, agent) => {
  const { page, ...rest } = pageOfCompanions(agent.deps.store, agent.state, input);
  const looks = await lookAt(agent, page);
  return { children: page.map((child) => lineOf(child, looks.get(child.sessionId))), ...rest };
});

const status = body(statusInput, async ({ name }, agent) => {
  const child = agent.deps.store.named(name);
  if (child === undefined || hasLeft(child, agent.state)) throw new OffshootError('not_found', nobodyNamed(name));
  const looks = await lookAt(agent, [child]);
  return standing(child, looks.get(child.sessionId));
});

const listOfSubagents = body(subagentsInput, async ({ after = 0, limit }, agent) => {
  const named = namedChildren(agent.deps.store);
  const all = registryOf({ state: agent.state, written: () => undefined }, named);
  const found = all.filter(({ childId }) => childId > after);
  const page = found.slice(0, limit);
  const looks = await lookAt(agent, page);
  const last = page.at(-1);
  return {
    subagents: page.map((child) => toldOf(child, looks.get(child.sessionId))),
    total: all.length,
    ...(found.length > limit && last ? { next: last.childId } : {}),
  };
});

const BODIES: ReadonlyMap<string, CompanionBody> = new Map([
  [listChildren.name, list],
  [getChildStatus.name, status],
  [subagents.name, listOfSubagents],
  [readOthers.name, readGranted],
]);

/** The body of a tool; undefined where the name is none of these. */
export function companionBody(name: string): CompanionBody | undefined {
  return BODIES.get(name);
}
