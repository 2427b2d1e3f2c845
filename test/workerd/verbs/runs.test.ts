import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { Document } from '../../../src/protocol/wire/wire-types';
import { address, post, readAll } from '../../support/api';
import { asks, calls, openGate, told } from '../../support/puppet';
import { items, publishes, stands, statusOf, threeAtGate, threeLevels, waitingCall, yes } from '../standing';

/** The first chunk of a stream from a sequence on. */
async function firstChunk(at: string, from: unknown): Promise<unknown> {
  const [first] = (await readAll(`${at}/stream?from=${String(from)}`)).chunks;
  return first && { sequence: first.sequence, type: first.chunk.type, runId: first.chunk.runId };
}

const begins = ({ runId, startSequence }: Document<'run'>) => ({ runId, sequence: startSequence, type: 'run_started' });

describe('who comes while a run goes on', () => {
  it('[A60] is told how it stands and which one it is: at work, waiting, and being stopped', async () => {
    const at = address();
    const gate = crypto.randomUUID();
    const message = told({ gate, ...publishes('x') }, { text: 'ok' });
    const { runId } = (await post(`${at}/start`, { message })).body;
    for (const verb of ['start', 'resume', 'retry'])
      expect(await post(`${at}/${verb}`, { message: 'x' })).toMatchObject({
        status: 409,
        body: { code: 'already_running', details: { status: 'running', runId } },
      });
    openGate(gate);
    await waitingCall(at);
    for (const verb of ['start', 'resume', 'retry'])
      expect(await post(`${at}/${verb}`, { message: 'x' })).toMatchObject({
        status: 409,
        body: { code: 'awaiting_input', details: { status: 'suspended_client_tool', runId } },
      });
    const held = address();
    const end = crypto.randomUUID();
    const begun = await post(`${held}/start`, {
      message: told(calls('leaf', [asks(['tally', { text: 'x', gate: end }])])),
    });
    await vi.waitFor(async () => expect(await items(`${held}/sub/leaf/1~1/calls`)).toHaveLength(1));
    expect((await post(`${held}/interrupt`, {})).body).toMatchObject({ status: 'running' });
    const resumed = await post(`${held}/resume`, {});
    if (resumed.status === 409)
      expect(resumed.body).toMatchObject({ details: { status: 'running', runId: begun.body.runId } });
    openGate(end);
  });

  it('[A60] is told so of a sub-agent', async () => {
    const { at, leaf, gate } = await threeAtGate();
    const run = (await statusOf(leaf)).run;
    expect(await post(`${leaf}/resume`, {})).toMatchObject({
      status: 409,
      body: { code: 'already_running', details: { status: 'running', runId: run?.runId } },
    });
    openGate(gate);
    await stands(at, 'completed');
  });

  it('[A61] of two resumes at once one begins the run, and the other is told which', async () => {
    const { at, leaf, gate } = await threeAtGate();
    for (const whose of [at, leaf]) {
      await post(`${whose}/interrupt`, {});
      await stands(whose, 'interrupted');
      const answers = await Promise.all([post(`${whose}/resume`, {}), post(`${whose}/resume`, {})]);
      const [accepted, refused] = answers.sort((one, other) => one.status - other.status);
      expect([accepted?.status, refused?.status]).toEqual([202, 409]);
      const runs = await vi.waitUntil(async () => {
        const begun = await items(`${whose}/runs`);
        return begun.length > (whose === leaf ? 2 : 1) && begun;
      });
      expect(refused?.body).toMatchObject({ code: 'already_running', details: { runId: runs.at(-1)?.runId } });
      expect(runs).toHaveLength(whose === leaf ? 3 : 2);
    }
    openGate(gate);
    await stands(at, 'completed');
  });
});

