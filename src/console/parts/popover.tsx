/** What opens below a button and lies over the rest: Escape closes it, and so does a press beside it. */
import { type ReactNode, useEffect, useRef } from 'react';

interface PopoverProps {
  readonly className: string;
  readonly says: ReactNode;
  readonly children: ReactNode;
}

/** A dialog that was opened from it is no part of it, and goes back to it. */
const ABOVE = '[role="dialog"], .backdrop';

/** `says` is on the button. */
export function Popover({ className, says, children }: PopoverProps) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const own = box.current;
    if (own === null) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || !own.open) return;
      event.preventDefault();
      own.open = false;
      own.querySelector('summary')?.focus();
    };
    const onPress = ({ target }: PointerEvent): void => {
      if (target instanceof Element && !own.contains(target) && target.closest(ABOVE) === null) own.open = false;
    };
    own.addEventListener('keydown', onKey);
    window.addEventListener('pointerdown', onPress);
    return () => {
      own.removeEventListener('keydown', onKey);
      window.removeEventListener('pointerdown', onPress);
    };
  }, []);
  return (
    <details ref={box} className={className}>
      <summary className="button">{says}</summary>
      {children}
    </details>
  );
}
