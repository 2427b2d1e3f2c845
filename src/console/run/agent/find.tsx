/** Finding in a transcript of which a page draws only a part: the browser's own search would miss the rest. */
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from 'react';
import { type TranscriptItem as Item, searchedOf } from '../../../react/transcript-items';

/** The bar and what it has found. */
export interface Find {
  readonly isOpen: boolean;
  readonly word: string;
  /** The item that is shown as found; -1 where none is. */
  readonly at: number;
  readonly place: number;
  readonly count: number;
  readonly open: () => void;
  readonly close: () => void;
  readonly look: (word: string) => void;
  readonly step: (by: 1 | -1) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Looks through all items; goes to one of them. */
export function useFind(items: readonly Item[], goTo: (index: number) => void): Find {
  const [isOpen, setOpen] = useState(false);
  const [word, setWord] = useState('');
  const [place, setPlace] = useState(0);
  const looked = useDeferredValue(word.toLowerCase());
  const found = useMemo(
    () =>
      isOpen && looked !== ''
        ? items.flatMap((item, index) => (searchedOf(item).toLowerCase().includes(looked) ? [index] : []))
        : [],
    [items, looked, isOpen],
  );
  const gone = useRef('');
  const first = found[0];
  if (first !== undefined && gone.current !== looked) {
    gone.current = looked;
    setPlace(0);
    queueMicrotask(() => goTo(first));
  }
  const step = (by: 1 | -1) => {
    if (found.length === 0) return;
    const next = (place + by + found.length) % found.length;
    setPlace(next);
    const index = found[next];
    if (index !== undefined) goTo(index);
  };
  return {
    isOpen,
    word,
    at: found[place] ?? -1,
    place,
    count: found.length,
    open: () => setOpen(true),
    close: () => {
      setOpen(false);
      setWord('');
      gone.current = '';
    },
    look: setWord,
    step,
    onKeyDown: (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== 'f') return;
      event.preventDefault();
      setOpen(true);
    },
  };
}

/** The bar. */
export function FindBar({ find }: { find: Find }) {
  if (!find.isOpen)
    return (
      <button type="button" className="find-open linkish" onClick={find.open}>
        Find
      </button>
    );
  return (
    <search className="find-bar">
      <input
        // biome-ignore lint/a11y/noAutofocus: it was just asked for
        autoFocus
        type="search"
        aria-label="Find in the transcript"
        value={find.word}
        onChange={(event) => find.look(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') {
            event.stopPropagation();
            find.close();
          }
        }}
      />
      <span role="status" className="muted">
        {find.word === '' ? '' : find.count === 0 ? 'not found' : `${find.place + 1} of ${find.count}`}
      </span>
      <button type="button" className="icon" aria-label="Previous match" onClick={() => find.step(-1)}>
        <ChevronUp size={16} aria-hidden />
      </button>
      <button type="button" className="icon" aria-label="Next match" onClick={() => find.step(1)}>
        <ChevronDown size={16} aria-hidden />
      </button>
      <button type="button" className="icon" aria-label="Close" onClick={find.close}>
        <X size={16} aria-hidden />
      </button>
    </search>
  );
}
