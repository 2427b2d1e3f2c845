/**
 * `offshoot/react/chat`: agents for `useChat` of `@ai-sdk/react`, where a Worker has the door `chat()`.
 *
 * RH12. A chat asks by the client of the page: with its token, and at its server alone.
 */
import type { DefaultChatTransport, UIMessage } from 'ai';
import { useEffect, useMemo, useRef } from 'react';
import { type AgentTransportOptions, agentTransport, nameAt } from './chat-transport';
import { useClient } from './client-context';
import type { RunOptions } from './use-run';

export type { AgentTransportOptions } from './chat-transport';

/** Options of the hooks about one chat. */
export interface AgentChatOptions extends Pick<RunOptions, 'client'>, AgentTransportOptions {}

/**
 * The options of `useChat` for an agent: its id and a transport.
 * @example
 * const { messages, sendMessage } = useChat({ ...useAgentChat('/agents/planner/one'), resume: true });
 */
export function useAgentChat<Message extends UIMessage = UIMessage>(
  address: string,
  options: AgentChatOptions = {},
): { readonly id: string; readonly transport: DefaultChatTransport<Message> } {
  const transport = useChatTransport<Message>(address, options);
  return useMemo(() => ({ id: nameAt(address), transport }), [address, transport]);
}

/**
 * The transport alone, for a chat whose `id` is the name of the agent's session.
 * @example
 * const transport = useChatTransport('/agents/planner/one');
 * const chat = useChat({ id: 'one', transport });
 */
export function useChatTransport<Message extends UIMessage = UIMessage>(
  address: string,
  { client: given, onFork }: AgentChatOptions = {},
): DefaultChatTransport<Message> {
  const client = useClient(given);
  const newest = useRef(onFork);
  useEffect(() => {
    newest.current = onFork;
  });
  const forks = onFork !== undefined;
  return useMemo(
    () => agentTransport<Message>(client, address, forks ? { onFork: (copy) => newest.current?.(copy) } : {}),
    [client, address, forks],
  );
}
