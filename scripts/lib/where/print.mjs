// Prints what `npm run where` has found, as a table that fits a screen.

/**
 * @typedef {import('./where.mjs').Found} Found
 * @typedef {import('./headers.mjs').House} House
 * @typedef {import('./headers.mjs').File} File
 * @typedef {{ at: string, text: string }} Row
 */

/** How many rows of each part are printed, unless all are wanted: a screen of 30 lines with one line for what is more. */
const MOST = { decided: 6, carriedOut: 4, shown: 4, declared: 2, numbers: 4, promises: 4, tests: 4 };

/** @param {File} file @returns {Row} */
function fileRow({ path, subject, decides }) {
  const about = decides === '' ? subject : `${subject.replace(/[.]$/, '')}. Decides: ${decides}`;
  return { at: path, text: about };
}

/** @param {string} text @param {number} width */
const cut = (text, width) => (text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`);

/**
 * The lines of a result; none where nothing was found.
 * @param {Found} found
 * @param {{ width: number, all: boolean }} options `width` of the terminal, in characters
 * @returns {string[]}
 */
export function printed(found, { width, all }) {
  const parts = [
    { title: '→ Decided', rows: found.decided.map(fileRow), most: MOST.decided },
    { title: 'Carried out', rows: found.carriedOut.map(fileRow), most: MOST.carriedOut },
    { title: 'Shown', rows: found.shown.map(fileRow), most: MOST.shown },
    {
      title: 'Declared',
      rows: found.declared.map(({ path, line, name, doc }) => ({ at: `${path}:${line}`, text: `${name}  ${doc}` })),
      most: MOST.declared,
    },
    {
      title: 'Numbers',
      rows: found.numbers.map(({ path, line, name, value, doc }) => ({
        at: `${path}:${line}`,
        text: `${name} = ${value}${doc === '' ? '' : `  ${doc}`}`,
      })),
      most: MOST.numbers,
    },
    {
      title: 'Promised',
      rows: found.promises.map(({ id, text, path, line }) => ({ at: `${path}:${line}`, text: `${id} ${text}` })),
      most: MOST.promises,
    },
    {
      title: 'Tested',
      rows: found.tests.map(({ path, line, ids, title }) => ({
        at: `${path}:${line}`,
        text: `[${ids.join(', ')}] ${title}`,
      })),
      most: MOST.tests,
    },
  ].filter(({ rows }) => rows.length > 0);
  if (parts.length === 0) return [];
  const shown = parts.map((part) => ({ ...part, rows: all ? part.rows : part.rows.slice(0, part.most) }));
  const place = Math.max(...shown.flatMap(({ rows }) => rows.map(({ at }) => at.length)));
  const lines = shown.flatMap(({ title, rows }) =>
    rows.map(({ at, text }, index) => {
      const line = `${(index === 0 ? title : '').padEnd(13)}${at.padEnd(place)}  `;
      return `${line}${all ? text : cut(text, Math.max(40, width - line.length))}`;
    }),
  );
  const more = parts.flatMap(({ title, rows, most }) =>
    all || rows.length <= most ? [] : [`${rows.length - most} ${title.replace('→ ', '').toLowerCase()}`],
  );
  return [
    ...(found.missed.length > 0
      ? [`No file has all of these words; the nearest lack: ${found.missed.join(', ')}.`]
      : []),
    ...lines,
    ...(more.length > 0 ? [`More (--all): ${more.join(', ')}.`] : []),
  ];
}

/** The sections of SPEC.md, with the letters of their promises. @param {House} house @returns {string[]} */
export function sectionList({ sections }) {
  const listed = sections.filter(({ ids }) => ids.length > 0);
  const rows = listed.map(({ title, ids }) => {
    const letters = [...new Set(ids.map((id) => id.replace(/\d+$/, '')))].join(', ');
    return { title, letters, count: ids.length };
  });
  const widest = Math.max(...rows.map(({ title }) => title.length));
  return [
    'npm run where -- WORD…   for example: approval · retry model · CP12 · maxCompanions · result-files.ts',
    '',
    ...rows.map(({ title, letters, count }) => `${title.padEnd(widest)}  ${letters} (${count})`),
  ];
}
