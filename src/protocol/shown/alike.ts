/**
 * Messages of failures that differ only in what differs from run to run.
 *
 * Decides: which failures have one cause.
 *
 * Keeps CN67.
 */
import { beginningOf } from '../content/cut';

/** Characters that tell one message from another. */
const LONGEST = 160;

/** Addresses, quoted texts, ids and numbers. */
const DIFFERS =
  /https?:\/\/\S+|\/agents\/\S+|"[^"]*"|(?<!\w)'[^']*'(?!\w)|`[^`]*`|\b(?=[\w-]*\d)[\w-]{6,}|\d+(?:[.,:]\d+)*/gu;

/** The first line of a message with `…` for each of them: alike messages have the same. */
export function patternOf(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  const alike = beginningOf(line, 2 * LONGEST)
    .replaceAll(DIFFERS, '…')
    .replaceAll(/\s+/gu, ' ');
  return beginningOf(alike, LONGEST).trim().toWellFormed();
}
