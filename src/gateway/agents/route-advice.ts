/**
 * Advice for a request that no route or no agent answers: the route that was probably meant.
 *
 * Keeps A78, A121, A124.
 */
import { nearest } from '../../core/definition/invalid';
import type { VerbAnswer } from '../../engine/object/object-calls';
import { MAKE_NAME, type ParsedAddress } from '../../protocol/address';
import { codeFacts } from '../../protocol/errors';
import { VERBS } from '../../verbs/table';
import { PARAMETER } from '../route';

/** The part of each route behind an address, by segments; the longest first. */
const ROUTES = [...new Set(VERBS.flatMap(({ path }) => path || []))]
  .map((path) => path.split('/'))
  .toSorted((one, other) => other.length - one.length);
/** The first segments of them. */
const SEGMENTS = [...new Set(ROUTES.flatMap(([first = '']) => first))];
/** A longer segment of a request is not repeated. Unit: characters. */
const MOST_REPEATED = 200;

/** The longest route that these segments begin with, or the one that they begin. */
function routeNear(segments: readonly string[]): string {
  const given = (at: number): string => segments[at] ?? '';
  const begins = ROUTES.find((route) => route.every((one, at) => (one === PARAMETER ? given(at) : given(at) === one)));
  const route = begins ?? ROUTES.find(([first]) => first === given(0)) ?? [];
  const written = (at: number): string => (given(at).length > MOST_REPEATED ? '' : given(at));
  return route.map((one, at) => (one === PARAMETER && written(at)) || one).join('/');
}

/** Advice for a path that is no route. A file's path is one segment of a URL, and a name has no slash. */
export function adviceForPath({ below, address, rest }: ParsedAddress, base: string): string {
  const [first = '', ...further] = rest;
  if (rest.every((segment) => segment === '')) return ' Leave out the slash at the end.';
  if (first === 'files') return ' Write %2F for each slash of the path of a file.';
  const isKnown = SEGMENTS.includes(first);
  // What follows a name that was cut in two is a whole route.
  if (!isKnown && further.some((segment) => SEGMENTS.includes(segment)))
    return ` A name cannot contain a slash${below.length > 0 ? '.' : `: ${MAKE_NAME}`}`;
  const meant = isKnown ? [first] : nearest(first, SEGMENTS);
  const urls = meant.map((one) => `${base}${address}/${routeNear([one, ...further])}`);
  if (urls.length > 0) return ` Did you mean ${urls.join(' or ')}?`;
  return below.length > 0 ? '' : ` If the name has a slash, replace that: ${MAKE_NAME}`;
}

/** Advice for a method that an address itself does not take: it was opened, or the name in it was forgotten. */
export function adviceForAddress({ root, below, address, rest }: ParsedAddress, base: string): string {
  if (rest.length > 0) return '';
  const { addressClass, name } = below.at(-1) ?? root;
  const above = address.slice(0, -name.length);
  if (SEGMENTS.includes(name))
    return ` The name of the agent is missing: ${base}${above}{name}/${name}, with any name for "${addressClass}".`;
  // A person who opens the address that a start returned wants to read the agent.
  return ` Read an agent at ${base}${address}/status.`;
}

/**
 * The same answer, where it only says that nothing is at the address, with what to do.
 * @param base what paths begin with for the caller; undefined for one by RPC, who calls methods
 */
export function withAdvice(answer: VerbAnswer, { root, below, address }: ParsedAddress, base?: string): VerbAnswer {
  if (answer.ok || answer.error.code !== 'not_found' || answer.error.message !== codeFacts('not_found').title)
    return answer;
  const top = `/agents/${root.addressClass}/${root.name}`;
  const start = base === undefined ? '`start`' : `POST ${base}${address}/start`;
  const tree = base === undefined ? `\`tree\` of ${top}` : `GET ${base}${top}/tree`;
  const message =
    below.length === 0
      ? `No agent was started at this address, or it was deleted. Start it with ${start}.`
      : `There is no such sub-agent, or its root was never started. ${tree} lists the agents of the root.`;
  return { ...answer, error: { ...answer.error, message } };
}
