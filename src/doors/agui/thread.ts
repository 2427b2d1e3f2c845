/** The agent of a thread, asked by its verbs with the rights of who made the request. */

import type { AllowedAsk, DoorAgents, DoorAsk } from '../../gateway/doors/door';
import { type Failure, refuseWith } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import type { Document, Transcript } from '../../protocol/wire-types';

/** The answer of a verb. */
type Answer<Body> = { readonly ok: true; readonly body: Body } | { readonly ok: false; readonly error: Failure };

type Status = Document<'status'>;

/** A page of a transcript, or of what waits, has so many items. */
const PAGE = '500';

/** So many pages are kept at most: of a list its first, of a transcript its last. */
const MAX_PAGES = 20;

/** The agent of a thread. */
export class Thread {
  constructor(
    readonly agents: DoorAgents,
    readonly address: string,
  ) {}

  /** Checks that all of it may be asked. @throws OffshootError as the first route that refuses */
  async check(asks: readonly Omit<DoorAsk, 'address'>[]): Promise<readonly AllowedAsk[]> {
    return this.agents.allow(asks.map((ask) => ({ address: this.address, ...ask })));
  }

  async ask<Body>(verb: DoorAsk['verb'], input: JsonObject = {}, idempotencyKey?: string): Promise<Answer<Body>> {
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    const [allowed] = await this.agents.allow([{ address: this.address, verb, input, ...key }]);
    const answer = await allowed?.ask();
    if (answer === undefined) throw new Error('An ask was not answered.');
    return answer.ok ? { ok: true, body: answer.body as Body } : answer;
  }

  /** The status document; undefined where there is no such agent yet. @throws OffshootError for anything else */
  async status(): Promise<Status | undefined> {
    const answer = await this.ask<Status>('status');
    if (answer.ok) return answer.body;
    return answer.error.code === 'not_found' ? undefined : refuseWith(answer.error);
  }

  /** All calls that wait for a person. */
  async pending(): Promise<readonly Document<'pendingItem'>[]> {
    return (await this.#pages<{ items: readonly Document<'pendingItem'>[]; cursor?: string }>('pending')).flatMap(
      ({ items }) => items,
    );
  }

  /** The transcript, its newest part where it is long, and up to which sequence it has everything. */
  async transcript(): Promise<Pick<Transcript, 'items' | 'asOfSequence'>> {
    const pages = await this.#pages<Transcript>('messages', { last: MAX_PAGES * Number(PAGE) });
    return { items: pages.flatMap(({ items }) => items), asOfSequence: pages.at(-1)?.asOfSequence ?? 0 };
  }

  /** The log from a sequence on, as it is written. @throws OffshootError such as `too_many_streams` */
  async log(from: number): Promise<ReadableStream<Uint8Array>> {
    const input = { from: Math.max(1, from), follow: true };
    const [allowed] = await this.agents.allow([{ address: this.address, verb: 'stream', input }]);
    const answer = await allowed?.ask();
    if (answer?.ok === false) refuseWith(answer.error);
    if (answer?.bytes === undefined) throw new Error('A stream has no bytes.');
    return answer.bytes;
  }

  async #pages<Page extends { readonly cursor?: string | undefined }>(
    verb: 'messages' | 'pending',
    end?: { readonly last: number },
  ): Promise<Page[]> {
    const pages: Page[] = [];
    let cursor: string | undefined;
    do {
      const answer = await this.ask<Page>(verb, { limit: PAGE, ...(cursor === undefined ? end : { cursor }) });
      if (!answer.ok) refuseWith(answer.error);
      pages.push(answer.body);
      cursor = answer.body.cursor;
      if (pages.length > MAX_PAGES) pages.shift();
    } while (cursor !== undefined && (end || pages.length < MAX_PAGES));
    return pages;
  }
}
