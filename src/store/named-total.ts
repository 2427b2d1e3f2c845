/**
 * What is asked of all children that have names: how many there are, whether any is kept with a run, and which names end in
 * a number that no child ever had. It is kept as one record, in the transaction of what changes it, so that an answer takes
 * as many rows with a thousand of them as with ten.
 *
 * Keeps SO5.
 */
import * as z from 'zod';
import * as statement from './agent-statements';
import type { Statements } from './statements';

const totalSchema = z.object({
  count: z.number(),
  /** How many of them may be kept with a run. */
  ofRun: z.number(),
  ahead: z.array(z.string()),
});
type Total = Readonly<z.output<typeof totalSchema>>;

/** It is kept among the receipts, as what else has one record and no end. */
const KEY = JSON.stringify(['named']);
const FOREVER = Number.MAX_SAFE_INTEGER;
const TAKEN = 0;

/** A child with a name, as its row stands. */
export interface NamedRow {
  readonly name: string;
  readonly ofRun: boolean;
}

/** The number that a name ends in. */
export const numberIn = (name: string): number => Number(/-(\d+)$/.exec(name)?.[1] ?? 0);

/** The record of one agent's store. */
export class NamedTotal {
  constructor(
    readonly statements: Statements,
    readonly nextChild: () => number,
  ) {}

  /** As it is kept; counted where it is not, as in a store of an older release. */
  get(): Total {
    return this.#kept() ?? this.#counted();
  }

  /** The row of a child as it is before a change; undefined where there is none, or none with a name. */
  row(childId: number): NamedRow | undefined {
    type Row = { name: string; of_run: number };
    const [row] = this.statements.all<Row>(statement.LASTING_CHILD, childId, TAKEN);
    return row && { name: row.name, ofRun: row.of_run !== 0 };
  }

  /** Notes that a row has changed, was made or is gone. Call it in the transaction of that, when it is done. */
  changed(before: NamedRow | undefined, after: NamedRow | undefined): void {
    const kept = this.#kept();
    if (kept === undefined) return this.#put(this.#counted());
    if (before && after && before.ofRun === after.ofRun) return;
    const next = this.nextChild();
    const isNew = after !== undefined && before === undefined;
    const names = isNew ? [...kept.ahead, after.name] : kept.ahead.filter((name) => after || name !== before?.name);
    this.#put({
      count: kept.count + (after ? 1 : 0) - (before ? 1 : 0),
      ofRun: kept.ofRun + (after?.ofRun ? 1 : 0) - (before?.ofRun ? 1 : 0),
      ahead: names.filter((name) => numberIn(name) >= next),
    });
  }

  /** Forgets it: all children are gone. */
  drop(): void {
    this.statements.run(statement.DROP_RECEIPT, KEY);
  }

  #kept(): Total | undefined {
    const [row] = this.statements.all<{ answer: string }>(statement.GET_RECEIPT, KEY, FOREVER - 1);
    return row && totalSchema.parse(JSON.parse(row.answer));
  }

  #counted(): Total {
    type Row = { count: number; of_run: number };
    const [{ count, of_run: ofRun } = { count: 0, of_run: 0 }] = this.statements.all<Row>(
      statement.COUNT_LASTING,
      TAKEN,
    );
    const next = this.nextChild();
    const names = this.statements.all<{ name: string }>(statement.NAMES_AHEAD).map(({ name }) => name);
    return { count, ofRun, ahead: names.filter((name) => numberIn(name) >= next) };
  }

  #put(total: Total): void {
    this.statements.run(statement.PUT_RECEIPT, KEY, '', JSON.stringify(total), FOREVER);
  }
}
