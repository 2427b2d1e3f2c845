/**
 * A server that speaks the part of the protocol that a client of a run needs, over real HTTP on this machine, with
 * faults on request. It keeps its own books of what it was asked.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { isObject, type Json, type JsonObject } from '../../src/protocol/json';
import { portOf } from './ports';

/** A run that the server tells of. */
export interface FakeRun {
  readonly entries: readonly SequencedChunk[];
  /** The status at the end of the log. */
  readonly status: string;
  readonly output?: Json;
}

/** A request that came in. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;
}

/** What one connection to the stream does beside telling the log. All of it is off by default. */
export interface StreamFault {
  /** Sends so many bytes and then breaks the connection. */
  readonly cutAfterBytes?: number;
  /** Sends so many chunks and then breaks the connection. */
  readonly cutAfterChunks?: number;
  /** Closes in order, but without the `end` event. */
  readonly withoutEnd?: boolean;
  /** Tells that the log begins here now. */
  readonly resetTo?: number;
  /** Leaves out these sequences. */
  readonly skip?: readonly number[];
  /** Sends so many chunks and then nothing more, with the connection open. */
  readonly hangAfterChunks?: number;
  /** Answers so instead. */
  readonly answer?: { readonly status: number; readonly body: string; readonly type?: string };
}

/** A refusal of the next request of its kind. */
export interface FakeRefusal {
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly details?: Json;
}

/** The server's behaviour, which a test may change at any time. */
export interface FakeBehaviour {
  /** The run that a start begins; addresses that were started or put here answer. */
  run: FakeRun;
  /** The secret that requests must bring. */
  token?: string;
  /** What each connection to a stream does: the first takes the first, and so on; none left means no fault. */
  faults: StreamFault[];
  /** Answers to the next starts instead of an acceptance; `drop` accepts, but breaks the connection. */
  starts: (FakeRefusal | 'drop')[];
  /** What waits for a person, with the addresses of the run's own log. */
  pending: JsonObject[];
  /** The same for the next answers, stops and resumes, by the last part of their path. */
  readonly refusals: Record<(typeof CHANGES)[number] | 'pending', (FakeRefusal | 'drop')[]>;
  /** More of what a message is answered with. */
  sent?: JsonObject;
  /** Called with each of them that is accepted, once for each key, before the acceptance is sent. */
  onAccepted?: (verb: string, body: JsonObject) => void;
  /** Called when the list of what waits was given. */
  onListed?: () => void;
  /** What `/healthz` answers. */
  health: Json;
  /** What `/directory/agents` answers: a page, or a refusal. */
  agents: JsonObject | FakeRefusal;
  /** Connections to streams that are open now. */
  openStreams: number;
  /** Called when a stream has sent all that its fault lets it send. */
  onStreamIdle?: () => void;
}

/** A running fake. */
export interface FakeServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  readonly behaviour: FakeBehaviour;
  /** Makes an address known that nobody started here. */
  know(address: string): void;
  /** The run has that status now, and its log holds what was added to it: all open streams tell so. */
  becomes(status: string, output?: Json): void;
  /** The addresses that it knows, and the idempotency keys of their starts. */
  readonly known: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** Starts a fake on a free port of this machine, or on the given one. */
