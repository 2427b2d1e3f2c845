/**
 * `offshoot/react/chat`: agents for `useChat` of `@ai-sdk/react`, where a Worker has the door `chat()`.
 *
 * RH12. A chat asks by the client of the page: with its token, and at its server alone.
 */
import { DefaultChatTransport, type UIMessage } from 'ai';
import { useMemo } from 'react';
import { useClient } from './client-context';
import type { RunOptions } from './use-run';

/**
 * The options of `useChat` for an agent: its id and a transport.
 * @example
 * const { messages, sendMessage } = useChat({ ...useAgentChat('/agents/planner/one'), resume: true });
 */
export function useAgentChat<Message extends UIMessage = UIMessage>(
  address: string,
  options: Pick<RunOptions, 'client'> = {},
): { readonly id: string; readonly transport: DefaultChatTransport<Message> } {
  const transport = useChatTransport<Message>(address, options);
  return useMemo(() => ({ id: address.slice(address.lastIndexOf('/') + 1), transport }), [address, transport]);
}

/**
 * The transport alone, for a chat whose `id` is the name of the agent's session.
 * @example
 * const transport = useChatTransport('/agents/planner/one');
 * const chat = useChat({ id: 'one', transport });
 */
export function useChatTransport<Message extends UIMessage = UIMessage>(
  address: string,
  { client: given }: Pick<RunOptions, 'client'> = {},
): DefaultChatTransport<Message> {
  const client = useClient(given);
  return useMemo(
    () =>
      new DefaultChatTransport<Message>({
        api: `${address}/chat`,
        fetch: (path, init) => client.fetch(String(path), init),
      }),
    [client, address],
  );
}
