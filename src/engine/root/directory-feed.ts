/**
 * What a root tells its directory. Owed until it is acknowledged, derived from the record; nothing waits for it.
 *
 * Keeps A28.
 */

import type { TreeReport } from '../../core/tree/directory-report';
import type { RootNode, TopFacts } from '../../core/tree/node';
import type { Environment } from '../environment';

/**
 * Changes wait so long for each other, in ms, and those who follow the tree hear of them first: one root asks its
 * directory for at most four reports a second, however many agents change in that time.
 */
const TOGETHER_MS = 250;

/** Whose standing is reported. */
export interface ReportedRoot {
  self(): RootNode | undefined;
  /** What there is to tell now, and the text by which that is known again. */
  told(self: RootNode): { readonly report: TreeReport; readonly text: string };
  /** Whether the directory does not know yet how the root stands. */
  owesReport(): boolean;
  /** Keeps what the directory was told. */
  note(facts: Pick<TopFacts, 'reported'>): void;
}

/** Tells the directory of changes, one report at a time. A report that fails is owed again when the alarm comes. */
export class DirectoryFeed {
  #sending = false;
  /**
   * Kept for the life of the object: it counts only until the directory has heard of the root, and a directory that was away
   * is not asked at each change, but as often as for others.
   */
  #hasFailed = false;

  constructor(
    readonly root: ReportedRoot,
    readonly environment: Environment,
    readonly send: (self: RootNode, report: TreeReport) => Promise<void>,
  ) {}

  /** Sends what is owed within 250 ms, and that there is this root at once, unless a report is on its way already. */
  tell(): void {
    if (this.#sending || !this.root.owesReport()) return;
    this.#sending = true;
    // Who has begun a root looks for it in the list next; it is told once the turn is over in which the root begins.
    const isNew = this.root.self()?.top.reported === undefined && !this.#hasFailed;
    this.environment.timer(isNew ? 0 : TOGETHER_MS, () => {
      this.#send().catch((error: unknown) => {
        this.#sending = false;
        this.#hasFailed = true;
        this.environment.report('The directory could not be reached; the alarm tries again.', error);
      });
    });
  }

  async #send(): Promise<void> {
    const self = this.root.self();
    // Meanwhile it may have begun to go, with the store that the report is read from.
    if (self !== undefined && this.root.owesReport()) {
      const { report, text } = this.root.told(self);
      await this.send(self, report);
      this.root.note({ reported: text });
    }
    this.#sending = false;
    this.tell();
  }
}
