/** Each way to agents elsewhere, to the Worker under test, keeps to what a parent relies on. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { ServiceBindingTransport } from '../../../../src/capabilities/remote/transports/binding';
import { HttpRemoteAgentTransport } from '../../../../src/capabilities/remote/transports/http';
import { ObjectTransport } from '../../../../src/capabilities/remote/transports/object';
import type { RemoteAgentTransport } from '../../../../src/core/definition/remote-transport';
import { DATA_LIMITS } from '../../../../src/protocol/data-limits';
import { byteLength, type JsonObject } from '../../../../src/protocol/json';
import { pageOf, pendingItem } from '../../../../src/protocol/wire/shapes';
import { WIRE_LIMITS } from '../../../../src/protocol/wire/wire-limits';
import { remoteConformance } from '../../../../src/testing/remote-conformance';
import { HOST } from '../../../support/api';
import { bindings, served } from '../../../support/bindings';
import { present } from '../../../support/present';
import { asks, calls, noted, told } from '../../../support/told';

const WAYS: { readonly [way: string]: () => RemoteAgentTransport } = {
  http: () =>
    new HttpRemoteAgentTransport({
      url: HOST,
      allowLoopback: true,
      fetch: (input, init) => served.default.fetch(new Request(input, init)),
    }),
  binding: () => new ServiceBindingTransport({ binding: bindings.RPC }),
  object: () => new ObjectTransport({ namespace: bindings.TOP }),
};

const completes = { message: told(noted('a'), calls('leaf', [noted('b')])) };
const waits = {
  start: { message: told(noted('a'), asks(['pick', { of: ['x', 'y'] }])) },
  result: { picked: 'x' },
};

/** Objects inside each other, so many. */
const levels = (count: number): JsonObject => (count === 1 ? {} : { inner: levels(count - 1) });

describe.each(Object.keys(WAYS))('%s', (way) => {
  const transport = WAYS[way]?.();
  if (transport === undefined) throw new Error('There is no such way.');
  const remote = { transport, addressClass: 'top', completes, waits, crash: () => abortAllDurableObjects() };
  it.each(remoteConformance(remote))('[AE10, AE24] F83: $name', ({ run }) => run());

  it('[AE15, AE25] a body of 1 MB, or with 100 levels, is taken, and one byte or level more begins nothing', async () => {
    const message = told({ text: 'x' });
    const room = WIRE_LIMITS.maxBodyBytes - byteLength(JSON.stringify({ message }));
    const bodies = (more: number): { readonly [code: string]: JsonObject } => ({
      payload_too_large: { message: message + ' '.repeat(room + more) },
      invalid_request: { message, metadata: levels(DATA_LIMITS.maxDepth - 1 + more) },
    });
    const start = async (body: JsonObject) => {
      const agent = { addressClass: 'top', name: `edge-${crypto.randomUUID()}` };
      const ask = (verb: string, given?: JsonObject) =>
        transport.call({ verb, agent, ...(given ? { body: given } : {}), signal: new AbortController().signal });
      const answer = await ask('start', body);
      const { ok } = await ask('status');
      return { code: answer.ok ? 'accepted' : answer.code, begun: ok };
    };
    for (const [code, body] of Object.entries(bodies(0)))
      expect([code, await start(body)]).toEqual([code, { code: 'accepted', begun: true }]);
    for (const [code, body] of Object.entries(bodies(1))) expect(await start(body)).toEqual({ code, begun: false });
  });

  it('[RM26, A46, RM87] an answer that comes again is told what was decided', async () => {
    const agent = { addressClass: 'top', name: `again-${crypto.randomUUID()}` };
    const ask = (verb: string, body?: JsonObject) =>
      transport.call({ verb, agent, ...(body ? { body } : {}), signal: new AbortController().signal });
    // Answered once it waits for a person.
    expect(await ask('start', { ...waits.start, wait: true })).toMatchObject({ ok: true });
    const pending = await ask('pending');
    const [asked] = pageOf(pendingItem).parse(pending.ok && pending.body).items;
    const { toolCallId } = present(asked);
    const answer = { kind: 'client-tool-result', toolCallId, result: waits.result };
    expect(await ask('submit', answer)).toMatchObject({ ok: true });
    expect(await ask('submit', answer)).toMatchObject({
      ok: false,
      code: 'already_answered',
      details: { decision: { kind: 'client-tool-result' } },
    });
  });

  it('[AE10] a remote that keeps no promise passes no case', async () => {
    const silent: RemoteAgentTransport = {
      label: 'silent',
      call: async () => ({ ok: true, body: {} }),
      async *stream() {
        yield { type: 'end', status: 'completed' };
      },
    };
    for (const { name, run } of remoteConformance({ ...remote, transport: silent })) {
      if (name.startsWith('what a parent reads')) continue;
      await expect([
        name,
        await run().then(
          () => 'passed',
          () => 'failed',
        ),
      ]).toEqual([name, 'failed']);
    }
  });
});
