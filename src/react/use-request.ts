/**
 * A request that a person makes by a press.
 *
 * RH17. A press counts nothing while the one before is on its way. What had no answer keeps its key, also for the next
 * press; another request takes its place.
 */
import { useCallback, useEffect, useState } from 'react';
import { Refused } from '../client/errors';
import { randomHex } from '../client/random';

/**
 * Calls `report` for each attempt of a request that got no response, while the request is retried. Returns a function
 * that stops this.
 */
export type WatchTries = (idempotencyKey: string, report: (why: string, isUnsent: boolean) => void) => () => void;

/** The last attempt of a request, which got no response. */
export interface LostTry {
  readonly why: string;
  /** True if no attempt is known to have left this device. */
  readonly isUnsent: boolean;
}

/** The end of a request whose component is gone. `error`: it was refused. */
export interface LeftRequest {
  /** True if attempts were reported and none has left this device; false after a refusal. */
  readonly isUnsent: boolean;
  readonly error?: Error;
}

/** Options of a request. */
export interface RequestOptions<Asked, Answer> {
  ask(asked: Asked, sending: { readonly idempotencyKey: string; readonly signal: AbortSignal }): Promise<Answer>;
  /** The idempotency key; default: a random one for each request that is not equal, as JSON, to the one before. */
  readonly keyOf?: ((asked: Asked) => string) | undefined;
  readonly tries?: WatchTries | undefined;
  /** `isLeft`: the component is gone, or shows something else. */
  readonly onSuccess?: ((answer: Answer, asked: Asked, isLeft: boolean) => void) | undefined;
  readonly onSettled?: (() => void) | undefined;
  /** Called in place of a state for a request that has failed, or is no longer tried, after its component is gone or shows something else. */
  readonly onLeft?: ((asked: Asked, left: LeftRequest) => void) | undefined;
}

/** The state of a request. */
export type RequestState<Asked, Answer> =
  | { readonly status: 'rest' }
  /** `lost`: the last attempt got no response, and the next press is sent at once. */
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

/** Requests by their subject, and the newest of them. */
interface Subject<Asked, Answer> {
  /** Those of when it was shown last. */
  options: RequestOptions<Asked, Answer>;
  last: Request | undefined;
  running: Running<Asked> | undefined;
  /** The component is gone, or shows another subject. */
  isLeft: boolean;
}

type Show<Asked, Answer> = (state: RequestState<Asked, Answer>) => void;

const AT_REST = { status: 'rest' } as const;

function giveUp<Asked, Answer>(subject: Subject<Asked, Answer>, running: Running<Asked>, show: Show<Asked, Answer>) {
  const { asked, request, stop } = running;
  subject.running = undefined;
  stop.abort();
  show(AT_REST);
  subject.options.onLeft?.(asked, { isUnsent: request.isUnsent === true });
}

async function send<Asked, Answer>(subject: Subject<Asked, Answer>, asked: Asked, show: Show<Asked, Answer>) {
  const text = JSON.stringify(asked);
  const { keyOf, tries, ask } = subject.options;
  if (subject.last?.text !== text) subject.last = { text, key: keyOf?.(asked) ?? randomHex(16), isUnsent: undefined };
  const request = subject.last;
  const own: Running<Asked> = { asked, request, stop: new AbortController(), isLost: false };
  subject.running = own;
  const isOwn = () => subject.running === own;
  const unwatch = tries?.(request.key, (why, isUnsent) => {
    own.isLost = true;
    request.isUnsent = isUnsent && request.isUnsent !== false;
    if (!isOwn()) return;
    if (subject.isLeft) giveUp(subject, own, show);
    else show({ status: 'sending', asked, lost: { why, isUnsent: request.isUnsent } });
  });
  show({ status: 'sending', asked, lost: undefined });
  try {
    const answer = await ask(asked, { idempotencyKey: request.key, signal: own.stop.signal });
    if (!isOwn()) return;
    own.isLost = false;
    subject.last = undefined;
    show({ status: 'done', asked, answer });
    subject.options.onSuccess?.(answer, asked, subject.isLeft);
  } catch (thrown) {
    if (!isOwn()) return;
    own.isLost = false;
    // A refusal is an answer: the try has arrived.
    if (thrown instanceof Refused) request.isUnsent = false;
    const isUnsent = request.isUnsent === true;
    const error = errorOf(thrown);
    if (subject.isLeft) subject.options.onLeft?.(asked, { isUnsent, error });
    show({ status: 'failed', asked, error, isUnsent });
  } finally {
    unwatch?.();
    if (isOwn()) {
      subject.running = undefined;
      subject.options.onSettled?.();
    }
  }
}

/**
 * The request behind a press, and its state. `press` stays the same function.
 * @param about what it is about: requests about something else are others, and hold up none of these
 */
export function useRequest<Asked, Answer>(options: RequestOptions<Asked, Answer>, about = '') {
  const [subjects] = useState(() => new Map<string, Subject<Asked, Answer>>());
  const [states, setStates] = useState<ReadonlyMap<object, RequestState<Asked, Answer>>>(() => new Map());
  const subject = subjects.get(about) ?? { options, last: undefined, running: undefined, isLeft: false };
  subjects.set(about, subject);
  useEffect(() => {
    subject.options = options;
  });
  const show = useCallback<Show<Asked, Answer>>(
    (state) => setStates((before) => new Map(before).set(subject, state)),
    [subject],
  );
  useEffect(() => {
    subject.isLeft = false;
    return () => {
      subject.isLeft = true;
      if (subject.running?.isLost) giveUp(subject, subject.running, show);
    };
  }, [subject, show]);
  const press = useCallback(
    async (asked: Asked): Promise<void> => {
      const before = subject.running;
      if (before !== undefined && !before.isLost) return;
      // A try that is broken off here may have arrived.
      if (before !== undefined) before.request.isUnsent = false;
      before?.stop.abort();
      await send(subject, asked, show);
    },
    [subject, show],
  );
  return { state: states.get(subject) ?? AT_REST, press };
}
