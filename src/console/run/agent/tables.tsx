/** The tabs of an agent that are lists: pages of 100, asked for when they are opened. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Document, Json, Page } from '../../../client';
import { beginningOf } from '../../../protocol/content/cut';
import { pathOf } from '../../data/place';
import { server } from '../../data/session';
import { limitSays, limitValue } from '../../data/shown/labels';
import { JsonView } from '../../parts/json';
import { Settings } from '../../parts/model-settings';
import { Time } from '../../parts/time';
import { Trouble } from '../../parts/trouble';
import { cost, count, span, tokens } from '../../parts/words';
import type { RunPlace, Tab } from '../place';
import { Events } from './events';
import { ForkDialog } from './fork';

/** Items in one page. */
const PAGE = 100;
/** How often what is open is asked for again, in ms, while it is one page. */
const AGAIN_MS = 5_000;

interface Listed<Item> {
  readonly name: string;
  readonly address: string;
  readonly ask: (options: { limit: number; signal: AbortSignal; cursor?: string }) => Promise<Page<Item>>;
  readonly heads: readonly string[];
  readonly row: (item: Item, index: number) => { readonly key: string; readonly cells: readonly ReactNode[] };
  readonly empty: string;
}

function List<Item>({ name, address, ask, heads, row, empty }: Listed<Item>) {
  const list = useInfiniteQuery({
    queryKey: ['tab', name, address],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      ask({ limit: PAGE, signal, ...(pageParam === '' ? {} : { cursor: pageParam }) }),
    getNextPageParam: ({ cursor }: Page<Item>) => cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : AGAIN_MS),
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {list.error !== null && <Trouble error={list.error} />}
      {list.isPending && <p className="muted">Loading…</p>}
      {list.isSuccess && items.length === 0 && <p className="muted">{empty}</p>}
      {items.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the arrow keys
        <div className="sideways" tabIndex={0} role="region" aria-label={name}>
          <table className="facts">
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head}>{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {items.map((item, index) => {
                const { key, cells } = row(item, index);
                return (
                  <tr key={key}>
                    {cells.map((cell, column) => (
                      <td key={heads[column]}>{cell}</td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {list.hasNextPage && (
        <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Next {PAGE}
        </button>
      )}
    </>
  );
}

interface TabProps {
  readonly address: string;
  readonly root: string;
  readonly place: RunPlace;
}

function Inline({ title, value }: { title: string; value: Json }) {
  const text = JSON.stringify(value);
  if (text.length <= 60) return <code>{text}</code>;
  return (
    <details>
      <summary>
        {title} <code>{beginningOf(text, 40)}…</code>
      </summary>
      <JsonView value={value} />
    </details>
  );
}

const took = (from: number | undefined, to: number | undefined): string =>
  from === undefined ? '' : to === undefined ? 'in progress' : span(to - from);

function Calls({ address, place }: TabProps) {
  return (
    <List
      name="Calls"
      address={address}
      ask={(options) => server().calls(address, options)}
      empty="No tool calls"
      heads={['Tool', 'State', 'Turn, step', 'Began', 'Took', 'Arguments', 'Result']}
      row={(call: Document<'call'>) => ({
        key: call.toolCallId,
        cells: [
          <button
            key="n"
            type="button"
            className="linkish"
            onClick={() => place.point(address, { call: call.toolCallId })}
          >
            {call.toolName}
          </button>,
          `${call.status}${call.bodies > 1 ? `, executed ${call.bodies} times` : ''}`,
          `${call.turn}, ${call.step}`,
          call.startedAt === undefined ? '' : <Time key="b" at={call.startedAt} />,
          took(call.startedAt, call.endedAt),
          <Inline key="a" title="" value={call.input} />,
          call.error === undefined ? (
            call.result === undefined ? (
              ''
            ) : (
              <Inline key="r" title="" value={call.result} />
            )
          ) : (
            <span key="e" className="tone-bad">
              {call.error.title}
            </span>
          ),
        ],
      })}
    />
  );
}

function Logs({ address }: TabProps) {
  return (
    <List
      name="Logs"
      address={address}
      ask={(options) => server().logs(address, options)}
      empty="No log entries"
      heads={['What', 'Turn, step', 'Began', 'Took', 'Attempts', 'Tokens', 'Errors']}
      row={(entry: Document<'log'>, index) => ({
        key: `${index}`,
        cells: [
          `${entry.kind} ${entry.model ?? entry.toolName ?? entry.hook ?? ''}`,
          `${entry.turn}, ${entry.step}`,
          <Time key="t" at={entry.startedAt} />,
          took(entry.startedAt, entry.endedAt),
          entry.attempts === 0 ? '' : String(entry.attempts),
          entry.usage === undefined
            ? ''
            : `${count(tokens(entry.usage))} ${cost(entry.usage, entry.usage.costUsd === undefined)}`,
          entry.errors.map(({ title, code }) => `${title} (${code})`).join('; '),
        ],
      })}
    />
  );
}

function Audit({ address }: TabProps) {
  return (
    <List
      name="Audit"
      address={address}
      ask={(options) => server().audit(address, options)}
      empty="No actions recorded"
      heads={['When', 'Who', 'What', 'Detail']}
      row={(entry: Document<'audit'>, index) => ({
        key: `${index}`,
        cells: [
          <Time key="t" at={entry.at} />,
          entry.actor,
          entry.action,
          entry.detail === undefined ? '' : <Inline key="d" title="" value={entry.detail} />,
        ],
      })}
    />
  );
}

function Checkpoints({ address, root }: TabProps) {
  return (
    <List
      name="Checkpoints"
      address={address}
      ask={(options) => server().checkpoints(address, options)}
      empty="No checkpoints"
      heads={['Turn, step', 'When', 'Ended with', '']}
      row={(each: Document<'checkpoint'>) => ({
        key: each.checkpointId,
        cells: [
          `${each.turn}, ${each.step}`,
          <Time key="t" at={each.at} />,
          each.finishReason,
          <ForkDialog key="f" {...{ address, isRoot: address === root }} checkpoint={each} says="Fork from here…" />,
        ],
      })}
    />
  );
}

function Files({ address }: TabProps) {
  return (
    <>
      <p>
        <Link href={`${pathOf(address)}/files`}>Upload, read and delete files</Link>
      </p>
      <List
        name="Files"
        address={address}
        ask={(options) => server().files(address, options)}
        empty="No files"
        heads={['Path', 'Size', 'Changed']}
        row={(file: Document<'file'>) => ({
          key: file.path,
          cells: [
            <Link key="p" href={`${pathOf(address)}/files/${encodeURIComponent(file.path)}`}>
              {file.path}
            </Link>,
            `${file.size.toLocaleString()} bytes`,
            <Time key="t" at={file.updatedAt} />,
          ],
        })}
      />
    </>
  );
}

function Schedules({ address }: TabProps) {
  return (
    <List
      name="Schedules"
      address={address}
      ask={(options) => server().schedules(address, options)}
      empty="Nothing scheduled"
      heads={['Due', 'What', 'Agent']}
      row={(due: Document<'due'>, index) => ({
        key: `${index}`,
        cells: [
          <Time key="t" at={due.dueAt} />,
          { timeout: 'run timeout', answer: 'answer deadline', effect: 'a scheduled effect' }[due.kind],
          <Link key="a" href={pathOf(due.address)}>
            {due.address}
          </Link>,
        ],
      })}
    />
  );
}

function State({ address, version }: TabProps & { version: number }) {
  const state = useQuery({
    queryKey: ['state', address, Math.floor(version / AGAIN_MS)],
    queryFn: ({ signal }) => server().state(address, { signal }),
    refetchInterval: AGAIN_MS,
  });
  if (state.error !== null) return <Trouble error={state.error} />;
  if (state.data === undefined) return <p className="muted">Loading…</p>;
  return <JsonView value={state.data.state} />;
}

function Limits({ address }: TabProps) {
  const limits = useQuery({
    queryKey: ['limits', address],
    queryFn: ({ signal }) => server().limits(address, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const usage = useQuery({
    queryKey: ['usage', address],
    queryFn: async ({ signal }) => {
      const [own, all] = await Promise.all([
        server().usage(address, { signal }),
        server().usage(address, { includeSubAgents: true, signal }),
      ]);
      return { own, all };
    },
    refetchInterval: AGAIN_MS,
  });
  const error = limits.error ?? usage.error;
  if (error !== null) return <Trouble error={error} />;
  const spent = ({ total }: Document<'usage'>): string =>
    `${tokens(total).toLocaleString()} tokens, ${total.modelCalls} model calls, ${total.toolCalls} tools, ${cost(total, false)}`;
  const used = limits.data?.used ?? {};
  return (
    <>
      {usage.data !== undefined && (
        <table className="facts spends">
          <tbody>
            <tr>
              <th>This agent</th>
              <td>{spent(usage.data.own)}</td>
            </tr>
            <tr>
              <th>Including sub-agents</th>
              <td>{spent(usage.data.all)}</td>
            </tr>
            {Object.entries(usage.data.own.byModel ?? {}).map(([model, each]) => (
              <tr key={model}>
                <th>{model}</th>
                <td>
                  {tokens(each).toLocaleString()} tokens, {cost(each, false)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <table className="facts">
        <thead>
          <tr>
            <th>Limit</th>
            <th>Used</th>
            <th>Scope</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {Object.entries(limits.data?.limits ?? {}).map(([name, most]) => (
            <tr key={name}>
              <th title={name}>{limitSays(name)}</th>
              <td>{used[name] === undefined ? '' : limitValue(name, used[name])}</td>
              <td>{limitValue(name, most)}</td>
              <td>
                {used[name] !== undefined && (
                  <meter min={0} max={most} high={most * 0.8} value={used[name]} aria-label={limitSays(name)} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Settings settings={limits.data?.settings ?? {}} />
    </>
  );
}

const VIEWS = {
  calls: Calls,
  logs: Logs,
  state: State,
  files: Files,
  checkpoints: Checkpoints,
  audit: Audit,
  limits: Limits,
  schedules: Schedules,
  events: Events,
} satisfies { readonly [Name in Exclude<Tab, 'transcript'>]: unknown };

/** The tab. */
export function Tables({ tab, ...props }: TabProps & { tab: Exclude<Tab, 'transcript'>; version: number }) {
  const View = VIEWS[tab];
  return <View {...props} />;
}
