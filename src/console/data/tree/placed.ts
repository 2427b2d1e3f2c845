/** The rows of a tree in their places: what is unfolded, what stands for many of one kind, and who is below whom. */
import type { Usage } from '../../../client';
import type { TreeRow } from '../../../react/use-tree-rows';
import type { Span } from '../timeline/spans';
import { Family, type FamilyChange } from './family';
import { filterOf } from './filter';
import type { Row } from './outline';

/** More siblings of one type than this are one row. */
export const MOST_ALIKE = 20;
/** A tree of so many agents is shown unfolded. */
const SMALL = 100;

/** An agent, or many siblings of one type. */
export type Placed = PlacedAgent | PlacedGroup;

interface Place extends TreeRow {
  /** Which of its siblings it is, from 1, and how many there are. */
  readonly place: number;
  readonly siblings: number;
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

/** Agents by their status: each in one of these. */
export type Counts = Readonly<
  Record<'waiting' | 'running' | 'failed' | 'interrupted' | 'terminated' | 'idle' | 'completed', number>
>;

/** Siblings of one type, as one row. */
export interface PlacedGroup extends Place {
  readonly kind: 'group';
  readonly agentType: string;
  readonly members: readonly Row[];
  /** How many of them stand how. */
  readonly counts: Counts;
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
const RESTING = ['failed', 'interrupted', 'terminated', 'idle', 'completed'] as const;

function countsOf(members: readonly Row[]): Counts {
  const counts = { waiting: 0, running: 0, failed: 0, interrupted: 0, terminated: 0, idle: 0, completed: 0 };
  for (const { status, waiting } of members) {
    const resting = RESTING.find((each) => each === status);
    counts[resting ?? (waiting > 0 ? 'waiting' : 'running')] += 1;
  }
  return counts;
}

/** Whether an agent is to be seen without being asked for. */
const stirs = ({ status, waiting }: Row): boolean =>
  waiting > 0 || status === 'running' || status === 'failed' || status.startsWith('suspended');

const NOBODY: readonly Row[] = [];

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

/** A tree, made once for each change of how its rows stand. */
class Arrangement {
  readonly out: Placed[] = [];
  readonly #seen = new Set<string>();

  constructor(
    readonly family: Family,
    readonly folds: Folds,
    readonly fits: ReadonlySet<string> | undefined,
    readonly found: ReadonlySet<string> | undefined,
    readonly shown: ReadonlySet<string>,
  ) {}

  visit(parent: string, list: readonly Row[], level: number): void {
    const kept = this.fits === undefined ? list : list.filter(({ agentId }) => this.fits?.has(agentId));
    const entries = this.fits === undefined ? entriesOf(parent, kept) : kept.map((row) => ({ id: row.agentId, row }));
    entries.forEach((entry, index) => {
      const place = { id: entry.id, level, place: index + 1, siblings: entries.length };
      if ('row' in entry) this.#agent(entry.row, place);
      else this.#group(entry, place);
    });
  }

  #agent(row: Row, at: Omit<Place, 'childCount' | 'isExpanded'>): void {
    const { agentId } = row;
    if (this.#seen.has(agentId)) return;
    this.#seen.add(agentId);
    const children = this.family.below(agentId);
    const byItself = this.family.rows.length <= SMALL || this.shown.has(agentId);
    if (byItself) this.folds.opened.add(agentId);
    const open = this.fits !== undefined || (this.folds.byHand.get(agentId) ?? this.folds.opened.has(agentId));
    const { usage, unpriced } = this.family.spent(row);
    const dim = this.found !== undefined && !this.found.has(agentId);
    const hidden = open || children.length === 0 ? NOBODY : this.#allBelow(agentId);
    const { id, level, place, siblings } = at;
    const own = { id, level, place, siblings, childCount: children.length, isExpanded: open };
    this.out.push({ kind: 'agent', row, ...own, dim, hidden, usage, unpriced });
    if (open && children.length > 0) this.visit(agentId, children, level + 1);
  }

  #allBelow(agentId: string): Row[] {
    const all: Row[] = [];
    const queue = this.family.below(agentId);
    const known = new Set([agentId]);
    for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
      if (known.has(row.agentId)) continue;
      known.add(row.agentId);
      all.push(row);
      queue.push(...this.family.below(row.agentId));
    }
    return all;
  }

