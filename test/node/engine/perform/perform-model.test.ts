/** A model call as one step makes it: the whole request, what its reply says, the pieces that are shown, and who pays. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../../src/core/agent/events';
import { seatOf } from '../../../../src/core/agent/seat';
import type { AgentState } from '../../../../src/core/agent/state';
import { defineHook } from '../../../../src/core/definition/hooks/standard-hooks';
import type { ModelDelta, ModelPort, ModelReply, ModelRequest } from '../../../../src/core/definition/model-port';
import { ONE_CALL } from '../../../../src/core/tree/lease';
import { HeldLease } from '../../../../src/engine/held-lease';
import { HeldTurns } from '../../../../src/engine/models/held-turns';
import { performModel } from '../../../../src/engine/perform/perform-model';
import type { ModelAgent } from '../../../../src/engine/perform/performer';
import { failure, OffshootError } from '../../../../src/protocol/errors';
import { NO_USAGE } from '../../../../src/protocol/usage';
import { Machine } from '../../../support/machine';
import { rowsOf } from '../../../support/rows';
import { always } from '../../../support/sizes';
import { agentOf } from '../../../support/trees';
import { VirtualTime } from '../../../support/virtual-time';

const machine = new Machine();
machine.start('Hello');
const STATE = machine.state;
const MESSAGES = [{ role: 'user', content: 'Hello', from: 'caller' }] as const;
const USAGE = { ...NO_USAGE, inputTokens: 4, outputTokens: 2, modelCalls: 1 };
/** What that costs nobody knows. */
const PAID = { ...USAGE, unpricedCalls: 1 };
const replyOf = (content: ModelReply['content'], finishReason: ModelReply['finishReason'] = 'stop'): ModelReply => ({
  ...{ content, finishReason, usage: USAGE, model: 'test/model' },
});
const TEXT = replyOf([{ type: 'text', text: 'So.' }]);

/** An agent whose model is asked; its lease is for this call alone. */
function asking(
  call: (request: ModelRequest, options: Parameters<ModelPort['call']>[1]) => Promise<ModelReply>,
  {
    state = STATE,
    definition = {},
    stores = () => true,
  }: { state?: AgentState; definition?: object; stores?: () => boolean } = {},
) {
  const time = new VirtualTime();
  const events: AgentEvent[] = [];
  const late: unknown[] = [];
  const requests: ModelRequest[] = [];
  const lease = new HeldLease();
  lease.take(ONE_CALL, state.spent);
  const model: ModelPort = {
    call: (request, options) => {
      requests.push(request);
      return call(request, options);
    },
  } as ModelPort;
  const agent = {
    ...{ state, lease, environment: time.environment, seat: seatOf(agentOf('top', definition as never)) },
    apply: (event: AgentEvent) => {
      if (event.type === 'model_progress' && !stores()) throw new Error('The disk is full.');
      events.push(event);
      return { ok: true };
    },
    spentLate: (usage: unknown) => void late.push(usage),
    transcript: { before: () => MESSAGES, now: () => ({ tokens: 0 }), beginningOf: () => undefined },
    modelTurns: new HeldTurns(),
    deps: {
      ...{ model: () => model, files: () => ({}), capabilities: [], kept: { look: () => undefined } },
      ...{ variable: async () => undefined, lacks: async () => undefined, durable: async () => undefined },
      store: {
        steps: () => [],
        variableRequests: () => [],
        countLasting: () => ({ count: 0 }),
        lastingChildren: () => [],
      },
    },
    link: { rests: () => undefined, turnEnded: () => undefined },
  } as unknown as ModelAgent;
  const controller = new AbortController();
  const { run, step } = state;
  const fence = { runId: run?.runId ?? '', epoch: 3, stepId: step?.id ?? 0, attempt: step?.attempt ?? 0 };
  const effect = { kind: 'model', id: 'e', ...fence, number: step?.number ?? 0, notBefore: 0 } as const;
  return {
    ...{ time, events, late, requests, controller, fence },
    async perform(): Promise<void> {
      let over = false;
      void performModel(agent, effect as never, controller.signal).then(() => {
        over = true;
      });
      await time.until(() => over);
    },
    replied: () => events.flatMap((event) => (event.type === 'model_replied' ? [event] : []))[0],
    failed: () => events.flatMap((event) => (event.type === 'model_failed' ? [event.error] : []))[0],
  };
}

