/** `offshoot/react`: runs, inboxes, trees and transcripts of `offshoot/client` for React 19. */
export { OffshootProvider, type OffshootProviderProps, useClient } from './react/client-context';
export { answerOf, type Decision, decisionKey, type WaitingItem } from './react/decision';
export type { RunSnapshot, RunStoreOptions } from './react/run-store';
export type { FieldFacts, FieldKind, SchemaField } from './react/schema-fields';
export {
  itemsOf,
  olderOf,
  type TranscriptItem,
  type TranscriptMessage,
} from './react/transcript-items';
export { type AgentStateOptions, type UsedAgentState, useAgentState } from './react/use-agent-state';
export { type AgentRow, type UsedTree, useAgentTree } from './react/use-agent-tree';
export {
  type ApprovalItem,
  type ApprovalOptions,
  type ApprovalState,
  type FailedApproval,
  type FieldErrors,
  type UsedApproval,
  useApproval,
} from './react/use-approval';
export { type Inbox, type InboxItem, type InboxOfAllOptions, useInbox, useInboxOfAll } from './react/use-inbox';
export type { LeftRequest, LostTry, WatchTries } from './react/use-request';
export {
  type RunActions,
  type RunOptions,
  type RunSource,
  type StartOf,
  type UsedRun,
  useRun,
  useUsage,
  type ViewOptions,
} from './react/use-run';
export { type UsedSchemaForm, useSchemaForm } from './react/use-schema-form';
export { type TranscriptOptions, type UsedTranscript, useTranscript } from './react/use-transcript';
export {
  type RowPressEvent,
  type RowProps,
  type TreeKeyEvent,
  type TreeProps,
  type TreeRow,
  type TreeRowsOptions,
  type UsedTreeRows,
  useTreeRows,
} from './react/use-tree-rows';
