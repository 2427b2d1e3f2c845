/** A failed or stopped run, as its page describes it. */
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { AgentView, RunView } from '../../../src/client';
import { adviceOn } from '../../../src/console/data/shown/advice';
import { reachSays } from '../../../src/console/data/shown/reach';
import { classOf, countOf, countSays, countsOf } from '../../../src/console/data/shown/tab-counts';
import type { Row } from '../../../src/console/data/tree/outline';
import { causesBelow, Failure } from '../../../src/console/run/summary/failure';
import { ERROR_CODES } from '../../../src/protocol/errors';
import { NO_USAGE } from '../../../src/protocol/usage';
import { itemsOf } from '../../../src/react';

const ROOT = '/agents/planner/one';
const row = (address: string, status: string, more: Partial<Row> = {}): Row => ({
  ...{ agentId: address, agentType: 'worker', address, status, from: 0, last: 1, step: 1, usage: NO_USAGE },
  ...{ unpriced: false, waiting: 0, recoveries: 0, discarded: 0, activity: '', task: '', tools: [], rounds: 1 },
  ...more,
});
const run = (more: Partial<RunView> = {}): RunView => ({
  ...{ runId: 'r_1', turn: 1, chainTurn: 1, startedAt: 0, recoveries: [], steps: [] },
  ...more,
});
const agent = (more: Partial<AgentView> = {}): AgentView => ({
  ...{ agentId: 'a', agentType: 'planner', address: ROOT, status: 'failed', usage: NO_USAGE },
  ...{ firstAt: 0, lastAt: 1, runs: [], calls: [], messages: [], delegations: [], customs: [], statePatches: [] },
  ...more,
});
const error = {
  ...{ code: 'model_error', category: 'model', title: 'The model failed.', retryable: false },
  message: 'No such model: gpt-99',
};

describe('a failed run', () => {
  const rows = [
    row(ROOT, 'failed', { error: 'The model failed.' }),
    row(`${ROOT}/sub/worker/1~1`, 'failed', { error: 'The sub-agent failed.' }),
    row(`${ROOT}/sub/worker/1~1/sub/worker/2~1`, 'failed', { error: 'The tool failed.' }),
    row(`${ROOT}/sub/worker/3~1`, 'completed'),
  ];
  const shown = (of: Row, view?: AgentView) =>
    renderToStaticMarkup(createElement(Failure, { row: of, agent: view, rows, onOpen: () => undefined }))
      .replaceAll(/<[^>]+>/gu, '|')
      .replaceAll('&#x27;', "'");

  it('[CN101] has its message, its cause and an advice on top', () => {
    const ended = run({ end: { status: 'failed', at: 1, error } });
    const text = shown(row(ROOT, 'failed'), agent({ runs: [ended] }));
    for (const part of ['The model failed.', 'model_error', 'No such model: gpt-99', 'worker 2', 'The tool failed.'])
      expect(text).toContain(part);
    expect(text).toContain(adviceOn(error));
    expect(adviceOn(error)).toContain('retry the run');
  });

  it('[CN101] names its title before its log is read, and says nothing of a run that has not failed', () => {
    expect(shown(row(ROOT, 'failed', { error: 'The model failed.' }))).toContain('The model failed.');
    expect(shown(row(ROOT, 'interrupted'))).toBe('');
  });

  it('[CN101] has as its cause the deepest failures alone', () => {
    expect(causesBelow(ROOT, rows).map(({ address }) => address)).toEqual([`${ROOT}/sub/worker/1~1/sub/worker/2~1`]);
  });

  it('[CN101] has an advice for each kind of failure', () => {
    const unknown = adviceOn({ code: 'from_later' });
    expect(unknown).toContain('Retry');
    for (const code of Object.keys(ERROR_CODES)) expect([unknown, ''], code).not.toContain(adviceOn({ code }));
    expect(adviceOn({ code: 'max_steps' })).toBe('Raise maxSteps, or split the task.');
  });
});

describe('a stop', () => {
  it('[CN103] counts the agents below that its verb ends', () => {
    const below = [
      ...Array.from({ length: 30 }, (_, index) => row(`${ROOT}/sub/worker/${index + 1}~1`, 'interrupted')),
      ...['running', 'completed', 'terminated'].map((status) => row(`${ROOT}/sub/worker/${status}`, status)),
      row(`${ROOT}/sub/worker/ada`, 'completed', { name: 'ada' }),
      row(`${ROOT}/sub/worker/eva`, 'idle', { name: 'eva' }),
    ];
    expect(reachSays('abort', below)).toBe('It aborts 1 sub-agent as well.');
    expect(reachSays('terminate', below)).toBe('It ends 33 sub-agents as well.');
    expect(reachSays('remove', below)).toBe('It deletes 35 sub-agents as well.');
    expect(reachSays('abort', below.slice(0, 30))).toBe('No sub-agents are running.');
  });
});

describe('a recovery', () => {
  const step = (number: number) => ({
    ...{ step: number, status: 'committed' as const, startedAt: number, parts: [], discarded: [] },
    ...{ model: 'm', usage: NO_USAGE, finishReason: 'stop' as const, checkpointId: 'c', endedAt: number, attempt: 1 },
  });
  const kinds = (more: Partial<RunView>) =>
    itemsOf(agent({ runs: [run(more)] }), [], undefined).map(({ kind }) => kind);

  it('[CN104] stands in the transcript at the step at which it came', () => {
    const steps = [step(1), step(2)];
    const at = (number: number) => [{ reason: 'restart', step: number }];
    expect(kinds({ steps, recoveries: at(2) })).toEqual(['step', 'step', 'recovered']);
    expect(kinds({ steps, recoveries: at(1) })).toEqual(['step', 'recovered', 'step']);
    expect(kinds({ steps, recoveries: at(0) })).toEqual(['recovered', 'step', 'step']);
    expect(kinds({ steps: [], recoveries: at(0) })).toEqual(['recovered']);
  });
});

describe('the tabs of an agent', () => {
  const step = (status: 'committed' | 'discarded') => ({ status }) as unknown as RunView['steps'][number];

  it('[CN112] have the counts that its view has, and mark those of none', () => {
    const view = agent({ runs: [run({ steps: [step('committed'), step('discarded'), step('committed')] })] });
    expect(countsOf(view, [], false)).toEqual({ calls: 0, checkpoints: 2 });
    expect(countsOf(undefined, [], false)).toEqual({});
    const marked = ['calls', 'checkpoints', 'files'].filter((tab) => classOf(countOf(countsOf(view, [], false), tab)));
    expect(marked).toEqual(['calls']);
    const lists = { logs: 100, files: 101, audit: 0, events: 1_234 };
    const shown = ['logs', 'files', 'audit', 'events', 'state', 'limits'].map((tab) => countSays(lists, tab));
    expect(shown).toEqual(['100', '100+', '0', '1,234', '', '']);
    expect(['audit', 'files', 'state'].map((tab) => classOf(countOf(lists, tab)))).toEqual([
      'empty',
      undefined,
      undefined,
    ]);
  });
});
