/**
 * The time that a pattern of another author may run: JavaScript cannot stop one, and a single pattern would hold
 * an agent for hours.
 *
 * Decides: which patterns are tried, on which texts.
 * Keeps DF48.
 */

/** The longest pattern that is tried, in characters. */
const MAX_PATTERN = 2_000;

/** A character, a class, a place, the beginning or end of a group, or a quantifier. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]?|\((?:\?(?:<?[=!]|:|<\w+>)?)?|[)|]|[*+?]\??|\{(\d+)(,?)(\d*)\}\??|./gsu;

const REFERENCE = /^\\[1-9k]/;

/** A group that is open, or the whole pattern. */
interface Group {
  choices: number;
  /** True if there are several ways to match it. */
  varies: boolean;
  /** The characters that one way to match it may look at, times the ways before each. */
  work: number;
}

const opened = (): Group => ({ choices: 1, varies: false, work: 0 });

/**
 * The characters that a pattern may have to look at in a text of so many, at most: each again for each way to match what is
 * before it. Infinite for one with a repeated group that itself repeats or chooses something, which has more ways at each
 * further character, and for one that refers to a group.
 */
export function costOf(pattern: string, characters: number): number {
  if (pattern.length > MAX_PATTERN) return Number.POSITIVE_INFINITY;
  const open = [opened()];
  let ways = 1;
  /** The work of the last character, class or group. */
  let last: Pick<Group, 'work' | 'varies'> = { work: 0, varies: false };
  for (const [token, least, comma, most] of pattern.matchAll(TOKEN)) {
    if (REFERENCE.test(token)) return Number.POSITIVE_INFINITY;
    const group = open.at(-1) ?? opened();
    const repeated = repetitionOf(token, { least, comma, most, characters });
    if (repeated === undefined) {
      if (token.startsWith('(')) open.push(opened());
      else if (token === '|') group.choices += 1;
      else if (token === ')') last = closed(open, (choices) => (ways *= choices));
      else if (token !== '^') {
        last = { work: ways, varies: false };
        group.work += ways;
      }
      continue;
    }
    if (last.varies && !token.startsWith('?') && repeated.ways * repeated.times > 1) return Number.POSITIVE_INFINITY;
    group.work += last.work * (repeated.times - 1);
    ways *= repeated.ways;
    if (repeated.ways > 1) group.varies = true;
    last = { work: 0, varies: false };
  }
  const [{ choices, work } = opened()] = open;
  const isAnchored = pattern.startsWith('^') && choices === 1;
  return Math.max(work, ways) * (isAnchored ? 1 : characters + 1);
}

/** Ends the innermost group: its work is that of the one around it, too. */
function closed(open: Group[], chosen: (choices: number) => void): Pick<Group, 'work' | 'varies'> {
  const ended = open.pop() ?? opened();
  chosen(ended.choices);
  const varies = ended.varies || ended.choices > 1;
  const around = open.at(-1);
  if (around) {
    around.work += ended.work;
    around.varies ||= varies;
  }
  return { work: ended.work, varies };
}

interface Repetition {
  /** The numbers of repetitions that may have to be tried. */
  readonly ways: number;
  /** The repetitions that are no such choice. */
  readonly times: number;
}

/** The repetition that a quantifier asks for; undefined for any other token. */
function repetitionOf(
  token: string,
  {
    least,
    comma,
    most,
    characters,
  }: { characters: number } & { [part in 'least' | 'comma' | 'most']: string | undefined },
): Repetition | undefined {
  if (token.startsWith('?')) return { ways: 2, times: 1 };
  if (token.startsWith('*') || token.startsWith('+')) return { ways: characters + 1, times: 1 };
  if (least === undefined) return undefined;
  // What has one way and takes no character is tried once.
  const times = Math.max(1, Math.min(Number(least), characters + 1));
  if (comma === '') return { ways: 1, times };
  return { ways: (most ? Math.min(Number(most) - Number(least), characters) : characters) + 1, times };
}
