// npm run house: the figures of the house, with the best value that each has reached (scripts/house.json) and its aim.
//   npm run house -- --json       the same for programs
//   npm run house -- --write      keeps each value that improved; never raises one
//   npm run house -- --check      fails where a figure is worse than the value that is kept (a part of `npm run check`)
//   npm run house -- words        lists what is counted, as file:line: words [KIND or WORD], comments, promises, folders,
//                                 records [NAME]
import { run } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';

await run(async () => {
  ensureInstalled();
  const { house } = await import('./lib/house/command.mjs');
  return house(process.argv.slice(2));
});
