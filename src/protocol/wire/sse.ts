/**
 * A parser of server-sent events, fed by bytes that may be cut anywhere, also inside a character or a line end.
 * An event that is not yet closed by an empty line is not an event.
 *
 * Keeps W1.
 */

/** One event. `id` is the last id that the stream gave, which is this event's own where it has one. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** The stream sent a line or an event that is longer than a reader keeps. */
export class SseTooLong extends Error {
  override readonly name = 'SseTooLong';
}

/** The longest event that is kept, in characters: a chunk holds at most a tool's result of 1 MB, written as JSON. */
const MAX_EVENT_CHARS = 16 * 1_048_576;

/** Parses one stream. A new connection takes a new parser. */
export class SseParser {
  readonly #decoder: TextDecoder;
  readonly #maxChars: number;
  /** The pieces of the line that is not yet closed: joined once, so that a long line costs no more than its length. */
  #pieces: string[] = [];
  #held = 0;
  #afterCr = false;
  #event = '';
  #data: string[] = [];
  #dataChars = 0;
  #id = '';

  /** Bytes that are no UTF-8 are replaced; with `fatal` they are refused. */
  constructor(maxChars = MAX_EVENT_CHARS, { fatal = false }: { readonly fatal?: boolean } = {}) {
    this.#maxChars = maxChars;
    this.#decoder = new TextDecoder('utf-8', { fatal, ignoreBOM: false });
  }

  /**
   * Takes the next bytes and gives the events that they close.
   * @throws {SseTooLong} when an event grows beyond the limit, {TypeError} when `fatal` bytes are no UTF-8; the stream is
   *   then of no use
   */
  push(bytes: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return events;
    // A line end may be cut in two: the LF after a CR that closed a line before closes nothing.
    if (this.#afterCr && text.startsWith('\n')) text = text.slice(1);
    this.#afterCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/u);
    const open = lines.pop() ?? '';
    for (const line of lines) this.#line(this.#closed(line), events);
    this.#hold(open);
    return events;
  }

  #hold(piece: string): void {
    if (piece !== '') this.#pieces.push(piece);
    this.#held += piece.length;
    if (this.#held > this.#maxChars) throw new SseTooLong(`A line is longer than ${this.#maxChars} characters.`);
  }

  #closed(piece: string): string {
    if (this.#held === 0 && piece.length <= this.#maxChars) return piece;
    this.#hold(piece);
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#held = 0;
    return line;
  }

  #line(line: string, events: SseEvent[]): void {
    if (line === '') {
      this.#dispatch(events);
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'data') {
      this.#dataChars += value.length + 1;
      if (this.#dataChars > this.#maxChars)
        throw new SseTooLong(`An event is longer than ${this.#maxChars} characters.`);
      this.#data.push(value);
    }
  }

  #dispatch(events: SseEvent[]): void {
    if (this.#data.length > 0) {
      events.push({ event: this.#event === '' ? 'message' : this.#event, data: this.#data.join('\n'), id: this.#id });
    }
    this.#event = '';
    this.#data = [];
    this.#dataChars = 0;
  }
}
