/** Which role the offline model plays, and how it plays for agents that it does not know. */
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { beginningOf } from '../../protocol/content/cut';
import type { Json } from '../../protocol/json';
import { isObject, toJson } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';
import { playCoordinator } from './coordinator';
import { playCritic } from './critic';
import { playFactChecker } from './fact-checker';
import type { OfflineReply } from './reply';
import { say } from './reply';
import { playResearcher } from './researcher';
import { playReviewer } from './reviewer';
import { smallestValue } from './smallest';
import type { Turn } from './transcript';
import { readTurn } from './transcript';
import { playWriter } from './writer';

interface Role {
  readonly agentType: string;
  /** Without these it cannot be played. */
  readonly tools: readonly string[];
  /** Those whose success ends a turn, besides `__finish__`. */
  readonly endTools?: readonly string[];
  readonly play: (turn: Turn) => OfflineReply;
}

const ROLES: readonly Role[] = [
  {
    agentType: 'coordinator',
    tools: [
      'add_to_library',
      'subagent__researcher',
      'companion__spawnAgent',
      'subagent__writer',
      'publish_report',
      'withdraw_report',
    ],
    endTools: ['publish_report', 'withdraw_report'],
    play: playCoordinator,
  },
  {
    agentType: 'researcher',
    tools: ['search_library', 'read_passage', 'subagent__fact-checker', FINISH_TOOL],
    play: playResearcher,
  },
  { agentType: 'fact-checker', tools: ['check_quotation', FINISH_TOOL], play: playFactChecker },
  // It has the fact-checker's tools, so its type alone tells it.
  { agentType: 'critic', tools: ['check_quotation', FINISH_TOOL], play: playCritic },
  // The two sides of one agent: the tools tell which.
  { agentType: 'writer', tools: ['hand_in_draft'], play: playWriter },
  { agentType: 'writer', tools: ['approve_text', 'refuse_text'], play: playReviewer },
];

function roleOf(options: LanguageModelV4CallOptions, offered: ReadonlySet<string>): Role | undefined {
  const able = ROLES.filter(({ tools }) => tools.every((tool) => offered.has(tool)));
  const agentType = options.providerOptions?.offshoot?.agentType;
  return able.find((role) => role.agentType === agentType) ?? able[0];
}

const asJson = (value: unknown): Json => {
  const json = toJson(value);
  return json.ok ? json.json : null;
};

function smallestCall(tool: LanguageModelV4FunctionTool, text: string): OfflineReply {
  const input = smallestValue(asJson(tool.inputSchema));
  return { text, calls: [{ toolName: tool.name, input: isObject(input) ? input : {} }] };
}

const WHAT_I_AM =
  'I am the offline model of Offshoot: a set of rules, not a language model. I can work the research desk, but I cannot do what this agent is for. Name a model in OFFSHOOT_MODEL, with the key of its provider, to give it one.';

/** The reply for an agent of the user's own: honest, and valid where it must be. */
function playUnknown(options: LanguageModelV4CallOptions, tools: readonly LanguageModelV4FunctionTool[]): OfflineReply {
  const request = readTurn(options.prompt).requests.at(-1);
  const text =
    request === undefined
      ? WHAT_I_AM
      : `${WHAT_I_AM} You asked: “${beginningOf(request, 200)}${request.length > 200 ? '…' : ''}”`;
  const format = options.responseFormat;
  if (format?.type === 'json')
    return say(JSON.stringify(format.schema === undefined ? {} : smallestValue(asJson(format.schema))));
  const choice = options.toolChoice;
  const named = choice?.type === 'tool' ? tools.find(({ name }) => name === choice.toolName) : undefined;
  const finish = choice?.type === 'none' ? undefined : tools.find(({ name }) => name === FINISH_TOOL);
  const call = named ?? finish ?? (choice?.type === 'required' ? tools[0] : undefined);
  return call === undefined ? say(text) : smallestCall(call, text);
}

/** Decides the reply to a prompt, from the prompt and the tools alone. */
export function decide(options: LanguageModelV4CallOptions): OfflineReply {
  const tools = (options.tools ?? []).filter((tool) => tool.type === 'function');
  const role =
    options.toolChoice?.type === 'none' ? undefined : roleOf(options, new Set(tools.map(({ name }) => name)));
  return role === undefined ? playUnknown(options, tools) : role.play(readTurn(options.prompt, role.endTools));
}
