import { describe, expect, it, vi } from 'vitest';
import { bodiesOf } from '../../support/fake-server';
import { type Given, HOSTILE, tryAsk, UNSAFE, withoutOwnCodes } from './surroundings';
import { ADDRESS, approval, clientTool, EXPIRES_AT, person, type WaitingDesk, waitingDesk } from './waiting-desk';

const small = approval({ toolName: 'publish', input: { to: 'all' } });
const second = approval({ toolCallId: 'c_10', toolName: 'second', input: { n: 2 } });

const run = (desk: WaitingDesk, args: string[], given: Partial<Given> = {}) =>
  tryAsk({ args: ['--watch', ADDRESS, ...args], env: { OFFSHOOT_URL: desk.server.url }, ...given });

/** The run goes on as soon as nothing waits any more. */
function goesOn(desk: WaitingDesk): void {
  desk.server.behaviour.onAccepted = (_verb, { toolCallId, approved }) => {
    desk.answered(String(toolCallId), { approved: approved === true });
    if (desk.server.behaviour.pending.length === 0) desk.completes();
  };
}

describe('where nobody is asked', () => {
  it('[K21] the command ends with exit code 1, and says what waits and how to answer it', async () => {
    await using desk = await waitingDesk([small]);
    const trial = run(desk, []);
    expect(await trial.done).toBe(1);
    expect(trial.stdout()).toContain('coordinator  publish waits for an approval');
    expect(trial.stdout().split('\n\n').at(-1)?.split('\n')).toEqual([
      'The run is waiting for an answer (suspended_client_tool).',
      `Waiting for approval: publish (c_9) of ${ADDRESS}, until ${new Date(EXPIRES_AT).toISOString()}`,
      '    {"to":"all"}',
      `Return to it, and answer in a terminal: npm run ask -- --watch ${ADDRESS}`,
      `Approve: npm run ask -- --watch ${ADDRESS} --approve`,
      `Deny:    npm run ask -- --watch ${ADDRESS} --deny --reason "…"`,
      '',
    ]);
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
  });

  it('[AN12] a call whose arguments no longer match the tool says so, and no command approves it', async () => {
    const invalidFields = [{ path: 'language', message: 'required' }, { path: 1 }, 'x'];
    await using desk = await waitingDesk([approval({ toolName: 'publish', input: { to: 'all' }, invalidFields })]);
    const trial = run(desk, []);
    expect(await trial.done).toBe(1);
    const lines = trial.stdout().split('\n\n').at(-1)?.split('\n') ?? [];
    expect(lines.slice(2, 4)).toEqual([
      '    {"to":"all"}',
      "    The tool's schema has changed: edit the arguments or deny the call (language: required).",
    ]);
    expect(lines.filter((line) => line.includes('--approve'))).toEqual([]);
    expect(lines.filter((line) => line.includes('--deny'))).toHaveLength(1);
  });

  it('[K21] nobody is asked where stdout is no terminal, or one that cannot be drawn on', async () => {
    for (const given of [
      { keyboard: true },
      { keyboard: true, stdoutTTY: true, columns: 12 },
      { stdoutTTY: true },
    ] as const) {
      await using desk = await waitingDesk([small]);
      const trial = run(desk, [], given);
      expect(await trial.done).toBe(1);
      expect(trial.listeners()).toBe(0);
      expect(trial.stdout()).toContain('Waiting for approval: publish (c_9)');
    }
  });

  it('[K21] with --json on a terminal nobody is asked either; stdout holds the document, stderr the rest', async () => {
    await using desk = await waitingDesk([clientTool(), second]);
    const trial = run(desk, ['--json'], { keyboard: true, stdoutTTY: true });
    expect(await trial.done).toBe(1);
    expect(JSON.parse(trial.stdout())).toMatchObject({ status: 'suspended_client_tool' });
    expect(trial.stderr()).toContain('Waiting for a result: read_clipboard (c_8)');
    expect(trial.stderr()).toContain('--approve c_10\n');
  });

  it('[K21] a list that is behind the stream is asked for again; a run whose agents work is followed on', async () => {
    await using desk = await waitingDesk([small]);
    desk.server.behaviour.refusals.pending = ['drop', 'drop'];
    const late = run(desk, []);
    expect(await late.done).toBe(1);
    expect(late.stdout()).toContain('publish (c_9)');
    await using busy = await waitingDesk([]);
    const child = busy.root.spawn('c_1', 'worker', '1~1', 'part');
    const children = [{ callId: 'c_1', subSessionId: child.agentId, status: 'working' as const }];
    busy.root.emit({ type: 'suspended', status: 'suspended_awaiting_children', pending: [], children });
    busy.server.becomes('suspended_awaiting_children');
    const trial = run(busy, []);
    await vi.waitFor(() => expect(busy.server.requests.some((each) => each.query.get('follow') === '1')).toBe(true));
    busy.completes();
    expect(await trial.done).toBe(0);
  });

  it('[K21] a run that is suspended for nothing that can be answered ends the command, too', async () => {
    await using desk = await waitingDesk([]);
    desk.server.becomes('suspended_awaiting_children');
    const trial = run(desk, []);
    expect(await trial.done).toBe(1);
    expect(trial.stdout()).toContain(`Return to it: npm run ask -- --watch ${ADDRESS}\n`);
    expect(trial.waits).toEqual([200, 500, 1_000]);
  });

  it('[K17, K21] what waits is told without acting on the terminal, and no id that a shell could act on is offered', async () => {
    const nasty = HOSTILE.join('x');
    const toolCallId = '$(reboot)\u001b[2J';
    const item = approval({ toolCallId, toolName: nasty, agentType: nasty, input: { [nasty]: nasty } });
    await using desk = await waitingDesk([item]);
    for (const args of [[], ['--json'], ['--approve', 'c_1'], ['--yes']]) {
      desk.server.behaviour.refusals['tool-results'] = [{ status: 403, code: 'forbidden', detail: nasty }];
      const trial = run(desk, args);
      expect(await trial.done).toBe(1);
      expect(withoutOwnCodes(trial.stdout() + trial.stderr())).not.toMatch(UNSAFE);
      expect(trial.stdout() + trial.stderr()).not.toContain('--approve $');
    }
  });
});

