/**
 * A run whose log a test writes, on a server that has the console's files and knows no sockets: what it tells and when it
 * is there is the test's to say. It keeps its own books of what it was asked.
 */

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buildConsole } from '../../scripts/lib/console.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { webConsole } from '../../src/console';
import { Outline, type Row } from '../../src/console/data/tree/outline';
import type { SequencedChunk } from '../../src/protocol/chunks';
import type { JsonLike } from '../../src/protocol/json';
import { doorRequest } from '../support/door-request';
import { portOf } from '../support/ports';
import { present } from '../support/present';

const FILES = join(root, '.offshoot', 'console');
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
};
const CONTROLS = ['start', 'send', 'interrupt', 'abort', 'terminate', 'resume', 'retry', 'submit', 'fork', 'remove'];

const MARK = 'x-written-run';

interface OpenStream {
  readonly response: ServerResponse;
  readonly address: string;
}

/** It. */
export interface WrittenRun {
  readonly url: string;
  /** The header of its own pages. A change without it is refused: an earlier page at the same address may send it late. */
  readonly mark: Readonly<Record<string, string>>;
  /** The log, which `tell` adds to. */
  readonly entries: SequencedChunk[];
  /** What requests that change something were: the verb and the address. */
  readonly changes: readonly string[];
  /** What lists are answered with, by the last part of their path. */
  readonly answers: Map<string, JsonLike>;
  /** Adds to the log and tells who follows. */
  tell(...chunks: readonly SequencedChunk['chunk'][]): void;
  /** The log begins later from now on. */
  compact(from: number): void;
  /** The next answer to what changes something is cut behind its head. */
  cutNext(): void;
  /** Refuses the log, and nothing else, until it is given again. */
  refuseLog(refused: boolean): void;
  /** Gives no log that is asked for from now on, until what it returns is called. */
  holdLog(): () => void;
  /** Breaks all connections and takes none, until it is up again. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

const isWithin = (address: string, top: string): boolean => address === top || address.startsWith(`${top}/`);

const eventOf = ({ sequence, chunk }: SequencedChunk): string => `id: ${sequence}\ndata: ${JSON.stringify(chunk)}\n\n`;

/** The tree and the status as the log tells them: the reference reducer would take too long for thousands of agents. */
class Documents {
  readonly #outline = new Outline();
  readonly #rows = new Map<string, Row>();
  #last = 0;

  take(entry: SequencedChunk): void {
    this.#outline.take(entry);
    this.#last = entry.sequence;
  }

