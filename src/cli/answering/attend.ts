/**
 * A person at the terminal: the keys, the prompt for what waits, and the question whether to interrupt or to detach.
 */

import type { PendingItem } from '../../client/pending';
import type { Display } from '../drawing/display';
import type { CliIo, Keyboard } from '../io';
import { type Key, KeyReader } from '../terminal/keys';
import { span } from '../terminal/style';
import type { Answer, Reception } from './answer';
import { edited, noPrompt, type PromptState, press, telling, type Wish, withItems } from './prompt';
import { keysLine, promptLines } from './prompt-lines';

/** What a person can ask for. */
export interface Attended {
  /** Sends an answer; never throws. A call that was answered is no longer among the items then. */
  answer(item: PendingItem, answer: Answer): Promise<Reception>;
  /** Stops the run; how that went shows in the run or is told. */
  stop(): void;
  lookAway(): void;
  /** Looks away and ends the process at once. */
  leave(): void;
}

/** Attends to one terminal, from `begin` to `end`. */
export class Attendant {
  readonly #io: Pick<CliIo, 'edit'>;
  readonly #keyboard: Keyboard;
  readonly #display: Display;
  readonly #asked: Attended;
  #release: (() => void) | undefined;
  #state: PromptState = noPrompt;
  /** Ctrl-C: not pressed, asks what is meant, or the run is being stopped. */
  #menu: 'closed' | 'open' | 'stopping' = 'closed';
  #editor: Promise<void> | undefined;

  constructor(io: Pick<CliIo, 'edit'>, keyboard: Keyboard, display: Display, asked: Attended) {
    this.#io = io;
    this.#keyboard = keyboard;
    this.#display = display;
    this.#asked = asked;
  }

  /** Takes the keyboard. */
  begin(): void {
    this.#listen();
    this.#display.panel((size) => this.#panel(size));
  }

  /** Gives the keyboard back, after an editor that is open. Again is harmless. */
  async end(): Promise<void> {
    const release = this.#release;
    this.#release = undefined;
    if (this.#editor === undefined) release?.();
    await this.#editor;
    this.#display.panel(undefined);
  }

  /** What waits has changed. */
  items(items: readonly PendingItem[], news: ReadonlyMap<string, string>): void {
    for (const text of news.values()) this.#display.note(text, 'warn');
    this.#state = withItems(this.#state, items, news.get(this.#state.shown ?? '') ?? 'It is no longer pending.');
    this.#display.refresh();
  }

  /** Ctrl-C, from the keyboard or as a signal. An editor that is open has the terminal: it is not ours then. */
  interrupt(): void {
    if (this.#editor !== undefined) return;
    if (this.#menu === 'open') {
      this.#asked.leave();
      return;
    }
    if (this.#menu === 'stopping') {
      this.#asked.lookAway();
      return;
    }
    this.#menu = 'open';
    this.#display.refresh();
  }

  /** The run could not be stopped. */
  notStopped(): void {
    this.#menu = 'closed';
    this.#display.refresh();
  }

  #listen(): void {
    const reader = new KeyReader();
    this.#release = this.#keyboard.listen((input) => {
      for (const key of reader.push(input)) this.#press(key);
    });
  }

  #press(key: Key): void {
    if (key.kind === 'interrupt') this.interrupt();
    else if (this.#menu === 'open') this.#choose(key);
    else if (this.#menu === 'closed') {
      const { state, wish } = press(this.#state, key);
      this.#state = state;
      this.#display.refresh();
      if (wish !== undefined) this.#grant(wish);
    }
  }

  #choose(key: Key): void {
    const char = key.kind === 'char' ? key.char.toLowerCase() : '';
    if (char === 'i') {
      this.#menu = 'stopping';
      this.#asked.stop();
    } else if (char === 'l') this.#asked.lookAway();
    else if (key.kind === 'enter' || key.kind === 'escape') this.#menu = 'closed';
    this.#display.refresh();
  }

  #grant(wish: Wish): void {
    if (wish.kind === 'look-away') this.#asked.lookAway();
    else if (wish.kind === 'edit') this.#edit(wish.text);
    else this.#answer(wish.item, wish.answer);
  }

  async #answer(item: PendingItem, answer: Answer): Promise<void> {
    const reception = await this.#asked.answer(item, answer);
    if (reception.kind === 'accepted')
      this.#display.note(`${DONE[answer.kind]} ${item.toolName} of ${item.agentType}.`);
    else if (reception.kind !== 'gone' && this.#state.shown === item.toolCallId) {
      this.#state = telling(this.#state, reception.why);
    } else this.#display.note(reception.why, 'warn');
    this.#display.refresh();
  }

  /** While the editor is open the screen and the keyboard are its own. */
  #edit(text: string): void {
    const id = this.#state.shown;
    this.#release?.();
    this.#display.pause();
    this.#editor = this.#edited(text).then((change) => {
      this.#editor = undefined;
      // Nothing that was typed for the editor reaches a prompt: keys are read afresh.
      if (this.#release !== undefined) this.#listen();
      if (this.#state.shown === id && this.#state.mode.kind === 'busy') this.#state = change(this.#state);
      this.#display.resume();
      this.#display.refresh();
    });
  }

  async #edited(text: string): Promise<(state: PromptState) => PromptState> {
    try {
      const given = await this.#io.edit(text);
      return (state) => edited(state, given);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return (state) => telling(state, why);
    }
  }

  #panel(size: Parameters<typeof promptLines>[1]) {
    if (this.#menu === 'open') {
      const keys = ['i interrupt', 'l detach', 'Enter cancel'];
      return { lines: [[span('Interrupt the run, or detach?', 'warn')], keysLine(keys, size.width)] };
    }
    if (this.#menu === 'stopping') {
      return { lines: [[span('Interrupting the run…', 'warn')], keysLine(['Ctrl-C to detach'], size.width)] };
    }
    const whole = this.#state.mode.kind === 'look' && this.#state.mode.whole;
    return { lines: promptLines(this.#state, size), whole };
  }
}

const DONE: Readonly<Record<Answer['kind'], string>> = {
  approve: 'You approved',
  deny: 'You denied',
  result: 'You sent the result of',
  error: 'You reported an error for',
};
