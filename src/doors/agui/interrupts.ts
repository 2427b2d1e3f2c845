/**
 * Calls that wait for a person, as interrupts; and the answers to them.
 *
 * AU7. The id of an interrupt names the call and, for an approval, the hash of its arguments: an answer counts for what
 *      was shown, after any reload, and nothing is kept for it here.
 */
import { refuse } from '../../protocol/errors';
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import type { Document } from '../../protocol/wire/wire-types';
import type { Interrupt } from './events';

type Pending = Document<'pendingItem'>;

/** An answer of a client to an interrupt. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: Json | undefined;
}

const HASH = /^(.+)\.([0-9a-f]{64})$/;

/** The beginning of the id of a wait that no answer ends. */
const WAIT = 'wait.';

const APPROVAL_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    reason: { type: 'string', description: 'The model reads it.' },
    input: { description: 'Other arguments to run with.' },
  },
  required: ['approved'],
};

const idOf = ({ kind, toolCallId, inputHash }: Pending): string =>
  kind === 'approval' ? `${toolCallId}.${inputHash}` : toolCallId;

/** A call that waits, as an interrupt. */
export function interruptOf(item: Pending, subagentRunId: string | undefined): Interrupt {
  const { kind, toolCallId, toolName, input, inputHash, address, agentType, expiresAt } = item;
  const isApproval = kind === 'approval';
  return {
    id: idOf(item),
    reason: isApproval ? 'tool_call' : 'client_tool',
    message: isApproval ? `${agentType} asks to run ${toolName}.` : `${agentType} waits for the result of ${toolName}.`,
    toolCallId,
    ...(isApproval ? { responseSchema: APPROVAL_SCHEMA } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    ...(subagentRunId === undefined ? {} : { subagentRunId }),
    metadata: { toolName, arguments: input, inputHash, address, agentType },
  };
}

/** The interrupt of a run that waits for something that no answer of this protocol ends, such as variables. */
export const waitOf = (runId: string): Interrupt => ({
  id: `${WAIT}${runId}`,
  reason: 'offshoot.waits',
  message: 'The agent waits for something that cannot be answered here. See its status.',
});

/** The client's own tool was answered by a message of a tool. */
export const resultInput = (toolCallId: string, result: Json): JsonObject => ({
  kind: 'client-tool-result',
  toolCallId,
  result,
});

const textIn = (payload: Json | undefined, field: string): string | undefined => {
  const value = isObject(payload) ? payload[field] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/**
 * The input of `submit`; undefined where there is nothing to answer.
 * @throws OffshootError `invalid_request` for a payload that decides nothing
 */
export function submitOf({ interruptId, status, payload }: ResumeEntry): JsonObject | undefined {
  if (interruptId.startsWith(WAIT)) return undefined;
  const [, toolCallId, inputHash] = HASH.exec(interruptId) ?? [];
  const cancelled = textIn(payload, 'reason') ?? 'The person cancelled it.';
  if (toolCallId === undefined || inputHash === undefined)
    return status === 'cancelled'
      ? { kind: 'client-tool-result', toolCallId: interruptId, error: cancelled }
      : resultInput(interruptId, payload ?? null);
  const approval = { kind: 'approval-response', toolCallId, inputHash };
  if (status === 'cancelled') return { ...approval, approved: false, reason: cancelled };
  const approved = isObject(payload) ? payload.approved : payload;
  if (typeof approved !== 'boolean')
    refuse('invalid_request', 'The payload of an approval is { "approved": true } or { "approved": false }.');
  const reason = textIn(payload, 'reason');
  const input = isObject(payload) ? payload.input : undefined;
  return {
    ...approval,
    approved,
    ...(reason === undefined ? {} : { reason }),
    ...(input === undefined ? {} : { input }),
  };
}
