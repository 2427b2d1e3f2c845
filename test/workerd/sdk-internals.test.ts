/** The private members of the SDK that the host uses are where they were: a release that moves one fails here. */

import { runInDurableObject } from 'cloudflare:test';
import { Agent } from 'agents';
import { describe, expect, it } from 'vitest';
import {
  facetKey,
  hasStartedBefore,
  registryOf,
  SDK_KEYS,
  SOCKET_NAME,
  schedulesOf,
} from '../../src/host/sdk-internals';
import { HOST, socketIn } from '../support/api';
import { bindings } from '../support/bindings';
import { SDK_GETTERS, SDK_JOBS, SDK_METHODS, SDK_REGISTRY, SDK_SCHEDULER } from '../support/sdk-internals';

const { WRITERS } = bindings;

const author = () => WRITERS.getByName(`sdk-${crypto.randomUUID().slice(0, 8)}`);

const ownMember = (name: string) => Object.getOwnPropertyDescriptor(Agent.prototype, name);

describe('the SDK', () => {
  it.each(Object.entries(SDK_METHODS))('[F19] has the method %s with %i parameters', (name, parameters) => {
    const method: unknown = ownMember(name)?.value;
    expect(method).toBeTypeOf('function');
    expect(method).toHaveLength(parameters);
  });

  it.each(SDK_GETTERS)('[F19] has the getter %s', (name) => {
    expect(ownMember(name)?.get).toBeTypeOf('function');
  });

  it('[F19] has the registry of facets, and keeps nothing under other keys than its own', async () => {
    const stub = author();
    await stub.at([], 'kept');
    await runInDurableObject(stub, async (agent, state) => {
      const registry = registryOf(agent);
      for (const [name, parameters] of Object.entries(SDK_REGISTRY))
        expect(Reflect.get(registry, name)).toHaveLength(parameters);
      const keys = [...state.storage.kv.list()].map(([key]) => key);
      expect(keys.filter((key) => key.startsWith(SDK_KEYS))).not.toEqual([]);
    });
  });

  it('[F19] has the jobs of schedules', async () => {
    await runInDurableObject(author(), (agent) => {
      const schedules = schedulesOf(agent);
      const parameters = (of: object, names: object) =>
        Object.keys(names).map((name) => [name, Reflect.get(of, name).length]);
      expect(parameters(schedules, SDK_SCHEDULER)).toEqual(Object.entries(SDK_SCHEDULER));
      expect(parameters(schedules.lifecycle.jobs, SDK_JOBS)).toEqual(Object.entries(SDK_JOBS));
    });
  });

  it('[F18, F19] makes its tables and notes that when it starts, or when one of them is read', async () => {
    const stub = author();
    const tables = ({ sql }: DurableObjectStorage) =>
      sql.exec(`SELECT name FROM sqlite_master WHERE name LIKE 'cf_agent%'`).toArray();
    await runInDurableObject(stub, (agent, { storage }) => {
      expect([tables(storage), hasStartedBefore(storage)]).toEqual([[], false]);
      expect(agent.sql`SELECT * FROM cf_agents_runs`).toEqual([]);
      expect(hasStartedBefore(storage)).toBe(true);
    });
    const other = author();
    await other.at([], 'kept');
    await runInDurableObject(other, (_, { storage }) => {
      expect(hasStartedBefore(storage)).toBe(true);
      expect(tables(storage)).toContainEqual({ name: 'cf_agents_runs' });
    });
  });

  it('[F18, F19] gives `mcp` before it has started: with its table, and no server', async () => {
    const stub = author();
    await runInDurableObject(stub, (instance, { storage }) => {
      const agent = instance;
      expect([agent.lifecycle.isStarted(), hasStartedBefore(storage)]).toEqual([false, false]);
      expect(agent.mcp.listServers()).toEqual([]);
      expect(agent.getMcpServers()).toMatchObject({ servers: {} });
      expect([agent.lifecycle.isStarted(), hasStartedBefore(storage)]).toEqual([false, true]);
    });
    await stub.at([], 'kept');
    await runInDurableObject(stub, (instance) => {
      const agent = instance;
      expect(agent.lifecycle.isStarted()).toBe(true);
      expect(agent.mcp.listServers()).toEqual([]);
    });
  });

  it('[F19] keeps a facet under the key of its class and its name', async () => {
    const stub = author();
    await stub.at(['a'], 'keep', 'mine');
    await runInDurableObject(stub, async (_, state) => {
      const { facets } = state;

      expect(() => facets.clone(facetKey('Author', 'a'), facetKey('Author', 'copy'))).not.toThrow();
    });
    expect(await stub.at(['copy'], 'kept')).toContain('mine');
  });

  it('[F19] takes the name of a socket from its URL', async () => {
    const stub = author();
    await stub.at([], 'keep', 'awake');
    const url = `${HOST}/agents/author/${stub.name}?${SOCKET_NAME}=mine`;
    const response = await stub.fetch(url, { headers: { upgrade: 'websocket' } });
    const socket = socketIn(response);
    socket.accept();
    await runInDurableObject(stub, (agent) => {
      const connections = [...agent.getConnections()];
      expect(connections.map(({ id }) => id)).toEqual(['mine']);
    });
    socket.close();
  });
});
