// The sections of the benchmark, in the order in which `all` runs them.
import { classes } from './sections/classes.mjs';
import { consult } from './sections/consult.mjs';
import { doors } from './sections/doors.mjs';
import { fan } from './sections/fan.mjs';
import { history } from './sections/history.mjs';
import { memory } from './sections/memory.mjs';
import { placements } from './sections/placements.mjs';
import { profile } from './sections/profile.mjs';
import { rows } from './sections/rows.mjs';
import { size } from './sections/size.mjs';
import { start } from './sections/start.mjs';
import { stop } from './sections/stop.mjs';
import { wait } from './sections/wait.mjs';

/** @type {Readonly<Record<string, import('./lib/bench.mjs').Section>>} */
export const SECTIONS = {
  size,
  start,
  rows,
  fan,
  history,
  consult,
  placements,
  wait,
  memory,
  stop,
  classes,
  doors,
  profile,
};
