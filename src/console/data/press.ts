/**
 * What a person asks for by a press. A second press counts nothing while the first is on its way, also where it comes
 * before the button is drawn as locked. What had no answer is tried again by itself for a minute, and says so; until
 * then, and after it, the same press is the next try, under the same key, so that it counts once; another press takes
 * its place.
 */
import { useEffect, useRef, useState } from 'react';
import { randomHex } from '../../client/random';
import { onLostTry } from './session';

/** With what a change is asked for. */
interface Sending {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

interface PressOptions<Asked, Answer> {
  /** What the server is asked. */
  readonly ask: (asked: Asked, sending: Sending) => Promise<Answer>;
  /** What tells one request from others, where that is not for the press to make. */
  readonly keyOf?: (asked: Asked) => string;
  readonly onSuccess?: (answer: Answer, asked: Asked) => void;
  readonly onSettled?: () => void;
  /** The view is left while it is tried again: it is tried no more. */
  readonly onLeft?: (asked: Asked) => void;
}

/** A request as it stands. */
interface Standing<Asked> {
  readonly asked?: Asked;
  readonly isPending: boolean;
  readonly isSuccess: boolean;
  /** Why the last try had no answer, while it is tried again. */
  readonly lost?: string;
  readonly error: Error | null;
}

/** What its words are made of. */
export type Pressed = Pick<Standing<unknown>, 'lost' | 'error'>;

const AT_REST = { isPending: false, isSuccess: false, error: null } as const;

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The request behind a press; `asked` is compared as JSON: another one has another key. */
export function usePress<Asked, Answer>(options: PressOptions<Asked, Answer>) {
  const now = useRef(options);
  now.current = options;
  const last = useRef<{ readonly text: string; readonly key: string }>(undefined);
  const running = useRef<{ readonly asked: Asked; readonly stop: AbortController; lost: boolean }>(undefined);
  const [standing, setStanding] = useState<Standing<Asked>>(AT_REST);
  const keyOf = (asked: Asked): string => {
    const text = JSON.stringify(asked);
    if (last.current?.text !== text) last.current = { text, key: options.keyOf?.(asked) ?? randomHex(16) };
    return last.current.key;
  };
  useEffect(
    () => () => {
      const left = running.current;
      if (!left?.lost) return;
      running.current = undefined;
      left.stop.abort();
      now.current.onLeft?.(left.asked);
    },
    [],
  );
  const send = async (asked: Asked): Promise<void> => {
    const own = { asked, stop: new AbortController(), lost: false };
    running.current = own;
    const isOwn = () => running.current === own;
    const idempotencyKey = keyOf(asked);
    const told = onLostTry(idempotencyKey, (lost) => {
      own.lost = true;
      if (isOwn()) setStanding({ asked, ...AT_REST, isPending: true, lost });
    });
    setStanding({ asked, ...AT_REST, isPending: true });
    try {
      const answer = await options.ask(asked, { idempotencyKey, signal: own.stop.signal });
      own.lost = false;
      if (!isOwn()) return;
      last.current = undefined;
      setStanding({ asked, ...AT_REST, isSuccess: true });
      now.current.onSuccess?.(answer, asked);
    } catch (error) {
      if (isOwn()) setStanding({ asked, ...AT_REST, error: errorOf(error) });
    } finally {
      told();
      if (isOwn()) {
        running.current = undefined;
        now.current.onSettled?.();
      }
    }
  };
  const press = (asked: Asked): void => {
    if (running.current !== undefined && !running.current.lost) return;
    running.current?.stop.abort();
    void send(asked);
  };
  /** Whether it is on its way, and no press counts. */
  const isBusy = standing.isPending && standing.lost === undefined;
  return { ...standing, isBusy, press };
}
