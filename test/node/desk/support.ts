/** What the desk's tests share: a library in memory, a context for tools, and prompts as the AI SDK gives them. */

import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import * as z from 'zod';
import { seatOf } from '../../../src/core/agent/seat';
import type { AgentDefinition, ToolDefinition } from '../../../src/core/definition/definition';
import type { ToolContext } from '../../../src/core/definition/tool-context';
import { defineDesk } from '../../../src/desk/agents';
import { LibraryStore } from '../../../src/desk/library-store';
import { type LibraryDocument, type LibraryShelf, SHARED_LIBRARY } from '../../../src/desk/library-types';
import type { OfflineReply } from '../../../src/desk/offline/reply';
import { decide } from '../../../src/desk/offline/roles';
import { offlineModel } from '../../../src/desk/offline-model';
import { atOnce } from '../../../src/desk/portions';
import { noticeOptions } from '../../../src/model/origin';
import { OffshootError } from '../../../src/protocol/errors';
import type { Json, JsonObject } from '../../../src/protocol/json';
import { nodeStorage } from '../../../src/testing/node-storage';
import { present } from '../../support/present';

/** A document of the library, from its Markdown. */
export function document(name: string, text: string): LibraryDocument {
  return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, source: `${name}.md`, text };
}

/** A library in memory that holds these documents. */
export function libraryOf(...documents: LibraryDocument[]): LibraryStore {
  const store = new LibraryStore(nodeStorage());
  store.seed('test', documents);
  return store;
}

/** A library as its object gives it. */
function shelfOf(first: LibraryStore): LibraryShelf {
  let store = first;
  return {
    add: (upload) => store.add(upload),
    copy: (document) => atOnce(store.copying(document)),
    copyOf: (name) => store.copyOf(name),
    remove: (name) => store.remove(name),
    list: () => store.list(),
    search: (search) => store.search(search),
    read: (...asked) => store.read(...asked),
    forget: () => {
      store = new LibraryStore(nodeStorage());
    },
  };
}

/** An environment whose shared library is this one; each root has a library of its own beside it. */
export function envOf(library: LibraryStore): { LIBRARY: { getByName(name: string): LibraryShelf } } {
  const shelves = new Map([[SHARED_LIBRARY, shelfOf(library)]]);
  return {
    LIBRARY: {
      getByName(name) {
        const shelf = shelves.get(name) ?? shelfOf(new LibraryStore(nodeStorage()));
        shelves.set(name, shelf);
        return shelf;
      },
    },
  };
}

/** A tool's context over a library, with files in memory and what it emitted. */
export function contextOf(
  env: unknown,
  files: Record<string, { text: string; mediaType: string }> = {},
  address = '/agents/coordinator/test',
) {
  const kept = new Map(Object.entries(files));
  const emitted: string[] = [];
  const textOf = (path: string): string => {
    const file = kept.get(path);
    if (file === undefined) throw new OffshootError('not_found', `No file ${path}.`);
    return file.text;
  };
  const infoOf = (path: string) => {
    const { text, mediaType } = kept.get(path) ?? { text: '', mediaType: '' };
    return { path, size: Buffer.byteLength(text), mediaType, version: '', updatedAt: 0 };
  };
  const context: ToolContext<never> = {
    getState: () => {
      throw new Error('The desk has no state.');
    },
    updateState: () => {
      throw new Error('The desk has no state.');
    },
    emit: (text) => emitted.push(text),
    emitCustom: () => undefined,
    thread: {
      threadId: 'coordinator/test',
      children: [],
      terminated: null,
      getChildThread: async () => null,
      getParentThread: async () => null,
      queueMessage: async () => undefined,
      updateMessage: async () => undefined,
      terminate: async () => undefined,
    },
    variable: async () => undefined,
    scheduleEffect: async () => '',
    getScheduledEffects: async () => [],
    removeScheduledEffect: async () => false,
    abortSignal: new AbortController().signal,
    idempotencyKey: 'key',
    agent: { type: 'coordinator', sessionId: 's_1', address, runId: 'r_1' },
    files: {
      list: async (prefix = '') => [...kept.keys()].filter((path) => path.startsWith(prefix)).map(infoOf),
      stat: async (path) => (kept.has(path) ? infoOf(path) : undefined),
      read: async (path) => new TextEncoder().encode(textOf(path)),
      readText: async (path) => textOf(path),
      stream: async (path) => new Blob([textOf(path)]).stream(),
      write: async (path, content, options) => {
        kept.set(path, { text: String(content), mediaType: options?.mediaType ?? 'text/plain' });
        return infoOf(path);
      },
      remove: async (path) => {
        kept.delete(path);
      },
    },
    env,
    recordUsage: () => undefined,
  };
  return { context, emitted, file: (path: string) => kept.get(path)?.text };
}

