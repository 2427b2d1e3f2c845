/** The outline of a run against the reference reducer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentView, type StepView, type TreeView, viewFrom } from '../../../src/client';
import { Clock, Lane, type OpenSpan, type Span, type SpanKind } from '../../../src/console/data/timeline/spans';
import { lastWords, Outline, type Row, taskOf } from '../../../src/console/data/tree/outline';
import type { ChunkBody, SequencedChunk } from '../../../src/protocol/chunks';
import { NO_USAGE } from '../../../src/protocol/usage';
import { reduce } from '../../../src/protocol/view/reduce';
import { anyLog } from '../../support/any-log';
import { deskLog, LOG_START, newLog } from '../../support/log';
import { always } from '../../support/sizes';

const TAIL = 400;

/** What a page holds after patches that came at any moments. */
class Page {
  readonly outline: Outline;
  readonly rows = new Map<string, Row>();
  readonly spans = new Map<string, readonly Span[]>();
  gaps: readonly { from: number; to: number }[] = [];

  constructor(most?: number) {
    this.outline = new Outline(most);
  }

  take(entry: SequencedChunk): void {
    this.outline.take(entry);
  }

  patch(): void {
    const { rows, spans, gaps } = structuredClone(this.outline.changes());
    for (const row of rows) this.rows.set(row.agentId, row);
    for (const [agentId, at, later] of spans)
      this.spans.set(agentId, [...(this.spans.get(agentId) ?? []).slice(0, at), ...later]);
    this.gaps = gaps;
  }
}

/** What the row of an agent says, made from the reference's view of it. */
function expected(agent: AgentView) {
  const run = agent.runs.at(-1);
  const steps = agent.runs.flatMap((each) => each.steps);
  const sum = (of: (step: StepView) => number) => steps.reduce((total, step) => total + of(step), 0);
  const open = agent.calls.findLast(({ status }) => status === 'running' || status === 'waiting');
  const words = run?.steps
    .at(-1)
    ?.parts.findLast(({ kind }) => kind === 'text')
    ?.text.slice(-TAIL);
  const says = open?.toolName ?? words ?? agent.statusText ?? '';
  return {
    agentId: agent.agentId,
    parentId: agent.parentId,
    agentType: agent.agentType,
    address: agent.address,
    status: agent.status,
    statusText: agent.statusText,
    from: agent.firstAt,
    last: agent.lastAt,
    step: run?.steps.at(-1)?.step ?? 0,
    usage: agent.usage,
    unpriced: sum((step) => Number(step.status === 'committed' && step.usage.costUsd === undefined)) > 0,
    waiting: agent.calls.filter(({ status }) => status === 'waiting').length,
    recoveries: agent.runs.reduce((total, each) => total + each.recoveries.length, 0),
    discarded: sum(({ discarded }) => discarded.length),
    activity: lastWords(says),
    error: run?.end?.status === 'failed' ? run.end.error.title : undefined,
  };
}

function said({
  task: _task,
  rounds: _rounds,
  placement: _at,
  name: _name,
  tools: _tools,
  events: _events,
  ...row
}: Row) {
  return { parentId: undefined, statusText: undefined, error: undefined, ...row };
}

function referenceOf(entries: readonly SequencedChunk[]): TreeView {
  return entries.reduce((view, entry) => reduce(view, entry, 'filtered').view, viewFrom(1));
}

const spansOf = (page: Page, agentId: string) =>
  (page.spans.get(agentId) ?? []).map(({ kind, from, to, name }) => ({
    kind,
    from: from - LOG_START,
    ...(to === undefined ? {} : { to: to - LOG_START }),
    name,
  }));

