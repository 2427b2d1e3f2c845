/**
 * A request that a person makes by a press.
 *
 * RH17. A press counts nothing while the one before is on its way. What had no answer keeps its key, also for the next
 * press; another request takes its place.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { Refused } from '../client/errors';
import { randomHex } from '../client/random';

/** Calls `report` for each try of a request that had no answer, while the request is tried again. Returns the way to stop. */
export type WatchTries = (idempotencyKey: string, report: (why: string, isUnsent: boolean) => void) => () => void;

/** The last try of a request, which had no answer. */
export interface LostTry {
  readonly why: string;
  /** True where it is known that no try has left this device. */
  readonly isUnsent: boolean;
}

/** The end of a request whose component is gone. `error`: it was refused. */
export interface LeftRequest {
  /** True where tries were reported and none has left this device; false after a refusal. */
  readonly isUnsent: boolean;
  readonly error?: Error;
}

/** Options of a request. */
export interface RequestOptions<Asked, Answer> {
  ask(asked: Asked, sending: { readonly idempotencyKey: string; readonly signal: AbortSignal }): Promise<Answer>;
  /** The idempotency key; default: a random one for each request that is not equal, as JSON, to the one before. */
  readonly keyOf?: ((asked: Asked) => string) | undefined;
  readonly tries?: WatchTries | undefined;
  /** `isLeft`: the component is gone. */
  readonly onSuccess?: ((answer: Answer, asked: Asked, isLeft: boolean) => void) | undefined;
  readonly onSettled?: (() => void) | undefined;
  /** Called in place of a state for a request that has failed, or is no longer tried, after its component is gone. */
  readonly onLeft?: ((asked: Asked, left: LeftRequest) => void) | undefined;
}

/** The state of a request. */
export type RequestState<Asked, Answer> =
  | { readonly status: 'rest' }
  /** `lost`: the last try had no answer, and the next press is sent at once. */
  | { readonly status: 'sending'; readonly asked: Asked; readonly lost: LostTry | undefined }
  | { readonly status: 'done'; readonly asked: Asked; readonly answer: Answer }
  | { readonly status: 'failed'; readonly asked: Asked; readonly error: Error; readonly isUnsent: boolean };

interface Request {
  readonly text: string;
  readonly key: string;
  /** Undefined while no try was reported. */
  isUnsent: boolean | undefined;
}

interface Running<Asked> {
  readonly asked: Asked;
  readonly request: Request;
  readonly stop: AbortController;
  isLost: boolean;
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The request behind a press, and its state. `press` stays the same function. */
export function useRequest<Asked, Answer>(options: RequestOptions<Asked, Answer>) {
  const now = useRef(options);
  const last = useRef<Request>(undefined);
  const running = useRef<Running<Asked>>(undefined);
  const isLeft = useRef(false);
  const [state, setState] = useState<RequestState<Asked, Answer>>({ status: 'rest' });
  useEffect(() => {
    now.current = options;
  });
  const giveUp = useCallback(({ asked, request, stop }: Running<Asked>) => {
    running.current = undefined;
    stop.abort();
    now.current.onLeft?.(asked, { isUnsent: request.isUnsent === true });
  }, []);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
      if (running.current?.isLost) giveUp(running.current);
    };
  }, [giveUp]);
  const send = useCallback(
    async (asked: Asked) => {
      const text = JSON.stringify(asked);
      const { keyOf, tries, ask } = now.current;
      if (last.current?.text !== text) last.current = { text, key: keyOf?.(asked) ?? randomHex(16), isUnsent: undefined };
      const request = last.current;
      const own: Running<Asked> = { asked, request, stop: new AbortController(), isLost: false };
      running.current = own;
      const isOwn = () => running.current === own;
      const unwatch = tries?.(request.key, (why, isUnsent) => {
        own.isLost = true;
        request.isUnsent = isUnsent && request.isUnsent !== false;
        if (!isOwn()) return;
        if (isLeft.current) giveUp(own);
        else setState({ status: 'sending', asked, lost: { why, isUnsent: request.isUnsent } });
      });
      setState({ status: 'sending', asked, lost: undefined });
      try {
        const answer = await ask(asked, { idempotencyKey: request.key, signal: own.stop.signal });
        if (!isOwn()) return;
        own.isLost = false;
        last.current = undefined;
        setState({ status: 'done', asked, answer });
        now.current.onSuccess?.(answer, asked, isLeft.current);
      } catch (thrown) {
        if (!isOwn()) return;
        own.isLost = false;
        // A refusal is an answer: the try has arrived.
        if (thrown instanceof Refused) request.isUnsent = false;
        const isUnsent = request.isUnsent === true;
        const error = errorOf(thrown);
        if (isLeft.current) now.current.onLeft?.(asked, { isUnsent, error });
        setState({ status: 'failed', asked, error, isUnsent });
      } finally {
        unwatch?.();
        if (isOwn()) {
          running.current = undefined;
          now.current.onSettled?.();
        }
      }
    },
    [giveUp],
  );
  const press = useCallback(
    async (asked: Asked): Promise<void> => {
      const before = running.current;
      if (before !== undefined && !before.isLost) return;
      // A try that is broken off here may have arrived.
      if (before !== undefined) before.request.isUnsent = false;
      before?.stop.abort();
      await send(asked);
    },
    [send],
  );
  return { state, press };
}