describe('the request of a step', () => {
  it('[M14, RN7] has whose it is, in which run and trace, and what is asked with', async () => {
    for (const { side, replies, traceparent, below } of rowsOf({
      side: [undefined, 'side_b'],
      replies: [undefined, 4],
      traceparent: [undefined, 'trace'],
      below: ['', '/sub/leaf/1~1'],
    } as const)) {
      const system = below === '' ? 'text' : 'function';
      const { run, step, session } = STATE;
      if (run?.phase !== 'active' || step?.phase !== 'model') throw new Error('No model is asked.');
      const firstTry = replies === undefined ? {} : { firstTry: { turn: 1, replies } };
      const state = {
        ...{ ...STATE, custom: { who: 'Ann' }, session: { ...session, address: `/agents/top/one${below}` } },
        run: {
          ...run,
          lineage: { ...run.lineage, ...firstTry },
          caller: { actor: 'ann', ...(traceparent ? { traceparent } : {}) },
        },
        step: { ...step, ...(side ? { side } : {}), attempt: 2 },
      } as AgentState;
      const given =
        system === 'text' ? 'Work.' : ({ state: custom }: { state: { who: string } }) => `Work for ${custom.who}.`;
      const one = asking(async () => TEXT, {
        state,
        definition: { systemPrompt: given, limits: { modelStallMs: 77, modelFirstChunkMs: 99 } },
      });
      await one.perform();
      const [request] = one.requests;
      expect(request, JSON.stringify({ side, replies, traceparent, below })).toEqual({
        ...{ agentType: 'top', sessionId: 's_me', root: '/agents/top/one', runId: run.runId, step: 1, attempt: 2 },
        ...(side ? { side } : {}),
        ...(replies === undefined ? {} : { repliesBefore: replies }),
        ...(traceparent ? { traceparent } : {}),
        system: system === 'text' ? 'Work.' : 'Work for Ann.',
        ...{ tools: [], settings: {}, firstChunkMs: 99, stallMs: 77, messages: MESSAGES },
      });
    }
  });

  it('[CL13] fails with the definition where its system prompt is no text, and its state is not changed by that', async () => {
    const spoils = ({ state }: { state: { list: number[] } }) => {
      state.list.push(2);
      return 'Work.';
    };
    const state = { ...STATE, custom: { list: [1] } };
    await asking(async () => TEXT, { state, definition: { systemPrompt: spoils } }).perform();
    expect(state.custom).toEqual({ list: [1] });
    const throws = () => {
      throw new Error('No.');
    };
    for (const systemPrompt of [() => 7, () => undefined, async () => ({}), throws, async () => throws()]) {
      const one = asking(async () => TEXT, { definition: { systemPrompt } });
      await one.perform();
      expect([one.failed()?.code, one.requests.length, one.time.problems.length]).toEqual(['invalid_definition', 0, 1]);
    }
  });
});

