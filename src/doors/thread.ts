/** The agent that a door's client talks to, asked by its verbs with the rights of who made the request. */

import type { AllowedAsk, DoorAgents, DoorAsk } from '../gateway/doors/door';
import { type Failure, refuseWith } from '../protocol/errors';
import type { JsonObject } from '../protocol/json';
import type { Document, Page, Transcript } from '../protocol/wire/wire-types';

/** The answer of a verb. */
type Answer<Body> = { readonly ok: true; readonly body: Body } | { readonly ok: false; readonly error: Failure };

type Status = Document<'status'>;

/** Items of a page. */
const PAGE = 500;

/** Messages that are looked through first for one, and the most that a page can begin before the end. */
const FIRST_LOOK = 50;
const WHOLE_LOOK = 1_000_000;

/** So many items are kept at most: of what waits the first, of a transcript the last. */
const MAX_ITEMS = 10_000;

/** The body of an answer. @throws OffshootError as the agent refuses */
export async function bodyOf<Body>(ask: AllowedAsk | undefined): Promise<Body> {
  const answer = await answerOf<Body>(ask);
  return answer.ok ? answer.body : refuseWith(answer.error);
}

async function answerOf<Body>(ask: AllowedAsk | undefined): Promise<Answer<Body>> {
  const answer = await ask?.ask();
  if (answer === undefined) throw new Error('A request was not answered.');
  return answer.ok ? { ok: true, body: answer.body as Body } : answer;
}

/** The key of a request in a conversation: it counts once for all of its people. */
export const keyed = (idempotencyKey: string) => ({ idempotencyKey, sharesKey: true }) as const;

/** The agent at an address, for one request. */
export class Thread {
  /** @param base The path before addresses: empty, or where an app mounted the routes. */
  constructor(
    readonly agents: DoorAgents,
    readonly address: string,
    readonly base = '',
  ) {}

  /** Checks that all of it may be asked. @throws OffshootError as the first route that refuses */
  async allow(asks: readonly Omit<DoorAsk, 'address'>[]): Promise<readonly AllowedAsk[]> {
    return this.agents.allow(asks.map((ask) => ({ address: this.address, ...ask })));
  }

  async ask<Body>(verb: DoorAsk['verb'], input: JsonObject = {}, idempotencyKey?: string): Promise<Answer<Body>> {
    const key = idempotencyKey === undefined ? {} : keyed(idempotencyKey);
    const [allowed] = await this.allow([{ verb, input, ...key }]);
    return answerOf(allowed);
  }

  /** The body of a verb's answer. @throws OffshootError as the agent refuses */
  async body<Body>(verb: DoorAsk['verb'], input?: JsonObject): Promise<Body> {
    const answer = await this.ask<Body>(verb, input);
    return answer.ok ? answer.body : refuseWith(answer.error);
  }

  /** The status document; undefined where there is no such agent yet. @throws OffshootError for anything else */
  async status(allowed?: AllowedAsk): Promise<Status | undefined> {
    const answer = await (allowed ? answerOf<Status>(allowed) : this.ask<Status>('status'));
    if (answer.ok) return answer.body;
    return answer.error.code === 'not_found' ? undefined : refuseWith(answer.error);
  }

  /** All calls that wait for a person. */
  async pending(): Promise<readonly Document<'pendingItem'>[]> {
    const items: Document<'pendingItem'>[] = [];
    for await (const page of this.#pages<Page<Document<'pendingItem'>>>('pending', {})) {
      items.push(...page.items);
      if (items.length >= MAX_ITEMS) break;
    }
    return items;
  }

  /** The transcript, its newest part where it is long, and up to which sequence it has everything. */
  async transcript(most = MAX_ITEMS): Promise<Pick<Transcript, 'items' | 'asOfSequence'>> {
    let items: Transcript['items'] = [];
    let asOfSequence = 0;
    for await (const page of this.#pages<Transcript>('messages', { last: most })) {
      items = [...items, ...page.items].slice(-most);
      asOfSequence = page.asOfSequence;
    }
    return { items, asOfSequence };
  }

  /** The newest message that is meant, however many follow it, or among about `most` entries. */
  async newest(
    isMeant: (entry: Transcript['items'][number]) => boolean,
    most = WHOLE_LOOK,
  ): Promise<Document<'message'> | undefined> {
    for (let last = FIRST_LOOK; ; last = Math.min(last * 10, most)) {
      let found: Document<'message'> | undefined;
      let count = 0;
      for await (const page of this.#pages<Transcript>('messages', { last })) {
        found = page.items.findLast(isMeant) ?? found;
        count += page.items.length;
      }
      if (found !== undefined || count < last || last === most) return found;
    }
  }

  /** The runs from a turn on. */
  async runsFrom(turn: number): Promise<readonly Document<'run'>[]> {
    let items: Document<'run'>[] = [];
    // The cursor of a run is its turn.
    for await (const page of this.#pages<Page<Document<'run'>>>('runs', { cursor: String(Math.max(0, turn - 1)) }))
      items = [...items, ...page.items].slice(-MAX_ITEMS);
    return items;
  }

  /** The log from a sequence on, as it is written. @throws OffshootError such as `too_many_streams` */
  async log(from: number): Promise<ReadableStream<Uint8Array>> {
    const input = { from: Math.max(1, from), follow: true };
    const [allowed] = await this.allow([{ verb: 'stream', input }]);
    const answer = await allowed?.ask();
    if (answer?.ok === false) refuseWith(answer.error);
    if (answer?.bytes === undefined) throw new Error('A stream has no bytes.');
    return answer.bytes;
  }

  /** The pages of a list. @param from Where the first one begins. */
  async *#pages<Found extends { readonly cursor?: string | undefined }>(
    verb: 'messages' | 'pending' | 'runs',
    from: JsonObject,
  ): AsyncGenerator<Found, void, void> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.body<Found>(verb, { limit: PAGE, ...(cursor === undefined ? from : { cursor }) });
      yield page;
      cursor = page.cursor;
      if (cursor === undefined) return;
    }
  }
}
