/**
 * How children stand by the root's record, for their parent.
 *
 * Keeps CO20.
 */
import type { Child } from '../../core/agent/children/child';
import type { Look } from '../../core/agent/children/child-standing';
import type { BodyAgent } from '../perform/performer';

/** How these stand by the root's record, by their session ids. */
export async function lookAt(
  { link }: Pick<BodyAgent, 'link'>,
  children: readonly Child[],
): Promise<ReadonlyMap<string, Look>> {
  if (children.length === 0) return new Map();
  const { looks = [] } = await link.ask({ look: children.map(({ sessionId }) => sessionId) });
  return new Map(looks.map((look) => [look.sessionId, look]));
}
