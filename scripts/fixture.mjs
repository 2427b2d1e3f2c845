// node scripts/fixture.mjs: keeps the stores of the formats of now in test/fixtures/formats, for each later version to open.
// It fails where they are kept. --again keeps them anew: only before anybody has deployed these formats.
import { parseArgs } from 'node:util';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runTool } from './lib/processes.mjs';

await run(async () => {
  const { values } = parseArgs({ options: { again: { type: 'boolean' } } });
  ensureInstalled();
  const env = { OFFSHOOT_KEEP_FORMATS: values.again ? 'again' : 'new' };
  const { code, output } = await runTool('vitest', ['run', 'test/simulation/formats.test.ts'], { env });
  if (/EEXIST/.test(output))
    throw new UserError(
      'The stores of these formats are kept. After a change of rows a new step comes first: npm run migrations',
    );
  if (code !== 0) console.error(output.trim());
  return code;
});
