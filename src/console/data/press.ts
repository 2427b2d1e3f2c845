/**
 * What a person asks for by a press. A second press counts nothing while the first is on its way, also where it comes
 * before the button is drawn as locked. What had no answer is tried again by itself for a minute, and says so; until
 * then, and after it, the same press is the next try, under the same key, so that it counts once; another press takes
 * its place. Where its view is left there is no further try, and a message says what became of it.
 */
import { useEffect, useRef, useState } from 'react';
import { randomHex } from '../../client/random';
import { onLostTry } from './session';
import { toastLeft } from './toasts';

/** With what a change is asked for. */
interface Sending {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

interface PressOptions<Asked, Answer> {
  /** How it is called where it has no answer. */
  readonly what: string | ((asked: Asked) => string);
  /** Of which agent it is asked, where it is one. */
  readonly address?: string;
  /** What the server is asked. */
  readonly ask: (asked: Asked, sending: Sending) => Promise<Answer>;
  /** What tells one request from others, where that is not for the press to make. */
  readonly keyOf?: (asked: Asked) => string;
  /** `isLeft`: its view is no longer there. */
  readonly onSuccess?: (answer: Answer, asked: Asked, isLeft: boolean) => void;
  readonly onSettled?: () => void;
}

/** The last thing that was asked for. */
interface Last {
  readonly text: string;
  readonly key: string;
  /** Whether it is known that no try of it has left this device. */
  unsent: boolean;
}

/** What is on its way. */
interface Running<Asked> {
  readonly asked: Asked;
  readonly request: Last;
  readonly stop: AbortController;
  lost: boolean;
}

/** A request as it stands. */
interface Standing<Asked> {
  readonly asked?: Asked;
  readonly isPending: boolean;
  readonly isSuccess: boolean;
  /** Why the last try had no answer, while it is tried again. */
  readonly lost?: string;
  readonly unsent?: boolean;
  readonly error: Error | null;
}

/** What its words are made of. */
export type Pressed = Pick<Standing<unknown>, 'lost' | 'unsent' | 'error'> & { readonly what: string };

const AT_REST = { isPending: false, isSuccess: false, error: null } as const;

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The request behind a press; `asked` is compared as JSON: another one has another key. */
export function usePress<Asked, Answer>(options: PressOptions<Asked, Answer>) {
  const now = useRef(options);
  now.current = options;
  const last = useRef<Last>(undefined);
  const running = useRef<Running<Asked>>(undefined);
  const isLeft = useRef(false);
  const [standing, setStanding] = useState<Standing<Asked>>(AT_REST);
  const whatOf = (asked: Asked): string => (typeof options.what === 'string' ? options.what : options.what(asked));
  const requestOf = (asked: Asked): Last => {
    const text = JSON.stringify(asked);
    if (last.current?.text !== text)
      last.current = { text, key: options.keyOf?.(asked) ?? randomHex(16), unsent: true };
    return last.current;
  };
  const giveUp = ({ asked, request, stop }: Running<Asked>): void => {
    running.current = undefined;
    stop.abort();
    toastLeft(whatOf(asked), options.address, request);
  };
  const leave = useRef(giveUp);
  leave.current = giveUp;
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
      if (running.current?.lost) leave.current(running.current);
    };
  }, []);
  const send = async (asked: Asked): Promise<void> => {
    const request = requestOf(asked);
    const own: Running<Asked> = { asked, request, stop: new AbortController(), lost: false };
    running.current = own;
    const isOwn = () => running.current === own;
    const told = onLostTry(request.key, (lost, isUnsent) => {
      own.lost = true;
      if (!isUnsent) request.unsent = false;
      if (!isOwn()) return;
      if (isLeft.current) giveUp(own);
      else setStanding({ asked, ...AT_REST, isPending: true, lost, unsent: request.unsent });
    });
    setStanding({ asked, ...AT_REST, isPending: true });
    try {
      const answer = await options.ask(asked, { idempotencyKey: request.key, signal: own.stop.signal });
      own.lost = false;
      if (!isOwn()) return;
      last.current = undefined;
      setStanding({ asked, ...AT_REST, isSuccess: true });
      now.current.onSuccess?.(answer, asked, isLeft.current);
    } catch (error) {
      if (!isOwn()) return;
      own.lost = false;
      if (isLeft.current) toastLeft(whatOf(asked), options.address, { ...request, error: errorOf(error) });
      setStanding({ asked, ...AT_REST, error: errorOf(error), unsent: request.unsent });
    } finally {
      told();
      if (isOwn()) {
        running.current = undefined;
        now.current.onSettled?.();
      }
    }
  };
  const press = (asked: Asked): void => {
    const before = running.current;
    if (before !== undefined && !before.lost) return;
    // A try that is broken off here may have arrived.
    if (before !== undefined) before.request.unsent = false;
    before?.stop.abort();
    void send(asked);
  };
  /** Whether it is on its way, and no press counts. */
  const isBusy = standing.isPending && standing.lost === undefined;
  const what = standing.asked === undefined ? '' : whatOf(standing.asked);
  return { ...standing, what, isBusy, press };
}
