/** How a request is estimated, what a digest tells, and that a compaction makes any transcript fit. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Compaction,
  compactionOf,
  dueCompaction,
  estimate,
  summaryMessage,
} from '../../src/core/agent/context/compaction';
import { digestOf } from '../../src/core/agent/context/digest';
import { bytesOf, cutLines, cutMessage, cutText, messageBytes } from '../../src/core/agent/context/size';
import type { InboundMessage } from '../../src/core/agent/inbound';
import type { RepliedStep, Step } from '../../src/core/agent/state';
import { MIN_CONTEXT_TOKENS } from '../../src/core/definition/context';
import { defineAgent } from '../../src/core/definition/define-agent';
import { MAX_TIMER_MS } from '../../src/core/definition/limits';
import { Transcript } from '../../src/engine/transcript-cache';
import { failure, OffshootError } from '../../src/protocol/errors';
import { byteLength } from '../../src/protocol/json';
import { type Message, unpairedCalls } from '../../src/protocol/messages';
import { NO_USAGE } from '../../src/protocol/usage';
import { ANY_CHARACTER } from '../support/any-character';
import { Machine } from '../support/machine';
import { noModel } from '../support/no-model';
import { always, sized } from '../support/sizes';

describe('the estimate', () => {
  it('[CX2] takes four bytes for a token, or what a compaction went by', () => {
    expect(estimate(4_000, undefined)).toEqual({ tokens: 1_000, tokensPerByte: 1 / 4 });
    expect(estimate(4_001, undefined).tokens).toBe(1_001);
    expect(estimate(4_000, 0.5)).toEqual({ tokens: 2_000, tokensPerByte: 0.5 });
  });

  it('[CX2] goes by what the provider counted, and adds what came since with a margin', () => {
    const known = { inputTokens: 1_000, bytes: 2_000 };
    expect(estimate(2_000, known)).toEqual({ tokens: 1_000, tokensPerByte: 0.525 });
    expect(estimate(4_000, known).tokens).toBe(2_050);
    expect(estimate(4_000, { inputTokens: 400, bytes: 2_000 }).tokens).toBe(925);
  });

  it.for([
    [200, 0.2],
    [380, 0.2],
    [400, 0.21],
    [199, 1 / 4],
    [2_000, 1.05],
    [2_001, 1 / 4],
    [0, 1 / 4],
  ] as const)('[CX2] of %i tokens counted for 2,000 bytes goes by %d of a token for a byte', ([inputTokens, by]) => {
    expect(estimate(2_000, { inputTokens, bytes: 2_000 }).tokensPerByte).toBeCloseTo(by, 10);
  });

  it('[CX2] counts a picture by itself, another file up to a limit, and text as it is', () => {
    const size = (mediaType: string, length: number) =>
      messageBytes({ role: 'user', content: [{ type: 'file', mediaType, data: 'A'.repeat(length) }] });
    expect(size('image/png', 400_000)).toBe(size('image/png', 4));
    expect(size('application/pdf', 400_000)).toBe(size('application/pdf', 800_000));
    expect(size('application/pdf', 4_000)).toBeLessThan(size('application/pdf', 400_000));
    expect(size('text/plain', 400_000)).toBeGreaterThan(300_000);
  });
});

const asked = (content: string): Message => ({ role: 'user', content });
const called = (toolCallId: string, value: string): Message[] => [
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me\n  see.' },
      { type: 'tool-call', toolCallId, providerId: 'p', toolName: 'look', input: { what: value } },
      { type: 'tool-call', toolCallId: `${toolCallId}b`, providerId: 'q', toolName: 'fail', input: {} },
    ],
  },
  { role: 'tool', toolCallId, toolName: 'look', result: { success: true, value } },
  {
    role: 'tool',
    toolCallId: `${toolCallId}b`,
    toolName: 'fail',
    result: { success: false, error: failure('tool_failed', 'No.') },
  },
];

describe('the digest', () => {
  it('[CX6] tells what was asked, said and called with its results, one entry a line', () => {
    const messages = [asked('Find\nit'), ...called('c', 'here'), { role: 'system', content: 'Hurry' } as const];
    expect(digestOf('Before.\nStill before.', messages, 10_000).split('\n')).toEqual([
      'Before.',
      'Still before.',
      '- Asked: Find it',
      '- Said: Let me see.',
      '- Called look with {"what":"here"}, which gave: here',
      '- Called fail with {}, which failed: {"success":false,"error":"No.","code":"tool_failed"}',
      '- Told: Hurry',
    ]);
  });

  it('[CX6] names files, leaves out thinking, and says where a call has no result', () => {
    const file = { type: 'file', mediaType: 'image/png', filename: 'a.png', data: 'AAAA' } as const;
    const thought: Message = { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }] };
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'See' }, file] } as const,
      thought,
      ...called('c', 'here').slice(0, 1),
    ];
    const text = digestOf('', messages, 10_000);
    expect(text).toContain('- Asked: See [file a.png]');
    expect(text).toContain('which gave: no result');
    expect(text).not.toContain('Hm.');
  });

  it('[CX6] keeps to its size by leaving out entries between its beginning and its end, and says so once', async () => {
    await always(
      fc.property(
        fc.array(fc.string({ maxLength: 300 }), { maxLength: 40 }),
        fc.integer({ min: 400, max: 4_000 }),
        (texts, bytes) => {
          const half = Math.floor(texts.length / 2);
          const first = digestOf('', texts.slice(0, half).map(asked), bytes);
          const both = digestOf(first, texts.slice(half).map(asked), bytes);
          expect(byteLength(both)).toBeLessThanOrEqual(bytes);
          expect(both.split('older entries were left out').length).toBeLessThanOrEqual(2);
          if (half > 0) expect(both.slice(0, 9)).toBe('- Asked: ');
        },
      ),
      sized(200, 2_000),
    );
  });
});

describe('a summary in lines', () => {
  const LEFT_OUT = '[… older entries were left out …]';
  const unit = fc.constantFrom('a', 'é', '中', ' ');
  const line = fc.oneof(fc.string({ unit, maxLength: 60 }), fc.string({ unit, minLength: 100, maxLength: 400 }));

  it('[CX6] is whole where it fits; else whole lines of its beginning and its end stay, as many as a naive reading finds', async () => {
    const lengths = (lines: readonly string[]) => lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    /** The longest beginning of lines that has so many bytes with its line ends. */
    const fitting = (lines: readonly string[], bytes: number) =>
      lines.slice(0, lines.findLastIndex((_, index) => lengths(lines.slice(0, index + 1)) <= bytes) + 1);
    const seen = new Set<string>();
    await always(
      fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 128, max: 1_000 }), (lines, bytes) => {
        const cut = cutLines(lines, bytes);
        const all = lines.join('\n');
        const room = bytes - byteLength(LEFT_OUT) - 2;
        const head = fitting(lines, room / 3);
        const tail = fitting(lines.slice(head.length).reverse(), room - byteLength(head.join('\n'))).reverse();
        const kind =
          byteLength(all) <= bytes ? 'whole' : tail.length === 0 ? 'one line' : `a tail of ${Math.min(tail.length, 2)}`;
        seen.add(kind);
        if (kind === 'whole') expect(cut).toBe(all);
        else if (kind === 'one line') expect(cut).toBe(cutText(all, bytes));
        else expect(cut.split('\n')).toEqual([...head, LEFT_OUT, ...tail]);
        expect(byteLength(cut)).toBeLessThanOrEqual(bytes);
      }),
      sized(300, 5_000),
    );
    expect([...seen].sort()).toEqual(['a tail of 1', 'a tail of 2', 'one line', 'whole']);
  });
});

