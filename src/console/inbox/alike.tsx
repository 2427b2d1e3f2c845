/** Calls of one tool, decided one after the other by one word: each was seen to its end, and each has its own request. */
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { Refused } from '../../client';
import { type Decision, decisionKey } from '../../react/decision';
import { callKey, shownKey } from '../data/call-key';
import { decide, type Item, keep, useReceipts } from '../data/decisions';
import { useCalls, type Waiting } from '../data/lists';
import { AT } from '../data/place';
import { usePress } from '../data/press';
import { useForbidden } from '../data/rights';
import { onLostTry, tellOfLostTry } from '../data/session';
import { toast } from '../data/toasts';
import { Trouble } from '../parts/trouble';
import { Unsent } from '../parts/unsent';
import { Waits } from '../parts/waits';
import { Deny, Why } from './answers';
import { Asked, Decided, Whole } from './card';
import { useNow } from './expiry';

/** So many are decided at once, at most. */
export const MOST_ALIKE = 20;

/** How far the last try has come: at which call it is, and whether it is known that its answer has not left this device. */
interface Reached {
  readonly call: string;
  readonly isUnsent: boolean;
}

/**
 * Each on its own: what is refused to one holds up no other. One without an answer holds up those behind it, since they
 * would have none either.
 */
function useSent(items: readonly Item[], onDone: () => void) {
  const [refused, setRefused] = useState<ReadonlyMap<string, Error>>(new Map());
  const [reached, setReached] = useState<Reached>();
  // Answers that may have left this device by any press, by their keys.
  const mayHaveLeft = useRef(new Set<string>());
  const press = usePress({
    what: 'Your answer to the remaining calls',
    ask: async ({ calls, decision }: { calls: readonly string[]; decision: Decision }, { idempotencyKey, signal }) => {
      const problems = new Map<string, Error>();
      setRefused(problems);
      for (const item of items.filter((each) => calls.includes(callKey(each)))) {
        const call = callKey(item);
        const key = decisionKey(item, decision);
        const told = onLostTry(key, (why, wasUnsent) => {
          if (!wasUnsent) mayHaveLeft.current.add(key);
          const isUnsent = !mayHaveLeft.current.has(key);
          setReached({ call, isUnsent });
          tellOfLostTry(idempotencyKey, why, isUnsent);
        });
        try {
          keep(await decide(item, decision, signal));
        } catch (error) {
          if (signal.aborted) mayHaveLeft.current.add(key);
          if (!(error instanceof Refused)) throw error;
          problems.set(call, error);
          setRefused(new Map(problems));
        } finally {
          told();
        }
      }
      return problems;
    },
    onSuccess: (problems, _asked, isLeft) => {
      const to = { says: 'Back to the inbox', path: `${AT}/inbox` };
      if (isLeft && problems.size > 0)
        toast(`${problems.size} ${problems.size === 1 ? 'answer was' : 'answers were'} refused.`, { wrong: true, to });
    },
    onSettled: onDone,
  });
  const send = (decision: Decision) => press.press({ calls: items.map(callKey), decision });
  // What was held up by one without an answer is marked until it is pressed anew, or goes on by itself.
  const isHeldUp = press.lost !== undefined || press.error !== null;
  const at = isHeldUp ? items.findIndex((item) => callKey(item) === reached?.call) : -1;
  const markOf = (item: Item): string | undefined => {
    const own = items.findIndex((each) => callKey(each) === callKey(item));
    if (at < 0 || own < at || refused.has(callKey(item))) return undefined;
    return own > at || reached?.isUnsent ? 'Not sent yet.' : 'Not confirmed yet.';
  };
  return { press, refused, markOf, send };
}

function One({
  item,
  now,
  problem,
  mark,
  onSeen,
}: {
  item: Item;
  now: number;
  problem: Error | undefined;
  /** What became of its answer, where others held it up. */
  mark: string | undefined;
  onSeen: () => void;
}) {
  const receipt = useReceipts().get(callKey(item));
  if (receipt !== undefined) return <Decided receipt={receipt} />;
  return (
    <article className="card ask" aria-label={`Waiting for you: ${item.toolName}`}>
      <Asked item={item} now={now} />
      <Whole item={item} onUnlocked={onSeen} />
      {problem !== undefined && <Trouble error={problem} />}
      {mark !== undefined && <p className="warning">{mark}</p>}
    </article>
  );
}

/** The view of them. Which they are is settled when it is opened: none joins unseen. */
export function Alike({ tool, waiting, onDone }: { tool: string; waiting: readonly Waiting[]; onDone: () => void }) {
  const now = useNow();
  const [those] = useState(() =>
    waiting.filter(({ toolName, kind }) => toolName === tool && kind === 'approval').slice(0, MOST_ALIKE),
  );
  const calls = useCalls(those);
  const receipts = useReceipts();
  const [denying, setDenying] = useState(false);
  const [unlocked, setUnlocked] = useState<ReadonlySet<string>>(new Set());
  const forbidden = useForbidden('answer', those[0]?.address);
  const open = calls?.filter((item) => !receipts.has(callKey(item))) ?? [];
  const { press, refused, markOf, send } = useSent(open, onDone);
  if (calls === undefined) return <Waits />;
  const unseen = open.filter((item) => !unlocked.has(shownKey(item))).length;
  const unread = unseen === 0 ? undefined : `Scroll to the end of each call's arguments first: ${unseen} left.`;
  const busyWhy = press.isBusy ? 'Sending…' : undefined;
  return (
    <div className="alike">
      <h2>
        {open.length} of {tool}
      </h2>
      {calls.map((item) => (
        <One
          key={shownKey(item)}
          item={item}
          now={now}
          problem={refused.get(callKey(item))}
          mark={markOf(item)}
          onSeen={() => setUnlocked((before) => new Set([...before, shownKey(item)]))}
        />
      ))}
      <Unsent press={press} />
      <Why says={forbidden ?? (open.length > 0 ? unread : undefined)} />
      {open.length === 0 ? (
        <p>
          All calls are answered. <Link href={`${AT}/inbox`}>Back to the inbox</Link>
        </p>
      ) : denying ? (
        <Deny
          why={forbidden ?? busyWhy ?? unread}
          onDeny={(reason) => send({ kind: 'deny', reason })}
          onBack={() => setDenying(false)}
        />
      ) : (
        <footer>
          <button
            type="button"
            disabled={(forbidden ?? busyWhy ?? unread) !== undefined}
            onClick={() => setDenying(true)}
          >
            Deny {open.length}…
          </button>
          <button
            type="button"
            className="primary"
            disabled={(forbidden ?? busyWhy ?? unread) !== undefined}
            onClick={() => send({ kind: 'approve' })}
          >
            Approve {open.length}
          </button>
        </footer>
      )}
    </div>
  );
}
