/** How many rows are written, by SQLite's own count with the entries of indexes. */

import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { everyPlacement } from '../../src/core/agent/children/placement';
import { seatOf } from '../../src/core/agent/seat';
import type { RootLocation } from '../../src/core/agent/state';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelPort, ModelReply } from '../../src/core/definition/model-port';
import type { Environment } from '../../src/engine/environment';
import { ObjectRuntime } from '../../src/engine/object/object';
import type { ObjectAnswer, ObjectCall } from '../../src/engine/object/object-calls';
import { NO_USAGE } from '../../src/protocol/usage';
import { createFileStore } from '../../src/store/files';
import { sqlStores } from '../../src/store/object-stores';
import type { ObjectStorage } from '../../src/store/storage';
import { vaultOf } from '../../src/store/vault';
import { bindings } from '../support/bindings';
import { HASHES } from '../support/hashes';
import { noModel } from '../support/no-model';
import { present } from '../support/present';

/** Rows written by table. */
type Rows = Record<string, number>;

const ROOT: RootLocation = { className: 'Parent', name: 'one' };

const echo = defineTool({
  name: 'echo',
  description: 'Echoes.',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const kid = defineAgent({ name: 'kid', systemPrompt: 'kid', model: noModel, tools: [echo] });
const parent = defineAgent({
  name: 'parent',
  systemPrompt: 'parent',
  model: noModel,
  tools: [createSubAgentTool(kid, z.object({}))],
});

/** Answers at once, without a stream: a parent calls its child once, a child takes so many steps with one tool call. */
function instant(steps: number): ModelPort {
  return {
    async call({ agentType, step }): Promise<ModelReply> {
      const [toolName, input, calls] =
        agentType === 'parent' ? ['subagent__kid', {}, 1] : ['echo', { text: 'x' }, steps];
      const content: ModelReply['content'] =
        step <= calls
          ? [{ type: 'tool-call', providerId: 'p', toolName, input: input }]
          : [{ type: 'text', text: 'done' }];
      return { content, finishReason: 'stop', usage: NO_USAGE, model: 'test/instant' };
    },
  };
}

const environment: Environment = {
  now: Date.now,
  token: () => crypto.randomUUID().replaceAll('-', ''),
  timer(ms, callback) {
    const id = globalThis.setTimeout(callback, ms);
    return () => clearTimeout(id);
  },
  bindings: {},
  ...HASHES,
  report: (problem, error) => console.error(problem, error),
};

/** The storage, with the rows that are written to each table noted. */
function counting(storage: DurableObjectStorage, rows: Rows): ObjectStorage {
  return {
    transactionSync: (body) => storage.transactionSync(body),
    sql: {
      exec(query, ...bindings) {
        const cursor = storage.sql.exec(query, ...bindings);
        const table = /^insert into "(\w+)"/.exec(query)?.[1];
        if (table !== undefined) rows[table] = (rows[table] ?? 0) + cursor.rowsWritten;
        return cursor;
      },
    },
  };
}

/** An object of an agent over the storage of a Durable Object that nobody else uses, and how it is called from outside. */
class Place {
  readonly rows: Rows = {};
  readonly #object: Promise<ObjectRuntime>;
  readonly #name = crypto.randomUUID();
  /** The object that children and roots are found in. */
  neighbour: Place | undefined;

  constructor(definition: AgentDefinition, topLevel: RootLocation | undefined, model: ModelPort) {
    this.#object = runInDurableObject(this.#durable(), (_: object, { storage }) =>
      this.#make(storage, definition, topLevel, model),
    );
  }

  /** A stub belongs to the object that made it. */
  #durable(): DurableObjectStub {
    return bindings.TOP.getByName(this.#name);
  }

  #make(
    storage: DurableObjectStorage,
    definition: AgentDefinition,
    topLevel: RootLocation | undefined,
    model: ModelPort,
  ): ObjectRuntime {
    const neighbour = <Call extends ObjectCall>(call: Call): Promise<ObjectAnswer<Call>> =>
      present(this.neighbour).inside((object) => object.call(structuredClone(call)));
    return new ObjectRuntime({
      environment,
      definition,
      seat: () => seatOf(definition),
      capabilities: [],
      stores: sqlStores(counting(storage, this.rows), topLevel !== undefined),
      files: createFileStore(storage, { now: Date.now }),
      durable: () => Promise.resolve(),
      topLevel,
      model: async () => model,
      isAt: () => true,
      transports: everyPlacement({
        send: (_child, message) => neighbour(message),
        remove: async () => undefined,
        copy: async () => false,
      }),
      askRoot: (_root, request) => neighbour({ kind: 'root', request }),
      askFiles: (_root, call) => neighbour(call),
      askVariables: (_root, call) => neighbour(call),
      askThread: (_root, call) => neighbour(call),
      vault: vaultOf(() => undefined),
      askOther: (_root, call) => neighbour(call),
      arm: () => undefined,
      verb: () => Promise.reject(new Error('unused')),
    });
  }

  /** Does something with the object, where its storage may be used. */
  async inside<Result>(work: (object: ObjectRuntime) => Promise<Result>): Promise<Result> {
    const object = await this.#object;
    return runInDurableObject(this.#durable(), () => work(object));
  }
}

/** Runs a parent whose child takes so many steps with a tool, and one more; what each of them wrote. */
async function run(steps: number): Promise<{ root: Rows; child: Rows }> {
  const root = new Place(parent, ROOT, instant(steps));
  const child = new Place(kid, undefined, instant(steps));
  root.neighbour = child;
  child.neighbour = root;
  await root.inside(async (object) => {
    const facts = { at: Date.now(), token: environment.token() };
    const messages = [{ messageId: 'm_1', role: 'user', content: 'Go', from: 'caller' } as const];
    const session = object.newRootSession({ tags: [] });
    const started = await object.create(session, {}, { type: 'start', ...facts, runId: 'r_1', messages });
    expect(started.ok).toBe(true);
    expect(await object.tree?.until(() => object.agent?.state.run?.phase === 'ended', 20_000)).toBe(true);
  });
  await child.inside(async (object) => expect(object.agent?.state.run).toMatchObject({ phase: 'ended' }));
  return { root: root.rows, child: child.rows };
}

const sum = (rows: Rows): number => Object.values(rows).reduce((total, count) => total + count, 0);

describe('rows written', () => {
  it('[B1] a step with one tool call writes 5 rows in its store, of at most 8: itself twice, the result, two batches', async () => {
    const [few, many] = [(await run(5)).child, (await run(15)).child];
    const each = Object.fromEntries(
      Object.entries(many).map(([table, rows]) => [table, (rows - (few[table] ?? 0)) / 10]),
    );
    expect(each).toEqual({ session: 0, messages: 0, runs: 0, steps: 2, settlements: 1, outbox: 2 });
    expect(sum(each)).toBeLessThanOrEqual(8);
  });

  it('[B2] batches that arrive together write one row of the log, and one of the record, at their root', async () => {
    const { root, child } = await run(10);
    const { tree = 0, log = 0 } = root;
    // The record is written without a batch when it is founded, when a turn begins and when the child is admitted.
    expect(tree - 3).toBe(log);
    // The root itself has four: it starts, calls, gets the result, and ends with the reply to it.
    expect(log).toBeGreaterThan(4);
    expect(log - 4).toBeLessThanOrEqual(child.outbox ?? 0);
  });
});
