import { l as PathDoor } from "./shared/door.js";
/** Options of the console. */
interface ConsoleOptions {
  /** The path at which it is served, below `basePath`. Default: `/console`. */
  readonly at?: string;
  /**
   * The folder of the console's files among the Worker's assets, such as `/console`, if the app has a page, too.
   * Default: the files are all of the assets.
   */
  readonly files?: string;
  /** Adds the documentation of Offshoot, at `/console/docs`. Default: false. */
  readonly docs?: boolean;
}
/**
 * The console, a set of web pages: at `/console` or `at`, and for browsers also at `/`. Its files are assets of the
 * Worker with the binding `OFFSHOOT_CONSOLE`.
 * @throws OffshootError `invalid_definition` for an unknown option, or an invalid path
 * @example
 * export default serve([planner], { doors: [webConsole()] });
 */
export declare function webConsole(options?: ConsoleOptions): PathDoor;
export type { ConsoleOptions };