/** What a summary costs is counted once, whoever makes it, and whenever its usage becomes known. */
import { expect, it } from 'vitest';
import { seatOf } from '../../../../src/core/agent/seat';
import type { CompactFunction } from '../../../../src/core/definition/context';
import type { ModelPort } from '../../../../src/core/definition/model-port';
import { HeldTurns } from '../../../../src/engine/models/held-turns';
import type { ModelAgent } from '../../../../src/engine/perform/performer';
import { summaryOf } from '../../../../src/engine/perform/summarise';
import { addUsage, NO_USAGE, type Usage } from '../../../../src/protocol/usage';
import { Machine } from '../../../support/machine';
import { rowsOf } from '../../../support/rows';
import { agentOf } from '../../../support/trees';
import { VirtualTime } from '../../../support/virtual-time';

const TIMEOUT_MS = 1_000;
/** With this, a usage that nobody has priced differs from one that has its cost. */
const PRICE = { input: 1_000_000, output: 2_000_000 };
const USAGE = { ...NO_USAGE, inputTokens: 4, outputTokens: 2, modelCalls: 1 };
const PAID = { ...USAGE, costUsd: 8 };
const RECORDED = { inputTokens: 4, outputTokens: 2, costUsd: 8 };

/** When what it cost becomes known, and how. */
const WHEN = ['in time', 'after its time', 'after a stop'] as const;
const HOW = ['with its reply', 'and it fails'] as const;

const machine = new Machine();
machine.start('Hello');
const { state } = machine;

/** A summary that a model makes, and what it costs then. */
function modelOf(how: (typeof HOW)[number], until: Promise<void>): ModelPort {
  return {
    provider: () => 'test',
    async call(_request, { onLateUsage }) {
      await until;
      if (how === 'and it fails') {
        onLateUsage?.(USAGE, 'test/model');
        throw new Error('It was cut off.');
      }
      return { content: [{ type: 'text', text: 'So far.' }], finishReason: 'stop', usage: USAGE, model: 'test/model' };
    },
  };
}

/** The same of an author's function. */
function functionOf(how: (typeof HOW)[number], until: Promise<void>): CompactFunction {
  return async (_messages, { recordUsage }) => {
    await until;
    recordUsage(RECORDED);
    if (how === 'and it fails') throw new Error('It was cut off.');
    return 'So far.';
  };
}

it('[CX7, CX8, US4] what a summary cost is counted once, by a model or a function, in time, too late or after a stop', async () => {
  for (const { by, when, how } of rowsOf({ by: ['model', 'function'], when: WHEN, how: HOW } as const)) {
    const what = JSON.stringify({ by, when, how });
    const time = new VirtualTime();
    const said = Promise.withResolvers<void>();
    const compact = by === 'model' ? by : functionOf(how, said.promise);
    const definition = agentOf('top', {
      price: PRICE,
      context: { maxTokens: 2_000, compact, timeoutMs: TIMEOUT_MS },
    });
    let late: Usage = NO_USAGE;
    const agent = {
      ...{ state, environment: time.environment, seat: seatOf(definition), modelTurns: new HeldTurns() },
      spentLate: (usage: Usage) => {
        late = addUsage(late, usage);
      },
      deps: { model: () => modelOf(how, said.promise), durable: async () => undefined },
    } as unknown as ModelAgent;
    const controller = new AbortController();
    const { seat } = agent;
    const { context } = seat.definition;
    if (context === undefined) throw new Error('The agent has no context.');
    const section = {
      arrived: [{ role: 'user', content: 'Old.' }],
      said: [],
      messagesUpTo: 1,
    } as const;
    const made = summaryOf(agent, {
      ...{ seat, context, registry: [], signal: controller.signal },
      effect: {
        kind: 'model',
        id: 'e',
        runId: 'r_1',
        epoch: 1,
        stepId: 1,
        attempt: 1,
        number: 1,
        notBefore: 0,
      },
      request: {
        ...{ agentType: 'top', sessionId: 's_me', root: '/agents/top/one', runId: 'r_1', step: 1, attempt: 1 },
        ...{ system: 'Work.', tools: [], settings: {}, firstChunkMs: 99, stallMs: 77 },
      },
      now: { pinned: [], sections: [], tokens: 9_000, bytes: 36_000, fixedBytes: 5, tokensPerByte: 1 / 4 },
      due: { dropped: [section], kept: [], pinned: { messages: [] }, room: 4_096, summaryBytes: 1_024 },
    });
    await time.settle();
    if (when === 'after its time') await time.pass(TIMEOUT_MS);
    if (when === 'after a stop') controller.abort();
    if (when !== 'in time') await made;
    said.resolve();
    const { usage = NO_USAGE, by: maker } = await made;
    await time.settle();
    const once = by === 'model' ? PAID : { ...NO_USAGE, ...RECORDED };
    expect(addUsage(usage, late), what).toEqual(once);
    const isInTime = when === 'in time' && how === 'with its reply';
    expect(maker, what).toBe(isInTime ? by : 'digest');
    if (when !== 'in time') expect(usage, what).toEqual(NO_USAGE);
  }
});
