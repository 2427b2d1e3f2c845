/** The shipped desk on a real server, as a client over HTTP and as a person at the command line. */

import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { nodePath, root, toolEnv } from '../../scripts/lib/paths.mjs';
import { allGone, killAll, processTree } from '../../scripts/lib/processes.mjs';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { Output } from '../support/output';
import { present } from '../support/present';

/** A question with several parts, which the offline model answers by all levels of the desk. */
export const QUESTION = 'What happens to a tool that was running at a crash, and how does a stop reach a grandchild?';

/** A call that waits for a person, as far as it is looked at. */
export interface Pending {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly kind: string;
  readonly address: string;
  readonly inputHash: string;
}

/** Sends JSON; refusals are thrown. */
export async function post<Answer = unknown>(url: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Reads JSON. */
export async function get<Body>(url: string): Promise<Body> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}: ${await response.text()}`);
  return await response.json();
}

/** The report that waits for a person's approval, and nothing else. */
export async function waitingReport(at: string): Promise<Pending> {
  const { items } = await get<{ items: Pending[] }>(`${at}/pending`);
  expect(items.map(({ toolName, kind }) => [toolName, kind])).toEqual([['publish_report', 'approval']]);
  return present(items[0]);
}

/** Approves what was shown. */
export async function approve(at: string, { toolCallId, inputHash }: Pending): Promise<void> {
  const body = { kind: 'approval-response', toolCallId, approved: true, inputHash };
  expect(await post(`${at}/tool-results`, body)).toEqual({ status: 'accepted', relation: 'continues' });
}

/** Each call has one start and one end. */
export function checkCalls(log: readonly SequencedChunk[]): void {
  const ends = new Map<string, number>();
  const starts = new Set<string>();
  for (const { chunk } of log) {
    if (chunk.type === 'tool_start') starts.add(chunk.toolCallId);
    if (chunk.type === 'tool_end') ends.set(chunk.toolCallId, (ends.get(chunk.toolCallId) ?? 0) + 1);
  }
  expect([...ends.keys()].sort()).toEqual([...starts].sort());
  expect([...ends.values()].every((count) => count === 1)).toBe(true);
}

const KILL_TIMEOUT_MS = 120_000;

/** Two ways to the command: as people type it, or its script alone, which saves a process of npm. */
const COMMAND = { npm: ['npm', 'run', '--silent', 'ask', '--'], script: [nodePath(), 'scripts/ask.mjs'] } as const;

/** `npm run ask -- …` where nobody sits at a keyboard. */
export class Ask {
  readonly #child: ChildProcess;
  readonly #output: Output;

  constructor(args: readonly string[], url: string, by: keyof typeof COMMAND = 'script') {
    const [program, ...before] = COMMAND[by];
    this.#child = spawn(program, [...before, ...args], {
      cwd: root,
      env: { ...toolEnv(), OFFSHOOT_URL: url, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#output = new Output(this.#child, stripVTControlCharacters);
  }

  get stdout(): string {
    return this.#output.stdout;
  }

  /** Everything that it printed. */
  get said(): string {
    return this.#output.said;
  }

  /** Its exit code, once it has ended. */
  get exitCode(): Promise<number | null> {
    return this.#output.closed;
  }

  /** The address of the run that it asked for, once it has told. */
  address(): Promise<string> {
    return this.#output.until(
      'the address of its run',
      () => /Asked (\/agents\/coordinator\/[\w.~-]+) at/.exec(this.said)?.[1],
    );
  }

  /** Ends it with all that it started, should it still run. */
  async kill(): Promise<void> {
    const all = processTree(this.#child.pid ?? 0);
    killAll(all);
    expect(await allGone(all, KILL_TIMEOUT_MS)).toBe(true);
  }
}
