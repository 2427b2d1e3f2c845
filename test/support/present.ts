/** What a test takes for granted: it fails right there where it is missing. */
export function present<Value>(value: Value): NonNullable<Value> {
  if (value === null || value === undefined) throw new Error('What the test takes for granted is not there.');
  return value;
}
