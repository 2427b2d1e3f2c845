/**
 * One call of a remote agent, by any transport.
 *
 * Keeps RM29.
 */
import type { RemoteAgent, RemoteAgentTransport, RemoteAnswer } from '../../../core/definition/remote-transport';
import type { JsonObject } from '../../../protocol/json';
import { checkTaken } from '../machine/numbers';

/** A call, and the caller that it is made for. */
interface Asked {
  readonly verb: string;
  readonly agent: RemoteAgent;
  readonly body?: JsonObject | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly subject?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly signal: AbortSignal;
}

/** The answer, with every number in its range. @throws RemoteError `remote_invalid` for another one */
export async function checkedAnswer(transport: RemoteAgentTransport, asked: Asked): Promise<RemoteAnswer> {
  const { verb, agent, body, idempotencyKey, subject, traceparent, signal } = asked;
  const answer = await transport.call({
    ...{ verb, agent, signal },
    ...(body ? { body } : {}),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(subject === undefined ? {} : { caller: { subject, ...(traceparent ? { traceparent } : {}) } }),
  });
  if (answer.ok) checkTaken(answer.body);
  return answer;
}
