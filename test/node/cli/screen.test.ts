import { describe, expect, it } from 'vitest';
import { Screen } from '../../../src/cli/terminal/screen';
import { type Line, span } from '../../../src/cli/terminal/style';
import { VirtualTerminal } from './virtual-terminal';

const lines = (...texts: string[]): Line[] => texts.map((text) => [span(text)]);

describe('drawing in place', () => {
  it('[K4] a frame takes the place of the last one, also when it is shorter', () => {
    const terminal = new VirtualTerminal(20, 10);
    terminal.write('before\r\n');
    const screen = new Screen(terminal, false);
    screen.draw(lines('one', 'two', 'three'));
    screen.draw(lines('uno', 'dos'));
    expect(terminal.text()).toEqual(['before', 'uno', 'dos']);
    screen.close();
    terminal.write('after\r\n');
    expect(terminal.text()).toEqual(['before', 'uno', 'dos', 'after']);
  });

  it('[K4] a frame at the lower edge scrolls once and is then redrawn where it is', () => {
    const terminal = new VirtualTerminal(20, 4);
    terminal.write('a\r\nb\r\nc\r\n');
    const screen = new Screen(terminal, false);
    screen.draw(lines('one', 'two'));
    screen.draw(lines('one', 'TWO'));
    screen.draw(lines('ONE', 'TWO'));
    expect(terminal.text()).toEqual(['a', 'b', 'c', 'ONE', 'TWO']);
  });

  it('[K4] the same frame again writes nothing; a line too wide does not shift the ones below', () => {
    const terminal = new VirtualTerminal(6, 10);
    const screen = new Screen(terminal, false);
    screen.draw(lines('far too wide', 'x'));
    const { written } = terminal;
    screen.draw(lines('far too wide', 'x'));
    expect(terminal.written).toBe(written);
    screen.draw(lines('short', 'y'));
    expect(terminal.text()).toEqual(['short', 'y']);
  });

  it('[K4] a remark stands above the frame, and the cursor comes back at the end', () => {
    const terminal = new VirtualTerminal(20, 10);
    const screen = new Screen(terminal, true);
    screen.draw(lines('one', 'two'));
    expect(terminal.cursorShown).toBe(false);
    screen.clear();
    terminal.write('remark\r\n');
    screen.draw(lines('one', 'two'));
    expect(terminal.text()).toEqual(['remark', 'one', 'two']);
    screen.close();
    screen.close();
    expect(terminal.cursorShown).toBe(true);
    expect(terminal.wraps).toBe(true);
  });

  it('[K4] nothing is cleared before it is drawn over, and a frame comes as one update', () => {
    const terminal = new VirtualTerminal(20, 10);
    const screen = new Screen(terminal, false);
    screen.draw(lines('one'));
    const before = terminal.written.length;
    screen.draw(lines('two'));
    const update = terminal.written.slice(before);
    expect(update.indexOf('two')).toBeLessThan(update.indexOf('\u001b[K'));
    expect(update.startsWith('\u001b[?2026h')).toBe(true);
    expect(update.endsWith('\u001b[?2026l')).toBe(true);
  });

  it('[K4] after the terminal became narrower, the broken lines of the last frame go too', () => {
    const terminal = new VirtualTerminal(20, 10);
    terminal.write('before\r\n');
    const screen = new Screen(terminal, false);
    screen.draw(lines('0123456789012345', 'two'));
    terminal.resize(10);
    screen.draw(lines('new', 'frame'));
    expect(terminal.text()).toEqual(['before', 'new', 'frame']);
  });
});
