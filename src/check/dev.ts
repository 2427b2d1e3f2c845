/**
 * `offshoot dev`: `wrangler dev` that survives a Worker which does not load.
 *
 * OC14. `wrangler dev` ends where the Worker throws while it loads, as a wrong definition does, and its reason is far above
 *      the last line. Here the reason comes last, and the next change of a file starts the server again.
 */
import { reasonIn } from './check';

/** A server that has ended. `asked`: a person or their shell has ended it. */
export interface EndedServer {
  readonly code: number;
  readonly asked: boolean;
  /** The end of what it wrote to stderr. */
  readonly errors: string;
}

/** The surroundings of the command. */
export interface DevIo {
  /** Runs `wrangler dev` until it ends. */
  serve(): Promise<EndedServer>;
  /** Resolves with true at the next change of a file of the app or at Enter, and with false when the command is to end. */
  changed(): Promise<boolean>;
  write(line: string): void;
}

/** Serves the app until it is ended. @returns the exit code */
export async function dev(io: DevIo): Promise<number> {
  for (;;) {
    const { code, asked, errors } = await io.serve();
    const reason = asked || code === 0 ? undefined : reasonIn(errors);
    if (reason === undefined) return code;
    io.write(`\n✗ The Worker does not load: ${reason}`);
    io.write('  Save a file or press Enter to start it again. Ctrl-C ends.');
    if (!(await io.changed())) return 0;
  }
}
