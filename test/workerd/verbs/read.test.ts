import { describe, expect, it, vi } from 'vitest';
import { isObject } from '../../../src/protocol/json';
import { address, del, get, open, type PageAt, page, post, readAll } from '../../support/api';
import { calls, openGate, told } from '../../support/puppet';
import { noted } from '../../support/told';

/** All pages of a list. */
async function pages<const Path extends string>(path: Path, limit: number): Promise<PageAt<Path>['items'][]> {
  const found: PageAt<Path>['items'][] = [];
  for (let next = ''; ; ) {
    const { items, cursor } = await page(path, `?limit=${limit}${next === '' ? '' : `&cursor=${next}`}`);
    found.push(items);
    if (cursor === undefined) return found;
    next = cursor;
  }
}

async function threeLevels(): Promise<string> {
  const at = address();
  const leaf = [noted('l'), { text: 'leaf' }];
  await post(`${at}/start`, {
    message: told(
      { text: 'Let us see.', ...calls('middle', [calls('leaf', leaf, leaf), { text: 'middle' }]) },
      { text: 'top' },
    ),
    wait: true,
  });
  return at;
}

describe('hooks that failed', () => {
  it('[HK17, HK18, A10] are on the stream and in the logs, with what they were told', async () => {
    const at = address('form');
    await post(`${at}/start`, { input: { q: 'boom' }, message: told({ finish: { answer: 'a' } }), wait: true });
    const error = { code: 'hook_failed', message: 'local asks for a boom.' };
    const { items } = (await get(`${at}/logs`)).body;
    expect(items).toMatchObject([{ kind: 'model' }, { kind: 'hook', hook: 'onAgentStart', step: 1, errors: [error] }]);
    const [first] = (await get(`${at}/logs?limit=1`)).body.items;
    expect(first).toMatchObject({ kind: 'model' });
    const { chunks } = await readAll(`${at}/stream?from=1`);
    expect(chunks.filter(({ chunk }) => chunk.type === 'hook_failed')).toMatchObject([
      { chunk: { hook: 'onAgentStart', failsRun: false, error } },
    ]);
  });
});

