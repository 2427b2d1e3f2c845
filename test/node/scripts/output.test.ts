import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { Output } from '../../support/output';

const said = (code: string) => new Output(spawn(process.execPath, ['-e', code]));
const found = (output: Output, text: string) =>
  output.until(JSON.stringify(text), () => (output.said.includes(text) ? text : undefined));

it('[HS15] a text is found while the process works, in its last words, and after its end', async () => {
  const lasting = said(
    "console.log('one'); process.stdin.once('data', () => { console.error('two'); process.exit(3); });",
  );
  expect(await found(lasting, 'one')).toBe('one');
  const asked = [found(lasting, 'two'), found(lasting, 'two')];
  lasting.child.stdin?.write('go');
  expect(await Promise.all(asked)).toEqual(['two', 'two']);
  expect([await lasting.closed, await found(lasting, 'one'), lasting.stdout, lasting.stderr]).toEqual([
    ...[3, 'one', 'one\n', 'two\n'],
  ]);
});

it('[HS15] a text that no longer can come fails the wait for it, with all that was said', async () => {
  for (const code of ["console.log('one'); console.error('two')", "console.log('one'); throw new Error('two')"]) {
    const output = said(code);
    const wait = found(output, 'three');
    await expect(wait).rejects.toThrow(/ended without "three".*one.*two/su);
    await expect(found(output, 'three')).rejects.toThrow(/ended without "three"/u);
  }
  const killed = said("console.log('one'); setInterval(() => undefined, 1_000)");
  await found(killed, 'one');
  killed.child.kill('SIGKILL');
  await expect(found(killed, 'two')).rejects.toThrow(/ended without "two".*one/su);
  expect(await killed.closed).toBeNull();
});