export async function fakeServer(run: FakeRun, port = 0): Promise<FakeServer> {
  const behaviour: FakeBehaviour = {
    run,
    faults: [],
    starts: [],
    pending: [],
    refusals: { 'tool-results': [], interrupt: [], resume: [], retry: [], messages: [], pending: [] },
    openStreams: 0,
    health: { ok: true, name: 'offshoot', version: '0.0.0' },
    agents: { items: [] },
  };
  const requests: FakeRequest[] = [];
  const known = new Map<string, string>();
  const streams = new Set<OpenStream>();
  const accepted = new Set<string>();
  const server = createServer((request, response) => {
    read(request).then(
      (body) => {
        const url = new URL(request.url ?? '/', 'http://fake');
        const { method = 'GET', headers } = request;
        const seen = { method, path: url.pathname, query: url.searchParams, headers, body };
        requests.push(seen);
        answer(seen, response, { behaviour, known, streams, accepted });
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    behaviour,
    known,
    know: (address) => void known.set(address, ''),
    becomes(status, output) {
      behaviour.run = { ...behaviour.run, status, ...(output === undefined ? {} : { output }) };
      for (const open of [...streams]) flush(open, behaviour);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function read(request: IncomingMessage): Promise<Json> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  return text === '' ? null : JSON.parse(text);
}

function json(response: ServerResponse, status: number, body: JsonObject): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}

function problem(response: ServerResponse, status: number, code: string, detail = '', details?: Json): void {
  const known: JsonObject = details === undefined ? {} : { details };
  const title = `Title of ${code}.`;
  json(response, status, { type: 'about:blank', title, status, code, detail, requestId: 'q_1', ...known });
}

/** A stream that is open, with the sequence that it sends next. `follow` stays through suspensions. */
interface OpenStream {
  readonly response: ServerResponse;
  readonly address: string;
  readonly follow: boolean;
  next: number;
}

/** What the server holds. */
interface World {
  readonly behaviour: FakeBehaviour;
  readonly known: Map<string, string>;
  readonly streams: Set<OpenStream>;
  /** The idempotency keys of what was accepted. */
  readonly accepted: Set<string>;
}

function answer(request: FakeRequest, response: ServerResponse, world: World): void {
  const { behaviour, known } = world;
  if (request.path === '/healthz') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(behaviour.health));
    return;
  }
  if (behaviour.token !== undefined && request.headers.authorization !== `Bearer ${behaviour.token}`) {
    problem(response, 401, 'unauthorized');
    return;
  }
  if (request.path === '/directory/agents') {
    const { agents } = behaviour;
    if (isRefusal(agents)) problem(response, agents.status, agents.code, agents.detail);
    else json(response, 200, agents);
    return;
  }
  const [, address = '', verb = ''] = /^(\/agents\/.+)\/([^/]+)$/u.exec(request.path) ?? [];
  if (verb === 'start' && request.method === 'POST') start(request, address, response, behaviour, known);
  else if (!known.has(address)) problem(response, 404, 'not_found');
  else if (verb === 'stream') stream(request, address, response, world);
  else if (verb === 'status') json(response, 200, statusDocument(address, behaviour));
  else if (verb === 'pending') pending(address, response, behaviour);
  else if (request.method === 'POST' && isChange(verb)) change(request, verb, response, world);
  else problem(response, 404, 'not_found');
}

const isRefusal = (agents: JsonObject | FakeRefusal): agents is FakeRefusal => 'status' in agents;

const CHANGES = ['tool-results', 'interrupt', 'resume', 'retry', 'messages'] as const;

function isChange(verb: string): verb is (typeof CHANGES)[number] {
  return CHANGES.some((each) => each === verb);
}

/** Takes an answer, a stop or a resume; the same key again gets the same acceptance and does nothing. */
function change(
  request: FakeRequest,
  verb: (typeof CHANGES)[number],
  response: ServerResponse,
  { behaviour, accepted }: World,
): void {
  const planned = behaviour.refusals[verb].shift();
  if (planned !== undefined && planned !== 'drop') {
    problem(response, planned.status, planned.code, planned.detail, planned.details);
    return;
  }
  const key = String(request.headers['idempotency-key'] ?? '');
  if (!accepted.has(key)) behaviour.onAccepted?.(verb, isObject(request.body) ? request.body : {});
  accepted.add(key);
  if (planned === 'drop') {
    response.destroy();
    return;
  }
  if (verb === 'messages') json(response, 202, { messageId: 'm_9', delivery: 'queued', ...behaviour.sent });
  else if (verb === 'tool-results') json(response, 202, { status: 'accepted', relation: 'continues' });
  else json(response, 202, { runId: 'r_root', status: behaviour.run.status });
}

function pending(address: string, response: ServerResponse, behaviour: FakeBehaviour): void {
  const planned = behaviour.refusals.pending.shift();
  if (planned === 'drop') response.destroy();
  else if (planned !== undefined) problem(response, planned.status, planned.code, planned.detail);
  else {
    const moved = movedTo(address, behaviour);
    const items = behaviour.pending.map((item) => ({ ...item, address: moved(String(item.address)) }));
    json(response, 200, { items: items.filter((item) => isWithin(item.address, address)) });
    behaviour.onListed?.();
  }
}

function start(
  request: FakeRequest,
  address: string,
  response: ServerResponse,
  behaviour: FakeBehaviour,
  known: Map<string, string>,
): void {
  const planned = behaviour.starts.shift();
  const key = String(request.headers['idempotency-key'] ?? '');
  if (planned !== undefined && planned !== 'drop') {
    problem(response, planned.status, planned.code, planned.detail);
    return;
  }
  const before = known.get(address);
  if (before !== undefined && before !== key) {
    problem(response, 409, 'already_running');
    return;
  }
  known.set(address, key);
  if (planned === 'drop') {
    response.destroy();
    return;
  }
  json(response, 202, {
    sessionId: 's_1',
    runId: 'r_1',
    status: 'running',
    address,
    streamUrl: `${address}/stream?from=1`,
  });
}

function statusDocument(address: string, { run }: FakeBehaviour): JsonObject {
  const last = run.entries.at(-1);
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, modelCalls: 0, toolCalls: 0 };
  return {
    sessionId: 's_1',
    agentType: 'coordinator',
    address,
    tags: [],
    status: run.status,
    run: {
      runId: 'r_root',
      epoch: 1,
      turn: 1,
      step: 2,
      status: run.status,
      ...(run.output === undefined ? {} : { output: run.output }),
    },
    pending: [],
    childCounts: { running: 0, queued: 0, total: 0 },
    usage,
    lastSequence: last?.sequence ?? 0,
  };
}

/** The event of one chunk on the wire. */
export function wireEvent({ sequence, chunk }: SequencedChunk): string {
  return `id: ${sequence}\ndata: ${JSON.stringify(chunk)}\n\n`;
}

function stream(request: FakeRequest, address: string, response: ServerResponse, world: World): void {
  const { behaviour, streams } = world;
  const fault = behaviour.faults.shift();
  if (fault?.answer !== undefined) {
    const type = fault.answer.type ?? 'application/problem+json';
    response.writeHead(fault.answer.status, { 'content-type': type }).end(fault.answer.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  behaviour.openStreams += 1;
  const next = Number(request.query.get('from') ?? '1');
  const open = { response, address, follow: request.query.get('follow') === '1', next };
  response.on('close', () => {
    behaviour.openStreams -= 1;
    streams.delete(open);
  });
  if (fault !== undefined) faulty(open, behaviour, fault);
  else {
    response.write(': hello\n\n');
    streams.add(open);
    flush(open, behaviour);
  }
}

function dueAt({ address, next }: OpenStream, behaviour: FakeBehaviour): SequencedChunk[] {
  return entriesAt(address, behaviour).filter(
    ({ sequence, chunk }) => sequence >= next && isWithin(chunk.address, address),
  );
}

/** Sends what is new, and the end where the run goes on no more. */
function flush(open: OpenStream, behaviour: FakeBehaviour): void {
  const { response } = open;
  const due = dueAt(open, behaviour);
  const { entries, status } = behaviour.run;
  open.next = Math.max(open.next, (entries.at(-1)?.sequence ?? 0) + 1);
  const events = due.map(wireEvent).join('');
  const stays = status === 'running' || status === 'queued' || (open.follow && status.startsWith('suspended'));
  if (stays) response.write(`${events}event: up-to-date\ndata: {}\n\n`);
  else response.end(`${events}${tailOf(status, {})}`);
}

function faulty(open: OpenStream, behaviour: FakeBehaviour, fault: StreamFault): void {
  const { response } = open;
  if (fault.resetTo !== undefined) {
    response.end(`event: reset\ndata: ${JSON.stringify({ from: fault.resetTo })}\n\n`);
    return;
  }
  const { status } = behaviour.run;
  const due = dueAt(open, behaviour).filter(({ sequence }) => !(fault.skip ?? []).includes(sequence));
  const limit = fault.cutAfterChunks ?? fault.hangAfterChunks ?? due.length;
  const chunks = due.slice(0, limit).map(wireEvent).join('');
  const tail = limit < due.length || fault.hangAfterChunks !== undefined ? '' : tailOf(status, fault);
  const bytes = Buffer.from(`: hello\n\n${chunks}${tail}`, 'utf8').subarray(0, fault.cutAfterBytes);
  response.write(bytes, () => {
    behaviour.onStreamIdle?.();
    if (fault.cutAfterBytes !== undefined || fault.cutAfterChunks !== undefined) response.destroy();
    else if (fault.hangAfterChunks === undefined) response.end();
  });
}

function tailOf(status: string, fault: StreamFault): string {
  const upToDate = 'event: up-to-date\ndata: {}\n\n';
  return fault.withoutEnd ? upToDate : `${upToDate}event: end\ndata: ${JSON.stringify({ status })}\n\n`;
}

/** The run's log as that of the root of an address: a start may have given it any name. */
function entriesAt(address: string, behaviour: FakeBehaviour): readonly SequencedChunk[] {
  const moved = movedTo(address, behaviour);
  return behaviour.run.entries.map(({ sequence, chunk }) => ({
    sequence,
    chunk:
      chunk.type === 'subagent_start'
        ? { ...chunk, address: moved(chunk.address), subAddress: moved(chunk.subAddress) }
        : { ...chunk, address: moved(chunk.address) },
  }));
}

function movedTo(address: string, { run }: FakeBehaviour): (text: string) => string {
  const root = address.split('/sub/')[0] ?? address;
  const own = run.entries[0]?.chunk.address ?? root;
  return (text) => `${root}${text.slice(own.length)}`;
}

function isWithin(address: string, top: string): boolean {
  return address === top || address.startsWith(`${top}/`);
}

/** The bodies of the starts that came in. */
export function startBodies(server: FakeServer): JsonObject[] {
  return bodiesOf(server, 'start');
}

/** The bodies of the requests whose path ends so. */
export function bodiesOf(server: FakeServer, verb: string): JsonObject[] {
  return server.requests
    .filter((each) => each.path.endsWith(`/${verb}`))
    .map((each) => (isObject(each.body) ? each.body : {}));
}
