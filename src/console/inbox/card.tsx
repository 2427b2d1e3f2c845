/**
 * A call that waits for a person. Nothing is decided blind: the buttons stand below all of the arguments, open only when
 * their end was on screen, and a moment after the card came or changed; the hash of what was shown goes along.
 */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Document, Refused } from '../../client';
import { nameOf, rootOf } from '../data/place';
import { server } from '../data/session';
import { JsonView } from '../parts/json';
import { Markdown } from '../parts/markdown';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';
import { clock, isDeceptive, span } from '../parts/words';

type Item = Document<'pendingItem'>;

/** How long a card stands before it takes an answer, in ms: a key or a click that was on its way decides nothing. */
const SETTLE_MS = 600;

/** Receipts of this page: no older status opens their calls again. */
const receipts = new Map<string, string>();

/** What was decided here about a call. */
export const receiptOf = (toolCallId: string): string | undefined => receipts.get(toolCallId);

/** Whether the end of the arguments was seen, and the card has stood for a moment. */
function useSeen(hash: string) {
  const end = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState('');
  const [settled, setSettled] = useState('');
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
  }, [hash]);
  return { end, onFocus: () => setSeen(hash), unlocked: seen === hash && settled === hash };
}

function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Expiry({ at }: { at: number | undefined }) {
  const now = useNow();
  if (at === undefined) return <>no expiry</>;
  const left = at - now;
  if (left <= 0) return <strong>expired: counts as denied</strong>;
  return <>expires in {left > 600_000 ? `${Math.ceil(left / 60_000)}m` : span(left)}</>;
}

/** The longest text among the arguments, where one is worth reading as a text. */
function readableOf({ input }: Item): string | undefined {
  if (input === null || typeof input !== 'object') return undefined;
  const texts = Object.values(input).filter((value) => typeof value === 'string' && value.includes('\n'));
  return texts.length === 1 ? String(texts[0]) : undefined;
}

function Arguments({ item }: { item: Item }) {
  const deceptive = isDeceptive(JSON.stringify(item.input)) || hasHidden(item.input);
  const readable = deceptive ? undefined : readableOf(item);
  const [read, setRead] = useState(false);
  return (
    <div className="arguments">
      {deceptive && (
        <p className="warning" role="alert">
          These arguments have characters that hide or turn text. They are written out below as \u{'{…}'}.
        </p>
      )}
      {readable !== undefined && (
        <p>
          <button type="button" aria-pressed={read} onClick={() => setRead(!read)}>
            Read the text
          </button>
        </p>
      )}
      {read && readable !== undefined && <Markdown text={readable} />}
      {/* Also below what is read: the end of the arguments is that of all of them. */}
      <JsonView value={item.input} whole />
    </div>
  );
}

/** JSON writes controls as escapes, so that they are looked for in the texts themselves. */
function hasHidden(value: unknown): boolean {
  if (typeof value === 'string') return isDeceptive(value);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, each]) => isDeceptive(name) || hasHidden(each));
}

interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
}

function useDecision(item: Item, onDone: () => void) {
  return useMutation({
    retry: false,
    mutationFn: async ({ approved, reason }: Decision) => {
      const { toolCallId, inputHash, address } = item;
      const body = {
        kind: 'approval-response',
        toolCallId,
        approved,
        inputHash,
        ...(reason ? { reason } : {}),
      } as const;
      // The same key for the same decision: what failed on its way counts once when it is sent again.
      await server().answer(address, body, { idempotencyKey: `${toolCallId}.${approved ? 'approve' : 'deny'}` });
      receipts.set(toolCallId, `${approved ? 'Approved' : 'Denied'} by you at ${clock(Date.now())}.`);
    },
    onError: (error) => {
      if (error instanceof Refused && error.code === 'already_answered')
        receipts.set(item.toolCallId, `Already answered. ${error.detail || error.title}`);
    },
    onSettled: onDone,
  });
}

/** The card. */
export function Card({ item, onDone }: { item: Item; onDone: () => void }) {
  const { end, onFocus, unlocked } = useSeen(`${item.toolCallId}:${item.inputHash}`);
  const now = useNow();
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const decide = useDecision(item, onDone);
  const receipt = receiptOf(item.toolCallId);
  const expired = item.expiresAt !== undefined && item.expiresAt <= now;
  if (receipt !== undefined)
    return (
      <article className="card" aria-label={`Answered: ${item.toolName}`}>
        <p role="status">{receipt}</p>
      </article>
    );
  const locked = decide.isPending || expired;
  return (
    <article className="card ask" aria-label={`Waits for you: ${item.toolName}`}>
      <header>
        <h3>
          {item.toolName} <span className="badge tone-ask">{item.kind === 'approval' ? 'APPROVAL' : 'RESULT'}</span>
        </h3>
        <p className="muted">
          {item.agentType} <code>{nameOf(item.address)}</code>
          {item.address === rootOf(item.address) ? '' : ` in ${nameOf(rootOf(item.address))}`}, asked{' '}
          <Time at={item.requestedAt} />, <Expiry at={item.expiresAt} />, sha <code>{item.inputHash.slice(0, 8)}</code>
        </p>
      </header>
      <Arguments item={item} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse says by the focus that the end was read */}
      <div ref={end} className="end" role="note" tabIndex={0} onFocus={onFocus}>
        end of arguments
      </div>
      {decide.error !== null && <Trouble error={decide.error} />}
      {item.kind === 'approval' ? (
        <footer>
          {denying && (
            <label>
              Reason (the agent reads this)
              <input value={reason} maxLength={1_000} onChange={(event) => setReason(event.target.value)} />
            </label>
          )}
          <button
            type="button"
            disabled={locked}
            onClick={() => (denying ? decide.mutate({ approved: false, reason }) : setDenying(true))}
          >
            {denying ? 'Deny' : 'Deny…'}
          </button>
          {denying && (
            <button type="button" onClick={() => setDenying(false)}>
              Back
            </button>
          )}
          <button
            type="button"
            className="primary"
            disabled={locked || !unlocked || denying}
            title={unlocked ? undefined : 'Read the arguments to their end first.'}
            onClick={() => decide.mutate({ approved: true })}
          >
            Approve
          </button>
        </footer>
      ) : (
        <ClientResult item={item} locked={locked} onDone={onDone} />
      )}
    </article>
  );
}

/** What a tool of the client is answered with, as JSON. */
function ClientResult({ item, locked, onDone }: { item: Item; locked: boolean; onDone: () => void }) {
  const [text, setText] = useState('{}');
  const send = useMutation({
    retry: false,
    mutationFn: async () => {
      const { toolCallId, address } = item;
      const body = { kind: 'client-tool-result', toolCallId, result: JSON.parse(text) } as const;
      await server().answer(address, body);
      receipts.set(toolCallId, `Answered by you at ${clock(Date.now())}.`);
    },
    onSettled: onDone,
  });
  return (
    <footer>
      <label className="grows">
        Result as JSON
        <textarea rows={4} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      {send.error !== null && <Trouble error={send.error} />}
      <button type="button" className="primary" disabled={locked || send.isPending} onClick={() => send.mutate()}>
        Send result
      </button>
    </footer>
  );
}
