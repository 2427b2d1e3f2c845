/** The package: one module and its types for each entry, and what they share beside them. */
import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    testing: 'src/testing.ts',
    worker: 'src/worker.ts',
    access: 'src/access.ts',
    remote: 'src/remote.ts',
    console: 'src/console.ts',
    chat: 'src/chat.ts',
    agui: 'src/agui.ts',
    bin: 'src/bin.ts',
    client: 'src/client.ts',
    react: 'src/react.ts',
    'react/chat': 'src/react/chat.ts',
    protocol: 'src/protocol.ts',
    models: 'src/models.ts',
    'models/anthropic': 'src/model/providers/anthropic.ts',
    'models/openai': 'src/model/providers/openai.ts',
    'models/openai-compatible': 'src/model/providers/openai-compatible.ts',
    'models/workers-ai': 'src/model/providers/workers-ai.ts',
    'without/capnweb': 'src/without/capnweb.ts',
    'without/cron-schedule': 'src/without/cron-schedule.ts',
    'without/mcp-client': 'src/without/mcp-client.ts',
    'without/mimetext': 'src/without/mimetext.ts',
    'without/zod-locales': 'src/without/zod-locales.ts',
    'without/zod-locales-core': 'src/without/zod-locales-core.ts',
  },
  format: 'esm',
  platform: 'neutral',
  target: 'es2024',
  tsconfig: 'tsconfig.build.json',
  dts: true,
  clean: true,
  // Names that stay, so that what changed in the types can be seen.
  hash: false,
  // What entries share must not take the name of an entry, whose types would then be another file's.
  outputOptions: (options) => ({
    ...options,
    chunkFileNames: 'shared/[name].js',
    // What apps upload; the types keep what is said for people.
    comments: { jsdoc: false, legal: true, annotation: true },
  }),
  logLevel: 'error',
  outDir: 'dist',
  // What the platform brings, and what must stay a module of its own for a bundler.
  deps: { neverBundle: [/^cloudflare:/, /^node:/, /^offshoot\//] },
});
