/**
 * Names of calls in the history, and their ids.
 *
 * Decides: how a name or an id is written that a provider refuses.
 * Keeps M12, M64.
 */
import { shortHash } from '../../protocol/content/short-hash';
import type { IdRule, Profile } from './profile';

const REFUSED = /[^A-Za-z0-9_-]/g;

/** A word of letters, digits, `_` and `-`. One that has to be changed ends in a hash of what it was, so no two become one. */
function fit(word: string, most: number): string {
  const fitting = word.replace(REFUSED, '_');
  if (fitting === word && word !== '' && word.length <= most) return word;
  const hash = shortHash(word);
  return `${fitting.slice(0, most - hash.length - 1)}_${hash}`;
}

/**
 * The name of a call. The same name is always written the same way. One that every object has by nature, such as
 * `toString`, is changed: a package that looks names up in an object finds a function there.
 */
export const fitName = (name: string, { mostName }: Pick<Profile, 'mostName'>): string =>
  fit(name in Object.prototype ? `${name}.` : name, mostName);

/** Workers AI adds this and a number to an id, and removes both again. */
const OWN_SUFFIX = /::cf-wai-tool-call::.+$/s;

/** The id of a call, by the id that its provider gave. */
export function fitId(providerId: string, rule: IdRule): string {
  const given = providerId.replace(OWN_SUFFIX, '');
  switch (rule.form) {
    case 'short':
      return /^[A-Za-z0-9]{9}$/.test(given) ? given : shortHash(given);
    case 'free':
      if (given.isWellFormed() && given.trim() === given && given !== '' && given.length <= rule.most) return given;
      return fit(given, rule.most);
    case 'words':
      return fit(given, rule.most);
  }
}

/** The ids of the calls of a prompt, in order: each once. A longer prompt never renames what a shorter one named. */
export class CallIds {
  readonly #used = new Set<string>();

  constructor(readonly rule: IdRule) {}

  /** The id of the next call; `fitted` is what its provider's id is written as. */
  next(fitted: string, providerId: string): string {
    let id = fitted;
    for (let n = 2; this.#used.has(id); n += 1) id = fitId(`${providerId.replace(OWN_SUFFIX, '')}_${n}`, this.rule);
    this.#used.add(id);
    return id;
  }
}
