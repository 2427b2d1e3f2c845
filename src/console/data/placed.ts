/** The rows of a tree in their places: what is unfolded, what stands for many of one kind, and who is below whom. */

import type { Usage } from '../../client';
import { addUsage } from '../../protocol/usage';
import { filterOf } from './filter';
import type { Row } from './outline';
import type { Span } from './spans';

/** More siblings of one type than this are one row. */
export const MOST_ALIKE = 20;
/** A tree of so many agents is shown unfolded. */
const SMALL = 100;

/** An agent, or many siblings of one type. */
export type Placed = PlacedAgent | PlacedGroup;

interface Place {
  readonly id: string;
  readonly level: number;
  /** Which of its siblings it is, from 1, and how many there are. */
  readonly place: number;
  readonly siblings: number;
  /** Rows right below it. */
  readonly children: number;
  readonly open: boolean;
}

/** An agent in its place. */
export interface PlacedAgent extends Place {
  readonly kind: 'agent';
  readonly row: Row;
  /** Shown only because something below it fits the filter. */
  readonly dim: boolean;
  /** What it and all below it have spent. */
  readonly usage: Usage;
  readonly unpriced: boolean;
  /** All below it, where it is folded. */
  readonly hidden: readonly Row[];
}

/** Siblings of one type, as one row. */
export interface PlacedGroup extends Place {
  readonly kind: 'group';
  readonly agentType: string;
  readonly members: readonly Row[];
  /** How many of them stand how. */
  readonly counts: {
    readonly running: number;
    readonly waiting: number;
    readonly failed: number;
    readonly done: number;
  };
}

/** When some agents were there, as one list of stretches: an agent that has not ended goes on. */
export function togetherOf(rows: readonly Row[]): Span[] {
  const all = rows.map(({ from, last, status }) => ({ from, to: ENDED.has(status) ? last : undefined }));
  const out: { kind: 'below'; from: number; to?: number; name: string; count: number }[] = [];
  for (const { from, to } of all.sort((one, other) => one.from - other.from)) {
    const before = out.at(-1);
    if (before === undefined || (before.to !== undefined && before.to < from)) {
      out.push({ kind: 'below', from, ...(to === undefined ? {} : { to }), name: '1 agent', count: 1 });
      continue;
    }
    before.count += 1;
    before.name = `${before.count} agents`;
    if (to === undefined) delete before.to;
    else if (before.to !== undefined) before.to = Math.max(before.to, to);
  }
  return out.map(({ count: _count, ...span }) => span);
}

/** What a person and the run itself have unfolded and folded. */
export interface Folds {
  /** By the id of a row: what a person wanted; it wins. */
  readonly byHand: ReadonlyMap<string, boolean>;
  /** What was unfolded once by itself: live data never folds it again. */
  readonly opened: Set<string>;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'terminated', 'interrupted']);
const DONE: ReadonlySet<string> = new Set(['completed', 'terminated', 'idle', 'interrupted']);

function countsOf(members: readonly Row[]): PlacedGroup['counts'] {
  const counts = { running: 0, waiting: 0, failed: 0, done: 0 };
  for (const { status, waiting } of members) {
    if (waiting > 0 && !DONE.has(status)) counts.waiting += 1;
    else if (status === 'failed') counts.failed += 1;
    else if (DONE.has(status)) counts.done += 1;
    else counts.running += 1;
  }
  return counts;
}

/** Whether an agent is to be seen without being asked for. */
const stirs = ({ status, waiting }: Row): boolean =>
  waiting > 0 || status === 'running' || status === 'failed' || status.startsWith('suspended');

type Entry = { readonly row: Row } | { readonly agentType: string; readonly members: readonly Row[] };

/** The children of one agent, with those of a type that has too many together where the first of them is. */
function entriesOf(parent: string, list: readonly Row[]): (Entry & { readonly id: string })[] {
  if (list.length <= MOST_ALIKE) return list.map((row) => ({ id: row.agentId, row }));
  const byType = new Map<string, Row[]>();
  for (const row of list) {
    const alike = byType.get(row.agentType);
    if (alike === undefined) byType.set(row.agentType, [row]);
    else alike.push(row);
  }
  return list.flatMap((row): (Entry & { readonly id: string })[] => {
    const members = byType.get(row.agentType) ?? [];
    if (members.length <= MOST_ALIKE) return [{ id: row.agentId, row }];
    return members[0] === row ? [{ id: `${parent}*${row.agentType}`, agentType: row.agentType, members }] : [];
  });
}

/** A tree, made once for each change of its rows. */
class Arrangement {
  readonly below = new Map<string, Row[]>();
  readonly tops: Row[] = [];
  readonly known: ReadonlyMap<string, Row>;
  readonly out: Placed[] = [];
  readonly #sums = new Map<string, { usage: Usage; unpriced: boolean }>();

