/** A desk's run that waits for a person: its log, its list, and a server and a terminal to answer at. */

import { expect, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { type FakeServer, fakeServer } from '../../support/fake-server';
import { LOG_START, type Log, type LogAgent, newLog } from '../../support/log';
import { type Given, type Trial, tryAsk } from './surroundings';
import { VirtualTerminal } from './virtual-terminal';

/** What the coordinator wants to publish. */
export const ARGUMENTS = {
  title: 'How an interrupt travels',
  summary: 'It reaches every agent below.',
  sections: [
    {
      heading: 'Downwards',
      text: 'A stop is a committed record. [1]',
      citations: [{ document: 'guarantees', passage: 'guarantees#3', quotation: 'A stop is both durable' }],
    },
  ],
  openQuestions: ['How long does it take?'],
};
export const REPORT = '# Report\n\nIt travels down.';
export const ADDRESS = '/agents/coordinator/cedar-3f9k';
/** The virtual time of the command is a minute after the log's begin; the approval expires half an hour later. */
export const EXPIRES_AT = LOG_START + 60_000 + 30 * 60_000;

/** The approval that waits, as the server lists it. */
export function approval(change: JsonObject = {}): JsonObject {
  return {
    toolCallId: 'c_9',
    kind: 'approval',
    toolName: 'publish_report',
    input: ARGUMENTS,
    inputHash: 'h_9',
    address: ADDRESS,
    agentType: 'coordinator',
    requestedAt: LOG_START + 5_000,
    expiresAt: EXPIRES_AT,
    ...change,
  };
}

/** A tool of the person's own machine that waits for its result. */
export function clientTool(change: JsonObject = {}): JsonObject {
  return approval({
    toolCallId: 'c_8',
    kind: 'client-tool',
    toolName: 'read_clipboard',
    input: { lines: 3 },
    ...change,
  });
}

/** A run that waits, on a server, and what a test makes of it. */
export interface WaitingDesk extends AsyncDisposable {
  readonly server: FakeServer;
  readonly log: Log;
  readonly root: LogAgent;
  /** Takes a call off the list and writes its answer into the log. */
  answered(toolCallId: string, said?: { readonly approved?: boolean; readonly actor?: string }): void;
  /** Adds a call that waits. */
  asks(item: JsonObject): void;
  /** The run goes on and completes. */
  completes(): void;
  /** The run ends as interrupted. */
  isInterrupted(): void;
}

/** Starts a server with a run that is suspended for these calls. */
export async function waitingDesk(items: readonly JsonObject[] = [approval()]): Promise<WaitingDesk> {
  const log = newLog();
  const root = log.root('coordinator', 'cedar-3f9k').run('r_root', 'How does an interrupt travel?').step(1);
  const server = await fakeServer({ entries: log.entries, status: 'running', output: REPORT });
  server.know(ADDRESS);
  const desk: WaitingDesk = {
    server,
    log,
    root,
    answered(toolCallId, said = {}) {
      const { behaviour } = server;
      const item = behaviour.pending.find((each) => each.toolCallId === toolCallId);
      behaviour.pending = behaviour.pending.filter((each) => each !== item);
      const kind = item?.kind === 'client-tool' ? 'client-tool-result' : 'approval-response';
      root.emit({ type: 'tool_answered', toolCallId, kind, ...said });
      server.becomes(behaviour.run.status);
    },
    asks(item) {
      const toolCallId = String(item.toolCallId);
      const toolName = String(item.toolName);
      const { input = null, expiresAt } = item;
      const kind = item.kind === 'client-tool' ? 'client-tool' : 'approval';
      const until = typeof expiresAt === 'number' ? expiresAt : undefined;
      root.tool(toolCallId, toolName, input).asks(kind, toolCallId, toolName, input, until);
      server.behaviour.pending.push(item);
      root.emit({
        type: 'suspended',
        status: 'suspended_client_tool',
        pending: [{ toolCallId, toolName, kind }],
        children: [],
      });
      server.becomes('suspended_client_tool');
    },
    completes() {
      root.emit({ type: 'unsuspended' });
      root.commit().completed(REPORT);
      server.becomes('completed');
    },
    isInterrupted() {
      root.emit({ type: 'run_interrupted', reason: 'stopped at the terminal' });
      server.becomes('interrupted');
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
  for (const item of items) desk.asks(item);
  return desk;
}

/** A person at a terminal. */
export interface Person extends Trial {
  /** The rows of the screen, after the time for a frame has passed. */
  rows(): string[];
  readonly screen: VirtualTerminal;
}

/** Starts the command on a terminal with a keyboard. */
export function person(desk: WaitingDesk, given: Partial<Given> = {}): Person {
  const screen = new VirtualTerminal(given.columns ?? 100, given.rows ?? 40);
  const trial = tryAsk({
    args: ['--watch', ADDRESS],
    env: { OFFSHOOT_URL: desk.server.url },
    stdoutTTY: true,
    keyboard: true,
    columns: 100,
    rows: 40,
    screen,
    ...given,
  });
  return {
    ...trial,
    screen,
    rows() {
      trial.tick();
      return screen.text();
    },
  };
}

/** Waits until a text is on somebody's screen. */
export async function sees(someone: Person, text: string): Promise<void> {
  await vi.waitFor(() => expect(someone.rows().join('\n')).toContain(text));
}
