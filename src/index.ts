/**
 * Offshoot: durable trees of AI agents on Cloudflare Durable Objects.
 * Importing this sets what the objects of a Worker work with: the model adapter, the verbs and the sockets.
 */
export type { Action } from './protocol/actions';

import type { LanguageModel } from 'ai';
import type { AgentDefinition } from './core/definition/definition';
import type { ModelPort } from './core/definition/model-port';
import { offlineModel } from './desk/offline-model';
import { setWorkerPorts } from './host/worker-ports';
import { defaultModel as chooseModel } from './model/default';
import { portOf } from './model/port';
import { TreeSockets } from './sockets/tree-sockets';
import { answerVerb } from './verbs/table';

export type { AccessQuestion, Authorize, Grant, Refusal } from './access/auth';
export { type AgentOptions, defineAgent } from './core/definition/define-agent';
export { defineTool, SUBAGENT_TOOL_PREFIX } from './core/definition/define-tool';
export type { AgentDefinition, ModelSource, StepFacts, ToolDefinition } from './core/definition/definition';
export { DEFAULT_LIMITS, type Limits } from './core/definition/limits';
export type { ModelDelta, ModelPort, ModelReply, ModelRequest } from './core/definition/model-port';
export { createSubAgentTool, isSubAgentTool, type SubAgentOptions } from './core/definition/relationship';
export type { ToolContext, ToolFileInfo, ToolFileRange, ToolFiles } from './core/definition/tool-context';
export type { AgentTypes, EnvOf, InitialStateOf, InputOf, OutputOf, StateOf, ToolTypes } from './core/definition/types';
export { offlineModel } from './desk/offline-model';
export { createWorker, type OffshootWorker, type WorkerOptions } from './gateway/create-worker';
export { OffshootRpc } from './gateway/rpc';
export type {
  RpcAddress,
  RpcBytes,
  RpcCaller,
  RpcFailure,
  RpcLevel,
  RpcMethods,
  RpcSuccess,
} from './gateway/rpc-types';
export { AgentObject } from './host/agent-object';
export { OffshootDirectory } from './host/directory-object';
export { describeModel } from './model/default';
export type { Script, ScriptOptions, ScriptStep } from './model/script';
export { routingScriptedModel, type ScriptedModel, scriptedModel } from './model/scripted';
export type { Chunk, SequencedChunk } from './protocol/chunks';
export { chunkSchema } from './protocol/chunks';
export type { DocumentFacts, RootDocuments } from './protocol/documents';
export { type ErrorCode, type Failure, OffshootError } from './protocol/errors';
export type { Json, JsonObject } from './protocol/json';
export {
  createSubAgentResultMessage,
  findUnpairedFinishCallId,
  type Message,
  synthesizeFinishToolResult,
} from './protocol/messages';
export type { Usage } from './protocol/usage';

/**
 * The model that the environment names: `OFFSHOOT_MODEL` (`provider/model`), else the binding `AI`, else `offlineModel`.
 * Use it as the `model` of an agent.
 * @throws OffshootError `invalid_definition` for a wrong setting, naming the variable
 */
export function defaultModel(env: object): Promise<LanguageModel> {
  return chooseModel(env, offlineModel);
}

const ports = new WeakMap<AgentDefinition, { readonly env: unknown; readonly port: ModelPort }>();

/** One adapter for each agent and environment: what it has loaded is used again. */
function portFor(definition: AgentDefinition, env: unknown): ModelPort {
  const known = ports.get(definition);
  if (known?.env === env && known) return known.port;
  const port = portOf(definition.model, env);
  ports.set(definition, { env, port });
  return port;
}

setWorkerPorts({ model: portFor, verb: answerVerb, sockets: (deps) => new TreeSockets(deps) });
