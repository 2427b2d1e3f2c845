/**
 * Paths of this server in what is answered.
 *
 * Keeps A78.
 */
import { isObject, type JsonLike } from '../../protocol/json';
import type { Verb } from '../verb';

/** An output whose links begin with a base path, which only who has carried the question knows. */
export function withBase({ http }: Pick<Verb, 'http'>, body: JsonLike, base: string): JsonLike {
  const { links = [] } = http ?? {};
  if (base === '' || links.length === 0 || !isObject(body)) return body;
  const based = links.flatMap((name) => (typeof body[name] === 'string' ? [[name, base + body[name]] as const] : []));
  return { ...body, ...Object.fromEntries(based) };
}
