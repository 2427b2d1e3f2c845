/** What a provider may send at most in one reply. */

import { describe, expect, it } from 'vitest';
import { seatOf } from '../../../src/core/agent/seat';
import { checkSize, ROW_CHARACTERS } from '../../../src/core/definition/reply-size';
import { planReply } from '../../../src/engine/perform/check-calls';
import { ReplyBuilder } from '../../../src/model/reply';
import { DATA_LIMITS } from '../../../src/protocol/data-limits';
import { NO_USAGE } from '../../../src/protocol/usage';
import { deep } from '../../support/deep';
import { agentOf } from '../../support/trees';
import { FINISH } from './fake-model';

const most = DATA_LIMITS.maxReplyCharacters;
const refused = { failure: { code: 'model_bad_reply', retryable: false } };
const builder = () => new ReplyBuilder({ provider: 'p', modelId: 'm' }, () => undefined);

const thrown = (act: () => unknown): unknown => {
  try {
    act();
    return 'nothing';
  } catch (error) {
    return error;
  }
};

describe('a long reply', () => {
  it('[JS3] has at most 4,000,000 characters and parts, text and arguments together, and is refused while it comes', () => {
    expect(most).toBe(4_000_000);
    // Each part counts one, with the start of the call that is four; its id and name are five, and three pieces begin a row.
    const half = 'x'.repeat((most - 4 - 6 - 3 * ROW_CHARACTERS) / 2);
    const reply = builder();
    reply.take({ type: 'text-delta', id: 't', delta: half });
    reply.take({ type: 'tool-input-start', id: 'c', toolName: 'note' });
    reply.take({ type: 'tool-input-delta', id: 'c', delta: half });
    reply.take({ type: 'tool-call', toolCallId: 'c', toolName: 'note', input: half });
    expect(thrown(() => reply.take({ type: 'text-delta', id: 't', delta: '' }))).toMatchObject(refused);
  });

  it('[JS3] that never ends is left behind, also where its parts say nothing', () => {
    const reply = builder();
    const endless = (): void => {
      for (;;) reply.take({ type: 'reasoning-start', id: 'r' });
    };
    expect(thrown(endless)).toMatchObject(refused);
  });

  // Each of these would hold hundreds of megabytes before it had 4,000,000 characters.
  it.each([
    ['texts', (n: number) => ({ type: 'text-start', id: `t${n}` }) as const],
    ['calls that begin', (n: number) => ({ type: 'tool-input-start', id: `c${n}`, toolName: 't' }) as const],
    [
      'calls that begin at a provider',
      (n: number) => ({ type: 'tool-input-start', id: `c${n}`, toolName: 't', providerExecuted: true }) as const,
    ],
    ['calls', (n: number) => ({ type: 'tool-call', toolCallId: `c${n}`, toolName: 't', input: '' }) as const],
    ['results', (n: number) => ({ type: 'tool-result', toolCallId: `c${n}`, toolName: 't', result: 1 }) as const],
  ])('[JS9] has at most 10,000 parts: %s', (_, part) => {
    const reply = builder();
    for (let n = 0; n < 10_000; n++) reply.take(part(n));
    expect(thrown(() => reply.take(part(10_000)))).toMatchObject({
      failure: { ...refused.failure, message: expect.stringContaining('more than 10000 parts') },
    });
  });

  it.each([
    ['of a text', { type: 'text-start', id: 'x'.repeat(most) }],
    ['of a call', { type: 'tool-input-start', id: 'x'.repeat(most), toolName: 't' }],
    [
      'of a call at a provider',
      { type: 'tool-input-start', id: 'x'.repeat(most), toolName: 't', providerExecuted: true },
    ],
    [
      'of a whole call at a provider',
      { type: 'tool-call', toolCallId: 'x'.repeat(most), toolName: 't', input: '', providerExecuted: true },
    ],
  ] as const)('[JS9] counts the id %s, which is kept until its end', (_, part) => {
    expect(thrown(() => builder().take(part))).toMatchObject(refused);
  });

  it('[JS10] counts a piece that begins a row of the log 100 characters more', () => {
    const reply = builder();
    const alternating = (): number => {
      for (let n = 0; ; n++) {
        try {
          reply.take({ type: 'text-delta', id: `t${n % 2}`, delta: 'x' });
        } catch {
          return n;
        }
      }
    };
    expect(alternating()).toBe(Math.floor((most - 4) / (ROW_CHARACTERS + 2)));
    expect(ROW_CHARACTERS).toBe(100);
    const one = builder();
    for (let n = 0; n < 100_000; n++) one.take({ type: 'text-delta', id: 't', delta: 'x' });
    expect(one.finish(FINISH).content).toHaveLength(1);
  });

  it('[JS3] whose arguments come in one piece, or are longer than what streamed, is refused', () => {
    const whole = { type: 'tool-call', toolCallId: 'c', toolName: 'note', input: 'x'.repeat(most) } as const;
    expect(thrown(() => builder().take(whole))).toMatchObject(refused);
    const reply = builder();
    reply.take({ type: 'tool-input-start', id: 'c', toolName: 'note' });
    expect(thrown(() => reply.take(whole))).toMatchObject(refused);
  });

  it('[JS3, JS1] whose metadata is nested too deep cannot be sent back, and is refused', () => {
    const reply = builder();
    reply.take({ type: 'text-delta', id: 't', delta: 'x' });
    reply.take({ type: 'text-end', id: 't', providerMetadata: { p: { v: deep(20_000) } } });
    expect(thrown(() => reply.finish(FINISH))).toMatchObject(refused);
  });

  it('[JS3] of a port of any kind is held to the same', async () => {
    const plan = (length: number) =>
      planReply(
        seatOf(agentOf('a')),
        { content: [{ type: 'text', text: 'x'.repeat(length) }], finishReason: 'stop', usage: NO_USAGE, model: 'm' },
        { state: null, env: {}, agent: { type: 'a', sessionId: 's', address: '/agents/a/one', runId: 'r' } },
        { sha256: () => '' },
      );
    expect(await plan(most)).toEqual([]);
    await expect(plan(most + 1)).rejects.toMatchObject(refused);
  });

  it('[JS9] of a port of any kind has at most 10,000 parts', () => {
    const reply = (length: number) => ({
      content: Array.from({ length }, () => ({ type: 'text' as const, text: '' })),
      ...{ finishReason: 'stop' as const, usage: NO_USAGE, model: 'm' },
    });
    expect(thrown(() => checkSize(reply(10_000)))).toBe('nothing');
    expect(thrown(() => checkSize(reply(10_001)))).toMatchObject(refused);
  });
});
