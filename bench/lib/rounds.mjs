// How often each figure is measured.
import { UserError } from '../../scripts/lib/fail.mjs';

const VARIABLE = 'OFFSHOOT_BENCH_RUNS';
const MOST = 1_000;

/** Rounds that are measured, unless `OFFSHOOT_BENCH_RUNS` says otherwise. @param {number} usual @throws UserError */
export function rounds(usual) {
  const asked = process.env[VARIABLE];
  if (asked === undefined || asked === '') return usual;
  const number = Number(asked);
  if (Number.isInteger(number) && number >= 1 && number <= MOST) return number;
  throw new UserError(`${VARIABLE} is "${asked}": it takes a whole number from 1 to ${MOST}.`);
}
