/**
 * What every definition is checked with, whoever makes it.
 *
 * Keeps DF1.
 */
import { isBlank } from '../../protocol/content/blank';
import { OffshootError } from '../../protocol/errors';

/** @throws OffshootError `invalid_definition`, with what to change */
export function invalidDefinition(what: string): never {
  throw new OffshootError('invalid_definition', what);
}

/** A misspelt option would be left out without a word, and with it what it should guard. */
export function refuseUnknown(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    invalidDefinition(`${what} has unknown options: ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
}

/** Refuses a text for a model that is blank: no provider takes it. An empty one says that there is none. */
export function checkSaid(where: string, option: string, text: unknown): void {
  if (typeof text === 'string' && text !== '' && isBlank(text))
    invalidDefinition(`${where}: \`${option}\` is blank; say something, or give an empty text.`);
}
