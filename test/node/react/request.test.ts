/** Answers that had no reply, in a component that is mounted in Strict Mode. */
import { describe, expect, it } from 'vitest';
import { type ChangeOptions, type Client, Refused } from '../../../src/client';
import { useApproval, type WatchTries } from '../../../src/react';
import { present } from '../../support/present';
import { mounted } from '../../support/react-hooks';

const ADDRESS = '/agents/coordinator/cedar-3f9k';
const item = { toolCallId: 'c_2', address: ADDRESS, inputHash: 'abc' };
const refusal = () =>
  new Refused({
    ...{ status: 422, category: 'invalid', retryable: false, code: 'invalid_input', title: 'Invalid', detail: '' },
    ...{ details: null, requestId: '' },
  });

describe('useApproval without an answer', () => {
  /** Answers that wait until the test settles them, and tries that are reported as lost. */
  const held = () => {
    const asked: { key: string | undefined; signal: AbortSignal | undefined; settle: (error?: Error) => void }[] = [];
    const reports = new Map<string, Parameters<WatchTries>[1]>();
    const answer = (_address: string, _body: object, options?: ChangeOptions) =>
      new Promise<void>((resolve, reject) => {
        const { idempotencyKey: key, signal } = options ?? {};
        asked.push({ key, signal, settle: (error) => (error === undefined ? resolve() : reject(error)) });
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    const tries: WatchTries = (key, report) => {
      reports.set(key, report);
      return () => void (reports.get(key) === report && reports.delete(key));
    };
    const lose = (at: number, why: string, isUnsent: boolean) =>
      present(reports.get(present(asked[at]?.key)))(why, isUnsent);
    return { asked, reports, tries, lose, client: { answer } as unknown as Client };
  };

  it('[RH17] keeps the key of what had none, and says whether it was sent; another decision takes its place', async () => {
    const { asked, reports, tries, lose, client } = held();
    const answered: unknown[] = [];
    const onAnswered = (...all: unknown[]) => answered.push(all);
    const page = await mounted(() => useApproval(item, { client, tries, onAnswered }));
    await page.settle(() => void page.result.approve());
    await page.settle(() => lose(0, 'offline', true));
    const lost = { why: 'offline', isUnsent: true };
    expect(page.result).toMatchObject({ isBusy: false, state: { status: 'sending', lost } });
    await page.settle(() => void page.result.approve());
    expect(page.result).toMatchObject({ isBusy: true, state: { status: 'sending', lost: undefined } });
    expect([asked.map(({ signal }) => signal?.aborted), asked[1]?.key === asked[0]?.key]).toEqual([
      [true, false],
      true,
    ]);
    // The first one was broken off, so that it may have left.
    await page.settle(() => lose(1, 'offline', true));
    expect(page.result.state).toMatchObject({ status: 'sending', lost: { why: 'offline', isUnsent: false } });
    await page.settle(() => asked[1]?.settle(new Error('Nothing answers.')));
    expect(page.result).toMatchObject({ isBusy: false, state: { status: 'failed', isUnsent: false } });
    await page.settle(() => void page.result.approve());
    await page.settle(() => lose(2, 'offline', true));
    await page.settle(() => void page.result.deny('No.'));
    expect([asked[2]?.key === asked[0]?.key, asked[3]?.key === asked[0]?.key]).toEqual([true, false]);
    // What comes of the one that was replaced counts no more.
    await page.settle(() => asked[2]?.settle());
    expect([page.result.state.status, answered]).toEqual(['sending', []]);
    await page.settle(() => asked[3]?.settle());
    expect([page.result.state, answered, reports.size]).toEqual([
      { status: 'answered', byOther: false },
      [[{ kind: 'deny', reason: 'No.' }, undefined]],
      0,
    ]);
  });

  it('[RH17] is no longer tried where its component is gone, and what becomes of it is reported', async () => {
    const { asked, tries, lose, client } = held();
    const left: unknown[] = [];
    const onLeft = (...all: unknown[]) => left.push(all);
    const open = () => mounted(() => useApproval(item, { client, tries, onLeft }));
    const lostBefore = await open();
    await lostBefore.settle(() => void lostBefore.result.approve());
    await lostBefore.settle(() => lose(0, 'offline', true));
    await lostBefore.unmount();
    const lostAfter = await open();
    await lostAfter.settle(() => void lostAfter.result.approve());
    await lostAfter.unmount();
    expect(asked[1]?.signal?.aborted).toBe(false);
    lose(1, 'offline', false);
    const isAborted = asked.map(({ signal }) => signal?.aborted);
    await lostAfter.settle();
    expect(isAborted).toEqual([true, true]);
    const approve = { kind: 'approve' };
    expect(left).toEqual([
      [approve, { isUnsent: true }],
      [approve, { isUnsent: false }],
    ]);
  });

  it('[RH6] an answer reaches what the component has now, not what it had at the press', async () => {
    const { asked, client } = held();
    const other = held();
    const said: string[] = [];
    let now = 'first';
    const page = await mounted(() => {
      const shown = now;
      return useApproval(item, {
        client: shown === 'first' ? client : other.client,
        onAnswered: () => said.push(`${shown} answered`),
        onSettled: () => said.push(`${shown} settled`),
        onLeft: () => said.push(`${shown} left`),
      });
    });
    await page.settle(() => void page.result.approve());
    now = 'second';
    await page.render();
    await page.settle(() => asked[0]?.settle(new Error('Nothing answers.')));
    await page.settle(() => void page.result.approve());
    now = 'third';
    await page.render();
    await page.settle(() => other.asked[0]?.settle());
    expect([asked.length, said]).toEqual([1, ['second settled', 'third answered', 'third settled']]);
  });

  it('[RH6] locks nothing of other arguments by the answer to those before, once it has come', async () => {
    const { asked, client } = held();
    let shown = { ...item };
    const page = await mounted(() => useApproval(shown, { client }));
    await page.settle(() => void page.result.approve());
    shown = { ...item, inputHash: 'other' };
    await page.render();
    expect(page.result).toMatchObject({ isBusy: true, state: { status: 'open' } });
    await page.settle(() => asked[0]?.settle());
    expect(page.result).toMatchObject({ isBusy: false, state: { status: 'open' } });
  });

  it('[RH17] counts as unsent only if every reported try was, and not once it was refused', async () => {
    const { asked, tries, lose, client } = held();
    const unwatched = await mounted(() => useApproval(item, { client }));
    await unwatched.settle(() => void unwatched.result.approve());
    await unwatched.settle(() => asked[0]?.settle(new Error('Nothing answers.')));
    expect(unwatched.result.state).toMatchObject({ status: 'failed', isUnsent: false });
    const left: unknown[] = [];
    const page = await mounted(() => useApproval(item, { client, tries, onLeft: (...all) => left.push(all) }));
    await page.settle(() => void page.result.approve());
    await page.settle(() => lose(1, 'offline', true));
    await page.settle(() => asked[1]?.settle(new Error('Nothing answers.')));
    expect(page.result.state).toMatchObject({ status: 'failed', isUnsent: true });
    await page.settle(() => void page.result.deny());
    await page.settle(() => lose(2, 'offline', true));
    await page.settle(() => asked[2]?.settle(refusal()));
    expect(page.result.state).toMatchObject({ status: 'failed', isUnsent: false });
    await page.settle(() => void page.result.approve());
    await page.unmount();
    await page.settle(() => asked[3]?.settle(refusal()));
    expect(left).toEqual([[{ kind: 'approve' }, { isUnsent: false, error: expect.any(Refused) }]]);
  });

  it('[RH6] holds up no answer to another call, and reports what becomes of the one before', async () => {
    const { asked, tries, lose, client } = held();
    const said: unknown[] = [];
    let shown = item;
    const page = await mounted(() => {
      const { toolCallId } = shown;
      const onAnswered = () => said.push(`${toolCallId} answered`);
      return useApproval(shown, { client, tries, onAnswered, onLeft: (_, left) => said.push([toolCallId, left]) });
    });
    const show = (toolCallId: string) => {
      shown = { ...item, toolCallId };
      return page.render();
    };
    await page.settle(() => void page.result.approve());
    await show('c_3');
    expect(page.result).toMatchObject({ isBusy: false, state: { status: 'open' } });
    await page.settle(() => void page.result.approve());
    expect(asked.map(({ key }) => key?.split('.')[0])).toEqual(['c_2', 'c_3']);
    await page.settle(() => asked[0]?.settle());
    await page.settle(() => lose(1, 'offline', true));
    await show('c_2');
    expect(page.result.state).toEqual({ status: 'answered', byOther: false });
    expect([said, asked[1]?.signal?.aborted]).toEqual([['c_2 answered', ['c_3', { isUnsent: true }]], true]);
    await show('c_3');
    expect(page.result).toMatchObject({ isBusy: false, state: { status: 'open' } });
  });
});
