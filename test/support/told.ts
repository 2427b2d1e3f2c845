/** The scripts that scripted models of test agents follow: the last user message of a conversation. */

import type { ScriptRequest, ScriptStep } from '../../src/model/script';
import type { Json } from '../../src/protocol/json';

/** One answer; with `gate` it is given only once the gate is open. */
export interface PuppetStep extends ScriptStep {
  readonly gate?: string;
  /** Its `fail` counts until this gate is open. */
  readonly until?: string;
}

/** What an agent does in one run: an answer for each step, then "done". */
interface PuppetScript {
  readonly steps: readonly PuppetStep[];
}

/** The message that makes an agent do this. */
export function told(...steps: PuppetStep[]): string {
  return JSON.stringify({ steps } satisfies PuppetScript);
}

/** A step that calls sub-agents, each with what it does. */
export function calls(name: string, ...scripts: PuppetStep[][]): PuppetStep {
  return { calls: scripts.map((steps) => ({ name: `subagent__${name}`, input: JSON.parse(told(...steps)) })) };
}

/** A step that calls tools, each with its input. */
export function asks(...tools: [name: string, input: Json][]): PuppetStep {
  return { calls: tools.map(([name, input]) => ({ name, input })) };
}

/** A step that takes a note. */
export const noted = (text: string) => ({ calls: [{ name: 'note', input: { text } }] });

/** What an agent was told to answer now. */
export function stepOf(request: ScriptRequest): PuppetStep {
  return scriptOf(request)?.steps[request.step - 1] ?? { text: 'done' };
}

function scriptOf(request: ScriptRequest): PuppetScript | undefined {
  for (const message of request.prompt.toReversed()) {
    if (message.role !== 'user') continue;
    for (const part of message.content.toReversed()) {
      if (part.type !== 'text') continue;
      try {
        // What came with it is told behind it.
        const [said = ''] = part.text.split('\n\nFiles that came');
        const script = JSON.parse(said);
        if (Array.isArray(script.steps)) return { steps: script.steps };
      } catch {
        // An ordinary message: an earlier one is the script.
      }
    }
  }
  return undefined;
}
