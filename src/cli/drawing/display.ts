/** The three ways to show a run while it goes on: a live tree, plain lines, or not at all. */
import type { SequencedChunk } from '../../protocol/chunks';
import { emptyView, type TreeView } from '../../protocol/view/view';
import type { CliIo, Keyboard, Terminal } from '../io';
import { Screen } from '../terminal/screen';
import { type Line, paint, type Style, span } from '../terminal/style';
import { cleanLines } from '../terminal/text';
import { ASCII, type Glyphs, renderFrame, UNICODE } from './frame';
import { plainLine } from './plain';

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
  /** A remark that counts also where nothing else is shown. */
  tell(text: string): void;
  /** What is drawn below a live tree from now on; undefined is nothing. */
  panel(render: PanelRender | undefined): void;
  /** Draws a live tree at once, after a key was pressed. */
  refresh(): void;
  /** Leaves the terminal to somebody else; what is to be told meanwhile is told after `resume`. */
  pause(): void;
  resume(): void;
  /** Shows the last state and ends. Again is harmless. */
  close(): void;
}

/** The lines below a live tree; `whole` ones have the screen for themselves. */
export type PanelRender = (size: { readonly width: number; readonly height: number; readonly now: number }) => {
  readonly lines: readonly Line[];
  readonly whole?: boolean;
};

/** Between two frames, in ms: at most ten a second. */
const FRAME_MS = 100;
/** Of a screen that the tree and a panel share, the tree keeps so much when it needs it. */
const TREE_SHARE = 0.4;

/** A live tree, redrawn in place. `hint` tells what the reader can do while it goes on. */
function liveDisplay(
  io: Pick<CliIo, 'now' | 'every'>,
  out: Terminal,
  colours: boolean,
  glyphs: Glyphs,
  hint: string,
): Display {
  return new LiveDisplay(io, out, colours, glyphs, hint);
}

class LiveDisplay implements Display {
  readonly #io: Pick<CliIo, 'now' | 'every'>;
  readonly #out: Terminal;
  readonly #colours: boolean;
  readonly #glyphs: Glyphs;
  readonly #hint: string;
  readonly #screen: Screen;
  #view: TreeView = emptyView;
  #title = '';
  #notice: string | undefined;
  #tick = 0;
  #panel: PanelRender | undefined;
  #stop: (() => void) | undefined;
  /** What is to be told after the pause; undefined while there is none. */
  #held: (() => void)[] | undefined;

  constructor(io: Pick<CliIo, 'now' | 'every'>, out: Terminal, colours: boolean, glyphs: Glyphs, hint: string) {
    this.#io = io;
    this.#out = out;
    this.#colours = colours;
    this.#glyphs = glyphs;
    this.#hint = hint;
    this.#screen = new Screen(out, colours);
  }

