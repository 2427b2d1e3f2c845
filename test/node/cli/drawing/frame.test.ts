import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASCII, type FrameOptions, renderFrame } from '../../../../src/cli/drawing/frame';
import { lineWidth, paint } from '../../../../src/cli/terminal/style';
import { failure } from '../../../../src/protocol/errors';
import { reduceAll } from '../../../../src/protocol/view/reduce';
import { emptyView, type TreeView } from '../../../../src/protocol/view/view';
import { deskLog, LOG_START, newLog } from '../../../support/log';
import { present } from '../../../support/present';
import { HOSTILE, UNSAFE } from '../surroundings';

const QUESTION = 'How does an interrupt reach a grandchild?';

function frame(view: TreeView, options: Partial<FrameOptions> = {}): string[] {
  const now = LOG_START + 20_000;
  const lines = renderFrame(view, { width: 79, height: 23, now, tick: 0, title: QUESTION, ...options });
  return lines.map((line) => paint(line, false));
}

/** The desk's run after its first chunks. */
const deskAfter = (chunks: number) => reduceAll(deskLog().entries.slice(0, chunks));

/** A boss with so many workers, of which the first `done` have completed. */
function fanOut(workers: number, done: number): TreeView {
  const log = newLog();
  const root = log.root('boss', 'b').run('r', 'all of it').step(1);
  for (let index = 1; index <= workers; index += 1) {
    const child = root
      .spawn(`c_${index}`, 'worker', `${index}~1`, { task: `part ${index}` })
      .run(`r_${index}`)
      .step(1);
    child.tool(`t_${index}`, 'search', { query: `q${index}` });
    if (index <= done) root.settled(`c_${index}`, child.toolEnd(`t_${index}`, 1).commit().completed('ok'), 'ok');
  }
  return reduceAll(log.entries);
}

