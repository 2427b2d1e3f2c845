/** Pages of lists: each item once, in order, on no page that is too large, wherever a page ends. */
import { describe, expect, it } from 'vitest';
import type { InboundMessage } from '../../../src/core/agent/inbound';
import type { Run, Step } from '../../../src/core/agent/state';
import { inboundMessage, stepMessages } from '../../../src/core/agent/transcript';
import type { AgentStore, Range } from '../../../src/core/ports/agent-store';
import type { JsonObject } from '../../../src/protocol/json';
import { audit } from '../../../src/verbs/reads/audit-and-steps';
import { messages } from '../../../src/verbs/reads/messages';
import { runs } from '../../../src/verbs/reads/overview';
import { cursorOf, limitOf, pageOfAll, pageOfSteps } from '../../../src/verbs/reads/pages';
import { call, message, RUN, replied, SETTLED, STEP, state } from '../../contract/stores-support';

type Page = { readonly items: readonly unknown[]; readonly cursor?: string };
type Asked = { readonly limit: number; readonly cursor?: string };

/** All pages, of which each but the last is full; the last is never empty but where there is nothing. */
function all(limit: number, page: (input: Asked) => Page, first: object = {}): unknown[] {
  const found: unknown[] = [];
  for (let input: Asked | undefined = { limit, ...first }, count = 0; input; count++) {
    const { items, cursor } = page(input);
    const isRight = cursor === undefined ? items.length <= limit : items.length === limit;
    if (!isRight || (count > 0 && items.length === 0)) throw new Error(`Page ${count} has ${items.length} items.`);
    found.push(...items);
    input = cursor === undefined ? undefined : { limit, ...first, cursor };
  }
  return found;
}

/** Rows as a store gives them. */
const ranged =
  <Row>(rows: readonly Row[], keyOf: (row: Row) => number) =>
  ({ after = 0, upTo = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY }: Range): Row[] =>
    rows.filter((row) => keyOf(row) > after && keyOf(row) <= upTo).slice(0, limit);
const handled = (verb: object, context: object): Page =>
  (verb as { handle(context: never): { body: Page } }).handle(context as never).body;

describe('a page of a list', () => {
  it('[A9] begins at a cursor that a page has given, and at no other text', () => {
    expect([limitOf({}), limitOf({ limit: 7 })]).toEqual([100, 7]);
    for (const numbers of [1, 2, 3, 4]) {
      const first = Array.from({ length: numbers }, () => 0);
      expect(cursorOf({}, numbers)).toEqual(first);
      for (let given = 1; given <= 5; given++) {
        const values = Array.from({ length: given }, (_one, at) => at * 10);
        const cursor = values.join('.');
        if (given === numbers) expect(cursorOf({ cursor }, numbers)).toEqual(values);
        else expect(() => cursorOf({ cursor }, numbers)).toThrow(/not from this list/);
      }
    }
    for (const cursor of ['', 'a', '-1', '01', '1.', '.1', '1 ', '1e3', '1'.repeat(16)])
      expect(() => cursorOf({ cursor }, 1)).toThrow(/not from this list/);
    expect(cursorOf({ cursor: '1'.repeat(15) }, 1)).toEqual([111_111_111_111_111]);
  });

  it('[A9] of what is in memory has each item once, also where some are gone since', () => {
    const items = [1, 2, 4, 7, 8];
    for (let count = 0; count <= items.length; count++)
      for (const limit of [1, 2, 3, 5, 6]) {
        const some = items.slice(0, count);
        expect(all(limit, (input) => pageOfAll(some, input, (item) => item))).toEqual(some);
        const without = some.filter((item) => item !== 2);
        expect(pageOfAll(without, { limit: 9, cursor: '2' }, (item) => item).items).toEqual(without.slice(1));
      }
  });

  it('[A9] of what steps give has each once, however many steps there are and whatever each gives', () => {
    for (const count of [0, 1, 49, 50, 51]) {
      const steps = Array.from({ length: count }, (_one, at) => replied(at + 1, []));
      const store = { steps: ranged(steps, ({ id }) => id) } as unknown as AgentStore;
      // Positions in a step have gaps, and some steps give nothing.
      const itemsOf = ({ id }: Step) =>
        Array.from({ length: id % 4 }, (_one, at) => ({ position: at * 2 + 1, item: `${id}.${at}` }));
      const expected = steps.flatMap((step) => itemsOf(step).map(({ item }) => item));
      for (const limit of [1, 7, 500])
        expect(all(limit, (input) => pageOfSteps(store, input, itemsOf))).toEqual(expected);
    }
  });

  it('[A9, A39, A100] of the audit and of the runs has each entry once', () => {
    const rows = Array.from({ length: 5 }, (_one, at) => ({ id: at * 2 + 1, at, actor: 'ann', action: 'send' }));
    const ended = (turn: number): Run => ({
      ...{
        ...RUN,
        runId: `r_${turn}`,
        turn,
        lineage: { ...RUN.lineage, chainTurn: turn },
        steps: 1,
        endedAt: 9,
        acknowledged: true,
      },
      ...{ phase: 'ended', outcome: { status: 'completed', output: turn, completionReason: 'text' } },
    });
    for (let count = 0; count <= rows.length; count++)
      for (const limit of [1, 2, 4, 5, 9]) {
        const some = rows.slice(0, count);
        const store = {
          audit: ranged(some, ({ id }) => id),
          runs: ranged(
            some.map((_row, at) => ended(at + 1)),
            ({ turn }) => turn,
          ),
        };
        const object = { store };
        expect(all(limit, (input) => handled(audit, { object, input }))).toEqual(
          some.map(({ id: _id, ...entry }) => entry),
        );
        const agent = { state: state() };
        const shown = all(limit, (input) => handled(runs, { object, agent, input })) as JsonObject[];
        expect(shown.map(({ runId, output }) => [runId, output])).toEqual(
          some.map((_row, at) => [`r_${at + 1}`, at + 1]),
        );
      }
  });
});

