/**
 * `offshoot dev`: `wrangler dev` that survives a Worker which does not load, and says what is wrong with the app.
 *
 * OC14. `wrangler dev` ends where the Worker throws while it loads, as a wrong definition does, and its reason is far above
 *      the last line. Here the reason comes last, and the next change of a file starts the server again.
 * OC16. Findings of `offshoot check` are printed here, too, and a good start does not wait for them: versions and the
 *      Worker's own warnings once the server listens, missing packages at once, the rest when a start has failed.
 */
import { type AppIo, foundIn, linesOf, unresolvedIn } from './check';
import { type Finding, findingsOf, versionFindings } from './findings';

/** A server that has ended. `asked`: a person or their shell has ended it. */
export interface EndedServer {
  readonly code: number;
  readonly asked: boolean;
  /** The end of what it wrote to stderr. */
  readonly errors: string;
}

/** Events of a running server. */
export interface ServerEvents {
  /** It listens on a port; its Worker may still be loading. */
  listens(port: number): void;
  /** It has written to stderr. */
  wrote(text: string): void;
  /** The file of its secrets has changed, which it does not read again. */
  secretsChanged(): void;
}

/** The surroundings of the command. */
export interface DevIo extends Pick<AppIo, 'facts' | 'versions' | 'sourceOf' | 'write'> {
  /** True where the arguments name the port. */
  readonly hasPort: boolean;
  /** Runs `wrangler dev` until it ends. */
  serve(on: ServerEvents): Promise<EndedServer>;
  /** Asks the Worker once, which then logs what it lacks. What it answers does not matter. */
  wake(port: number): void;
  /** Keeps the port of the running server for `offshoot ask`; undefined takes it away. */
  keepPort(port: number | undefined): void;
  /** Resolves with true at the next change of a file of the app or at Enter, and with false when the command is to end. */
  changed(): Promise<boolean>;
}

/** The port that the documentation and `offshoot ask` use. */
const USUAL_PORT = 8787;

/** Serves the app until it is ended. @returns the exit code */
export async function dev(io: DevIo): Promise<number> {
  for (;;) {
    const { code, asked, errors } = await io.serve(eventsOf(io));
    io.keepPort(undefined);
    if (asked || code === 0) return code;
    const found = foundIn(errors);
    if (found === undefined) {
      say(io, findingsOf(await io.facts()));
      return code;
    }
    say(io, found);
    io.write('  Save a file or press Enter to start it again. Ctrl-C quits.');
    if (!(await io.changed())) return 0;
  }
}

/** Handlers for the events of one server. */
function eventsOf(io: DevIo): ServerEvents {
  let line = '';
  let saidSecrets = false;
  return {
    listens(port) {
      io.keepPort(port);
      io.wake(port);
      say(io, versionFindings(io.versions()));
      if (port !== USUAL_PORT && !io.hasPort) void sayPort(io, port);
    },
    wrote(text) {
      const lines = `${line}${text}`;
      const end = lines.lastIndexOf('\n') + 1;
      line = lines.slice(end);
      say(io, unresolvedIn(lines.slice(0, end), io));
    },
    secretsChanged() {
      if (!saidSecrets) io.write('! .dev.vars has changed. To use it, end this server with Ctrl-C and start it again.');
      saidSecrets = true;
    },
  };
}

/** Says the port of a server, unless the configuration names it. To read that takes a second, and nothing waits for it. */
async function sayPort(io: DevIo, port: number): Promise<void> {
  const named = await io.facts().then(
    ({ config }) => (typeof config === 'object' && 'dev' in config ? config.dev?.port : undefined),
    () => undefined,
  );
  if (named === port) return;
  io.write(
    `! The port is ${port}, not ${named ?? USUAL_PORT}. \`npx offshoot ask\` in this folder finds it. Other clients need http://localhost:${port}`,
  );
}

function say(io: DevIo, found: readonly Finding[]): void {
  if (found.length > 0) io.write(`\n${found.flatMap(linesOf).join('\n')}`);
}