describe('the live tree', () => {
  it('[K3] shows who works on what: type, slot, task, tool, step, tokens, time', () => {
    expect(frame(deskAfter(23), { hint: 'Ctrl-C to detach' })).toMatchInlineSnapshot(`
      [
        "How does an interrupt reach a grandchild?",
        "",
        "⠋ coordinator                                                      step 1 · 19s",
        "├─ ⠋ researcher 1~1  What does an interrupt do?                    step 1 · 15s",
        "│  └─ ⠋ fact-checker 1~1  2 quotations                              step 1 · 9s",
        "│        Both hold.",
        "└─ ⠋ researcher 2~1  Who tells a grandchild?                       step 1 · 12s",
        "      Looking.",
        "",
        "4 agents · 4 working · 19s                                     Ctrl-C to detach",
      ]
    `);
  });

  it('[K3] shows a whole run that has completed', () => {
    expect(frame(reduceAll(deskLog().entries))).toMatchInlineSnapshot(`
      [
        "How does an interrupt reach a grandchild?",
        "",
        "✓ coordinator                                          2 steps · 2.0k tok · 21s",
        "├─ ✓ researcher 1~1  What does an interrupt do?         1 step · 1.0k tok · 11s",
        "│  └─ ✓ fact-checker 1~1  2 quotations                   1 step · 1.0k tok · 2s",
        "└─ ✓ researcher 2~1  Who tells a grandchild?            1 step · 1.0k tok · 10s",
        "",
        "4 agents · 5.0k tokens · 21s",
      ]
    `);
  });

  it('[K3] shows what an agent writes, thinks, prepares, asks and says', () => {
    const log = newLog();
    const root = log.root('solo', 'a').run('r', 'do it').step(1);
    const doing = () => frame(reduceAll(log.entries), { title: '' })[1]?.trim();
    expect(doing()).toBe('calling the model');
    root.emit({ type: 'thinking', part: 0, delta: 'What is asked here?' });
    expect(doing()).toBe('thinking What is asked here?');
    root.text('The newest words of a long text are what counts, so the front is cut, ', 'not the end of it.');
    expect(doing()).toBe('…rds of a long text are what counts, so the front is cut, not the end of it.');
    root.discard();
    expect(doing()).toBe('calling the model, attempt 2');
    root.emit({ type: 'tool_arg_stream_start', toolCallId: 'c_1', toolName: 'search' });
    expect(doing()).toBe('preparing search');
    root.tool('c_1', 'search', { query: 'tides' }).tool('c_2', 'search', { query: 'moons' });
    expect(doing()).toBe('search (and 1 more) tides');
    root.toolEnd('c_1', 1).toolEnd('c_2', 1).emit({ type: 'custom', name: 'status', data: 'Weighing the two' });
    expect(doing()).toBe('Weighing the two');
  });

  it('[K3] shows what failed, was stopped, waits in the queue or for a person', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r', 'x').step(1);
    root.spawn('c_1', 'worker', '1~1', 'one').run('r_1').failed(failure('model_error', 'No answer.'));
    root.spawn('c_2', 'worker', '2~1', 'two').run('r_2').emit({ type: 'run_interrupted', reason: 'by a person' });
    root.spawn('c_3', 'worker', '3~1', 'three');
    const asking = root.spawn('c_4', 'worker', '4~1', 'four');
    root.emit({ type: 'subagent_status', subSessionId: asking.agentId, status: 'suspended_client_tool' });
    expect(frame(reduceAll(log.entries), { title: '' })).toMatchInlineSnapshot(`
      [
        "⠋ boss                                                             step 1 · 19s",
        "├─ ✗ worker 1~1  one                                                         0s",
        "│     No answer. (model_error)",
        "├─ ■ worker 2~1  two                                                         0s",
        "│     by a person",
        "├─ · worker 3~1  three                                                   queued",
        "└─ ? worker 4~1  four",
        "      suspended_client_tool",
        "",
        "5 agents · 1 working · 1 queued · 1 failed · 19s",
      ]
    `);
  });

  it('[K15] shows which agent waits for a person with which tool, however deep, and that those above wait for it', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r', 'x').step(1);
    const child = root.spawn('c_1', 'worker', '1~1', 'one').run('r_1').step(1);
    const leaf = child.spawn('c_2', 'helper', '1~1', 'two').run('r_2').step(1);
    const tool = { toolCallId: 'c_3', toolName: 'send_mail', arguments: {} };
    leaf.tool('c_3', 'send_mail', {}).emit({ type: 'tool_approval_request', ...tool, inputHash: 'h' });
    leaf.tool('c_4', 'read_file', {}).emit({ type: 'client_tool_request', ...tool, toolCallId: 'c_4' });
    const atWork = () => frame(reduceAll(log.entries), { title: '' }).slice(2, 4);
    expect(atWork()).toEqual([
      expect.stringMatching(/^ {3}└─ \? helper 1~1 {2}two/u),
      '         send_mail waits for an approval (and 1 more)',
    ]);
    const asleep = { type: 'suspended', pending: [], children: [] } as const;
    leaf.emit({ ...asleep, status: 'suspended_client_tool' });
    child.emit({ ...asleep, status: 'suspended_awaiting_children' });
    root.emit({ ...asleep, status: 'suspended_awaiting_children' });
    expect(frame(reduceAll(log.entries), { title: '' })).toMatchInlineSnapshot(`
      [
        "? boss                                                             step 1 · 19s",
        "│  waits for sub-agents",
        "└─ ? worker 1~1  one                                               step 1 · 17s",
        "   │  waits for sub-agents",
        "   └─ ? helper 1~1  two                                            step 1 · 15s",
        "         send_mail waits for an approval (and 1 more)",
        "",
        "3 agents · 2 for you · 19s",
      ]
    `);
  });

  it('[K3] says that it waits before the first agent shows, and what troubles the connection', () => {
    expect(frame(emptyView)).toEqual([QUESTION, '', '', 'waiting for the first agent']);
    expect(frame(deskAfter(3), { notice: 'reconnecting…', hint: 'x' }).at(-1)).toMatch(/reconnecting…$/u);
  });

  it('[K4] gives way on narrow and low terminals: first below the settled, then what is done, then agents', () => {
    expect(frame(deskAfter(23), { width: 38 })).toMatchInlineSnapshot(`
      [
        "How does an interrupt reach a grandch…",
        "",
        "⠋ coordinator                      19s",
        "├─ ⠋ researcher 1~1  What does a…  15s",
        "│  └─ ⠋ fact-checker 1~1  2 quota…  9s",
        "│        Both hold.",
        "└─ ⠋ researcher 2~1  Who tells a…  12s",
        "      Looking.",
        "",
        "4 agents · 4 working · 19s",
      ]
    `);
    const [, ...folded] = frame(reduceAll(deskLog().entries.slice(0, 32)), { height: 6 });
    expect(folded).toMatchInlineSnapshot(`
      [
        "⠋ coordinator                                                      step 1 · 19s",
        "├─ ✓ researcher 1~1 (+1)  What does an interrupt do?    1 step · 1.0k tok · 11s",
        "└─ ⠋ researcher 2~1  Who tells a grandchild?                       step 1 · 12s",
        "      Looking.",
        "4 agents · 2 working · 2.0k tokens · 19s",
      ]
    `);
    expect(frame(fanOut(6, 4), { height: 12 })).toMatchInlineSnapshot(`
      [
        "How does an interrupt reach a grandchild?",
        "",
        "⠋ boss                                                             step 1 · 19s",
        "├─ ✓ worker 1~1  part 1                                  1 step · 1.0k tok · 3s",
        "├─ ✓ worker 2~1  part 2                                  1 step · 1.0k tok · 3s",
        "├─ ✓ worker 3~1  part 3                                  1 step · 1.0k tok · 3s",
        "├─ ✓ worker 4~1  part 4                                  1 step · 1.0k tok · 3s",
        "├─ ⠋ worker 5~1  part 5                                             step 1 · 0s",
        "└─ ⠋ worker 6~1  part 6                                             step 1 · 0s",
        "",
        "7 agents · 3 working · 4.0k tokens · 19s",
      ]
    `);
    expect(frame(fanOut(40, 30), { height: 8 })).toMatchInlineSnapshot(`
      [
        "How does an interrupt reach a grandchild?",
        "⠋ boss (+30)                                                       step 1 · 19s",
        "├─ ⠋ worker 31~1  part 31                                           step 1 · 0s",
        "├─ ⠋ worker 32~1  part 32                                           step 1 · 0s",
        "├─ ⠋ worker 33~1  part 33                                           step 1 · 0s",
        "├─ ⠋ worker 34~1  part 34                                           step 1 · 0s",
        "… and 36 more agents",
        "41 agents · 11 working · 30k tokens · 19s",
      ]
    `);
  });

  it('[K4] any view fits any terminal', () => {
    const views = [emptyView, deskAfter(9), deskAfter(23), fanOut(30, 7), reduceAll(deskLog().entries)];
    const size = { width: fc.integer({ min: 1, max: 120 }), height: fc.integer({ min: 1, max: 40 }) };
    fc.assert(
      fc.property(fc.constantFrom(...views), fc.record(size), fc.nat(20), (view, { width, height }, tick) => {
        const lines = renderFrame(view, { width, height, tick, now: LOG_START, title: QUESTION, hint: 'Ctrl-C' });
        expect(lines.length).toBeLessThanOrEqual(height);
        for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('[DG32] a child that its parent cannot reach shows why, in place of what it did, until it is reached or begins anew', () => {
    const log = newLog();
    const root = log.root('boss', 'b').run('r', 'x').step(1);
    const child = root.spawn('c_1', 'worker', '1~1', { question: 'x' });
    child.run('r_1', 'x').step(1).tool('t', 'search', { query: 'bees' });
    const shown = () => frame(reduceAll(log.entries)).join('\n');
    const said = { type: 'subagent_status', subSessionId: child.agentId } as const;
    expect(shown()).toContain('search');
    root.emit({ ...said, status: 'unreached', statusText: 'It could not be reached: gone.' });
    expect(shown()).toContain('It could not be reached: gone.');
    root.emit({ ...said, status: 'reached', statusText: '' });
    expect(shown()).toContain('search');
    root.emit({ ...said, status: 'unreached', statusText: 'It could not be reached: gone.' });
    child.run('r_2', 'x').step(1).text('I begin anew.');
    expect(shown()).not.toContain('could not be reached');
  });

  it('[K5] no text of a model, a tool or a server reaches the terminal as more than text', () => {
    const nasty = HOSTILE.join('x');
    const log = newLog();
    const root = log.root(nasty, 'b').run('r', nasty).step(1);
    const child = root.spawn('c_1', nasty, nasty, { question: nasty });
    child.run('r_1', nasty).step(1).text(nasty).tool('t', nasty, { a: nasty });
    const failed = root.spawn('c_2', 'worker', '2~1', nasty).run('r_2').step(1);
    failed.failed({ ...failure('model_error'), message: nasty });
    root.emit({ type: 'subagent_status', subSessionId: child.agentId, status: nasty, statusText: nasty });
    const lines = frame(reduceAll(log.entries), { title: nasty, notice: nasty, hint: nasty });
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(line).not.toMatch(UNSAFE);
  });

  it('[K4] draws with plain signs where the terminal knows no others', () => {
    const lines = frame(deskAfter(23), { glyphs: ASCII, title: 'Q' });
    expect(lines.join('')).toMatch(/^[\u0020-\u007e·…]*$/u);
    expect(lines).toContainEqual(expect.stringMatching(/^\|- \| researcher 1~1/u));
  });

  it('[K3] an endless log of agents that are their own parents is still a frame', () => {
    const log = newLog();
    const a = log.root('boss', 'b').run('r').step(1);
    const b = a.spawn('c', 'worker', '1~1', {});
    const start = present(log.entries.at(-1)).chunk;
    if (start.type !== 'subagent_start') throw new Error('the log does not end as it should');
    b.emit({ ...start, subSessionId: a.agentId, subAddress: a.address, callId: 'c_9' });
    expect(frame(reduceAll(log.entries)).length).toBeGreaterThan(3);
  });
});