describe('what is cut', () => {
  it('[CX9] has so many bytes at most, whole characters, and a mark that says how many there were', async () => {
    await always(
      fc.property(
        fc.string({ unit: ANY_CHARACTER, maxLength: 1_000 }),
        fc.integer({ min: 128, max: 2_000 }),
        (text, bytes) => {
          const cut = cutText(text, bytes);
          expect(byteLength(cut)).toBeLessThanOrEqual(bytes);
          expect(cut.isWellFormed()).toBe(true);
          if (byteLength(text) > bytes) expect(cut).toContain(`cut, ${byteLength(text)} bytes in all`);
          else expect(cut).toBe(text);
        },
      ),
      sized(200, 5_000),
    );
  });

  it('[CX9] leaves whole whatever has so many bytes, in whichever part of a message, and cuts what has more', async () => {
    const look = { toolCallId: 'c', toolName: 'look' };
    const parts: { readonly [part: string]: (text: string) => Message } = {
      'what was said': (text) => ({ role: 'user', content: text }),
      'a part of it': (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
      'a prompt': (text) => ({ role: 'system', content: text }),
      'a text of the model': (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
      arguments: (of) => ({
        role: 'assistant',
        content: [{ type: 'tool-call', providerId: 'p', ...look, input: { of } }],
      }),
      'a result': (value) => ({ role: 'tool', ...look, result: { success: true, value } }),
      'a result of the provider': (result) => ({
        role: 'assistant',
        content: [{ type: 'provider-result', by: 'p', providerId: 'p', ...look, result }],
      }),
    };
    const bytes = 512;
    for (const [part, of] of Object.entries(parts)) {
      const around = part === 'arguments' ? JSON.stringify({ of: '' }).length : 0;
      const fits = of('x'.repeat(bytes - around));
      expect(cutMessage(fits, bytes), part).toEqual(fits);
      const large = of('x'.repeat(bytes - around + 1));
      expect(cutMessage(large, bytes), part).not.toEqual(large);
    }
  });

  it('[CX9] keeps arguments an object and a failure a failure, and replaces a file by its name', () => {
    const long = 'x'.repeat(10_000);
    const [assistant] = called('c', long).map((message) => cutMessage(message, 512));
    const input = assistant?.role === 'assistant' && assistant.content.find(({ type }) => type === 'tool-call');
    expect(input).toMatchObject({ toolCallId: 'c', input: { cut: expect.stringContaining('cut, 10011 bytes') } });
    const error = failure('tool_failed', 'y'.repeat(5_000), false, { done: long });
    const failed = cutMessage(
      { role: 'tool', toolCallId: 'c', toolName: 'look', result: { success: false, error } },
      512,
    );
    expect(failed).toMatchObject({ result: { success: false, error: { code: 'tool_failed' } } });
    expect(messageBytes(failed)).toBeLessThan(700);
    const file = { type: 'file', mediaType: 'image/png', filename: 'a.png', data: 'AAAA' } as const;
    expect(cutMessage({ role: 'user', content: [file] }, 512)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: '[A file was left out: a.png (image/png)]' }],
    });
  });
});

