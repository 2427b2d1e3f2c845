import { describe, expect, it, vi } from 'vitest';
import { bodiesOf } from '../../support/fake-server';
import { HOSTILE, UNSAFE, withoutOwnCodes } from './surroundings';
import {
  ADDRESS,
  ARGUMENTS,
  approval,
  clientTool,
  type Person,
  person,
  REPORT,
  sees,
  waitingDesk,
} from './waiting-desk';

const ENTER = '\r';
const ESC = '\u001b';

/** Waits until the screen holds a text no longer. */
async function seesNoMore(someone: Person, text: string): Promise<void> {
  await vi.waitFor(() => expect(someone.rows().join('\n')).not.toContain(text));
}

describe('an approval at the terminal', () => {
  it('[K15] shows who asks for what, to be read, with its time, and what each key does', async () => {
    await using desk = await waitingDesk();
    const someone = person(desk);
    await sees(someone, 'a approve');
    expect(someone.rows().slice(1)).toMatchInlineSnapshot(`
      [
        "How does an interrupt travel?",
        "",
        "? coordinator                                                                          step 1 · 59s",
        "   publish_report waits for an approval",
        "",
        "1 agent · 1 for you · 59s",
        "",
        "? publish_report waits for your approval                          asked 55s ago · expires in 30m00s",
        "coordinator at /agents/coordinator/cedar-3f9k",
        "",
        "How an interrupt travels",
        "",
        "It reaches every agent below.",
        "",
        "Downwards",
        "",
        "A stop is a committed record. [1]",
        "",
        "1. guarantees · guarantees#3: “A stop is both durable”",
        "",
        "Open questions",
        "",
        "• How long does it take?",
        "",
        "a approve · d deny · e edit · v full screen · j as JSON · Esc hide · l detach",
      ]
    `);
    someone.type('l');
    expect(await someone.done).toBe(130);
  });

  it('[K15] `a` and Enter approve exactly what was shown, by its hash, and the run goes on to its report', async () => {
    await using desk = await waitingDesk();
    desk.server.behaviour.onAccepted = () => {
      desk.answered('c_9', { approved: true });
      desk.completes();
    };
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type('a');
    await sees(someone, 'Approve it with exactly these arguments?');
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    someone.type(ENTER);
    expect(await someone.done).toBe(0);
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([
      { toolCallId: 'c_9', kind: 'approval-response', approved: true, inputHash: 'h_9' },
    ]);
    const rows = someone.screen.text().join('\n');
    expect(rows).toContain('You approved publish_report of coordinator.');
    expect(rows).not.toContain('was approved by');
    expect(rows).toContain('It travels down.');
    expect(someone.screen.cursorShown).toBe(true);
    expect(someone.listeners()).toBe(0);
  });

  it('[K15] `d` denies with a reason, which may be corrected, or without one', async () => {
    for (const [keys, reason] of [
      ['dnoo\u007ft yet', { reason: 'not yet' }],
      ['done two\u0017\u0015', {}],
    ] as const) {
      await using desk = await waitingDesk();
      desk.server.behaviour.onAccepted = () => {
        desk.answered('c_9', { approved: false });
        desk.completes();
      };
      const someone = person(desk);
      await sees(someone, 'd deny');
      someone.type(keys);
      await sees(someone, 'Reason (optional)');
      someone.type(ENTER);
      expect(await someone.done).toBe(0);
      const body = { toolCallId: 'c_9', kind: 'approval-response', approved: false, inputHash: 'h_9', ...reason };
      expect(bodiesOf(desk.server, 'tool-results')).toEqual([body]);
    }
  });

  it('[K15] `e` opens the arguments in the editor, shows what was written and sends it with the hash of what was shown', async () => {
    await using desk = await waitingDesk();
    desk.server.behaviour.onAccepted = () => {
      desk.answered('c_9', { approved: true });
      desk.completes();
    };
    const opened: string[] = [];
    const editor = async (text: string) => {
      opened.push(text);
      return text.replace('How an interrupt travels', 'Stops');
    };
    const someone = person(desk, { editor });
    await sees(someone, 'e edit');
    someone.type('e');
    await sees(someone, 'with your edited arguments?');
    expect(JSON.parse(opened[0] ?? '')).toEqual(ARGUMENTS);
    expect(someone.rows()).toContain('Stops');
    expect(someone.rows()).not.toContain('How an interrupt travels');
    someone.type(ENTER);
    expect(await someone.done).toBe(0);
    const input = { ...ARGUMENTS, title: 'Stops' };
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([
      { toolCallId: 'c_9', kind: 'approval-response', approved: true, input, inputHash: 'h_9' },
    ]);
  });

  it('[K15] an editor that leaves no JSON, nothing, or does not start sends nothing, and the text is not lost', async () => {
    await using desk = await waitingDesk();
    const opened: string[] = [];
    const results = ['{"title": ', '{"title": "x"}', '  \n'];
    const editor = async (text: string) => {
      opened.push(text);
      const result = results.shift();
      if (result === undefined) throw new Error('The editor `none` does not start.');
      return result;
    };
    const someone = person(desk, { editor });
    await sees(someone, 'e edit');
    someone.type('e');
    await sees(someone, 'Invalid JSON');
    someone.type(ENTER);
    await sees(someone, 'a approve');
    someone.type('e');
    await sees(someone, 'with your edited arguments?');
    expect(opened[1]).toBe('{"title": ');
    someone.type('e');
    await sees(someone, 'a approve');
    someone.type('e');
    await sees(someone, 'does not start');
    someone.type(`${ENTER}`);
    await sees(someone, 'a approve');
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    someone.type('l');
    expect(await someone.done).toBe(130);
  });

  it('[K15] nothing is drawn and no key is read while the editor is open; what happens then is told after it', async () => {
    await using desk = await waitingDesk();
    let save = (_text: string) => {};
    const open = vi.fn(
      () =>
        new Promise<string>((resolve) => {
          save = resolve;
        }),
    );
    const someone = person(desk, { editor: open });
    await sees(someone, 'e edit');
    someone.type('e');
    expect(open).toHaveBeenCalledOnce();
    expect(someone.listeners()).toBe(0);
    expect(someone.screen.cursorShown).toBe(true);
    const written = someone.stdout();
    someone.interrupt();
    desk.answered('c_9', { approved: false, actor: 'alice' });
    await vi.waitFor(() =>
      expect(desk.server.requests.filter((each) => each.path.endsWith('/pending'))).not.toEqual([]),
    );
    someone.tick();
    expect(someone.stdout()).toBe(written);
    save('{}');
    await sees(someone, 'publish_report of coordinator was denied by alice.');
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    desk.completes();
    expect(await someone.done).toBe(0);
  });

  it('[K15] long arguments are never cut: the keys show the rest, `v` gives them the screen, `j` shows the exact JSON', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`);
    await using desk = await waitingDesk([
      approval({ toolName: 'run', input: { lines } }),
      approval({ toolCallId: 'c_7' }),
    ]);
    const someone = person(desk, { rows: 24 });
    await sees(someone, '… lines 1 to ');
    expect(someone.rows().length).toBeLessThanOrEqual(24);
    const seen = new Set<string>();
    for (let at = 0; at < 70; at += 1) {
      for (const row of someone.rows()) seen.add(row.trim().replace(/[",]/gu, ''));
      someone.type('\u001b[B');
    }
    expect(lines.filter((line) => !seen.has(line))).toEqual([]);
    someone.type('\u001b[5~v');
    await seesNoMore(someone, 'coordinator  ');
    expect(someone.rows()[1]).toContain('? run waits for your approval');
    someone.type(`vn`);
    await sees(someone, 'Downwards');
    expect(someone.rows().join('\n')).not.toContain('"heading"');
    someone.type('jv');
    await sees(someone, '"heading": "Downwards"');
    someone.type('l');
    expect(await someone.done).toBe(130);
  });

  it('[K4, K15] on a low terminal the tree gives way, and the keys are there', async () => {
    for (const rows of [4, 6, 9]) {
      await using desk = await waitingDesk();
      const someone = person(desk, { rows, columns: 60 });
      await sees(someone, 'a approve');
      const frames = someone.stdout().split('\u001b[?2026h').slice(1);
      expect(frames.length).toBeGreaterThan(0);
      for (const frame of frames) {
        const drawn = frame.split('\u001b[J')[0]?.match(/\n/gu)?.length ?? 0;
        expect(drawn).toBeLessThan(rows);
      }
      someone.type('l');
      expect(await someone.done).toBe(130);
    }
  });

  it('[K15] a list that cannot be had is asked for again until it holds what waits', async () => {
    await using desk = await waitingDesk();
    desk.server.behaviour.refusals.pending = Array.from({ length: 5 }, () => 'drop' as const);
    const someone = person(desk);
    await sees(someone, 'a approve');
    desk.server.behaviour.refusals.pending = [{ status: 403, code: 'forbidden' }];
    desk.asks(clientTool());
    await sees(someone, 'Pending calls cannot be listed: Title of forbidden. (forbidden)');
    await sees(someone, '1 of 2');
    someone.type('l');
    expect(await someone.done).toBe(130);
  });

  it('[K15] Esc hides the prompt so that the tree has the room, and Enter shows it again', async () => {
    await using desk = await waitingDesk();
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type(ESC);
    await sees(someone, '? 1 pending call · Enter to show');
    someone.type('a');
    someone.type(ENTER);
    await sees(someone, 'a approve');
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    someone.hangUp();
    expect(await someone.done).toBe(130);
  });

  it('[K17] no text of a model can act on the terminal, and what is invisible is written out where it counts', async () => {
    const nasty = HOSTILE.join('x');
    const input = {
      title: nasty,
      summary: nasty,
      sections: [{ heading: nasty, text: nasty, citations: [nasty] }],
      [nasty]: nasty,
    };
    await using desk = await waitingDesk([
      approval({ toolName: nasty, agentType: nasty, input }),
      clientTool({ toolName: nasty, input: { nasty } }),
    ]);
    const refusal = { status: 422, code: 'invalid_arguments', detail: nasty };
    desk.server.behaviour.refusals['tool-results'] = [refusal];
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type('a');
    someone.type(ENTER);
    await sees(someone, 'The answer does not match');
    someone.type(ENTER);
    await sees(someone, '\\u202eevil\\u2066');
    expect(someone.rows().join('\n')).not.toContain('j as');
    someone.type('n');
    await sees(someone, 'r result');
    someone.type(`r${ESC}[200~${nasty}${ESC}[201~`);
    await sees(someone, 'The result (as text)');
    desk.answered('c_8', { actor: nasty });
    await sees(someone, 'Enter to continue');
    someone.type(ENTER);
    await sees(someone, 'a approve');
    someone.type('l');
    expect(await someone.done).toBe(130);
    expect(withoutOwnCodes(someone.stdout())).not.toMatch(UNSAFE);
  });

  it('[K15] what is pasted presses no key', async () => {
    await using desk = await waitingDesk();
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type(`${ESC}[200~a\r\rl${ESC}[201~`);
    someone.type('d');
    await sees(someone, 'Reason (optional)');
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    someone.hangUp();
    expect(await someone.done).toBe(130);
  });
});

describe('a tool of the person', () => {
  it('[K15] takes a result as JSON or as text, or an error', async () => {
    for (const [keys, answer] of [
      ['r{"a": 1}', { result: { a: 1 } }],
      ['rtwo words', { result: 'two words' }],
      ['xno clipboard here', { error: 'no clipboard here' }],
      [`r${ESC}[200~[1,\r\n2]${ESC}[201~`, { result: [1, 2] }],
    ] as const) {
      await using desk = await waitingDesk([clientTool()]);
      desk.server.behaviour.onAccepted = () => {
        desk.answered('c_8');
        desk.completes();
      };
      const someone = person(desk);
      await sees(someone, 'r result · e write it · x error');
      expect(someone.rows().join('\n')).toContain('read_clipboard waits for a result from you');
      someone.type(keys);
      await sees(someone, 'Enter sends');
      someone.type(ENTER);
      expect(await someone.done).toBe(0);
      const body = { toolCallId: 'c_8', kind: 'client-tool-result', ...answer };
      expect(bodiesOf(desk.server, 'tool-results')).toEqual([body]);
    }
  });

  it('[K15] an empty result is not sent; one from the editor is shown before it is', async () => {
    await using desk = await waitingDesk([clientTool()]);
    desk.server.behaviour.onAccepted = () => {
      desk.answered('c_8');
      desk.completes();
    };
    const someone = person(desk, { editor: async (text) => `${text}["from", "vi"]\n` });
    await sees(someone, 'r result');
    someone.type(`r${ENTER}`);
    await sees(someone, 'JSON or text');
    someone.type(ESC);
    await sees(someone, 'r result');
    someone.type('e');
    await sees(someone, 'Send this as the result?');
    expect(someone.rows().join('\n')).toContain('"vi"');
    someone.type(ENTER);
    expect(await someone.done).toBe(0);
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([
      { toolCallId: 'c_8', kind: 'client-tool-result', result: ['from', 'vi'] },
    ]);
  });
});

describe('several that wait', () => {
  it('[K16] are shown one after the other and answered in any order', async () => {
    await using desk = await waitingDesk([
      approval(),
      approval({ toolCallId: 'c_10', toolName: 'second' }),
      clientTool(),
    ]);
    desk.server.behaviour.onAccepted = (_verb, { toolCallId }) => {
      desk.answered(String(toolCallId), { approved: true });
      if (desk.server.behaviour.pending.length === 0) desk.completes();
    };
    const someone = person(desk);
    await sees(someone, '1 of 3');
    someone.type('n');
    await sees(someone, 'second waits for your approval');
    someone.type(`a`);
    someone.type(ENTER);
    await sees(someone, 'You approved second of coordinator.');
    await sees(someone, 'of 2');
    while (!someone.rows().join('\n').includes('read_clipboard waits for a result from you')) someone.type('n');
    someone.type('r1');
    someone.type(ENTER);
    await sees(someone, 'You sent the result of read_clipboard');
    await sees(someone, 'a approve');
    someone.type(`d`);
    someone.type(ENTER);
    expect(await someone.done).toBe(0);
    expect(bodiesOf(desk.server, 'tool-results').map((body) => body.toolCallId)).toEqual(['c_10', 'c_8', 'c_9']);
  });

  it('[K16] one that comes up while another is looked at waits for its turn', async () => {
    await using desk = await waitingDesk();
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type('d');
    someone.type('because');
    desk.asks(approval({ toolCallId: 'c_11', toolName: 'later' }));
    await sees(someone, '1 of 2');
    expect(someone.rows().join('\n')).toContain('> because');
    someone.type(ESC);
    someone.type('n');
    await sees(someone, 'later waits for your approval');
    someone.type('l');
    expect(await someone.done).toBe(130);
  });

  it('[K18] when somebody else answers the one that is shown, it goes away with a word about who, and keys meant for it answer nothing', async () => {
    await using desk = await waitingDesk([approval(), approval({ toolCallId: 'c_10', toolName: 'second' })]);
    const someone = person(desk);
    await sees(someone, '1 of 2');
    someone.type('a');
    desk.answered('c_9', { approved: true, actor: 'alice' });
    await sees(someone, 'publish_report of coordinator was approved by alice.');
    await sees(someone, 'Enter to continue');
    someone.type('a');
    someone.type(ENTER);
    await sees(someone, 'second waits for your approval');
    expect(bodiesOf(desk.server, 'tool-results')).toEqual([]);
    desk.answered('c_10', { approved: false });
    await sees(someone, 'second of coordinator was denied by somebody else.');
    await seesNoMore(someone, 'a approve');
    desk.completes();
    expect(await someone.done).toBe(0);
    expect(someone.screen.text().join('\n')).toContain('It travels down.');
  });

  it('[K18] one that expires, or whose run is stopped elsewhere, goes away too', async () => {
    await using desk = await waitingDesk();
    const someone = person(desk);
    await sees(someone, 'expires in 30m00s');
    someone.pass(30 * 60_000);
    await sees(someone, 'expired');
    desk.server.behaviour.pending = [];
    desk.isInterrupted();
    expect(await someone.done).toBe(1);
    const rows = someone.screen.text().join('\n');
    expect(rows).toContain('publish_report of coordinator is no longer pending: the agent was interrupted.');
    expect(rows).toContain(`Resume it: npm run ask -- --resume ${ADDRESS}`);
  });
});

describe('answers that the server does not take', () => {
  it.each([
    ['unknown_tool_call', { status: 404 }, 'publish_report is no longer pending: the server has no such call.'],
    [
      'already_answered',
      { status: 409, details: { approved: false, actor: 'bob', reason: 'no' } },
      'publish_report was already answered: denied by bob: no.',
    ],
    [
      'already_answered',
      { status: 409, details: { approved: false, actor: 'bob', reason: 'Not yet.' } },
      'publish_report was already answered: denied by bob: Not yet.',
    ],
    [
      'interrupted',
      { status: 409 },
      'publish_report is no longer pending: its agent was interrupted, and will ask again when resumed.',
    ],
    ['late_answer', { status: 409 }, 'The answer to publish_report came too late.'],
  ] as const)('[K18] %s: the call goes away', async (code, refusal, told) => {
    await using desk = await waitingDesk();
    desk.server.behaviour.refusals['tool-results'] = [{ code, ...refusal }];
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type('a');
    someone.type(ENTER);
    await sees(someone, told);
    expect(someone.screen.text().join('\n')).not.toContain(`${told}.`);
    await seesNoMore(someone, 'a approve');
    desk.answered('c_9');
    desk.completes();
    expect(await someone.done).toBe(0);
  });

  it.each([
    ['input_changed', 409, 'The arguments on the screen are out of date. Review them again.'],
    ['invalid_arguments', 422, "The answer does not match the tool's schema; the call is still pending."],
    ['invalid_input', 422, "The answer does not match the tool's schema; the call is still pending."],
    ['kind_mismatch', 400, 'The call needs another kind of answer.'],
    ['too_large', 413, 'The answer is too large.'],
    ['forbidden', 403, 'OFFSHOOT_TOKEN'],
    ['internal', 500, 'The server refused the answer.'],
  ] as const)('[K18] %s: it is told, and the call still waits', async (code, status, told) => {
    await using desk = await waitingDesk();
    desk.server.behaviour.refusals['tool-results'] = [{ code, status, detail: 'title: too long' }];
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type('a');
    someone.type(ENTER);
    await sees(someone, told);
    someone.type(ENTER);
    await sees(someone, 'a approve');
    someone.type('l');
    expect(await someone.done).toBe(130);
  });

  it('[K18] other arguments than those on the screen are another question: what was pressed is void', async () => {
    await using desk = await waitingDesk();
    desk.server.behaviour.refusals['tool-results'] = [{ code: 'input_changed', status: 409 }];
    const someone = person(desk);
    await sees(someone, 'a approve');
    desk.server.behaviour.pending = [approval({ input: { other: true }, inputHash: 'h_10' })];
    someone.type('a');
    someone.type(ENTER);
    await sees(someone, 'The arguments have changed.');
    someone.type(ENTER);
    await sees(someone, '"other": true');
    someone.type('a');
    someone.type(ENTER);
    await vi.waitFor(() => expect(bodiesOf(desk.server, 'tool-results').at(-1)).toMatchObject({ inputHash: 'h_10' }));
    desk.answered('c_9', { approved: true });
    desk.completes();
    expect(await someone.done).toBe(0);
  });

  it('[K15] an answer whose acceptance is lost is sent again with the same key, and counts once', async () => {
    await using desk = await waitingDesk();
    let accepted = 0;
    desk.server.behaviour.refusals['tool-results'] = ['drop'];
    desk.server.behaviour.onAccepted = () => {
      accepted += 1;
    };
    const someone = person(desk);
    await sees(someone, 'a approve');
    someone.type('a');
    someone.type(ENTER);
    await sees(someone, 'You approved publish_report');
    expect(accepted).toBe(1);
    expect(bodiesOf(desk.server, 'tool-results')).toHaveLength(2);
    desk.answered('c_9', { approved: true });
    desk.completes();
    expect(await someone.done).toBe(0);
    expect(someone.screen.text().join('\n')).toContain(REPORT.split('\n').at(-1));
  });
});
