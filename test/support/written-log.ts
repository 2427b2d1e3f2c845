/** A root's record and log over a real store, under virtual time, written by hand. */

import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import type { AtOnce } from '../../src/core/ports/agent-store';
import { RootRuntime } from '../../src/engine/root/root';
import type { Chunk } from '../../src/protocol/chunks';
import type { SessionStatus } from '../../src/protocol/status';
import { NO_USAGE } from '../../src/protocol/usage';
import { migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';
import { transact } from '../../src/store/storage';
import { SqlTreeStore } from '../../src/store/tree-store';
import { nodeStorage } from '../../src/testing/node-storage';
import { VirtualTime } from './virtual-time';

/** The address of the root. */
export const ROOT = '/agents/top/one';

/** A root whose agent says what a test lets it say. */
export function writtenLog(limits: Partial<typeof DEFAULT_LIMITS> = {}) {
  const time = new VirtualTime();
  const storage = nodeStorage();
  migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
  const store = new SqlTreeStore(storage);
  const transaction = <Result>(body: () => AtOnce<Result>): Result => transact(storage, body);
  const reads: number[] = [];
  const counted = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === 'read') reads.push(Number(args[0]));
        return value.apply(target, args);
      };
    },
  });
  const root = new RootRuntime({
    environment: time.environment,
    store: counted,
    transaction,
    send: async () => ({ answer: 'done' }),
    arm: () => undefined,
    released: () => undefined,
    isSweeping: () => false,
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
  transaction(() =>
    root.found({
      sessionId: 's_1',
      agentType: 'top',
      address: ROOT,
      root: { className: 'Top', name: 'one' },
      depth: 1,
      tags: [],
      createdAt: 1,
    }),
  );
  const sink = root.sink();
  const chunk = (text: string): Chunk => ({
    type: 'text_delta',
    part: 0,
    delta: text,
    agentId: 's_1',
    agentType: 'top',
    address: ROOT,
    runId: 'r_1',
    step: 1,
    attempt: 1,
    timestamp: 1,
  });
  return {
    time,
    root,
    /** The sequences at which the log was read. */
    reads,
    /** Begins a turn. */
    begin(turn: number): void {
      transaction(() => root.beginTurn(turn, []));
    },
    /** Begins a turn in a transaction that is rolled back. */
    failToBegin(turn: number): void {
      const failing = (): undefined => {
        root.beginTurn(turn, []);
        throw new Error('Not kept.');
      };
      try {
        transaction(failing);
      } catch {
        sink.abandon();
      }
    },
    /** Writes chunks as one batch. */
    say(texts: readonly string[], status: SessionStatus = 'running'): void {
      transaction(() => sink.keep(texts.map(chunk), { status, usage: NO_USAGE }));
      sink.flush();
    },
  };
}
