/** One row of the tree: who it is, how it stands, what it has spent, and its lane. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { RowProps } from '../../../react/use-tree-rows';
import { calledOf, nameOf } from '../../data/names';
import type { Scale } from '../../data/timeline/scale';
import type { Span } from '../../data/timeline/spans';
import { type Counts, type Placed, type PlacedAgent, type PlacedGroup, togetherOf } from '../../data/tree/placed';
import { Glyph } from '../../parts/status';
import { cost, count, exact, span, tokens } from '../../parts/words';
import { Lane } from './lane';

/** What all rows share. */
export interface RowContext {
  readonly scale: Scale;
  /** Of the lanes, in px. */
  readonly width: number;
  readonly now: number;
  readonly onFold: (id: string, open: boolean) => void;
}

interface Props extends RowContext, RowProps {
  readonly placed: Placed;
  readonly index: number;
  readonly spans: readonly Span[];
  /** Which bar of it the keyboard is at. */
  readonly bar: number | undefined;
  /** A stop that an agent elsewhere has not acknowledged. */
  readonly owed: string | undefined;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'terminated', 'interrupted', 'idle', 'queued']);

function Twist({ placed, onFold }: Pick<Props, 'placed' | 'onFold'>) {
  const { id, isExpanded: open, childCount } = placed;
  if (childCount === 0) return <span className="twist" />;
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      tabIndex={-1}
      className="twist"
      aria-label={open ? 'Fold' : 'Unfold'}
      onClick={(event) => {
        event.stopPropagation();
        onFold(id, !open);
      }}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}

function Badges({ placed, owed }: { placed: PlacedAgent; owed: string | undefined }) {
  const { waiting, discarded, recoveries, placement, rounds } = placed.row;
  return (
    <>
      {waiting > 0 && (
        <span
          className="badge tone-ask"
          title={`${waiting} ${waiting === 1 ? 'call waits' : 'calls wait'} for a person`}
        >
          ?{waiting}
        </span>
      )}
      {discarded > 0 && (
        <span className="badge tone-muted" title={`${discarded} discarded ${discarded === 1 ? 'attempt' : 'attempts'}`}>
          ~{discarded}
        </span>
      )}
      {recoveries > 0 && (
        <span className="badge tone-wait" title={`Recovered ${recoveries === 1 ? 'once' : `${recoveries} times`}`}>
          !{recoveries}
        </span>
      )}
      {placement !== undefined && (
        <span className="badge tone-muted" title={placement === 'remote' ? 'Remote agent' : 'Separate object'}>
          {placement}
        </span>
      )}
      {rounds > 1 && <span className="badge tone-muted">{rounds} rounds</span>}
      {owed !== undefined && <span className="badge tone-bad">{owed}</span>}
    </>
  );
}

function AgentCells({ placed, owed, now }: { placed: PlacedAgent; owed: string | undefined; now: number }) {
  const { row, usage, unpriced } = placed;
  const end = ENDED.has(row.status) ? row.last : now;
  const own = `own ${exact(tokens(row.usage))} tokens ${cost(row.usage, row.unpriced)}`;
  const all = `including sub-agents ${exact(tokens(usage))} tokens ${cost(usage, unpriced)}`;
  const says = row.error ?? (row.waiting > 0 ? row.activity : (row.statusText ?? row.activity));
  const title = [row.agentType, nameOf(row.address), row.task, says].filter(Boolean).join('\n');
  return (
    <>
      <span className="names" title={title}>
        <Glyph status={row.status} />
        <span className="type">{row.agentType}</span>
        <Badges placed={placed} owed={owed} />
        <span className="muted slot-name">{row.name ?? calledOf(nameOf(row.address))}</span>
        {row.task !== '' && <span className="task-name">{row.task}</span>}
        <span className={`activity ${row.error === undefined ? 'muted' : 'tone-bad'}`}>{says}</span>
      </span>
      <span className="figures muted" title={`${own}; ${all}; step ${row.step}`}>
        <span>{end > row.from ? span(end - row.from) : ''}</span>
        <span>{count(tokens(usage))}</span>
        <span>{cost(usage, unpriced)}</span>
      </span>
    </>
  );
}

