/** Hooks in a component that stays mounted, as a page would have them. */
import { act, createElement, type ReactNode, StrictMode } from 'react';
import { create } from 'react-test-renderer';
import { vi } from 'vitest';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

/** A hook that is mounted. */
export interface Mounted<Result> {
  /** What it returned last. */
  readonly result: Result;
  /** How often its component was rendered. */
  readonly renders: number;
  /** Lets everything happen that is due. */
  settle(work?: () => unknown): Promise<void>;
  /** Renders it again, as its parent would. */
  render(): Promise<void>;
  unmount(): Promise<void>;
}

/** A component that draws nothing; `onRender` calls the hooks. */
function Page({ onRender }: { onRender: () => void }): ReactNode {
  onRender();
  return null;
}

/** No fault of a component. Other files of this process render as a server does: React remembers the renderer of a context. */
const HARMLESS = ['react-test-renderer is deprecated', 'Detected multiple renderers'];

/** React says in `console.error` what is wrong with a component: that fails the test. */
function onlyHarmless(): void {
  vi.spyOn(console, 'error').mockImplementation((...said: unknown[]) => {
    if (!HARMLESS.some((start) => String(said[0]).startsWith(start))) throw new Error(said.join(' '));
  });
}

/** Mounts a component that uses the hook, in Strict Mode. */
export async function mounted<Result>(
  hook: () => Result,
  wrap: (page: ReactNode) => ReactNode = (page) => page,
): Promise<Mounted<Result>> {
  onlyHarmless();
  const seen: { result: Result | undefined; renders: number } = { result: undefined, renders: 0 };
  const onRender = () => {
    seen.result = hook();
    seen.renders += 1;
  };
  const settle = async (work: () => unknown = () => undefined) => {
    await act(async () => void (await work()));
  };
  let screen: ReturnType<typeof create> | undefined;
  // A new function each time: React leaves out what has the same properties.
  const drawn = () => createElement(StrictMode, undefined, wrap(createElement(Page, { onRender: () => onRender() })));
  await settle(() => {
    screen = create(drawn());
  });
  return {
    get result() {
      if (seen.result === undefined) throw new Error('The component was not rendered.');
      return seen.result;
    },
    get renders() {
      return seen.renders;
    },
    settle,
    render: () => settle(() => screen?.update(drawn())),
    unmount: () => settle(() => screen?.unmount()),
  };
}