describe('the outline of a run', () => {
  it('[CN9] says of every agent what the reference reducer says, whenever it is asked', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat({ max: 60 })), (entries, patches) => {
        const page = new Page();
        for (const [index, entry] of entries.entries()) {
          page.take(entry);
          if (patches.includes(index)) page.patch();
        }
        page.patch();
        const { agents } = referenceOf(entries);
        expect([...page.rows.keys()].sort()).toEqual(agents.map(({ agentId }) => agentId).sort());
        for (const agent of agents) {
          const row = page.rows.get(agent.agentId);
          expect(row && said(row)).toEqual(expected(agent));
        }
        const whole = new Page();
        for (const entry of entries) whole.take(entry);
        whole.patch();
        const drawn = ({ spans }: Page) => Object.fromEntries([...spans].filter(([, each]) => each.length > 0));
        expect(drawn(page)).toEqual(drawn(whole));
      }),
      { numRuns: 1_000 },
    );
  });

  it('[CN9] says the same of a draft of a call, whichever step of which run is discarded, opened or gone on with', () => {
    const at = { agentId: 's', agentType: 'a', address: '/agents/a/s' };
    const call = (toolCallId: string) => ({ toolCallId, toolName: `tool of ${toolCallId}`, arguments: {} });
    const places = ['r_1', 'r_2'].flatMap((runId) =>
      [1, 2].flatMap((step) => [1, 2].map((attempt) => ({ runId, step, attempt }))),
    );
    const first = { runId: 'r_1', step: 1, attempt: 1 };
    const resumed: ChunkBody = { ...{ type: 'run_started', turn: 1, chainTurn: 1 }, resumedFrom: 'r_1' };
    for (const opened of [undefined, 1, 2])
      for (const goesOn of [false, true])
        for (const drafted of places)
          for (const discarded of places) {
            const bodies: (ChunkBody & typeof first)[] = [
              ...(opened === undefined ? [] : [{ type: 'step_started' as const, ...first, step: opened }]),
              { ...{ type: 'tool_arg_stream_start', ...drafted }, toolCallId: 'c_1', toolName: 'a draft' },
              ...(goesOn ? [{ ...resumed, ...first, runId: 'r_2' }] : []),
              { type: 'tool_start', ...first, ...call('c_2') },
              { type: 'step_discarded', ...discarded, reason: 'x' },
              // The newest call is shown: the draft where it was dropped and comes again, else the one behind it.
              { type: 'tool_start', ...drafted, ...call('c_1') },
            ];
            const entries = bodies.map((body, index) => ({
              sequence: index + 1,
              chunk: { ...at, timestamp: LOG_START + index, ...body },
            }));
            const page = new Page();
            for (const entry of entries) page.take(entry);
            page.patch();
            const row = page.rows.get('s');
            const [agent] = referenceOf(entries).agents;
            const place = { opened, goesOn, drafted, discarded };
            expect({ ...place, row: row && said(row) }).toEqual({ ...place, row: agent && expected(agent) });
          }
  });

  it('[CN9] has of every agent its name, its placement, and the numbers of its tasks and events', () => {
    fc.assert(
      fc.property(anyLog, (entries) => {
        const page = new Page();
        for (const entry of entries) page.take(entry);
        page.patch();
        for (const { agentId, name, placement, rounds, events } of page.rows.values()) {
          const begun = entries.flatMap(({ chunk }) =>
            chunk.type === 'subagent_start' && chunk.subSessionId === agentId ? [chunk] : [],
          );
          expect({ name, placement, rounds, events }).toEqual({
            name: begun.findLast((chunk) => chunk.name !== undefined)?.name,
            placement: begun.findLast((chunk) => chunk.placement !== 'facet')?.placement,
            rounds: begun.length,
            events: entries.filter(({ chunk }) => chunk.agentId === agentId).length,
          });
        }
      }),
    );
  });

  it('[CN9] has the first fifty tools that an agent called, once each', () => {
    const page = new Page();
    const top = newLog();
    const agent = top.root('top', 'a').run('r_1').step(1);
    const names = Array.from({ length: 51 }, (_, index) => `tool_${index}`);
    for (const [index, name] of [...names, ...names].entries()) agent.tool(`c_${index}`, name, {});
    for (const entry of top.entries) page.take(entry);
    page.patch();
    expect([...page.rows.values()].map(({ tools }) => tools)).toEqual([names.slice(0, 50)]);
  });

  it('[CN9] has no tool of a draft whose attempt is discarded, or behind another one', () => {
    const at = { agentId: 's', agentType: 'a', address: '/agents/a/s', runId: 'r', step: 1 };
    for (const [before, isShown] of [
      [[], true],
      [[{ type: 'step_started', attempt: 2 }], true],
      [[{ type: 'step_discarded', attempt: 1, reason: 'x' }], true],
      [[{ type: 'step_discarded', attempt: 2, reason: 'x' }], false],
      [[{ type: 'step_started', attempt: 3 }], false],
      [[{ type: 'step_started', step: 2, attempt: 3 }], true],
    ] as const) {
      const draft = { type: 'tool_arg_stream_start', attempt: 2, toolCallId: 'c', toolName: 'draft' } as const;
      const page = new Page();
      for (const [index, body] of [...before, draft].entries())
        page.take({ sequence: index + 1, chunk: { ...at, timestamp: LOG_START, ...body } });
      page.patch();
      expect([before, page.rows.get('s')?.tools]).toEqual([before, isShown ? ['draft'] : []]);
    }
  });

  it('[CN9] has the order in which the agents appeared', () => {
    const page = new Page();
    const { entries } = deskLog();
    for (const entry of entries) page.take(entry);
    page.patch();
    expect([...page.rows.keys()]).toEqual(referenceOf(entries).agents.map(({ agentId }) => agentId));
  });
});

