/**
 * Where an object runs: everything that it reaches outside of itself.
 *
 * Keeps EG3.
 */
import type { Seat } from '../../core/agent/seat';
import type { AgentState, RootLocation } from '../../core/agent/state';
import type { AgentDefinition } from '../../core/definition/definition';
import type { ModelPort } from '../../core/definition/model-port';
import type { HostTransports } from '../../core/ports/child-transport';
import type { DirectoryPort, RootClaimsPort } from '../../core/ports/directory';
import type { FileStore } from '../../core/ports/file-store';
import type { ObjectStores } from '../../core/ports/object-stores';
import type { Vault } from '../../core/ports/vault';
import type { Failure } from '../../protocol/errors';
import type { Action } from '../../protocol/shown/actions';
import type { Capability } from '../capability';
import type { Environment } from '../environment';
import type { RootAnswer, RootRequest } from '../tree-messages';
import type {
  CapabilityAnswer,
  CapabilityCall,
  ChildCalls,
  FilesAnswer,
  FilesCall,
  RequestOpening,
  RightNow,
  SocketAnswer,
  SocketCall,
  ThreadAnswer,
  ThreadCall,
  VariablesAnswer,
  VariablesCall,
  VerbAnswer,
  VerbCall,
} from './object-calls';

/** A facet that an author's code has made: no agent of the tree. */
export interface OwnFacet {
  readonly className: string;
  readonly name: string;
  /** In ms since 1970. */
  readonly createdAt: number;
}

/** Where an object runs and what it reaches; `Of` is what such an object is. */
export interface ObjectPorts<Of> {
  readonly environment: Environment;
  /** That of its class: what a session begins with, and what the tree and the documents of a root keep to. */
  readonly definition: AgentDefinition;
  /**
   * What a session of that state works by. Asked at each event and effect, so it must follow from the state alone, give
   * the same seat for the same definition (`seatOf`), and not throw.
   */
  seat(state: AgentState): Seat;
  /** Those of this version. */
  readonly capabilities: readonly Capability[];
  readonly stores: ObjectStores;
  readonly files: FileStore;
  /** Seals what variables are given. */
  readonly vault: Vault;
  /** Resolves once all that was committed to the storage survives a crash. */
  durable(): Promise<void>;
  /** Whether an address is that of this object. It is another one in a memory that no session of this object has taken over. */
  isAt(address: string): boolean;
  /** Set for a top-level object, which has an alarm and a log of its own: where it is. */
  readonly topLevel: RootLocation | undefined;
  model(definition: AgentDefinition, at: number): Promise<ModelPort>;
  /** It is a child's, and no facet: it has an alarm of its own. */
  readonly standsAlone?: true;
  /** How children are reached, by where they live. */
  readonly transports: HostTransports<ChildCalls>;
  /** Takes what an agent below a root has to say to that root. @throws where it was not reached, or its answer was lost */
  askRoot(root: RootLocation, request: RootRequest): Promise<RootAnswer>;
  /** The same for what is asked of the files of an agent of its tree. */
  askFiles(root: RootLocation, call: FilesCall): Promise<FilesAnswer>;
  /** The same for what is asked of the variables of those above. */
  askVariables(root: RootLocation, call: VariablesCall): Promise<VariablesAnswer>;
  /** The same for what a session says to its parent. */
  askThread(root: RootLocation, call: ThreadCall): Promise<ThreadAnswer>;
  /** Calls the object of another root, for a capability. @throws where it was not reached */
  askOther(root: RootLocation, call: CapabilityCall): Promise<CapabilityAnswer>;
  /** Sets the one alarm of a top-level object, in ms since 1970, or takes it back. */
  arm(time: number | undefined): void;
  /** The directory of a root's class, where there is one. */
  directory?(): DirectoryPort | undefined;
  /** The claims of a caller's new roots, where there is a directory. */
  rootClaims?(caller: string): RootClaimsPort | undefined;
  /** Takes a child's own object from storage and memory, soon after this call. */
  erase?(): void;
  /** Gives out a pass for a socket, where sockets are. */
  socket?(call: SocketCall): SocketAnswer | Promise<SocketAnswer>;
  /** The facets that its author has made beside its children, by the names that the object has for those; oldest first. */
  ownFacets?(): readonly OwnFacet[];
  /** True for an agent with a class of its own, whose author may make facets. */
  mayHaveFacets?(className: string): boolean;
  /** Asks authors' hooks about a way to a sub-agent; undefined at once where there is none. Resolves to why it is refused. */
  refusal?(call: Pick<VerbCall, 'path' | 'asked'>): Promise<{ readonly error: Failure } | undefined> | undefined;
  /** Whether what a request opened may still be done. Without this, rights stay. */
  access?(opening: RequestOpening, question: { readonly address: string; readonly action: Action }): Promise<RightNow>;
  /** A token was taken back: what it has opened ends. */
  revoked?(): void;
  /** Answers a verb at this object. */
  verb(object: Of, call: VerbCall): Promise<VerbAnswer>;
}