describe('answers as options', () => {
  it('[K22] --approve and --deny answer the only call that waits, tell it, and follow on to the end', async () => {
    for (const [args, body, told] of [
      [['--approve'], { approved: true }, 'Approved: publish (c_9)'],
      [['--deny', '--reason', 'too early'], { approved: false, reason: 'too early' }, 'Denied: publish (c_9)'],
      [['--approve=c_9'], { approved: true }, 'Approved: publish (c_9)'],
      [['--deny', 'c_9'], { approved: false }, 'Denied: publish (c_9)'],
    ] as const) {
      await using desk = await waitingDesk([small]);
      goesOn(desk);
      const trial = run(desk, [...args]);
      expect([args, await trial.done, trial.stderr()]).toEqual([args, 0, '']);
      const answer = { toolCallId: 'c_9', kind: 'approval-response', inputHash: 'h_9', ...body };
      expect(bodiesOf(desk.server, 'tool-results')).toEqual([answer]);
      expect(trial.stdout()).toContain(told);
      expect(trial.stdout()).toContain('{"to":"all"}');
      expect(trial.stdout().endsWith('It travels down.\n')).toBe(true);
    }
  });

  it('[K22] an answer that the run has not taken in yet is waited for', async () => {
    await using desk = await waitingDesk([small]);
    const trial = run(desk, ['--approve']);
    await vi.waitFor(() => expect(desk.server.requests.some((each) => each.query.get('follow') === '1')).toBe(true));
    desk.answered('c_9', { approved: true });
    desk.completes();
    expect(await trial.done).toBe(0);
  });

  it('[K22] where several wait, the ids say which; the others still wait', async () => {
    await using desk = await waitingDesk([small, second, clientTool()]);
    const which = run(desk, ['--approve']);
    expect(await which.done).toBe(1);
    expect(which.stderr()).toContain('2 approvals are pending; name one:\n  publish (c_9)');
    const unknown = run(desk, ['--approve', 'c_77']);
    expect(await unknown.done).toBe(1);
    expect(unknown.stderr()).toContain('No pending call has the id "c_77".');
    const wrong = run(desk, ['--deny', 'c_8']);
    expect(await wrong.done).toBe(1);
    expect(wrong.stderr()).toContain('read_clipboard (c_8) needs a result, not an approval.');
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    goesOn(desk);
    const both = run(desk, ['--approve', 'c_9', '--approve', 'c_10']);
    expect(await both.done).toBe(1);
    expect(both.stdout()).toContain('Waiting for a result: read_clipboard (c_8)');
    expect(both.stdout()).not.toContain('--approve');
    const none = run(desk, ['--approve']);
    expect(await none.done).toBe(1);
    expect(none.stderr()).toContain('No approval is pending there.');
  });

  it('[K22] a refusal is told in plain words: exit code 1', async () => {
    await using desk = await waitingDesk([small]);
    const details = { decision: { approved: true, actor: 'alice' } };
    desk.server.behaviour.refusals['tool-results'] = [{ status: 409, code: 'already_answered', details }];
    const trial = run(desk, ['--deny']);
    expect(await trial.done).toBe(1);
    expect(trial.stderr()).toBe('publish was already answered: approved by alice.\n');
  });
});

