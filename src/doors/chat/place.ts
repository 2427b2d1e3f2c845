/** Where a request of a chat is, and how its agent is asked. */
import type { AllowedAsk, DoorAsk, DoorRequest } from '../../gateway/doors/door';
import { refuseWith } from '../../protocol/errors';
import type { Clock } from './stream';

/** One address, for one request. */
export interface ChatPlace {
  readonly request: DoorRequest;
  readonly address: string;
  readonly clock: Clock;
}

/** The body of an answer. @throws OffshootError as the agent refuses */
export async function asked<Body>(ask: AllowedAsk): Promise<Body> {
  const answer = await ask.ask();
  return answer.ok ? (answer.body as Body) : refuseWith(answer.error);
}

/** Asks at once what its caller may ask. */
export async function askNow<Body>({ request }: ChatPlace, ask: DoorAsk): Promise<Body> {
  const [allowed] = await request.agents.allow([ask]);
  if (allowed === undefined) throw new Error('No ask was allowed.');
  return asked<Body>(allowed);
}