  #agents(): Row[] {
    for (const row of this.#outline.changes().rows) this.#rows.set(row.agentId, row);
    return [...this.#rows.values()];
  }

  tree(): JsonLike {
    const agents = this.#agents();
    const below = new Map<string | undefined, Row[]>();
    for (const agent of agents) {
      const list = below.get(agent.parentId);
      if (list === undefined) below.set(agent.parentId, [agent]);
      else list.push(agent);
    }
    const treeOf = ({ agentId, agentType, address, status, usage, parentId, from }: Row): JsonLike => ({
      ...{ sessionId: agentId, agentType, address, status, usage, name: agentId, placement: 'facet', createdAt: from },
      ...{ mode: parentId === undefined ? 'root' : 'ephemeral', step: 0, recoveries: 0, pendingCount: 0 },
      ...{ lastSequence: this.#last, childCounts: { running: 0, queued: 0, waiting: 0, total: 0 } },
      nodes: (below.get(agentId) ?? []).map(treeOf),
    });
    return agents[0] === undefined ? null : treeOf(agents[0]);
  }

  status(of: string): JsonLike | undefined {
    const agent = this.#agents().findLast((each) => each.address === of);
    if (agent === undefined) return undefined;
    const { agentId: sessionId, agentType, address, status, usage } = agent;
    const controls = Object.fromEntries(CONTROLS.map((verb) => [verb, true]));
    const childCounts = { running: 0, queued: 0, waiting: 0, total: this.#rows.size - 1 };
    const more = { tags: [], pending: [], controls, childCounts, lastSequence: this.#last };
    return { sessionId, agentType, address, status, usage, ...more };
  }
}

async function fileOf(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const type = TYPES[pathname.split('.').at(-1) ?? ''] ?? 'text/plain';
  return new Response(await readFile(join(FILES, pathname)), { headers: { 'content-type': type } });
}

class Served {
  readonly changes: string[] = [];
  readonly answers = new Map<string, JsonLike>();
  readonly streams = new Set<OpenStream>();
  edge = 1;
  cuts = false;
  readonly mark = randomUUID();
  isLogRefused = false;
  logHeld: Promise<void> | undefined;

  readonly #documents = new Documents();

  constructor(readonly entries: SequencedChunk[]) {
    for (const entry of entries) this.#documents.take(entry);
  }

  tell(chunks: readonly SequencedChunk['chunk'][]): void {
    for (const chunk of chunks) {
      const entry = { sequence: this.entries.length + 1, chunk };
      this.entries.push(entry);
      this.#documents.take(entry);
      for (const { response, address } of this.streams)
        if (isWithin(chunk.address, address)) response.write(eventOf(entry));
    }
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://written');
    const accepts = request.headers.accept ?? '';
    if (pathname.startsWith('/console/assets/') || accepts.includes('text/html'))
      return this.#page(pathname.replace('/console', ''), response);
    const [, address = '', verb = ''] = /^(\/agents\/.+?)(?:\/(\w[\w-]*))$/u.exec(pathname) ?? [];
    if (request.method !== 'GET') {
      if (request.headers[MARK] !== this.mark)
        return this.#json(response, 421, { code: 'misdirected', title: 'Another run is here.' });
      this.changes.push(`${request.method} ${pathname}`);
      if (this.cuts) return this.#cut(response);
      return this.#json(response, 202, { status: 'accepted' });
    }
    if (this.isLogRefused && ['stream', 'chunks'].includes(verb))
      return this.#json(response, 503, { code: 'unavailable', title: 'Not now.' });
    if (verb === 'stream') await this.logHeld;
    if (verb === 'stream') return this.#stream(address, Number(searchParams.get('from') ?? 1), response);
    if (verb === 'chunks') return this.#json(response, 200, this.#chunks(address, searchParams));
    const given = this.answers.get(verb);
    const status = this.#documents.status(address);
    if (pathname.startsWith('/directory/')) return this.#json(response, 200, { items: [], actions: ['admin'] });
    if (status === undefined) return this.#json(response, 404, { code: 'not_found', title: 'Nothing is here.' });
    if (verb === 'status') return this.#json(response, 200, status);
    if (verb === 'tree') return this.#json(response, 200, this.#documents.tree());
    this.#json(
      response,
      200,
      given ?? { items: [], asOfSequence: this.entries.length, limits: {}, used: {}, state: {} },
    );
  }

  /** A page of the log as the API gives it. */
  #chunks(address: string, asked: URLSearchParams): JsonLike {
    const own = this.entries.filter(({ sequence, chunk }) => sequence >= this.edge && isWithin(chunk.address, address));
    const [from, before, limit] = ['from', 'before', 'limit'].map((name) => Number(asked.get(name) ?? 0));
    const all = own.filter(({ sequence }) => sequence >= (from ?? 0) && (!before || sequence < before));
    const items = asked.has('from') ? all.slice(0, limit) : all.slice(-(limit ?? 0));
    const [first, last] = [items[0]?.sequence ?? 0, items.at(-1)?.sequence ?? 0];
    return {
      items: JSON.parse(JSON.stringify(items)),
      first: this.edge,
      last: this.entries.length,
      ...(own.some(({ sequence }) => sequence < first) ? { previous: first } : {}),
      ...(own.some(({ sequence }) => sequence > last) ? { next: last + 1 } : {}),
    };
  }

  #json(response: ServerResponse, status: number, body: JsonLike): void {
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
  }

  #cut(response: ServerResponse): void {
    this.cuts = false;
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': 1_000 });
    response.write('{', () => response.destroy());
  }

  /** The page and its files with the headers that the Worker gives them. */
  async #page(path: string, response: ServerResponse): Promise<void> {
    const request = new Request(new URL(path, 'http://localhost'));
    const env = { OFFSHOOT_CONSOLE: { fetch: fileOf } };
    const answer = present(await webConsole().answer(doorRequest(request, env), path));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  }

  #stream(address: string, from: number, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    if (from < this.edge) {
      response.end(`event: reset\ndata: ${JSON.stringify({ from: this.edge })}\n\n`);
      return;
    }
    const due = this.entries.slice(from - 1).filter(({ chunk }) => isWithin(chunk.address, address));
    response.write(`: hello\n\n${due.map(eventOf).join('')}event: up-to-date\ndata: {}\n\n`);
    const open = { response, address };
    this.streams.add(open);
    response.on('close', () => this.streams.delete(open));
  }
}

/** Serves it; `at` is a port that another one has left: where a stranger has taken it since, any other. */
export async function writtenRun(entries: readonly SequencedChunk[], at = 0): Promise<WrittenRun> {
  await buildConsole();
  const served = new Served([...entries]);
  const made = () =>
    createServer((request, response) => {
      served.answer(request, response).catch(() => response.destroy());
    });
  let server = made();
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  await listen(at).catch(() => listen(0));
  const port = portOf(server);
  const down = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    // Of the same site as real servers, whose pages share a process.
    url: `http://localhost:${port}`,
    mark: { [MARK]: served.mark },
    entries: served.entries,
    changes: served.changes,
    answers: served.answers,
    cutNext: () => {
      served.cuts = true;
    },
    holdLog: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      served.logHeld = promise;
      return resolve;
    },
    refuseLog: (refused) => {
      served.isLogRefused = refused;
      if (refused) for (const { response } of served.streams) response.destroy();
    },
    tell: (...chunks) => served.tell(chunks),
    compact: (from) => {
      served.edge = from;
    },
    down,
    up: async () => {
      server = made();
      await listen(port);
    },
    close: down,
  };
}
