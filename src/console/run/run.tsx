/** A run: its tree in time, and one of its agents. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { isEnded } from '../../client';
import { placed, type Row } from '../data/outline';
import { nameOf, pathOf, rootOf } from '../data/place';
import { useRun } from '../data/run';
import type { Connection } from '../data/run-messages';
import { server } from '../data/session';
import { Card } from '../inbox/card';
import { Status } from '../parts/status';
import { clock, cost, count, span, tokens } from '../parts/words';
import { Controls, MessageBox } from './controls';
import { Transcript } from './transcript';
import { Tree } from './tree';

/** Which rows a person folded, kept in this tab. */
function useFolds(root: string) {
  const key = `offshoot.folds:${root}`;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setFolded(new Set(JSON.parse(sessionStorage.getItem(key) ?? '[]'))), [key]);
  const fold = useCallback(
    (agentId: string, open: boolean) =>
      setFolded((before) => {
        const after = new Set(before);
        if (open) after.delete(agentId);
        else after.add(agentId);
        sessionStorage.setItem(key, JSON.stringify([...after]));
        return after;
      }),
    [key],
  );
  return [folded, fold] as const;
}

/** The time, each second, while something goes on. */
function useClock(runs: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

function Badge({ connection, ended }: { connection: Connection; ended: boolean }) {
  const { kind } = connection;
  const says = kind === 'live' && ended ? 'ended' : kind === 'refused' ? 'refused' : kind;
  const problem = connection.kind === 'reconnecting' ? connection.problem : undefined;
  return (
    <span className={`badge connection ${kind.replace(' ', '-')}`} role="status" title={problem}>
      {says}
    </span>
  );
}

/** What waits at or below the selected agent; asked anew when the number of calls that wait has changed. */
function Waiting({ address, waiting }: { address: string; waiting: number }) {
  const queries = useQueryClient();
  const pending = useQuery({
    queryKey: ['waits', address, waiting],
    queryFn: ({ signal }) => server().pending(address, { signal }),
    enabled: waiting > 0,
  });
  const again = () => void queries.invalidateQueries({ queryKey: ['waits'] });
  return (
    <div className="waiting">
      {(waiting > 0 ? (pending.data?.items ?? []) : []).map((item) => (
        <Card key={`${item.toolCallId}:${item.inputHash}`} item={item} onDone={again} />
      ))}
    </div>
  );
}

function Missing({ connection, root }: { connection: Extract<Connection, { kind: 'refused' }>; root: string }) {
  const gone = connection.status === 410;
  return (
    <main className="page">
      <h1>{gone ? 'This slot is used again' : connection.status === 404 ? 'Nothing is here' : connection.title}</h1>
      <p>
        {connection.status === 404 ? 'There is nothing at this address, and nothing was created.' : connection.title}
      </p>
      <p className="muted">
        <code>{connection.code}</code>
      </p>
      {gone && <a href={pathOf(root)}>Open the run as it is now</a>}
    </main>
  );
}

const isBelow = (row: Row, address: string): boolean => row.address.startsWith(`${address}/sub/`);

/** What the agents cost together, as far as it is known. */
const spentBy = (rows: readonly Row[]): number | undefined =>
  rows.reduce<number | undefined>(
    (total, { usage }) => (usage.costUsd === undefined ? total : (total ?? 0) + usage.costUsd),
    undefined,
  );

/** Why an agent takes no message; undefined where it does. */
function againstMessages(row: Row | undefined, isRoot: boolean): string | undefined {
  if (row?.status === 'terminated') return 'It has ended for good.';
  return !isRoot && row !== undefined && isEnded(row.status) ? 'It is not at work.' : undefined;
}

/** The view. */
export function Run({ address }: { address: string }) {
  const root = rootOf(address);
  const [, go] = useLocation();
  const { connection, rows, detail, edge } = useRun(root, address);
  const [folded, fold] = useFolds(root);
  const query = new URLSearchParams(location.search);
  const [word, setWord] = useState(query.get('q') ?? '');
  const shown = useMemo(() => placed(rows, folded, word), [rows, folded, word]);
  const top = rows.find((row) => row.address === root);
  const row = rows.findLast((each) => each.address === address);
  const status = useQuery({
    queryKey: ['status', root],
    queryFn: ({ signal }) => server().status(root, { signal }),
    retry: false,
  });
  const ended = top !== undefined && isEnded(top.status);
  const now = useClock(!ended);
  if (connection.kind === 'refused') return <Missing connection={connection} root={root} />;
  const from = rows.reduce((least, each) => Math.min(least, each.from), Number.POSITIVE_INFINITY);
  const last = rows.reduce((most, each) => Math.max(most, each.last), 0);
  const axis = { from, to: ended ? last : Math.max(last, now) };
  const sum = rows.reduce((total, each) => total + tokens(each.usage), 0);
  const spent = spentBy(rows);
  const unpriced = rows.some((each) => each.unpriced);
  const waiting = rows.reduce((total, each) => total + (isEnded(each.status) ? 0 : each.waiting), 0);
  const below = rows.filter((each) => isBelow(each, address) && !isEnded(each.status)).length;
  const find = (text: string) => {
    setWord(text);
    history.replaceState(null, '', text === '' ? location.pathname : `?q=${encodeURIComponent(text)}`);
  };
  const notForMessages = againstMessages(row, address === root);
  return (
    <main className="run-view">
      <header className="run-head">
        <h1>{status.data?.displayName ?? nameOf(root)}</h1>
        {top !== undefined && <Status status={top.status} />}
        {rows.length > 0 && <span className="figures">{span(axis.to - axis.from)}</span>}
        <span className="figures">{count(sum)} tokens</span>
        <span className="figures" title="Cost: - where no price is known, + where a part has none">
          {cost({ ...NO_TOKENS, ...(spent === undefined ? {} : { costUsd: spent }) }, unpriced)}
        </span>
        <Badge connection={connection} ended={ended} />
      </header>
      <section className="run-tree" aria-label="Tree">
        <input
          type="search"
          aria-label="Filter agents"
          placeholder="Filter"
          value={word}
          onChange={(e) => find(e.target.value)}
        />
        {edge !== undefined && <p className="hatched muted">Older events were compacted.</p>}
        <Tree
          rows={shown}
          selected={address}
          axis={axis}
          onFold={fold}
          onSelect={(next) => go(pathOf(next), { replace: true })}
        />
        {rows.length > 0 && (
          <p className="axis muted">
            <time dateTime={new Date(axis.from).toISOString()}>{clock(axis.from)}</time>
            <time dateTime={new Date(axis.to).toISOString()}>{ended ? clock(axis.to) : 'now'}</time>
          </p>
        )}
      </section>
      <section className="node" aria-label="Agent">
        <header className="node-head">
          <h2>{row?.agentType ?? nameOf(address)}</h2>
          {row !== undefined && <Status status={row.status} />}
        </header>
        {row !== undefined && <Controls address={address} status={row.status} below={below} />}
        {detail !== undefined && <Transcript key={address} agent={detail} />}
        {detail === undefined && connection.kind === 'live' && <p className="muted">This agent is not in the log.</p>}
        <Waiting address={address === root ? root : address} waiting={waiting} />
        {row !== undefined && <MessageBox address={address} disabled={notForMessages} />}
      </section>
    </main>
  );
}

const NO_TOKENS = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  modelCalls: 0,
  toolCalls: 0,
};
