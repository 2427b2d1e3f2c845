// npm run bench [-- SECTION …]: what Offshoot costs on this machine, beside the floor. Without sections: all of them.
// Each section has a server of its own on a free port, with a state of its own, and ends it.
import { cpus } from 'node:os';
import { run, UserError } from '../scripts/lib/fail.mjs';
import { ensureInstalled } from '../scripts/lib/install.mjs';
import { consult } from './sections/consult.mjs';
import { fan } from './sections/fan.mjs';
import { history } from './sections/history.mjs';
import { memory } from './sections/memory.mjs';
import { placements } from './sections/placements.mjs';
import { profile } from './sections/profile.mjs';
import { rows } from './sections/rows.mjs';
import { start } from './sections/start.mjs';
import { stop } from './sections/stop.mjs';

/** @type {Record<string, () => Promise<void>>} */
const SECTIONS = { start, rows, fan, consult, placements, history, memory, stop, profile };

// Ends what was begun: servers and their state.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

await run(async () => {
  ensureInstalled();
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined) {
    throw new UserError(`There is no section "${unknown}". Sections: ${Object.keys(SECTIONS).join(', ')}.`);
  }
  console.log(`${cpus().length} cores, Node ${process.versions.node}`);
  for (const [name, section] of Object.entries(SECTIONS)) {
    if (wanted.length === 0 || wanted.includes(name)) await section();
  }
  return 0;
});
