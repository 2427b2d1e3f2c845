/** What a page and the worker that reads a run's log say to each other. */
import type { DetailPatch } from './tree/detail-patch';
import type { OutlineChanges } from './tree/outline';

/** How the connection stands, in the badge's words. */
export type Connection =
  | { readonly kind: 'opening' | 'live' | 'signed out' }
  /** Older events are read: up to this sequence of about so many. */
  | { readonly kind: 'replaying'; readonly at: number; readonly of: number }
  /** Back after a cut, and not at the end yet. */
  | { readonly kind: 'catching up' }
  | {
      readonly kind: 'reconnecting';
      readonly problem: string;
      /** How many tries in a row have failed. */
      readonly tries: number;
      /** When it was cut, and when it is tried again, in ms since 1970; 0 while it is being tried. */
      readonly lostAt: number;
      readonly nextAt: number;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly title: string };

/** To the worker. */
export type ToWorker =
  | { readonly type: 'open'; readonly server: string; readonly address: string; readonly token: string | undefined }
  | { readonly type: 'select'; readonly address: string }
  /** Somebody wants the server tried now. */
  | { readonly type: 'try' }
  /** What was told last is on the screen. */
  | { readonly type: 'drawn' }
  /** About where the log ends, as the tree has told. */
  | { readonly type: 'end'; readonly sequence: number };

/** The selected agent, as far as it has changed. */
export interface DetailChange {
  readonly patch: DetailPatch | undefined;
  /** Whether older steps of it are not held. */
  readonly cut: boolean;
  /** Whether it is still read. */
  readonly loading: boolean;
}

/** From the worker: what has changed since the last one. */
export interface FromWorker {
  readonly connection: Connection;
  readonly over: 'socket' | 'sse';
  readonly sequence: number;
  /** The first sequence that is held, where older ones were compacted. */
  readonly edge?: number;
  /** Whether all rows of before are void. */
  readonly anew: boolean;
  readonly outline: OutlineChanges;
  readonly detail?: DetailChange;
}
