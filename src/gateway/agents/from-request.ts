/**
 * Asking an agent for a request that is open meanwhile, as routes and doors do.
 *
 * Keeps W39.
 */
import { access } from '../../access/auth';
import { openingOf } from '../../access/authorizers';
import type { VerbAnswer } from '../../engine/object/object-calls';
import { segmentOf } from '../../engine/tree-messages';
import { isObject } from '../../protocol/json';
import { flag } from '../../protocol/wire/shapes';
import { openBell, sleepingStream } from '../../sockets/sleeping-stream';
import { type AgentAsk, askAgent } from '../ask-agent';
import { askRoot, rootStub } from '../objects';
import type { RequestContext } from '../request-context';
import { withAdvice } from './route-advice';

/** Asks an agent; an answer that is a stream holds no object in memory while nothing happens. Throws as `askAgent` does. */
export async function askFromRequest(context: RequestContext, ask: AgentAsk): Promise<VerbAnswer> {
  const answer = await (ask.verb.http?.answers === 'events' ? events(context, ask) : askAgent(context, ask));
  return withAdvice(answer, ask.address, context.base);
}

/** W39. Opens a stream that holds its root in memory only while something happens. */
async function events(context: RequestContext, given: AgentAsk): Promise<VerbAnswer> {
  const { request, exports, log } = context;
  const { address, caller, token } = given;
  const opening = openingOf(context.authorizer, request);
  const ask = { ...given, opening };
  const { from: _, rested: __, ...how } = isObject(given.input) ? given.input : {};
  const answer = await askAgent(context, { ...ask, pauses: 'first' });
  if (!answer.ok || answer.status === 204 || answer.bytes === undefined) return answer;
  const root = rootStub(exports, address.root);
  const bytes = sleepingStream(answer.bytes, {
    async refusal() {
      const right = await access(request, { address: address.address, action: 'read' }, context.access);
      return right.ok ? undefined : right.error;
    },
    async bell({ from }) {
      const path = address.below.map(segmentOf);
      const isOpen = context.access.socket === 'open' ? { isOpen: true as const } : {};
      const call = {
        kind: 'socket',
        path,
        opening,
        caller,
        bell: true,
        ...isOpen,
        ...(token ? { token } : {}),
      } as const;
      const admitted = await askRoot(() => root.offshoot(call), log);
      if (!admitted.ok) return undefined;
      const url = new URL(address.address, request.url).href;
      const deltas = flag.safeParse(how.deltas).data ?? true;
      return openBell((upgrade) => root.fetch(upgrade), admitted.pass, { url, from, deltas });
    },
    async again(pause, pauses) {
      const opened = await askAgent(context, {
        ...ask,
        input: { ...how, ...pause },
        pauses: pauses ? 'again' : undefined,
      });
      if (!opened.ok) return opened.error;
      return opened.status === 204 ? undefined : opened.bytes;
    },
  });
  return { ...answer, bytes };
}
