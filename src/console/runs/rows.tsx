/** Rows of runs, of which only those on screen are there. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Document } from '../../client';
import { pathOf } from '../data/place';
import { useRowHeight } from '../data/preferences';
import { Glyph } from '../parts/status';
import { Time } from '../parts/time';
import { cost, count, exactCost, said, span, tokens } from '../parts/words';

type Root = Document<'root'>;

/** As near to the end, in rows, the next page is asked for. */
const NEAR = 20;

/** What a tree has spent, and how far its newest run has come. */
function spentIn(usage: NonNullable<Root['usage']>, steps: number | undefined): string {
  const { costUsd, unpricedCalls = 0 } = usage;
  const price =
    costUsd === undefined
      ? 'no price is known'
      : `${exactCost(costUsd)}${unpricedCalls > 0 ? ` plus ${unpricedCalls} calls without a known price` : ''}`;
  const all = `${tokens(usage).toLocaleString('en-US')} tokens, ${price}`;
  return steps === undefined ? all : `${all}; ${steps} ${steps === 1 ? 'step' : 'steps'} in its newest run`;
}

/** That sub-agents have failed is seen at their run, however that has ended itself. */
function FailedBelow({ count: failed = 0 }: { count: number | undefined }) {
  if (failed === 0) return null;
  return (
    <span className="badge tone-bad">
      {failed} <span className="wide">{failed === 1 ? 'sub-agent' : 'sub-agents'} </span>failed
    </span>
  );
}

function Figures({ root: { usage, steps, pendingCount = 0, childCounts } }: { root: Root }) {
  return (
    <>
      <span className="waiting">
        {pendingCount > 0 && (
          <span className="badge tone-ask" title={`${pendingCount} pending`}>
            ?{pendingCount}
          </span>
        )}
      </span>
      <span className="muted figure second" title="Sub-agents">
        {childCounts !== undefined && childCounts.total > 0 ? `${childCounts.total} sub-agents` : ''}
      </span>
      <span className="muted figure second" title={usage && spentIn(usage, steps)}>
        {usage === undefined ? '' : count(tokens(usage))}
      </span>
      <span className="muted figure second" title={usage && spentIn(usage, steps)}>
        {usage === undefined || usage.modelCalls === 0 ? '' : cost(usage, (usage.unpricedCalls ?? 0) > 0)}
      </span>
    </>
  );
}

/** The heads of the columns, in the order of a row's cells; the first is of its glyph. */
function Head() {
  return (
    <div className="root-head muted">
      <span />
      <span>Run</span>
      <span>Name</span>
      <span />
      <span className="figure second">Agents</span>
      <span className="figure second">Tokens</span>
      <span className="figure second">Cost</span>
      <span className="says">Status</span>
      <span className="figure second far">Started</span>
      <span className="figure second far">Duration</span>
      <span className="when">Last active</span>
    </div>
  );
}

/** The rows, in the order that they are given. `onEnd` asks for more. */
export function RootRows({ roots, onEnd }: { roots: readonly Root[]; onEnd?: (() => void) | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRowHeight();
  const rows = useVirtualizer({
    count: roots.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 12,
    getItemKey: (index) => roots[index]?.address ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another density has another height
  useEffect(() => rows.measure(), [height]);
  const last = rows.getVirtualItems().at(-1)?.index ?? 0;
  const isNear = last + NEAR >= roots.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each end that comes near
  useEffect(() => {
    if (isNear) onEnd?.();
  }, [isNear, roots.length]);
  return (
    <div ref={box} className="root-rows">
      <Head />
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const root = roots[index];
          if (root === undefined) return null;
          const { address, title = root.displayName ?? root.name, name, preview, status, error, lastActivity } = root;
          return (
            <li key={address} style={{ transform: `translateY(${start}px)`, height }}>
              <Link href={pathOf(address)} className="root-row">
                <Glyph status={status} />
                <span className="title">
                  <span title={preview ?? title}>{title}</span>
                  <FailedBelow count={root.failedCount} />
                </span>
                <span className="muted name" title={`${root.agentType} ${name}`}>
                  {title === name ? '' : name}
                </span>
                <Figures root={root} />
                <span className="muted says" title={error?.message}>
                  {said(status).says}
                  {error !== undefined && `: ${error.title ?? error.code}`}
                </span>
                <span className="muted figure second far">
                  <Time at={root.createdAt} />
                </span>
                <span className="muted figure second far" title="From start to last activity">
                  {span(lastActivity - root.createdAt)}
                </span>
                <span className="muted when">
                  <Time at={lastActivity} />
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
