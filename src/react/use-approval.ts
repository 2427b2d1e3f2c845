/**
 * A call that waits for a person, as a card of it needs it.
 *
 * RH6. While an answer is on its way no second one is sent; what somebody else has answered first is no error.
 */
import { useCallback, useMemo, useRef, useState } from 'react';
import { Refused } from '../client/errors';
import type { Json } from '../protocol/json';
import { useClient } from './client-context';
import { answerOf, type Decision, decisionKey, type WaitingItem } from './decision';
import type { RunOptions } from './use-run';

/** A call that waits, with the address of its agent. */
export interface ApprovalItem extends WaitingItem {
  readonly address: string;
}

/** The state of an answer. */
export type ApprovalState =
  | { readonly status: 'open' }
  | { readonly status: 'sending'; readonly decision: Decision }
  /** `byOther`: somebody else was faster, and that answer counts. */
  | { readonly status: 'answered'; readonly byOther: boolean }
  | { readonly status: 'failed'; readonly decision: Decision; readonly error: Error; readonly fields: FieldErrors };

/** Errors of changed arguments, by the path of each field (`to.0.name`). */
export type FieldErrors = ReadonlyMap<string, string>;

/** A call that waits, and its answers. */
export interface UsedApproval {
  readonly state: ApprovalState;
  /** True while the buttons are to be disabled. */
  readonly isBusy: boolean;
  /** Approves the arguments that were shown, or `input` in their place. */
  approve(input?: Json): Promise<void>;
  deny(reason?: string): Promise<void>;
  /** The result of a tool that the page itself runs. */
  respond(result: Json): Promise<void>;
  /** The failure of such a tool. */
  fail(error: string): Promise<void>;
}

const OPEN: ApprovalState = { status: 'open' };

/**
 * Answers a call that waits: an item of `useInbox`, or of `pending` of `useRun`. Failures are in `state`.
 * @example
 * const { approve, deny, isBusy } = useApproval(item);
 * <button disabled={isBusy} onClick={() => approve()}>Approve</button>
 */
export function useApproval(item: ApprovalItem, { client: given }: Pick<RunOptions, 'client'> = {}): UsedApproval {
  const client = useClient(given);
  const { toolCallId, inputHash, address } = item;
  const shown = `${toolCallId} ${inputHash ?? ''}`;
  const [held, setHeld] = useState({ shown, state: OPEN });
  const sending = useRef<string | undefined>(undefined);
  // An answer to other arguments says nothing of these.
  const state = held.shown === shown ? held.state : OPEN;
  const send = useCallback(
    async (decision: Decision) => {
      if (sending.current === shown) return;
      sending.current = shown;
      const waiting = { toolCallId, inputHash };
      setHeld({ shown, state: { status: 'sending', decision } });
      try {
        const idempotencyKey = decisionKey(waiting, decision);
        await client.answer(address, answerOf(waiting, decision), { idempotencyKey });
        setHeld({ shown, state: { status: 'answered', byOther: false } });
      } catch (error) {
        const byOther = error instanceof Refused && error.code === 'already_answered';
        setHeld({ shown, state: byOther ? { status: 'answered', byOther } : failedBy(decision, error) });
      } finally {
        if (sending.current === shown) sending.current = undefined;
      }
    },
    [client, address, toolCallId, inputHash, shown],
  );
  return useMemo(
    () => ({
      state,
      isBusy: state.status === 'sending' || state.status === 'answered',
      approve: (input) => send({ kind: 'approve', ...(input === undefined ? {} : { input }) }),
      deny: (reason = '') => send({ kind: 'deny', reason }),
      respond: (result) => send({ kind: 'result', result }),
      fail: (error) => send({ kind: 'error', error }),
    }),
    [state, send],
  );
}

function failedBy(decision: Decision, thrown: unknown): ApprovalState {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { status: 'failed', decision, error, fields: fieldErrorsOf(error) };
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The fields that a refusal names, with what is wrong with each. */
export function fieldErrorsOf(error: Error | null): FieldErrors {
  const fields = error instanceof Refused ? member(error.details, 'fields') : undefined;
  const found = new Map<string, string>();
  for (const field of Array.isArray(fields) ? fields : []) {
    const [path, message] = [member(field, 'path'), member(field, 'message')];
    if (typeof path === 'string' && typeof message === 'string') found.set(path, message);
  }
  return found;
}
