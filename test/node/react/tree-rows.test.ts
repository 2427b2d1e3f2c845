/** Rows of a tree that the page arranges, in a component that is mounted in Strict Mode. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { useTreeRows } from '../../../src/react';
import { present } from '../../support/present';
import { mounted } from '../../support/react-hooks';

const rowsOf = (...ids: string[]) => ids.map((id) => ({ id, level: 1, childCount: 0, isExpanded: false }));

describe('useTreeRows', () => {
  it('[RH16] gives the focus to the row that a key leads to, once it is drawn', async () => {
    const rows = ['a', 'b "of" c', 'd'].map((id) => ({ id, level: 1, childCount: 0, isExpanded: false }));
    const focused: string[] = [];
    const drawn = new Set(['a']);
    const moved: string[] = [];
    const page = await mounted(() =>
      useTreeRows({
        ...{ rows, selectedId: 'd', onOpen: vi.fn(), onFold: vi.fn() },
        onMove: ({ id }, index) => moved.push(`${index} ${id}`),
      }),
    );
    const { treeProps, rowProps } = page.result;
    treeProps.ref({
      querySelector: (selector: string) => {
        const id = [...drawn].find((each) => selector === `[data-id=${JSON.stringify(each)}]`);
        return id === undefined ? null : { focus: () => focused.push(id) };
      },
    });
    expect(rows.map((row) => rowProps(row).tabIndex)).toEqual([-1, -1, 0]);
    const press = (key: string, more = {}) =>
      page.settle(() => page.result.treeProps.onKeyDown({ key, preventDefault: vi.fn(), ...more }));
    await press('ArrowUp');
    expect([moved, focused, page.result.at]).toEqual([['1 b "of" c'], [], 1]);
    drawn.add('b "of" c');
    await page.render();
    await page.render();
    expect(focused).toEqual(['b "of" c']);
    expect(rows.map((row) => page.result.rowProps(row).tabIndex)).toEqual([-1, 0, -1]);
    await press('Home', { ctrlKey: true });
    await press('Home');
    expect([moved.at(-1), focused.at(-1)]).toEqual(['0 a', 'a']);
    expect(page.result.treeProps).toBe(treeProps);
  });

  it('[RH9] leaves keys to what is pressed within a row', async () => {
    const [onOpen, preventDefault, tree] = [vi.fn(), vi.fn(), {}];
    const page = await mounted(() =>
      useTreeRows({ rows: rowsOf('a', 'b'), selectedId: 'a', onOpen, onFold: vi.fn(), onMove: vi.fn() }),
    );
    const { ref, onKeyDown } = page.result.treeProps;
    ref(tree);
    const press = (key: string, target: object) => page.settle(() => onKeyDown({ key, target, preventDefault }));
    await press('Enter', { dataset: {} });
    await press('End', { dataset: { id: 'a field' } });
    expect([onOpen.mock.calls.length, preventDefault.mock.calls.length, page.result.at]).toEqual([0, 0, 0]);
    await press('Enter', { dataset: { id: 'a' } });
    await press('End', tree);
    expect([onOpen.mock.calls.length, preventDefault.mock.calls.length, page.result.at]).toEqual([1, 2, 1]);
  });

  /** Rows of a tree: each is at most one level below the one above it. */
  const trees = fc
    .array(fc.record({ deeper: fc.integer({ min: -2, max: 1 }), more: fc.boolean() }), { minLength: 1, maxLength: 8 })
    .map((steps) => {
      const levels: number[] = [];
      for (const { deeper } of steps)
        levels.push(Math.max(1, Math.min((levels.at(-1) ?? 0) + 1, (levels.at(-1) ?? 1) + deeper)));
      return steps.map(({ more }, index) => {
        const level = levels[index] ?? 1;
        const isExpanded = (levels[index + 1] ?? 0) > level;
        return { id: `row ${index}`, level, isExpanded, childCount: isExpanded || more ? 2 : 0 };
      });
    });

  it('[RH9] keys do in any tree what the ARIA tree pattern says', async () => {
    const keys = [
      'ArrowUp',
      'ArrowDown',
      'Home',
      'End',
      'PageUp',
      'PageDown',
      'ArrowRight',
      'ArrowLeft',
      '*',
      'Enter',
      'x',
    ];
    const property = fc.asyncProperty(trees, fc.nat(), fc.constantFrom(...keys), async (rows, seed, key) => {
      const at = seed % rows.length;
      const done: unknown[] = [];
      const page = await mounted(() =>
        useTreeRows({
          ...{ rows, selectedId: rows[at]?.id },
          onMove: (_, index) => done.push(index),
          onOpen: ({ id }) => done.push(id),
          onFold: ({ id }, isExpanded) => done.push([id, isExpanded]),
        }),
      );
      const preventDefault = vi.fn();
      await page.settle(() => page.result.treeProps.onKeyDown({ key, preventDefault }));
      await page.unmount();
      const row = present(rows[at]);
      const parent = rows.slice(0, at).findLastIndex(({ level }) => level === row.level - 1);
      const last = rows.length - 1;
      const expected: Record<string, unknown[]> = {
        ArrowUp: [Math.max(at - 1, 0)],
        ArrowDown: [Math.min(at + 1, last)],
        ...{ Home: [0], PageUp: [0], End: [last], PageDown: [last] },
        ArrowRight: row.isExpanded ? [at + 1] : row.childCount > 0 ? [[row.id, true]] : [],
        ArrowLeft: row.isExpanded ? [[row.id, false]] : row.level > 1 ? [parent] : [],
        '*': rows.flatMap(({ id, level, childCount }) => (level === row.level && childCount > 0 ? [[id, true]] : [])),
        ...{ Enter: [row.id], x: [] },
      };
      expect(done).toEqual(expected[key]);
      const isTaken = key === '*' || present(expected[key]).length > 0;
      expect(preventDefault).toHaveBeenCalledTimes(isTaken ? 1 : 0);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('[RH16] takes the keys to a row that the page selects, and keeps them where a fold hides it', async () => {
    const given = { rows: rowsOf('a', 'b', 'c'), selectedId: 'a' as string | undefined };
    const page = await mounted(() => useTreeRows({ ...given, onOpen: vi.fn(), onFold: vi.fn(), onMove: vi.fn() }));
    const select = (selectedId: string | undefined) => {
      given.selectedId = selectedId;
      return page.render();
    };
    await page.settle(() =>
      page.result.rowProps(present(given.rows[1])).onClick({ currentTarget: { dataset: { id: 'b' } } }),
    );
    await select('b');
    await select('c');
    expect(page.result.at).toBe(2);
    await page.settle(() => page.result.treeProps.onKeyDown({ key: 'ArrowUp', preventDefault: vi.fn() }));
    await select(undefined);
    await select('c');
    expect(page.result.at).toBe(1);
  });

  it('[RH16] gives a late row no focus that the person has moved since', async () => {
    const [focus, dom] = [vi.fn(), { activeElement: {}, body: {} }];
    const rows = rowsOf('a', 'b');
    const page = await mounted(() =>
      useTreeRows({ rows, selectedId: 'a', onOpen: vi.fn(), onFold: vi.fn(), onMove: vi.fn() }),
    );
    const { ref, onKeyDown } = page.result.treeProps;
    const element = { ownerDocument: dom, querySelector: (): unknown => null };
    ref(element);
    const lateRow = async (before: () => void) => {
      element.querySelector = () => null;
      await page.settle(() => onKeyDown({ key: 'End', preventDefault: vi.fn() }));
      await page.settle(before);
      element.querySelector = () => ({ focus });
      await page.render();
      return focus.mock.calls.length;
    };
    expect(await lateRow(() => (dom.activeElement = {}))).toBe(0);
    const { onClick } = page.result.rowProps(present(rows[0]));
    expect(await lateRow(() => onClick({ currentTarget: { dataset: { id: 'a' } } }))).toBe(0);
    // The row that had the focus is no longer drawn.
    expect(await lateRow(() => (dom.activeElement = dom.body))).toBeGreaterThan(0);
  });
});
