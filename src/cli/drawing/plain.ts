/** The run as plain lines, one for each event that says something, for where nothing can be redrawn. Pure. */

import type { SequencedChunk } from '../../protocol/chunks';
import { personOf } from '../../protocol/shown/people';
import { type AgentView, currentRun, findAgent, type TreeView } from '../../protocol/view/view';
import { saidWord } from '../answering/answer';
import { formatCount, formatSpan, plural, tokensOf } from '../terminal/format';
import { type Line, type Span, span } from '../terminal/style';
import { truncate } from '../terminal/text';
import { tailOf, taskOf, toolLabel } from './outline';

/** The longest text of an event in a plain line, in columns. */
const MAX_TEXT = 160;

/**
 * The line that tells of a chunk, or undefined where there is nothing to tell.
 * @param view the view that the chunk has been taken into
 */
export function plainLine(view: TreeView, { chunk }: SequencedChunk): Line | undefined {
  const agent = findAgent(view, chunk.agentId);
  if (agent === undefined) return undefined;
  const told = eventText(view, agent, chunk);
  if (told === undefined) return undefined;
  const began = view.agents[0]?.firstAt ?? chunk.timestamp;
  return [span(formatSpan(chunk.timestamp - began).padStart(6), 'dim'), span(`  ${pathOf(agent)}  `, 'bold'), ...told];
}

/** The way from the top to an agent: `researcher 1~1 > fact-checker 1~1`; the type alone for the top itself. */
function pathOf(agent: AgentView): string {
  const below = agent.address.split('/sub/').slice(1);
  return below.length === 0 ? agent.agentType : below.map((pair) => pair.replace('/', ' ')).join(' > ');
}

function eventText(view: TreeView, agent: AgentView, chunk: SequencedChunk['chunk']): Span[] | undefined {
  switch (chunk.type) {
    case 'run_started':
      return [span(chunk.turn > 1 ? `started turn ${chunk.turn}` : 'started'), ...detail(taskOf(chunk.input))];
    case 'step_started':
      return chunk.speaker === undefined ? undefined : [span(`${chunk.speaker}'s turn`, 'dim')];
    case 'run_recovered':
      return [span(`recovered (${chunk.reason})`, 'warn')];
    case 'step_discarded':
      return [span(`retries the model call (${chunk.reason})`, 'warn')];
    case 'subagent_start': {
      const call = agent.calls.find((each) => each.toolCallId === chunk.callId);
      const task = call === undefined || call.status === 'drafting' ? '' : taskOf(call.arguments);
      return [
        span(`calls ${whoIn(view, chunk)}${chunk.name === undefined ? '' : `, round ${chunk.task}`}`),
        ...detail(task),
      ];
    }
    case 'subagent_message': {
      return [span(`sends ${whoIn(view, chunk)} a message`, 'dim')];
    }
    case 'subagent_status':
      return chunk.statusText === undefined ? undefined : [span(`${chunk.status}: ${chunk.statusText}`, 'dim')];
    case 'custom':
      return chunk.name === 'status' && typeof chunk.data === 'string' ? [span(chunk.data, 'dim')] : undefined;
    case 'tool_start':
    case 'tool_end':
      return toolText(agent, chunk.toolCallId, chunk.type);
    case 'tool_approval_request':
      return [span(`${chunk.toolName} waits for an approval`, 'warn'), ...detail(taskOf(chunk.arguments))];
    case 'client_tool_request':
      return [span(`${chunk.toolName} waits for a result from a person`, 'warn'), ...detail(taskOf(chunk.arguments))];
    case 'tool_answered':
      return answerText(agent, chunk.toolCallId, chunk.approved, chunk.actor);
    case 'run_completed':
      return [span(`completed ${spentOf(agent)}`, 'good')];
    case 'run_failed':
      return [span(`failed: ${chunk.error.message} (${chunk.error.code})`, 'bad')];
    case 'run_interrupted':
      return [span(`interrupted: ${chunk.reason}`, 'warn')];
    case 'run_terminated':
      return [span(`terminated: ${chunk.reason}`, 'warn')];
    default:
      return undefined;
  }
}

/** A sub-agent by its type and its slot or name; one that is called as its type is, by that alone. */
function whoIn(view: TreeView, { subAgentType, subSessionId }: { subAgentType: string; subSessionId: string }): string {
  const child = findAgent(view, subSessionId);
  const tail = child === undefined ? subAgentType : tailOf(child);
  return tail === subAgentType ? subAgentType : `${subAgentType} ${tail}`;
}

function detail(text: string): Span[] {
  return text === '' ? [] : [span(`: ${truncate(span(text).text, MAX_TEXT)}`, 'dim')];
}

function toolText(agent: AgentView, toolCallId: string, type: 'tool_start' | 'tool_end'): Span[] | undefined {
  const call = agent.calls.find((each) => each.toolCallId === toolCallId);
  // Children tell of themselves.
  if (call === undefined || call.toolName.startsWith('subagent__')) return undefined;
  const name = toolLabel(call.toolName);
  if (type === 'tool_start')
    return call.status === 'drafting' ? undefined : [span(name), ...detail(taskOf(call.arguments))];
  if (call.status === 'succeeded') return [span(`${name} done in ${formatSpan(call.endedAt - call.startedAt)}`, 'dim')];
  const why =
    call.status === 'failed' && call.error !== undefined ? `: ${call.error.message} (${call.error.code})` : '';
  return [span(`${name} failed${why}`, 'bad')];
}

function answerText(
  agent: AgentView,
  toolCallId: string,
  approved: boolean | undefined,
  actor: string | undefined,
): Span[] {
  const name = agent.calls.find((each) => each.toolCallId === toolCallId)?.toolName ?? 'the call';
  return [span(`${name} was ${saidWord(approved)}${actor === undefined ? '' : ` by ${personOf(actor)}`}`, 'dim')];
}

function spentOf(agent: AgentView): string {
  const run = currentRun(agent);
  const steps = run?.steps.length ?? 0;
  const time = run === undefined ? '' : `, ${formatSpan((run.end?.at ?? agent.lastAt) - run.startedAt)}`;
  return `(${plural(steps, 'step')}, ${formatCount(tokensOf(agent.usage))} tokens${time})`;
}
