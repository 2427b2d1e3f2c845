/** Inbox: decide safely. */
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { type Called, callKey, callNamed, callPath, shownKey } from '../data/call-key';
import { type Receipt, useReceipts } from '../data/decisions';
import { useCall, usePending, type Waiting } from '../data/lists';
import { pathSaid } from '../data/names';
import { AT, pathOf } from '../data/place';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';
import { Waits } from '../parts/waits';
import { escaped } from '../parts/words';
import { Alike, MOST_ALIKE } from './alike';
import { Card, Decided, receiptPath } from './card';
import { leftOf, useNow } from './expiry';

const INBOX = `${AT}/inbox`;

/** What the page's address asks for. */
interface Asked {
  readonly kind: string;
  readonly tool: string;
  /** The tool whose calls are decided together. */
  readonly alike: string;
  /** Where the call is that is shown, where the list need not have it. */
  readonly at: string;
}

function useAsked(): Asked {
  const query = new URLSearchParams(useSearch());
  const of = (name: keyof Asked) => query.get(name) ?? '';
  return { kind: of('kind'), tool: of('tool'), alike: of('alike'), at: of('at') };
}

function addressOf(path: string, asked: Partial<Asked>): string {
  const given = Object.entries(asked).filter(([, value]) => value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

function Filters({ items, asked }: { items: readonly Waiting[]; asked: Asked }) {
  const [path, go] = useLocation();
  const tools = [...new Set([...items.map(({ toolName }) => toolName), ...(asked.tool === '' ? [] : [asked.tool])])];
  const set = (change: Partial<Asked>) => go(addressOf(path, { ...asked, alike: '', ...change }), { replace: true });
  return (
    <div className="filters">
      <select aria-label="Kind" value={asked.kind} onChange={(event) => set({ kind: event.target.value })}>
        <option value="">All kinds</option>
        <option value="approval">Approvals</option>
        <option value="client-tool">Results</option>
      </select>
      <select aria-label="Tool" value={asked.tool} onChange={(event) => set({ tool: event.target.value })}>
        <option value="">All tools</option>
        {tools.map((tool) => (
          <option key={tool}>{tool}</option>
        ))}
      </select>
    </div>
  );
}

/** The path of a call, with the filters that it was chosen by. */
const wayTo = (item: Waiting, { kind, tool }: Asked): string => callPath(item, { kind, tool });

function Row({
  item,
  asked,
  shown,
  now,
  onChoose,
}: Omit<Listed, 'items' | 'shown'> & { item: Waiting; shown: boolean; now: number }) {
  const { toolName, address, requestedAt, expiresAt, preview = '' } = item;
  return (
    <li>
      <Link href={wayTo(item, asked)} replace aria-current={shown} onClick={onChoose}>
        <span className="row-line">
          <strong>{toolName}</strong>
          <span className="muted">
            {expiresAt !== undefined && `${leftOf(expiresAt, now)} left, `}
            <Time at={requestedAt} />
          </span>
        </span>
        <span className="asks" title={escaped(preview)}>
          {escaped(preview)}
        </span>
        <span className="muted">{pathSaid(address)}</span>
      </Link>
    </li>
  );
}

/** Those that were there when the view was opened, and what has come since: it stands below, and moves nothing. */
function useKnown(
  items: readonly Waiting[] | undefined,
): readonly [known: Waiting[], fresh: Waiting[], look: () => void] {
  const [known, setKnown] = useState<ReadonlySet<string>>();
  const keys = items?.map(callKey);
  if (known === undefined && keys !== undefined) setKnown(new Set(keys));
  const all = items ?? [];
  const isKnown = (item: Waiting) => known?.has(callKey(item)) ?? true;
  return [all.filter(isKnown), all.filter((item) => !isKnown(item)), () => setKnown(new Set(keys))];
}

interface Listed {
  readonly items: readonly Waiting[];
  readonly asked: Asked;
  readonly shown: string | undefined;
  readonly onChoose: () => void;
}

/** Tools of which several wait. */
function Alikes({ items, asked }: Pick<Listed, 'items' | 'asked'>) {
  const counts = new Map<string, number>();
  for (const { toolName, kind } of items)
    if (kind === 'approval') counts.set(toolName, (counts.get(toolName) ?? 0) + 1);
  const several = [...counts].filter(([, count]) => count > 1);
  return several.map(([toolName, count]) => (
    <p key={toolName}>
      <Link href={addressOf(INBOX, { ...asked, at: '', alike: toolName })} className="button">
        Review {Math.min(count, MOST_ALIKE)} of {toolName}
      </Link>
    </p>
  ));
}

function List({ items, asked, shown, onChoose }: Listed) {
  const now = useNow();
  const [known, fresh, look] = useKnown(items);
  const rows = (some: readonly Waiting[]) =>
    some.map((item) => (
      <Row
        key={callKey(item)}
        item={item}
        asked={asked}
        shown={callKey(item) === shown}
        now={now}
        onChoose={onChoose}
      />
    ));
  return (
    <>
      <ul>{rows(known)}</ul>
      {fresh.length > 0 && (
        <>
          <button type="button" className="pill" onClick={look}>
            {fresh.length} new
          </button>
          <ul aria-label="New">{rows(fresh)}</ul>
        </>
      )}
    </>
  );
}

interface OneProps {
  readonly waiting: Called;
  /** Of those that still wait, the first other one. */
  readonly next: Waiting | undefined;
  readonly asked: Asked;
  readonly chosen: RefObject<boolean>;
  readonly onDone: () => void;
  readonly onChoose: () => void;
}

/** One call, whole; the receipt once it is decided. */
function One({ waiting, next, asked, chosen, onDone, onChoose }: OneProps) {
  const call = useCall(waiting);
  const receipt = useReceipts().get(callKey(waiting));
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const card = box.current?.querySelector<HTMLElement>('article');
    if (!chosen.current || !card) return;
    chosen.current = false;
    card.focus();
  });
  if (receipt !== undefined)
    return (
      <Decided
        receipt={receipt}
        next={
          next !== undefined && (
            <Link href={wayTo(next, asked)} replace onClick={onChoose}>
              Next pending call: {next.toolName}
            </Link>
          )
        }
      />
    );
  if (call.data === undefined && call.error !== null)
    return <Trouble error={call.error} onRetry={() => void call.refetch()} />;
  if (call.data === undefined) return <Waits />;
  if (call.data === null) return <p role="status">This call is not pending.</p>;
  return (
    <div ref={box}>
      <Card key={shownKey(call.data)} item={call.data} onDone={onDone} />
      <p>
        <Link href={pathOf(waiting.address)}>Open the agent</Link>
      </p>
    </div>
  );
}

