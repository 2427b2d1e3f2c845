/** What the routes of agents share. */

import type { AccessOptions } from '../access/auth';
import type { AgentsOfWorker } from './ask-agent';

/** What every request is answered with the help of. */
export interface RequestContext extends AgentsOfWorker {
  readonly request: Request;
  readonly requestId: string;
  /** What the path begins with before the address. */
  readonly base: string;
  readonly access: AccessOptions;
  /** The number of the authorizer that decides on access. */
  readonly authorizer: number;
}
