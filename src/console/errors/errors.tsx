/** Errors: what breaks, by its cause, and what can be tried again. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { Document } from '../../client';
import { type Cause, causeKey, useFailures } from '../data/lists';
import { pathSaid } from '../data/names';
import { pathOf } from '../data/place';
import { usePress } from '../data/press';
import { useForbidden } from '../data/rights';
import { server } from '../data/session';
import { toast } from '../data/toasts';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';
import { Unsent } from '../parts/unsent';
import { Waits } from '../parts/waits';

type Failure = Document<'listedFailure'>;

const HOUR_MS = 3_600_000;
/** How far back, in ms; without one as far as the server knows. */
const SINCE: readonly (readonly [key: string, says: string, ms: number | undefined])[] = [
  ['1h', 'Last hour', HOUR_MS],
  ['24h', 'Last 24 hours', 24 * HOUR_MS],
  ['7d', 'Last 7 days', 168 * HOUR_MS],
  ['all', 'All time', undefined],
];
const DEFAULT = '24h';

/** A new try of what failed, where its state allows it and nothing newer has happened there. */
function Retry({ failure: { address, runId } }: { failure: Failure }) {
  const queries = useQueryClient();
  const forbidden = useForbidden('write', address);
  const status = useQuery({
    queryKey: ['status', address],
    queryFn: ({ signal }) => server().status(address, { signal }),
    retry: false,
  });
  const retry = usePress({
    what: 'Retry',
    address,
    ask: (_runId: string, sending) => server().retry(address, {}, sending),
    keyOf: (id) => `retry.${id}`,
    onSuccess: () => toast(`${pathSaid(address)} is being retried.`, { to: { says: 'Open', path: pathOf(address) } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['status', address] }),
  });
  const control = status.data?.controls.retry;
  const why =
    forbidden ??
    (status.error !== null
      ? status.error.message
      : status.data !== undefined && status.data.run?.runId !== runId
        ? 'Already retried.'
        : control === undefined
          ? 'Checking…'
          : control === true
            ? undefined
            : control.title);
  const isKnown = forbidden !== undefined || status.error !== null || control !== undefined;
  return (
    <>
      <button
        type="button"
        disabled={why !== undefined || retry.isBusy || retry.isSuccess}
        title={why}
        onClick={() => retry.press(runId)}
      >
        Retry
      </button>
      {isKnown && why !== undefined && <span className="muted why-not">{why}</span>}
      <Unsent press={retry} />
    </>
  );
}

function Runs({ cause, since }: { cause: Cause; since: number | undefined }) {
  const { code, agentType: type, pattern } = cause;
  const failures = useFailures({ cause: code, type, pattern, ...(since === undefined ? {} : { since }) });
  if (failures.error !== null) return <Trouble error={failures.error} onRetry={() => void failures.refetch()} />;
  if (failures.data === undefined) return <Waits rows={2} />;
  return (
    <>
      <ul className="failures">
        {failures.data.pages
          .flatMap((page) => page.items)
          .map((failure) => (
            <li key={failure.runId}>
              <Link href={pathOf(failure.address)}>{pathSaid(failure.address)}</Link>
              <span className="muted">
                <Time at={failure.at} />
              </span>
              <span className="message">{failure.message}</span>
              <Retry failure={failure} />
            </li>
          ))}
      </ul>
      {failures.hasNextPage && (
        <button type="button" disabled={failures.isFetchingNextPage} onClick={() => void failures.fetchNextPage()}>
          Load more
        </button>
      )}
    </>
  );
}

/** The view. */
export function Errors() {
  const [path, go] = useLocation();
  const query = new URLSearchParams(useSearch());
  const [opened, chosen] = [query.getAll('cause'), query.get('since') ?? DEFAULT];
  const [word, setWord] = useState('');
  const [now] = useState(Date.now);
  const ms = SINCE.find(([key]) => key === chosen)?.[2];
  const since = ms === undefined ? undefined : now - ms;
  const all = useFailures(since === undefined ? {} : { since });
  const causes = all.data?.pages[0]?.causes;
  const fits = (text: string) => text.toLowerCase().includes(word.toLowerCase());
  const shown = causes?.filter(({ code, title = '', agentType, pattern }) =>
    fits(`${code} ${title} ${agentType} ${pattern}`),
  );
  // A code alone, or with a type, as in a link that somebody wrote, opens all of its causes.
  const isOpen = (cause: Cause): boolean =>
    [cause.code, `${cause.code} ${cause.agentType}`, causeKey(cause)].some((key) => opened.includes(key));
  const to = (causes: readonly string[], since: string) => {
    const next = [...causes.map((cause) => ['cause', cause]), ...(since === DEFAULT ? [] : [['since', since]])];
    return next.length === 0 ? path : `${path}?${new URLSearchParams(next)}`;
  };
  const turned = (cause: Cause): string[] =>
    (causes ?? []).filter((each) => isOpen(each) !== (each === cause)).map(causeKey);
  return (
    <main className="page">
      <h1>Errors</h1>
      <div className="filters">
        <select
          aria-label="Period"
          value={chosen}
          onChange={(event) => go(to(opened, event.target.value), { replace: true })}
        >
          {SINCE.map(([key, says]) => (
            <option key={key} value={key}>
              {says}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Search errors"
          placeholder="Find a cause"
          value={word}
          onChange={(event) => setWord(event.target.value)}
        />
      </div>
      {all.error !== null && <Trouble error={all.error} onRetry={() => void all.refetch()} />}
      {causes === undefined && all.error === null && <Waits />}
      {shown?.length === 0 && <p className="muted">{word === '' ? 'No errors' : 'No matching errors'}</p>}
      <ul className="causes">
        {shown?.map((cause) => {
          const { code, title, agentType, pattern, count, lastAt } = cause;
          const open = isOpen(cause);
          return (
            <li key={causeKey(cause)}>
              <Link href={to(turned(cause), chosen)} replace aria-expanded={open}>
                <b className="tone-bad">{count}</b> <span>{title ?? code}</span> <code>{code}</code>
                <span className="muted">
                  {agentType}, last <Time at={lastAt} />
                </span>
                {pattern !== '' && <span className="pattern">{pattern}</span>}
              </Link>
              {open && <Runs cause={cause} since={since} />}
            </li>
          );
        })}
      </ul>
    </main>
  );
}
