import { l as PathDoor } from "./shared/door.js";
/** Options of the door. */
interface AguiOptions {
  /** Where it lies: a path like `basePath`, below that. Default: `/agui`. */
  readonly at?: string;
  /** Names of tools that clients may list with a run, since the agents define them with `execute: 'client'`. Default: none. */
  readonly clientTools?: readonly string[];
}
/**
 * The door of AG-UI: its clients talk to `/agui/{agent}`, where the id of a thread is the name of a root.
 * @throws OffshootError `invalid_definition` for an unknown option
 * @example
 * export default serve([planner], { doors: [agui()] });
 */
export declare function agui(options?: AguiOptions): PathDoor;
export type { AguiOptions };