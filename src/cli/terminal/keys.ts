/** What a terminal sends, as keys. Pasted text is one key, so that nothing in it can press one. */
import { graphemes } from './text';

/** One key. A key that is not known here is left out. */
export type Key =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: KeyName };

/** The keys with a name. */
export type KeyName =
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'interrupt'
  | 'erase-line'
  | 'erase-word'
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down';

const ESC = '\u001b';

const NAMED: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'escape',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0003': 'interrupt',
  '\u0015': 'erase-line',
  '\u0017': 'erase-word',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
};

/** Makes a terminal put what is pasted in brackets. */
export const PASTE_ON = '\u001b[?2004h';
/** Makes it stop that. */
export const PASTE_OFF = '\u001b[?2004l';
const PASTE_BEGIN = '\u001b[200~';
const PASTE_END = '\u001b[201~';

// A sequence of a key, a lone escape, or one character.
const TOKEN = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*[@-~]|O[@-~])|.`, 'gsu');
const CUT = new RegExp(`${ESC}(?:\\[[0-?]*|O)$`, 'u');

/** Reads one keyboard. What a terminal sends may be cut anywhere; only a lone escape counts as the key at once. */
export class KeyReader {
  #rest = '';
  /** The pasted text so far, while a paste goes on. */
  #pasted: string | undefined;

  /** The keys that the next input closes. */
  push(input: string): Key[] {
    const keys: Key[] = [];
    let text = this.#rest + input;
    this.#rest = '';
    while (text !== '') text = this.#pasted === undefined ? this.#typed(text, keys) : this.#paste(text, keys);
    return keys;
  }

  #typed(text: string, keys: Key[]): string {
    const begin = text.indexOf(PASTE_BEGIN);
    let typed = begin < 0 ? text : text.slice(0, begin);
    if (begin < 0) {
      this.#rest = CUT.exec(typed)?.[0] ?? '';
      typed = typed.slice(0, typed.length - this.#rest.length);
    } else this.#pasted = '';
    for (const [token] of typed.matchAll(TOKEN)) {
      const name = Object.hasOwn(NAMED, token) ? NAMED[token] : undefined;
      if (name !== undefined) keys.push({ kind: name });
      else if (!/^\p{Cc}/u.test(token)) keys.push({ kind: 'char', char: token });
    }
    return begin < 0 ? '' : text.slice(begin + PASTE_BEGIN.length);
  }

  #paste(text: string, keys: Key[]): string {
    const all = (this.#pasted ?? '') + text;
    const end = all.indexOf(PASTE_END);
    if (end < 0) {
      this.#pasted = all;
      return '';
    }
    this.#pasted = undefined;
    keys.push({ kind: 'paste', text: all.slice(0, end) });
    return all.slice(end + PASTE_END.length);
  }
}

/** A line of text after a key that writes into it. */
export function written(line: string, key: Key): string {
  switch (key.kind) {
    case 'char':
      return line + key.char;
    case 'paste':
      return line + key.text.replace(/\r\n?/gu, '\n');
    case 'backspace':
      return graphemes(line).slice(0, -1).join('');
    case 'erase-line':
      return '';
    case 'erase-word':
      return withoutLastWord(line);
    default:
      return line;
  }
}

function withoutLastWord(line: string): string {
  const words = line.trimEnd();
  let end = words.length;
  while (end > 0 && words.charAt(end - 1).trim() !== '') end--;
  return words.slice(0, end);
}