describe('the stretches in which no agent worked', () => {
  const LONG_MS = 1_000;
  const kinds: readonly SpanKind[] = ['model', 'tool', 'person', 'child', 'task', 'timer'];
  /** What happens at a moment: so many ms after the one before, in one of two lanes. */
  const moment = fc.record({
    after: fc.constantFrom(0, LONG_MS - 1, LONG_MS, 5_000),
    lane: fc.nat(1),
    /** Which open span ends or turns, if any is open. */
    which: fc.option(fc.nat(), { nil: undefined }),
    becomes: fc.option(fc.constantFrom(...kinds.slice(0, -1)), { nil: undefined }),
    begins: fc.constantFrom(...kinds),
    due: fc.constantFrom(1, LONG_MS, 7_000),
  });

  it('[CN14] are those of at least a second without a model call or a tool, up to the first timer that is due', async () => {
    const isTold = fc.property(fc.array(moment, { maxLength: 40 }), (moments) => {
      const clock = new Clock();
      const lanes = [new Lane(clock), new Lane(clock)] as const;
      const open: { readonly lane: Lane; readonly span: OpenSpan }[] = [];
      const expected: { from: number; to: number }[] = [];
      let now = LOG_START;
      clock.tick(now);
      for (const { after, lane, which, becomes, begins, due } of moments) {
        const spans = open.map(({ span }) => span);
        const to = Math.min(now + after, ...spans.map((span) => span.due ?? Number.POSITIVE_INFINITY));
        const isIdle = !spans.some(({ kind }) => kind === 'model' || kind === 'tool');
        if (isIdle && to - now >= LONG_MS) expected.push({ from: now, to });
        now += after;
        clock.tick(now);
        const one = which === undefined ? undefined : open[which % open.length];
        if (one !== undefined && becomes !== undefined && one.span.kind !== 'timer') one.lane.turn(one.span, becomes);
        else if (one !== undefined) {
          open.splice(open.indexOf(one), 1);
          for (const _twice of [1, 2]) one.lane.end(one.span, now);
        } else {
          const at = lanes[lane === 0 ? 0 : 1];
          open.push({ lane: at, span: at.begin(begins, now, 'x', begins === 'timer' ? now + due : undefined) });
        }
      }
      expect(clock.gaps).toEqual(expected);
    });
    await always(isTold, 200);
  });
});

