/** The corner where what was done is said. */
import { X } from 'lucide-react';
import { Link } from 'wouter';
import { dismiss, useToasts } from '../data/toasts';

/** All toasts that are there now. The regions are always there, so that what comes into them is read out. */
export function Toasts() {
  const toasts = useToasts();
  const those = (wrong: boolean) =>
    toasts
      .filter((each) => each.wrong === wrong)
      .map(({ id, says, to }) => (
        <div key={id} className={wrong ? 'toast wrong' : 'toast'}>
          <span>{says}</span>
          {to !== undefined && (
            <Link href={to.path} onClick={() => dismiss(id)}>
              {to.says}
            </Link>
          )}
          <button type="button" className="plain" aria-label="Close" onClick={() => dismiss(id)}>
            <X size={16} aria-hidden />
          </button>
        </div>
      ));
  return (
    <div className="toasts">
      <div role="alert">{those(true)}</div>
      <div role="status">{those(false)}</div>
    </div>
  );
}
