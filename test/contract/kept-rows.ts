/** The rows that are kept by a key beside memory and log: every store gives back each as a plain map would. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VariableRequest } from '../../src/core/agent/events';
import type { Receipt, RemoteRow, StoredVariable } from '../../src/core/ports/agent-store';
import type { GivenToken } from '../../src/core/ports/tree-store';
import { SqlAgentStore } from '../../src/store/agent-store';
import { MAX_TEXT } from '../../src/store/long-rows';
import { migrate } from '../../src/store/migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';
import type { ObjectStorage } from '../../src/store/storage';
import { SqlTreeStore } from '../../src/store/tree-store';
import { planned } from '../support/machine';
import { always, sized } from '../support/sizes';
import type { WithStorage } from './stores-support';

/** Keys that one another's could be taken for. */
const KEYS = ['a', 'a2', 'input', 'remote', 'é'] as const;

interface Kept<Value> {
  readonly value: Value;
  readonly until: number;
}

/** The same rows in maps. */
class Rows {
  now = 1_000;
  readonly receipts = new Map<string, Kept<Receipt>>();
  readonly requests = new Map<string, Kept<VariableRequest>>();
  readonly remotes = new Map<string, RemoteRow>();
  readonly inputs = new Map<string, string>();
  readonly variables = new Map<string, StoredVariable>();
  readonly tokens = new Map<string, GivenToken>();

  /** Its value, as long as it counts. */
  young<Value>(rows: ReadonlyMap<string, Kept<Value>>, key: string): Value | undefined {
    const found = rows.get(key);
    return found && found.until > this.now ? found.value : undefined;
  }
}

interface Stores {
  readonly agent: SqlAgentStore;
  readonly tree: SqlTreeStore;
}

const opened = (storage: ObjectStorage): Stores => ({
  agent: new SqlAgentStore(storage),
  tree: new SqlTreeStore(storage),
});

/** One change, to the stores and to the maps. */
type Write = (stores: Stores, rows: Rows) => void;