describe('a reply', () => {
  const PARTS = {
    nothing: [],
    'a thought': [{ type: 'reasoning', text: 'Hm.' }],
    'no text': [{ type: 'text', text: '' }],
    'a blank': [{ type: 'text', text: ' \n' }],
    'a text': [{ type: 'text', text: 'So.' }],
    'a thought and a blank': [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: ' ' },
    ],
    'a thought and a text': [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'So.' },
    ],
    'a call': [{ type: 'tool-call', providerId: 'p', toolName: 'x', input: {} }],
  } as const;
  const SAYS = ['a text', 'a thought and a text', 'a call'];
  const BLANK = ['a blank', 'a thought and a blank'];

  it('[ST16, ST24, US1] is empty without text, call or file: paid for, and asked again; a filter, a limit or a pause has its own rule', async () => {
    for (const finishReason of ['stop', 'tool-calls', 'length', 'content-filter', 'paused', 'other', 'error'] as const)
      for (const name of Object.keys(PARTS) as (keyof typeof PARTS)[]) {
        const one = asking(async () => replyOf(PARTS[name] as never, finishReason));
        await one.perform();
        const what = `${finishReason} ${name}`;
        const isWhole = finishReason === 'length' || finishReason === 'content-filter';
        // A blank is text, but nothing to continue from.
        const says = isWhole || SAYS.includes(name) || (BLANK.includes(name) && finishReason !== 'paused');
        expect([one.replied() !== undefined, one.failed()?.code], what).toEqual(
          says ? [true, undefined] : [false, 'model_bad_reply'],
        );
        if (!says) expect(one.failed()?.details, what).toEqual({ saysNothing: true });
        expect(one.late, what).toEqual(says ? [] : [PAID]);
        if (says) expect(one.replied()?.reply.usage, what).toEqual(PAID);
      }
  });

  it('[ST24] that said nothing is asked again with a word to continue, and after a failure of another kind without', async () => {
    const { step } = STATE;
    const empty = failure('model_bad_reply', 'Empty.', undefined, { saysNothing: true });
    const other = failure('model_error', 'No.');
    for (const failures of [[], [empty], [other], [empty, other], [other, empty]]) {
      const one = asking(async () => TEXT, { state: { ...STATE, step: { ...step, failures } as never } });
      await one.perform();
      const isLast = failures.at(-1) === empty;
      const word = { role: 'user', content: '[The last reply was empty. Continue.]', from: 'offshoot' };
      expect(one.requests[0]?.messages).toEqual(isLast ? [...MESSAGES, word] : MESSAGES);
    }
  });

  it('[US1, EG2, CL4] that nobody waits for, or that no calls can be made of, was paid for all the same', async () => {
    const stopped = asking(async () => {
      stopped.controller.abort();
      return TEXT;
    });
    await stopped.perform();
    expect([stopped.events, stopped.late]).toEqual([[], [PAID]]);
    const many = replyOf(
      Array.from({ length: 4_097 }, () => ({ type: 'tool-call', providerId: 'p', toolName: 'x', input: {} }) as const),
    );
    const unusable = asking(async () => many);
    await unusable.perform();
    expect([unusable.failed()?.code, unusable.late]).toEqual(['model_bad_reply', [PAID]]);
    const gone = asking(() => Promise.reject(new OffshootError('model_overloaded', 'Later.')));
    await gone.perform();
    expect([gone.failed()?.code, gone.late, gone.time.problems]).toEqual(['model_overloaded', [], []]);
    const late = asking(async (_request, { onLateUsage }) => {
      onLateUsage?.(USAGE, 'other/model');
      return TEXT;
    });
    await late.perform();
    expect(late.late).toEqual([PAID]);
    // A setting of its Worker has to change: whoever can mend it is told why.
    const key = asking(() => Promise.reject(new OffshootError('model_unauthorized', 'No key.')));
    await key.perform();
    expect([key.failed()?.code, key.time.problems]).toEqual([
      'model_unauthorized',
      [expect.stringContaining('No key.')],
    ]);
  });
});

/** Pieces joined where each continues the one before, as a reader of the log joins them. */
function joined(deltas: readonly ModelDelta[]): ModelDelta[] {
  const all: ModelDelta[] = [];
  for (const next of deltas) {
    const last = all.at(-1);
    const isText =
      (last?.type === 'text' || last?.type === 'thinking') && next.type === last.type && next.part === last.part;
    const isArgument = last?.type === 'tool_arg_delta' && next.type === 'tool_arg_delta' && next.index === last.index;
    if (last && 'delta' in last && 'delta' in next && (isText || isArgument))
      all.splice(-1, 1, { ...last, delta: last.delta + next.delta });
    else all.push(next);
  }
  return all;
}

