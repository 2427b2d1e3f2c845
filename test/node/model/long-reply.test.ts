/** What a provider may send at most in one reply. */

import { describe, expect, it } from 'vitest';
import { seatOf } from '../../../src/core/agent/seat';
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
    // Each part counts one, with the start of the call that is four.
    const half = 'x'.repeat(most / 2 - 2);
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
});
