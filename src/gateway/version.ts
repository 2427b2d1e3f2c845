/** The version of this release, as `package.json` has it. */
import { version } from '../../package.json';

/** As in `0.1.0`. */
export const VERSION: string = version;