/** A step of a random transcript: what arrived before it, how large its calls are, and whether it begins a turn. */
interface Drawn {
  readonly arrived: readonly number[];
  readonly calls: readonly number[];
  readonly begins: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  arrived: fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 2 }),
  calls: fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 3 }),
  begins: fc.boolean(),
});

type Asking = Extract<Step, { phase: 'model' }>;

/** The rows of a transcript, as a store has them. */
class Rows {
  readonly all: RepliedStep[] = [];
  readonly arrived: InboundMessage[] = [];
  #number = 0;

  steps({ after = 0, upTo = Number.MAX_SAFE_INTEGER }): Step[] {
    return this.all.filter(({ id }) => id > after && id <= upTo);
  }

  messages({ after = 0, upTo = Number.MAX_SAFE_INTEGER }): InboundMessage[] {
    return this.arrived.filter(({ id }) => id > after && id <= upTo);
  }

  /** A step that is to be asked. */
  open({ arrived, begins }: Drawn): Asking {
    for (const size of arrived) {
      const id = this.arrived.length + 1;
      const content = `${id} ${'m'.repeat(size)}`;
      this.arrived.push({ id, messageId: `m_${id}`, role: 'user', content, from: 'caller', at: 1 });
    }
    this.#number = begins || this.all.length === 0 ? 1 : this.#number + 1;
    const { all } = this;
    const last = all.at(-1);
    const compactedAt = last?.compaction ? last.id : last?.compactedAt;
    return {
      phase: 'model',
      id: all.length + 1,
      turn: 1,
      number: this.#number,
      attempt: 1,
      recoveries: 0,
      token: 't',
      messagesUpTo: this.arrived.length,
      startedAt: 1,
      failures: [],
      spent: NO_USAGE,
      notBefore: 1,
      ...(compactedAt === undefined ? {} : { compactedAt }),
    };
  }

