/**
 * The page's worker: it reads one run's log away from the page, which gets what changed 20 times a second at most, and
 * not before it has drawn what it got last.
 */
import { Reading } from './reading';
import type { ToWorker } from './run-messages';

/** Between two patches, in ms. */
const PATCH_MS = 50;

let reading: Reading | undefined;
/** Whether something is to be told. */
let due = false;
let planned = false;
let isDrawn = true;

function patch(): void {
  planned = false;
  if (reading === undefined || !due || !isDrawn) return;
  const { message, more } = reading.changes(performance.now());
  due = more;
  isDrawn = false;
  postMessage(message);
}

function plan(): void {
  due = true;
  if (planned || !isDrawn) return;
  planned = true;
  setTimeout(patch, PATCH_MS);
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case 'open':
      reading = new Reading(data.server, data.address, data.token, plan);
      void reading.follow();
      return;
    case 'drawn':
      isDrawn = true;
      if (due) plan();
      return;
    case 'try':
      return reading?.tryNow();
    case 'select':
      return reading?.select(data.address);
    case 'end':
      return reading?.expect(data.sequence);
  }
});