const key = fc.constantFrom(...KEYS);
/** A few are longer than a row. */
const text = fc.oneof(
  { weight: 12, arbitrary: fc.string({ maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(MAX_TEXT), 'y'.repeat(2 * MAX_TEXT)) },
);
const age = fc.integer({ min: 1, max: 5 });

const receipt = fc.tuple(key, text, age).map(
  ([id, body, ms]): Write =>
    ({ agent }, rows) => {
      const value = { body: `digest ${body.length}`, answer: { status: 202, body } };
      agent.addReceipt(id, value, rows.now, ms);
      rows.receipts.set(id, { value, until: rows.now + ms });
    },
);
const request = fc.tuple(key, text, age).map(
  ([requestId, written, ms]): Write =>
    ({ agent }, rows) => {
      const until = rows.now + ms;
      const facts = { callId: 'c', stepId: 1, required: ['TOKEN'], at: rows.now, expiresAt: until };
      const value = { requestId, planned: planned.child(), written, ...facts };
      agent.write([{ put: 'variable_request', request: value }]);
      rows.requests.set(requestId, { value, until });
    },
);
const noRequest = key.map(
  (requestId): Write =>
    ({ agent }, rows) => {
      agent.write([{ put: 'no_variable_request', requestId }]);
      rows.requests.delete(requestId);
    },
);
const remote = fc.tuple(key, fc.constantFrom('placed', 'removed'), text, fc.option(text, { nil: undefined })).map(
  ([sessionId, is, own, input]): Write =>
    ({ agent }, rows) => {
      const row = { sessionId, is, own } as const;
      agent.setRemote(row, input);
      rows.remotes.set(sessionId, row);
      if (input !== undefined) rows.inputs.set(sessionId, input);
    },
);
const noRemote = key.map(
  (sessionId): Write =>
    ({ agent }, rows) => {
      agent.dropRemote(sessionId);
      for (const kept of [rows.remotes, rows.inputs]) kept.delete(sessionId);
    },
);
const variable = fc.tuple(key, fc.option(fc.record({ sealed: fc.string() }), { nil: undefined })).map(
  ([name, value]): Write =>
    ({ agent }, rows) => {
      agent.setVariable(name, value);
      if (value) rows.variables.set(name, value);
      else rows.variables.delete(name);
    },
);
const token = fc.tuple(key, fc.string(), fc.boolean()).map(
  ([id, label, isTaken]): Write =>
    ({ tree }, rows) => {
      const who = { asked: 'digest', createdAt: 1, createdBy: 'ada', holder: 'ada', endsAt: 9 };
      const actions = ['read'] as const;
      const given = { id, address: '/agents/top/one', actions, label, ...who, ...(isTaken ? { revokedAt: 5 } : {}) };
      tree.putToken(given);
      rows.tokens.set(id, given);
    },
);
const noTokens = fc.uniqueArray(key).map(
  (ids): Write =>
    ({ tree }, rows) => {
      tree.dropTokens(ids);
      for (const id of ids) rows.tokens.delete(id);
    },
);
const later = age.map(
  (ms): Write =>
    (_, rows) => {
      rows.now += ms;
    },
);

const writes = fc.array(fc.oneof(receipt, request, noRequest, remote, noRemote, variable, token, noTokens, later), {
  minLength: 1,
  maxLength: 30,
});

function inStores({ agent, tree }: Stores, now: number) {
  return {
    byKey: KEYS.map((id) => [
      agent.receipt(id, now),
      agent.variableRequest(id, now),
      agent.remote(id),
      agent.remoteInput(id),
      agent.variable(id),
      tree.token(id),
    ]),
    receipts: agent
      .receiptKeys(now)
      .filter((id) => !id.startsWith('['))
      .sort(),
    requests: agent.variableRequests(now).map(({ requestId }) => requestId),
    remotes: agent.remotes().sort(),
    variables: agent.variableNames(),
    tokens: tree.tokens().map(({ id }) => id),
  };
}

function inMaps(rows: Rows): ReturnType<typeof inStores> {
  const { receipts, requests, remotes, inputs, variables, tokens } = rows;
  return {
    byKey: KEYS.map((id) => [
      rows.young(receipts, id),
      rows.young(requests, id),
      remotes.get(id),
      inputs.get(id),
      variables.get(id),
      tokens.get(id),
    ]),
    receipts: KEYS.filter((id) => rows.young(receipts, id)),
    requests: KEYS.filter((id) => rows.young(requests, id)),
    remotes: KEYS.filter((id) => remotes.has(id)),
    variables: KEYS.filter((id) => variables.has(id)),
    tokens: KEYS.filter((id) => tokens.has(id)),
  };
}

/** The contract. */
export function keptRowsContract(name: string, withStorage: WithStorage): void {
  describe(`rows by key over ${name}`, () => {
    it('[SO4, SO2] are each as it was written last, until its time is up or it is dropped, whatever was written between', () =>
      always(
        fc.asyncProperty(writes, (all) =>
          withStorage(({ storage, reopen }) => {
            migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
            const [stores, rows] = [opened(storage), new Rows()];
            for (const write of all) write(stores, rows);
            expect(inStores(opened(reopen()), rows.now)).toEqual(inMaps(rows));
          }),
        ),
        sized(25, 1_000),
      ));

    it('[SO2] that were longer than a row leave no parts behind when they are dropped', () =>
      withStorage(({ storage }) => {
        migrate(storage, { agent: AGENT_MIGRATIONS, root: ROOT_MIGRATIONS });
        const long = 'x'.repeat(2 * MAX_TEXT);
        const { agent } = opened(storage);
        agent.setRemote({ sessionId: 'a', is: 'placed', long } as RemoteRow, long);
        const [own, other] = ['a', 'b'].map(
          (requestId): VariableRequest => ({
            ...{ requestId, planned: planned.child(), callId: 'c', stepId: 1, written: long },
            ...{ required: [], at: 1, expiresAt: 9 },
          }),
        ) as [VariableRequest, VariableRequest];
        for (const one of [own, other]) agent.write([{ put: 'variable_request', request: one }]);
        const owners = () =>
          storage.sql
            .exec('SELECT DISTINCT owner FROM overflow')
            .toArray()
            .map((row) => row.owner);
        expect(owners()).toHaveLength(4);
        agent.dropRemote('a');
        agent.write([{ put: 'no_variable_request', requestId: 'a' }]);
        expect(owners()).toEqual([expect.stringContaining('"b"')]);
      }));
  });
}
