import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFailed } from 'vitest';
import { bodiesOf, fakeServer } from '../../support/fake-server';
import { Output } from '../../support/output';
import { deskRun, REPORT, UNSAFE, withoutOwnCodes } from './surroundings';
import { ADDRESS, ARGUMENTS, waitingDesk } from './waiting-desk';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const QUESTION = 'How does an interrupt reach a grandchild?';

/** The command as a process of its own, with what it prints. */
interface Run {
  readonly child: ChildProcess;
  readonly closed: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Settles when stdout holds the text. */
  shows(text: string): Promise<true>;
}

const children = new Set<ChildProcess>();

// A test that fails leaves no process behind.
afterEach(() => {
  for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  children.clear();
});

function start(command: string, args: readonly string[], env: Record<string, string>): Run {
  const { OFFSHOOT_TOKEN: _token, NO_COLOR: _colour, ...own } = process.env;
  const inherited = Object.fromEntries(Object.entries(own).filter(([name]) => !name.startsWith('npm_config_')));
  const child = spawn(command, args, { cwd: ROOT, env: { ...inherited, TERM: 'xterm', ...env } });
  children.add(child);
  const output = new Output(child);
  onTestFailed(() => console.error(`The command has said:\n${JSON.stringify(output.said)}`));
  const closed = output.closed.then((code) => ({ code, stdout: output.stdout, stderr: output.stderr }));
  const shows = (text: string) =>
    output.until(JSON.stringify(text), () => (output.stdout.includes(text) ? true : undefined));
  return { child, closed, shows };
}

const ask = (args: readonly string[], env: Record<string, string>) =>
  start(process.execPath, [join(ROOT, 'scripts', 'ask.mjs'), ...args], env);

