/** The three ways to show a run while it goes on: a live tree, plain lines, or not at all. */
import type { SequencedChunk } from '../core/chunks';
import type { TreeView } from '../core/view';
import { ASCII, type Glyphs, renderFrame, UNICODE } from './frame';
import type { CliIo, Terminal } from './io';
import { plainLine } from './plain';
import { Screen } from './screen';
import { type Line, paint, type Style, span } from './style';
import { cleanLines } from './text';

/** Shows a run. All calls return at once and never throw. */
export interface Display {
  /** A remark above what is shown; each line of the text is one line. */
  note(text: string, style?: Style): void;
  /** What was asked, as the title. */
  title(text: string): void;
  /** A chunk was taken into the view. */
  chunk(view: TreeView, entry: SequencedChunk): void;
  /** What is held was replaced as a whole. */
  replaced(view: TreeView): void;
  /** The connection is troubled, or (undefined) well again. */
  connection(problem: string | undefined): void;
  /** Shows the last state and ends. Again is harmless. */
  close(): void;
}

/** Between two frames, in ms: at most ten a second. */
const FRAME_MS = 100;
const HINT = 'Ctrl-C looks away';

/** A live tree, redrawn in place. */
export function liveDisplay(
  io: Pick<CliIo, 'now' | 'every'>,
  out: Terminal,
  colours: boolean,
  glyphs: Glyphs,
): Display {
  const screen = new Screen(out, colours);
  let view: TreeView = { lastSequence: 0, agents: [] };
  let title = '';
  let notice: string | undefined;
  let tick = 0;
  let stop: (() => void) | undefined;
  const draw = (hint?: string) =>
    screen.draw(
      renderFrame(view, {
        // The last column stays free: some terminals wrap as soon as it is written.
        width: Math.max(1, out.columns() - 1),
        height: Math.max(1, out.rows() - 1),
        now: io.now(),
        tick,
        title,
        glyphs,
        ...(notice === undefined ? {} : { notice }),
        ...(hint === undefined ? {} : { hint }),
      }),
    );
  const begin = () => {
    stop ??= io.every(FRAME_MS, () => {
      tick += 1;
      draw(HINT);
    });
  };
  return {
    note(text, style = 'dim') {
      // The next frame is drawn below the remark.
      screen.clear();
      writeLines(out, text, style, colours);
    },
    title(text) {
      title = text;
      begin();
    },
    chunk(next) {
      view = next;
      begin();
    },
    replaced(next) {
      view = next;
    },
    connection(problem) {
      notice = problem === undefined ? undefined : 'reconnecting …';
    },
    close() {
      if (stop === undefined) return;
      stop();
      stop = undefined;
      notice = undefined;
      draw();
      screen.close();
    },
  };
}

/** A line for each event that says something. */
export function plainDisplay(out: Terminal, colours: boolean): Display {
  let troubled = false;
  const write = (line: Line) => out.write(`${paint(line, colours)}\n`);
  return {
    note: (text, style = 'dim') => writeLines(out, text, style, colours),
    title(text) {
      if (text !== '') writeLines(out, text, 'bold', colours);
    },
    chunk(view, entry) {
      const line = plainLine(view, entry);
      if (line !== undefined) write(line);
    },
    replaced: () => write([span('        What came before is no longer in the log.', 'warn')]),
    connection(problem) {
      const now = problem !== undefined;
      if (now !== troubled)
        write([span(now ? '        Connection lost, trying again …' : '        Connected again.', 'warn')]);
      troubled = now;
    },
    close: () => undefined,
  };
}

/** Shows nothing. */
export function silentDisplay(): Display {
  const nothing = () => undefined;
  return { note: nothing, title: nothing, chunk: nothing, replaced: nothing, connection: nothing, close: nothing };
}

/** Writes safe text, one line for each of its lines. */
export function writeLines(out: Terminal, text: string, style: Style, colours: boolean): void {
  for (const line of cleanLines(text)) out.write(`${paint([span(line, style)], colours)}\n`);
}

/** The signs that a terminal can show. */
export function glyphsFor(env: CliIo['env']): Glyphs {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return env.TERM === 'linux' || !/utf-?8/iu.test(locale) ? ASCII : UNICODE;
}
