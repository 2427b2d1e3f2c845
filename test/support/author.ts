/** An agent whose author uses everything that the SDK offers, at any level of a tree of his own making. */

import { type Connection, callable, type FiberRecoveryContext, type WSMessage } from 'agents';
import { defineAgent } from '../../src/index';
import type { Json } from '../../src/protocol/json';
import { AgentObject } from '../../src/worker';
import { bindings } from './bindings';
import { pass, puppet } from './puppet';

const author = defineAgent({ name: 'author', systemPrompt: 'Do what you are told.', model: puppet });

/** What a test calls on an author. */
export interface AuthorStub {
  /**
   * Goes down by names, making what is not there, and does something there. Gives what came of it as JSON text: an
   * object that is handed over holds its maker in memory for as long as nobody has disposed of it.
   */
  at(names: readonly string[], does: string, value?: Json): Promise<string>;
}

type Deed = (value: Json) => unknown;

export class Author extends AgentObject.of(author) {
  readonly #holds: (() => void)[] = [];
  /** What `at` can do, by name. */
  readonly #deeds: Readonly<Record<string, Deed>> = {
    keep: (value) => this.#push('kept', value),
    kept: () => this.ctx.storage.kv.get('kept') ?? [],
    paths: () => ({ parentPath: this.parentPath, selfPath: this.selfPath, name: this.name }),
    children: () => this.listSubAgents(Author).map(({ name }) => name),
    has: (name) => this.hasSubAgent(Author, String(name)),
    abort: (name) => this.abortSubAgent(Author, String(name)),
    remove: (name) => this.deleteSubAgent(Author, String(name)),
    sub: (name) => this.subAgent(Author, String(name)).then(() => null),
    ofParent: async () => JSON.parse(await (await this.parentAgent(Author)).at([], 'kept')),
    ofRoot: async () => {
      const root: AuthorStub = bindings.WRITERS.getByName(this.parentPath[0]?.name ?? '');
      return JSON.parse(await root.at([], 'kept'));
    },
    stranger: () => said(() => this.parentAgent(class Stranger extends Author {})),
    tell: (text) => this.broadcast(String(text)),
    state: (state) => this.setState(state),
    hold: async () => void this.#holds.push(await this.keepAlive()),
    release: () => this.#holds.pop()?.(),
    holdWhile: () => this.keepAliveWhile(async () => (await this.listSchedules()).length),
    ring: (value) => this.schedule(new Date(), 'rang', value),
    ringIn: (seconds) => this.schedule(Number(seconds), 'rang', seconds).then(({ id }) => id),
    ringEvery: (seconds) => this.scheduleEvery(Number(seconds), 'rang', 'every').then(({ id }) => id),
    ringAt: async (times) => {
      for (const time of Array.isArray(times) ? times : []) await this.schedule(new Date(Number(time)), 'rang', time);
    },
    hang: (gate) => this.schedule(new Date(), 'hangs', gate).then(({ id }) => id),
    cancel: (id) => this.cancelSchedule(String(id)),
    due: async () => (await this.listSchedules()).map(({ id }) => id),
    dueById: async (id) => (await this.getScheduleById(String(id)))?.id ?? null,
    dueAtOnce: () => said(async () => this.getSchedules().length),
    fiber: (value) => {
      this.runFiber('work', async (fiber) => {
        fiber.stash({ reached: value });
        this.#push('kept', 'began');
        return new Promise(() => undefined);
      }).catch(() => undefined);
    },
  };

  async at(names: readonly string[], does: string, value: Json = null): Promise<string> {
    const [name, ...rest] = names;
    if (name !== undefined) return (await this.subAgent(Author, name)).at(rest, does, value);
    const deed = this.#deeds[does];
    if (deed === undefined) throw new TypeError(`An author cannot ${does}.`);
    return JSON.stringify((await deed(value)) ?? null);
  }

  #push(key: string, value: Json): void {
    this.ctx.storage.kv.put(key, [...(this.ctx.storage.kv.get<Json[]>(key) ?? []), value]);
  }

  rang(value: Json): void {
    this.#push('kept', value);
  }

  /** A callback that takes until a gate opens. */
  async hangs(gate: string): Promise<void> {
    this.#push('kept', `begins ${gate}`);
    await pass(gate);
    this.#push('kept', `ends ${gate}`);
  }

  greet(who: string): string {
    return `${this.name} greets ${who}`;
  }

  override onConnect(connection: Connection): void {
    connection.send(`${this.name} opens`);
  }

  override onMessage(connection: Connection, message: WSMessage): void {
    connection.send(`${this.name} heard ${String(message)}`);
  }

  override async onRequest(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    return Response.json({ name: this.name, method: request.method, pathname, mark: request.headers.get('x-mark') });
  }

  /** A gate of the author's own, before the one that refuses what is not there. */
  override async onBeforeSubAgent(
    request: Request,
    child: { className: string; name: string },
  ): Promise<Request | Response | undefined> {
    const refused = await super.onBeforeSubAgent(request, child);
    if (refused) return refused;
    const gate = request.headers.get('x-gate') ?? '';
    if (gate === `refuse ${child.name}`) return new Response(`no way to ${child.name}`, { status: 403 });
    if (gate !== `mark ${child.name}`) return undefined;
    const headers = new Headers(request.headers);
    headers.set('x-mark', `by ${this.name}`);
    return new Request(request, { headers });
  }

  override async onFiberRecovered({ name, snapshot }: FiberRecoveryContext): Promise<void> {
    this.#push('kept', { recovered: name, snapshot: JSON.parse(JSON.stringify(snapshot)) });
    await this.schedule(new Date(), 'rang', 'armed by recovery');
  }
}

/** What came of something, with the words of its error where it failed. */
async function said<Result>(work: () => Promise<Result>): Promise<Result | string> {
  try {
    return await work();
  } catch (error) {
    return String(error);
  }
}

callable()(Author.prototype.greet, undefined as never);
