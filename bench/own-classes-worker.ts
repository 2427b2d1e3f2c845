/** The agents of `one-class-worker.ts`, each with a class of its own. */
import { AgentObject, createWorker, OffshootDirectory } from '../src/worker';
import { helper, team } from './agents';
import { bed, hanging, house } from './stop-agents';

export { OffshootDirectory };
export class Team extends AgentObject.of(team) {}
export class Helper extends AgentObject.of(helper) {}
export class House extends AgentObject.of(house) {}
export class Bed extends AgentObject.of(bed) {}

const worker = createWorker({ agents: [Team, Helper, House, Bed] });

export default {
  async fetch(request: Request, env: object, context: object): Promise<Response> {
    const isFacts = new URL(request.url).pathname === '/facts';
    return isFacts ? Response.json(hanging) : worker.fetch(request, env, context);
  },
};
