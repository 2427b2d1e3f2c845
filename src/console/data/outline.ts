/** The outline of a run: one row for each agent, without its texts, and what it spent its time with. */
import type { AgentView, CallView, StepView, Usage } from '../../client';

/** What an agent did from when to when, in ms since 1970; without an end it goes on. */
export interface Span {
  readonly kind: 'model' | 'tool' | 'child' | 'person' | 'discarded' | 'recovered';
  readonly from: number;
  readonly to?: number;
  readonly name: string;
}

/** One agent as a row shows it. */
export interface Row {
  readonly agentId: string;
  readonly parentId?: string;
  readonly agentType: string;
  readonly address: string;
  readonly status: string;
  readonly statusText?: string;
  readonly from: number;
  readonly last: number;
  readonly step: number;
  readonly usage: Usage;
  /** Whether some of its model calls have no known price. */
  readonly unpriced: boolean;
  readonly waiting: number;
  readonly recoveries: number;
  readonly discarded: number;
  /** A tool at work, or its last words. */
  readonly activity: string;
  readonly error?: string;
  readonly spans: readonly Span[];
}

/** Spans of one agent that are kept: the newest. */
const MOST_SPANS = 2_000;
/** Characters of last words. */
const LAST_WORDS = 120;

function spanOf(call: CallView, children: ReadonlySet<string>): Span[] {
  if (call.status === 'drafting') return [];
  const kind = children.has(call.toolCallId) ? 'child' : 'tool';
  if (call.status === 'waiting') return [{ kind: 'person', from: call.requestedAt, name: call.toolName }];
  const end = 'endedAt' in call ? { to: call.endedAt } : {};
  return [{ kind, from: call.startedAt, ...end, name: call.toolName }];
}

/** A step ends with its last tool; its model call does when the first of them begins. */
function spanOfStep(step: StepView, calls: readonly CallView[], fallback: number | undefined): Span {
  const kind = step.discarded.length > 0 && step.parts.length === 0 ? 'discarded' : 'model';
  const begun = calls.flatMap((call) => ('startedAt' in call ? [call.startedAt] : []));
  const end = step.status === 'committed' ? step.endedAt : fallback;
  const to = begun.length > 0 ? Math.min(...begun) : end;
  return { kind, from: step.startedAt, ...(to === undefined ? {} : { to }), name: `step ${step.step}` };
}

/** The first line of what an agent is at. */
function activityOf(agent: AgentView): string {
  const atWork = agent.calls.findLast(({ status }) => status === 'running' || status === 'waiting');
  if (atWork !== undefined) return atWork.toolName;
  const parts = agent.runs.at(-1)?.steps.at(-1)?.parts ?? [];
  const words = parts.findLast(({ kind }) => kind === 'text')?.text ?? agent.statusText ?? '';
  const line = words.trim().split('\n').at(-1) ?? '';
  return line.slice(0, LAST_WORDS);
}

/** The row of an agent. */
export function rowOf(agent: AgentView): Row {
  const run = agent.runs.at(-1);
  const children = new Set(agent.delegations.map(({ callId }) => callId));
  const callsOf = new Map<string, CallView[]>();
  for (const call of agent.calls) {
    const key = `${call.runId} ${call.step}`;
    callsOf.set(key, [...(callsOf.get(key) ?? []), call]);
  }
  const steps = agent.runs.flatMap((each) =>
    each.steps.map((step) => spanOfStep(step, callsOf.get(`${each.runId} ${step.step}`) ?? [], each.end?.at)),
  );
  const spans = [...steps, ...agent.calls.flatMap((call) => spanOf(call, children))].sort((a, b) => a.from - b.from);
  const end = run?.end;
  const sum = (of: (step: StepView) => number) =>
    agent.runs.flatMap((each) => each.steps).reduce((n, s) => n + of(s), 0);
  return {
    agentId: agent.agentId,
    ...(agent.parentId === undefined ? {} : { parentId: agent.parentId }),
    agentType: agent.agentType,
    address: agent.address,
    status: agent.status,
    ...(agent.statusText === undefined ? {} : { statusText: agent.statusText }),
    from: agent.firstAt,
    last: agent.lastAt,
    step: run?.steps.at(-1)?.step ?? 0,
    usage: agent.usage,
    unpriced: sum((step) => (step.status === 'committed' && step.usage.costUsd === undefined ? 1 : 0)) > 0,
    waiting: agent.calls.filter(({ status }) => status === 'waiting').length,
    recoveries: agent.runs.reduce((count, each) => count + each.recoveries.length, 0),
    discarded: sum((step) => step.discarded.length),
    activity: activityOf(agent),
    ...(end?.status === 'failed' ? { error: end.error.title } : {}),
    spans: spans.slice(-MOST_SPANS),
  };
}

/** A row in its place. */
export interface Placed {
  readonly row: Row;
  readonly level: number;
  readonly place: number;
  readonly siblings: number;
  readonly children: number;
  readonly open: boolean;
  /** Shown only because something below it fits the filter. */
  readonly dim: boolean;
}

const says = (row: Row, filter: string): boolean =>
  `${row.agentType} ${row.address} ${row.activity} ${row.status}`.toLowerCase().includes(filter);

/** The rows that are shown, in the order in which the agents began. Ancestors of what fits a filter stay. */
export function placed(rows: readonly Row[], folded: ReadonlySet<string>, filter = ''): Placed[] {
  const known = new Map(rows.map((row) => [row.agentId, row]));
  const below = new Map<string | undefined, Row[]>();
  for (const row of rows) {
    const parent = row.parentId !== undefined && known.has(row.parentId) ? row.parentId : undefined;
    below.set(parent, [...(below.get(parent) ?? []), row]);
  }
  const word = filter.trim().toLowerCase();
  const fits = new Set<string>();
  for (const row of rows) {
    if (word === '' || !says(row, word)) continue;
    let at: Row | undefined = row;
    while (at !== undefined && !fits.has(at.agentId)) {
      fits.add(at.agentId);
      at = at.parentId === undefined ? undefined : known.get(at.parentId);
    }
  }
  const out: Placed[] = [];
  const visit = (parent: string | undefined, level: number): void => {
    const list = below.get(parent) ?? [];
    list.forEach((row, index) => {
      if (word !== '' && !fits.has(row.agentId)) return;
      const children = below.get(row.agentId)?.length ?? 0;
      const open = word !== '' || !folded.has(row.agentId);
      const dim = word !== '' && !says(row, word);
      out.push({ row, level, place: index + 1, siblings: list.length, children, open, dim });
      if (open) visit(row.agentId, level + 1);
    });
  };
  visit(undefined, 1);
  return out;
}