/** The counts of a group in their order, what needs a person first. */
const COUNTED: readonly { readonly name: keyof Counts; readonly tone: string; readonly says: string }[] = [
  { name: 'waiting', tone: 'ask', says: 'waiting for you' },
  { name: 'failed', tone: 'bad', says: 'failed' },
  { name: 'interrupted', tone: 'wait', says: 'interrupted' },
  { name: 'running', tone: 'info', says: 'running' },
  { name: 'terminated', tone: 'muted', says: 'terminated' },
  { name: 'idle', tone: 'muted', says: 'idle' },
  { name: 'completed', tone: 'good', says: 'completed' },
];

function GroupCells({ group: { agentType, members, counts } }: { group: PlacedGroup }) {
  const parts = COUNTED.flatMap(({ name, tone, says }) =>
    counts[name] > 0 ? [<b key={name} className={`tone-${tone}`}>{`${counts[name]} ${says}`}</b>] : [],
  );
  return (
    <>
      <span className="names">
        <span className="type">{agentType}</span>
        <span className="badge tone-muted">×{members.length}</span>
        <span className="counts">{parts}</span>
      </span>
      <span className="figures muted">
        <span />
        <span>{count(members.reduce((sum, { usage }) => sum + tokens(usage), 0))}</span>
        <span />
      </span>
    </>
  );
}

function Row({ placed, index, spans, bar, owed, ...context }: Props) {
  const { scale, width, now, onFold, ...rowProps } = context;
  const { id, level, isExpanded } = placed;
  const isAgent = placed.kind === 'agent';
  const below = isAgent ? placed.hidden : isExpanded ? [] : placed.members;
  const drawn = below.length === 0 ? spans : [...togetherOf(below), ...spans];
  return (
    <div
      {...rowProps}
      role="row"
      id={`row-${id}`}
      aria-posinset={placed.place}
      aria-setsize={placed.siblings}
      aria-rowindex={index + 1}
      className={`tree-row${rowProps['aria-selected'] ? ' selected' : ''}${isAgent && placed.dim ? ' dim' : ''}`}
    >
      <span role="gridcell" className="who" style={{ paddingLeft: Math.min(level - 1, 12) * 16 }}>
        <Twist placed={placed} onFold={onFold} />
        {isAgent ? <AgentCells placed={placed} owed={owed} now={now} /> : <GroupCells group={placed} />}
      </span>
      <span role="gridcell" className="time">
        <Lane spans={drawn} scale={scale} width={width} now={now} at={bar} />
      </span>
    </div>
  );
}

const sameSpent = (one: PlacedAgent, other: PlacedAgent): boolean =>
  tokens(one.usage) === tokens(other.usage) && one.usage.costUsd === other.usage.costUsd;

function samePlaced(one: Placed, other: Placed): boolean {
  if (one.id !== other.id || one.isExpanded !== other.isExpanded || one.level !== other.level) return false;
  if (one.childCount !== other.childCount || one.place !== other.place || one.siblings !== other.siblings) return false;
  if (one.kind === 'group' || other.kind === 'group') return false;
  return one.row === other.row && one.dim === other.dim && one.hidden.length === 0 && sameSpent(one, other);
}

function sameProps<Props extends object>(one: Props, other: Props): boolean {
  for (const name in other) if (one[name] !== other[name]) return false;
  return true;
}

/** The row; drawn again only when something of it has changed. */
export const TreeRow = memo(Row, (one, other) => {
  const { placed: before, ...rest } = one;
  const { placed: after, ...now } = other;
  return samePlaced(before, after) && sameProps(rest, now);
});
