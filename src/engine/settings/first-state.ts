/**
 * The custom state that a session begins with where nobody sends one.
 *
 * Keeps CS1.
 */
import type { AgentDefinition } from '../../core/definition/definition';
import { type Failure, failure } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { fit } from '../perform/check-calls';

/** The custom state of a new session, or the reason why it has none. */
export type FirstState = { readonly ok: true; readonly json: Json } | { readonly ok: false; readonly error: Failure };

/** The defaults of the definition's schema, else an empty object. */
export async function firstStateOf({ stateSchema }: AgentDefinition): Promise<FirstState> {
  if (stateSchema === undefined) return { ok: true, json: {} };
  const first = await fit(stateSchema, {});
  return first.ok ? first : { ok: false, error: failure('invalid_input', missing(first.problem)) };
}

const missing = (problem: string): string =>
  `This agent has no valid initial state (${problem}). Add defaults to its stateSchema, or send a state: in \`state\` of a start, or as the input of a sub-agent.`;