describe('standing', () => {
  it('[A7, R16] tells how an agent stands, at any level', async () => {
    const at = await threeLevels();
    const top = (await get(`${at}/status`)).body;
    expect(top).toMatchObject({
      agentType: 'top',
      address: at,
      status: 'completed',
      tags: [],
      pending: [],
      childCounts: { running: 0, queued: 0, waiting: 0, total: 3 },
    });
    expect(top.run).toMatchObject({
      status: 'completed',
      epoch: 1,
      turn: 1,
      step: 2,
      output: 'top',
      completionReason: 'text',
    });
    const leaf = (await get(`${at}/sub/middle/1~1/sub/leaf/2~1/status`)).body;
    expect(leaf).toMatchObject({
      agentType: 'leaf',
      status: 'completed',
      childCounts: { total: 0 },
      usage: { modelCalls: 2, toolCalls: 1 },
    });
    expect(leaf.run).toMatchObject({ output: 'leaf', step: 2 });
    // Its tool said `noting l`, which is about a run that has completed.
    expect(leaf).not.toHaveProperty('statusText');
    expect(Number(leaf.lastSequence)).toBeLessThan(Number(top.lastSequence));
  });

  it('[A7] tells of a failed run why it failed', async () => {
    const at = address();
    const { body } = await post(`${at}/start`, {
      message: told({ fail: { code: 'model_refused', message: 'No.' } }),
      wait: true,
    });
    expect(body).toMatchObject({
      status: 'failed',
      run: { status: 'failed', error: { code: 'model_refused', category: 'model', retryable: false } },
    });
  });

  it('[A7] answers for a sub-agent that waits for its turn from the record of the root', async () => {
    const at = address('tiny');
    const script = [{ gate: at, text: 'l' }];
    await post(`${at}/start`, { message: told(calls('leaf', script, script, script)) });
    await vi.waitFor(async () =>
      expect((await get(`${at}/status`)).body.childCounts).toEqual({ running: 2, queued: 1, waiting: 0, total: 3 }),
    );
    const queued = `${at}/sub/leaf/3~1`;
    expect((await get(`${queued}/status`)).body).toMatchObject({
      status: 'queued',
      agentType: 'leaf',
      address: queued,
      pending: [],
    });
    expect((await get(`${queued}/messages`)).body).toMatchObject({ items: [] });
    expect((await get(`${queued}/usage`)).body).toMatchObject({ total: { modelCalls: 0 } });
    expect((await get(`${queued}/state`)).body).toMatchObject({ status: 503, code: 'unavailable' });
    openGate(at);
    await vi.waitFor(async () => expect((await get(`${queued}/status`)).body.status).toBe('completed'));
  });

  it('[A8] shows the tree from the record of the root, down to a depth', async () => {
    const at = await threeLevels();
    const tree = (await get(`${at}/tree`)).body;

    expect(tree).toMatchObject({ mode: 'root', placement: 'object', agentType: 'top' });
    expect(tree.nodes).toMatchObject([
      {
        name: '1~1',
        mode: 'ephemeral',
        placement: 'facet',
        nodes: [
          { name: '1~1', nodes: [] },
          { name: '2~1', nodes: [] },
        ],
      },
    ]);
    expect((await get(`${at}/tree?depth=0`)).body).toMatchObject({ nodes: [] });
    const one = (await get(`${at}/tree?depth=1`)).body;
    expect(one.nodes[0]?.nodes).toEqual([]);
    expect((await get(`${at}/sub/middle/1~1/tree`)).body).toMatchObject({
      agentType: 'middle',
      nodes: [{ agentType: 'leaf' }, { agentType: 'leaf' }],
    });
  });

  it('[A13, A109] lists sub-agents in pages, and what is due', async () => {
    const at = address('tiny');
    const script = [{ gate: at, text: 'l' }];
    await post(`${at}/start`, { message: told(calls('leaf', script, script, script)) });
    const [first, second] = await pages(`${at}/children`, 2);
    expect(first).toMatchObject([
      { name: '1~1', generation: 1, mode: 'ephemeral', placement: 'facet' },
      { name: '2~1' },
    ]);
    expect(second).toMatchObject([{ name: '3~1', status: 'queued' }]);
    // A sub-agent that has not begun was last active when it was made.
    const [queued] = second ?? [];
    expect(queued?.lastActivity).toBe(queued?.createdAt);
    const before = Date.now();
    const due = await page(`${at}/schedules`);
    expect(due.items.map(({ kind, address: of }) => [kind, of])).toEqual([
      ['timeout', `${at}/sub/leaf/1~1`],
      ['timeout', `${at}/sub/leaf/2~1`],
      // Its own time is a day.
      ['timeout', at],
    ]);
    expect(Number(due.items[0]?.dueAt)).toBeGreaterThan(Date.now());
    openGate(at);
    await vi.waitFor(async () => expect((await page(`${at}/schedules`)).items).toEqual([]));
    const [ended = []] = await pages(`${at}/children`, 3);
    for (const { lastActivity } of ended) expect(lastActivity).toBeGreaterThanOrEqual(before);
    expect(ended).toHaveLength(3);
  });
});

