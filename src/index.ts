/**
 * `offshoot`: what defines agents. It loads in a Worker and in plain Node, so that an author's agents can be tested
 * without the Workers runtime; what serves them is `offshoot/worker`.
 */

export { defineEffect, type EffectOptions } from './capabilities/effects/define-effect';
export {
  createRemoteSubAgentTool,
  defineRemoteAgent,
  type RemoteAgentOptions,
  type RemoteSubAgentOptions,
} from './capabilities/remote/define';
export type { AiTool } from './core/definition/ai-tool';
export type { AgentSource, ChildOptions } from './core/definition/children/child-options';
export { isCompanionTool, type PersistentAgent } from './core/definition/children/companion';
export type { RemoteTransportSource } from './core/definition/children/elsewhere';
export { createSubAgentTool, isSubAgentTool, type SubAgentOptions } from './core/definition/children/relationship';
export type { NamedAgents } from './core/definition/children/subagent-config';
export type { Compact, CompactContext, CompactFunction, ContextOptions } from './core/definition/context';
export { type AgentOptions, defineAgent, type PromptAgentOptions } from './core/definition/define-agent';
export {
  COMPANION_TOOL_PREFIX,
  defineTool,
  SUBAGENT_TOOL_PREFIX,
  type ToolBody,
  type ToolOptions,
} from './core/definition/define-tool';
export type {
  AgentDefinition,
  AiModel,
  AiModelSource,
  AnyTool,
  ApprovalContext,
  ChildWorkspace,
  Companion,
  CompanionMode,
  ConcurrentStartRule,
  EffectDefinition,
  FailureRule,
  GivenModels,
  Handoff,
  IdleRule,
  ModelChoice,
  ModelEntry,
  ModelSource,
  ParentSuspendRule,
  PendingMessageRule,
  Price,
  PromptDefinition,
  RateLimiter,
  Relationship,
  RequireApproval,
  ResumableOptions,
  SessionBinding,
  Side,
  SubagentEntry,
  SubagentToolConfig,
  ToolDefinition,
  WorkspaceOptions,
} from './core/definition/definition';
export { type DualAgentOptions, defineDualAgent, type SideConfig } from './core/definition/dual-agent';
export type {
  AgentHooks,
  Hook,
  HookBody,
  HookContext,
  HookedTool,
  HookName,
  HookPayloads,
  RunEnding,
} from './core/definition/hooks/hook-types';
export type { HookedMessage, MessageChanges } from './core/definition/hooks/hooked-message';
export type { AnyHook, AnyHookName, HooksOption } from './core/definition/hooks/hooks';
export {
  type AnyHookOptions,
  defineHook,
  type HookDefinition,
  type HookedResult,
  type HookOptions,
  type StandardHookAnswers,
  type StandardHookName,
  type StandardHookPayloads,
} from './core/definition/hooks/standard-hooks';
export type {
  ClosedStep,
  StepFacts,
  StepPart,
  StepReasoning,
  StepToolCall,
  StepToolError,
  StepToolResult,
  StepUsage,
  StopCondition,
  StopFacts,
} from './core/definition/hooks/stop-when';
export { type Budget, DEFAULT_LIMITS, type Limits } from './core/definition/limits';
export type {
  KeptPart,
  MadeFile,
  ModelDelta,
  ModelPort,
  ModelReply,
  ModelRequest,
  ProviderToolSpec,
  ReplyCall,
  SettingWarning,
  ToolSpec,
} from './core/definition/model-port';
export { definePrompt, type PromptOptions } from './core/definition/prompt';
export {
  type RemoteAgent,
  type RemoteAgentTransport,
  type RemoteAnswer,
  type RemoteBounds,
  type RemoteCall,
  type RemoteCaller,
  RemoteError,
  type RemoteErrorCode,
  type RemoteEvent,
} from './core/definition/remote-transport';
export type {
  ModelSettings,
  ProviderOptions,
  ReasoningOptions,
  StepSettings,
  ToolChoice,
} from './core/definition/settings/settings';
export type {
  ChildThread,
  DescendantThread,
  MessageQueue,
  ParentThread,
  QueueFilesInput,
  QueueMessageInput,
  SubagentRegistryEntry,
  ThreadBelow,
  ThreadState,
} from './core/definition/thread-state';
export type {
  CapabilityContext,
  EffectContext,
  ScheduledEffect,
  ToolContext,
  ToolFileInfo,
  ToolFileRange,
  ToolFiles,
} from './core/definition/tool-context';
export type {
  AgentTypes,
  AuthorsFunction,
  EnvOf,
  FinishesOf,
  InitialStateOf,
  InputOf,
  JsonOf,
  OutputOf,
  StateOf,
  ToolTypes,
} from './core/definition/types';
export type { VariableDefinition } from './core/definition/variables';
export { type ModelFromEnv, type ModelFromEnvOptions, modelFromEnv } from './model/from-env';
export type { ChosenModel, ModelProvider } from './model/provider';
export type { LanguageModel } from './model/resolve';
export type {
  Script,
  ScriptCall,
  ScriptContext,
  ScriptFailure,
  ScriptFunction,
  ScriptOptions,
  ScriptRequest,
  ScriptResult,
  ScriptStep,
  ScriptUsage,
} from './model/script';
export { routingScriptedModel, type ScriptedModel, scriptedModel } from './model/scripted';
export type { Chunk, SequencedChunk } from './protocol/chunks';
export { chunkSchema } from './protocol/chunks';
export { type ErrorCode, type Failure, OffshootError } from './protocol/errors';
export type { Json, JsonLike, JsonObject } from './protocol/json';
export {
  type AssistantPart,
  type CallResult,
  type ContentResult,
  createSubAgentResultMessage,
  type FilePart,
  type FurtherPart,
  findUnpairedFinishCallId,
  type Message,
  type ProviderCallPart,
  type ProviderResultPart,
  type ReasoningPart,
  type ReplyFilePart,
  type SourcePart,
  synthesizeFinishToolResult,
  type TextPart,
  type ToolCallPart,
} from './protocol/messages';
export type { SideName } from './protocol/sides';
export type { Usage } from './protocol/usage';
export type { DocumentFacts, RootDocuments } from './protocol/wire/documents';
