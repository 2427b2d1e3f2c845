/** The agents of `own-classes-worker.ts`, all in the shared class. */
import { serve } from '../src/worker';
import { helper, team } from './agents';
import { bed, hanging, house } from './stop-agents';

export { OffshootAgent, OffshootDirectory } from '../src/worker';

const worker = serve([team, helper, house, bed]);

export default {
  async fetch(request: Request, env: object, context: object): Promise<Response> {
    const isFacts = new URL(request.url).pathname === '/facts';
    return isFacts ? Response.json(hanging) : worker.fetch(request, env, context);
  },
};
