import { exports } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { createWorker, type WorkerOptions } from '../../../src/worker';
import { HOST, socketIn } from '../../support/api';
import { present } from '../../support/present';
import { Eager, Form, Leaf, Line, Middle, Tiny, Top } from '../../support/worker';
import { publishes, stands, threeLevels, waitingCall, yes } from '../standing';

const agents = [Top, Middle, Leaf, Tiny, Form, Line, Eager];

/** A Worker over the same objects where callers may do this alone. */
function only(...actions: string[]): { request: (path: string, init?: RequestInit) => Promise<Response> } {
  const authorize: WorkerOptions['authorize'] = (_request, { action }) =>
    actions.includes(action) ? { subject: 'eve' } : { refused: 'forbidden' };
  const worker = createWorker({ agents, authorize });
  return { request: (path, init) => worker.fetch(new Request(`${HOST}${path}`, init), {}, { exports }) };
}

const ACTIONS = [
  ['interrupt', 'stop'],
  ['abort', 'stop'],
  ['terminate', 'stop'],
  ['resume', 'write'],
  ['retry', 'write'],
  ['tool-results', 'answer'],
  ['shared-documents', 'share'],
] as const;

describe('who may', () => {
  it.each(ACTIONS)('[A32, A33, A34] %s needs the right to %s', async (path, action) => {
    const { at } = await threeLevels(publishes('x'));
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const others = ['read', 'write', 'answer', 'stop', 'share', 'admin'].filter((other) => other !== action);
    expect((await only(...others).request(`${at}/${path}`, init)).status).toBe(403);
    expect((await only(action).request(`${at}/${path}`, init)).status).not.toBe(403);
  });

  it('[A44] a socket does what its grant allows', async () => {
    const { at } = await threeLevels(publishes('x'));
    const toolCallId = await waitingCall(at);
    const response = await only('read', 'answer').request(at, { headers: { upgrade: 'websocket' } });
    const socket = socketIn(response);
    const results: JsonObject[] = [];
    socket.accept();
    socket.addEventListener('message', ({ data }) => {
      const frame = String(data).startsWith('{') ? JSON.parse(String(data)) : {};
      if (frame.type === 'offshoot.result') results.push(frame);
    });
    const call = async (id: number, verb: string, body: JsonObject): Promise<JsonObject> => {
      socket.send(JSON.stringify({ type: 'offshoot.call', id, verb, body }));
      return vi.waitFor(() => {
        return present(results.find((frame) => frame.id === id));
      });
    };
    expect(await call(1, 'interrupt', {})).toMatchObject({ ok: false, body: { code: 'forbidden' } });
    expect(await call(2, 'resume', {})).toMatchObject({ ok: false, body: { code: 'forbidden' } });
    expect(await call(3, 'pending', {})).toMatchObject({ ok: true, body: { items: [{ toolCallId }] } });
    expect(await call(4, 'submit', yes(toolCallId))).toMatchObject({ ok: true });
    await stands(at, 'completed');
    expect(await call(5, 'submit', yes(toolCallId))).toMatchObject({
      ok: false,
      body: { code: 'already_answered', details: { decision: { actor: 'eve' } } },
    });
    socket.close();
  });
});
