/** What a replacement keeps of the form of a text file: its mark and its line ends. */
import { expect, it } from 'vitest';
import { nodeStorage } from '../../../src/testing/node-storage';
import { benchOver } from '../workspace-support';

it('[WS22] a replacement keeps the mark of the file, once, and its line ends unless it brings its own', async () => {
  const storage = nodeStorage();
  const marks = ['', '\ufeff'];
  try {
    const { call, store } = benchOver(storage, 'own');
    let files = 0;
    for (const marked of marks)
      for (const ended of ['\n', '\r\n', '\r'])
        for (const mark of marks)
          for (const brings of ['\n', '\r\n']) {
            const path = `f${++files}`;
            const { etag } = await store.write(path, `${marked}one${ended}two${ended}`);
            const content = `${mark}three${brings}four`;
            const written = await call('workspace_write_file', { path, content, version: etag.slice(0, 16) });
            expect(written).not.toHaveProperty('error');
            const what = JSON.stringify({ marked, ended, mark, brings });
            const text = Buffer.from(await new Response((await store.open(path)).body).arrayBuffer()).toString();
            const keeps = marked !== '' || mark !== '' ? '\ufeff' : '';
            expect(text, what).toBe(`${keeps}three${brings === '\n' ? ended : brings}four`);
          }
  } finally {
    storage.close();
  }
});
