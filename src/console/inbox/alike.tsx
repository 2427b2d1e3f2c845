/** Calls of one tool, decided one after the other by one word: each was seen to its end, and each has its own request. */
import { useState } from 'react';
import { Link } from 'wouter';
import { type Decision, decide, type Item, keep, useReceipts } from '../data/decisions';
import { useCalls, type Waiting } from '../data/lists';
import { AT } from '../data/place';
import { useForbidden } from '../data/rights';
import { Trouble } from '../parts/trouble';
import { Waits } from '../parts/waits';
import { Deny, Why } from './answers';
import { Asked, Decided, Whole } from './card';
import { useNow } from './expiry';

/** So many are decided at once, at most. */
export const MOST_ALIKE = 20;

interface Sent {
  readonly busy: boolean;
  readonly refused: ReadonlyMap<string, Error>;
  readonly send: (items: readonly Item[], decision: Decision) => void;
}

/** Each on its own: what is refused to one holds up no other. */
function useSent(onDone: () => void): Sent {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ReadonlyMap<string, Error>>(new Map());
  const one = async (item: Item, decision: Decision): Promise<[string, Error][]> => {
    try {
      keep(await decide(item, decision));
      return [];
    } catch (error) {
      return [[item.toolCallId, error instanceof Error ? error : new Error(String(error))]];
    }
  };
  const send = async (items: readonly Item[], decision: Decision) => {
    setBusy(true);
    const failed: [string, Error][] = [];
    for (const item of items) failed.push(...(await one(item, decision)));
    setRefused(new Map(failed));
    setBusy(false);
    onDone();
  };
  return { busy, refused, send: (items, decision) => void send(items, decision) };
}

function One({
  item,
  now,
  problem,
  onSeen,
}: {
  item: Item;
  now: number;
  problem: Error | undefined;
  onSeen: () => void;
}) {
  const receipt = useReceipts().get(item.toolCallId);
  if (receipt !== undefined) return <Decided receipt={receipt} />;
  return (
    <article className="card ask" aria-label={`Waits for you: ${item.toolName}`}>
      <Asked item={item} now={now} />
      <Whole item={item} onUnlocked={onSeen} />
      {problem !== undefined && <Trouble error={problem} />}
    </article>
  );
}

/** A call as it was shown. */
const keyOf = ({ toolCallId, inputHash }: Item): string => `${toolCallId}:${inputHash}`;

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
  const { busy, refused, send } = useSent(onDone);
  const forbidden = useForbidden('answer', those[0]?.address);
  if (calls === undefined) return <Waits />;
  const open = calls.filter(({ toolCallId }) => !receipts.has(toolCallId));
  const unseen = open.filter((item) => !unlocked.has(keyOf(item))).length;
  const unread = unseen === 0 ? undefined : `Read the arguments of all to their end first: ${unseen} to go.`;
  const busyWhy = busy ? 'They are being sent.' : undefined;
  return (
    <div className="alike">
      <h2>
        {open.length} of {tool}
      </h2>
      {calls.map((item) => (
        <One
          key={keyOf(item)}
          item={item}
          now={now}
          problem={refused.get(item.toolCallId)}
          onSeen={() => setUnlocked((before) => new Set([...before, keyOf(item)]))}
        />
      ))}
      <Why says={forbidden ?? (open.length > 0 ? unread : undefined)} />
      {open.length === 0 ? (
        <p>
          All are decided. <Link href={`${AT}/inbox`}>Back to the inbox</Link>
        </p>
      ) : denying ? (
        <Deny
          why={forbidden ?? busyWhy ?? unread}
          onDeny={(reason) => send(open, { kind: 'deny', reason })}
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
            onClick={() => send(open, { kind: 'approve' })}
          >
            Approve {open.length}
          </button>
        </footer>
      )}
    </div>
  );
}
