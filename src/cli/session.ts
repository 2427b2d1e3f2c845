/** One use of the command: what it holds from its first request until it ends. */

import { ProtocolError, Refused, Unreachable } from '../client/errors';
import { type FollowEvent, follow } from '../client/follow';
import { type Api, requestJson } from '../client/http';
import { isWireChunk } from '../protocol/chunks';
import type { JsonObject } from '../protocol/json';
import { isSuspended } from '../protocol/status';
import { reduce } from '../protocol/view/reduce';
import { currentRun, emptyView, type TreeView, topAgents, viewFrom } from '../protocol/view/view';
import { Answers } from './answering/answers';
import { Attendant } from './answering/attend';
import { waitingText } from './answering/unattended';
import type { Command } from './args';
import { EXIT } from './cli-error';
import { coloursOn, type Display, displayFor, writeLines } from './drawing/display';
import { taskOf } from './drawing/outline';
import { outcomeOf, reportLines } from './drawing/report';
import { questionOf, readUploads } from './files';
import { type Found, findServer } from './find';
import type { CliIo, EndRequest } from './io';
import { type Resumed, resumeRun } from './resume';
import { explained, startRun } from './start';
import { stopRun } from './stop';
import { paint } from './terminal/style';
import { cleanJson } from './terminal/text';
import { onlyAgent } from './which-agent';

/** What a session can be used for. */
export type Work = Exclude<Command, { kind: 'help' }>;

/** The reason of an abort by somebody who detaches. */
class LookedAway extends Error {}

const STATUS_TIMEOUT_MS = 15_000;

const DONE: { readonly [Did in Resumed['did']]: string } = {
  resumed: 'Resumed',
  retried: 'Retrying failed run:',
  sent: 'Message sent to',
};

/** Finds a server, starts or finds the run, follows it, shows it, takes answers, and prints what came of it. */
export class Session {
  readonly #io: CliIo;
  readonly #command: Work;
  readonly #display: Display;
  readonly #attendant: Attendant | undefined;
  readonly #away = new AbortController();
  #api: Api | undefined;
  #found: Found | undefined;
  #address: string | undefined;
  #answers: Answers | undefined;
  #view: TreeView = emptyView;
  /** The attendant has the keyboard: Ctrl-C is its to ask about. */
  #attended = false;
  #asked = 0;
  #titled: boolean;

  constructor(io: CliIo, command: Work) {
    const { display, keyboard } = displayFor(io, command);
    this.#io = io;
    this.#command = command;
    this.#titled = command.kind === 'ask';
    this.#display = display;
    this.#attendant =
      keyboard === undefined
        ? undefined
        : new Attendant(io, keyboard, display, {
            answer: async (item, answer) =>
              (await this.#answers?.send(item, answer)) ?? { kind: 'refused', why: 'The run has ended.' },
            stop: () => this.#stop(),
            lookAway: () => this.#abort(),
            leave: () => this.#leave(),
          });
  }

  /** Runs it and gives the exit code. Throws a `CliError`, or what nobody expected. */
  async run(): Promise<number> {
    const release = this.#io.onInterrupt((request) => this.#interrupted(request));
    try {
      return await this.#work();
    } catch (error) {
      await this.#unattend();
      this.#display.close();
      if (this.#away.signal.aborted) return await this.#lookAway();
      throw this.#withWayBack(error);
    } finally {
      await this.#unattend();
      this.#display.close();
      await this.#found?.own?.stop();
      release();
    }
  }

  #interrupted(request: EndRequest): void {
    if (request === 'interrupt' && this.#attended) this.#attendant?.interrupt();
    else if (this.#asked === 0) this.#abort();
    else {
      this.#display.close();
      this.#io.exit(EXIT.lookedAway);
    }
  }

  #abort(): void {
    this.#asked += 1;
    this.#away.abort(new LookedAway());
  }

  /** Ends the process at once, with no more than a word about the way back. */
  #leave(): void {
    this.#attended = false;
    void this.#attendant?.end();
    this.#display.close();
    this.#tell(this.#awayText());
    this.#io.exit(EXIT.lookedAway);
    this.#abort();
  }

  async #unattend(): Promise<void> {
    this.#attended = false;
    await this.#attendant?.end();
  }

