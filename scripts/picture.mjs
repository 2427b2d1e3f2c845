// node scripts/picture.mjs: makes docs/ask.svg again, the picture of `npm run ask` in the README: a run on a server of its
// own with the offline model, in a real terminal (tmux, which has to be installed), answered as a person would.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { nodePath, root } from './lib/paths.mjs';
import { serve } from './lib/serve.mjs';
import { svgOf } from './lib/svg.mjs';

const QUESTION = 'What happens to a tool at a crash, and how does a stop reach a grandchild?';
const COLUMNS = 104;
const ROWS = 26;
/** Frames of the picture beside the question to the person and the report. */
const FRAMES = 6;
const POLL_MS = 15;
/** A run that is longer than this has failed. */
const TIMEOUT_MS = 60_000;
/** Between two tries to answer. */
const PRESS_MS = 1_000;
const WAITS = 'waits for your approval';
const DEAD = 'Pane is dead';

/** A terminal with a socket of its own. @param {string} socket */
function terminal(socket) {
  /** @param {string[]} args */
  const tmux = (...args) => {
    const { status, stdout, stderr, error } = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
    if (error !== undefined || status !== 0) throw new UserError(`tmux: ${error?.message ?? stderr}`);
    return stdout;
  };
  return {
    /** @param {string} command */
    start(command) {
      const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
      tmux(
        'new-session',
        '-d',
        ...size,
        'sleep 600',
        ';',
        'set',
        '-g',
        'remain-on-exit',
        'on',
        ';',
        'set',
        'status',
        'off',
      );
      tmux('respawn-pane', '-k', command);
    },
    look: () => tmux('capture-pane', '-p', '-e').trimEnd(),
    /** @param {string} key */
    press: (key) => tmux('send-keys', key),
    end: () => tmux('kill-server'),
  };
}

/** The frames of a run, each as it stood. @param {ReturnType<typeof terminal>} screen */
async function watched(screen) {
  /** @type {string[]} */
  const work = [];
  let asked = '';
  let pressAt = 0;
  for (const until = Date.now() + TIMEOUT_MS; Date.now() < until; await delay(POLL_MS)) {
    const frame = screen.look();
    if (frame.includes(DEAD)) return { work, asked, end: frame.replace(new RegExp(`\\n.*${DEAD}.*`), '').trimEnd() };
    if (frame.includes(WAITS)) {
      asked = asked || frame;
      // Keys that come right when the question appears are not taken: nobody can have read it.
      if (Date.now() < pressAt) continue;
      for (const key of ['a', 'Enter']) screen.press(key);
      pressAt = Date.now() + PRESS_MS;
    } else if (asked === '' && frame !== '' && frame !== work.at(-1)) work.push(frame);
  }
  throw new UserError(`The run did not end:\n${screen.look()}`);
}

await run(async () => {
  ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-picture-'));
  const server = await serve({ persistTo: join(folder, 'state') });
  const screen = terminal(join(folder, 'tmux'));
  try {
    const ask = [nodePath(), join(root, 'scripts', 'ask.mjs'), JSON.stringify(QUESTION)].join(' ');
    screen.start(`COLORTERM= TERM=screen-256color OFFSHOOT_URL=${server.url} ${ask}`);
    const { work, asked, end } = await watched(screen);
    const full = work.at(-1);
    if (asked === '' || full === undefined) throw new UserError('The run was over before it was seen.');
    const every = Math.ceil(work.length / FRAMES);
    const some = work.slice(0, -1).filter((_, at) => at % every === every - 1);
    const command = `npm run ask -- "${QUESTION}"`;
    const frames = [...some, full, asked, end];
    const svg = svgOf(frames, { columns: COLUMNS, rows: ROWS, command, still: some.length });
    writeFileSync(join(root, 'docs', 'ask.svg'), svg);
    console.log(
      `Wrote docs/ask.svg: ${frames.length} of ${work.length} frames, ${(svg.length / 1024).toFixed(0)} KiB.`,
    );
    return 0;
  } finally {
    screen.end();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