describe('where a run begins in the log', () => {
  it('[A62] is told by the status document and the runs of a root, for each of its runs', async () => {
    const at = address();
    const first = await post(`${at}/start`, { message: told(publishes('x')) });
    await waitingCall(at);
    await post(`${at}/interrupt`, {});
    await post(`${at}/resume`, {});
    await waitingCall(at);
    await post(`${at}/abort`, {});
    await stands(at, 'failed');
    const last = await post(`${at}/start`, { message: told({ text: 'two' }), wait: true });
    const runs = await items(`${at}/runs`);
    expect(runs).toHaveLength(3);
    expect(runs[0]).toMatchObject({ runId: first.body.runId, startSequence: 1 });
    for (const run of runs) expect(await firstChunk(at, run.startSequence)).toEqual(begins(run));
    expect(last.body.run).toEqual((await statusOf(at)).run);
    expect(last.body.run).toMatchObject({ startSequence: runs[2]?.startSequence });
  });

  it('[A80, RN7, A81] tells with its sub-agents whose trace it belongs to, and where its chain began', async () => {
    const at = address();
    const middle = `${at}/sub/middle/1~1`;
    const leaf = `${middle}/sub/leaf/1~1`;
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const work = calls('middle', [calls('leaf', [publishes('x'), { text: 'l' }]), { text: 'm' }]);
    await post(`${at}/start`, { message: told(work, { text: 'r' }) }, { traceparent });
    const call = await waitingCall(at);
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    // What is no trace is passed over.
    await post(`${at}/resume`, {}, { traceparent: 'x' });
    await waitingCall(at);
    await abortAllDurableObjects();
    for (const whose of [at, middle, leaf]) {
      const [first, second] = await items(`${whose}/runs`);
      expect(first).toMatchObject({ traceparent, chainRunId: first?.runId, chainStartSequence: first?.startSequence });
      expect(second).toMatchObject({ traceparent, chainRunId: first?.runId, chainStartSequence: first?.startSequence });
      expect(second?.startSequence).not.toBe(first?.startSequence);
      expect((await statusOf(whose)).run).toMatchObject({ traceparent, chainStartSequence: first?.startSequence });
      const [chunk] = (await readAll(`${whose}/stream?from=${first?.chainStartSequence}`)).chunks;
      expect(chunk?.chunk).toMatchObject({ type: 'run_started', runId: first?.runId, traceparent });
    }
    await post(`${at}/tool-results`, { kind: 'approval-response', toolCallId: call, approved: true });
    await stands(at, 'completed');
  });

  it('[A62] is told of sub-agents, also after everything has left memory', async () => {
    const { at, middle, leaf } = await threeLevels(publishes('x'), { text: 'l' });
    const call = await waitingCall(at);
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    await post(`${at}/resume`, {});
    await waitingCall(at);
    await abortAllDurableObjects();
    for (const whose of [at, middle, leaf]) {
      const runs = await items(`${whose}/runs`);
      expect(runs).toHaveLength(2);
      for (const run of runs) expect(await firstChunk(whose, run.startSequence)).toEqual(begins(run));
      expect((await statusOf(whose)).run).toMatchObject({ startSequence: runs[1]?.startSequence });
    }
    await post(`${at}/tool-results`, { kind: 'approval-response', toolCallId: call, approved: true });
    await stands(at, 'completed');
  });

  it('[A62] is missing where the log does not reach back so far', async () => {
    const at = address('tiny');
    for (const text of ['one', 'two', 'three', 'four'])
      await post(`${at}/start`, { message: told({ text }), wait: true });
    const found = (await items(`${at}/runs`)).map(({ startSequence }) => startSequence);
    expect(found.slice(0, 2)).toEqual([undefined, undefined]);
    expect(await firstChunk(at, found[2])).toMatchObject({ sequence: found[2], type: 'run_started' });
    await abortAllDurableObjects();
    expect((await items(`${at}/runs`)).map(({ startSequence }) => startSequence)).toEqual(found);
    expect(found[2]).toBeLessThan(Number(found[3]));
  });
});

describe('a run in the list of runs', () => {
  it('[A100, US7] tells how it was asked, what it has spent and its steps: of each turn, and of what goes on with it', async () => {
    const at = address();
    const long = told(asks(['nothing', { text: 'a '.repeat(200) }]), { text: 'one' });
    await post(`${at}/start`, { message: long, wait: true });
    const last = told({ text: 'three' });
    const second = told(asks(['nothing', {}]), publishes('x'), { text: 'two' });
    await post(`${at}/start`, { message: second });
    await waitingCall(at);
    await post(`${at}/interrupt`, {});
    await stands(at, 'interrupted');
    await post(`${at}/resume`, { message: 'Go on.' });
    const call = await waitingCall(at);
    await post(`${at}/tool-results`, yes(call));
    await stands(at, 'completed');
    await post(`${at}/start`, { message: last, wait: true });
    await abortAllDurableObjects();
    const rows = (await items(`${at}/runs`)).map(({ input, steps, status, usage }) => ({
      ...{ input, steps, status },
      calls: usage?.modelCalls,
      unpriced: usage?.unpricedCalls,
      tools: usage?.toolCalls,
    }));
    const of = (calls: number) => ({ calls, unpriced: calls });
    expect(rows).toEqual([
      { input: long.slice(0, 200), steps: 2, status: 'completed', ...of(2), tools: 0 },
      { input: second, steps: 2, status: 'interrupted', ...of(2), tools: 0 },
      { input: second, steps: 3, status: 'completed', ...of(1), tools: 1 },
      { input: last, steps: 1, status: 'completed', ...of(1), tools: 0 },
    ]);
  });

  it('[A100] of a sub-agent has what its parent asked', async () => {
    const { at, middle, leaf } = await threeLevels({ text: 'l' });
    await stands(at, 'completed');
    const [run] = await items(`${leaf}/runs`);
    expect(run).toMatchObject({ input: told({ text: 'l' }, { text: 'l' }), steps: 1, usage: { modelCalls: 1 } });
    expect((await items(`${middle}/runs`))[0]?.input).toContain('subagent__leaf');
  });
});
