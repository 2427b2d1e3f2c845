/** What a page and the worker that reads a run's log say to each other. */
import type { AgentView } from '../../client';
import type { Row } from './outline';

/** How the connection stands, in the badge's words. */
export type Connection =
  | { readonly kind: 'opening' | 'replaying' | 'live' | 'signed out' }
  | { readonly kind: 'reconnecting'; readonly problem: string }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly title: string };

/** To the worker. */
export type ToWorker =
  | { readonly type: 'open'; readonly server: string; readonly address: string; readonly token: string | undefined }
  | { readonly type: 'select'; readonly address: string };

/** From the worker: what has changed since the last one. */
export interface FromWorker {
  readonly connection: Connection;
  readonly sequence: number;
  /** The first sequence that is held, where older ones were compacted. */
  readonly edge?: number;
  /** Whether all rows of before are void. */
  readonly anew: boolean;
  readonly rows: readonly Row[];
  readonly detail?: AgentView;
}
