/**
 * The verbs that a parent asks elsewhere, as HTTP has them, and what an answer must be. They are the rows of the table
 * of verbs that carry no bytes and need no path of a file. A test holds them to that table.
 *
 * Keeps AE1.
 */
import * as z from 'zod';
import * as reading from '../../../protocol/wire/readings';
import {
  resumeAccepted,
  sendAccepted,
  startAccepted,
  stopAccepted,
  submitAccepted,
} from '../../../protocol/wire/requests';
import * as shape from '../../../protocol/wire/shapes';

/** How a verb is asked, and what it answers. */
export interface RemoteVerb {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** After the address; empty for the address itself. */
  readonly path: string;
  readonly answer: z.ZodType;
}

const get = (path: string, answer: z.ZodType): RemoteVerb => ({ method: 'GET', path, answer });
const post = (path: string, answer: z.ZodType): RemoteVerb => ({ method: 'POST', path, answer });

/** Every such verb, by its name. */
export const REMOTE_VERBS: { readonly [name: string]: RemoteVerb } = {
  start: post('start', z.union([startAccepted, shape.statusDocument])),
  send: post('messages', sendAccepted),
  interrupt: post('interrupt', stopAccepted),
  abort: post('abort', stopAccepted),
  terminate: post('terminate', stopAccepted),
  resume: post('resume', resumeAccepted),
  retry: post('retry', resumeAccepted),
  submit: post('tool-results', submitAccepted),
  status: get('status', shape.statusDocument),
  pending: get('pending', shape.pageOf(shape.pendingItem)),
  runs: get('runs', shape.pageOf(shape.listedRun)),
  children: get('children', shape.pageOf(shape.child)),
  tree: get('tree', shape.treeNode),
  usage: get('usage', shape.usageDocument),
  messages: get('messages', reading.transcriptPage),
  calls: get('calls', shape.pageOf(reading.ledgerEntry)),
  logs: get('logs', shape.pageOf(reading.logEntry)),
  state: get('state', reading.stateDocument),
  limits: get('limits', reading.limitsDocument),
  audit: get('audit', shape.pageOf(reading.auditEntry)),
  checkpoints: get('checkpoints', shape.pageOf(reading.checkpoint)),
  schedules: get('schedules', shape.pageOf(reading.due)),
  remove: { method: 'DELETE', path: '', answer: shape.nothing },
};

/** The verb of that name. @throws TypeError where a parent asks no such verb elsewhere */
export function remoteVerb(name: string): RemoteVerb {
  const verb = Object.hasOwn(REMOTE_VERBS, name) ? REMOTE_VERBS[name] : undefined;
  if (verb === undefined) throw new TypeError(`A remote agent does not offer "${name}".`);
  return verb;
}
