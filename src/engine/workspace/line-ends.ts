/**
 * The new text of an edit: characters and line ends that it shares with the old one stay byte for byte.
 *
 * Decides: which bytes an edit changes; how a new line ends.
 * Keeps WS21.
 */
import { charactersOf } from './compared';

/** The first line end of a text; undefined for a text of one line. A lone CR is one only where there is no LF. */
export function lineEndOf(text: string): string | undefined {
  return lineFeedOf(text) ?? /\r(?!$)/.exec(text)?.[0];
}

const lineFeedOf = (text: string): string | undefined => /\r?\n/.exec(text)?.[0];

/** An edit: the text that present in the file, that text as the model wrote it, and what replaces it. */
interface Edit {
  readonly present: string;
  readonly oldText: string;
  readonly newText: string;
  /** The line end near the place; undefined where the file has one line. */
  readonly lineEnd: string | undefined;
}

/** The text that takes the place of the one that present there. */
export function rewritten({ present, oldText, newText, lineEnd }: Edit): string {
  const [before, old, made] = [charactersOf(present), charactersOf(oldText), charactersOf(newText)];
  // Both are one text in two forms, character for character.
  const [first, last] = before.length === old.length ? alike(old, made) : [0, 0];
  const middle = made.slice(first, made.length - last).join('');
  const ended = lineFeedOf(present) ?? lineEnd ?? lineEndOf(present);
  // A text with a CR means its own line ends.
  const text = ended === undefined || newText.includes('\r') ? middle : middle.replaceAll('\n', ended);
  return before.slice(0, first).join('') + text + before.slice(before.length - last).join('');
}

/** The number of first and of last characters that two texts share. */
function alike(old: readonly string[], made: readonly string[]): readonly [first: number, last: number] {
  const most = Math.min(old.length, made.length);
  let first = 0;
  while (first < most && old[first] === made[first]) first++;
  let last = 0;
  while (last < most - first && old[old.length - 1 - last] === made[made.length - 1 - last]) last++;
  return [first, last];
}
