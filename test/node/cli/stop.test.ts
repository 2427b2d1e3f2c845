import { describe, expect, it, vi } from 'vitest';
import { failure } from '../../../src/protocol/errors';
import { bodiesOf } from '../../support/fake-server';
import { tryAsk } from './surroundings';
import { ADDRESS, approval, person, sees, waitingDesk } from './waiting-desk';

const CTRL_C = '\u0003';
const MENU = 'Interrupt the run, or detach?';

/** A run that works, and somebody who has pressed Ctrl-C. */
async function pressed() {
  const desk = await waitingDesk([]);
  const someone = person(desk);
  await sees(someone, 'calling the model');
  expect(someone.rows().join('\n')).toContain('Ctrl-C to interrupt or detach');
  someone.type(CTRL_C);
  await sees(someone, MENU);
  return { desk, someone };
}

const stops = (desk: { server: Parameters<typeof bodiesOf>[0] }) => bodiesOf(desk.server, 'interrupt');

describe('Ctrl-C at the terminal', () => {
  it('[K19] asks; `i` interrupts the run that is shown, draws until it has ended, and tells how to resume: exit code 1', async () => {
    const { desk, someone } = await pressed();
    await using _desk = desk;
    expect(someone.rows().join('\n')).toContain('i interrupt · l detach · Enter cancel');
    expect(stops(desk)).toEqual([]);
    someone.type('i');
    await vi.waitFor(() => expect(stops(desk)).toEqual([{ reason: 'stopped at the terminal', runId: 'r_root' }]));
    await sees(someone, 'Interrupting the run…');
    desk.isInterrupted();
    expect(await someone.done).toBe(1);
    const rows = someone.screen.text().join('\n');
    expect(rows).toContain('■ coordinator');
    expect(rows).toContain('The run was interrupted: stopped at the terminal');
    expect(rows).toContain(`Resume it: npm run ask -- --resume ${ADDRESS}`);
    expect(someone.listeners()).toBe(0);
  });

  it('[K19] `l` detaches, and the run continues: exit code 130', async () => {
    const { desk, someone } = await pressed();
    await using _desk = desk;
    someone.type('l');
    expect(await someone.done).toBe(130);
    expect(someone.screen.text().join('\n')).toContain(`Return to it: npm run ask -- --watch ${ADDRESS}`);
    expect(stops(desk)).toEqual([]);
    expect(someone.screen.cursorShown).toBe(true);
  });

  it('[K19] Enter and Esc stay, other keys do nothing', async () => {
    const { desk, someone } = await pressed();
    await using _desk = desk;
    for (const key of ['\r', '\u001b']) {
      someone.type('ax9');
      await sees(someone, MENU);
      someone.type(key);
      await vi.waitFor(() => expect(someone.rows().join('\n')).not.toContain(MENU));
      someone.type(CTRL_C);
      await sees(someone, MENU);
    }
    someone.type('\r');
    desk.completes();
    expect(await someone.done).toBe(0);
    expect(stops(desk)).toEqual([]);
  });

  it('[K19] a second Ctrl-C ends the process at once with exit code 130, however it comes, and says how to return', async () => {
    for (const again of ['key', 'signal'] as const) {
      const { desk, someone } = await pressed();
      await using _desk = desk;
      if (again === 'key') someone.type(CTRL_C);
      else someone.interrupt();
      expect(someone.exits).toEqual([130]);
      expect(someone.listeners()).toBe(0);
      expect(someone.screen.cursorShown).toBe(true);
      expect(someone.screen.text().join('\n')).toContain(`Return to it: npm run ask -- --watch ${ADDRESS}`);
      expect(await someone.done).toBe(130);
      expect(stops(desk)).toEqual([]);
    }
  });

  it('[K19] the question does not lose what was being typed, and a run that ends meanwhile ends the command', async () => {
    await using desk = await waitingDesk();
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type('dbecau');
    someone.type(CTRL_C);
    await sees(someone, MENU);
    someone.type('\rse');
    await sees(someone, '> because');
    someone.type(CTRL_C);
    desk.answered('c_9', { approved: true });
    desk.completes();
    expect(await someone.done).toBe(0);
  });

  it('[K19] a run that is suspended can be stopped, too', async () => {
    await using desk = await waitingDesk();
    desk.server.behaviour.onAccepted = (verb) => {
      expect(verb).toBe('interrupt');
      desk.server.behaviour.pending = [];
      desk.isInterrupted();
    };
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type(`${CTRL_C}i`);
    expect(await someone.done).toBe(1);
    expect(someone.screen.text().join('\n')).toContain('Resume it: ');
  });

  it('[K19] a stop that is refused is reported, and the run continues; while it is interrupted, Ctrl-C detaches', async () => {
    const { desk, someone } = await pressed();
    await using _desk = desk;
    desk.server.behaviour.refusals.interrupt = [{ status: 403, code: 'forbidden' }];
    someone.type('i');
    await sees(someone, 'The run was not interrupted: Title of forbidden. (forbidden)');
    await vi.waitFor(() => expect(someone.rows().join('\n')).not.toContain('Interrupting'));
    someone.type(`${CTRL_C}i`);
    await sees(someone, 'Interrupting the run…');
    someone.type(CTRL_C);
    expect(await someone.done).toBe(130);
  });

  it('[K19] a hang-up detaches without a question', async () => {
    await using desk = await waitingDesk();
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.hangUp();
    expect(await someone.done).toBe(130);
    expect(someone.screen.text().join('\n')).toContain('Detached; the run continues.');
  });
});

