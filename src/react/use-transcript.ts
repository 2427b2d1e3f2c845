/**
 * The transcript of a run, item by item.
 *
 * RH7. Items keep their ids while they grow; the messages that started turns are read from the server once for each run.
 */
import { useEffect, useMemo, useState } from 'react';
import type { Client } from '../client/client';
import { type AgentView, findAgent } from '../protocol/view';
import { useClient } from './client-context';
import { additionsOf, itemsOf, type TranscriptItem, type TranscriptMessage } from './transcript-items';
import { type RunOptions, useSnapshot } from './use-run';

/** Messages of the server's transcript that are kept: its newest. */
const MAX_MESSAGES = 2_000;
const PAGE = 500;

/** A transcript, and whether more of it is on its way. */
export interface UsedTranscript {
  readonly items: readonly TranscriptItem[];
  /** True while the server's messages are read. */
  readonly isLoading: boolean;
  /** Why they could not be read. */
  readonly error: Error | undefined;
}

interface Read {
  readonly of: string;
  readonly messages: readonly TranscriptMessage[];
  readonly error: Error | undefined;
}

const NONE: readonly TranscriptMessage[] = [];

/**
 * The transcript of an agent, the oldest item first: questions, texts, thinking, calls with their results, messages, ends.
 * @param agentId of an agent below; default: the one at the address
 * @example
 * const { items } = useTranscript('/agents/planner/one');
 * items.map((item) => (item.kind === 'text' ? <p key={item.id}>{item.text}</p> : null));
 */
export function useTranscript(address: string, options: RunOptions & { agentId?: string } = {}): UsedTranscript {
  const client = useClient(options.client);
  const { view, agent: own } = useSnapshot(address, options).snapshot;
  const agent = options.agentId === undefined ? own : findAgent(view, options.agentId);
  const read = useMessages(client, agent);
  const items = useMemo(() => {
    if (agent === undefined) return [];
    return itemsOf(agent, additionsOf(agent, read?.messages ?? NONE, isCut(agent)), undefined);
  }, [agent, read]);
  return { items, isLoading: agent !== undefined && read === undefined, error: read?.error };
}

/** True where the log does not reach back to the agent's first run. */
const isCut = ({ runs }: AgentView): boolean => (runs[0]?.turn ?? 1) === 0;

function useMessages(client: Client, agent: AgentView | undefined): Read | undefined {
  const [read, setRead] = useState<Read>();
  const address = agent?.address;
  const of = `${address} ${agent?.runs.length}`;
  useEffect(() => {
    if (address === undefined) return undefined;
    const unmounting = new AbortController();
    const { signal } = unmounting;
    messagesOf(client, address, signal)
      .then((messages) => ({ of, messages, error: undefined }))
      .catch((error: Error) => ({ of, messages: NONE, error }))
      .then((next) => {
        if (!signal.aborted) setRead(next);
      });
    return () => unmounting.abort();
  }, [client, address, of]);
  return read?.of === of ? read : undefined;
}

async function messagesOf(client: Client, address: string, signal: AbortSignal): Promise<TranscriptMessage[]> {
  const found: TranscriptMessage[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.messages(address, { limit: PAGE, signal, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items);
    found.splice(0, found.length - MAX_MESSAGES);
    cursor = page.cursor;
    if (cursor === undefined) return found;
  }
}