describe('the stretches of a long run in which no agent worked', () => {
  const MOST = 200;

  it('[CN11, CN14] are at most so many: the longest of them, in their order', () => {
    const lengths = fc.shuffledSubarray(
      Array.from({ length: MOST + 40 }, (_, index) => 1_000 + index),
      {
        minLength: MOST - 5,
      },
    );
    fc.assert(
      fc.property(lengths, (idle) => {
        const clock = new Clock();
        const all: { from: number; to: number }[] = [];
        let now = LOG_START;
        clock.tick(now);
        for (const ms of idle) {
          all.push({ from: now, to: now + ms });
          now += ms;
          clock.tick(now);
        }
        const least = idle.toSorted((one, other) => other - one).at(MOST - 1) ?? 0;
        expect(clock.gaps).toEqual(all.filter(({ from, to }) => to - from >= least));
      }),
      { numRuns: 10 },
    );
  });
});

describe('the spans of an agent', () => {
  const base = { agentId: 's', agentType: 'a', address: '/agents/a/s', runId: 'r', step: 1, attempt: 1 };
  const log = (...bodies: readonly (readonly [at: number, body: ChunkBody & Partial<typeof base>])[]): Page => {
    const page = new Page();
    for (const [index, [at, body]] of bodies.entries()) {
      page.take({ sequence: index + 1, chunk: { ...base, timestamp: LOG_START + at, ...body } });
    }
    page.patch();
    return page;
  };
  const started = { type: 'run_started', turn: 1, chainTurn: 1 } as const;
  const call = { toolCallId: 'c', toolName: 'publish', arguments: {} };

  it('[CN10] tell a model call from the tool and from the wait for a person that follow it', () => {
    const page = log(
      [0, started],
      [0, { type: 'step_started' }],
      [2_000, { type: 'tool_start', ...call }],
      [3_000, { type: 'tool_approval_request', ...call, inputHash: 'h' }],
      [9_000, { type: 'tool_answered', toolCallId: 'c', kind: 'approval-response', approved: true }],
      [9_500, { type: 'tool_end', toolCallId: 'c', success: true }],
    );
    expect(spansOf(page, 's')).toEqual([
      { kind: 'model', from: 0, to: 2_000, name: 'step 1' },
      { kind: 'tool', from: 2_000, to: 3_000, name: 'publish' },
      { kind: 'person', from: 3_000, to: 9_000, name: 'publish' },
      { kind: 'answer', from: 9_000, to: 9_000, name: 'publish answered' },
      { kind: 'tool', from: 9_000, to: 9_500, name: 'publish' },
    ]);
    expect(page.gaps.map(({ from, to }) => [from - LOG_START, to - LOG_START])).toEqual([[3_000, 9_000]]);
  });

  it('[CN10] have one wait for a sub-agent: that of its call, or one of the agent where no call waits', () => {
    const begun = (task: number) => ({
      ...({ type: 'subagent_start', subAgentType: 'leaf', subSessionId: 'l', subAddress: '/l' } as const),
      ...({ mode: 'ephemeral', placement: 'facet', callId: 'c', generation: 1, childId: 1 } as const),
      task,
    });
    const waits = { type: 'suspended', status: 'suspended_awaiting_children', pending: [], children: [] } as const;
    const call = { toolCallId: 'c', toolName: 'subagent__leaf', arguments: {} };
    const page = log(
      [0, started],
      [1_000, { type: 'tool_start', ...call }],
      [2_000, begun(1)],
      [3_000, begun(2)],
      [4_000, waits],
      [5_000, { type: 'unsuspended' }],
      [6_000, { type: 'tool_end', toolCallId: 'c', success: true }],
      [7_000, waits],
      [8_000, { type: 'unsuspended' }],
    );
    const waited = spansOf(page, 's').filter(({ kind }) => kind === 'child' || kind === 'tool');
    expect(waited).toEqual([
      { kind: 'child', from: 1_000, to: 6_000, name: 'subagent__leaf' },
      { kind: 'child', from: 7_000, to: 8_000, name: 'agents below' },
    ]);
  });

  it('[CN10] have a crash from the last chunk on, its recovery, and the attempt that is lost as discarded', () => {
    const page = log(
      [0, started],
      [0, { type: 'step_started' }],
      [1_000, { type: 'text_delta', part: 0, delta: 'a' }],
      [6_000, { type: 'run_recovered', reason: 'evicted' }],
      [6_000, { type: 'step_discarded', reason: 'crash' }],
      [6_100, { type: 'step_started', attempt: 2 }],
    );
    expect(spansOf(page, 's')).toEqual([
      { kind: 'discarded', from: 0, to: 1_000, name: 'step 1' },
      { kind: 'crash', from: 1_000, to: 6_000, name: 'evicted' },
      { kind: 'recovery', from: 6_000, to: 6_000, name: 'recovered: evicted' },
      { kind: 'model', from: 6_100, name: 'step 1' },
    ]);
    expect(page.rows.get('s')).toMatchObject({ recoveries: 1, discarded: 1 });
  });

  it('[CN10] have the wait for a next attempt until that is due, and its model call from then on', () => {
    const retryAt = LOG_START + 5_000;
    const discarded = { type: 'step_discarded', reason: 'model_overloaded' } as const;
    const page = log(
      [0, started],
      [0, { type: 'step_started' }],
      [1_000, { ...discarded, retryAt }],
      [9_000, { type: 'text_delta', attempt: 2, part: 0, delta: 'a' }],
    );
    const lost = { kind: 'discarded', from: 0, to: 1_000, name: 'attempt 1: model_overloaded' };
    expect(spansOf(page, 's')).toEqual([
      lost,
      { kind: 'timer', from: 1_000, to: 5_000, name: 'waiting to retry' },
      { kind: 'model', from: 5_000, name: 'step 1' },
    ]);
    expect(page.gaps).toEqual([{ from: LOG_START + 1_000, to: retryAt }]);
    const stopped = log(
      [0, started],
      [0, { type: 'step_started' }],
      [1_000, { ...discarded, retryAt }],
      [2_000, { type: 'run_interrupted', reason: 'lunch' }],
    );
    expect(spansOf(stopped, 's')[1]).toEqual({ kind: 'timer', from: 1_000, to: 2_000, name: 'waiting to retry' });
    for (const [due, kinds] of [
      [undefined, ['discarded']],
      [1_000, ['discarded']],
      [1_001, ['discarded', 'timer']],
    ] as const) {
      const again = due === undefined ? {} : { retryAt: LOG_START + due };
      const waits = log([0, started], [0, { type: 'step_started' }], [1_000, { ...discarded, ...again }]);
      expect(spansOf(waits, 's').map(({ kind }) => kind)).toEqual(kinds);
    }
  });

  it('[CN10] end with a stop, and go on with the resume that names it', () => {
    const page = log(
      [0, started],
      [0, { type: 'step_started' }],
      [1_000, { type: 'tool_start', ...call }],
      [2_000, { type: 'run_interrupted', reason: 'lunch' }],
      [8_000, { ...started, runId: 'r2', resumedFrom: 'r' }],
      [9_000, { type: 'tool_end', toolCallId: 'c', runId: 'r2', success: true }],
    );
    expect(spansOf(page, 's').slice(1)).toEqual([
      { kind: 'tool', from: 1_000, to: 2_000, name: 'publish' },
      { kind: 'stop', from: 2_000, to: 2_000, name: 'lunch' },
      { kind: 'resume', from: 8_000, to: 8_000, name: 'resumed' },
      { kind: 'tool', from: 8_000, to: 9_000, name: 'publish' },
    ]);
  });

  it('[CN10] show a sub-agent as a bracket and a wait of its parent, and how long it stood in the queue', () => {
    const sub = { subAgentType: 'b', subSessionId: 'k', subAddress: '/agents/a/s/sub/b/1', callId: 'c' };
    const task = { childId: 1, task: 1, generation: 1, mode: 'ephemeral', placement: 'remote' } as const;
    const page = log(
      [0, started],
      [0, { type: 'tool_start', ...call }],
      [0, { type: 'subagent_start', ...sub, ...task }],
      [4_000, { ...started, agentId: 'k', agentType: 'b', address: sub.subAddress, input: { task: 'find  it' } }],
      [7_000, { type: 'run_completed', output: null, agentId: 'k', agentType: 'b', address: sub.subAddress }],
      [7_100, { type: 'subagent_end', ...sub, ...task, success: true, usage: NO_USAGE }],
      [7_200, { type: 'tool_end', toolCallId: 'c', success: true }],
    );
    expect(spansOf(page, 's')).toEqual([
      { kind: 'child', from: 0, to: 7_200, name: 'publish' },
      { kind: 'task', from: 0, to: 7_100, name: 'b' },
    ]);
    expect(spansOf(page, 'k')).toEqual([{ kind: 'queue', from: 0, to: 4_000, name: 'queued' }]);
    expect(page.rows.get('k')).toMatchObject({ parentId: 's', placement: 'remote', task: 'find it', rounds: 1 });
  });

  it('[CN11, CN121] are at most so many: beyond it the oldest are merged, and the newest and the times stay', () => {
    const page = new Page(1_000);
    const all: SequencedChunk[] = [];
    const add = (step: number, body: ChunkBody) => {
      const sequence = all.length + 1;
      all.push({ sequence, chunk: { ...base, step, timestamp: LOG_START + sequence * 10, ...body } });
    };
    const committed = { usage: NO_USAGE, checkpointId: 'k', model: 'm', finishReason: 'stop' };
    for (let step = 1; step <= 3_000; step += 1) {
      add(step, { type: 'step_started' });
      add(step, { type: 'step_committed', ...committed });
    }
    for (const entry of all) page.take(entry);
    page.patch();
    const spans = page.spans.get('s') ?? [];
    expect(page.outline.spans).toBe(spans.length);
    expect(spans.length).toBeLessThanOrEqual(1_000);
    expect(spans.at(0)).toMatchObject({ from: LOG_START + 10, sequence: all[0]?.sequence });
    expect(spans.at(-1)).toEqual({
      kind: 'model',
      sequence: all.at(-2)?.sequence,
      from: LOG_START + 59_990,
      to: LOG_START + 60_000,
      name: 'step 3000, m',
    });
    expect(spans.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(3_000);
  });
});

describe('the words of a row', () => {
  it.each([
    ['First line.\nThe last line. ', 'The last line.'],
    [`${'It reads and reads. '.repeat(5)}And then, because of that, it writes what it has found.`, /^It reads/u],
    [`${'word '.repeat(60)}end`, /^…word .* end$/u],
    ['x'.repeat(200), /^…x{120}$/u],
  ])('[CN65] begin where a sentence or a word does: %#', (text, words) => {
    const said = lastWords(text);
    expect(said).toMatch(words);
    expect(said.length).toBeLessThanOrEqual(121);
  });

  it('[CN65] name a task by what it names, without the marks of JSON', () => {
    const page = new Page();
    const chunk = { agentId: 's', agentType: 'a', address: '/agents/a/s', runId: 'r', step: 1, attempt: 1 };
    const input = { question: 'What is it?', most: 3, parts: ['a'] };
    const body: ChunkBody = { type: 'run_started', turn: 1, chainTurn: 1, input };
    page.take({ sequence: 1, chunk: { ...chunk, ...body, timestamp: LOG_START } });
    page.patch();
    expect(page.rows.get('s')?.task).toBe('question: What is it?, most: 3, parts: a');
  });

  it('[CN74] name a task that is told as a text of JSON by its fields', () => {
    const draft = { question: 'Write a letter', round: 2, report: { title: 'A', parts: ['b', 'c'] } };
    const says = 'question: Write a letter, round: 2, report: (title: A, parts: b; c)';
    expect([taskOf(draft), taskOf(JSON.stringify(draft)), taskOf({ task: JSON.stringify(draft) })]).toEqual([
      ...[says, says, says],
    ]);
    expect([taskOf('{"cut": "of'), taskOf('[1]'), taskOf({ task: 'Look' }), taskOf(null)]).toEqual([
      ...['{"cut": "of', '[1]', 'Look', ''],
    ]);
  });
});
