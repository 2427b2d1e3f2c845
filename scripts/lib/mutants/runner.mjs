// The runner of vitest for mutants: it runs a test as it is, then again with each mutant that the test reached, until
// one more would take too long. What it finds goes line by line into the file that its job names; the lines are:
//   file PATH · test ID MS TITLE · try N · noticed N · late N · dirty · end ID · reached N…
// It uses only what vitest exports: `repeats` of a test, and a result that is pending, which ends them.
import { openSync, readFileSync, writeSync } from 'node:fs';
import { relative } from 'node:path';
import { TestRunner } from 'vitest';
import { SWITCHES } from './switches.mjs';

/**
 * @typedef {object} Job
 * @property {string} root of the project
 * @property {string} out the file for what is found
 * @property {number} count the highest number of a mutant
 * @property {number[]} open the mutants that no test has noticed yet
 * @property {Record<string, [first: number, last: number][]>} near the mutants of the sources that a test file is near to
 * @property {string[]} done ids of tests that need no further try
 * @property {number} fastMs a test that takes less is tried with what it is not near to as well
 * @property {number} slowMs a test that takes longer is not tried
 * @property {number} testMs all tries of one test may take so long
 */

/** A mutant that reaches switches so many times as often as the test did is in a loop. */
const LOOP = 200;
const LOOP_LEAST = 200_000;

/** The state that the switched sources see. */
class Switches {
  on = 0;
  /** @type {Uint8Array} */
  hits;
  reached = 0;
  most = Number.POSITIVE_INFINITY;

  constructor(/** @type {number} */ count) {
    this.hits = new Uint8Array(count + 1);
  }

  at(/** @type {number} */ first, /** @type {number | undefined} */ second, /** @type {number[]} */ ...others) {
    this.hits[first] = 1;
    if (second !== undefined) this.hits[second] = 1;
    for (const one of others) this.hits[one] = 1;
    this.reached += 1;
    if (this.reached > this.most) throw new Error('This mutant does not end.');
  }
}

/** @typedef {import('vitest').RunnerTestCase} Test */

export default class MutantRunner extends TestRunner {
  /** @type {Job} */
  #job = JSON.parse(readFileSync(process.env.OFFSHOOT_MUTANTS ?? '', 'utf8'));
  #out = openSync(this.#job.out, 'a');
  #open = new Set(this.#job.open);
  #done = new Set(this.#job.done);
  #switches = new Switches(this.#job.count);
  #tries = new Uint16Array(this.#job.count + 1);
  #known = new Uint8Array(this.#job.count + 1);
  /** @type {number[]} */
  #queue = [];
  #isCheck = false;
  #began = 0;

  constructor(/** @type {import('vitest').SerializedConfig} */ config) {
    super(config);
    Reflect.set(globalThis, SWITCHES, this.#switches);
  }

  #write(/** @type {(string | number)[]} */ ...words) {
    writeSync(this.#out, `${words.join(' ')}\n`);
  }

  /** @override @param {Test} test */
  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    if (this.#done.has(test.id)) test.mode = 'skip';
    test.repeats = 1_000_000;
    this.#queue = [];
    this.#isCheck = false;
  }

  /** @override @param {Test} test @param {{ retry: number, repeats: number }} options */
  onBeforeTryTask(test, options) {
    super.onBeforeTryTask(test, options);
    const switches = this.#switches;
    if (options.repeats === 0) switches.hits.fill(0);
    const next = options.repeats > 0 && !this.#isCheck ? this.#queue.at(-1) : undefined;
    switches.on = next ?? 0;
    switches.reached = 0;
    if (next !== undefined) this.#write('try', next);
    this.#began = performance.now();
  }

  /** @override @param {Test} test @param {{ retry: number, repeats: number }} options */
  async onAfterRetryTask(test, options) {
    const switches = this.#switches;
    const tried = switches.on;
    switches.on = 0;
    await super.onAfterRetryTask(test, options);
    const { result } = test;
    if (!result) return;
    const ms = performance.now() - this.#began;
    const failed = result.state === 'fail';
    const late = result.errors?.some(({ message }) => /timed out in/.test(message ?? '')) ?? false;
    result.state = 'pass';
    delete result.errors;
    if (options.repeats === 0) this.#begin(test, ms, failed);
    else if (tried > 0) {
      this.#queue.pop();
      this.#tries[tried] = (this.#tries[tried] ?? 0) + 1;
      this.#isCheck = failed;
      if (failed) this.#open.delete(tried);
      if (failed) this.#write(late ? 'late' : 'noticed', tried);
    } else {
      // The test by itself, after one that failed: what that left behind may not be counted against others.
      if (failed) {
        this.#write('dirty');
        process.kill(process.pid, 'SIGKILL');
      }
      this.#isCheck = false;
    }
    if (this.#queue.length > 0 || this.#isCheck) return;
    this.#write('end', test.id);
    // Ends the repeats.
    Reflect.set(result, 'pending', true);
  }

  /** @param {Test} test @param {number} ms @param {boolean} failed */
  #begin(test, ms, failed) {
    const { near, root, fastMs, slowMs, testMs } = this.#job;
    const switches = this.#switches;
    this.#write('test', test.id, ms.toFixed(1), test.fullTestName ?? test.name);
    /** @type {number[]} */
    const reached = [];
    for (const [number, hit] of switches.hits.entries()) if (hit === 1) reached.push(number);
    const fresh = reached.filter((number) => this.#known[number] === 0);
    for (const number of fresh) this.#known[number] = 1;
    this.#write('reached', ...fresh);
    switches.most = Math.max(LOOP_LEAST, switches.reached * LOOP);
    if (failed || ms > slowMs) return;
    const ranges = near[relative(root, test.file.filepath)] ?? [];
    const isNear = (/** @type {number} */ number) =>
      ms < fastMs || ranges.some(([first, last]) => number >= first && number <= last);
    const wanted = reached.filter((number) => this.#open.has(number) && isNear(number));
    const most = Math.ceil(testMs / (ms + 0.5));
    const tries = (/** @type {number} */ number) => this.#tries[number] ?? 0;
    this.#queue = wanted.sort((one, other) => tries(other) - tries(one)).slice(-most);
  }

  /** @override @param {import('vitest').RunnerTestFile} file */
  onCollectStart(file) {
    super.onCollectStart(file);
    this.#write('file', relative(this.#job.root, file.filepath));
  }
}
