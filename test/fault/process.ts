/**
 * The end of a process at an exact commit, inside workerd.
 *
 * `abortAllDurableObjects()` takes effect some turns after it was asked for, and workerd forbids an object to ask for
 * its own end. So from the chosen commit on nothing more is kept and nothing more leaves an object, until all of them
 * are thrown out of memory: what is left is what a kill right after that commit leaves.
 */

import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import type { RootAnswer } from '../../src/engine/tree-messages';
import { setWorkerPorts, workerPorts } from '../../src/host/worker-ports';
import { failure } from '../../src/protocol/errors';
import { isObject } from '../../src/protocol/json';
import { AgentObject, OffshootDirectory } from '../../src/worker';

/** Microtasks that still belong to the turn of a commit: what they write is kept together with it. */
const TURN = 30;

/** Counts the commits of all objects, and ends the process at one of them. */
export class Process {
  #commits = 0;
  #endAt = 0;
  #ended = false;
  #sealed = false;

  /** Takes hold of all objects of this isolate; `stub` is any of them. Call it once, before any object works. */
  static async hold(stub: DurableObjectStub): Promise<Process> {
    const process = new Process();
    setWorkerPorts({ ...workerPorts(), committed: () => process.#committed() });
    // Before the first object is made, because the SDK wraps the methods that it finds then.
    process.#silence(AgentObject.prototype, ['offshoot', 'offshootPrepare']);
    process.#silence(OffshootDirectory.prototype, ['report']);
    process.#replace(Object.create(AgentObject.prototype), 'onStart', () => (process.#ended ? true : undefined));
    await runInDurableObject(stub, (_: object, { storage }) => {
      process.#replace(storage, 'transactionSync', () => {
        if (process.#ended) throw new Error('The process has ended.');
      });
      process.#replace(storage, 'setAlarm', () => (process.#sealed ? Promise.resolve() : undefined));
    });
    const { error } = console;
    vi.spyOn(console, 'error').mockImplementation((...said: unknown[]) => {
      if (!process.#ended) error(...said);
    });
    return process;
  }

  /** Counts from 1 again; the process ends at this commit, or not at all with 0. */
  begin(endAt: number): void {
    this.#commits = 0;
    this.#endAt = endAt;
  }

  /** Whether the process has ended and was not begun again. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Throws everything out of memory; what begins after it is the next process. */
  async crash(): Promise<void> {
    await abortAllDurableObjects();
    this.#ended = false;
    this.#sealed = false;
  }

  #committed(): void {
    if (this.#ended) return;
    this.#commits++;
    if (this.#commits !== this.#endAt) return;
    this.#ended = true;
    void this.#seal();
  }

  async #seal(): Promise<void> {
    for (let turn = 0; turn < TURN; turn++) await null;
    this.#sealed = this.#ended;
  }

  /** Asks `first` before a method of all instances: what it gives stands in for the method. */
  #replace(instance: object, name: string, first: () => unknown): void {
    const methods: Record<string, (...values: unknown[]) => unknown> = Object.getPrototypeOf(instance);
    const method = methods[name];
    if (method === undefined) throw new TypeError(`There is no ${name}.`);
    methods[name] = function (...values) {
      return first() ?? method.apply(this, values);
    };
  }

  /** What is answered by a process that has ended changes nothing any more: nothing is kept. */
  #silence(of: object, names: readonly string[]): void {
    const ended = (): boolean => this.#ended;
    for (const name of names) {
      const method: unknown = Reflect.get(of, name);
      if (typeof method !== 'function') throw new TypeError(`There is no ${name}.`);
      // Not `async`, as the methods themselves: the SDK would start before them.
      const silent = function (this: unknown, call: unknown, ...values: unknown[]) {
        if (ended()) return Promise.resolve(nobody(call));
        const answered: Promise<unknown> = method.call(this, call, ...values);
        return answered.then(
          (answer) => (ended() ? nobody(call) : answer),
          (error: unknown) => {
            if (ended()) return nobody(call);
            throw error;
          },
        );
      };
      Reflect.set(of, name, silent);
    }
  }
}

/** What is said for an object that is not there. */
function nobody(call: unknown): unknown {
  const kind = isObject(call) ? call.kind : undefined;
  if (kind === 'root') return { merge: 'gone', merged: 0, admissions: [], withdrawn: [] } satisfies RootAnswer;
  if (kind === 'agent') return { answer: 'absent' };
  return { ok: false, error: failure('unavailable') };
}
