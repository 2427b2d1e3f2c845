/**
 * The values that a sub-agent waits for: which they are, and giving them. The answer that a call had names the request.
 *
 * Keeps SA33, SA34, SA35, VR10, VR11.
 */
import type * as z from 'zod';
import type { VariableRequest } from '../core/agent/events';
import { scopedNames, wantedVariables } from '../core/definition/children/child-graph';
import { workersOf } from '../core/definition/children/handoffs';
import type { AgentDefinition } from '../core/definition/definition';
import type { AgentRuntime } from '../engine/agent';
import { knownChildren } from '../engine/children/own-children';
import { namedChildren, switchedOff } from '../engine/children/prompt-subagents';
import type { ObjectRuntime } from '../engine/object/object';
import { lacksOf, sealVariables } from '../engine/perform/variable-values';
import { threadIdOf } from '../protocol/address';
import { beginningOf } from '../protocol/content/cut';
import { OffshootError, refuse, refuseWith } from '../protocol/errors';
import { mintId } from '../protocol/ids';
import { variablesAsked, variablesInput, variablesTaken, variablesWanted } from '../protocol/wire/requests';
import type * as shape from '../protocol/wire/shapes';
import { firstAcceptance } from './receipts';
import { type AgentContext, fromAgent } from './verb';

/** A request that waits, and the agent that waits for it. @throws OffshootError `not_found`, `gone` */
function waiting({ object, agent, call, input }: AgentContext<z.output<typeof variablesWanted>>) {
  const { store, environment } = object;
  const id = input.path;
  if (agent.state.session.terminated || call.endedAbove)
    refuse('gone', 'The agent that made the request was terminated, and its requests with it.');
  const request = store.variableRequest(id, environment.now());
  if (request === undefined)
    refuse('not_found', `No open request has the id "${id}": it was answered, or has expired.`);
  const child = childOf(object, request);
  if (child === undefined) refuse('gone', 'The waiting agent no longer belongs to this agent.');
  return { request, child };
}

/** By what the session works by now, or by all that its class may. */
function childOf(object: ObjectRuntime, { planned }: VariableRequest): AgentDefinition | undefined {
  return entriesOf(object).find(({ name }) => name === planned.agentType)?.relationship.child;
}

const entriesOf = ({ definition, ports }: ObjectRuntime) =>
  [definition, ...workersOf(ports.definition).values()].flatMap(({ subagents }) => subagents);

/** Characters that are told of what a variable is for. */
const DESCRIPTION = 1_000;

/** What a sub-agent lacks; undefined where nobody above was reached. */
async function missingOf(
  object: ObjectRuntime,
  state: AgentRuntime['state'],
  child: AgentDefinition,
): Promise<readonly string[] | undefined> {
  try {
    return (await lacksOf(object, state, child))?.missing ?? [];
  } catch {
    return undefined;
  }
}

/** The sub-agents of an agent that wait for variables, as its status document has them. */
export async function variableRequestsOf(
  object: ObjectRuntime,
  { state }: AgentRuntime,
): Promise<z.output<typeof shape.variableRequest>[]> {
  // Only sub-agents of prompts wait: who has none asks its store nothing.
  if (state.session.terminated || entriesOf(object).length === 0) return [];
  const shown: z.output<typeof shape.variableRequest>[] = [];
  // All that wait for one agent lack the same. Where nobody above was reached, nobody is asked for the next one.
  const lacked = new Map<AgentDefinition, readonly string[]>();
  let isReached = true;
  for (const request of object.store.variableRequests(object.environment.now())) {
    const child = childOf(object, request);
    if (child === undefined) continue;
    let missing = lacked.get(child);
    if (missing === undefined) {
      const told: readonly string[] | undefined = isReached ? await missingOf(object, state, child) : undefined;
      isReached = told !== undefined;
      // What is given above is not known then: all that is required is asked for.
      missing = told ?? request.required;
      lacked.set(child, missing);
    }
    const isMissing = new Set(missing);
    const { requestId, planned, at, expiresAt } = request;
    const variables = wantedVariables(child).map(({ description, ...facts }) => ({
      ...facts,
      ...(description === undefined ? {} : { description: beginningOf(description, DESCRIPTION) }),
      missing: isMissing.has(facts.name),
    }));
    shown.push({ requestId, agentType: planned.agentType, requestedAt: at, expiresAt, variables });
  }
  return shown;
}