  constructor(
    readonly rows: readonly Row[],
    readonly folds: Folds,
    readonly fits: ReadonlySet<string> | undefined,
    readonly found: ReadonlySet<string> | undefined,
    readonly shown: ReadonlySet<string>,
  ) {
    this.known = new Map(rows.map((row) => [row.agentId, row]));
    for (const row of rows) {
      const { parentId } = row;
      if (parentId === undefined || !this.known.has(parentId) || parentId === row.agentId) this.tops.push(row);
      else {
        const siblings = this.below.get(parentId);
        if (siblings === undefined) this.below.set(parentId, [row]);
        else siblings.push(row);
      }
    }
    // Children come after their parents, so that what is below is summed from the end.
    for (const row of rows.toReversed()) {
      const own = this.#sums.get(row.agentId) ?? { usage: row.usage, unpriced: row.unpriced };
      if (!this.#sums.has(row.agentId)) this.#sums.set(row.agentId, own);
      if (row.parentId === undefined || row.parentId === row.agentId) continue;
      const parent = this.known.get(row.parentId);
      if (parent === undefined) continue;
      const above = this.#sums.get(parent.agentId) ?? { usage: parent.usage, unpriced: parent.unpriced };
      const unpriced = above.unpriced || own.unpriced;
      this.#sums.set(parent.agentId, { usage: addUsage(above.usage, own.usage), unpriced });
    }
  }

  visit(parent: string, list: readonly Row[], level: number, seen: ReadonlySet<string>): void {
    const kept = this.fits === undefined ? list : list.filter(({ agentId }) => this.fits?.has(agentId));
    const entries = this.fits === undefined ? entriesOf(parent, kept) : kept.map((row) => ({ id: row.agentId, row }));
    entries.forEach((entry, index) => {
      const place = { id: entry.id, level, place: index + 1, siblings: entries.length };
      if ('row' in entry) this.#agent(entry.row, place, seen);
      else this.#group(entry, place, seen);
    });
  }

  #agent(row: Row, place: Omit<Place, 'children' | 'open'>, seen: ReadonlySet<string>): void {
    if (seen.has(row.agentId)) return;
    const children = this.below.get(row.agentId) ?? [];
    const byItself = this.rows.length <= SMALL || this.shown.has(row.agentId);
    if (byItself) this.folds.opened.add(row.agentId);
    const open = this.fits !== undefined || (this.folds.byHand.get(row.agentId) ?? this.folds.opened.has(row.agentId));
    const sum = this.#sums.get(row.agentId) ?? { usage: row.usage, unpriced: row.unpriced };
    const dim = this.found !== undefined && !this.found.has(row.agentId);
    const hidden = open || children.length === 0 ? [] : this.#allBelow(row.agentId);
    this.out.push({ kind: 'agent', row, ...place, children: children.length, open, dim, hidden, ...sum });
    if (open && children.length > 0)
      this.visit(row.agentId, children, place.level + 1, new Set([...seen, row.agentId]));
  }

  #allBelow(agentId: string): Row[] {
    const all: Row[] = [];
    const queue = [...(this.below.get(agentId) ?? [])];
    const known = new Set([agentId]);
    for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
      if (known.has(row.agentId)) continue;
      known.add(row.agentId);
      all.push(row);
      queue.push(...(this.below.get(row.agentId) ?? []));
    }
    return all;
  }

  #group(
    { agentType, members }: { readonly agentType: string; readonly members: readonly Row[] },
    place: Omit<Place, 'children' | 'open'>,
    seen: ReadonlySet<string>,
  ): void {
    const open = this.folds.byHand.get(place.id) ?? false;
    const counts = countsOf(members);
    this.out.push({ kind: 'group', agentType, members, counts, ...place, children: members.length, open });
    // What is selected or waits for a person is not hidden among the others.
    const inside = open ? members : members.filter(({ agentId }) => this.shown.has(`!${agentId}`));
    inside.forEach((row) => {
      const at = { id: row.agentId, level: place.level + 1, place: members.indexOf(row) + 1, siblings: members.length };
      this.#agent(row, at, seen);
    });
  }
}

/** The ids of some rows and of all above them. */
function withAncestors(rows: Iterable<Row>, known: ReadonlyMap<string, Row>): Set<string> {
  const found = new Set<string>();
  for (const row of rows) {
    let at: Row | undefined = row;
    while (at !== undefined && !found.has(at.agentId)) {
      found.add(at.agentId);
      at = at.parentId === undefined ? undefined : known.get(at.parentId);
    }
  }
  return found;
}

/**
 * The rows that are shown, in the order in which the agents began.
 * @param selected the address of the agent that is looked at: the way to it is unfolded
 */
export function placed(rows: readonly Row[], folds: Folds, selected: string, filter = ''): Placed[] {
  const known = new Map(rows.map((row) => [row.agentId, row]));
  const test = filterOf(filter);
  const found = test === undefined ? undefined : new Set(rows.filter(test).map(({ agentId }) => agentId));
  const fits = test === undefined ? undefined : withAncestors(rows.filter(test), known);
  const parents = (list: readonly Row[]) =>
    list.flatMap(({ parentId }) => (parentId === undefined ? [] : [known.get(parentId)])).filter((row) => !!row);
  const seen = rows.filter((row) => row.address === selected);
  const shown = withAncestors([...parents(rows.filter(stirs)), ...parents(seen)], known);
  for (const id of withAncestors([...seen, ...rows.filter(({ waiting }) => waiting > 0)], known)) shown.add(`!${id}`);
  const tree = new Arrangement(rows, folds, fits, found, shown);
  tree.visit('', tree.tops, 1, new Set());
  return tree.out;
}
