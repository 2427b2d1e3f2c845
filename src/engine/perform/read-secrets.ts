/**
 * The secrets that one body has read: they are struck out of all that it says, and out of the files that it writes.
 *
 * Keeps VR6, VR9.
 */
import { type Failure, OffshootError } from '../../protocol/errors';

/** A shorter value is none that could be told apart from other text. Unit: characters. */
const MIN_SECRET = 6;

/** What stands for each value, and where values are in a text. */
class Marks {
  readonly #marks = new Map<string, string>();
  #pattern = /(?!)/g;
  #longest = 0;

  get size(): number {
    return this.#marks.size;
  }

  add(value: string, mark: string): void {
    this.#marks.set(value, mark);
    // The longest first: one may be part of another.
    const values = [...this.#marks.keys()].sort((one, other) => other.length - one.length);
    this.#longest = values[0]?.length ?? 0;
    this.#pattern = new RegExp(values.map((each) => each.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
  }

  /** A text in which the marks stand. With `more` to come, its end is left over that may be the beginning of a value. */
  struck(text: string, more = false): { readonly done: string; readonly rest: string } {
    const end = more ? Math.max(0, text.length - this.#longest + 1) : text.length;
    let done = '';
    let at = 0;
    for (const found of text.matchAll(this.#pattern)) {
      if (found.index >= end) break;
      done += text.slice(at, found.index) + (this.#marks.get(found[0]) ?? '');
      at = found.index + found[0].length;
    }
    const upTo = Math.max(at, end);
    return { done: done + text.slice(at, upTo), rest: text.slice(upTo) };
  }
}

/** Bytes that become text at once: as many as a call takes arguments anywhere. */
const AT_ONCE = 8_192;

/** Bytes as a text of one character each, and back. */
function asText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return text;
}
function asBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Keeps what was read for as long as the body is waited for. */
export class ReadSecrets {
  readonly #texts = new Marks();
  /** The same as UTF-8, a character a byte. */
  readonly #bytes = new Marks();

  add(name: string, value: string): void {
    if (value.length < MIN_SECRET) return;
    // A key of several lines is often written as JSON.
    for (const form of new Set([value, JSON.stringify(value).slice(1, -1)])) {
      this.#texts.add(form, `[${name}]`);
      this.#bytes.add(asText(new TextEncoder().encode(form)), `[${name}]`);
    }
  }

  /** Whether there is nothing to strike out. */
  get none(): boolean {
    return this.#texts.size === 0;
  }

  /** A text in which the names stand for the values. */
  text(text: string): string {
    return this.none ? text : this.#texts.struck(text).done;
  }

  /** Bytes in which the names stand for the values, as UTF-8. */
  bytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    return asBytes(this.#bytes.struck(asText(bytes)).done);
  }

  /** The same for bytes that come in pieces, wherever they are cut. */
  pieces(): { next(piece: Uint8Array): Uint8Array<ArrayBuffer>; end(): Uint8Array<ArrayBuffer> } {
    let held = '';
    return {
      next: (piece) => {
        if (this.none) return new Uint8Array(piece);
        const { done, rest } = this.#bytes.struck(held + asText(piece), true);
        held = rest;
        return asBytes(done);
      },
      end: () => asBytes(this.#bytes.struck(held).done),
    };
  }

  /** The same for all texts of a JSON value, its keys among them. */
  in<Value>(value: Value): Value;
  in(value: unknown): unknown {
    return this.none ? value : this.#struck(value);
  }

  /** What is reported of something that was thrown. */
  thrown(error: unknown, told: Failure): unknown {
    return this.none ? error : new OffshootError(told.code, this.text(told.message));
  }

  #struck(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.#struck(each));
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.text(key), this.#struck(each)]));
  }
}
