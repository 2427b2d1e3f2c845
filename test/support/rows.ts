/** Rows of a table. */

/** All combinations of one value of each column. */
export function rowsOf<const Columns extends { readonly [name: string]: readonly unknown[] }>(
  columns: Columns,
): { [name in keyof Columns]: Columns[name][number] }[] {
  const rows = Object.entries(columns).reduce<{ [name: string]: unknown }[]>(
    (all, [name, values]) => all.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
  return rows as { [name in keyof Columns]: Columns[name][number] }[];
}
