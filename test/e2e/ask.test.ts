/** `npm run ask` against a real server, where nobody sits at the keyboard. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { serve } from '../support/served';
import type { ModelServer } from '../support/wire/model-server';
import { startOfflineServer } from '../support/wire/offline-server';
import { Ask, get, post, QUESTION, waitingReport } from './desk';

interface Status {
  readonly status: string;
  readonly run: {
    readonly runId: string;
    readonly resumedFrom?: string;
    readonly output?: { published: boolean; markdown: string };
  };
}

describe('npm run ask', () => {
  let model: ModelServer;
  let folder: string;
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  const commands: Ask[] = [];

  const base = () => server?.url ?? '';
  const askBy = (by: 'npm' | 'script', ...args: string[]): Ask => {
    const command = new Ask(args, base(), by);
    commands.push(command);
    return command;
  };
  const ask = (...args: string[]): Ask => askBy('script', ...args);
  const statusOf = (address: string) => get<Status>(`${base()}${address}/status`);

  beforeAll(async () => {
    // Slow enough that a run can be caught in the middle.
    model = await startOfflineServer({ delayMs: 100 });
    folder = await mkdtemp(join(tmpdir(), 'offshoot-ask-'));
    server = await serve({
      persistTo: folder,
      vars: { OFFSHOOT_MODEL: 'openai-compatible/offline', OFFSHOOT_BASE_URL: model.url },
    });
  });

  afterEach(async () => {
    for (const command of commands.splice(0)) await command.kill();
  });

  afterAll(async () => {
    await server?.stop();
    await model.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('[K1, K14, K22, K23] --yes approves the report, tells it with its arguments, and prints it', async () => {
    const command = askBy('npm', '--yes', QUESTION);
    expect(await command.exitCode, command.said).toBe(0);
    expect(command.said).toContain('Approved by --yes: publish_report (c_');
    const { status, run } = await statusOf(await command.address());
    expect([status, run.output?.published]).toEqual(['completed', true]);
    const [title = ''] = (run.output?.markdown ?? '').split('\n');
    expect(title).toMatch(/^# .+/);
    expect(command.stdout).toContain(title);
  });

  it('[K1, K23, D66, D67, D72, SA7] has a letter written and reviewed, and prints it first, with who worked on it', async () => {
    const command = ask('--yes', 'Write a letter to the operators about what a crash does to a tool.');
    expect(await command.exitCode, command.said).toBe(0);
    const address = await command.address();
    const { run } = await statusOf(address);
    expect(run.output).toMatchObject({
      published: true,
      critique: { verdict: 'pass' },
      text: { kind: 'letter', audience: 'the operators', body: expect.stringMatching(/^Dear operators,\n/) },
    });
    const { nodes } = await get<{ nodes: { agentType: string; status: string }[] }>(`${base()}${address}/tree`);
    expect(nodes.filter(({ agentType }) => agentType === 'writer').map(({ status }) => status)).toEqual(['completed']);
    expect(command.stdout).toContain('Dear operators,');
    expect(command.stdout.indexOf('Dear operators,')).toBeLessThan(command.stdout.indexOf('What it rests on'));
  });

  it('[K21, K22, K23] without it ends with 1 and says how to answer, and --watch --approve answers', async () => {
    const command = ask(QUESTION);
    expect(await command.exitCode, command.said).toBe(1);
    const address = await command.address();
    const { toolCallId } = await waitingReport(`${base()}${address}`);
    expect(command.said).toContain(`Waiting for approval: publish_report (${toolCallId}) of ${address}`);
    expect(command.said).toContain(`Approve: npm run ask -- --watch ${address} --approve`);
    expect((await statusOf(address)).status).toBe('suspended_client_tool');
    const answer = ask('--watch', address, '--approve');
    expect(await answer.exitCode, answer.said).toBe(0);
    expect(answer.said).toContain('Approved: publish_report');
    expect(await statusOf(address)).toMatchObject({ status: 'completed', run: { output: { published: true } } });
  });

  it('[K20, K23] --resume goes on with a run that was interrupted from elsewhere', async () => {
    const command = ask(QUESTION);
    const address = await command.address();
    // Its researchers are at work.
    await vi.waitFor(
      async () => {
        const { nodes } = await get<{ nodes: { status: string }[] }>(`${base()}${address}/tree`);
        expect(nodes.map(({ status }) => status)).toContain('running');
      },
      { interval: 20 },
    );
    const stopped = await post<{ runId: string }>(`${base()}${address}/interrupt`, { reason: 'Lunch.' });
    expect(await command.exitCode, command.said).toBe(1);
    expect(command.said).toContain(`Resume it: npm run ask -- --resume ${address}`);
    expect((await statusOf(address)).status).toBe('interrupted');
    const resumed = ask('--resume', address, '--yes');
    expect(await resumed.exitCode, resumed.said).toBe(0);
    expect(resumed.said).toContain(`Resumed ${address}`);
    expect(await statusOf(address)).toMatchObject({
      status: 'completed',
      run: { resumedFrom: stopped.runId, output: { published: true } },
    });
    const { items } = await get<{ items: { status: string }[] }>(`${base()}${address}/runs`);
    expect(items.map(({ status }) => status)).toEqual(['interrupted', 'completed']);
  });
});
