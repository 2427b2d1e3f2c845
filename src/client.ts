/**
 * `offshoot/client`: for a browser, and for Node from 20 on. It knows the wire alone and needs no dependency at run time.
 */
export type { Clock } from './client/again';
export {
  type CallOptions,
  type ChangeOptions,
  type Client,
  type ClientFollowOptions,
  type ClientOptions,
  createClient,
  type PageOptions,
  type Watched,
} from './client/client';
export { ClientError, type Problem, ProtocolError, Refused, Unreachable } from './client/errors';
export type { FollowEvent, FollowOptions } from './client/follow';
export { type WatchedState, watchState } from './client/live-state';
export { type DeepPartial, type WatchedOutput, watchOutput } from './client/partial-output';
export type { SocketClass } from './client/socket-source';
export type { Chunk, ChunkBody, ChunkType, SequencedChunk } from './protocol/chunks';
export type { ErrorCode, ShownFailure } from './protocol/errors';
export type { Json, JsonObject } from './protocol/json';
export { stepSources } from './protocol/replies/sources';
export type { ShownControl, ShownControls, VerbRefusal } from './protocol/shown/controls';
export { isAtRest, isEnded, isSuspended, type SessionStatus } from './protocol/status';
export type { Usage } from './protocol/usage';
export { type Reduction, reduce, reduceAll } from './protocol/view/reduce';
export {
  type AgentView,
  type CallView,
  type CompanionView,
  companionsOf,
  currentRun,
  currentStep,
  type DelegationView,
  type DiscardedAttempt,
  emptyView,
  type FurtherView,
  findAgent,
  type MessageView,
  type PartView,
  type PendingView,
  type ProviderToolView,
  pendingOf,
  type RecoveryView,
  type ReplyFileView,
  type RunView,
  type SourceView,
  type StatePatchView,
  type StepView,
  stepText,
  stepThinking,
  type TreeView,
  topAgents,
  treeUsage,
  viewFrom,
} from './protocol/view/view';
export type { ChildCounts, TreeShown, UnacknowledgedStop } from './protocol/wire/shapes';
export type { Acceptances, Bodies, Children, Document, Page, Transcript } from './protocol/wire/wire-types';
