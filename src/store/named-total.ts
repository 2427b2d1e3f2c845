/**
 * A count of the children that have names: how many there are, which are kept with a run, and which names end in a
 * number that no child ever had. How many were terminated is in it, too. It is kept as one record, in the transaction of
 * what changes it, so that an answer takes as many rows with a thousand of them as with ten.
 *
 * Keeps SO5, CO31.
 */
import type { Child } from '../core/agent/children/child';
import { isTerminated } from '../core/agent/standard-agents/subagent-registry';
import * as statement from './agent-statements';
import type { Statements } from './statements';

interface Total {
  readonly count: number;
  /** How many of them were terminated; missing where none was. */
  readonly ended?: number;
  /** Those of them that are kept with a run, by id. */
  readonly ofRun: readonly KeptWithRun[];
  readonly ahead: readonly string[];
}

/** It is kept among the receipts, as what else has one record and no end. */
const KEY = JSON.stringify(['named']);
const FOREVER = Number.MAX_SAFE_INTEGER;
const TAKEN = 0;

/** A child with a name, as its row stands. */
export interface NamedRow {
  readonly id: number;
  readonly name: string;
  /** The run that it is kept with. */
  readonly ofRun?: number;
  /** It was terminated, or is gone. */
  readonly ended?: true;
}

type KeptWithRun = NamedRow & { readonly ofRun: number };

/** The number that a name ends in. */
export const numberIn = (name: string): number => Number(/-(\d+)$/.exec(name)?.[1] ?? 0);

function rowOf(child: Child): NamedRow {
  const { childId, name = '', ofRun } = child;
  const kept = ofRun === undefined ? {} : { ofRun };
  return { id: childId, name, ...kept, ...(isTerminated(child) ? { ended: true } : {}) };
}

const endedIn = (row: NamedRow | undefined): number => (row?.ended ? 1 : 0);

/** A row where it is kept with a run. */
function keptWithRun(row: NamedRow | undefined): KeptWithRun[] {
  return row?.ofRun === undefined ? [] : [{ ...row, ofRun: row.ofRun }];
}

/** The record of one agent's store. */
export class NamedTotal {
  constructor(
    readonly statements: Statements,
    readonly nextChild: () => number,
    readonly read: (data: string) => Child,
  ) {}

  /** As it is kept; counted where it is not, as in a copy. */
  get(): Total {
    return this.#kept() ?? this.#counted();
  }

  /** The row of a child as it is before a change; undefined where there is none, or none with a name. */
  row(childId: number): NamedRow | undefined {
    const [row] = this.statements.all<{ data: string }>(statement.LASTING_CHILD, childId, TAKEN);
    return row && rowOf(this.read(row.data));
  }

  /** Notes that a row has changed, was made or is gone. Call it in the transaction of that, when it is done. */
  changed(before: NamedRow | undefined, after: NamedRow | undefined): void {
    const kept = this.#kept();
    if (kept === undefined) return this.#put(this.#counted());
    if (before && after && before.ofRun === after.ofRun && before.ended === after.ended) return;
    const { id } = after ?? before ?? {};
    const next = this.nextChild();
    const isNew = after !== undefined && before === undefined;
    const names = isNew ? [...kept.ahead, after.name] : kept.ahead.filter((name) => after || name !== before?.name);
    const ended = (kept.ended ?? 0) + endedIn(after) - endedIn(before);
    this.#put({
      count: kept.count + (after ? 1 : 0) - (before ? 1 : 0),
      ...(ended > 0 ? { ended } : {}),
      ofRun: [...kept.ofRun.filter((one) => one.id !== id), ...keptWithRun(after)].sort(
        (one, other) => one.id - other.id,
      ),
      ahead: names.filter((name) => numberIn(name) >= next),
    });
  }

  /** Forgets it: all children are gone. */
  drop(): void {
    this.statements.run(statement.DROP_RECEIPT, KEY);
  }

  #kept(): Total | undefined {
    const [row] = this.statements.all<{ answer: string }>(statement.GET_RECEIPT, KEY, FOREVER - 1);
    return row && JSON.parse(row.answer);
  }

  #counted(): Total {
    const [{ count } = { count: 0 }] = this.statements.all<{ count: number }>(statement.COUNT_LASTING, TAKEN);
    const kept = this.statements.all<{ data: string }>(statement.LASTING_OF_RUN, TAKEN);
    const ofRun = kept.flatMap(({ data }) => keptWithRun(rowOf(this.read(data))));
    const over = this.statements.all<{ data: string }>(statement.LASTING_ENDED, TAKEN);
    const ended = over.filter(({ data }) => rowOf(this.read(data)).ended).length;
    const next = this.nextChild();
    const names = this.statements.all<{ name: string }>(statement.NAMES_AHEAD).map(({ name }) => name);
    const ahead = names.filter((name) => numberIn(name) >= next);
    return { count, ...(ended > 0 ? { ended } : {}), ofRun, ahead };
  }

  #put(total: Total): void {
    this.statements.run(statement.PUT_RECEIPT, KEY, '', JSON.stringify(total), FOREVER);
  }
}
