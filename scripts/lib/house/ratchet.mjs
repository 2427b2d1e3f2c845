// The ratchet: the best value that each figure has reached. Less is better for all of them.

/**
 * @typedef {import('./figures.mjs').Figure} Figure
 * @typedef {{ [key: string]: number }} Values
 * @typedef {{ figure: Figure, now: number, best: number }} Change
 */

/**
 * The figures that the ratchet holds, beside the values that are kept.
 * @param {readonly Figure[]} figures
 * @param {Values} best
 * @param {ReadonlySet<string>} unmeasured keys that this run leaves alone
 */
function compare(figures, best, unmeasured) {
  const held = figures.filter((figure) => figure.held);
  const measured = held.flatMap((figure) => (figure.now === undefined ? [] : [{ figure, now: figure.now }]));
  /** @type {Change[]} */
  const both = measured.flatMap(({ figure, now }) => {
    const value = best[figure.key];
    return value === undefined ? [] : [{ figure, now, best: value }];
  });
  return {
    measured,
    worse: both.filter((change) => change.now > change.best),
    better: both.filter((change) => change.now < change.best),
    missing: measured.filter(({ figure }) => best[figure.key] === undefined),
    unknown: Object.keys(best).filter(
      (key) => !unmeasured.has(key) && !measured.some(({ figure }) => figure.key === key),
    ),
  };
}

/** @param {number} value */
const exact = (value) => Math.round(value * 10) / 10;

/**
 * Whether no figure is worse than the best value that is kept, in words.
 * @param {readonly Figure[]} figures
 * @param {Values} best
 * @param {ReadonlySet<string>} [unmeasured] keys that this run leaves alone
 * @returns {{ ok: boolean, lines: string[] }}
 */
export function verdict(figures, best, unmeasured = new Set()) {
  const { measured, worse, better, missing, unknown } = compare(figures, best, unmeasured);
  const again = 'run `npm run house -- --write`';
  const lines = [
    ...worse.map(({ figure: { label, places, unit = '' }, now, best: value }) => {
      const list = places === undefined ? '' : ` List: \`npm run house -- ${places}\`.`;
      return `${label}: ${now}${unit}, ${exact(now - value)} more than the best value (${value}${unit}).${list}`;
    }),
    ...(worse.length === 0
      ? []
      : ['Mend what is new. To raise a value, edit scripts/house.json and give the reason in design/decisions.md.']),
    ...missing.map(({ figure }) => `scripts/house.json has no value for ${figure.key}: ${again}`),
    ...unknown.map((key) => `scripts/house.json: no figure has the key ${key}: ${again}`),
    ...better.map(({ figure: { label, unit = '' }, now, best: value }) => {
      return `${label}: ${now}${unit}, better than ${value}${unit}: ${again}`;
    }),
  ];
  const ok = worse.length + missing.length + unknown.length === 0;
  return { ok, lines: lines.length === 0 ? [`${measured.length} figures, none worse than its best value`] : lines };
}

/**
 * The values to keep from now on: each as low as it has ever been, in the order of the figures.
 * @param {readonly Figure[]} figures
 * @param {Values} best
 * @returns {{ next: Values, lines: string[] }} with each difference in words
 */
export function kept(figures, best) {
  const { measured, worse, better, missing, unknown } = compare(figures, best, new Set());
  const next = measured.map(({ figure: { key }, now }) => [key, Math.min(now, best[key] ?? now)]);
  const lines = [
    ...better.map(({ figure: { key }, now, best: value }) => `${key}: ${value} to ${now}`),
    ...missing.map(({ figure: { key }, now }) => `${key}: ${now} (new)`),
    ...unknown.map((key) => `${key}: removed`),
    ...worse.map(({ figure: { key }, now, best: value }) => `${key}: still ${value}, although it is ${now} now`),
  ];
  return { next: Object.fromEntries(next), lines };
}