/** Which variables a sub-agent waits for. */
export const variables = fromAgent({
  name: 'variables',
  method: 'GET',
  path: 'variables/{path}',
  action: 'read',
  summary: 'The names of the variables that a sub-agent waits for.',
  status: 200,
  errors: ['gone', 'unavailable'],
  input: variablesWanted,
  output: variablesAsked,
  async handle(context) {
    const { object, agent } = context;
    const { request, child } = waiting(context);
    const lacked = await lacksOf(object, agent.state, child);
    const body = {
      request_id: request.requestId,
      parent_thread_id: threadIdOf(agent.state.session.address),
      agent_name: request.planned.agentType,
      registry_agent_name: request.planned.agentType,
      required: [...request.required],
      missing: [...(lacked?.missing ?? [])],
      expires_at: request.expiresAt,
    };
    return { body };
  },
  complete: (_context, reply) => reply,
});

/** Gives them: the sub-agent begins as it was asked for. */
export const giveVariables = fromAgent({
  name: 'giveVariables',
  method: 'POST',
  path: 'variables/{path}',
  action: 'write',
  summary: 'Sets the variables that a sub-agent waits for. The sub-agent then starts once, with its original task.',
  status: 200,
  errors: [
    'gone',
    'already_running',
    'max_children',
    'forbidden',
    'idempotency_conflict',
    'no_encryption_key',
    'unavailable',
  ],
  input: variablesInput,
  output: variablesTaken,
  async handle(context) {
    const { object, agent, input, request: record } = context;
    const { environment, store } = object;
    const { child } = waiting(context);
    const given = Object.fromEntries(Object.entries(input.env).filter(([, value]) => value !== null));
    const asked = scopedNames(child);
    const strange = Object.keys(given).filter((name) => !asked.has(name));
    if (strange.length > 0) refuse('invalid_request', `No agent below needs these: ${strange.join(', ')}. Omit them.`);
    const lacked = await lacksOf(object, agent.state, child, new Set(Object.keys(given)));
    if (lacked)
      throw new OffshootError('invalid_request', `Still missing: ${lacked.missing.join(', ')}. Send all at once.`, {
        details: { missing: [...lacked.missing] },
      });
    const sealed = Object.fromEntries(
      [...sealVariables(object, given)].flatMap(([name, value]) => (value ? [[name, value.sealed]] : [])),
    );
    const disabled = await switchedOff(agent, agent.seat);
    const first = firstAcceptance(record, variablesTaken);
    if (first) return { body: first };
    // Another one may have given them meanwhile: from here on nothing is awaited.
    const { request } = waiting(context);
    const token = environment.token();
    const sessionId = mintId('session', token);
    const children = {
      ...knownChildren(store, [child.className], []),
      registered: namedChildren(store),
    };
    const facts = { at: environment.now(), token, children, ...(disabled.length > 0 ? { disabled } : {}) };
    const ids = { request_id: request.requestId, child_thread_id: '', reference: '', address: '' };
    const taken = { ...ids, status: 'success' as const };
    const applied = agent.apply({ type: 'child_deferred', ...facts, request, variables: sealed }, ({ state }) => {
      const begun = [...state.children.values()].find((one) => one.sessionId === sessionId);
      taken.child_thread_id = threadIdOf(begun?.address ?? '');
      taken.reference = begun?.registered?.reference ?? '';
      taken.address = begun?.address ?? '';
      record.remember(200, taken, { detail: { request: taken.request_id, address: taken.address } });
    });
    if (!applied.ok) refuseWith(applied.refused);
    return { body: taken };
  },
  complete: (_context, reply) => reply,
});
