import { n as RunOptions } from "../shared/use-run.js";
import { DefaultChatTransport, UIMessage } from "ai";
/**
 * The options of `useChat` for an agent: its id and a transport.
 * @example
 * const { messages, sendMessage } = useChat({ ...useAgentChat('/agents/planner/one'), resume: true });
 */
export declare function useAgentChat<Message extends UIMessage = UIMessage>(address: string, options?: Pick<RunOptions, 'client'>): {
  readonly id: string;
  readonly transport: DefaultChatTransport<Message>;
};
/**
 * The transport alone, for a chat whose `id` is the name of the agent's session.
 * @example
 * const transport = useChatTransport('/agents/planner/one');
 * const chat = useChat({ id: 'one', transport });
 */
export declare function useChatTransport<Message extends UIMessage = UIMessage>(address: string, { client: given }?: Pick<RunOptions, 'client'>): DefaultChatTransport<Message>;