  /** Its reply with its results. */
  reply({ notBefore: _notBefore, ...step }: Asking, { calls }: Drawn, inputTokens: number): void {
    const plan = { kind: 'immediate', result: { success: true, value: null } } as const;
    this.all.push({
      ...step,
      phase: 'calls',
      reply: calls.map((_, index) => ({ type: 'tool-call', providerId: 'p', toolName: 'look', index })),
      model: 'm',
      finishReason: 'stop',
      usage: { ...NO_USAGE, inputTokens },
      repliedAt: 1,
      calls: calls.map((size, index) => ({
        callId: `c_${step.id}.${index}`,
        providerId: 'p',
        name: 'look',
        input: { of: 'i'.repeat(size / 2) },
        index,
        plan,
        bodies: 1,
        settled: { result: { success: true, value: 'v'.repeat(size) }, at: 1, startedAt: 1 },
      })),
    });
  }
}

const FIXED = 400;

/** The request of each step, with the compactions that it needed; and what a transcript that begins there gives. */
function play(steps: readonly Drawn[], maxTokens: number, keepRecentTokens: number, perByte: number) {
  const rows = new Rows();
  const transcript = new Transcript(rows);
  const made: Compaction[] = [];
  const context = { maxTokens, keepRecentTokens };
  for (const one of steps) {
    let step = rows.open(one);
    transcript.before(step);
    const now = transcript.now(step, FIXED);
    const due = dueCompaction(now, context);
    if (due) {
      const dropped = due.dropped.flatMap(({ arrived, said }) => [...arrived, ...said]);
      const summary =
        due.dropped.length === 0
          ? (now.last?.summary ?? '')
          : digestOf(now.last?.summary ?? '', dropped, due.summaryBytes);
      const compaction = compactionOf(now, due, { summary, by: 'digest', startedAt: 1, at: 1 }, context);
      made.push(compaction);
      step = { ...step, compaction };
    }
    const messages = transcript.before(step);
    const after = transcript.now(step, FIXED);
    const { tokens, tokensPerByte } = after;
    expect(Math.min(tokens, Math.ceil((FIXED + after.bytes) * tokensPerByte))).toBeLessThanOrEqual(maxTokens);
    if (due) expect(after.tokens).toBe(made.at(-1)?.tokensAfter);
    expect(unpairedCalls(messages)).toEqual([]);
    // No message is there twice: what opened the turn is kept, or stands before what is.
    const numbers = messages.flatMap(
      (message) => (message.role === 'user' ? /^\d+ /.exec(String(message.content)) : null) ?? [],
    );
    expect(numbers).toEqual([...new Set(numbers)]);
    const fresh = new Transcript(rows);
    expect(fresh.before(step)).toEqual(messages);
    expect(fresh.now(step, FIXED)).toEqual(after);
    expect(after.bytes).toBe(bytesOf(messages));
    rows.reply(step, one, Math.round((FIXED + bytesOf(messages)) * perByte));
  }
  return made;
}

