/**
 * Keeps a sub-agent that lacks variables until somebody has given them (`variables-given.ts` has it begin).
 *
 * Decides: how many requests for variables wait, and how long.
 * Keeps SA31, SAW11, SAW37.
 */
import { type Failure, failure } from '../../../protocol/errors';
import { mintId } from '../../../protocol/ids';
import { keepForLater } from '../calls/enclosures';
import type { Draft } from '../draft';
import type { Lacking, VariableRequest } from '../events';
import type { Rules } from '../rules';

/** What asks for the child: the call, and what is kept of it. */
export interface Deferral extends Pick<VariableRequest, 'planned' | 'callId' | 'stepId' | 'written' | 'at'> {
  readonly token: string;
  readonly index: number;
  /** How many children the calls before it in the reply have deferred. */
  readonly before: number;
}

/** The child is kept, and its call is told what is missing; undefined where no further one may be kept. */
export function deferChild(
  draft: Draft,
  { token, index, before, ...kept }: Deferral,
  { required, missing, room }: Lacking,
  { limits }: Rules,
): { readonly requestId?: string; readonly refused: Failure } {
  const { agentType: agent } = kept.planned;
  const what = `The sub-agent "${agent}" has not begun: it needs variables that have no values: ${missing.join(', ')}.`;
  if (before >= room) {
    const message = `${what} ${limits.maxVariableRequests} others already wait for variables: have those set first.`;
    return {
      refused: failure('subagent_env_required', message, false, { request: { agent, required, missing } }),
    };
  }
  const requestId = mintId('request', token, index);
  const request = { requestId, ...kept, required, expiresAt: kept.at + limits.variableRequestMs };
  draft.put({ put: 'variable_request', request });
  keepForLater(draft, request);
  const endpoint = `${draft.state.session.address}/variables/${requestId}`;
  const message = `${what} Ask a person to set them at the endpoint: it then begins by itself, and its result arrives as a message. Do not ask for the values here.`;
  const told = { request_id: requestId, endpoint, agent, required, missing };
  return { requestId, refused: failure('subagent_env_required', message, false, { request: told }) };
}
