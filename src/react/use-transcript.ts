/**
 * The transcript of a run, item by item.
 *
 * RH15. Messages that had no answer are read again over an open connection; what the same client read before stays.
 * RH18. What a caller or the parent said is an `asked` item and a reply a `text`, also if the log lost them.
 * RH23. Items keep their ids while they grow.
 * RH24. The server's messages are read once for each run, if the log lacks older ones, and else never.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Client } from '../client/client';
import { Refused } from '../client/errors';
import { type AgentView, findAgent } from '../protocol/view/view';
import { itemsOf, olderOf, type TranscriptItem, type TranscriptMessage } from './transcript-items';
import { useSnapshot, type ViewOptions } from './use-run';

/** Messages of the server's transcript that are kept: its newest. */
const MAX_MESSAGES = 2_000;
const PAGE = 500;

/** A transcript and its loading state. */
export interface UsedTranscript {
  readonly items: readonly TranscriptItem[];
  /** True while the server's messages are loading. */
  readonly isLoading: boolean;
  /** The error, if loading failed. */
  readonly error: Error | undefined;
}

/** Options of a transcript. */
export interface TranscriptOptions extends ViewOptions {
  /** An agent below the address; default: the agent at the address. */
  readonly agentId?: string;
  /** Text of an item before those of the log, for a page that holds only the end of the log: older messages precede it. */
  readonly edge?: string | undefined;
}

interface Read {
  /** Another client may read for another person. */
  readonly client: Client;
  readonly agentId: string;
  readonly of: string;
  readonly messages: readonly TranscriptMessage[];
  readonly error: Error | undefined;
}

const NONE: readonly TranscriptMessage[] = [];

/**
 * The transcript of an agent, the oldest item first: questions, texts, thinking, calls with their results, messages, ends.
 * @example
 * const { items } = useTranscript('/agents/planner/one');
 * items.map((item) => (item.kind === 'text' ? <p key={item.id}>{item.text}</p> : null));
 */
export function useTranscript(address: string, options: TranscriptOptions = {}): UsedTranscript {
  const { client, snapshot } = useSnapshot(address, options);
  const { agentId, edge } = options;
  const agent = agentId === undefined ? snapshot.agent : findAgent(snapshot.view, agentId);
  const cut = agent !== undefined && (edge !== undefined || isCut(agent)) ? agent : undefined;
  const { messages, isLoading, error } = useMessages(client, cut, snapshot.connection === 'open');
  const items = useMemo(
    () => (agent === undefined ? [] : itemsOf(agent, cut === undefined ? NONE : olderOf(cut, messages), edge)),
    [agent, cut, messages, edge],
  );
  return { items, isLoading, error };
}

/** True where the log does not reach back to the agent's first run. */
const isCut = ({ runs }: AgentView): boolean => (runs[0]?.turn ?? 1) === 0;

/** The messages of an agent whose log lacks older ones, read once for each of its runs. Where no answer came they are read again over an open connection. */
function useMessages(client: Client, agent: AgentView | undefined, isOpen: boolean) {
  const [read, setRead] = useState<Read>();
  const { address, agentId } = agent ?? {};
  const of = `${agentId} ${agent?.runs.length}`;
  const settled = useRef<{ readonly client: Client; readonly of: string }>(undefined);
  const own = read?.client === client && read.agentId === agentId ? read : undefined;
  const error = own?.of === of ? own.error : undefined;
  const again = isOpen && error !== undefined && !(error instanceof Refused);
  useEffect(() => {
    if (address === undefined || agentId === undefined) return undefined;
    if (settled.current?.client === client && settled.current.of === of && !again) return undefined;
    const unmounting = new AbortController();
    const { signal } = unmounting;
    const settle = (found: readonly TranscriptMessage[] | undefined, problem?: Error) => {
      if (signal.aborted) return;
      settled.current = { client, of };
      setRead((before) => {
        const isOwn = before?.client === client && before.agentId === agentId;
        const messages = found ?? (isOwn ? before.messages : NONE);
        return { client, agentId, of, messages, error: problem };
      });
    };
    messagesOf(client, address, signal).then(settle, (problem: Error) => settle(undefined, problem));
    return () => unmounting.abort();
  }, [client, address, agentId, of, again]);
  return { messages: own?.messages ?? NONE, isLoading: agent !== undefined && own?.of !== of, error };
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
