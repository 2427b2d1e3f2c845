/**
 * The secrets that one body has read: they are struck out of all that it says.
 *
 * Keeps VR6.
 */
import { type Failure, OffshootError } from '../protocol/errors';

/** A shorter value is none that could be told apart from other text. Unit: characters. */
const MIN_SECRET = 6;

/** Keeps what was read for as long as the body is waited for. */
export class ReadSecrets {
  readonly #marks = new Map<string, string>();

  add(name: string, value: string): void {
    if (value.length >= MIN_SECRET) this.#marks.set(value, `[${name}]`);
  }

  /** A text in which the names stand for the values. The longest first: one may be part of another. */
  text(text: string): string {
    const values = [...this.#marks.keys()].sort((one, other) => other.length - one.length);
    return values.reduce((struck, value) => struck.replaceAll(value, this.#marks.get(value) ?? ''), text);
  }

  /** The same for all texts of a JSON value, its keys among them. */
  in<Value>(value: Value): Value;
  in(value: unknown): unknown {
    return this.#marks.size === 0 ? value : this.#struck(value);
  }

  /** What is reported of something that was thrown. */
  thrown(error: unknown, told: Failure): unknown {
    return this.#marks.size === 0 ? error : new OffshootError(told.code, this.text(told.message));
  }

  #struck(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.#struck(each));
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.text(key), this.#struck(each)]));
  }
}
