/** Messages that no step of the agent has seen: each can be taken back until one has. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { AgentView, Client } from '../../client';
import { useForbidden } from '../data/rights';
import { server } from '../data/session';
import { Trouble } from '../parts/trouble';
import { textOf } from './items';

/** Messages of the transcript in one page, and how many pages are looked through for what the messages say. */
const PAGE = 100;
const PAGES = 10;

/** What messages say, by their ids: the stream tells that only once a step has seen them. */
async function saidIn(client: Client, address: string, ids: readonly string[], signal: AbortSignal) {
  const said = new Map<string, string>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES && said.size < ids.length; page++) {
    const told = await client.messages(address, { limit: PAGE, signal, ...(cursor === undefined ? {} : { cursor }) });
    for (const { messageId, content } of told.items)
      if (messageId !== undefined && ids.includes(messageId)) said.set(messageId, textOf(content));
    cursor = told.cursor;
    if (cursor === undefined) break;
  }
  return said;
}

interface OneProps {
  readonly address: string;
  readonly messageId: string;
  readonly from: string;
  readonly text: string | undefined;
  readonly forbidden: string | undefined;
}

function One({ address, messageId, from, text, forbidden }: OneProps) {
  const cancel = useMutation({ retry: false, mutationFn: () => server().cancelMessage(address, messageId) });
  // What others than a caller have written is not a person's to take back.
  const against = from === 'caller' ? forbidden : `It is of "${from}": only what a caller has sent is taken back.`;
  return (
    <li>
      <span className="queued-text">{text ?? `A message from ${from}`}</span>
      <button
        type="button"
        disabled={against !== undefined || cancel.isPending || cancel.isSuccess}
        title={against}
        onClick={() => cancel.mutate()}
      >
        Take back
      </button>
      {cancel.error !== null && <Trouble error={cancel.error} />}
    </li>
  );
}

/** The list; nothing where no message waits. */
export function Queued({ agent: { address, messages } }: { readonly agent: AgentView }) {
  const forbidden = useForbidden('write', address);
  const queued = messages.filter(({ status }) => status === 'queued');
  const ids = queued.map(({ messageId }) => messageId);
  const said = useQuery({
    queryKey: ['queued', address, ...ids],
    queryFn: ({ signal }) => saidIn(server(), address, ids, signal),
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  });
  if (queued.length === 0) return null;
  return (
    <ul className="queued" aria-label="Messages that wait for the next step">
      {queued.map(({ messageId, from }) => (
        <One key={messageId} {...{ address, messageId, from, forbidden }} text={said.data?.get(messageId)} />
      ))}
    </ul>
  );
}
