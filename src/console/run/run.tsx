/** A run's view, which is loaded when the first run is opened. */
import { lazy, Suspense } from 'react';
import { Waits } from '../parts/waits';

const View = lazy(() => import('./run-view'));

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
