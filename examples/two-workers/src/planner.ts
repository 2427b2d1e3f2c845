import { createRemoteSubAgentTool, defineAgent, modelFromEnv, scriptedModel } from 'offshoot';
import { anthropic } from 'offshoot/models/anthropic';
import { ServiceBindingTransport } from 'offshoot/remote';
import { z } from 'zod';

const known = z.object({ answer: z.string() });

/** Works by rules, in place of a language model. */
const offline = scriptedModel(({ step, message, results }) => {
  if (step === 1) return { calls: [{ name: 'subagent__researcher', input: { question: message } }] };
  const answer = known.safeParse(results[0]?.value).data?.answer;
  return { text: answer === undefined ? 'The researcher did not answer.' : `${answer} Go then.` };
});

const research = createRemoteSubAgentTool('researcher', {
  description: 'Researches a question in the Worker of the other team.',
  inputSchema: z.object({ question: z.string() }),
  outputSchema: known,
  remoteAgentType: 'researcher',
  transport: (env: { RESEARCH?: Service }) => new ServiceBindingTransport({ binding: env.RESEARCH }),
});

export const planner = defineAgent({
  name: 'planner',
  systemPrompt: 'Plan a visit to the bees. Ask the researcher first.',
  model: modelFromEnv([anthropic], { otherwise: offline }),
  tools: [research],
});
