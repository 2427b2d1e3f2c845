// One process that runs a command of Node again and again, as `e2e/check` asks for it: most of each run in a process of
// its own is the reading of wrangler. It is sent the arguments of a run, and sends its output and its exit code.
import { pathToFileURL } from 'node:url';

const [node = '', , bin = ''] = process.argv;
let runs = 0;

/** @param {readonly string[]} args @returns {Promise<{ code: number, output: string }>} */
async function runOnce(args) {
  let output = '';
  /** @type {PromiseWithResolvers<number>} */
  const { promise: ended, resolve } = Promise.withResolvers();
  const { exit } = process;
  const writes = [process.stdout, process.stderr].map((stream) => {
    const { write } = stream;
    // A command writes text, and may wait until that is written.
    stream.write = (/** @type {unknown} */ text, /** @type {unknown[]} */ ...rest) => {
      output += text;
      const written = rest.at(-1);
      if (typeof written === 'function') queueMicrotask(() => written());
      return true;
    };
    return () => Object.assign(stream, { write });
  });
  process.exit = (/** @type {unknown} */ code) => {
    resolve(Number(code ?? 0));
    return /** @type {never} */ (undefined);
  };
  process.argv = [node, bin, ...args];
  process.exitCode = undefined;
  try {
    // With another address it is a module of its own, and runs again; what it imports stays.
    await import(`${pathToFileURL(bin)}?run=${++runs}`);
    return { code: args[0] === 'check' ? await ended : Number(process.exitCode ?? 0), output };
  } finally {
    for (const back of writes) back();
    process.exit = exit;
    process.exitCode = undefined;
  }
}

process.on('message', async (/** @type {readonly string[]} */ args) => {
  process.send?.(await runOnce(args));
});
