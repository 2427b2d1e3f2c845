/**
 * What a person asks for by a press. A second press counts nothing while the first is not answered, also where it comes
 * before the button is drawn as locked. What failed on its way and is pressed again has the same key, so that it counts once.
 */
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { randomHex } from '../../client/random';

interface PressOptions<Asked, Answer> {
  /** What the server is asked. */
  readonly ask: (asked: Asked, idempotencyKey: string) => Promise<Answer>;
  readonly onSuccess?: (answer: Answer) => void;
  readonly onSettled?: () => void;
}

/** The request behind a press; `asked` is compared as JSON: another one has another key. */
export function usePress<Asked, Answer>({ ask, onSuccess, onSettled }: PressOptions<Asked, Answer>) {
  const last = useRef<{ readonly asked: string; readonly key: string }>(undefined);
  const isAsked = useRef(false);
  const keyOf = (asked: Asked): string => {
    const text = JSON.stringify(asked);
    if (last.current?.asked !== text) last.current = { asked: text, key: randomHex(16) };
    return last.current.key;
  };
  const request = useMutation({
    retry: false,
    mutationFn: (asked: Asked) => ask(asked, keyOf(asked)),
    onSuccess: (answer) => {
      last.current = undefined;
      onSuccess?.(answer);
    },
    onSettled: () => {
      isAsked.current = false;
      onSettled?.();
    },
  });
  const press = (asked: Asked): void => {
    if (isAsked.current) return;
    isAsked.current = true;
    request.mutate(asked);
  };
  return { ...request, press };
}
