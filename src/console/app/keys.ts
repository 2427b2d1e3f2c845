/** Keys that go somewhere. None decides anything, and letters are dead where a person writes. */
import { preferences } from '../data/preferences';
import { PLACES } from './views';

/** What keys do, as the page of help lists them. */
export const KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  ...PLACES.map(({ key, says }) => ({ keys: `g ${key}`, does: says })),
  { keys: '[ and ]', does: 'Previous / next pending call' },
  { keys: '/', does: 'Find in this view' },
  { keys: 'Ctrl K', does: 'Go to anything' },
  { keys: '?', does: 'List the shortcuts' },
  { keys: 'Esc', does: 'Close dialog, or leave a field' },
  { keys: 'Ctrl Enter', does: 'Send the question' },
];

/** What the keys are for. */
export interface Acts {
  readonly go: (path: string) => void;
  readonly step: (by: 1 | -1) => void;
  readonly find: () => void;
  readonly palette: () => void;
  readonly help: () => void;
}

/** Where letters are a text, or belong to what lies on top. */
const WRITES = 'input, textarea, select, [contenteditable], [role="dialog"]';

const isWriting = ({ target }: KeyboardEvent): boolean => target instanceof Element && target.closest(WRITES) !== null;

/** Leaves a box; what was written in it stays. A dialog closes by itself. */
function closeBox({ target }: KeyboardEvent): void {
  if (target instanceof HTMLElement && target.closest('[role="dialog"]') === null && target.closest(WRITES) !== null)
    target.blur();
}

/** How long the first letter of two waits for the second, in ms. */
const SECOND_MS = 1_000;

/** What a letter does that stands alone. */
function alone(key: string, acts: Acts): (() => void) | undefined {
  if (key === '[') return () => acts.step(-1);
  if (key === ']') return () => acts.step(1);
  if (key === '/') return acts.find;
  return key === '?' ? acts.help : undefined;
}

/** Listens; gives what ends it. `acts` is asked at each key. */
export function listen(acts: () => Acts): () => void {
  let begun = Number.NEGATIVE_INFINITY;
  const actOf = (event: KeyboardEvent): (() => void) | undefined => {
    const key = event.key.toLowerCase();
    const commands = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph');
    if (commands) return key === 'k' && !event.altKey ? acts().palette : undefined;
    if (preferences().shortcuts === 'off' || isWriting(event)) return undefined;
    const isSecond = event.timeStamp - begun < SECOND_MS;
    begun = key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const place = isSecond ? PLACES.find((each) => each.key === key) : undefined;
    return place === undefined ? alone(event.key, acts()) : () => acts().go(place.path);
  };
  const onKey = (event: KeyboardEvent): void => {
    // Held down it says nothing more; Shift comes alone before the `?` of most keyboards.
    if (event.repeat || event.defaultPrevented || event.key === 'Shift') return;
    if (event.key === 'Escape') return closeBox(event);
    const act = actOf(event);
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}
