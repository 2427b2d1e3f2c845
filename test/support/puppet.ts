/**
 * A model that does what it is told: the last user message of a conversation is a script. So each test says in its own
 * start what the agents of its tree do, and tests do not share anything.
 */
import { vi } from 'vitest';
import type { Json } from '../../src/core/json';
import type { ScriptRequest, ScriptStep } from '../../src/model/script';
import { scriptedModel } from '../../src/model/scripted';

/** One answer; with `gate` it is given only once the gate is open. */
export interface PuppetStep extends ScriptStep {
  readonly gate?: string;
}

/** What an agent does in one run: an answer for each step, then "done". */
export interface PuppetScript {
  readonly steps: readonly PuppetStep[];
}

const open = new Set<string>();

/** Opens a gate: whoever waits at it goes on, and whoever comes later. */
export function openGate(name: string): void {
  open.add(name);
}

const came = new Map<string, number>();

/** How many have come to a gate. */
export function cameTo(name: string): number {
  return came.get(name) ?? 0;
}

/** Looks again and again: a promise that another object resolves would not wake this one in time. */
export async function pass(name: string): Promise<void> {
  came.set(name, cameTo(name) + 1);
  await vi.waitUntil(() => open.has(name), { interval: 2, timeout: 60_000 });
}

/** The message that makes an agent do this. */
export function told(...steps: PuppetStep[]): string {
  return JSON.stringify({ steps } satisfies PuppetScript);
}

/** A step that calls sub-agents, each with what it does. */
export function calls(name: string, ...scripts: PuppetStep[][]): PuppetStep {
  return { calls: scripts.map((steps) => ({ name: `subagent__${name}`, input: { steps } as unknown as Json })) };
}

/** A step that calls tools, each with its input. */
export function asks(...tools: [name: string, input: Json][]): PuppetStep {
  return { calls: tools.map(([name, input]) => ({ name, input })) };
}

function scriptOf(request: ScriptRequest): PuppetScript | undefined {
  for (const message of request.prompt.toReversed()) {
    if (message.role !== 'user') continue;
    for (const part of message.content.toReversed()) {
      if (part.type !== 'text') continue;
      try {
        const script = JSON.parse(part.text) as Partial<PuppetScript>;
        if (Array.isArray(script.steps)) return { steps: script.steps };
      } catch {
        // An ordinary message: an earlier one is the script.
      }
    }
  }
  return undefined;
}

const begun = new Map<string, number>();

/** Counts one more beginning of what may begin once: a body of a tool by its key, a model call by its session and step. */
export function begins(what: string): void {
  begun.set(what, (begun.get(what) ?? 0) + 1);
}

/** How often each thing has begun since this was asked last; what has not is not in it. */
export function takeBegun(): ReadonlyMap<string, number> {
  const taken = new Map(begun);
  begun.clear();
  return taken;
}

/** The model of all test agents. */
export const puppet = scriptedModel(
  async (request) => {
    begins(`model ${request.sessionId} ${request.step}`);
    const { gate: name, ...step } = scriptOf(request)?.steps[request.step - 1] ?? { text: 'done' };
    if (name !== undefined) await pass(name);
    return step;
  },
  { record: false },
);