describe('--yes', () => {
  it('[K22] approves everything that comes up, once each, and shows each', async () => {
    await using desk = await waitingDesk([small, second]);
    goesOn(desk);
    for (const given of [{}, { args: ['--json', '--yes', '--watch', ADDRESS] }]) {
      const trial = run(desk, ['--yes'], given);
      expect(await trial.done).toBe(0);
    }
    expect(bodiesOf(desk.server, 'tool-results').map((body) => [body.toolCallId, body.approved])).toEqual([
      ['c_9', true],
      ['c_10', true],
    ]);
  });

  it('[K22] tells each approval with its arguments, also beside --json and on a terminal', async () => {
    for (const [args, given] of [
      [['--yes'], {}],
      [['--yes', '--json'], {}],
      [['--yes'], { stdoutTTY: true, keyboard: true }],
    ] as const) {
      await using desk = await waitingDesk([small]);
      goesOn(desk);
      const trial = run(desk, [...args], given);
      expect(await trial.done).toBe(0);
      const told = args.length > 1 ? trial.stderr() : trial.stdout();
      expect(told).toContain(`Approved by --yes: publish (c_9) of ${ADDRESS}`);
      expect(told).toContain('{"to":"all"}');
    }
  });

  it('[K22] leaves to a person what it cannot answer: a result, or what was refused', async () => {
    await using desk = await waitingDesk([small, clientTool()]);
    desk.server.behaviour.refusals['tool-results'] = [{ status: 403, code: 'forbidden' }];
    const trial = run(desk, ['--yes']);
    expect(await trial.done).toBe(1);
    expect(trial.stdout()).toContain('The server refused the answer.');
    expect(trial.stdout()).toContain('Waiting for approval: publish (c_9)');
    expect(trial.stdout()).toContain('Waiting for a result: read_clipboard (c_8)');
    expect(bodiesOf(desk.server, 'tool-results')).toHaveLength(1);
    const someone = person(desk, { args: ['--watch', ADDRESS, '--yes'] });
    goesOn(desk);
    await vi.waitFor(() => expect(someone.rows().join('\n')).toContain('r result'));
    someone.type('r1');
    someone.type('\r');
    expect(await someone.done).toBe(0);
  });
});

