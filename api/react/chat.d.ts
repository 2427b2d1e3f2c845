import "../shared/partial-output.js";
import { n as RunOptions } from "../shared/use-run.js";
import { DefaultChatTransport, UIMessage } from "ai";
/** Options of the transport. */
interface AgentTransportOptions {
  /**
   * Lets `regenerate()` repeat a completed last answer in a copy of the root. The function gets the copy's address
   * before the new answer arrives. The chat continues in the copy, so store the address and open it next time. Without
   * it, such a request is refused.
   */
  readonly onFork?: ((address: string) => void) | undefined;
}
/** Options of the hooks about one chat. */
export interface AgentChatOptions extends Pick<RunOptions, 'client'>, AgentTransportOptions {}
/**
 * The options of `useChat` for an agent: its id and a transport.
 * @example
 * const { messages, sendMessage } = useChat({ ...useAgentChat('/agents/planner/one'), resume: true });
 */
export declare function useAgentChat<Message extends UIMessage = UIMessage>(address: string, options?: AgentChatOptions): {
  readonly id: string;
  readonly transport: DefaultChatTransport<Message>;
};
/**
 * The transport alone, for a chat whose `id` is the name of the agent's session.
 * @example
 * const transport = useChatTransport('/agents/planner/one');
 * const chat = useChat({ id: 'one', transport });
 */
export declare function useChatTransport<Message extends UIMessage = UIMessage>(address: string, { client: given, onFork }?: AgentChatOptions): DefaultChatTransport<Message>;
export type { AgentTransportOptions };