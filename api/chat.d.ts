import { t as AgentDoor } from "./shared/door.js";
import "./shared/wire-types.js";
import "./shared/chunks.js";
/** Options of the door. */
interface ChatOptions {
  /** The segment behind an address at which it answers. Default: `chat`. */
  readonly behind?: string;
}
/**
 * The door of chats: pages with `useChat` of AI SDK UI talk to agents at `A/chat`.
 * @throws OffshootError `invalid_definition` for an unknown option
 * @example
 * export default serve([planner], { doors: [chat()] });
 */
export declare function chat(options?: ChatOptions): AgentDoor;
export type { ChatOptions };