  #group(
    { agentType, members }: { readonly agentType: string; readonly members: readonly Row[] },
    place: Omit<Place, 'childCount' | 'isExpanded'>,
  ): void {
    const open = this.folds.byHand.get(place.id) ?? false;
    const counts = countsOf(members);
    this.out.push({
      kind: 'group',
      agentType,
      members,
      counts,
      ...place,
      childCount: members.length,
      isExpanded: open,
    });
    members.forEach((row, index) => {
      // What is selected or waits for a person is not hidden among the others.
      if (!open && !this.shown.has(`!${row.agentId}`)) return;
      this.#agent(row, { id: row.agentId, level: place.level + 1, place: index + 1, siblings: members.length });
    });
  }
}

/** The ids of some rows and of all above them. */
function withAncestors(rows: readonly Row[], family: Family): Set<string> {
  const found = new Set<string>();
  for (const row of rows) {
    let at: Row | undefined = row;
    while (at !== undefined && !found.has(at.agentId)) {
      found.add(at.agentId);
      at = family.above(at);
    }
  }
  return found;
}

/**
 * The rows that are shown, in the order in which the agents began.
 * @param selected the address of the agent that is looked at: the way to it is unfolded
 */
export function placed(
  rows: readonly Row[],
  folds: Folds,
  selected: string,
  filter = '',
  family = new Family(rows),
): Placed[] {
  const test = filterOf(filter);
  const fitting = test === undefined ? undefined : rows.filter(test);
  const found = fitting === undefined ? undefined : new Set(fitting.map(({ agentId }) => agentId));
  const fits = fitting === undefined ? undefined : withAncestors(fitting, family);
  const seen = rows.filter((row) => row.address === selected);
  const parents = [...rows.filter(stirs), ...seen].flatMap((row) => family.above(row) ?? []);
  const shown = withAncestors(parents, family);
  for (const id of withAncestors([...seen, ...rows.filter(({ waiting }) => waiting > 0)], family)) shown.add(`!${id}`);
  const tree = new Arrangement(family, folds, fits, found, shown);
  tree.visit('', family.topRows(), 1);
  return tree.out;
}

/** What places were made of. */
interface Made {
  readonly folds: Folds;
  readonly selected: string;
  readonly filter: string;
  readonly family: Family;
  readonly out: readonly Placed[];
  /** Where in them an agent is. */
  readonly at: ReadonlyMap<string, number>;
}

/**
 * The places of before with what rows say now; undefined where that changes what stands for many. Who is hidden by a fold
 * shows there by how it stands alone.
 */
function inPlace({ out, at, family }: Made, { agents, spent }: FamilyChange): readonly Placed[] | undefined {
  const after = [...out];
  for (const agentId of agents) {
    const index = at.get(agentId);
    const before = index === undefined ? undefined : out[index];
    if (index === undefined || before?.kind !== 'agent') {
      if (spent.has(agentId)) return undefined;
      continue;
    }
    const row = family.row(agentId) ?? before.row;
    const { usage, unpriced } = family.spent(row);
    after[index] = { ...before, row, usage, unpriced };
  }
  return after;
}

/** Whether the places stay when another agent is selected: one that is seen, and no group has shown that of before alone. */
function isSeen({ selected, out }: Made, next: string): boolean {
  if (next === selected) return true;
  return (
    out.every(({ kind }) => kind === 'agent') && out.some((each) => each.kind === 'agent' && each.row.address === next)
  );
}

/**
 * The same as `placed`, for rows that change many times a second: where they only say something else than before, each
 * stays where it is, and the others stay the same objects.
 */
export class Places {
  #made: Made | undefined;

  of(rows: readonly Row[], folds: Folds, selected: string, filter: string): readonly Placed[] {
    const made = this.#made;
    const change = made?.family.becomes(rows);
    const family = made !== undefined && change !== undefined ? made.family : new Family(rows);
    // Words of a filter are looked for in what the rows say.
    const stays = made?.folds === folds && made.filter === filter && filter === '' && isSeen(made, selected);
    const kept = made !== undefined && change?.stands === false && stays ? inPlace(made, change) : undefined;
    const out = kept ?? placed(rows, folds, selected, filter, family);
    const at = kept !== undefined && made !== undefined ? made.at : new Map(out.map(({ id }, index) => [id, index]));
    this.#made = { folds, selected, filter, family, out, at };
    return out;
  }
}
