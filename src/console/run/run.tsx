/** A run's view, which is loaded when the first run is opened. */
import { lazy, Suspense } from 'react';
import { Waits } from '../parts/waits';

const load = () => import('./run-view');
const View = lazy(load);

/** Has it there soon, for who is about to open a run. */
export function fetchView(): void {
  load().catch(() => undefined);
}

/** The view. */
export function Run({ address }: { address: string }) {
  return (
    <Suspense
      fallback={
        <main className="page" aria-busy="true">
          <Waits />
        </main>
      }
    >
      <View address={address} />
    </Suspense>
  );
}
