/**
 * Pages of lists: where they begin and where the next one goes on.
 *
 * Decides: where a page begins, and its cursor.
 * Keeps A9.
 */

import type { Step } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import { PAGE_LIMITS } from '../../protocol/data-limits';
import { OffshootError } from '../../protocol/errors';

/** Which page is asked for. */
export interface PageInput {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** A page, as it is answered. */
export type Page<Item> = {
  readonly items: readonly Item[];
  readonly cursor?: string;
};

/** Steps that are read at once. */
const STEPS = 50;

/** The numbers of a cursor, as pages write them. */
const NUMBERS = /^(0|[1-9]\d{0,14})(\.(0|[1-9]\d{0,14})){0,3}$/;

/** The items that a page has at most. */
export function limitOf({ limit }: PageInput): number {
  return limit ?? PAGE_LIMITS.size;
}

/**
 * The numbers of a cursor; all 0 for the first page.
 * @throws OffshootError `invalid_cursor` for a text that no page gave
 */
export function cursorOf({ cursor }: PageInput, numbers: number): number[] {
  if (cursor === undefined) return Array.from({ length: numbers }, () => 0);
  if (!NUMBERS.test(cursor) || cursor.split('.').length !== numbers) {
    throw new OffshootError(
      'invalid_cursor',
      'The cursor is not from this list. Omit it to begin with the first page.',
    );
  }
  return cursor.split('.').map(Number);
}

/** A page of a list that is in memory, in order of its keys. */
export function pageOfAll<Item>(all: readonly Item[], input: PageInput, keyOf: (item: Item) => number): Page<Item> {
  const [after = 0] = cursorOf(input, 1);
  const limit = limitOf(input);
  const rest = all.filter((item) => keyOf(item) > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return rest.length > limit && last !== undefined ? { items, cursor: String(keyOf(last)) } : { items };
}

/** Something that a step gives, with its position in it: positions only ever get more at the end of a step. */
export interface Positioned<Item> {
  readonly position: number;
  readonly item: Item;
}

/** A page over what the steps of a session give. */
export function pageOfSteps<Item>(
  store: AgentStore,
  input: PageInput,
  itemsOf: (step: Step) => readonly Positioned<Item>[],
): Page<Item> {
  const [fromStep = 0, fromPosition = 0] = cursorOf(input, 2);
  const limit = limitOf(input);
  const items: Item[] = [];
  let cursor = '';
  for (const step of stepsFrom(store, Math.max(0, fromStep - 1))) {
    for (const { position, item } of itemsOf(step)) {
      if (step.id === fromStep && position <= fromPosition) continue;
      if (items.length === limit) return { items, cursor };
      items.push(item);
      cursor = `${step.id}.${position}`;
    }
  }
  return { items };
}

/** The steps after an id, read a few at a time. */
export function* stepsFrom(store: AgentStore, after: number): Generator<Step, void, undefined> {
  for (let last = after; ; ) {
    const steps = store.steps({ after: last, limit: STEPS });
    yield* steps;
    const next = steps.at(-1)?.id;
    if (next === undefined || steps.length < STEPS) return;
    last = next;
  }
}
