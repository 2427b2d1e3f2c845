/** Providers that never come to an end: no reply of theirs leaves a run at work, or asked again without end. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../../../src/core/definition/children/relationship';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import type { Limits } from '../../../../src/core/definition/limits';
import { withOptions } from '../../../../src/model/provider';
import { scriptedModel } from '../../../../src/model/scripted';
import { createTestRuntime, type TestRun } from '../../../../src/testing';
import { fakeModel } from '../fake-model';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A model whose replies give this with each tick, for ever; `left` counts the readers that let go of it. */
function dripping(piece: () => LanguageModelV4StreamPart) {
  const open = new Set<ReadableStreamDefaultController<LanguageModelV4StreamPart>>();
  const facts = { left: 0, given: 0 };
  const { model, asked } = fakeModel(() => {
    let own: ReadableStreamDefaultController<LanguageModelV4StreamPart> | undefined;
    return new ReadableStream<LanguageModelV4StreamPart>({
      start(controller) {
        own = controller;
        open.add(controller);
        controller.enqueue({ type: 'text-start', id: 't' });
      },
      cancel() {
        if (own) open.delete(own);
        facts.left++;
      },
    });
  });
  const tick = (): void => {
    for (const controller of open) controller.enqueue(piece());
    facts.given += open.size;
  };
  return { model, asked, facts, tick };
}

async function begun(model: LanguageModelV4, limits: Partial<Limits> = {}): Promise<TestRun> {
  const agent = defineAgent({ name: 'plain', systemPrompt: 'Help.', model, limits });
  const runtime = createTestRuntime({ agents: [agent], report: () => undefined });
  onTestFinished(() => runtime.close());
  return runtime.execute(agent, 'Go.');
}

/** Lets time pass, with a tick every 50 s, until the run has ended; returns its end and how long it took. */
async function ended(run: TestRun, most: number, tick: () => void) {
  const from = Date.now();
  let result: Awaited<ReturnType<TestRun['result']>> | undefined;
  run.result().then((end) => {
    result = end;
  });
  while (result === undefined && Date.now() - from < most) {
    await vi.advanceTimersByTimeAsync(50_000);
    tick();
  }
  return { result, ms: Date.now() - from };
}

const token = (): LanguageModelV4StreamPart => ({ type: 'text-delta', id: 't', delta: 'x' });

describe('a provider that streams a token a minute', () => {
  it('[TM3, M33] for ever ends the run at `maxWallMs`; it is asked once, and let go of', async () => {
    const drip = dripping(token);
    const { result, ms } = await ended(await begun(drip.model, { maxWallMs: 3 * HOUR }), 4 * HOUR, drip.tick);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'run_timeout' } });
    expect(ms).toBeLessThan(3 * HOUR + MINUTE);
    expect(drip.asked).toHaveLength(1);
    // What is left is read on for 2 s, for its tokens alone.
    await vi.advanceTimersByTimeAsync(2_000);
    expect(drip.facts.left).toBe(1);
    const { given } = drip.facts;
    drip.tick();
    expect(drip.facts.given).toBe(given);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[TM2] to a sub-agent ends that at its own time, and its parent goes on', async () => {
    const drip = dripping(token);
    const kid = defineAgent({ name: 'kid', systemPrompt: 'Help.', model: drip.model });
    const top = defineAgent({
      name: 'top',
      systemPrompt: 'Help.',
      model: scriptedModel([{ calls: [{ name: 'subagent__kid', input: { q: 'a' } }] }, { text: 'Done.' }]),
      tools: [createSubAgentTool(kid, z.object({ q: z.string() }))],
    });
    const runtime = createTestRuntime({ agents: [top, kid], report: () => undefined });
    onTestFinished(() => runtime.close());
    const { result, ms } = await ended(await runtime.execute(top, 'Go.'), HOUR, drip.tick);
    expect(result).toEqual({ status: 'completed', output: 'Done.' });
    expect(ms).toBeLessThan(12 * MINUTE);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([drip.asked.length, drip.facts.left]).toEqual([1, 1]);
  });
});

/** A server whose answers begin so, and go on with that piece at each tick, or with nothing. */
function server(piece: string | undefined, begins = '') {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  let requests = 0;
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    requests++;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        open.add(controller);
        if (begins !== '') controller.enqueue(bytes(begins));
        init?.signal?.addEventListener('abort', () => {
          open.delete(controller);
          controller.error(init.signal?.reason);
        });
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const tick = (): void => {
    if (piece !== undefined) for (const controller of open) controller.enqueue(bytes(piece));
  };
  return { fetch, tick, facts: () => ({ requests, open: open.size }) };
}

const PING = 'event: ping\ndata: {"type":"ping"}\n\n';
const MESSAGE = {
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [] },
  ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
};
const BEGINS = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: MESSAGE })}\n\n`;

const openai = (fetch: typeof globalThis.fetch) => createOpenAI({ apiKey: 'k', fetch }).chat('gpt-4o');
const claude = (fetch: typeof globalThis.fetch) =>
  withOptions(createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5'), { anthropic: { includePings: true } });

describe('a provider that says nothing', () => {
  it.each<[string, string | undefined]>([
    ['headers and then nothing', undefined],
    ['comments that keep its connection open', ': keep-alive\n\n'],
  ])('[M33, ST4] but %s fails the run after its tries, and none is left open', async (_name, piece) => {
    const { facts, fetch, tick } = server(piece);
    const { result, ms } = await ended(await begun(openai(fetch)), HOUR, tick);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model_timeout' } });
    expect(facts()).toEqual({ requests: 4, open: 0 });
    expect(ms).toBeLessThan(9 * MINUTE);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[M33, ST4] but pings before its reply begins fails the run after its tries', async () => {
    const { facts, fetch, tick } = server(PING);
    const { result, ms } = await ended(await begun(claude(fetch)), HOUR, tick);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'model_timeout' } });
    expect(facts()).toEqual({ requests: 4, open: 0 });
    expect(ms).toBeLessThan(9 * MINUTE);
  });

  it('[TM3, M33] but pings ends the run at `maxWallMs`, and is asked once', async () => {
    const { facts, fetch, tick } = server(PING, BEGINS);
    const { result, ms } = await ended(await begun(claude(fetch), { maxWallMs: HOUR }), 2 * HOUR, tick);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'run_timeout' } });
    expect(ms).toBeLessThan(HOUR + MINUTE);
    expect(facts()).toEqual({ requests: 1, open: 0 });
  });
});
