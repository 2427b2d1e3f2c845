// Samples of figures, and what those of two checkouts say of each other. Pure: it measures nothing itself.
import { median } from './report.mjs';

/**
 * @typedef {object} Figure
 * @property {string} name the same in docs/reference/performance.md
 * @property {string} unit
 * @property {string} [floor] the name of the figure that it is divided by: a floor, or another state in the same run
 *
 * @typedef {object} Sample
 * @property {number} side 0 for this checkout, 1 for the one beside it
 * @property {number} server which pair of servers, from 0
 * @property {number} round within that pair
 * @property {number} value
 *
 * @typedef {object} Compared of this checkout to the one beside it, sample by sample
 * @property {number} ratio the median of all pairs
 * @property {number} least of all pairs
 * @property {number} most of all pairs
 * @property {readonly number[]} servers the median of each pair of servers
 */

/** Sides of a run. */
export const [HERE, BESIDE] = [0, 1];

/** Collects what a section measures. */
export class Samples {
  /** @type {Map<string, { figure: Figure, samples: Sample[] }>} */
  #series = new Map();

  /** @param {Figure} figure @param {Sample} sample @throws Error for a second sample of the same round */
  add(figure, sample) {
    const { samples } = this.#series.get(figure.name) ?? { samples: [] };
    if (samples.some((other) => isSameRound(other, sample) && other.side === sample.side)) {
      throw new Error(`"${figure.name}" has a sample of round ${sample.round} already.`);
    }
    this.#series.set(figure.name, { figure, samples: [...samples, sample] });
  }

  /** @returns {Figure[]} in the order of their first samples */
  figures() {
    return [...this.#series.values()].map(({ figure }) => figure);
  }

  /** @param {string} name @param {number} [side] @returns {number[]} empty for what was not measured */
  of(name, side = HERE) {
    return this.samples(name)
      .filter((sample) => sample.side === side)
      .map(({ value }) => value);
  }

  /** @param {string} name @returns {readonly Sample[]} */
  samples(name) {
    return this.#series.get(name)?.samples ?? [];
  }

  /**
   * Divides each sample of this checkout by that of the same round and the same pair of servers.
   * @param {string} name @returns {Compared | undefined} undefined where no round has both
   */
  compared(name) {
    const all = this.samples(name);
    const pairs = all.flatMap((here) => {
      const beside = all.find((other) => other.side === BESIDE && isSameRound(other, here));
      return here.side === HERE && beside ? [{ server: here.server, ratio: here.value / beside.value }] : [];
    });
    if (pairs.length === 0) return undefined;
    const ratios = pairs.map(({ ratio }) => ratio);
    const servers = [...new Set(pairs.map(({ server }) => server))].map((server) =>
      median(pairs.filter((pair) => pair.server === server).map(({ ratio }) => ratio)),
    );
    return { ratio: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios), servers };
  }
}

/** @param {Sample} one @param {Sample} other */
function isSameRound(one, other) {
  return one.server === other.server && one.round === other.round;
}
