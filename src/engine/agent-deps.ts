/**
 * What an agent is given to work with: its store, its root, its children, and where it runs.
 *
 * Keeps EG1.
 */
import type { LackedVariables } from '../core/agent/events';
import type { Seat } from '../core/agent/seat';
import type { AgentState, Awaits, RootLocation, Session } from '../core/agent/state';
import type { AgentDefinition } from '../core/definition/definition';
import type { ModelPort } from '../core/definition/model-port';
import type { AgentStore } from '../core/ports/agent-store';
import type { ChildTransport } from '../core/ports/child-transport';
import type { KeptFiles } from '../core/ports/file-store';
import type { WorkFiles } from '../core/ports/work-files';
import type { Lease } from '../core/tree/lease';
import type { Capability } from './capability';
import type { Environment } from './environment';
import type { ChildCalls, FilesAnswer, FilesCall, ThreadAnswer, ThreadCall } from './object/object-calls';
import type { OutboxOwner } from './outbox';
import type { RootLink } from './root-link';

/** What an agent reaches of the world outside it. */
export interface AgentDeps {
  readonly environment: Environment;
  readonly store: AgentStore;
  /** Whether a session is of this object, and not one whose memory lies here for another one to take over. */
  isOwn(session: Session): boolean;
  /** Those of this version. */
  readonly capabilities: readonly Capability[];
  /** What a session of that state works by. */
  seat(state: AgentState): Seat;
  /**
   * One of the models of a definition, by its place. Resolved on first use, so that a model that cannot be configured fails
   * the run and not the object.
   */
  model(definition: AgentDefinition, at: number): Promise<ModelPort>;
  /** The way to its children, wherever they live. */
  readonly children: Required<ChildTransport<ChildCalls>>;
  /** When what is owed to children elsewhere that have left is due next, in ms since 1970. */
  owedAt(): number | undefined;
  /** The files that a session works on. */
  files(session: Session): WorkFiles;
  /** The value of a variable for a session of that state; undefined where nobody gave one. @throws OffshootError */
  variable(state: AgentState, name: string): Promise<string | undefined>;
  /** What the graph of a child lacks of variables; undefined where nothing. @throws OffshootError */
  lacks(state: AgentState, child: AgentDefinition): Promise<LackedVariables | undefined>;
  /** Removes the session's own files; called in the transaction of the event that begins a further task without them. */
  clearFiles(): void;
  /** Says something to its parent. @throws where that was not reached */
  askThread(root: RootLocation, call: ThreadCall): Promise<ThreadAnswer>;
  /** What is kept of the session's own files for others, and what came for it. */
  readonly kept: KeptFiles;
  /** Asks for something of the files of an agent of its tree. @throws where that was not reached */
  askFiles(root: RootLocation, call: FilesCall): Promise<FilesAnswer>;
  /** Resolves once all that was committed survives a crash. */
  durable(): Promise<void>;
  /** What the agent may spend to begin with. */
  readonly lease?: Lease;
  /** Called in the transaction that creates the session. */
  created?(session: Session): void;
  /** Called in the transaction of an event that begins a run which goes on with no other. */
  runBegins?(turn: number, openTasks: readonly Awaits[]): void;
  /** How the agent speaks to its root; `sink` is its own way for chunks. */
  root(state: AgentState, owner: OutboxOwner): RootLink;
}