  async #work(): Promise<number> {
    const { signal } = this.#away;
    const command = this.#command;
    const files = command.kind === 'ask' ? await readUploads(command.files, this.#io.readFile) : [];
    this.#found = await findServer(this.#io, command.url, signal, (text) => this.#display.note(text));
    signal.throwIfAborted();
    const token = command.token === undefined ? {} : { token: command.token };
    const api: Api = { base: this.#found.base, fetch: this.#io.fetch, ...token };
    this.#api = api;
    const address = await this.#begin(api, files);
    const answers = this.#answersFor(api, address);
    if (command.kind === 'watch' && command.answer !== undefined) await answers.give(command.answer);
    const status = await this.#follow(api, address, answers);
    const document = await this.#statusOf(api, address);
    await this.#unattend();
    this.#display.close();
    return this.#finish(status, document, answers);
  }

  #answersFor(api: Api, address: string): Answers {
    const attendant = this.#attendant === undefined ? {} : { attendant: this.#attendant };
    const { signal } = this.#away;
    const { yes } = this.#command;
    const answers = new Answers({ io: this.#io, api, address, signal, display: this.#display, yes, ...attendant });
    this.#answers = answers;
    this.#attendant?.begin();
    this.#attended = this.#attendant !== undefined;
    return answers;
  }

  async #begin(api: Api, files: readonly JsonObject[]): Promise<string> {
    const command = this.#command;
    const { signal } = this.#away;
    if (command.kind === 'ask') {
      const message = questionOf(command.question, files);
      const body = { message, ...(files.length > 0 ? { files: [...files] } : {}) };
      const agent = command.agent ?? this.#io.agent ?? (await onlyAgent(api, signal));
      const address = await startRun(this.#io, api, agent, body, signal, (each) => {
        this.#address = each;
      });
      this.#display.note(`Asked ${address} at ${api.base}`);
      this.#display.title(command.question);
      return address;
    }
    const { address } = command;
    this.#address = address;
    if (command.kind === 'resume') {
      const done = await resumeRun(this.#io, api, address, command.message, signal);
      this.#display.note(`${DONE[done.did]} ${address} at ${api.base}`);
      if (done.did === 'sent') for (const note of done.notes) this.#display.note(note);
    } else this.#display.note(`Watching ${address} at ${api.base}`);
    this.#display.title('');
    return address;
  }

  async #follow(api: Api, address: string, answers: Answers): Promise<string> {
    const { now, wait } = this.#io;
    const stay = () => answers.suspended(this.#view);
    const options = { signal: this.#away.signal, stay, isChunk: isWireChunk, clock: { now, wait } };
    for await (const event of follow({ api }, address, options)) {
      if (event.type === 'rest') return event.status;
      this.#take(event, answers);
    }
    throw new ProtocolError('the stream ended without a final status.');
  }

  #take(event: Exclude<FollowEvent, { type: 'rest' }>, answers: Answers): void {
    const display = this.#display;
    switch (event.type) {
      case 'chunk': {
        const { entry, missing } = event;
        if (missing > 0) display.note(`${missing} events are missing in the log.`, 'warn');
        // The follower has closed every gap that can be closed.
        this.#view = reduce(this.#view, entry, 'filtered').view;
        if (!this.#titled) this.#titled = this.#tellTitle();
        display.chunk(this.#view, entry);
        answers.chunk(this.#view, entry);
        return;
      }
      case 'reset':
        this.#view = viewFrom(event.from);
        display.replaced(this.#view);
        return;
      case 'up-to-date':
        answers.upToDate(this.#view);
        return;
      case 'connection':
        display.connection(event.problem);
    }
  }

  #tellTitle(): boolean {
    const [top] = topAgents(this.#view);
    const task = top === undefined ? '' : taskOf(currentRun(top)?.input);
    if (task !== '') this.#display.title(task);
    return task !== '';
  }

  #stop(): void {
    const [api, address] = [this.#api, this.#address];
    if (api === undefined || address === undefined) return;
    stopRun(this.#io, api, address, this.#view, this.#away.signal).catch((error: unknown) => {
      if (this.#away.signal.aborted) return;
      const told = error instanceof Refused ? explained(error) : error;
      this.#display.note(`The run was not interrupted: ${told instanceof Error ? told.message : String(told)}`, 'bad');
      this.#attendant?.notStopped();
    });
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

  #finish(status: string, document: JsonObject | undefined, answers: Answers): number {
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
    if (isSuspended(status)) this.#tell(waitingText(answers.items, this.#wayBack()));
    // The parent of an agent inside a tree resumes it.
    else if (!this.#address?.includes('/sub/')) {
      if (status === 'interrupted') this.#tell(`Resume it: ${this.#wayBack('resume')}`);
      if (status === 'failed') this.#tell(`Retry it: ${this.#wayBack('resume')}`);
    }
    return status === 'completed' ? EXIT.completed : EXIT.failed;
  }

  /** What to type to see the run again, or to resume it. */
  #wayBack(option: 'watch' | 'resume' = 'watch'): string {
    const { url, urlGiven } = this.#command;
    const server = urlGiven && url !== undefined ? ` --url ${url}` : '';
    return `npm run ask -- --${option} ${this.#address}${server}`;
  }

  /** Remarks beside the result: never on stdout when that holds JSON alone. */
  #tell(text: string): void {
    const out = this.#command.json ? this.#io.stderr : this.#io.stdout;
    writeLines(out, text, 'plain', coloursOn(this.#io, out, this.#command.colour));
  }

  async #lookAway(): Promise<number> {
    this.#tell(this.#awayText());
    await this.#found?.own?.stop();
    return EXIT.lookedAway;
  }

  #awayText(): string {
    if (this.#address === undefined) return '\nNothing was started.';
    if (this.#found?.own === undefined) return `\nDetached; the run continues.\nReturn to it: ${this.#wayBack()}`;
    return (
      `\nDetached. The run is stored, but the server started by this command stops now.\n` +
      `The run continues when a server starts again: ${this.#io.servers.command}\nReturn to it: ${this.#wayBack()}`
    );
  }

  /** An error with what the person can do next. */
  #withWayBack(error: unknown): unknown {
    const known = error instanceof Refused ? explained(error) : error;
    const started = this.#address !== undefined && this.#view.lastSequence > 0;
    if (!(known instanceof Unreachable) || !started) return known;
    return new Unreachable(`${known.message}\nThe run is stored. Return to it: ${this.#wayBack()}`, { cause: error });
  }
}
