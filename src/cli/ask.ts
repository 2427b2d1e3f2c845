/** The command: find a server, start or find the run, follow it, show it, print what came of it. */
import type { JsonObject } from '../core/json';
import { reduce } from '../core/reduce';
import { currentRun, emptyView, type TreeView, topAgents, viewFrom } from '../core/view';
import { type Command, parseCommand } from './args';
import { type Display, glyphsFor, liveDisplay, plainDisplay, silentDisplay, writeLines } from './display';
import { CliError, EXIT, Refused, Unreachable } from './errors';
import { readUploads } from './files';
import { type Found, findServer } from './find';
import { follow } from './follow';
import { HELP } from './help';
import { type Api, requestJson } from './http';
import type { CliIo, Terminal } from './io';
import { taskOf } from './outline';
import { outcomeOf, reportLines } from './report';
import { explained, startRun } from './start';
import { paint } from './style';
import { cleanJson } from './text';

type Work = Exclude<Command, { kind: 'help' }>;

/** The reason of an abort by Ctrl-C. */
class LookedAway extends Error {}

const STATUS_TIMEOUT_MS = 15_000;
/** The narrowest terminal that a tree is drawn in. */
const MIN_LIVE_COLUMNS = 20;

/** Runs the command and gives its exit code. Never throws. */
export async function ask(io: CliIo): Promise<number> {
  try {
    const command = parseCommand(io.args, io.env);
    if (command.kind === 'help') {
      io.stdout.write(HELP);
      return EXIT.completed;
    }
    return await new Session(io, command).run();
  } catch (error) {
    const told =
      error instanceof CliError ? error : new CliError(`Something went wrong: ${String(error)}`, EXIT.failed);
    writeLines(io.stderr, told.message, 'bad', coloursOn(io, io.stderr, true));
    return told.exitCode;
  }
}

function coloursOn(io: CliIo, out: Terminal, wanted: boolean): boolean {
  return wanted && out.isTTY && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
}

/** One use of the command: what it holds until it ends. */
class Session {
  readonly #io: CliIo;
  readonly #command: Work;
  readonly #display: Display;
  readonly #away = new AbortController();
  #found: Found | undefined;
  #address: string | undefined;
  #view: TreeView = emptyView;

  constructor(io: CliIo, command: Work) {
    this.#io = io;
    this.#command = command;
    this.#display = displayFor(io, command);
  }

