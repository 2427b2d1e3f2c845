// planner.ts
import { createRemoteSubAgentTool, defineAgent, scriptedModel } from 'offshoot';
import { HttpRemoteAgentTransport } from 'offshoot/remote';
import { serve } from 'offshoot/worker';
import { z } from 'zod';

/** Two of these are settings; the token is a secret. */
interface Settings {
  readonly RESEARCH_URL: string;
  readonly RESEARCH_TOKEN: string;
  readonly DEVELOPMENT?: string;
}
declare global {
  namespace Cloudflare {
    interface Env extends Settings {}
  }
}

const research = createRemoteSubAgentTool('researcher', {
  description: 'Researches a question in the Worker of the other team.',
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.object({ answer: z.string() }),
  remoteAgentType: 'researcher',
  transport: (env: Settings) =>
    new HttpRemoteAgentTransport({
      url: env.RESEARCH_URL,
      token: env.RESEARCH_TOKEN,
      allowLoopback: env.DEVELOPMENT === 'true',
    }),
});

export const planner = defineAgent({
  name: 'planner',
  systemPrompt: 'Plan a visit to the bees. Ask the researcher first.',
  model: scriptedModel([
    { calls: [{ name: 'subagent__researcher', input: { question: 'When do bees swarm?' } }] },
    { text: 'Go in May.' },
  ]),
  tools: [research],
});

export { OffshootAgent, OffshootDirectory } from 'offshoot/worker';
export default serve([planner]);