describe('a compaction', () => {
  it('[CX1, CX3, CX4] makes the request of any step fit, paired, and the same for whoever reads the rows anew', async () => {
    let compacted = 0;
    let cut = 0;
    await always(
      fc.property(
        fc.array(drawn, { minLength: 1, maxLength: 14 }),
        fc.integer({ min: 4_000, max: 12_000 }),
        fc.integer({ min: 1, max: 3_900 }),
        fc.double({ min: 0.1, max: 0.6, noNaN: true }),
        (steps, maxTokens, keep, perByte) => {
          const made = play(steps, maxTokens, keep, perByte);
          compacted += made.length;
          cut += made.filter((one) => one.cut).length;
          for (const [at, { number, fromStep, upToStep }] of made.entries()) {
            expect(number).toBe(at + 1);
            if (fromStep !== undefined) expect(fromStep).toBe((made[at - 1]?.upToStep ?? 0) + 1);
            expect(upToStep).toBeGreaterThanOrEqual(made[at - 1]?.upToStep ?? 0);
          }
        },
      ),
      sized(150, 3_000),
    );
    expect(compacted).toBeGreaterThan(150);
    expect(cut).toBeGreaterThan(20);
  });

  it('[CX9] is refused where nothing that may be left out or cut makes it fit', () => {
    const steps = [
      { arrived: [5], calls: Array.from({ length: 60 }, () => 300), begins: true },
      { arrived: [], calls: [], begins: false },
    ];
    expect(() => play(steps, 2_000, 500, 1 / 4)).toThrow(OffshootError);
  });

  it('[ST1, CX4] is refused where its step is asked by another attempt, and counts what it cost otherwise', () => {
    const machine = new Machine();
    machine.start();
    const compaction: Compaction = {
      number: 1,
      upToStep: 0,
      upToMessage: 0,
      summary: '',
      by: 'function',
      tokensPerByte: 1 / 4,
      tokensBefore: 2_000,
      tokensAfter: 900,
      startedAt: 1,
      at: 2,
      usage: { ...NO_USAGE, inputTokens: 77 },
    };
    const fence = { ...machine.fence };
    for (const wrong of [{ attempt: 2 }, { epoch: 9 }, { stepId: 2 }, { runId: 'r_other' }])
      expect(machine.apply({ type: 'context_compacted', ...fence, ...wrong, compaction })).toMatchObject({
        ok: false,
        refused: { code: 'superseded' },
      });
    expect(machine.apply({ type: 'context_compacted', ...fence, compaction }).ok).toBe(true);
    expect(machine.apply({ type: 'context_compacted', ...fence, compaction }).ok).toBe(false);
    expect(machine.state.spent.inputTokens).toBe(77);
    expect(machine.state.step).toMatchObject({ compaction, spent: { inputTokens: 77 } });
    machine.reply({ text: 'Done.' });
    machine.start('More');
    expect(machine.state.step).toMatchObject({ id: 2, compactedAt: 1 });
    expect(machine.state.step).not.toHaveProperty('compaction');
  });

  it('[CX3] stands as a message of its own that says what it is', () => {
    expect(summaryMessage('It was long.')).toEqual({
      role: 'user',
      from: 'offshoot',
      content: expect.stringMatching(/^\[Summary of the conversation so far\..*\]\n\nIt was long\.$/),
    });
  });
});

describe('the definition of a context', () => {
  const define = (context: object) => () =>
    defineAgent({ name: 'top', systemPrompt: 'Work.', model: noModel, context: context as { maxTokens: number } });

  it.for([
    { maxTokens: MIN_CONTEXT_TOKENS },
    { maxTokens: 2_000, keepRecentTokens: 1_999, timeoutMs: MAX_TIMER_MS, compact: 'model' },
    { maxTokens: 2_000, keepRecentTokens: 1, timeoutMs: 1, compact: () => '' },
  ])('[CX12] takes %o', (context) => {
    expect(define(context)().context).toEqual(context);
  });

  it.for([
    [{ maxTokens: 999 }, /maxTokens` must be at least 1000/],
    [{}, /maxTokens` must be a number, but is missing/],
    [{ maxTokens: 2_000.5 }, /maxTokens` must be a whole number/],
    [{ maxTokens: 2_000, keepRecentTokens: 2_000 }, /keepRecentTokens` must be less than/],
    [{ maxTokens: 2_000, keepRecentTokens: 0 }, /keepRecentTokens` must be above 0/],
    [{ maxTokens: 2_000, timeoutMs: MAX_TIMER_MS + 1 }, /timeoutMs` must be at most/],
    [{ maxTokens: 2_000, compact: 'shorter' }, /compact` must be/],
    [{ maxTokens: 2_000, keepRecent: 1 }, /unknown options: keepRecent/],
  ] as const)('[CX12] refuses %o', ([context, why]) => {
    expect(define(context)).toThrow(why);
  });
});
