/** Inbox: decide safely. */
import { Link } from 'wouter';
import { usePending } from '../data/lists';
import { AT, nameOf, pathOf } from '../data/place';
import { Time } from '../parts/time';
import { Card, receiptOf } from './card';

/** The view: all calls that wait, and one of them whole. */
export function Inbox({ selected }: { selected: string | undefined }) {
  const pending = usePending();
  const items = pending.data ?? [];
  const shown =
    items.find(({ toolCallId }) => toolCallId === selected) ?? (selected === undefined ? items[0] : undefined);
  const again = () => void pending.refetch();
  return (
    <main className="page inbox">
      <div className="inbox-list">
        <h1>
          {items.length === 0
            ? 'Nothing waits for you'
            : `${items.length} ${items.length === 1 ? 'waits' : 'wait'} for you`}
        </h1>
        <ul>
          {items.map(({ toolCallId, toolName, address, requestedAt }) => (
            <li key={toolCallId}>
              <Link
                href={`${AT}/inbox/${encodeURIComponent(toolCallId)}`}
                replace
                aria-current={toolCallId === shown?.toolCallId}
              >
                <strong>{toolName}</strong>
                <span className="muted">
                  {nameOf(address)}, <Time at={requestedAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
      <div className="inbox-one">
        {shown !== undefined && (
          <>
            <Card key={`${shown.toolCallId}:${shown.inputHash}`} item={shown} onDone={again} />
            <p>
              <Link href={pathOf(shown.address)}>Open its agent</Link>
            </p>
          </>
        )}
        {shown === undefined && selected !== undefined && pending.isSuccess && (
          <p role="status">{receiptOf(selected) ?? 'This call does not wait any more, or never did.'}</p>
        )}
      </div>
    </main>
  );
}
