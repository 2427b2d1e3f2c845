/**
 * The time that a pattern of another author may run: JavaScript cannot stop one, and a single pattern would hold
 * an agent for hours.
 *
 * Decides: which patterns are tried, on which texts.
 * Keeps DF48.
 */

/** The longest pattern that is tried, in characters. */
const MAX_PATTERN = 2_000;

/** A character, a class, the beginning or end of a group, or a quantifier. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]?|\((?:\?(?:<?[=!]|:|<\w+>)?)?|[)|]|[*+?]\??|\{(\d+)(,?)(\d*)\}\??|./gsu;

const REFERENCE = /^\\[1-9k]/;

/** A group that is open. */
interface Group {
  choices: number;
  /** True if there are several ways to match it. */
  varies: boolean;
}

/**
 * The ways that a pattern may have to try on a text of so many characters, at most. Infinite for one with a repeated group
 * that itself repeats or chooses something, which has more at each further character, and for one that refers to a group.
 */
export function costOf(pattern: string, characters: number): number {
  if (pattern.length > MAX_PATTERN) return Number.POSITIVE_INFINITY;
  const open: Group[] = [{ choices: 1, varies: false }];
  let tries = 1;
  let ended: Group | undefined;
  for (const [token, least, comma, most] of pattern.matchAll(TOKEN)) {
    if (REFERENCE.test(token)) return Number.POSITIVE_INFINITY;
    const group = open.at(-1) ?? { choices: 1, varies: false };
    const times = timesOf(token, { least, comma, most, characters });
    if (ended?.varies && times > 1 && !token.startsWith('?')) return Number.POSITIVE_INFINITY;
    ended = undefined;
    if (token.startsWith('(')) open.push({ choices: 1, varies: false });
    else if (token === '|') group.choices += 1;
    else if (token === ')') {
      ended = open.pop();
      if (ended && ended.choices > 1) ended.varies = true;
      tries *= ended?.choices ?? 1;
      const around = open.at(-1);
      if (around && ended?.varies) around.varies = true;
    } else if (times > 1 && !isExact(token)) {
      tries *= times;
      group.varies = true;
    }
  }
  const isAnchored = pattern.startsWith('^') && open[0]?.choices === 1;
  return isAnchored ? tries : tries * (characters + 1);
}

const isExact = (token: string): boolean => /^\{\d+\}/.test(token);

/** The number of ways of a quantifier; of an exact one, its repetitions. 1 for any other token. */
function timesOf(
  token: string,
  {
    least,
    comma,
    most,
    characters,
  }: { characters: number } & { [part in 'least' | 'comma' | 'most']: string | undefined },
): number {
  if (token.startsWith('?')) return 2;
  if (token.startsWith('*') || token.startsWith('+')) return characters + 1;
  if (least === undefined) return 1;
  if (comma === '') return Number(least);
  return (most ? Math.min(Number(most) - Number(least), characters) : characters) + 1;
}
