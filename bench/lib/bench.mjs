// One run of one section: its servers, its rounds and its samples.
import { HERE, Samples } from './samples.mjs';
import { withTarget } from './target.mjs';

/**
 * @typedef {import('./checkouts.mjs').Checkout} Checkout
 * @typedef {import('./samples.mjs').Figure} Figure
 * @typedef {import('./target.mjs').Target} Target
 *
 * @typedef {object} Section
 * @property {string} what it measures, in one line
 * @property {number} minutes that it takes on a quiet machine with two cores
 * @property {readonly Figure[]} figures that it prints; floors have a name that no figure of docs/reference/performance.md has
 * @property {(bench: Bench) => Promise<void>} measure is called once for each pair of servers
 */

/** Pairs of servers of a paired run: two servers with the same code differ by up to a tenth. */
const PAIRS = 3;

/** Given to the sections. */
export class Bench {
  samples = new Samples();
  /** @type {Set<string>} */
  notes = new Set();
  /** Which pair of servers is measured, from 0. */
  server = 0;

  /** @param {readonly Checkout[]} checkouts this one first @param {number} [asked] rounds of the whole run */
  constructor(checkouts, asked) {
    this.checkouts = checkouts;
    this.asked = asked;
  }

  /** Pairs of servers, one after the other. */
  get pairs() {
    return this.checkouts.length > 1 ? Math.min(PAIRS, this.asked ?? PAIRS) : 1;
  }

  /** Rounds of each pair of servers that are measured. @param {number} usual of a whole run */
  rounds(usual) {
    return Math.max(1, Math.ceil((this.asked ?? usual) / this.pairs));
  }

  /**
   * Serves a Worker of each checkout with a state of its own while `work` runs.
   * @template Result
   * @param {(targets: Target[]) => Promise<Result>} work gets them in the order of the checkouts
   * @param {string} [name] the wrangler configuration of the Workers
   * @param {(side: number) => Record<string, string>} [vars] added to their `env`
   * @returns {Promise<Result>}
   */
  withTargets(work, name, vars = () => ({})) {
    /** @param {Target[]} begun @returns {Promise<Result>} */
    const next = (begun) => {
      const side = begun.length;
      const checkout = this.checkouts[side];
      if (checkout === undefined) return work(begun);
      return withTarget((target) => next([...begun, target]), { checkout, side, name, vars: vars(side) });
    };
    return next([]);
  }

  /** The checkouts take turns in who comes first. @template Side @param {readonly Side[]} sides @param {number} round */
  inTurn(sides, round) {
    return (round + this.server) % 2 === 0 ? sides : sides.toReversed();
  }

  /** @param {number} side @param {number} round @param {Figure} figure @param {number} value */
  record(side, round, figure, value) {
    this.samples.add(figure, { side, server: this.server, round, value });
  }

  /** Prints a line below the figures, once. @param {number} side @param {string} text */
  note(side, text) {
    this.notes.add(side === HERE ? text : `Beside: ${text}`);
  }
}
