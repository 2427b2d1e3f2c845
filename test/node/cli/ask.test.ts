import { describe, expect, it, vi } from 'vitest';
import type { OwnServer } from '../../../src/cli/io';
import { rootName } from '../../../src/cli/start';
import { failure } from '../../../src/protocol/errors';
import { type FakeServer, fakeServer, startBodies } from '../../support/fake-server';
import { deskLog, newLog } from '../../support/log';
import { present } from '../../support/present';
import { deskRun, HOSTILE, REPORT, tryAsk, UNSAFE, withoutOwnCodes } from './surroundings';

const QUESTION = 'How does an interrupt reach a grandchild?';
const NAME = 'interrupt-reach-grandchild-1aaaaa';

const desk = () => fakeServer(deskRun());
const at = (server: FakeServer) => ({ OFFSHOOT_URL: server.url });

/** A server that the command starts, with a count of how often it was ended. */
function ownServer(server: FakeServer): OwnServer & { stops: number } {
  return {
    url: server.url,
    stops: 0,
    async stop() {
      this.stops += 1;
    },
  };
}

describe('asking', () => {
  it('[K1] starts a root with a readable name, follows it and prints the report: exit code 0', async () => {
    await using server = await desk();
    const trial = tryAsk({ args: [QUESTION], env: at(server) });
    expect(await trial.done).toBe(0);
    expect([...server.known.keys()]).toEqual([`/agents/coordinator/${NAME}`]);
    expect(startBodies(server)).toEqual([{ message: QUESTION }]);
    expect(trial.stdout()).toContain(`Asked /agents/coordinator/${NAME} at ${server.url}\n${QUESTION}\n`);
    expect(trial.stdout().endsWith(`\n${REPORT}\n`)).toBe(true);
    expect(trial.stderr()).toBe('');
  });

  it('[K1] without a terminal it prints one line for each event that says something, and the Markdown as it is', async () => {
    await using server = await desk();
    const trial = tryAsk({ args: [QUESTION], env: at(server) });
    await trial.done;
    const lines = trial.stdout().split('\n');
    expect(lines.slice(2, -5)).toMatchInlineSnapshot(`
      [
        "    0s  coordinator  started: How does an interrupt reach a grandchild?",
        "    2s  coordinator  calls researcher 1~1: What does an interrupt do?",
        "    3s  coordinator  calls researcher 2~1: Who tells a grandchild?",
        "    4s  researcher 1~1  started: What does an interrupt do?",
        "    5s  researcher 1~1  retries the model call (model_overloaded)",
        "    6s  researcher 1~1  search: interrupt",
        "    7s  researcher 2~1  started: Who tells a grandchild?",
        "    8s  researcher 1~1  search done in 2s",
        "    9s  researcher 1~1  calls fact-checker 1~1: 2 quotations",
        "   10s  researcher 1~1 > fact-checker 1~1  started: 2 quotations",
        "   12s  researcher 1~1 > fact-checker 1~1  completed (1 step, 1.0k tokens, 2s)",
        "   15s  researcher 1~1  completed (1 step, 1.0k tokens, 11s)",
        "   17s  researcher 2~1  completed (1 step, 1.0k tokens, 10s)",
        "   21s  coordinator  completed (2 steps, 2.0k tokens, 21s)",
      ]
    `);
    expect(trial.stdout()).not.toContain('\u001b');
  });

  it('[K1] asks another agent, and sends files with the question under their own names', async () => {
    await using server = await desk();
    const files = { 'notes/a.md': '# Tides', 'b/a.md': 'Moon', 'data.bin': '\u0000ÿ' };
    const args = [
      '--agent',
      'fact-checker',
      '--file',
      'notes/a.md',
      '--file=b/a.md',
      '--file',
      'data.bin',
      'Is',
      'it',
      'so?',
    ];
    const trial = tryAsk({ args, env: at(server), files });
    expect(await trial.done).toBe(0);
    expect([...server.known.keys()][0]).toMatch(/^\/agents\/fact-checker\//u);
    expect(startBodies(server)).toEqual([
      {
        message: 'Is it so?',
        files: [
          { path: 'uploads/a.md', mediaType: 'text/markdown', base64: Buffer.from('# Tides').toString('base64') },
          { path: 'uploads/a-2.md', mediaType: 'text/markdown', base64: Buffer.from('Moon').toString('base64') },
          {
            path: 'uploads/data.bin',
            mediaType: 'application/octet-stream',
            base64: Buffer.from('\u0000ÿ').toString('base64'),
          },
        ],
      },
    ]);
  });

  it('[K1] a picture is part of the question', async () => {
    await using server = await desk();
    const trial = tryAsk({ args: ['--file', 'a.png', 'What is it?'], env: at(server), files: { 'a.png': 'x' } });
    expect(await trial.done).toBe(0);
    expect(startBodies(server)).toMatchObject([
      {
        message: [
          { type: 'text', text: 'What is it?' },
          { type: 'file', path: 'uploads/a.png' },
        ],
        files: [{ path: 'uploads/a.png', mediaType: 'image/png' }],
      },
    ]);
  });

  it('[K1] a start whose answer is lost is sent again with the same key, and nothing runs twice', async () => {
    await using server = await desk();
    server.behaviour.starts = ['drop', { status: 503, code: 'unavailable' }];
    const trial = tryAsk({ args: [QUESTION], env: at(server) });
    expect(await trial.done).toBe(0);
    const keys = server.requests
      .filter((each) => each.path.endsWith('/start'))
      .map((each) => each.headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(server.known.size).toBe(1);
  });

  it('[K1] a name that another run has is left alone: another name is taken', async () => {
    await using server = await desk();
    server.know(`/agents/coordinator/${NAME}`);
    const trial = tryAsk({ args: [QUESTION], env: at(server) });
    expect(await trial.done).toBe(0);
    expect(server.known.size).toBe(2);
    server.behaviour.starts = Array.from({ length: 3 }, () => ({ status: 409, code: 'already_running' }));
    const refused = tryAsk({ args: [QUESTION], env: at(server) });
    expect(await refused.done).toBe(1);
    expect(refused.stderr()).toContain('Title of already_running. (already_running)');
  });

  it('[K1] names are readable and fit for an address, whatever the question', () => {
    expect(rootName(QUESTION, 'abcdef12-3')).toBe('interrupt-reach-grandchild-abcdef');
    expect(rootName('Qu’est-ce que la Müdigkeit?', '12345678')).toBe('qu-est-ce-que-123456');
    expect(rootName('日本語だけ', '12345678')).toBe('question-123456');
    expect(rootName('?', '12345678')).toBe('question-123456');
    for (const question of ['x'.repeat(5000), '../..', 'a '.repeat(900), '7~3 7', 'CON\u0000']) {
      expect(rootName(question, '12345678')).toMatch(/^(?=.{1,48}$)[a-z0-9]+(?:-[a-z0-9]+)*-123456$/u);
    }
  });

  it('[K23] a run that fails, is stopped or waits gives exit code 1 and says why', async () => {
    const log = newLog();
    log.root('coordinator', 'x').run('r', 'q').failed(failure('model_error', 'No model answered.'));
    await using server = await fakeServer({ entries: log.entries, status: 'failed' });
    const failed = tryAsk({ args: ['q'], env: at(server) });
    expect(await failed.done).toBe(1);
    expect(failed.stdout()).toContain('The run failed: No model answered. (model_error)');
    server.behaviour.run = { entries: log.entries.slice(0, 1), status: 'suspended_client_tool' };
    const waits = tryAsk({ args: ['q'], env: at(server) });
    expect(await waits.done).toBe(1);
    expect(waits.stdout()).toContain('The run is waiting for an answer (suspended_client_tool).');
    expect(waits.stdout()).toMatch(/Return to it: npm run ask -- --watch \/agents\/coordinator\/q-1aaaaa\n/u);
  });
});

describe('the outcome alone', () => {
  it('[K6] --json prints the status document with the output on stdout, and nothing else anywhere', async () => {
    await using server = await desk();
    const trial = tryAsk({ args: ['--json', QUESTION], env: at(server) });
    expect(await trial.done).toBe(0);
    expect(JSON.parse(trial.stdout())).toMatchObject({
      status: 'completed',
      run: { status: 'completed', output: REPORT },
    });
    expect(trial.stderr()).toBe('');
  });

  it('[K6] --json on a terminal draws on stderr and keeps stdout clean', async () => {
    await using server = await desk();
    const trial = tryAsk({ args: ['--json', QUESTION], env: at(server), stdoutTTY: true, stderrTTY: true });
    expect(await trial.done).toBe(0);
    expect(JSON.parse(trial.stdout())).toMatchObject({ status: 'completed' });
    expect(trial.stderr()).toContain('researcher');
  });

  it('[K6] --json of a run that failed prints it too, with exit code 1; of a refusal prints nothing on stdout', async () => {
    await using server = await fakeServer({ entries: deskLog().entries, status: 'failed' });
    const failed = tryAsk({ args: ['--json', QUESTION], env: at(server) });
    expect(await failed.done).toBe(1);
    expect(JSON.parse(failed.stdout())).toMatchObject({ status: 'failed' });
    server.behaviour.starts = [{ status: 422, code: 'invalid_input', detail: 'It wants a number.' }];
    const refused = tryAsk({ args: ['--json', QUESTION], env: at(server) });
    expect(await refused.done).toBe(1);
    expect(refused.stdout()).toBe('');
    expect(refused.stderr()).toBe('Title of invalid_input. (invalid_input)\nIt wants a number.\n');
  });
});

describe('on a terminal', () => {
  it('[K3] draws the tree in place and prints the report below it', async () => {
    await using server = await desk();
    const trial = tryAsk({ args: [QUESTION], env: at(server), stdoutTTY: true });
    expect(await trial.done).toBe(0);
    expect(trial.stdout()).toContain('\u001b[?25l');
    expect(trial.stdout().lastIndexOf('\u001b[?25h')).toBeGreaterThan(trial.stdout().lastIndexOf('\u001b[?25l'));
    expect(trial.stdout()).toContain('\u001b[1;4mReport\u001b[0m');
    expect(withoutOwnCodes(trial.stdout())).not.toMatch(UNSAFE);
  });

  it('[K3, K4] draws when the time for a frame has come, ten times a second, not at each chunk', async () => {
    await using server = await desk();
    server.behaviour.faults = [{ hangAfterChunks: 20 }];
    const idle = new Promise<void>((resolve) => {
      server.behaviour.onStreamIdle = resolve;
    });
    const trial = tryAsk({ args: [QUESTION], env: at(server), stdoutTTY: true });
    const frames = () => trial.stdout().split('\u001b[?2026h').length - 1;
    await idle;
    expect(frames()).toBe(0);
    await vi.waitFor(() => {
      trial.tick();
      expect(trial.stdout()).toContain('fact-checker');
    });
    const drawn = frames();
    trial.tick();
    expect(frames()).toBe(drawn + 1);
    expect(trial.intervals).toEqual([100]);
    trial.interrupt();
    expect(await trial.done).toBe(130);
  });

  it('[K4] no frame is higher than the terminal, however many agents there are', async () => {
    const log = newLog();
    const root = log.root('boss', 'x').run('r', 'q').step(1);
    for (let index = 1; index <= 30; index += 1)
      root.spawn(`c_${index}`, 'worker', `${index}~1`, 'part').run(`r_${index}`);
    await using server = await fakeServer({ entries: log.entries, status: 'failed' });
    const trial = tryAsk({ args: ['q'], env: at(server), stdoutTTY: true, rows: 9 });
    expect(await trial.done).toBe(1);
    const frames = trial.stdout().split('\u001b[?2026h').slice(1);
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(frame.split('\u001b[J')[0]?.match(/\n/gu)).toHaveLength(8);
  });

  it('[K4] without colours where they are unwanted: --no-color, NO_COLOR; plain lines on a dumb or tiny terminal', async () => {
    await using server = await desk();
    const colour = '\u001b[2m';
    const run = async (args: string[], env: Record<string, string>, columns = 80) => {
      const trial = tryAsk({ args: [...args, QUESTION], env: { ...at(server), ...env }, stdoutTTY: true, columns });
      expect(await trial.done).toBe(0);
      return trial.stdout();
    };
    expect(await run([], {})).toContain(colour);
    expect(await run(['--no-color'], {})).not.toContain(colour);
    expect(await run([], { NO_COLOR: '1' })).not.toContain(colour);
    expect(await run([], { TERM: 'dumb' })).not.toContain('\u001b');
    expect(await run(['--no-color'], {}, 12)).not.toContain('\u001b');
  });

  it('[K5] hostile text from models, tools and servers cannot act on the terminal, in any way of printing', async () => {
    const nasty = HOSTILE.join('x');
    const log = newLog();
    const root = log.root('coordinator', 'x').run('r', nasty).step(1).text(nasty).tool('c', nasty, { a: nasty });
    root.emit({ type: 'custom', name: 'status', data: nasty }).toolFailed('c', failure('tool_failed', nasty));
    root
      .discard(nasty)
      .commit()
      .completed(`# ${nasty}\n\n- ${nasty}\n\n\`\`\`\n${nasty}\n\`\`\`\n[${nasty}](${nasty})`);
    const output = present(log.entries.at(-1)).chunk;
    if (output.type !== 'run_completed') throw new Error('the log does not end as it should');
    await using server = await fakeServer({ entries: log.entries, status: 'completed', output: output.output });
    for (const stdoutTTY of [true, false]) {
      for (const json of [[], ['--json']]) {
        const trial = tryAsk({ args: [...json, QUESTION], env: at(server), stdoutTTY, stderrTTY: stdoutTTY });
        expect(await trial.done).toBe(0);
        expect(withoutOwnCodes(trial.stdout() + trial.stderr())).not.toMatch(UNSAFE);
      }
    }
    server.behaviour.starts = [{ status: 400, code: nasty, detail: nasty }];
    const refused = tryAsk({ args: [QUESTION], env: at(server), stderrTTY: true });
    expect(await refused.done).toBe(1);
    expect(refused.stderr()).not.toBe('');
    expect(withoutOwnCodes(refused.stderr())).not.toMatch(UNSAFE);
  });
});

describe('detaching', () => {
  /** A run that hangs after some chunks, until Ctrl-C. */
  async function lookAway(server: FakeServer, given: Parameters<typeof tryAsk>[0]) {
    server.behaviour.faults = [{ hangAfterChunks: 9 }];
    const idle = new Promise<void>((resolve) => {
      server.behaviour.onStreamIdle = resolve;
    });
    const trial = tryAsk(given);
    await idle;
    trial.interrupt();
    return { code: await trial.done, trial };
  }

  it('[K24] Ctrl-C ends the watching alone, with exit code 130, and tells how to return', async () => {
    await using server = await desk();
    const { code, trial } = await lookAway(server, { args: ['--url', server.url, QUESTION] });
    expect(code).toBe(130);
    expect(trial.stdout()).toContain(
      `Detached; the run continues.\nReturn to it: npm run ask -- --watch /agents/coordinator/${NAME} --url ${server.url}\n`,
    );
    expect(server.requests.map((each) => each.method).filter((method) => method !== 'GET')).toEqual(['POST']);
    const back = tryAsk({ args: ['--watch', `/agents/coordinator/${NAME}`, '--url', server.url] });
    expect(await back.done).toBe(0);
    expect(back.stdout().endsWith(`${REPORT}\n`)).toBe(true);
  });

  it('[K24] with --json the way back is told on stderr, and stdout stays empty', async () => {
    await using server = await desk();
    const { code, trial } = await lookAway(server, { args: ['--json', QUESTION], env: at(server) });
    expect(code).toBe(130);
    expect(trial.stdout()).toBe('');
    expect(trial.stderr()).toContain(`Return to it: npm run ask -- --watch /agents/coordinator/${NAME}\n`);
  });

  it('[K24] a second Ctrl-C ends the process at once', async () => {
    await using server = await desk();
    const own = ownServer(server);
    let stopping = () => {};
    const stopped = new Promise<void>((resolve) => {
      stopping = resolve;
    });
    const slow: OwnServer = { url: server.url, stop: () => stopped };
    server.behaviour.faults = [{ hangAfterChunks: 9 }];
    const idle = new Promise<void>((resolve) => {
      server.behaviour.onStreamIdle = resolve;
    });
    const trial = tryAsk({ args: [QUESTION], start: async () => slow });
    await idle;
    trial.interrupt();
    await vi.waitFor(() => expect(trial.stdout()).toContain('Detached'));
    expect(trial.exits).toEqual([]);
    trial.interrupt();
    expect(trial.exits).toEqual([130]);
    stopping();
    expect(await trial.done).toBe(130);
    expect(own.stops).toBe(0);
  });

  it('[K12] after detaching from a server of this command, the text says that the run needs one to continue', async () => {
    await using server = await desk();
    const own = ownServer(server);
    const { code, trial } = await lookAway(server, { args: [QUESTION], start: async () => own });
    expect(code).toBe(130);
    expect(trial.stdout()).toContain('the server started by this command stops now');
    expect(trial.stdout()).toContain('The run continues when a server starts again: npm start');
    expect(trial.stdout()).toContain(`npm run ask -- --watch /agents/coordinator/${NAME}\n`);
    expect(own.stops).toBeGreaterThan(0);
  });

  it('[K24] Ctrl-C before anything was started says so, and a server that comes up late is ended', async () => {
    await using server = await desk();
    const own = ownServer(server);
    let up = (_own: OwnServer) => {};
    const starting = new Promise<OwnServer>((resolve) => {
      up = resolve;
    });
    const start = vi.fn(() => starting);
    const trial = tryAsk({ args: [QUESTION], start });
    await vi.waitFor(() => expect(start).toHaveBeenCalled());
    trial.interrupt();
    expect(await trial.done).toBe(130);
    expect(trial.stdout()).toContain('Nothing was started.');
    up(own);
    await vi.waitFor(() => expect(own.stops).toBe(1));
    expect(startBodies(server)).toEqual([]);
  });
});

describe('the server', () => {
  it('[K12] without one, starts one and ends it when done', async () => {
    await using server = await desk();
    const own = ownServer(server);
    const trial = tryAsk({ args: [QUESTION], start: async () => own });
    expect(await trial.done).toBe(0);
    expect(trial.stdout()).toContain('No server found; starting one for this question…');
    expect(own.stops).toBe(1);
  });

  it('[K12] its own server is ended after a failure too', async () => {
    await using server = await desk();
    const own = ownServer(server);
    server.behaviour.starts = [{ status: 500, code: 'internal' }];
    const trial = tryAsk({ args: [QUESTION], start: async () => own });
    expect(await trial.done).toBe(1);
    expect(own.stops).toBe(1);
  });

  it('[K12] finds the server of this project on any port, also one that came up in the meantime', async () => {
    await using server = await desk();
    const start = vi.fn(() => Promise.reject(new Error('A server with this state runs already.')));
    const found = tryAsk({ args: [QUESTION], running: () => server.url, start });
    expect(await found.done).toBe(0);
    expect(start).not.toHaveBeenCalled();
    const urls = [undefined, server.url];
    const late = tryAsk({ args: [QUESTION], running: () => urls.shift(), start });
    expect(await late.done).toBe(0);
    expect(start).toHaveBeenCalledOnce();
  });

  it('[K12] a server that does not start ends it with the reason and exit code 3', async () => {
    const start = () => Promise.reject(new Error('The Worker does not build: x.ts:3'));
    const trial = tryAsk({ args: [QUESTION], start });
    expect(await trial.done).toBe(3);
    expect(trial.stderr()).toBe('The Worker does not build: x.ts:3\n');
  });

  it('[K13] a named server that is not there, or is another one, ends it with exit code 3; none is started', async () => {
    const server = await desk();
    const start = vi.fn(() => Promise.reject(new Error('no')));
    server.behaviour.health = { ok: true, name: 'something-else' };
    const other = tryAsk({ args: [QUESTION], env: at(server), start });
    expect(await other.done).toBe(3);
    expect(other.stderr()).toContain('but is not an Offshoot server');
    await server.close();
    const gone = tryAsk({ args: ['--url', server.url, QUESTION], start });
    expect(await gone.done).toBe(3);
    expect(gone.stderr()).toBe(
      `The server at ${server.url} cannot be reached (connection refused).\nStart a server with: npm start\n`,
    );
    expect(start).not.toHaveBeenCalled();
  });

  it('[K13] a server that goes for good in the middle ends it with exit code 3 and the way back', async () => {
    const server = await desk();
    server.behaviour.faults = [{ cutAfterChunks: 6 }];
    server.behaviour.onStreamIdle = () => void server.close();
    const trial = tryAsk({ args: [QUESTION], env: at(server) });
    expect(await trial.done).toBe(3);
    expect(trial.stdout()).toContain('Connection lost, reconnecting…');
    expect(trial.stderr()).toMatch(/The server has been gone for 6\d s\./u);
    expect(trial.stderr()).toContain(
      `The run is stored. Return to it: npm run ask -- --watch /agents/coordinator/${NAME}`,
    );
  });

  it('[K13] a break in the middle is told, healed, and leaves the same report', async () => {
    await using server = await desk();
    server.behaviour.faults = [{ cutAfterChunks: 6 }, { answer: { status: 503, body: '{}' } }];
    const trial = tryAsk({ args: [QUESTION], env: at(server) });
    expect(await trial.done).toBe(0);
    expect(trial.stdout().match(/Connection lost/gu)).toHaveLength(1);
    expect(trial.stdout().match(/Reconnected/gu)).toHaveLength(1);
    expect(trial.stdout().endsWith(`${REPORT}\n`)).toBe(true);
  });

  it('[K13] sends the token; without it says where it goes', async () => {
    await using server = await desk();
    server.behaviour.token = 'open-sesame';
    const without = tryAsk({ args: [QUESTION], env: at(server) });
    expect(await without.done).toBe(1);
    expect(without.stderr()).toBe(
      "Title of unauthorized. (unauthorized)\nGive the server's secret as OFFSHOOT_TOKEN or --token.\n",
    );
    const env = { ...at(server), OFFSHOOT_TOKEN: 'open-sesame' };
    expect(await tryAsk({ args: [QUESTION], env }).done).toBe(0);
    expect(await tryAsk({ args: ['--token=open-sesame', QUESTION], env: at(server) }).done).toBe(0);
    const wrong = tryAsk({ args: ['--token', 'open-barley', QUESTION], env });
    expect(await wrong.done).toBe(1);
    expect(wrong.stderr()).not.toContain('barley');
  });
});

describe('watching', () => {
  const ADDRESS = '/agents/coordinator/cedar-3f9k';

  it('[K24] returns to a run that has ended: the tree, what was asked, and the report', async () => {
    await using server = await desk();
    server.know(ADDRESS);
    const trial = tryAsk({ args: ['--watch', ADDRESS], env: at(server), stdoutTTY: true });
    expect(await trial.done).toBe(0);
    expect(trial.stdout()).toContain(QUESTION);
    expect(trial.stdout()).toContain('fact-checker');
    expect(trial.stdout()).toContain('Its parent tells it.');
    expect(startBodies(server)).toEqual([]);
  });

  it('[K24] takes an address without its first slash, as a whole URL, and of an agent inside the tree', async () => {
    await using server = await desk();
    const child = `${ADDRESS}/sub/researcher/1~1`;
    server.know(ADDRESS);
    server.know(child);
    for (const [args, env] of [
      [['--watch', ADDRESS.slice(1)], at(server)],
      [['--watch', `${server.url}${ADDRESS}`], {}],
      [['--watch', child], at(server)],
    ] as const) {
      const trial = tryAsk({ args, env });
      expect([args, await trial.done, trial.stderr()]).toEqual([args, 0, '']);
    }
  });

  it('[K13] an address that nobody knows ends it with what the server says', async () => {
    await using server = await desk();
    const trial = tryAsk({ args: ['--watch', '/agents/coordinator/nobody'], env: at(server) });
    expect(await trial.done).toBe(1);
    expect(trial.stderr()).toContain('Title of not_found. (not_found)');
  });

  it('[K9] tells what is no longer in the log, and goes on from there', async () => {
    await using server = await desk();
    server.know(ADDRESS);
    server.behaviour.faults = [{ resetTo: 11 }];
    const trial = tryAsk({ args: ['--watch', ADDRESS], env: at(server) });
    expect(await trial.done).toBe(0);
    expect(trial.stdout()).toContain('Earlier events are no longer in the log.');
    expect(trial.stdout().endsWith(`${REPORT}\n`)).toBe(true);
  });
});

describe('wrong use', () => {
  it('[K23] says what is wrong with the arguments, with exit code 2, before any request', async () => {
    const cases: [string[], string][] = [
      [[], 'The question is missing'],
      [['  '], 'The question is missing'],
      [['--jsn', 'q'], 'Unknown option --jsn.'],
      [['-x', 'q'], 'Unknown option -x.'],
      [['--json=yes', 'q'], 'Unknown option --json=yes.'],
      [['q', '--url'], '--url needs a value.'],
      [['q', '--url', 'ftp://x'], '"ftp://x" is not the URL of a server, such as'],
      [['q', '--url', 'http://me:pw@x'], 'must not contain a user or password'],
      [['q', '--token', 'a b'], 'printable ASCII'],
      [['q', '--agent', '../x'], '"../x" is not the type of an agent, such as'],
      [['q', '--agent', 'sub'], '"sub" is not the type of an agent, such as'],
      [['q', '--watch', '/agents/a/b'], '--watch returns to a run'],
      [['--watch', 'nowhere'], '"nowhere" is not the address of an agent, such as'],
      [['--watch', '/agents/a/..'], 'is not the address of an agent, such as'],
      [['--watch', '/agents/a/b/sub/c'], 'is not the address of an agent, such as'],
      [['--file', 'absent.md', 'q'], 'absent.md cannot be read: there is no such file.'],
    ];
    for (const [args, message] of cases) {
      const start = vi.fn(() => Promise.reject(new Error('no')));
      const trial = tryAsk({ args, start });
      expect([args, await trial.done]).toEqual([args, 2]);
      expect(trial.stderr()).toContain(message);
      expect(trial.stdout()).toBe('');
      expect(start).not.toHaveBeenCalled();
    }
  });

  it('[K23] says so when npm has kept the options for itself', async () => {
    const trial = tryAsk({ args: ['q'], env: { npm_config_json: 'true' } });
    expect(await trial.done).toBe(2);
    expect(trial.stderr()).toContain('npm needs `--` before options: npm run ask -- --json …');
  });

  it('[K23] a question may begin with a dash after `--`, and options may stand anywhere', async () => {
    await using server = await desk();
    const trial = tryAsk({ args: ['--json', '--', '--why', 'not?'], env: at(server) });
    expect(await trial.done).toBe(0);
    expect(startBodies(server)).toEqual([{ message: '--why not?' }]);
  });

  it('[K23] --help prints how it is used, with exit code 0', async () => {
    for (const args of [['--help'], ['-h'], ['q', '--help']]) {
      const trial = tryAsk({ args });
      expect(await trial.done).toBe(0);
      const asking = ['--file', '--agent', '--json', '--url', '--token', '--no-color'];
      const answering = ['--watch', '--resume', '--approve', '--deny', '--reason', '--yes'];
      for (const option of [...asking, ...answering]) expect(trial.stdout()).toContain(option);
    }
  });
});
