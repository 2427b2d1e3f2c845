// A process that writes a file, begins to replace it, says so, and then waits to be killed.
// Usage: node --experimental-transform-types files-upload-child.mjs <database>
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const bare = specifier.startsWith('.') && !/\.[a-z]+$/.test(specifier);
    return next(bare ? `${specifier}.ts` : specifier, context);
  },
});

const load = (/** @type {string} */ path) => import(new URL(`../../${path}`, import.meta.url).href);
const { nodeStorage } = await load('src/testing/node-storage.ts');
const { createFileStore } = await load('src/store/files.ts');

const MiB = 1_048_576;
const store = createFileStore(nodeStorage(process.argv[2]), { now: () => 1 });
await store.write('f', new Uint8Array(2 * MiB).fill(1));

let sent = 0;
const endless = new ReadableStream(
  {
    pull(controller) {
      if (sent === 10) {
        process.stdout.write('uploading\n');
        process.stdin.resume(); // keeps the process alive: the upload never ends
        return new Promise(() => {});
      }
      sent += 1;
      controller.enqueue(new Uint8Array(MiB).fill(2));
      return undefined;
    },
  },
  { highWaterMark: 0 },
);
await store.write('f', endless);
