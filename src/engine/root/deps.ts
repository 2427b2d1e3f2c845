/**
 * What the root's half of a tree reaches.
 *
 * Keeps RT1.
 */
import type { Limits } from '../../core/definition/limits';
import type { AtOnce } from '../../core/ports/agent-store';
import type { TreeStore } from '../../core/ports/tree-store';
import type { TreeReport } from '../../core/tree/directory-report';
import type { RootNode } from '../../core/tree/node';
import type { Environment } from '../environment';
import type { AgentAnswer, AgentMessage } from '../tree-messages';

/** What the root's half is given; everything outside of it is reached through this. */
export interface RootDeps {
  readonly environment: Environment;
  readonly store: TreeStore;
  /** Runs the body in one transaction of the root's object: all of it is kept, or nothing. */
  transaction<Result>(body: () => AtOnce<Result>): Result;
  /** Sends a message to an agent of the tree by its address. Throws when it cannot be reached; twice is harmless. */
  send(address: string, message: AgentMessage): Promise<AgentAnswer>;
  /** Sets the one alarm, in ms since 1970, or takes it back; what was set before is replaced. */
  arm(time: number | undefined): void;
  /** Tells the directory how the root stands, where there is one. Throws when it cannot be told; twice is harmless. */
  report?(self: RootNode, report: TreeReport): Promise<void>;
  /** Agents were taken out of the record: their objects may go, and their slots be used again. */
  released(): void;
  /** Some of these objects are being removed: the alarm brings that back where it is lost. */
  isSweeping(): boolean;
  readonly limits: Limits;
}
