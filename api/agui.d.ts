import { l as PathDoor } from "./shared/door.js";
/** Options of the door. */
interface AguiOptions {
  /** The path at which it is served, below `basePath`. Default: `/agui`. */
  readonly at?: string;
  /** Names of client tools (`execute: 'client'`) that a client may list with a run. Default: none. */
  readonly clientTools?: readonly string[];
}
/**
 * The AG-UI door: clients send requests to `/agui/{agent}`, where the id of a thread is the name of a root.
 * @throws OffshootError `invalid_definition` for an unknown option
 * @example
 * export default serve([planner], { doors: [agui()] });
 */
export declare function agui(options?: AguiOptions): PathDoor;
export type { AguiOptions };