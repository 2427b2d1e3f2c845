/**
 * JSON that is still being written, piece by piece: what is known of its value so far. Each piece is read once, and of wide
 * lists a reader gets a new copy only now and then, so the work is in proportion to the text.
 *
 * - A value never changes its type: a number or a word counts once it is whole, a text grows by whole characters.
 * - What was read of it stays as it is: what grows further is copied first.
 *
 * Keeps J10.
 */
import { DATA_LIMITS } from '../protocol/data-limits';
import type { Json } from '../protocol/json';

type Open = Json[] | { [key: string]: Json };

/** The longest number or word, in characters: a longer one ends the reading. */
const MOST = 1_000;

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A reader always gets the newest value of containers that have so few items in all. */
const NARROW = 1_000;
/** Wider ones have grown by so many items to a character before a reader gets a new copy of them. */
const ITEMS_TO_A_CHARACTER = 16;

/** A value that grows. One that is nested deeper than any JSON here ends where it would be: each reader gets copies of all levels. */
export class PartialJson {
  /** The beginning of a token that is not whole. */
  #rest = '';
  /** The text that is open, without the half of a character at its end. */
  #text: string | undefined;
  #half = '';
  /** The containers that are open, and where in each the next value goes. */
  readonly #open: { value: Open; key: string | number | undefined; items: number }[] = [];
  #root: Json | undefined;
  #over = false;
  /** The value that was read last, whether it is the newest, and how many characters came since. */
  #shown: Json | undefined;
  #isShared = false;
  #since = 0;

  /** The value so far; undefined before anything of it is known. It changes no more. */
  get value(): Json | undefined {
    const items = this.#open.reduce((sum, one) => sum + one.items, 0);
    if (this.#over || items <= Math.max(NARROW, this.#since * ITEMS_TO_A_CHARACTER)) {
      this.#shown = this.#root;
      this.#isShared = true;
      this.#since = 0;
    }
    return this.#shown;
  }

  /** Reads the next piece. What is no JSON ends the reading. */
  push(piece: string): void {
    if (this.#over) return;
    if (this.#isShared) this.#copy();
    this.#since += piece.length;
    const text = this.#rest + piece;
    let at = 0;
    for (let next = 0; at < text.length && !this.#over; at = next) {
      next = this.#text === undefined ? this.#token(text, at) : this.#string(text, at);
      if (next === at) break;
    }
    this.#rest = text.slice(at);
    if (this.#text !== undefined && !this.#isKey) this.#put(this.#text);
    if (this.#rest.length > MOST) this.#over = true;
  }

  /** Replaces the containers that are open by copies: those that were shown stay as they are. */
  #copy(): void {
    this.#isShared = false;
    let above: Open | undefined;
    for (const [depth, one] of this.#open.entries()) {
      one.value = Array.isArray(one.value) ? one.value.slice() : { ...one.value };
      const place = this.#open[depth - 1]?.key;
      if (above === undefined || place === undefined) this.#root = one.value;
      else set(above, place, one.value);
      above = one.value;
    }
  }

  /** True where the next text is the name of a value. */
  get #isKey(): boolean {
    const last = this.#open.at(-1);
    return last !== undefined && last.key === undefined;
  }

  /** Reads one token. @returns where the next one begins; `at` where this one is not whole */
  #token(text: string, at: number): number {
    const next = text[at] ?? '';
    if (/[\s:]/u.test(next)) return at + 1;
    if (next === ',') {
      const last = this.#open.at(-1);
      if (last) {
        last.key = typeof last.key === 'number' ? last.key + 1 : undefined;
        last.items++;
      }
    } else if (next === '"') this.#text = this.#half = '';
    else if (next === '[') this.#begin([], 0);
    else if (next === '{') this.#begin({}, undefined);
    else if (next === ']' || next === '}') {
      this.#open.pop();
      this.#over = this.#open.length === 0;
    } else return this.#atom(text, at);
    return at + 1;
  }

  #begin(value: Open, key: number | undefined): void {
    if (this.#open.length >= DATA_LIMITS.maxDepth) this.#over = true;
    if (this.#over) return;
    this.#put(value);
    this.#open.push({ value, key, items: 0 });
  }

  /** A number or a word: whole where something follows it. */
  #atom(text: string, at: number): number {
    const end = /[^\w.+-]/gu;
    end.lastIndex = at;
    const next = end.exec(text)?.index;
    if (next === undefined) return at;
    try {
      this.#put(JSON.parse(text.slice(at, next)));
    } catch {
      this.#over = true;
    }
    return next;
  }

  /** Reads a text up to its end or its next escape. */
  #string(text: string, at: number): number {
    const mark = /["\\]/gu;
    mark.lastIndex = at;
    const stop = mark.exec(text)?.index ?? text.length;
    if (stop > at) {
      this.#add(text.slice(at, stop));
      return stop;
    }
    if (text[at] === '"') {
      const whole = this.#text + this.#half;
      const last = this.#open.at(-1);
      if (this.#isKey && last) last.key = whole;
      else this.#put(whole);
      this.#text = undefined;
      this.#over = last === undefined;
      return at + 1;
    }
    const escaped = /\\(?:u([\da-f]{4})|([^u]))/iuy;
    escaped.lastIndex = at;
    const [all = '', code, letter = ''] = escaped.exec(text) ?? [];
    if (all !== '')
      this.#add(code === undefined ? (ESCAPED[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)));
    return at + all.length;
  }

  /** Half of a character waits for the other one. */
  #add(piece: string): void {
    const whole = this.#half + piece;
    this.#half = /[\ud800-\udbff]$/u.exec(whole)?.[0] ?? '';
    this.#text += this.#half === '' ? whole : whole.slice(0, -1);
  }

  #put(value: Json): void {
    const last = this.#open.at(-1);
    if (last === undefined) this.#root = value;
    else set(last.value, last.key ?? '', value);
  }
}

/** Sets what a container has at a place; `__proto__` is a name like any other. */
function set(container: Open, key: string | number, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
  else if (Array.isArray(container)) container[Number(key)] = value;
  else container[key] = value;
}