describe('a server that goes away', () => {
  const drops = (count: number) => Array.from({ length: count }, () => 'drop' as const);
  const keysOf = (desk: WaitingDesk) =>
    desk.server.requests
      .filter(({ path }) => path.endsWith('/tool-results'))
      .map(({ headers }) => headers['idempotency-key']);

  it('[K26, K10] while an answer is on its way gets it again with the same key, however often, and once counts', async () => {
    // More than are tried within the minute, too: the list says then that the call waits no longer.
    for (const [lost, tried, told] of [
      [30, 31, 'Approved by --yes: publish (c_9)'],
      [50, 35, 'The answer may or may not have arrived'],
    ] as const) {
      await using desk = await waitingDesk([small]);
      desk.server.behaviour.refusals['tool-results'] = drops(lost);
      goesOn(desk);
      const trial = run(desk, ['--yes']);
      expect(await trial.done).toBe(0);
      expect(keysOf(desk)).toHaveLength(tried);
      expect(new Set(keysOf(desk)).size).toBe(1);
      expect(Math.max(...trial.waits)).toBe(2_000);
      expect(trial.stdout().split(told)).toHaveLength(2);
      expect(desk.log.entries.filter(({ chunk }) => chunk.type === 'tool_answered')).toHaveLength(1);
    }
  });

  it('[K26, K21] before it has given its list is asked until it does; a server that starts up is no refusal', async () => {
    await using desk = await waitingDesk([small]);
    const starting = { status: 503, code: 'unavailable' };
    desk.server.behaviour.refusals.pending = [...drops(10), starting, starting];
    goesOn(desk);
    const trial = run(desk, ['--yes']);
    expect(await trial.done).toBe(0);
    expect(trial.stdout()).not.toContain('cannot be listed');
    expect(trial.stdout()).not.toContain('waits for an answer');
  });

  it('[K26, K23] for more than a minute ends the command with 3 and the way back, and nothing is concluded', async () => {
    for (const args of [['--yes'], [], ['--approve']]) {
      await using desk = await waitingDesk([small]);
      desk.server.behaviour.refusals.pending = drops(200);
      const trial = run(desk, args);
      expect([args, await trial.done]).toEqual([args, 3]);
      expect(trial.stdout()).not.toContain('The run is waiting for an answer');
      expect(trial.stderr()).toContain('cannot be reached');
      // Nothing of the run was seen yet where an answer was the first thing to do.
      if (args[0] !== '--approve') expect(trial.stderr()).toContain(`Return to it: npm run ask -- --watch ${ADDRESS}`);
      expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    }
    await using desk = await waitingDesk([small]);
    desk.server.behaviour.refusals['tool-results'] = drops(200);
    const trial = run(desk, ['--approve']);
    expect(await trial.done).toBe(3);
    expect(trial.stderr()).toContain('The answer may or may not have arrived');
  });

  it('[K21, K26] a run that goes on by an answer from elsewhere, right after the list was given, is followed on', async () => {
    await using desk = await waitingDesk([small]);
    desk.server.behaviour.onListed = () => {
      desk.server.behaviour.onListed = () => undefined;
      desk.answered('c_9', { approved: true });
      desk.completes();
    };
    const trial = run(desk, []);
    expect(await trial.done).toBe(0);
  });
});

describe('wrong use of answers', () => {
  it('[K23] is told with exit code 2, before any request', async () => {
    const cases: [string[], string][] = [
      [['--approve', 'q'], '--approve and --deny answer a pending call of a run: use them with --watch ADDRESS.'],
      [['--watch', ADDRESS, '--approve', '--deny'], 'Use either --approve or --deny'],
      [['--watch', ADDRESS, '--approve', '--reason', 'x'], '--reason explains a denial'],
      [['--reason', 'x', 'q'], '--reason explains a denial'],
      [['--watch', ADDRESS, '--resume', ADDRESS], '--watch returns to a run'],
      [['--resume', ADDRESS, '--file', 'x'], '--resume continues a run'],
      [['--resume', 'nowhere'], '"nowhere" is not the address of an agent, such as'],
      [['--resume'], '--resume needs a value.'],
      [['--resume', ADDRESS, '--approve'], 'use them with --watch ADDRESS'],
      [['--yes=1', 'q'], 'Unknown option --yes=1.'],
    ];
    for (const [args, message] of cases) {
      const trial = tryAsk({ args });
      expect([args, await trial.done]).toEqual([args, 2]);
      expect(trial.stderr()).toContain(message);
    }
  });
});