  note(text: string, style: Style = 'dim'): void {
    if (this.#held !== undefined) {
      this.#held.push(() => this.note(text, style));
      return;
    }
    // The next frame is drawn below the remark.
    this.#screen.clear();
    writeLines(this.#out, text, style, this.#colours);
  }

  tell(text: string): void {
    this.note(text, 'warn');
  }

  title(text: string): void {
    this.#title = text;
    this.#begin();
  }

  chunk(view: TreeView): void {
    this.#view = view;
    this.#begin();
  }

  replaced(view: TreeView): void {
    this.#view = view;
  }

  connection(problem: string | undefined): void {
    this.#notice = problem === undefined ? undefined : 'reconnecting…';
  }

  panel(render: PanelRender | undefined): void {
    this.#panel = render;
  }

  refresh(): void {
    if (this.#stop !== undefined) this.#draw(this.#hint);
  }

  pause(): void {
    this.#held ??= [];
    this.#screen.clear();
    this.#screen.close();
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const tell of held) tell();
  }

  close(): void {
    this.resume();
    if (this.#stop === undefined) return;
    this.#stop();
    this.#stop = undefined;
    this.#notice = undefined;
    this.#panel = undefined;
    this.#draw();
    this.#screen.close();
  }

  #begin(): void {
    this.#stop ??= this.#io.every(FRAME_MS, () => {
      this.#tick += 1;
      this.#draw(this.#hint);
    });
  }

  #draw(hint?: string): void {
    if (this.#held !== undefined) return;
    // The last column stays free: some terminals wrap as soon as it is written.
    const width = Math.max(1, this.#out.columns() - 1);
    const height = Math.max(1, this.#out.rows() - 1);
    this.#screen.draw(this.#lines(width, height, hint));
  }

  #lines(width: number, height: number, hint: string | undefined): readonly Line[] {
    const tree = this.#tree(width, height, hint);
    if (this.#panel === undefined) return tree;
    const now = this.#io.now();
    const kept = Math.min(tree.length, Math.floor(height * TREE_SHARE));
    const beside = this.#panel({ width, height: Math.max(1, height - kept - 1), now });
    if (beside.lines.length === 0) return tree;
    if (beside.whole) return this.#panel({ width, height, now }).lines.slice(0, height);
    const lines = beside.lines.slice(0, height);
    // What the person can do stands in the panel.
    const above = height - lines.length - 1;
    return above < 1 ? lines : [...this.#tree(width, above, undefined), [], ...lines];
  }

  #tree(width: number, height: number, hint: string | undefined): Line[] {
    return renderFrame(this.#view, {
      width,
      height,
      now: this.#io.now(),
      tick: this.#tick,
      title: this.#title,
      glyphs: this.#glyphs,
      ...(this.#notice === undefined ? {} : { notice: this.#notice }),
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

const nothing = () => undefined;
/** What only a live tree does. */
const NOT_LIVE = { panel: nothing, refresh: nothing, pause: nothing, resume: nothing } as const;

/** A line for each event that says something. */
function plainDisplay(out: Terminal, colours: boolean): Display {
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
    replaced: () => write([span('        Earlier events are no longer in the log.', 'warn')]),
    connection(problem) {
      const now = problem !== undefined;
      if (now !== troubled)
        write([span(now ? '        Connection lost, reconnecting…' : '        Reconnected.', 'warn')]);
      troubled = now;
    },
    tell: (text) => writeLines(out, text, 'warn', colours),
    ...NOT_LIVE,
    close: nothing,
  };
}

/** Shows nothing but what counts in any case. */
function silentDisplay(out: Terminal, colours: boolean): Display {
  const tell = (text: string) => writeLines(out, text, 'warn', colours);
  const quiet = {
    note: nothing,
    title: nothing,
    chunk: nothing,
    replaced: nothing,
    connection: nothing,
    close: nothing,
  };
  return { ...quiet, ...NOT_LIVE, tell };
}

/** Writes safe text, one line for each of its lines. */
export function writeLines(out: Terminal, text: string, style: Style, colours: boolean): void {
  for (const line of cleanLines(text)) out.write(`${paint([span(line, style)], colours)}\n`);
}

/** Whether colours go there. */
export function coloursOn(io: Pick<CliIo, 'env'>, out: Terminal, wanted: boolean): boolean {
  return wanted && out.isTTY && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
}

/** The narrowest terminal that a tree is drawn in. */
const MIN_LIVE_COLUMNS = 20;

/**
 * The way to show a run, and the keyboard to ask a person by: it takes a live tree on stdout, and stdin. Beside `--json`
 * nobody is asked.
 */
export function displayFor(
  io: CliIo,
  { json, colour }: { readonly json: boolean; readonly colour: boolean },
): { readonly display: Display; readonly keyboard?: Keyboard } {
  const out = json ? io.stderr : io.stdout;
  const colours = coloursOn(io, out, colour);
  const live = out.isTTY && io.env.TERM !== 'dumb' && out.columns() >= MIN_LIVE_COLUMNS;
  if (!live) return { display: json ? silentDisplay(out, colours) : plainDisplay(out, colours) };
  const { keyboard } = io;
  const asks = !json && keyboard !== undefined;
  const hint = asks ? 'Ctrl-C to interrupt or detach' : 'Ctrl-C to detach';
  const display = liveDisplay(io, out, colours, glyphsFor(io.env), hint);
  return asks ? { display, keyboard } : { display };
}

/** The signs that a terminal can show. */
function glyphsFor(env: CliIo['env']): Glyphs {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  return env.TERM === 'linux' || !/utf-?8/iu.test(locale) ? ASCII : UNICODE;
}
