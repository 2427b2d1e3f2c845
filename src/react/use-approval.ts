/**
 * A call that waits for a person, as a card of it needs it.
 *
 * RH6. While an answer is on its way no second one to its call is sent; what somebody else has answered first is no error.
 */

import { useMemo } from 'react';
import { Refused } from '../client/errors';
import type { Json } from '../protocol/json';
import { useClient } from './client-context';
import { type Decision, decisionKey, sendDecision, type WaitingItem } from './decision';
import { member } from './member';
import { type LeftRequest, type LostTry, type RequestState, useRequest, type WatchTries } from './use-request';
import type { RunOptions } from './use-run';

/** A pending call, with the address of its agent. */
export interface ApprovalItem extends WaitingItem {
  readonly address: string;
}

/** The state of an answer. */
export type ApprovalState =
  | { readonly status: 'open' }
  /** `lost`: the last attempt got no response; a decision that is made now is sent at once. */
  | { readonly status: 'sending'; readonly decision: Decision; readonly lost: LostTry | undefined }
  /** `byOther`: somebody else answered first, and that answer counts. */
  | { readonly status: 'answered'; readonly byOther: boolean }
  | FailedApproval;

/** An answer that was refused, or got no response. */
export interface FailedApproval {
  readonly status: 'failed';
  readonly decision: Decision;
  readonly error: Error;
  readonly fields: FieldErrors;
  /** True if `tries` has reported attempts and none has left this device; false after a refusal. */
  readonly isUnsent: boolean;
}

/** Errors of changed arguments, by the path of each field (`to.0.name`). */
export type FieldErrors = ReadonlyMap<string, string>;

/** A pending call, and its answers. */
export interface UsedApproval {
  readonly state: ApprovalState;
  /** True while the buttons should be disabled. */
  readonly isBusy: boolean;
  /** Approves the arguments that were shown, or `input` in their place. */
  approve(input?: Json): Promise<void>;
  deny(reason?: string): Promise<void>;
  /** The result of a tool that the page itself runs. */
  respond(result: Json): Promise<void>;
  /** The failure of such a tool. */
  fail(error: string): Promise<void>;
}

/** Options of the answers to a call. */
export interface ApprovalOptions extends Pick<RunOptions, 'client'> {
  /** Reports failed attempts, if the page's `fetch` knows of them: `state.lost` has the last one. */
  readonly tries?: WatchTries;
  /**
   * Called once the call is answered, even after the component has unmounted. `other`: the refusal with the earlier
   * answer.
   */
  readonly onAnswered?: (decision: Decision, other: Refused | undefined) => void;
  /** Called after each answer, even a refused one. */
  readonly onSettled?: () => void;
  /** Called if an answer fails, or is no longer retried, after the component has unmounted or shows another call. */
  readonly onLeft?: (decision: Decision, left: LeftRequest) => void;
}

interface Asked {
  readonly item: ApprovalItem;
  readonly decision: Decision;
}

/**
 * Answers a pending call: an item of `useInbox`, or of the `pending` list of `useRun`. Failures are in `state`.
 * @example
 * const { approve, deny, isBusy } = useApproval(item);
 * <button disabled={isBusy} onClick={() => approve()}>Approve</button>
 */
export function useApproval(item: ApprovalItem, options: ApprovalOptions = {}): UsedApproval {
  const client = useClient(options.client);
  const { toolCallId, inputHash, address } = item;
  const { tries, onAnswered, onSettled, onLeft } = options;
  const { state: request, press } = useRequest<Asked, Refused | undefined>(
    {
      ...{ tries, onSettled },
      keyOf: ({ item: asked, decision }) => decisionKey(asked, decision),
      ask: ({ item: asked, decision }, sending) => sendDecision(client, asked, decision, sending),
      onSuccess: (other, { decision }) => onAnswered?.(decision, other),
      onLeft: ({ decision }, left) => onLeft?.(decision, left),
    },
    `${address} ${toolCallId}`,
  );
  return useMemo(() => {
    const shown = { toolCallId, inputHash, address };
    // An answer to other arguments says nothing of these.
    const isOfOther = 'asked' in request && request.asked.item.inputHash !== inputHash;
    const state = isOfOther ? OPEN : stateOf(request);
    const send = (decision: Decision) => press({ item: shown, decision });
    return {
      state,
      isBusy: state.status === 'answered' || (request.status === 'sending' && request.lost === undefined),
      approve: (input) => send({ kind: 'approve', ...(input === undefined ? {} : { input }) }),
      deny: (reason = '') => send({ kind: 'deny', reason }),
      respond: (result) => send({ kind: 'result', result }),
      fail: (error) => send({ kind: 'error', error }),
    };
  }, [request, press, toolCallId, inputHash, address]);
}

const OPEN: ApprovalState = { status: 'open' };

function stateOf(request: RequestState<Asked, Refused | undefined>): ApprovalState {
  switch (request.status) {
    case 'rest':
      return OPEN;
    case 'sending':
      return { status: 'sending', decision: request.asked.decision, lost: request.lost };
    case 'done':
      return { status: 'answered', byOther: request.answer !== undefined };
    case 'failed': {
      const { asked, error, isUnsent } = request;
      return { status: 'failed', decision: asked.decision, error, fields: fieldErrorsOf(error), isUnsent };
    }
  }
}

/** The fields that a refusal names, with what is wrong with each. */
function fieldErrorsOf(error: Error): FieldErrors {
  const fields = error instanceof Refused ? member(error.details, 'fields') : undefined;
  const found = new Map<string, string>();
  for (const field of Array.isArray(fields) ? fields : []) {
    const [path, message] = [member(field, 'path'), member(field, 'message')];
    if (typeof path === 'string' && typeof message === 'string') found.set(path, message);
  }
  return found;
}
