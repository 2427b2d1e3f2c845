/** A run's view, which is loaded when the first run is opened. */
import { later } from '../parts/later';
import { Waits } from '../parts/waits';

/** The view; `fetch` for who is about to open a run. */
export const { Part: Run, fetch: fetchRun } = later(
  async () => (await import('./run-view')).RunView,
  <main className="page" aria-busy="true">
    <Waits />
  </main>,
);
