/**
 * Parts of the console that are loaded when they are first shown.
 *
 * Keeps CN95. React's `lazy` holds what was waited for back until 300 ms after its fallback was drawn, and has no next
 * try for what could not be loaded.
 */
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Trouble } from './trouble';

interface Later<Props extends object> {
  /** Where the part is shown. */
  readonly Part: ComponentType<Props>;
  /** Has its code there soon, for who is about to open it. */
  readonly fetch: () => void;
}

type Tried = 'not' | 'well' | 'in vain';

const MISSING = new Error('Part of the console failed to load. Try again, or reload the page.');

/** A part that is loaded by `load`; `waits` stands in its place until it is there. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waits: ReactNode = null,
): Later<Props> {
  let there: ComponentType<Props> | undefined;
  const fetched = async (): Promise<void> => {
    there ??= await load();
  };

  // biome-ignore lint/correctness/noComponentHookFactories: it is made once, where a module names its part, as one of `lazy` is
  function Part(props: Props) {
    const [tried, setTried] = useState<Tried>(there === undefined ? 'not' : 'well');
    useEffect(() => {
      if (tried !== 'not') return undefined;
      let isShown = true;
      const says = (how: Tried) => () => {
        if (isShown) setTried(how);
      };
      fetched().then(says('well'), says('in vain'));
      return () => {
        isShown = false;
      };
    }, [tried]);
    if (there !== undefined) {
      const There = there;
      return <There {...props} />;
    }
    return tried === 'in vain' ? <Trouble error={MISSING} onRetry={() => setTried('not')} /> : waits;
  }

  return { Part, fetch: () => void fetched().catch(() => undefined) };
}