function Past({ receipts }: { receipts: readonly Receipt[] }) {
  if (receipts.length === 0) return null;
  return (
    <details className="past">
      <summary>Recently answered: {receipts.length}</summary>
      <ul>
        {receipts.map((receipt) => (
          <li key={callKey(receipt)} className="muted">
            <Link href={receiptPath(receipt)}>
              {receipt.toolName} of {pathSaid(receipt.address)}:
            </Link>{' '}
            {receipt.says} by {receipt.who}, <Time at={receipt.at} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Keeps the focus in the list for a person who uses keys, also once the row that had it is gone. */
function useFirstFocus(items: readonly Waiting[]) {
  const list = useRef<HTMLDivElement>(null);
  const had = useRef(true);
  const rows = items.map(callKey).join(' ');
  useEffect(() => {
    const isFree = document.activeElement === document.body;
    if (rows !== '' && had.current && isFree) list.current?.querySelector<HTMLElement>('li a')?.focus();
  }, [rows]);
  // Before the rows are loaded, nothing in the list can have it.
  useEffect(() => {
    if (rows !== '') had.current = list.current?.contains(document.activeElement) ?? false;
  });
  return list;
}

/** The view: all calls that wait, and one of them whole. */
export function Inbox({ selected }: { selected: string | undefined }) {
  const asked = useAsked();
  const queries = useQueryClient();
  const pending = usePending();
  const receipts = useReceipts();
  // Whoever chooses a row goes on in its card.
  const chosen = useRef(false);
  const [choices, setChoices] = useState(0);
  const onChoose = () => {
    chosen.current = true;
    setChoices(choices + 1);
  };
  const all = (pending.data ?? []).filter((item) => !receipts.has(callKey(item)));
  const items = all.filter(
    ({ kind, toolName }) =>
      (asked.kind === '' || kind === asked.kind) && (asked.tool === '' || toolName === asked.tool),
  );
  const list = useFirstFocus(items);
  const [first] = items;
  const found = callNamed(pending.data ?? [], selected, asked.at);
  const linked = selected !== undefined && asked.at !== '' ? { toolCallId: selected, address: asked.at } : undefined;
  // What was decided stays until another one is chosen.
  const shown = selected === undefined ? first : (found ?? linked);
  const place = items.findIndex((item) => shown !== undefined && callKey(item) === callKey(shown));
  const again = () => {
    void pending.refetch();
    void queries.invalidateQueries({ queryKey: ['call'] });
  };
  return (
    <main className={`page inbox ${selected === undefined && asked.alike === '' ? 'at-list' : 'at-one'}`}>
      <div className="inbox-list" ref={list}>
        <h1>
          {pending.data === undefined
            ? 'Inbox'
            : items.length === 0
              ? 'No pending calls'
              : `${items.length} ${items.length === 1 ? 'waits' : 'wait'} for you`}
        </h1>
        <Filters items={all} asked={asked} />
        {pending.error !== null && <Trouble error={pending.error} onRetry={again} />}
        <Alikes items={items} asked={asked} />
        {pending.data !== undefined && (
          <List items={items} asked={asked} shown={shown && callKey(shown)} onChoose={onChoose} />
        )}
        <Past receipts={[...receipts.values()]} />
      </div>
      <div className="inbox-one">
        <Link href={addressOf(INBOX, { kind: asked.kind, tool: asked.tool })} className="back-to-list">
          ‹ {place < 0 ? 'Inbox' : `${place + 1} of ${items.length} pending`}
        </Link>
        {asked.alike !== '' && pending.data !== undefined ? (
          <Alike key={asked.alike} tool={asked.alike} waiting={all} onDone={again} />
        ) : shown !== undefined ? (
          <One
            key={callKey(shown)}
            waiting={shown}
            next={items.find((item) => callKey(item) !== callKey(shown))}
            {...{ asked, chosen, onChoose }}
            onDone={again}
          />
        ) : (
          selected !== undefined && pending.isSuccess && <p role="status">This call is not pending.</p>
        )}
      </div>
    </main>
  );
}