describe('the pieces of a reply', () => {
  const words = fc.record({
    type: fc.constantFrom('text', 'thinking'),
    part: fc.nat(1),
    delta: fc.constantFrom('a', 'bc', 'x'.repeat(3_000)),
  });
  const piece: fc.Arbitrary<ModelDelta> = fc.oneof(
    words as fc.Arbitrary<ModelDelta>,
    fc.record({ type: fc.constant('tool_arg_start' as const), index: fc.nat(1), toolName: fc.constant('t') }),
    fc.record({ type: fc.constant('tool_arg_delta' as const), index: fc.nat(1), delta: fc.constantFrom('{', '"x"}') }),
  );

  it('[ST4, ST1] are all in the log, in order, joined: those of 50 ms or 4,096 characters together, the last with the reply', async () => {
    const holds = fc.asyncProperty(
      fc.array(
        fc.record({ piece, waits: fc.constantFrom(0, 0, 20, 60), stores: fc.constantFrom(true, true, true, false) }),
        { maxLength: 14 },
      ),
      async (all) => {
        let stores = true;
        const one = asking(
          async (_request, { onDelta }) => {
            for (const { piece: next, waits, stores: then } of all) {
              stores = then;
              onDelta(next);
              if (waits > 0) await new Promise<void>((resolve) => one.time.environment.timer(waits, resolve));
            }
            return TEXT;
          },
          { stores: () => stores },
        );
        await one.perform();
        const progress = one.events.flatMap((event) => (event.type === 'model_progress' ? [event] : []));
        const last = one.replied()?.deltas ?? [];
        expect(joined([...progress.flatMap(({ deltas }) => deltas), ...last])).toEqual(
          joined(all.map((each) => each.piece)),
        );
        for (const { deltas, type: _type, at: _at, ...fence } of progress) {
          expect(fence).toEqual(one.fence);
          expect(deltas.length).toBeGreaterThan(0);
        }
        if (!all.every((each) => each.stores)) return;
        // By the times and sizes alone: what is held goes after 50 ms, or as soon as it has so many characters.
        let [held, since, now, flushes] = [0, 0, 0, 0];
        const isDue = (): boolean => held > 0 && now - since >= 50;
        for (const { piece: next, waits } of all) {
          if (held === 0) since = now;
          held += 'delta' in next ? next.delta.length : 1;
          if (held >= 4_096) [held, flushes] = [0, flushes + 1];
          now += waits;
          if (isDue()) [held, flushes] = [0, flushes + 1];
        }
        expect(progress).toHaveLength(flushes);
      },
    );
    await always(holds, 25);
  });

  it('[EG2] that come after a stop are shown to nobody', async () => {
    const one = asking(async (_request, { onDelta }) => {
      onDelta({ type: 'text', part: 0, delta: 'a' });
      one.controller.abort();
      onDelta({ type: 'text', part: 0, delta: 'b'.repeat(5_000) });
      return TEXT;
    });
    await one.perform();
    await one.time.pass(100);
    expect(one.events).toEqual([]);
  });
});

it('[HK20] a reply whose text hooks have had is shown and kept as they make it, in the place of its first text', async () => {
  const reply = replyOf([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'So.' },
    { type: 'text', text: ' Yes.' },
  ]);
  const shown = [
    { type: 'thinking', part: 0, delta: 'Hm.' },
    { type: 'text', part: 1, delta: 'So.' },
  ] as const;
  for (const gives of [undefined, { content: 'Other.' }, { content: '' }, { content: 'So. Yes.' }]) {
    const told: unknown[] = [];
    const execute = async (payload: { readonly message: object }) => {
      told.push(payload.message);
      return gives;
    };
    const hook = defineHook({ id: 'mine', hook: 'before_create_message', execute } as never);
    const one = asking(
      async (_request, { onDelta }) => {
        for (const delta of shown) onDelta(delta);
        return reply;
      },
      { definition: { hooks: [hook] } },
    );
    await one.perform();
    const text = gives?.content ?? 'So. Yes.';
    const made =
      text === 'So. Yes.' ? reply.content : [reply.content[0], ...(text === '' ? [] : [{ type: 'text', text }])];
    expect(told).toMatchObject([{ role: 'assistant', content: 'So. Yes.', messageId: 's_me.1' }]);
    expect(one.replied()?.reply.content).toEqual(made);
    expect(one.replied()?.deltas).toEqual([shown[0], ...(text === '' ? [] : [{ type: 'text', part: 1, delta: text }])]);
  }
});
