/** A request at a door that asks no agents. */
import type { DoorRequest } from '../../src/gateway/doors/door';

export const doorRequest = (request: Request, env: object, base = ''): DoorRequest => ({
  ...{ request, env, base, requestId: 'request-1' },
  agents: { allow: async () => [] },
  json: async () => undefined,
});