describe('resuming', () => {
  /** A run that has ended so, and goes on when it is asked to. */
  async function ended(status: 'interrupted' | 'failed') {
    const desk = await waitingDesk([]);
    if (status === 'interrupted') desk.isInterrupted();
    else {
      desk.root.failed(failure('model_error', 'No answer.'));
      desk.server.becomes('failed');
    }
    desk.server.behaviour.onAccepted = () => {
      desk.root.emit({ type: 'run_started', turn: 1, chainTurn: 1, resumedFrom: 'r_root' }).run('r_2').step(2).commit();
      desk.root.completed('# Report\n\nIt travels down.');
      desk.server.becomes('completed');
    };
    return desk;
  }

  it('[K20] resumes an interrupted run, with the message, and follows it to its report', async () => {
    await using desk = await ended('interrupted');
    const args = ['--resume', ADDRESS, 'Be', 'brief.', '--url', desk.server.url];
    const trial = tryAsk({ args });
    expect(await trial.done).toBe(0);
    expect(bodiesOf(desk.server, 'resume')).toEqual([{ message: 'Be brief.' }]);
    expect(bodiesOf(desk.server, 'retry')).toEqual([]);
    expect(trial.stdout()).toContain(`Resumed ${ADDRESS} at ${desk.server.url}\n`);
    expect(trial.stdout().endsWith('It travels down.\n')).toBe(true);
  });

  it('[K20] tries a failed run again, and says so', async () => {
    await using desk = await ended('failed');
    const env = { OFFSHOOT_URL: desk.server.url };
    const before = tryAsk({ args: ['--watch', ADDRESS], env });
    expect(await before.done).toBe(1);
    expect(before.stdout()).toContain(`Retry it: npm run ask -- --resume ${ADDRESS}\n`);
    const trial = tryAsk({ args: ['--resume', ADDRESS], env });
    expect(await trial.done).toBe(0);
    expect(bodiesOf(desk.server, 'retry')).toEqual([{}]);
    expect(bodiesOf(desk.server, 'resume')).toEqual([]);
    expect(trial.stdout()).toContain(`Retrying failed run: ${ADDRESS} at `);
  });

  it('[K20] an acceptance that is lost is asked for again with the same key, and counts once', async () => {
    await using desk = await ended('interrupted');
    desk.server.behaviour.refusals.resume = ['drop'];
    const trial = tryAsk({ args: ['--resume', ADDRESS], env: { OFFSHOOT_URL: desk.server.url } });
    expect(await trial.done).toBe(0);
    expect(desk.log.entries.filter(({ chunk }) => chunk.type === 'run_completed')).toHaveLength(1);
    expect(bodiesOf(desk.server, 'resume')).toHaveLength(2);
  });

  it('[K20, AN9] sends the words to a run that waits, says what stands before them, and follows it', async () => {
    await using desk = await waitingDesk([approval()]);
    const call = { toolCallId: 'c_9', toolName: 'publish_report', kind: 'approval', address: ADDRESS };
    desk.server.behaviour.sent = { behind: [call], denied: [{ ...call, toolCallId: 'c_8', toolName: 'announce' }] };
    desk.server.behaviour.onAccepted = (verb) => {
      if (verb !== 'messages') return;
      desk.answered('c_9', { approved: true });
      desk.completes();
    };
    const trial = tryAsk({ args: ['--resume', ADDRESS, 'Be', 'brief.'], env: { OFFSHOOT_URL: desk.server.url } });
    expect(await trial.done).toBe(0);
    expect(bodiesOf(desk.server, 'messages')).toEqual([{ content: 'Be brief.' }]);
    expect(trial.stdout()).toContain(`Message sent to ${ADDRESS} at ${desk.server.url}\n`);
    expect(trial.stdout()).toContain('The agent reads it once these are answered: publish_report.');
    expect(trial.stdout()).toContain('It denied announce.');
  });

  it.each([
    ['running', 'The run is already in progress (running). Watch it: npm run ask -- --watch'],
    ['suspended_client_tool', 'The run is not interrupted; it is waiting. See what for: npm run ask -- --watch'],
    ['completed', 'The run has completed; there is nothing to resume.'],
    ['terminated', 'The agent was terminated and cannot be resumed.'],
    ['idle', 'There is no run at this address to resume.'],
    ['odd', 'The run cannot be resumed: it is odd.'],
  ])('[K20] a run that is %s is left alone, with words about it: exit code 1', async (status, told) => {
    await using desk = await waitingDesk([]);
    desk.server.becomes(status);
    const trial = tryAsk({ args: ['--resume', ADDRESS], env: { OFFSHOOT_URL: desk.server.url } });
    expect(await trial.done).toBe(1);
    expect(trial.stderr()).toContain(told);
    expect(desk.server.requests.filter((each) => each.method === 'POST')).toEqual([]);
  });

  it.each([
    ['already_running', 'The run is already in progress'],
    ['awaiting_input', 'it is waiting'],
    ['terminated', 'was terminated'],
    ['not_resumable', 'The run cannot be resumed.\nTitle of not_resumable. (not_resumable)'],
    ['owned_by_parent', 'Only its parent can resume it: use the address of the root.'],
  ])('[K20] what has changed since the look at it is told, too: %s', async (code, told) => {
    await using desk = await ended('interrupted');
    desk.server.behaviour.refusals.resume = [{ status: 409, code }];
    const trial = tryAsk({ args: ['--resume', ADDRESS], env: { OFFSHOOT_URL: desk.server.url } });
    expect(await trial.done).toBe(1);
    expect(trial.stderr()).toContain(told);
  });

  it('[K20] a stopped run that waited asks again when it is resumed', async () => {
    await using desk = await waitingDesk([]);
    desk.isInterrupted();
    desk.server.behaviour.onAccepted = (verb) => {
      if (verb === 'resume') {
        desk.root.run('r_2').step(1);
        desk.asks(approval());
      } else {
        desk.answered('c_9', { approved: true });
        desk.completes();
      }
    };
    const someone = person(desk, { args: ['--resume', ADDRESS] });
    await sees(someone, 'a approve');
    someone.type('a');
    someone.type('\r');
    expect(await someone.done).toBe(0);
  });
});
