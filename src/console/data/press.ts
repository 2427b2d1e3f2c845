/**
 * Presses of the console: requests of `useRequest`, tried again by themselves for a minute, with words for what became of
 * them. Where the view of one is left there is no further try, and a message says so.
 */
import { type LostTry, type RequestOptions, useRequest } from '../../react/use-request';
import { onLostTry } from './session';
import { toastLeft } from './toasts';

interface PressOptions<Asked, Answer> extends Omit<RequestOptions<Asked, Answer>, 'tries' | 'onLeft'> {
  /** The name of the request where it has no answer. */
  readonly what: string | ((asked: Asked) => string);
  /** The agent that it is for, where there is one. */
  readonly address?: string;
}

/** A request without an answer, as it is put in words. */
export interface Pressed {
  readonly what: string;
  /** Why the last try had no answer, while it is tried again. */
  readonly lost?: string;
  readonly unsent?: boolean;
  readonly error: Error | null;
}

/** A request, or an answer to a call, as far as its words need it. */
type Unanswered =
  | { readonly status: 'rest' | 'open' | 'done' | 'answered' }
  | { readonly status: 'sending'; readonly lost: LostTry | undefined }
  | { readonly status: 'failed'; readonly error: Error; readonly isUnsent: boolean };

/** What is said of a request that has no answer. */
export function pressedOf(what: string, state: Unanswered): Pressed {
  if (state.status === 'failed') return { what, error: state.error, unsent: state.isUnsent };
  if (state.status !== 'sending' || state.lost === undefined) return { what, error: null };
  return { what, error: null, lost: state.lost.why, unsent: state.lost.isUnsent };
}

/** The request behind a press; `asked` is compared as JSON: another one has another key. */
export function usePress<Asked, Answer>({ what, address, ...options }: PressOptions<Asked, Answer>) {
  const whatOf = (asked: Asked): string => (typeof what === 'string' ? what : what(asked));
  const { state, press } = useRequest({
    ...options,
    tries: onLostTry,
    onLeft: (asked: Asked, left) => toastLeft(whatOf(asked), address, left),
  });
  const isPending = state.status === 'sending';
  return {
    ...pressedOf('asked' in state ? whatOf(state.asked) : '', state),
    ...('asked' in state ? { asked: state.asked } : {}),
    isPending,
    isSuccess: state.status === 'done',
    /** True while it is on its way, and no press counts. */
    isBusy: isPending && state.lost === undefined,
    press: (asked: Asked): void => void press(asked),
  };
}