/** Runs a tool's body on validated input, as the host does. What it throws is thrown. */
export async function runTool(tool: ToolDefinition, input: unknown, context: ToolContext<never>): Promise<Json> {
  const result: unknown = await tool.execute?.(z.parse(tool.inputSchema, input), context);
  return JSON.parse(JSON.stringify(result));
}

/** Whether a tool asks a person about a validated input, as the host finds out. What its function throws is thrown. */
export async function asksForApproval(
  tool: ToolDefinition,
  input: unknown,
  context: ToolContext<never>,
): Promise<boolean> {
  const { requireApproval } = tool;
  if (typeof requireApproval === 'boolean') return requireApproval;
  return requireApproval(z.parse(tool.inputSchema, input), {
    state: {},
    env: context.env,
    agent: context.agent,
  });
}

/** The desk on the offline model. */
export const desk = defineDesk({ model: offlineModel });

/** The tools that a model is offered for an agent. */
export function offered(agent: AgentDefinition): NonNullable<LanguageModelV4CallOptions['tools']> {
  return seatOf(agent).tools.map(({ name, description, inputSchema }) => ({
    ...{ type: 'function' as const, name, description, inputSchema },
  }));
}

/** A conversation that grows step by step, seen by the offline model. */
export class Conversation {
  readonly prompt: LanguageModelV4Prompt;
  readonly #agent: AgentDefinition;

  constructor(agent: AgentDefinition, request: string | JsonObject) {
    this.#agent = agent;
    this.prompt = [{ role: 'system', content: String(agent.systemPrompt) }];
    this.say(typeof request === 'string' ? request : JSON.stringify(request));
  }

  get options(): LanguageModelV4CallOptions {
    return {
      prompt: this.prompt,
      tools: offered(this.#agent),
      providerOptions: { offshoot: { agentType: this.#agent.name } },
    };
  }

  /** Adds a user's message. */
  say(text: string): void {
    this.prompt.push({ role: 'user', content: [{ type: 'text', text }] });
  }

  /** Adds what Offshoot itself says. */
  notice(text: string): void {
    this.prompt.push({ role: 'user', content: [{ type: 'text', text }], providerOptions: noticeOptions() });
  }

  /** What the model replies now. */
  reply(): OfflineReply {
    return decide(this.options);
  }

  /** Adds a reply with the results of its calls, in order. */
  add(reply: OfflineReply, ...results: Json[]): void {
    const ids = reply.calls.map((_, index) => `c_${this.prompt.length}_${index}`);
    this.prompt.push({
      role: 'assistant',
      content: [
        { type: 'text', text: reply.text },
        ...reply.calls.map(({ toolName, input }, index) => ({
          type: 'tool-call' as const,
          toolCallId: present(ids[index]),
          toolName,
          input,
        })),
      ],
    });
    for (const [index, { toolName }] of reply.calls.entries()) {
      const output = { type: 'json' as const, value: JSON.parse(JSON.stringify(results[index])) };
      this.prompt.push({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: present(ids[index]), toolName, output }],
      });
    }
  }
}

/** How a model is told that a person denied its report. */
function denialOf(reason: string): string {
  const why = reason === '' ? '' : ` The reason given: ${reason}`;
  return `A person did not allow the call of "publish_report", and it did not run.${why}`;
}

/** What the call of a denied report looks like to a model. */
export function denied(reason: string): Json {
  return failed(denialOf(reason), 'approval_denied');
}

/** What the call of a critic that passes a draft looks like to a model. */
export function passed(task = 1): Json {
  const output = { verdict: 'pass', points: [], note: `Round ${task}.` };
  return { name: 'critic', task, status: 'completed', output };
}

/** What a failed call looks like to a model. */
export function failed(error: string, code = 'tool_failed'): Json {
  return { success: false, error, code };
}