/** A session in which messages and steps come in some order; some messages were taken back, some calls are open. */
function session(seed: number) {
  let random = seed;
  const below = (most: number): number => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((random / 2_147_483_648) * most);
  };
  const inbound: InboundMessage[] = [];
  const steps: Step[] = [];
  const order: (InboundMessage | Step)[] = [];
  let lastMessage = 0;
  const turns = below(70);
  for (let turn = 0; turn < turns; turn++) {
    for (let count = below(3); count > 0; count--) {
      lastMessage++;
      if (below(4) === 0) continue;
      const one = { ...message(lastMessage), ...(below(5) === 0 ? { silent: true as const, metadata: { a: 1 } } : {}) };
      inbound.push(one);
      order.push(one);
    }
    const calls = Array.from({ length: below(4) }, (_one, at) => ({
      ...call(at),
      ...(below(3) === 0 ? {} : { settled: { ...SETTLED, at: 100 + at } }),
    }));
    const id = steps.length + 1;
    const facts = { messagesUpTo: lastMessage, number: id, ...(below(5) === 0 ? { reply: [] } : {}) };
    const step: Step = below(6) === 0 ? { ...STEP, ...facts, id } : replied(id, calls, facts);
    steps.push(step);
    order.push(step);
  }
  for (let count = below(3); count > 0; count--) {
    const one = message(++lastMessage);
    inbound.push(one);
    order.push(one);
  }
  const last = steps.at(-1);
  const agent = {
    state: state({ lastMessage, inbox: inbound.slice(-1), ...(last ? { step: last } : {}) }),
    link: { sink: { number: 7 }, ask: async () => undefined },
  };
  const store = { steps: ranged(steps, ({ id }) => id), messages: ranged(inbound, ({ id }) => id) };
  return { agent, object: { store }, order };
}

/** Entries of a message or a step in the transcript, by the promise. */
function entriesOf(one: InboundMessage | Step, unseen: readonly InboundMessage[]): object[] {
  if ('messageId' in one) {
    const { messageId, from, at, metadata, silent } = one;
    const controls = unseen.some((other) => other.messageId === messageId) ? { controls: { cancelMessage: true } } : {};
    return [
      {
        ...inboundMessage(one),
        ...{ messageId, from, at, ...(metadata === undefined ? {} : { metadata }), ...(silent ? { silent } : {}) },
        ...controls,
      },
    ];
  }
  if (one.phase !== 'calls') return [];
  return stepMessages(one).flatMap((said) => {
    const settled = one.calls.find(({ callId }) => 'toolCallId' in said && callId === said.toolCallId)?.settled;
    if (said.role === 'tool' && settled === undefined) return [];
    return [{ ...said, turn: one.turn, step: one.number, at: settled?.at ?? one.repliedAt }];
  });
}

describe('the transcript in pages', () => {
  const SEEDS = [0, 1, 2, 3, 4, 5].map((at) => at * 7_919 + 1);
  const asked = async (given: ReturnType<typeof session>, input: object) =>
    (
      await (messages as unknown as { handle(context: never): Promise<{ body: Page }> }).handle({
        ...given,
        input,
      } as never)
    ).body;

  it('[A12] has every message and every result once, in order, and each says what it is', async () => {
    for (const seed of SEEDS) {
      const given = session(seed);
      const expected = given.order.flatMap((one) => entriesOf(one, given.agent.state.inbox));
      for (const limit of [1, 7, 500]) {
        const found: unknown[] = [];
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const page: Page = await asked(given, { limit, ...(cursor === '' ? {} : { cursor }) });
          if (page.items.length > limit) throw new Error(`A page has ${page.items.length} items.`);
          found.push(...page.items);
          cursor = page.cursor;
        }
        expect([seed, limit, found]).toEqual([seed, limit, expected]);
      }
    }
  });

  it('[A12] from its end has so many entries, or a few more: no result without its call, and all where there are fewer', async () => {
    for (const seed of SEEDS) {
      const given = session(seed);
      const groups = given.order.map((one) => entriesOf(one, given.agent.state.inbox));
      const expected = groups.flat();
      for (const last of [1, 3, 10, 60]) {
        const { items } = await asked(given, { limit: 500, last });
        expect(items).toEqual(expected.slice(expected.length - items.length));
        expect(items.length).toBeGreaterThanOrEqual(Math.min(last, expected.length));
        expect(items[0]).not.toMatchObject({ role: 'tool' });
        // It begins behind the last step that leaves enough behind it.
        let [from, counted] = [0, 0];
        for (let at = given.order.length - 1; at >= 0 && from === 0; at--) {
          const one = given.order[at];
          if (one && !('messageId' in one) && counted >= last) from = at + 1;
          counted += groups[at]?.length ?? 0;
        }
        expect([seed, last, items.length]).toEqual([seed, last, groups.slice(from).flat().length]);
      }
    }
  });
});
