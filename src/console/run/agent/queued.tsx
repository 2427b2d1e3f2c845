/** Messages that no step of the agent has seen: each can be taken back until one has. */
import { useQuery } from '@tanstack/react-query';
import type { AgentView, Client, Document } from '../../../client';
import { textOf } from '../../../react/transcript-items';
import { usePress } from '../../data/press';
import { useForbidden } from '../../data/rights';
import { server } from '../../data/session';
import { Unsent } from '../../parts/unsent';

/** Of a message that the transcript has not told yet. */
const UNKNOWN = { title: 'Checking whether it can be cancelled…' };
/** Messages of the transcript in one page, and how many pages are looked through for what the messages say. */
const PAGE = 100;
const PAGES = 10;

/** Messages as the transcript has them, by their ids: the stream tells what they say only once a step has seen them. */
async function toldIn(client: Client, address: string, ids: readonly string[], signal: AbortSignal) {
  const found = new Map<string, Document<'message'>>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES && found.size < ids.length; page++) {
    const told = await client.messages(address, { limit: PAGE, signal, ...(cursor === undefined ? {} : { cursor }) });
    for (const one of told.items)
      if (one.messageId !== undefined && ids.includes(one.messageId)) found.set(one.messageId, one);
    cursor = told.cursor;
    if (cursor === undefined) break;
  }
  return found;
}

interface OneProps {
  readonly address: string;
  readonly messageId: string;
  readonly from: string;
  readonly told: Document<'message'> | undefined;
  readonly forbidden: string | undefined;
}

function One({ address, messageId, from, told, forbidden }: OneProps) {
  const cancel = usePress({
    what: 'Cancelling the message',
    address,
    ask: (id: string, sending) => server().cancelMessage(address, id, sending),
  });
  const control = told?.controls?.cancelMessage ?? UNKNOWN;
  const against = forbidden ?? (control === true ? undefined : control.title);
  return (
    <li>
      <span className="queued-text">{told === undefined ? `A message from ${from}` : textOf(told.content)}</span>
      <button
        type="button"
        disabled={against !== undefined || cancel.isBusy || cancel.isSuccess}
        title={against}
        onClick={() => cancel.press(messageId)}
      >
        Cancel
      </button>
      <Unsent press={cancel} />
    </li>
  );
}

/** The list; nothing where no message waits. */
export function Queued({ agent: { address, messages } }: { readonly agent: AgentView }) {
  const forbidden = useForbidden('write', address);
  const queued = messages.filter(({ status }) => status === 'queued');
  const ids = queued.map(({ messageId }) => messageId);
  const told = useQuery({
    queryKey: ['queued', address, ...ids],
    queryFn: ({ signal }) => toldIn(server(), address, ids, signal),
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  });
  if (queued.length === 0) return null;
  return (
    <ul className="queued" aria-label="Queued messages">
      {queued.map(({ messageId, from }) => (
        <One key={messageId} {...{ address, messageId, from, forbidden }} told={told.data?.get(messageId)} />
      ))}
    </ul>
  );
}