  async run(): Promise<number> {
    let asked = 0;
    const release = this.#io.onInterrupt(() => {
      asked += 1;
      if (asked === 1) this.#away.abort(new LookedAway());
      else {
        this.#display.close();
        this.#io.exit(EXIT.lookedAway);
      }
    });
    try {
      return await this.#work();
    } catch (error) {
      this.#display.close();
      if (this.#away.signal.aborted) return await this.#lookAway();
      throw this.#withWayBack(error);
    } finally {
      this.#display.close();
      await this.#found?.own?.stop();
      release();
    }
  }

  async #work(): Promise<number> {
    const { signal } = this.#away;
    const command = this.#command;
    const files = command.kind === 'ask' ? await readUploads(command.files, this.#io.readFile) : [];
    this.#found = await findServer(this.#io, command.url, signal, (text) => this.#display.note(text));
    signal.throwIfAborted();
    const token = command.token === undefined ? {} : { token: command.token };
    const api: Api = { base: this.#found.base, fetch: this.#io.fetch, ...token };
    const address = await this.#begin(api, files);
    const status = await this.#follow(api, address);
    const document = await this.#statusOf(api, address);
    this.#display.close();
    return this.#finish(status, document);
  }

  async #begin(api: Api, files: readonly JsonObject[]): Promise<string> {
    const command = this.#command;
    if (command.kind === 'watch') {
      this.#address = command.address;
      this.#display.note(`Watching ${command.address} at ${api.base}`);
      this.#display.title('');
      return command.address;
    }
    const body = { message: command.question, ...(files.length > 0 ? { files: [...files] } : {}) };
    const { signal } = this.#away;
    const address = await startRun(this.#io, api, command.agent, body, signal, (each) => {
      this.#address = each;
    });
    this.#display.note(`Asked ${address} at ${api.base}`);
    this.#display.title(command.question);
    return address;
  }

  async #follow(api: Api, address: string): Promise<string> {
    const { now, wait } = this.#io;
    const display = this.#display;
    let titled = this.#command.kind === 'ask';
    return await follow(
      { api, address, signal: this.#away.signal, now, wait },
      {
        onChunk: (entry, missing) => {
          if (missing > 0) display.note(`${missing} events are missing in the log.`, 'warn');
          // The follower has closed every gap that can be closed.
          this.#view = reduce(this.#view, entry, 'filtered').view;
          if (!titled) titled = this.#tellTitle();
          display.chunk(this.#view, entry);
        },
        onReset: (from) => {
          this.#view = viewFrom(from);
          display.replaced(this.#view);
        },
        onUpToDate: () => undefined,
        onConnection: (problem) => display.connection(problem),
      },
    );
  }

  #tellTitle(): boolean {
    const [top] = topAgents(this.#view);
    const task = top === undefined ? '' : taskOf(currentRun(top)?.input);
    if (task !== '') this.#display.title(task);
    return task !== '';
  }

  /** The status document; the view tells enough where it cannot be had any more. */
  async #statusOf(api: Api, address: string): Promise<JsonObject | undefined> {
    try {
      const { signal } = this.#away;
      return await requestJson(api, `${address}/status`, { timeoutMs: STATUS_TIMEOUT_MS, signal });
    } catch (error) {
      if (error instanceof Unreachable || error instanceof Refused) return undefined;
      throw error;
    }
  }

  #finish(status: string, document: JsonObject | undefined): number {
    const { stdout } = this.#io;
    const outcome = outcomeOf(status, document, this.#view);
    if (this.#command.json) {
      const fallback = { address: this.#address ?? '', run: { ...outcome } };
      stdout.write(`${cleanJson(JSON.stringify(document ?? { ...fallback, status }, null, 2))}\n`);
    } else {
      const colours = coloursOn(this.#io, stdout, this.#command.colour);
      const lines = reportLines(outcome, stdout.isTTY ? stdout.columns() : undefined);
      stdout.write(`\n${lines.map((line) => `${paint(line, colours)}\n`).join('')}`);
    }
    if (status.startsWith('suspended')) this.#tell(`Return to it: ${this.#wayBack()}`);
    return status === 'completed' ? EXIT.completed : EXIT.failed;
  }

  /** What to type to see the run again. */
  #wayBack(): string {
    const { url, urlGiven } = this.#command;
    const server = urlGiven && url !== undefined ? ` --url ${url}` : '';
    return `npm run ask -- --watch ${this.#address}${server}`;
  }

  /** Remarks beside the result: never on stdout when that holds JSON alone. */
  #tell(text: string): void {
    const out = this.#command.json ? this.#io.stderr : this.#io.stdout;
    writeLines(out, text, 'plain', coloursOn(this.#io, out, this.#command.colour));
  }

  async #lookAway(): Promise<number> {
    const own = this.#found?.own;
    if (this.#address === undefined) {
      this.#tell('\nNothing was started.');
    } else if (own === undefined) {
      this.#tell(`\nYou look away; the run goes on.\nReturn to it: ${this.#wayBack()}`);
    } else {
      this.#tell(
        `\nYou look away. The run is kept, but the server that this command started ends with it.\n` +
          `The run goes on as soon as a server runs again: npm start\nReturn to it: ${this.#wayBack()}`,
      );
    }
    await own?.stop();
    return EXIT.lookedAway;
  }

  /** An error with what the person can do next. */
  #withWayBack(error: unknown): unknown {
    const known = error instanceof Refused ? explained(error) : error;
    const started = this.#address !== undefined && this.#view.lastSequence > 0;
    if (!(known instanceof Unreachable) || !started) return known;
    return new Unreachable(`${known.message}\nThe run is kept. Return to it: ${this.#wayBack()}`, { cause: error });
  }
}

function displayFor(io: CliIo, { json, colour }: Work): Display {
  const out = json ? io.stderr : io.stdout;
  const live = out.isTTY && io.env.TERM !== 'dumb' && out.columns() >= MIN_LIVE_COLUMNS;
  if (live) return liveDisplay(io, out, coloursOn(io, out, colour), glyphsFor(io.env));
  return json ? silentDisplay() : plainDisplay(out, coloursOn(io, out, colour));
}
