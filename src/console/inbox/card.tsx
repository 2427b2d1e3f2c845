/**
 * A call that waits for a person. Nothing is decided blind: the buttons stand below all of the arguments, open only when
 * their end was on screen, and a moment after the card came or changed; the hash of what was shown goes along.
 */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { beginningOf } from '../../protocol/content/cut';
import { inWords, objectIn } from '../../protocol/shown/in-words';
import { textOf } from '../../react/transcript-items';
import { callKey, shownKey } from '../data/call-key';
import { type Item, type Receipt, useReceipts } from '../data/decisions';
import { useTool } from '../data/lists';
import { pathSaid } from '../data/names';
import { pathOf } from '../data/place';
import { server } from '../data/session';
import { inPlainWords } from '../parts/refusals';
import { Time } from '../parts/time';
import { escaped } from '../parts/words';
import { Approval, ClientResult } from './answers';
import { Arguments } from './arguments';
import { Expiry, useNow } from './expiry';

/** How long a card stands before it takes an answer, in ms: a key or a click that was on its way decides nothing. */
const SETTLE_MS = 600;
/** Of a task, as much is told, in characters. */
const TASK_PART = 400;
const MISFIT = "The arguments no longer match the tool's schema. Edit them, or deny the call.";

/** Whether the end of the arguments was seen, and the card has stood for a moment. */
function useSeen(item: Item, end: RefObject<HTMLElement | null>) {
  const hash = shownKey(item);
  const [seen, setSeen] = useState('');
  const [settled, setSettled] = useState('');
  const onSeen = () => setSeen(hash);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(hash), SETTLE_MS);
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(hash);
    });
    if (end.current !== null) watcher.observe(end.current);
    return () => {
      clearTimeout(timer);
      watcher.disconnect();
    };
  }, [hash, end]);
  return { onSeen, unlocked: seen === hash && settled === hash };
}

/** What the tool does, in the words by which its agent knows it. */
function Does({ item }: { item: Item }) {
  const { description } = useTool(item);
  if (description === undefined || description === '') return null;
  return (
    <p className="task">
      <span className="muted">The tool: </span>
      {escaped(description)}
    </p>
  );
}

/** The arguments that no longer match the tool, where a new version has changed that. */
function Misfits({ of: { invalidFields = [] } }: { of: Item }) {
  if (invalidFields.length === 0) return null;
  return (
    <div className="warning" role="note">
      {MISFIT}
      <ul>
        {invalidFields.map(({ path, message }) => (
          <li key={path}>
            {path !== '' && <code>{escaped(path)}</code>} {escaped(inPlainWords(message))}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface WholeOf {
  readonly item: Item;
  readonly onUnlocked?: () => void;
  readonly children?: (unlocked: boolean) => ReactNode;
}

/** The arguments with their end; whoever has no mouse says by the focus that they were read. */
export function Whole({ item, onUnlocked, children }: WholeOf) {
  const end = useRef<HTMLDivElement>(null);
  const { onSeen, unlocked } = useSeen(item, end);
  const tell = useEffectEvent(() => onUnlocked?.());
  useEffect(() => {
    if (unlocked) tell();
  }, [unlocked]);
  return (
    <>
      <Does item={item} />
      <Arguments input={item.input} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus says that the end was read */}
      <div ref={end} className="end" role="note" tabIndex={0} onFocus={onSeen}>
        end of arguments
      </div>
      <Misfits of={item} />
      {children?.(unlocked)}
    </>
  );
}

/** What the agent was asked to do when it made the call. */
function Task({ address }: { address: string }) {
  const first = useQuery({
    queryKey: ['task', address],
    queryFn: ({ signal }) => server().messages(address, { limit: 1, signal }),
    staleTime: 60_000,
  });
  const content = first.data?.items[0]?.content;
  if (content === undefined) return null;
  const told = typeof content === 'string' ? objectIn(content) : undefined;
  const text = told !== undefined ? inWords(told) : textOf(content);
  return (
    <p className="task">
      <span className="muted">Its task: </span>
      {escaped(beginningOf(text, TASK_PART))}
      {text.length > TASK_PART && '…'}
    </p>
  );
}

/** Who asks, from the root down, when, and until when. */
export function Asked({ item, now }: { item: Item; now: number }) {
  return (
    <header>
      <h3>
        {item.toolName} <span className="badge tone-ask">{item.kind === 'approval' ? 'APPROVAL' : 'RESULT'}</span>
      </h3>
      <p className="muted">
        <span className="agent-path">{pathSaid(item.address)}</span>, asked <Time at={item.requestedAt} />,{' '}
        <Expiry at={item.expiresAt} now={now} />, sha <code>{item.inputHash.slice(0, 8)}</code>
      </p>
    </header>
  );
}

/** Where the call of a receipt is to be seen: at its agent. */
export const receiptPath = ({ address, toolCallId }: Receipt): string =>
  `${pathOf(address)}?${new URLSearchParams({ call: toolCallId })}`;

/** What was decided, in place of the card. `next`: the way to what waits now. */
export function Decided({ receipt, next }: { receipt: Receipt; next?: ReactNode }) {
  const { toolName, address, says, who, at, reason, elsewhere } = receipt;
  return (
    <article className="card" aria-label={`Answered: ${toolName}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the buttons that had the focus are gone */}
      <p role="status" tabIndex={0} ref={(node) => focusLost(node)}>
        <span className="agent-path">
          {toolName} of {pathSaid(address)}:
        </span>{' '}
        {elsewhere && 'Already answered. '}
        <strong>{says}</strong> by {who}, <Time at={at} />.{reason !== undefined && ` Reason: ${reason}`}
      </p>
      <p className="ways">
        <Link href={receiptPath(receipt)}>Open the agent</Link>
        {next}
      </p>
    </article>
  );
}

/** The focus goes where its element was, and nowhere that somebody has gone to meanwhile. */
function focusLost(node: HTMLElement | null): void {
  if (document.activeElement === document.body) node?.focus();
}

/** The card. `onDone` is told of each answer, also of one that was refused. */
export function Card({ item, onDone }: { item: Item; onDone: () => void }) {
  const now = useNow();
  const receipt = useReceipts().get(callKey(item));
  if (receipt !== undefined) return <Decided receipt={receipt} />;
  const expired = item.expiresAt !== undefined && item.expiresAt <= now;
  return (
    <article className="card ask" tabIndex={-1} aria-label={`Waiting for you: ${item.toolName}`}>
      <Asked item={item} now={now} />
      <Task address={item.address} />
      <Whole item={item}>
        {(unlocked) =>
          item.kind === 'approval' ? (
            <Approval item={item} unlocked={unlocked} expired={expired} onDone={onDone} />
          ) : (
            <ClientResult item={item} expired={expired} onDone={onDone} />
          )
        }
      </Whole>
    </article>
  );
}
