/** Counts of tabs and filters of a run's page beside a plain reading of its log. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsOf } from '../../../src/console/data/shown/tab-counts';
import { Details } from '../../../src/console/data/tree/details';
import { presetsOf } from '../../../src/console/data/tree/filter';
import { Outline, type Row } from '../../../src/console/data/tree/outline';
import { placed } from '../../../src/console/data/tree/placed';
import type { SequencedChunk } from '../../../src/protocol/chunks';
import { failure } from '../../../src/protocol/errors';
import { type LogAgent, newLog } from '../../support/log';
import { present } from '../../support/present';

const TOOLS = ['search', 'read', 'publish'] as const;
const ACTS = [
  'spawn',
  'tool',
  'end',
  'ask',
  'answer',
  'text',
  'discard',
  'commit',
  'stop',
  'fail',
  'complete',
] as const;

interface Act {
  readonly act: (typeof ACTS)[number] | 'resume';
  readonly agent: number;
  readonly tool: (typeof TOOLS)[number];
}

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({ act: fc.constantFrom(...ACTS, 'resume' as const), agent: fc.nat(), tool: fc.constantFrom(...TOOLS) }),
  { maxLength: 60 },
);

interface Writer {
  readonly agent: LogAgent;
  readonly open: string[];
  readonly asked: string[];
  standing: 'runs' | 'stopped' | 'over';
  step: number;
}

const begun = (agent: LogAgent, runId: string): Writer => ({
  ...{ agent: agent.run(runId, 'A task.').step(1), open: [], asked: [], standing: 'runs', step: 1 },
});

/** Does what fits the agent; what does not fit writes nothing. */
function write({ act, tool }: Act, writer: Writer, id: string): Writer | undefined {
  const { agent, open, asked } = writer;
  if (act === 'resume') {
    if (writer.standing === 'stopped') agent.resumed(`r_${id}`);
    if (writer.standing === 'stopped') writer.standing = 'runs';
    return undefined;
  }
  if (writer.standing !== 'runs') return undefined;
  const [first, question] = [open[0], asked[0]];
  if (act === 'spawn') return begun(agent.spawn(id, `${tool}er`, `${id}~1`, { task: 'Help.' }), `r_${id}`);
  if (act === 'tool') open.push(id);
  if (act === 'tool') agent.tool(id, tool, {});
  if (act === 'end' && first !== undefined) agent.toolEnd(present(open.shift()), 1);
  if (act === 'ask') asked.push(id);
  if (act === 'ask') agent.asks('approval', id, tool, {});
  if (act === 'answer' && question !== undefined)
    agent.answered(present(asked.shift()), { kind: 'approval-response', approved: true, actor: 'person' });
  if (act === 'text') agent.text('Some words.');
  if (act === 'discard' && open.length + asked.length === 0) agent.discard();
  if (act === 'commit' && open.length + asked.length === 0) {
    writer.step += 1;
    agent.commit().step(writer.step);
  }
  if (act === 'stop') agent.interrupted();
  if (act === 'fail') agent.failed(failure('model_error', 'It is away.'));
  if (act === 'stop' || act === 'fail') writer.standing = 'stopped';
  if (act === 'complete' && open.length + asked.length === 0) {
    agent.completed('Done.');
    writer.standing = 'over';
  }
  return undefined;
}

function logOf(all: readonly Act[]): readonly SequencedChunk[] {
  const log = newLog();
  const writers = [begun(log.root('planner', 'one'), 'r_0')];
  for (const [index, act] of all.entries()) {
    const child = write(act, present(writers[act.agent % writers.length]), `c_${index}`);
    if (child !== undefined) writers.push(child);
  }
  return log.entries;
}

/** An agent, read from the chunks alone. */
function readOf(entries: readonly SequencedChunk[], address: string) {
  const below = entries.map(({ chunk }) => chunk).filter((each) => `${each.address}/`.startsWith(`${address}/`));
  const own = below.filter((each) => each.address === address);
  const of = (type: string) => own.filter((each) => each.type === type);
  const calls = own.flatMap((each) => ('toolCallId' in each && each.toolCallId !== undefined ? [each.toolCallId] : []));
  const answered = new Set(of('tool_answered').map((each) => 'toolCallId' in each && each.toolCallId));
  const ran = own.findLast(({ type }) => type.startsWith('run_'))?.type;
  return {
    counts: { calls: new Set(calls).size, checkpoints: of('step_committed').length, events: below.length },
    tools: own.flatMap((each) => ('toolName' in each ? [each.toolName] : [])),
    isWaiting:
      ran === 'run_started' &&
      of('tool_approval_request').some((each) => !answered.has('toolCallId' in each && each.toolCallId)),
    isFailed: ran === 'run_failed',
    isInterrupted: ran === 'run_interrupted',
    type: own[0]?.agentType,
  };
}

const folds = { byHand: new Map(), opened: new Set<string>() };

/** The agents that a filter of the tree finds; those that only lead to one are dimmed. */
const found = (rows: readonly Row[], text: string) =>
  placed(rows, folds, '', text).flatMap((each) => (each.kind === 'agent' && !each.dim ? [each.row.address] : []));

describe('the page of a run', () => {
  it('[CN112] has the counts of its tabs as the log has them', () => {
    fc.assert(
      fc.property(acts, (all) => {
        const entries = logOf(all);
        const [outline, details] = [new Outline(), new Details()];
        for (const entry of entries) outline.take(entry);
        for (const entry of entries) details.take(entry);
        const { rows } = outline.changes();
        for (const { address, agentId } of rows) {
          const below = rows.filter((each) => `${each.address}/`.startsWith(`${address}/`));
          const { counts } = readOf(entries, address);
          expect(countsOf(details.show(agentId).view, below, true)).toEqual(counts);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('[CN116] has filters that find what the log says, each with the count of what it finds', () => {
    fc.assert(
      fc.property(acts, (all) => {
        const entries = logOf(all);
        const outline = new Outline();
        for (const entry of entries) outline.take(entry);
        const { rows } = outline.changes();
        const read = rows.map(({ address }) => ({ address, ...readOf(entries, address) }));
        const those = (is: (agent: (typeof read)[number]) => boolean) =>
          read.flatMap((agent) => (is(agent) ? [agent.address] : [])).sort();
        const expected = new Map([
          ['', those(() => true)],
          ['is:waiting', those(({ isWaiting }) => isWaiting)],
          ['has:error', those(({ isFailed }) => isFailed)],
          ['is:interrupted', those(({ isInterrupted }) => isInterrupted)],
        ]);
        const presets = presetsOf(rows);
        expect(presets.map(({ text }) => text)).toEqual([...expected.keys()]);
        for (const { text, count } of presets) {
          expect({ text, found: found(rows, text).sort() }).toEqual({ text, found: expected.get(text) });
          expect({ text, count }).toEqual({ text, count: expected.get(text)?.length });
        }
        for (const tool of TOOLS) {
          const calls = those(({ tools }) => tools.includes(tool) || tools.includes(`subagent__${tool}er`));
          expect(found(rows, `tool:${tool}`).sort()).toEqual(calls);
          expect(found(rows, `type:${tool}er`).sort()).toEqual(those(({ type }) => type === `${tool}er`));
          const both = those(({ type, isFailed }) => type === `${tool}er` && isFailed);
          expect(found(rows, `type:${tool}er has:error`).sort()).toEqual(both);
        }
      }),
      { numRuns: 200 },
    );
  });
});
