/** Who is below whom in a tree, and what each agent has spent with all below it: kept up as its rows change. */
import type { Usage } from '../../../client';
import { addUsage } from '../../../protocol/usage';
import { orderOf, type TreeOrder } from '../../../react/tree-order';
import type { Row } from './outline';

/** What an agent and all below it have spent. */
export interface Spent {
  readonly usage: Usage;
  /** Whether a part of it has no known price. */
  readonly unpriced: boolean;
}

/** What has changed. */
export interface FamilyChange {
  /** Whose rows, or whose sums. */
  readonly agents: ReadonlySet<string>;
  /** Who of them has spent more, or has somebody below that has. */
  readonly spent: ReadonlySet<string>;
  /** Whether somebody stands otherwise than before; what a row says is no such thing. */
  readonly stands: boolean;
}

const NONE: readonly string[] = [];

const isSame = (one: Row, other: Row): boolean =>
  one.agentId === other.agentId && one.parentId === other.parentId && one.agentType === other.agentType;

const spentAlike = (one: Row, other: Row): boolean =>
  one.unpriced === other.unpriced &&
  one.usage.inputTokens === other.usage.inputTokens &&
  one.usage.outputTokens === other.usage.outputTokens &&
  one.usage.modelCalls === other.usage.modelCalls &&
  one.usage.costUsd === other.usage.costUsd;

/** The agents of a tree. */
export class Family {
  /** Those above which nobody is known. */
  readonly tops: readonly string[];
  #rows: readonly Row[];
  readonly #at: ReadonlyMap<string, number>;
  readonly #below: TreeOrder['below'];
  readonly #spent = new Map<string, Spent>();

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
    this.#at = new Map(rows.map(({ agentId }, index) => [agentId, index]));
    const { tops, below } = orderOf(rows);
    this.tops = tops;
    this.#below = below;
    // Children come after their parents, so that what is below is summed from the end.
    for (const { agentId } of rows.toReversed()) this.#sum(agentId);
  }

  /** All rows, in the order in which the agents began. */
  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** The row of an agent. */
  row(agentId: string): Row | undefined {
    const at = this.#at.get(agentId);
    return at === undefined ? undefined : this.#rows[at];
  }

  /** The parent's row; undefined where it is not known. */
  above({ agentId, parentId }: Row): Row | undefined {
    return parentId === undefined || parentId === agentId ? undefined : this.row(parentId);
  }

  /** The rows right below an agent. */
  below(agentId: string): Row[] {
    return this.#rowsOf(this.#below.get(agentId) ?? NONE);
  }

  /** The rows at the top. */
  topRows(): Row[] {
    return this.#rowsOf(this.tops);
  }

  /** What an agent and all below it have spent. */
  spent(row: Row): Spent {
    return this.#spent.get(row.agentId) ?? row;
  }

  /** Takes the rows of later; undefined where they are another family, which is made anew. */
  becomes(rows: readonly Row[]): FamilyChange | undefined {
    const before = this.#rows;
    if (rows.length !== before.length) return undefined;
    const agents = new Set<string>();
    const spent = new Set<string>();
    let stands = false;
    for (const [index, row] of rows.entries()) {
      const old = before[index];
      if (old === row) continue;
      if (old === undefined || !isSame(old, row)) return undefined;
      agents.add(row.agentId);
      stands ||= old.status !== row.status || old.waiting !== row.waiting;
      if (!spentAlike(old, row)) spent.add(row.agentId);
    }
    this.#rows = rows;
    this.#sumAgain(spent);
    for (const agentId of spent) agents.add(agentId);
    return { agents, spent, stands };
  }

  /** What some agents have spent is a part of what all above them have. */
  #sumAgain(some: Set<string>): void {
    for (const agentId of some) {
      const row = this.row(agentId);
      const above = row === undefined ? undefined : this.above(row);
      if (above !== undefined) some.add(above.agentId);
    }
    const lastFirst = [...some].sort((one, other) => (this.#at.get(other) ?? 0) - (this.#at.get(one) ?? 0));
    for (const agentId of lastFirst) this.#sum(agentId);
  }

  #sum(agentId: string): void {
    const row = this.row(agentId);
    if (row === undefined) return;
    let { usage, unpriced } = row;
    for (const child of this.#below.get(agentId) ?? NONE) {
      const spent = this.#spent.get(child);
      if (spent === undefined) continue;
      usage = addUsage(usage, spent.usage);
      unpriced ||= spent.unpriced;
    }
    this.#spent.set(agentId, { usage, unpriced });
  }

  #rowsOf(ids: readonly string[]): Row[] {
    return ids.flatMap((id) => this.row(id) ?? []);
  }
}
