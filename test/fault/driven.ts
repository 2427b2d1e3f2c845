/** A tree that a client drives while its process ends again and again; only the root's alarm brings it back. */
import { runDurableObjectAlarm } from 'cloudflare:test';
import { expect, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import { address, post } from '../support/api';
import { takeBegun } from '../support/puppet';
import { NIGHTLY } from '../support/sizes';
import { type Evidence, evidence, rootOf } from './evidence';
import type { Process } from './process';

/** How often the store is looked at, in ms. */
const LOOK = { interval: 2 };

/** What began more than once, summed over many trees. */
export interface Repeats {
  trees: number;
  crashes: number;
  begun: number;
  again: number;
  /** The most beginnings of one thing beyond its first. */
  most: number;
}

/** Nothing yet. */
export const noRepeats = (): Repeats => ({ trees: 0, crashes: 0, begun: 0, again: 0, most: 0 });

/** One tree under a client that repeats what was not acknowledged, with the same key. */
export class Driven {
  readonly at = address();
  crashes = 0;
  #keys = 0;

  constructor(
    readonly process: Process,
    /** The commits at which the process ends, each counted from the recovery before it. */
    readonly endsAt: readonly number[],
    readonly what: string,
  ) {
    takeBegun();
  }

  /** From here on commits are counted. */
  count(): void {
    this.process.begin(this.endsAt[0] ?? 0);
  }

  /** Sends a request until it is acknowledged; what was acknowledged is never sent again. */
  async surely(path: string, body: JsonObject): Promise<JsonObject> {
    const headers = { 'idempotency-key': `k${this.#keys++}` };
    for (;;) {
      const answer = await post(`${this.at}/${path}`, body, headers).catch(() => undefined);
      if (answer !== undefined && answer.status < 300) return answer.body;
      expect(this.process.ended, `${this.what}: ${path} was answered ${JSON.stringify(answer)}`).toBe(true);
      await this.#crash();
      await runDurableObjectAlarm(rootOf(this.at));
    }
  }

  /** Waits until the store of the root shows this; nobody asks an object for anything. */
  async until(goal: (found: Evidence) => boolean): Promise<Evidence> {
    for (;;) {
      const found = await vi.waitFor(async () => {
        const seen = await evidence(this.at);
        expect(this.process.ended || goal(seen), `${this.what}: ${JSON.stringify(standing(seen))}`).toBe(true);
        return seen;
      }, LOOK);
      if (!this.process.ended) return found;
      await this.#crash();
      const kept = await evidence(this.at);
      const rang = await runDurableObjectAlarm(rootOf(this.at));
      if (!goal(kept)) expect(rang, `${this.what}: the alarm after crash ${this.crashes}`).toBe(true);
    }
  }

  async #crash(): Promise<void> {
    await this.process.crash();
    this.crashes++;
    this.process.begin(this.endsAt[this.crashes] ?? 0);
  }

  /**
   * The end of the drive: each model call and body began once, and at most once more for each crash.
   * @param stops how often what was under way was cut off by a stop and begun again by a resume
   */
  close(into: Repeats, stops = 0): void {
    this.process.begin(0);
    for (const [thing, times] of takeBegun()) {
      expect(times, `${this.what}: ${thing}`).toBeLessThanOrEqual(1 + stops + this.crashes);
      into.begun += times;
      into.again += times - 1;
      into.most = Math.max(into.most, times - 1);
    }
    into.trees++;
    into.crashes += this.crashes;
  }
}

const standing = ({ nodes }: Evidence) =>
  nodes.map(({ address, schedule, status }) => [address, schedule.phase, status]);

/** How every agent stands. */
export const statuses = ({ nodes }: Evidence): string[] => nodes.map(({ status }) => status);

/** Runs a drive with an end of the process at every commit in turn, or at every few, until there is none left. */
export async function atEveryCommit(
  stride: number,
  run: (commit: number) => Promise<number>,
  most = 500,
): Promise<number> {
  for (let commit = 1; commit < most; commit += NIGHTLY ? 1 : stride) {
    if ((await run(commit)) === 0) return commit;
  }
  throw new Error(`There are more than ${most} commits.`);
}
