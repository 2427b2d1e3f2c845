/** The page's worker: it reads one run's log away from the page, which gets what changed 20 times a second at most. */
import { Reading } from './reading';
import type { ToWorker } from './run-messages';

/** Between two patches, in ms. */
const PATCH_MS = 50;

let reading: Reading | undefined;
let planned = false;

function patch(): void {
  planned = false;
  if (reading === undefined) return;
  const { message, more } = reading.changes(performance.now());
  postMessage(message);
  if (more) plan();
}

function plan(): void {
  if (planned) return;
  planned = true;
  setTimeout(patch, PATCH_MS);
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case 'open':
      reading = new Reading(data.server, data.address, data.token, plan);
      void reading.follow();
      return;
    case 'select':
      return reading?.select(data.address);
    case 'end':
      return reading?.expect(data.sequence);
  }
});
