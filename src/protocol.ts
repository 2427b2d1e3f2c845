/**
 * `offshoot/protocol`: what every reader of the wire shares, in a browser too: chunks with their schema, errors,
 * addresses, statuses, frames, the reducer and the view. Schemas need `zod`. What only a server makes (failures, results
 * of calls, sums of usage) is not here.
 */

export { formatAddress, isWithin, type Level, type ParsedAddress, parseAddress } from './protocol/address';
export {
  type AwaitedAnswer,
  type AwaitedChild,
  type BodyOf,
  CHUNKS,
  type Chunk,
  type ChunkBase,
  type ChunkBody,
  type ChunkType,
  chunkBaseSchema,
  chunkSchema,
  isQuiet,
  isWireChunk,
  type SequencedChunk,
} from './protocol/chunks';
export {
  ERROR_CODES,
  type ErrorCategory,
  type ErrorCode,
  type Failure,
  MAX_ERROR_DETAILS,
  MAX_ERROR_TEXT,
  OffshootError,
  type ShownFailure,
} from './protocol/errors';
export type { Json, JsonLike, JsonObject } from './protocol/json';
export {
  type AssistantPart,
  type CallResult,
  FINISH_TOOL,
  type FilePart,
  type FurtherPart,
  MESSAGE_ROLES,
  type Message,
  type MessageRole,
  type ProviderCallPart,
  type ProviderResultPart,
  type ReasoningPart,
  type ReplyFilePart,
  type SourcePart,
  type TextPart,
  type ToolCallPart,
  unpairedCalls,
} from './protocol/messages';
export type { Problem } from './protocol/problem';
export { stepSources } from './protocol/replies/sources';
export { ACTIONS, type Action } from './protocol/shown/actions';
export {
  isAtRest,
  isEndChunk,
  isEnded,
  isSuspended,
  RUN_STATUSES,
  SESSION_STATUSES,
  type SessionStatus,
  SUSPENDED_STATUSES,
  type SuspendedStatus,
} from './protocol/status';
export { isTraceparent, traceparentSchema } from './protocol/trace';
export { addUsage, NO_USAGE, type Usage } from './protocol/usage';
export { SOCKET_CLOSES } from './protocol/view/closes';
export { type Reduction, reduce, reduceAll } from './protocol/view/reduce';
export {
  type AgentView,
  type CallAnswer,
  type CallBase,
  type CallView,
  type CompanionView,
  type CustomView,
  companionsOf,
  currentRun,
  currentStep,
  type DelegationOutcome,
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
  type RunEnd,
  type RunView,
  type SourceView,
  type StepView,
  stepText,
  stepThinking,
  type TreeView,
  topAgents,
  treeUsage,
  viewFrom,
  type WaitingCall,
} from './protocol/view/view';
export { ANSWER_KINDS, type AnswerKind, PENDING_KINDS, type PendingKind } from './protocol/view/waiting';
export type { DocumentFacts, RootDocuments } from './protocol/wire/documents';
export {
  type ClientFrame,
  clientFrameSchema,
  type ServerFrame,
  serverFrameSchema,
  type UnreadFrame,
  type WrittenFrame,
} from './protocol/wire/frames';
export {
  forkAccepted,
  forkInput,
  MAX_ANSWER_TEXT,
  resumeAccepted,
  resumeInput,
  sendAccepted,
  sendInput,
  startAccepted,
  startInput,
  stopAccepted,
  stopInput,
  submitAccepted,
  submitInput,
} from './protocol/wire/requests';
export { WIRE_LIMITS } from './protocol/wire/wire-limits';
