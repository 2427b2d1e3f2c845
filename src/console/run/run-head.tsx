/** The line above a run: how it stands as a whole, and how its connection does. */
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Usage } from '../../client';
import { AT } from '../data/place';
import type { RunState } from '../data/run';
import type { Connection } from '../data/run-messages';
import { NextTry } from '../parts/away';
import { Status } from '../parts/status';
import { Time } from '../parts/time';
import { cost, count, exact, exactCost, span, tokens } from '../parts/words';

/** The connection in words; of how the run stands its status alone speaks. */
function connectionSays(connection: Connection, isOver: boolean): ReactNode {
  switch (connection.kind) {
    case 'live':
      return isOver ? 'up to date' : 'live';
    case 'replaying':
      return connection.of > connection.at && connection.of > 0
        ? `replaying ${Math.floor((connection.at / connection.of) * 100)} %`
        : 'replaying';
    case 'reconnecting':
      return (
        <>
          reconnecting <NextTry nextAt={connection.nextAt} />
        </>
      );
    case 'opening':
      return 'opening';
    default:
      return connection.kind;
  }
}

function Badge({ run: { connection, over }, isOver }: { run: RunState; isOver: boolean }) {
  const problem = connection.kind === 'reconnecting' ? connection.problem : undefined;
  const by = over === 'sse' ? 'Connected by server-sent events; no WebSocket.' : 'Connected by WebSocket.';
  return (
    <span
      className={`badge connection ${connection.kind.replace(' ', '-')}`}
      // What counts down is not read out each second.
      role={problem === undefined ? 'status' : undefined}
      title={problem ?? by}
    >
      {connectionSays(connection, isOver)}
    </span>
  );
}

interface HeadProps {
  readonly run: RunState;
  readonly title: string;
  /** Of its root, as it stands in its address. */
  readonly name: string;
  readonly status: string | undefined;
  /** Its start, in ms since 1970. */
  readonly from: number;
  /** In ms. */
  readonly took: number;
  readonly usage: Usage | undefined;
  readonly unpriced: boolean;
  readonly isOver: boolean;
}

/** The line. */
export function RunHead({ run, title, name, status, from, took, usage, unpriced, isOver }: HeadProps) {
  return (
    <header className="run-head">
      <Link href={`${AT}/runs`} className="back" aria-label="All runs" title="All runs">
        <ChevronLeft size={16} aria-hidden />
      </Link>
      <h1 title={title}>{title}</h1>
      {name !== title && (
        <code className="muted run-name" title={name}>
          {name}
        </code>
      )}
      {status !== undefined && <Status status={status} />}
      {took > 0 && (
        <span className="figures">
          <Time at={from} /> <span className="muted">took</span> {span(took)}
        </span>
      )}
      {usage !== undefined && (
        <>
          <span className="figures" title={`${exact(tokens(usage))} tokens`}>
            {count(tokens(usage))} tokens
          </span>
          <span className="figures" title={costSays(usage, unpriced)}>
            {cost(usage, unpriced)}
          </span>
        </>
      )}
      <Badge run={run} isOver={isOver} />
    </header>
  );
}

function costSays({ costUsd }: Usage, unpriced: boolean): string {
  if (costUsd === undefined) return 'Price unknown';
  const all = exactCost(costUsd);
  return unpriced ? `${all}, plus calls without a known price` : all;
}
