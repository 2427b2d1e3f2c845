/** One agent: what it is, what can be done to it, and its tabs. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { isEnded } from '../../../client';
import { shownKey } from '../../data/call-key';
import { calledOf, nameOf } from '../../data/names';
import { pathOf } from '../../data/place';
import type { RunState } from '../../data/run';
import { server } from '../../data/session';
import { useListCounts } from '../../data/shown/list-counts';
import { countsOf } from '../../data/shown/tab-counts';
import type { Row } from '../../data/tree/outline';
import { Card } from '../../inbox/card';
import { Status } from '../../parts/status';
import { Waits } from '../../parts/waits';
import type { RunPlace } from '../place';
import { Failure } from '../summary/failure';
import { Pinned } from '../summary/pinned';
import { Controls } from './controls';
import { MessageBox } from './message-box';
import { Queued } from './queued';
import { TabPanel, Tabs } from './tabs';
import { type Typed, Variables } from './variables';

interface NodeProps {
  readonly address: string;
  readonly root: string;
  readonly rows: readonly Row[];
  readonly run: RunState;
  readonly place: RunPlace;
  readonly owed: ReadonlyMap<string, string>;
  readonly typed: Typed;
  readonly onClose: () => void;
}

interface WaitingProps {
  readonly address: string;
  readonly waiting: number;
  /** Whether another tab is read now. */
  readonly isAside: boolean;
  readonly onShow: () => void;
}

/** What waits at or below the agent; asked anew when the number of calls that wait has changed. */
function Waiting({ address, waiting, isAside, onShow }: WaitingProps) {
  const queries = useQueryClient();
  const pending = useQuery({
    queryKey: ['waits', address, waiting],
    queryFn: ({ signal }) => server().pending(address, { signal }),
    enabled: waiting > 0,
  });
  const again = () => void queries.invalidateQueries({ queryKey: ['waits'] });
  const items = waiting > 0 ? (pending.data?.items ?? []) : [];
  if (items.length === 0) return null;
  if (isAside)
    return (
      <p className="pending-line">
        <button type="button" onClick={onShow}>
          {waiting === 1 ? '1 pending call' : `${waiting} pending calls`}
        </button>
      </p>
    );
  return (
    <div className="pending-cards">
      {items.map((item) => (
        <Card key={shownKey(item)} item={item} onDone={again} />
      ))}
    </div>
  );
}

/** Who is above it, from the root down: each leads to itself. */
function Above({ rows, row, onOpen }: { rows: readonly Row[]; row: Row; onOpen: (address: string) => void }) {
  const above: Row[] = [];
  const parentOf = ({ parentId }: Row) => rows.find(({ agentId }) => agentId === parentId);
  for (let at = parentOf(row); at !== undefined && !above.includes(at); at = parentOf(at)) above.unshift(at);
  if (above.length === 0) return null;
  return (
    <p className="agents-above muted">
      <span className="unseen">Parents </span>
      {above.map(({ agentId, agentType, address, name }) => (
        <Fragment key={agentId}>
          <Link
            href={pathOf(address)}
            onClick={(event) => {
              // With what the address says beside the agent.
              event.preventDefault();
              onOpen(address);
            }}
          >
            {agentType} {name ?? calledOf(nameOf(address))}
          </Link>{' '}
          ›{' '}
        </Fragment>
      ))}
    </p>
  );
}

/** The pane. */
export function Node({ address, root, rows, run, place, owed, typed, onClose }: NodeProps) {
  const row = rows.findLast((each) => each.address === address);
  const inside = `${address}/sub/`;
  const below = rows.filter((each) => each.address.startsWith(inside));
  const isHere = (each: Row) => each.address === address || each.address.startsWith(inside);
  const waiting = rows.reduce(
    (sum, each) => sum + (each.waiting > 0 && !isEnded(each.status) && isHere(each) ? each.waiting : 0),
    0,
  );
  const parent = rows.find(({ agentId }) => agentId === row?.parentId);
  const isKnown = row !== undefined || run.detail !== undefined;
  const shown = run.detail?.address === address ? run.detail : undefined;
  const isLive = run.connection.kind === 'live';
  const owes = row === undefined ? undefined : owed.get(row.agentId);
  const lists = useListCounts(address, row?.last ?? 0, server);
  return (
    <section className="node" aria-label="Agent">
      {row !== undefined && <Above {...{ rows, row }} onOpen={(next) => place.select(next, 'open')} />}
      <header className="node-head">
        <h2>{row?.agentType ?? nameOf(address)}</h2>
        <code className="muted slot-name" title={address}>
          {row?.name ?? calledOf(nameOf(address))}
        </code>
        {row !== undefined && <Status status={row.status} />}
        {owes !== undefined && <span className="badge tone-bad">{owes}</span>}
        <button type="button" className="icon close-sheet" aria-label="Close this agent" onClick={onClose}>
          <X size={16} aria-hidden />
        </button>
      </header>
      {row !== undefined && <Failure {...{ row, rows }} agent={shown} onOpen={(next) => place.select(next, 'open')} />}
      {row !== undefined && row.task !== '' && parent !== undefined && (
        <p className="node-task muted" title={row.task}>
          Task of {parent.agentType}: {row.task}
        </p>
      )}
      {row !== undefined && <Controls {...{ address, isRoot: address === root }} status={row.status} below={below} />}
      {shown !== undefined && <Pinned agent={shown} />}
      <Tabs
        tab={place.tab}
        counts={{ ...lists, ...countsOf(shown, rows.filter(isHere), isLive && run.edge === undefined) }}
        onTab={place.openTab}
      />
      {isKnown ? (
        <TabPanel {...{ address, root, run, place }} version={row?.last ?? 0} />
      ) : (
        <div className="tab-panel">
          {isLive ? <p className="muted">The log has no events of this agent.</p> : <Waits rows={3} />}
        </div>
      )}
      <Waiting
        {...{ address, waiting }}
        isAside={place.tab !== 'transcript'}
        onShow={() => place.openTab('transcript')}
      />
      {row !== undefined && (
        <Variables
          {...{ address, typed }}
          status={row.status}
          isAside={place.tab !== 'transcript'}
          onShow={() => place.openTab('transcript')}
        />
      )}
      {shown !== undefined && <Queued agent={shown} />}
      {row !== undefined && <MessageBox address={address} status={row.status} />}
    </section>
  );
}
