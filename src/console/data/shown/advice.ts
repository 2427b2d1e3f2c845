/** Advice on a failed run: what a person can do, by the code of the failure. */
import type { RunView } from '../../../client';

/** A failure, as a run that ended by it has it. */
export type RunFailure = Extract<NonNullable<RunView['end']>, { readonly status: 'failed' }>['error'];

const RETRY = 'Retry continues from the last committed step.';
const RAISE = 'Raise the limit in the definition of the agent, or give it a smaller task; then press Retry.';

const BY_CODE: Readonly<Record<string, string>> = {
  model_error: `Read the provider’s message. ${RETRY}`,
  model_unauthorized: `Check the key and the rights of the model’s provider on the server. ${RETRY}`,
  model_refused: 'Check the name of the model, its settings, and the request that its provider refused.',
  model_rate_limited: `Wait, or raise the quota at the model’s provider. ${RETRY}`,
  model_bad_reply: `The model has sent something unreadable. ${RETRY}`,
  output_limit: 'Raise the output limit in the settings of the model, or ask for less.',
  output_invalid: 'Compare the last reply with the output schema of the agent.',
  repeated_failure: 'Read the calls of the last steps: each has failed in the same way.',
  context_too_large: 'Give the agent less to read, or let it summarize its context.',
  subagent_failed: 'Open the sub-agent that failed: its page has the cause.',
  subagent_lost: `The sub-agent cannot be reached any more. ${RETRY}`,
  subagent_env_required: 'Give the variables that the sub-agent asks for.',
  tool_failed: 'Open the failed call below: it has the error of the tool.',
  outcome_unknown: 'Check whether the tool took effect before you press Retry.',
  max_recoveries: 'Read the logs of the server: the run was interrupted by a crash again and again.',
  capability_missing: 'Deploy the Worker with the capability that this agent needs.',
};

const BY_CATEGORY: Readonly<Record<string, string>> = {
  limit: RAISE,
  model: RETRY,
  child: 'Open the sub-agent that failed: its page has the cause.',
  access: 'Check the rights of the caller.',
  input: 'Correct the input, and start again.',
};

/** The advice in one or two sentences. */
export function adviceOn({ code, category, retryable }: RunFailure): string {
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  return retryable ? `It can pass by itself. ${RETRY}` : (BY_CATEGORY[category] ?? RETRY);
}
