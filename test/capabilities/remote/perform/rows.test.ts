/** Rows of remote children of earlier formats, read in the shape of today. */
import { expect, it } from 'vitest';
import { remoteRun } from '../../../../src/capabilities/remote/perform/rows';

it('[SO3] a remote child of formats 1 to 3 is read with its caller, and one of the newest as it is', () => {
  const row = { is: 'placed', sessionId: 's_one' } as const;
  const caller = { actor: 'ann' };
  const older = { ...row, asker: caller };
  expect(remoteRun({ remote: () => older }, 's_one')).toEqual({ ...row, caller });
  expect(remoteRun({ remote: () => row }, 's_one')).toBe(row);
  expect(remoteRun({ remote: () => undefined }, 's_none')).toBeUndefined();
});