describe('lists of an agent', () => {
  it('[A9, A10] gives runs, the ledger and the logs in pages', async () => {
    const at = address();
    for (const text of ['one', 'two', 'three']) {
      const two = { calls: [...noted(text).calls, ...noted(`${text}!`).calls, { name: 'nothing', input: {} }] };
      await post(`${at}/start`, { message: told(two, { text }), wait: true });
    }
    expect((await pages(`${at}/runs`, 2)).map((page) => page.map(({ output }) => output))).toEqual([
      ['one', 'two'],
      ['three'],
    ]);
    const calls = await pages(`${at}/calls`, 4);
    expect(calls.map(({ length }) => length)).toEqual([4, 4, 1]);
    expect(calls[0]?.slice(0, 3)).toMatchObject([
      {
        toolName: 'note',
        kind: 'tool',
        turn: 1,
        step: 1,
        status: 'succeeded',
        input: { text: 'one' },
        result: { noted: 'one' },
        bodies: 1,
      },
      { toolName: 'note', status: 'succeeded', result: { noted: 'one!' } },
      { toolName: 'nothing', kind: 'refused', status: 'failed', error: { code: 'unknown_tool' } },
    ]);
    const logs = (await pages(`${at}/logs`, 3)).flat();
    expect(logs.slice(0, 4).map(({ kind, toolName, model, attempts }) => [kind, toolName ?? model, attempts])).toEqual([
      ['model', expect.stringContaining('scripted'), 1],
      ['tool', 'note', 1],
      ['tool', 'note', 1],
      ['model', expect.stringContaining('scripted'), 1],
    ]);
    expect(logs).toHaveLength(12);
    expect(logs[0]).toMatchObject({ usage: { inputTokens: 10 }, finishReason: 'tool-calls', errors: [] });
  });

  it('[A99] says of a call without an end when the reply was there that asked for it', async () => {
    const at = address('tiny');
    const begun = Date.now();
    await post(`${at}/start`, { message: told(calls('leaf', [{ gate: at, text: 'l' }])) });
    const [open] = await vi.waitFor(async () => {
      const { items } = await page(`${at}/calls`);
      expect(items).toHaveLength(1);
      return items;
    });
    expect(open).toMatchObject({ status: 'open', toolName: 'subagent__leaf' });
    expect(open).not.toHaveProperty('endedAt');
    const startedAt = Number(open?.startedAt);
    expect([startedAt >= begun, startedAt <= Date.now()]).toEqual([true, true]);
    openGate(at);
    await vi.waitFor(async () =>
      expect((await page(`${at}/calls`)).items).toMatchObject([{ status: 'succeeded', startedAt }]),
    );
  });

  it('[A10] shows the sub-agent of a call, and the errors of a model that was asked again', async () => {
    const at = await threeLevels();
    expect((await page(`${at}/calls`)).items).toMatchObject([
      { kind: 'sub-agent', toolName: 'subagent__middle', subAddress: `${at}/sub/middle/1~1`, result: 'middle' },
    ]);
    const failing = address();
    await post(`${failing}/start`, { message: told({ fail: { code: 'model_refused', message: 'No.' } }), wait: true });
    expect((await page(`${failing}/logs`)).items).toMatchObject([
      { kind: 'model', attempts: 1, errors: [{ code: 'model_refused' }] },
    ]);
  });

  it("[A10, BT3] shows the calls of the framework's tools, which have no body to be logged", async () => {
    const at = address('form');
    await post(`${at}/start`, { input: { q: 'x' }, message: told({ finish: { answer: 'a' } }), wait: true });
    expect((await page(`${at}/calls`)).items).toMatchObject([
      { kind: 'built-in', toolName: '__finish__', status: 'succeeded', result: { finished: true }, bodies: 0 },
    ]);
    expect((await page(`${at}/logs`)).items.map(({ kind }) => kind)).toEqual(['model']);
  });

  it('[A11] gives the custom state and the limits with what is used', async () => {
    const at = address();
    await post(`${at}/start`, { message: told(noted('n'), calls('leaf', [{ gate: at, text: 'l' }])) });
    await vi.waitFor(async () =>
      expect((await get(`${at}/limits`)).body.used).toMatchObject({
        maxSteps: 2,
        maxChildren: 1,
        maxConcurrentChildren: 1,
        maxTreeChildren: 1,
        maxDepth: 1,
      }),
    );
    expect((await get(`${at}/limits`)).body.limits).toMatchObject({
      maxSteps: 50,
      maxConcurrentCalls: 16,
      keepRuns: 20,
    });
    expect((await get(`${at}/state`)).body).toEqual({ state: { noted: 'n' }, asOfSequence: expect.any(Number) });
    openGate(at);
  });

  it('[A14] counts what an agent spent, and what all of its tree did', async () => {
    const at = await threeLevels();
    expect((await get(`${at}/usage`)).body).toMatchObject({
      total: { modelCalls: 2, inputTokens: 20 },
      byAgent: { top: { modelCalls: 2 } },
      byModel: { 'offshoot/scripted': { modelCalls: 2 } },
    });
    const all = (await get(`${at}/usage?includeSubAgents=1`)).body;
    expect(all).toMatchObject({
      total: { modelCalls: 8, toolCalls: 2 },
      byAgent: { top: { modelCalls: 2 }, middle: { modelCalls: 2 }, leaf: { modelCalls: 4 } },
    });
    expect((await get(`${at}/sub/middle/1~1/usage?includeSubAgents=true`)).body).toMatchObject({
      total: { modelCalls: 6 },
    });
  });

  it.each([
    'runs?cursor=x',
    'calls?cursor=1',
    'logs?cursor=1.2.3',
    'messages?cursor=1.2',
    'children?cursor=-1',
    'files?cursor=..%2Fx',
    'schedules?cursor=1.1',
  ])('[A9] refuses the cursor of %s', async (path) => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const refused = await get(`${at}/${path}`);
    expect(refused.body).toMatchObject({ status: 400, code: 'invalid_cursor' });
  });

  it.each([0, 501, 1.5, 'x'])('[A9] refuses a limit of %s', async (limit) => {
    const refused = await get(`${address()}/runs?limit=${limit}`);
    expect(refused.body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('[A9] gives 100 items by default and 500 at most', async () => {
    const at = address();
    const many = { calls: Array.from({ length: 501 }, (_, n) => ({ name: 'note', input: { text: String(n) } })) };
    await post(`${at}/start`, { message: told(many, { text: 'x' }), wait: true });
    expect((await page(`${at}/calls`)).items).toHaveLength(100);
    expect((await page(`${at}/calls?limit=500`)).items).toHaveLength(500);
    expect((await pages(`${at}/calls`, 200)).flat().map(({ input }) => Number(isObject(input) && input.text))).toEqual(
      Array.from({ length: 501 }, (_, n) => n),
    );
  });
});

describe('messages', () => {
  it('[A12, A120] gives the transcript in pages, also from its end, every call paired with its result', async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told({ text: 'a', calls: [...noted('1').calls, ...noted('2').calls] }, { text: 'b' }),
      wait: true,
    });
    await post(`${at}/messages`, { content: told({ text: 'c' }) });
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    const whole = (await page(`${at}/messages`)).items;
    expect(whole.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    for (const limit of [1, 2, 3]) expect((await pages(`${at}/messages`, limit)).flat()).toEqual(whole);
    for (const [last, from] of [
      [1, 5],
      [2, 5],
      [3, 4],
      [4, 0],
      [9, 0],
    ] as const) {
      expect((await page(`${at}/messages?last=${last}`)).items, `the last ${last}`).toEqual(whole.slice(from));
      const first = await page(`${at}/messages?last=${last}&limit=1`);
      const rest = await page(`${at}/messages?last=${last}&cursor=${first.cursor}`);
      expect([...first.items, ...rest.items]).toEqual(whole.slice(from));
    }
    expect(whole[2]).toMatchObject({
      toolName: 'note',
      result: { success: true, value: { noted: '1' } },
      turn: 1,
      step: 1,
    });
  });

  it('[A120] counts no message that was taken back', async () => {
    const at = address();
    const gate = `taken ${at}`;
    await post(`${at}/start`, { message: told({ ...noted('1'), gate }, { text: 'b' }) });
    const ids: string[] = [];
    for (const content of ['c', 'd', 'e']) ids.push((await post(`${at}/messages`, { content })).body.messageId);
    for (const id of ids.slice(0, 2)) expect((await del(`${at}/messages/${id}`)).status).toBeLessThan(300);
    openGate(gate);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    const whole = (await page(`${at}/messages`)).items;
    expect(whole.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    for (const [last, from] of [
      [2, 3],
      [3, 0],
      [5, 0],
    ] as const)
      expect((await page(`${at}/messages?last=${last}`)).items, `the last ${last}`).toEqual(whole.slice(from));
  });

  it('[A12] tells from which sequence a stream goes on without a gap, in the middle of a reply', async () => {
    const at = address();
    const slow = 'word '.repeat(40);
    await post(`${at}/start`, { message: told(noted('n'), { text: slow, chunkSize: 5, chunkDelayMs: 20 }) });
    const stream = await open(`${at}/stream`);
    await stream.until(
      (events) => events.filter(({ data }) => isObject(data) && data.type === 'text_delta').length >= 2,
    );
    const shot = (await get(`${at}/messages`)).body;
    expect(shot.items.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    const rest = await readAll(`${at}/stream?from=${Number(shot.asOfSequence) + 1}`);
    expect(rest.chunks[0]?.chunk).toMatchObject({ type: 'step_started', step: 2 });
    const text = rest.chunks.map(({ chunk }) => (chunk.type === 'text_delta' ? chunk.delta : '')).join('');
    expect(text).toBe(slow);
    await stream.cancel();
  });

  it('[A12] leaves out the result of a call that is worked on, at a sub-agent too', async () => {
    const at = address();
    await post(`${at}/start`, {
      message: told({ text: 'go', ...calls('middle', [{ text: 'sub', ...calls('leaf', [{ gate: at, text: 'l' }]) }]) }),
    });
    const middle = `${at}/sub/middle/1~1`;
    await vi.waitFor(async () => expect((await page(`${middle}/messages`)).items).toHaveLength(2));
    const shot = (await get(`${middle}/messages`)).body;
    expect(shot.items.map(({ role }) => role)).toEqual(['user', 'assistant']);
    openGate(at);
    const rest = await readAll(`${middle}/stream?from=${Number(shot.asOfSequence) + 1}`);
    expect(rest.chunks.map(({ chunk }) => (chunk.address === middle ? chunk.type : ''))).toContain('tool_end');
    expect(rest.chunks.map(({ chunk }) => (chunk.address === middle ? chunk.type : ''))).not.toContain('tool_start');
  });
});
