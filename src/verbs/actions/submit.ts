/**
 * A person's answer to a call that waits for one. Its way down and up is drawn in design/flows.md.
 *
 * Decides: at which addresses an answer to an approval or a client tool is taken.
 * Keeps A34, A38, AN1.
 *
 * A34. It may be given at the agent or at any one above it: the root knows whose call it is, and passes it on.
 */

import type * as z from 'zod';
import type { PersonsAnswer } from '../../core/agent/events';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbAnswer, VerbCall } from '../../engine/object/object-calls';
import { checkAnswer, takeAnswer } from '../../engine/take-answer';
import { segmentOf } from '../../engine/tree-messages';
import { parseAddress } from '../../protocol/address';
import { failure, refuse, refuseWith } from '../../protocol/errors';
import { byteLength } from '../../protocol/json';
import { MAX_ANSWER_TEXT, submitAccepted, submitInput } from '../../protocol/wire/requests';
import { locate } from '../locate';
import { actorOf, firstAcceptance } from '../receipts';
import { type AgentContext, type Answer, steered } from '../verb';

type Input = z.output<typeof submitInput>;

type Output = z.output<typeof submitAccepted>;

const ACCEPTED: Output = { status: 'accepted', relation: 'continues' };

function answerOf(given: Input): PersonsAnswer {
  if (given.kind === 'client-tool-result') {
    const { error, result: value = null } = given;
    return error === undefined
      ? { kind: given.kind, result: { success: true, value } }
      : { kind: given.kind, result: { success: false, error: failure('client_tool_failed', error) } };
  }
  const { kind, approved, reason, input: other } = given;
  return {
    kind,
    approved,
    ...(reason === undefined || reason === '' ? {} : { reason }),
    ...(other === undefined ? {} : { input: other }),
  };
}

/** What the audit tells of an answer: the decision, never what was said. */
function decisionOf(given: Input): { readonly decision: string } {
  if (given.kind === 'approval-response') return { decision: given.approved ? 'approved' : 'denied' };
  return { decision: given.error === undefined ? 'result' : 'error' };
}

function refuseLong(given: Input): void {
  const text = given.kind === 'client-tool-result' ? given.error : given.reason;
  if (text !== undefined && byteLength(text) > MAX_ANSWER_TEXT)
    refuse('payload_too_large', `An error or a reason has at most ${MAX_ANSWER_TEXT} bytes.`);
}

async function answerHere({ agent, call, input: given, request }: AgentContext<Input>): Promise<Answer<Output>> {
  refuseLong(given);
  const { stepId } = call;
  const inputHash = given.kind === 'approval-response' ? given.inputHash : undefined;
  const looked = await checkAnswer(agent, {
    callId: given.toolCallId,
    answer: answerOf(given),
    actor: actorOf(call),
    ...(inputHash === undefined ? {} : { inputHash }),
    ...(stepId === undefined ? {} : { stepId }),
    ...(call.isTrial ? { isTrial: true } : {}),
  });
  if (!looked.ok) refuseWith(looked.error);
  if (call.isTrial) return { body: ACCEPTED };
  const first = firstAcceptance(request, submitAccepted);
  if (first) return { body: first };
  const { checked } = looked;
  const detail = { toolCallId: given.toolCallId, toolName: checked.toolName, ...decisionOf(given) };
  const received = takeAnswer(agent, checked, ({ ok }) => {
    if (ok) request.remember(202, ACCEPTED, { runId: agent.state.run?.runId, detail });
    else request.note({ detail: { ...detail, late: true } });
  });
  return received.ok ? { body: ACCEPTED } : refuseWith(received.error);
}

/** The call for the agent that waits, at the root; or why nobody does. */
function toOwner(
  object: ObjectRuntime,
  call: VerbCall,
  { toolCallId: callId }: Input,
): VerbCall | (VerbAnswer & { ok: false }) {
  const found = locate(object, call.path);
  if (found.at === 'nowhere') return { ok: false, error: found.error };
  const owner = found.at === 'record' ? found.tree.ownerOf(callId, found.node.address) : undefined;
  if (owner === undefined) {
    const advice = 'No pending call at or below this agent has this id. `pending` lists all.';
    return { ok: false, error: failure('unknown_tool_call', advice) };
  }
  const { node } = owner;
  if (
    node.kind === 'child' &&
    node.status === 'interrupted' &&
    found.at === 'record' &&
    !found.tree.tree.hasOpenTask(node)
  )
    return {
      ok: false,
      error: failure('late_answer', 'The answer came too late: the task of the agent that asked has ended.'),
    };
  return { ...call, path: parseAddress(owner.node.address).below.map(segmentOf), stepId: owner.item.stepId };
}

/** Answers a call that waits for a person. */
export const submit = steered({
  name: 'submit',
  method: 'POST',
  path: 'tool-results',
  action: 'answer',
  summary: 'Answers a pending call, at its agent or at any agent above it.',
  status: 202,
  errors: [
    'kind_mismatch',
    'unknown_tool_call',
    'already_answered',
    'late_answer',
    'input_changed',
    'interrupted',
    'invalid_arguments',
    'unknown_tool',
    'invalid_input',
    'idempotency_conflict',
    'unavailable',
  ],
  input: submitInput,
  output: submitAccepted,
  hasTrial: true,
  agent: { handle: answerHere, complete: (_context, reply) => reply },
  root: {},
  async steer(ways, object, call, given) {
    const passed = toOwner(object, call, given);
    return 'ok' in passed ? passed : ways.agent(passed);
  },
});
