/** The right that each verb asks for: read from the table here, and proved over HTTP there. */

import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/protocol/actions';
import { VERBS } from '../../../src/verbs/table';
import { createWorker, type WorkerOptions } from '../../../src/worker';
import { address, HOST, post, send } from '../../support/api';
import { told } from '../../support/puppet';
import { Eager, Form, Leaf, Line, Middle, Tiny, Top } from '../../support/worker';

/** Written by hand: whoever changes what a verb asks for changes it here too. */
const RIGHTS: Record<(typeof VERBS)[number]['name'], Action> = {
  start: 'write',
  send: 'write',
  interrupt: 'stop',
  abort: 'stop',
  terminate: 'stop',
  resume: 'write',
  retry: 'write',
  fork: 'read',
  pending: 'read',
  submit: 'answer',
  status: 'read',
  tree: 'read',
  runs: 'read',
  calls: 'read',
  logs: 'read',
  state: 'read',
  limits: 'read',
  audit: 'read',
  checkpoints: 'read',
  messages: 'read',
  cancelMessage: 'write',
  chunks: 'read',
  stream: 'read',
  variables: 'read',
  giveVariables: 'write',
  children: 'read',
  usage: 'read',
  schedules: 'read',
  files: 'read',
  readFile: 'read',
  writeFile: 'write',
  removeFile: 'write',
  documents: 'read',
  removeDocument: 'write',
  shareDocument: 'share',
  unshareDocument: 'share',
  createToken: 'share',
  tokens: 'share',
  revokeToken: 'share',
  createTicket: 'read',
  remove: 'admin',
};
const ACTIONS: readonly Action[] = ['read', 'write', 'answer', 'stop', 'share', 'admin'];
const agents = [Top, Middle, Leaf, Tiny, Form, Line, Eager];

/** A Worker over the same objects where callers may do this alone. */
function only(...actions: Action[]): (path: string, init: RequestInit) => Promise<Response> {
  const authorize: WorkerOptions['authorize'] = (_request, { action }) =>
    actions.includes(action) ? { subject: 'eve' } : { refused: 'forbidden' };
  const worker = createWorker({ agents, authorize });
  return (path, init) => worker.fetch(new Request(`${HOST}${path}`, init), {}, { exports });
}

describe('the right of each verb', () => {
  it('[X31] is the one that is written here', () => {
    expect(Object.fromEntries(VERBS.map(({ name, action }) => [name, action]))).toEqual(RIGHTS);
  });

  it.each(Object.entries(RIGHTS))(
    '[X31] %s is answered over HTTP to who may %s, and to nobody else',
    async (name, action) => {
      const verb = VERBS.find((one) => one.name === name);
      if (verb === undefined) throw new Error(`There is no verb ${name}.`);
      const at = address();
      await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
      await send(`${at}/files/a.md`, { method: 'PUT', body: 'x' });
      const path = `${at}${verb.path === '' ? '' : `/${verb.path.replace('{path}', 'a.md')}`}`;
      const body = { POST: '{"nonsense":1}', PUT: 'x', GET: null, DELETE: null }[verb.method];
      const init = {
        method: verb.method,
        ...(body === null
          ? {}
          : { body, headers: { 'content-type': 'application/json', 'content-length': String(body.length) } }),
      };
      const refused = await only(...ACTIONS.filter((other) => other !== action))(path, init);
      expect(refused.status).toBe(403);
      const response = await only(action)(path, init);
      // A body that makes no sense, and what is not there, are refused, but by the verb.
      if (verb.method === 'POST') expect(response.status).toBe(400);
      else
        expect([
          response.status,
          (verb.name === 'stream' ? '' : await response.clone().text()).includes('"forbidden"'),
        ]).toEqual([expect.any(Number), false]);
      await response.body?.cancel();
    },
  );
});