describe('the command as a process', () => {
  it('[K1] prints lines and the report, and ends by itself with exit code 0', async () => {
    await using server = await fakeServer(deskRun());
    const { code, stdout, stderr } = await ask([QUESTION], { OFFSHOOT_URL: server.url }).closed;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('researcher 1~1  search: interrupt\n');
    expect(stdout.endsWith(`${REPORT}\n`)).toBe(true);
  });

  it('[K6] --json prints JSON alone, whole, through a pipe, also when it is long', async () => {
    const output = 'x'.repeat(600_000);
    await using server = await fakeServer({ ...deskRun(), output });
    const { code, stdout, stderr } = await ask(['--json', QUESTION], { OFFSHOOT_URL: server.url }).closed;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', run: { output } });
  });

  it('[K24] an interrupt ends it with exit code 130 and the way back; a hang-up and a stop do too', async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      await using server = await fakeServer(deskRun());
      server.behaviour.faults = [{ hangAfterChunks: 12 }];
      const run = ask([QUESTION], { OFFSHOOT_URL: server.url });
      await run.shows('researcher 1~1  started');
      run.child.kill(signal);
      const { code, stdout, stderr } = await run.closed;
      expect({ signal, code, stderr }).toEqual({ signal, code: 130, stderr: '' });
      expect(stdout).toContain('Return to it: npm run ask -- --watch /agents/coordinator/interrupt-reach-grandchild-');
    }
  });

  it('[K23] tells of wrong use with exit code 2, of a server that is not there with exit code 3', async () => {
    const gone = await fakeServer(deskRun());
    await gone.close();
    const wrong = await ask(['--nope'], {}).closed;
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    const away = await ask([QUESTION], { OFFSHOOT_URL: gone.url }).closed;
    expect(away).toMatchObject({ code: 3, stdout: '' });
    expect(away.stderr).toContain('cannot be reached (connection refused)');
    const unread = await ask(['--file', ROOT, QUESTION], { OFFSHOOT_URL: gone.url }).closed;
    expect(unread).toMatchObject({ code: 2, stderr: `${ROOT} cannot be read: it is a directory.\n` });
  });

  it('[K23] a reader who leaves early gets no stack trace', async () => {
    await using server = await fakeServer({ ...deskRun(), output: 'x'.repeat(600_000) });
    const run = ask(['--json', QUESTION], { OFFSHOOT_URL: server.url });
    run.child.stdout?.destroy();
    const { stderr } = await run.closed;
    expect(stderr).toBe('');
  });

  it('[K3] on a terminal it draws the tree in place, in colours, and gives the cursor back', async (context) => {
    if (!existsSync('/usr/bin/script')) context.skip('the program `script`, which makes a terminal, is not here');
    await using server = await fakeServer(deskRun());
    const command = `${process.execPath} scripts/ask.mjs 'How does an interrupt reach a grandchild?'`;
    const run = start('/usr/bin/script', ['-qec', command, '/dev/null'], { OFFSHOOT_URL: server.url });
    const { code, stdout } = await run.closed;
    expect(code).toBe(0);
    expect(stdout).toContain('\u001b[?2026h');
    expect(stdout).toContain('\u001b[32m✓\u001b[0m\u001b[1m researcher\u001b[0m');
    expect(stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stdout.lastIndexOf('\u001b[?25l'));
    expect(stdout).toContain('\u001b[1;4mReport\u001b[0m');
    expect(withoutOwnCodes(stdout)).not.toMatch(UNSAFE);
  });

  describe('with a keyboard', () => {
    const SCRIPT = '/usr/bin/script';
    const watch = (url: string, env: Record<string, string> = {}) =>
      start(SCRIPT, ['-qec', `${process.execPath} scripts/ask.mjs --watch ${ADDRESS}`, '/dev/null'], {
        OFFSHOOT_URL: url,
        ...env,
      });

    it('[K15] takes keys one by one, and opens the real editor on the arguments', async (context) => {
      if (!existsSync(SCRIPT)) context.skip('the program `script`, which makes a terminal, is not here');
      await using desk = await waitingDesk();
      desk.server.behaviour.onAccepted = () => {
        desk.answered('c_9', { approved: true });
        desk.completes();
      };
      const editor = 'sed -i s/travels/goes/';
      const run = watch(desk.server.url, { EDITOR: editor, VISUAL: '' });
      await run.shows('a approve');
      run.child.stdin?.write('e');
      await run.shows('with your edited arguments?');
      run.child.stdin?.write('\r');
      const { code, stdout } = await run.closed;
      expect(code).toBe(0);
      const input = { ...ARGUMENTS, title: 'How an interrupt goes' };
      expect(bodiesOf(desk.server, 'tool-results')).toMatchObject([{ approved: true, input, inputHash: 'h_9' }]);
      expect(stdout.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(stdout.lastIndexOf('\u001b[?2004h'));
      expect(withoutOwnCodes(stdout)).not.toMatch(UNSAFE);
    });

    it('[K15] says so when the editor does not start, and nothing is sent', async (context) => {
      if (!existsSync(SCRIPT)) context.skip('the program `script`, which makes a terminal, is not here');
      await using desk = await waitingDesk();
      const run = watch(desk.server.url, { VISUAL: 'no-such-editor --wait' });
      await run.shows('a approve');
      run.child.stdin?.write('e');
      await run.shows('VISUAL');
      run.child.stdin?.write('\r');
      run.child.stdin?.write('l');
      const { code, stdout } = await run.closed;
      expect(code).toBe(130);
      expect(withoutOwnCodes(stdout)).toContain('The editor `no-such-editor --wait` was not found.');
      expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    });

    it('[K19] Ctrl-C asks, and `s` stops the run; twice ends at once', async (context) => {
      if (!existsSync(SCRIPT)) context.skip('the program `script`, which makes a terminal, is not here');
      await using desk = await waitingDesk();
      desk.server.behaviour.onAccepted = () => {
        desk.server.behaviour.pending = [];
        desk.isInterrupted();
      };
      const twice = watch(desk.server.url);
      await twice.shows('a approve');
      twice.child.stdin?.write('\u0003\u0003');
      expect((await twice.closed).code).toBe(130);
      expect(bodiesOf(desk.server, 'interrupt')).toEqual([]);
      const run = watch(desk.server.url);
      await run.shows('a approve');
      run.child.stdin?.write('\u0003');
      await run.shows('Interrupt the run, or detach?');
      run.child.stdin?.write('i');
      const { code, stdout } = await run.closed;
      expect(code).toBe(1);
      expect(stdout).toContain(`Resume it: npm run ask -- --resume ${ADDRESS}`);
    });
  });
});
