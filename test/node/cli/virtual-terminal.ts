/** A terminal in memory that understands what the screen writes: enough to see what a person would see. */
import type { ScreenOutput } from '../../../src/cli/terminal/screen';

const ESC = '\u001b';
const TOKENS = new RegExp(`${ESC}\\[\\??[0-9;]*[A-Za-z]|.`, 'gsu');

/** Rows scroll out at the top into the history, which `text` shows too. One column for each character. */
export class VirtualTerminal implements ScreenOutput {
  written = '';
  cursorShown = true;
  wraps = true;
  #columns: number;
  readonly #height: number;
  #rows: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns: number, height: number) {
    this.#columns = columns;
    this.#height = height;
  }

  columns(): number {
    return this.#columns;
  }

  /** All rows, without the empty ones at the end. */
  text(): string[] {
    const rows = this.#rows.map((row) => row.trimEnd());
    while (rows.at(-1) === '') rows.pop();
    return rows;
  }

  /** Breaks the rows that do not fit any more, as terminals do. */
  resize(columns: number): void {
    const before = this.#rows
      .slice(0, this.#row)
      .reduce((sum, row) => sum + Math.max(1, Math.ceil(row.length / columns)), 0);
    this.#rows = this.#rows.flatMap((row) => row.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? ['']);
    this.#row = before;
    this.#columns = columns;
  }

  write(text: string): void {
    this.written += text;
    for (const [token] of text.matchAll(TOKENS)) this.#take(token);
  }

  #take(token: string): void {
    if (token === '\r') this.#column = 0;
    // As the terminal's driver does, also while keys are read one by one: a line feed returns, too.
    else if (token === '\n') this.#lineFeed();
    else if (!token.startsWith('\u001b')) this.#put(token);
    else this.#control(token.slice(2));
  }

  #control(code: string): void {
    const row = this.#rows[this.#row] ?? '';
    if (code.endsWith('A')) {
      const top = Math.max(0, this.#rows.length - this.#height);
      this.#row = Math.max(top, this.#row - Number(code.slice(0, -1)));
    } else if (code === 'K') this.#rows[this.#row] = row.slice(0, this.#column);
    else if (code === 'J') {
      this.#rows.length = this.#row + 1;
      this.#rows[this.#row] = row.slice(0, this.#column);
    } else if (code === '?25l' || code === '?25h') this.cursorShown = code === '?25h';
    else if (code === '?7l' || code === '?7h') this.wraps = code === '?7h';
    else if (!/^(?:\?2026[hl]|[\d;]+m)$/u.test(code)) throw new Error(`unknown code ${code}`);
  }

  #lineFeed(): void {
    this.#column = 0;
    this.#down();
  }

  #down(): void {
    this.#row += 1;
    if (this.#row === this.#rows.length) this.#rows.push('');
  }

  #put(char: string): void {
    if (this.#column >= this.#columns) {
      if (!this.wraps) this.#column = this.#columns - 1;
      else {
        this.#column = 0;
        this.#down();
      }
    }
    const row = (this.#rows[this.#row] ?? '').padEnd(this.#column);
    this.#rows[this.#row] = row.slice(0, this.#column) + char + row.slice(this.#column + 1);
    this.#column += 1;
  }
}
