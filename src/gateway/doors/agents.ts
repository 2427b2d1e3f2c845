/**
 * The agents of a Worker, as a door asks them: with the rights of who made the request.
 *
 * Keeps OC8.
 */

import { access } from '../../access/auth';
import { parseAddress } from '../../protocol/address';
import { refuse, refuseWith } from '../../protocol/errors';
import { plainInput } from '../../protocol/plain-input';
import { traceparentIn } from '../../protocol/trace';
import { checked } from '../../verbs/input';
import { VERB } from '../../verbs/table';
import type { Verb } from '../../verbs/verb';
import { askFromRequest } from '../agents/from-request';
import { refuseUnknownClass } from '../ask-agent';
import type { RequestContext } from '../request-context';
import type { AllowedAsk, DoorAgents, DoorAsk } from './door';

/** The agents, for one request. */
export function doorAgents(context: RequestContext): DoorAgents {
  return {
    async allow(asks) {
      const allowed: AllowedAsk[] = [];
      for (const ask of asks) allowed.push(await allowedAsk(context, ask));
      return allowed;
    },
  };
}

/** @throws OffshootError as the verb's own route refuses */
async function allowedAsk(context: RequestContext, ask: DoorAsk): Promise<AllowedAsk> {
  const { request } = context;
  const address = parseAddress(ask.address);
  if (address.rest.length > 0) refuse('invalid_address', 'An address ends with the name of an agent.');
  const verb: Verb = VERB[ask.verb];
  const granted = await access(request, { address: address.address, action: verb.action }, context.access);
  if (!granted.ok) refuseWith(granted.error);
  refuseUnknownClass(context, address);
  // A door may read larger bodies than the routes of verbs do; its asks have the bound of those.
  const asked = plainInput(ask.input);
  const input = checked(verb.input, asked);
  for (const question of verb.also?.(address.address, input) ?? []) {
    const also = await access(request, question, context.access);
    if (!also.ok) refuseWith(also.error);
  }
  return {
    ask: (how) =>
      askFromRequest(context, {
        isTrial: how?.isTrial,
        address,
        verb,
        input: asked,
        caller: granted.grant.subject,
        idempotencyKey: ask.idempotencyKey,
        sharesKey: ask.sharesKey,
        traceparent: traceparentIn(request.headers.get('traceparent')),
        token: granted.token,
        // Hooks of authors judge a call by its method: that of the request at the door says nothing of this verb.
        request: { url: request.url, method: verb.method, headers: request.headers },
      }),
  };
}
