import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { createWorker } from '../../../src/worker';
import { address, del, get, HOST, open, post, send } from '../../support/api';
import { asks, calls, openGate, told } from '../../support/puppet';
import { Form, Leaf, Middle, Tiny, Top } from '../../support/worker';
import { items, picked, publishes, stands, threeAtGate, threeLevels, waiting, waitingCall, yes } from '../standing';

describe('the audit', () => {
  it('[A39] tells who did what to an agent, the newest last', async () => {
    const at = address();
    const started = await post(`${at}/start`, { message: told(publishes('x')) });
    const call = await waitingCall(at);
    const sent = await post(`${at}/messages`, { content: 'By the way.' });
    await post(`${at}/interrupt`, { reason: 'lunch' });
    const resumed = await post(`${at}/resume`, {});
    await post(`${at}/tool-results`, yes(call, { reason: 'a secret', input: { text: 'private' } }));
    await stands(at, 'completed');
    await send(`${at}/files/a.md`, { method: 'PUT', body: 'text' });
    await del(`${at}/files/a.md`);
    await post(`${at}/terminate`, {});
    const by = { at: expect.any(Number), actor: 'local' };
    const { runId } = started.body;
    const second = resumed.body.runId;
    expect(await items(`${at}/audit`)).toEqual([
      { ...by, action: 'start', runId },
      { ...by, action: 'send', detail: { messageId: sent.body.messageId } },
      { ...by, action: 'interrupt', runId, detail: { reason: 'lunch' } },
      { ...by, action: 'resume', runId: second },
      {
        ...by,
        action: 'submit',
        runId: second,
        detail: { toolCallId: call, toolName: 'publish', decision: 'approved' },
      },
      { ...by, action: 'writeFile', detail: { path: 'a.md', size: 4 } },
      { ...by, action: 'removeFile', detail: { path: 'a.md' } },
      {
        ...by,
        action: 'terminate',
        runId: second,
        detail: { reason: 'Somebody on this machine asked to terminate it.' },
      },
    ]);
  });

  it('[A39] says nothing of what was refused, repeated or read', async () => {
    const at = address();
    const key = { 'idempotency-key': 'k' };
    const body = { message: told({ text: 'x' }) };
    await post(`${at}/start`, body, key);
    await stands(at, 'completed');
    await post(`${at}/start`, body, key);
    await post(`${at}/start`, { message: 'x' }, key);
    await post(`${at}/interrupt`, {});
    await post(`${at}/resume`, {});
    await post(`${at}/retry`, {});
    await post(`${at}/tool-results`, yes('c_none'));
    await del(`${at}/files/none`);
    await get(`${at}/messages`);
    expect((await items(`${at}/audit`)).map(({ action }) => action)).toEqual(['start']);
  });

  it('[A39] of a sub-agent is kept with it, and at the root what only the root could do', async () => {
    const { at, leaf } = await threeAtGate();
    await post(`${leaf}/messages`, { content: 'x' });
    await post(`${leaf}/interrupt`, {});
    await stands(leaf, 'interrupted');
    await post(`${leaf}/resume`, {});
    await stands(leaf, 'running');
    expect((await items(`${leaf}/audit`)).map(({ action }) => action)).toEqual(['send', 'interrupt']);
    await del(leaf);
    expect(await items(`${at}/audit`)).toMatchObject([
      { action: 'start' },
      { action: 'resume', detail: { address: leaf } },
      { action: 'remove', detail: { address: leaf } },
    ]);
  });

  it('[A39] names who asked, and comes in pages', async () => {
    const authorize = (request: Request) => ({ subject: request.headers.get('x-user') ?? '?' });
    const worker = createWorker({ agents: [Top, Middle, Leaf, Tiny, Form], authorize });
    const at = address();
    const say = (user: string, path: string, body: JsonObject) =>
      worker.fetch(
        new Request(`${HOST}${at}/${path}`, {
          method: 'POST',
          headers: { 'x-user': user, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
        {},
        { exports },
      );
    await say('alice', 'start', { message: told(asks(['pick', { of: ['a'] }])) });
    await say('bob', 'tool-results', picked(await waitingCall(at), 'a'));
    await stands(at, 'completed');
    await say('carol', 'messages', { content: told({ text: 'y' }) });
    const first = (await get(`${at}/audit?limit=2`)).body;
    const second = (await get(`${at}/audit?limit=2&cursor=${first.cursor}`)).body;
    expect([first.items, second.items].flat().map((entry) => entry.actor)).toEqual(['alice', 'bob', 'carol']);
    expect(second.cursor).toBeUndefined();
  });
});

describe('checkpoints', () => {
  it('[A40] F146: are the committed steps, as the stream tells them', async () => {
    const { at, leaf } = await threeLevels(publishes('x'), publishes('y'));
    expect(await items(`${at}/checkpoints`)).toEqual([]);
    await post(`${at}/tool-results`, yes(await waitingCall(at)));
    const stream = await open(`${at}/stream?follow=1`);
    const committed = () => stream.chunks.flatMap(({ chunk }) => (chunk.type === 'step_committed' ? [chunk] : []));
    await stream.until(() => committed().length === 1);
    // The second step waits for a person: it is not committed.
    expect(await items(`${leaf}/checkpoints`)).toEqual([
      {
        checkpointId: committed()[0]?.checkpointId,
        turn: 1,
        step: 1,
        at: expect.any(Number),
        finishReason: 'tool-calls',
      },
    ]);
    await post(`${at}/tool-results`, yes(await waitingCall(at)));
    await stands(at, 'completed');
    await stream.until(() => committed().length === 7);
    await stream.cancel();
    const all = [...(await items(`${at}/checkpoints`)), ...(await items(`${at}/sub/middle/1~1/checkpoints`))];
    const ids = [...all, ...(await items(`${leaf}/checkpoints`))].map(({ checkpointId }) => checkpointId);
    expect(ids.sort()).toEqual(
      committed()
        .map(({ checkpointId }) => checkpointId)
        .sort(),
    );
    const first = (await get(`${leaf}/checkpoints?limit=2`)).body;
    expect(first.items).toHaveLength(2);
    expect((await get(`${leaf}/checkpoints?limit=2&cursor=${first.cursor}`)).body.items).toHaveLength(1);
  });
});

describe('limits', () => {
  it('[A43] say what the run has used, and at the root what the tree has', async () => {
    const at = address();
    const usage = { inputTokens: 100, outputTokens: 10 };
    const work = (gate: string) =>
      told({ ...calls('leaf', [{ text: 'l', usage }]), usage }, { gate, text: 't', usage });
    await post(`${at}/start`, { message: work(at) });
    openGate(at);
    await stands(at, 'completed');
    expect((await get(`${at}/limits`)).body.used).toMatchObject({
      maxTokens: 220,
      maxCostUsd: 0,
      maxQueuedStarts: 0,
      maxTreeTokens: 330,
      maxTreeCostUsd: 0,
      maxTreeSteps: 3,
    });
    const { used } = (await get(`${at}/sub/leaf/1~1/limits`)).body;
    expect(used).toMatchObject({ maxTokens: 110 });
    expect(used).not.toHaveProperty('maxTreeTokens');
    // The next turn begins anew.
    const next = crypto.randomUUID();
    await post(`${at}/start`, { message: work(next) });
    await waiting(at, 0);
    openGate(next);
    await stands(at, 'completed');
    expect((await get(`${at}/limits`)).body.used).toMatchObject({ maxTokens: 220, maxTreeTokens: 330 });
  });
});
