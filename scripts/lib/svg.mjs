// Frames of a terminal as one SVG that shows them in turn. Where nothing moves, one of them stands.
const COLORS = ['#6e7681', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#c9d1d9'];
const ESC = '\u001b';
/** A change of style, or text up to the next one. */
const PIECES = new RegExp(`${ESC}\\[([\\d;]*)m|([^${ESC}]+)`, 'g');
const WIDTH = 8.4;
const HEIGHT = 18;
const PAD = 14;
/** How long each frame stands, in seconds; the last one longer. */
const SECONDS = 1.6;
const LAST_SECONDS = 6;

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What a list of codes makes of a style. @param {string} codes @param {Record<string, string>} style */
function styled(codes, style) {
  let next = { ...style };
  for (const code of codes.split(';').map(Number)) {
    if (code === 0) next = {};
    else if (code === 1) next['font-weight'] = 'bold';
    else if (code === 2) next.opacity = '.6';
    else if (code === 22) {
      delete next['font-weight'];
      delete next.opacity;
    } else if (code === 39) delete next.fill;
    else if (code >= 30 && code <= 37) next.fill = COLORS[code - 30] ?? '';
    else if (code >= 90 && code <= 97) next.fill = COLORS[code - 90] ?? '';
  }
  return next;
}

/** One line: a `tspan` for each style, at its column. @param {string} line @param {Record<string, string>} style */
function spans(line, style) {
  let column = 0;
  let now = style;
  let out = '';
  for (const [, codes, text = ''] of line.matchAll(PIECES)) {
    if (codes !== undefined) now = styled(codes || '0', now);
    else {
      const attributes = Object.entries(now).map(([name, value]) => ` ${name}="${value}"`);
      const x = (PAD + (column + text.length - text.trimStart().length) * WIDTH).toFixed(1);
      if (text.trim() !== '') out += `<tspan x="${x}"${attributes.join('')}>${escaped(text.trim())}</tspan>`;
      column += [...text].length;
    }
  }
  return { out, style: now };
}

/** @param {string} frame as a terminal tells it, with its colours */
function linesOf(frame) {
  let style = {};
  return frame.split('\n').map((line, at) => {
    const { out, style: after } = spans(line, style);
    style = after;
    return out === '' ? '' : `<text y="${PAD + HEIGHT * (at + 3)}">${out}</text>`;
  });
}

/**
 * @param {string[]} frames
 * @param {{ columns: number, rows: number, command: string, still: number }} options `command` stands above all frames;
 *   `still` is the frame that is shown where nothing moves
 */
export function svgOf(frames, { columns, rows, command, still }) {
  const [width, height] = [Math.ceil(columns * WIDTH + 2 * PAD), HEIGHT * (rows + 3) + PAD];
  const total = SECONDS * (frames.length - 1) + LAST_SECONDS;
  const percent = (/** @type {number} */ at) => ((100 * SECONDS * at) / total).toFixed(2);
  const rules = frames.map((_, at) => {
    const last = at === frames.length - 1;
    const steps = last
      ? `0%{visibility:hidden}${percent(at)}%{visibility:visible}`
      : `0%{visibility:${at === 0 ? 'visible' : 'hidden'}}${percent(at)}%{visibility:visible}${percent(at + 1)}%{visibility:hidden}`;
    return `@keyframes f${at}{${steps}100%{visibility:${last ? 'visible' : 'hidden'}}}#f${at}{animation:f${at} ${total}s step-end infinite}`;
  });
  const groups = frames.map((frame, at) => {
    const hidden = at === still ? '' : ' visibility="hidden"';
    return `<g id="f${at}"${hidden}>${linesOf(frame).join('\n')}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escaped(command)}</title>
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#c9d1d9;white-space:pre}
@media (prefers-reduced-motion:no-preference){${rules.join('\n')}}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<text y="${PAD + HEIGHT}"><tspan x="${PAD}" fill="#3fb950">$</tspan><tspan x="${PAD + 2 * WIDTH}">${escaped(command)}</tspan></text>
${groups.join('\n')}
</svg>
`;
}
