/**
 * A frame that is redrawn in place. Lines are overwritten, never cleared first, so nothing flickers; the terminal does
 * not wrap while a frame is drawn, so a line that is wider than thought cannot shift the ones below.
 */
import { type Line, lineWidth, paint } from './style';

/** Where a screen writes. */
export interface ScreenOutput {
  write(text: string): void;
  columns(): number;
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Terminals that know it show the whole frame at once; others ignore it. */
const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
const CLEAR_REST_OF_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** Draws frames over each other until it is closed. */
export class Screen {
  readonly #out: ScreenOutput;
  readonly #colours: boolean;
  #lines: readonly Line[] = [];
  #drawn = '';
  #columns = 0;
  #open = false;

  constructor(out: ScreenOutput, colours: boolean) {
    this.#out = out;
    this.#colours = colours;
  }

  /** Replaces the last frame. The frame must not be higher than the terminal. The same frame again writes nothing. */
  draw(lines: readonly Line[]): void {
    const painted = lines.map((line) => `${paint(line, this.#colours)}${CLEAR_REST_OF_LINE}\r\n`).join('');
    const columns = this.#out.columns();
    if (this.#open && painted === this.#drawn && columns === this.#columns) return;
    const up = this.#rowsAbove(columns);
    const home = `\r${up > 0 ? `\u001b[${up}A` : ''}`;
    const begin = this.#open ? '' : HIDE_CURSOR;
    this.#out.write(`${begin}${BEGIN_UPDATE}${WRAP_OFF}${home}${painted}${CLEAR_BELOW}${WRAP_ON}${END_UPDATE}`);
    this.#lines = lines;
    this.#drawn = painted;
    this.#columns = columns;
    this.#open = true;
  }

  /** Takes the last frame away, so that what is written next stands in its place. */
  clear(): void {
    if (!this.#open) return;
    const up = this.#rowsAbove(this.#out.columns());
    this.#out.write(`\r${up > 0 ? `\u001b[${up}A` : ''}${CLEAR_BELOW}`);
    this.#lines = [];
    this.#drawn = '';
  }

  /** Leaves the last frame where it is and gives the cursor back. Again is harmless. */
  close(): void {
    if (!this.#open) return;
    this.#out.write(SHOW_CURSOR);
    this.#open = false;
    this.#lines = [];
    this.#drawn = '';
  }

  /** The rows that the last frame takes now: a terminal that became narrower has broken its lines. */
  #rowsAbove(columns: number): number {
    if (columns >= this.#columns || columns < 1) return this.#lines.length;
    return this.#lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(lineWidth(line) / columns)), 0);
  }
}
