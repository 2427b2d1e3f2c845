import { t as AgentDoor } from "./shared/door.js";
import "./shared/wire-types.js";
import "./shared/chunks.js";
/** Options of the door. */
interface ChatOptions {
  /** The path segment after an agent's address at which it is served. Default: `chat`. */
  readonly behind?: string;
}
/**
 * The chat door: pages with the AI SDK's `useChat` talk to agents at `A/chat`.
 * @throws OffshootError `invalid_definition` for an unknown option
 * @example
 * export default serve([planner], { doors: [chat()] });
 */
export declare function chat(options?: ChatOptions): AgentDoor;
export type { ChatOptions };