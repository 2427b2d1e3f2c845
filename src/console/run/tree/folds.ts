/** Which rows a person folded and unfolded, kept in this tab. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Folds } from '../../data/tree/placed';

const KEY = 'offshoot.folds:';

function keptOf(root: string): ReadonlyMap<string, boolean> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY + root) ?? '[]');
    const isPair = (pair: unknown): pair is [string, boolean] =>
      Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'boolean';
    return new Map(Array.isArray(kept) ? kept.filter(isPair) : []);
  } catch {
    return new Map();
  }
}

/** They, and how one is changed. */
export function useFolds(root: string): { readonly folds: Folds; readonly fold: (id: string, open: boolean) => void } {
  const [byHand, setByHand] = useState(() => keptOf(root));
  const opened = useRef(new Set<string>());
  useEffect(() => {
    setByHand(keptOf(root));
    opened.current = new Set();
  }, [root]);
  const fold = useCallback(
    (id: string, open: boolean) =>
      setByHand((before) => {
        const after = new Map(before).set(id, open);
        sessionStorage.setItem(KEY + root, JSON.stringify([...after]));
        return after;
      }),
    [root],
  );
  const folds = useMemo(() => ({ byHand, opened: opened.current }), [byHand]);
  return { folds, fold };
}
